"""Why a move was refused, in words for the player who tried it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numberline.game.engine import Engine
from numberline.game.legality import (
    IllegalityCheck,
    MoveAttempt,
    has_remainder,
    is_blocked,
    is_home,
    is_repeated,
    leaves_line,
)
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Position
from numberline.text import join_or


def why_not(engine: Engine, position: Position, move: Move, legal: Sequence[Move]) -> str:
    """Return why a move of the book is not among the legal moves."""
    if move in FORCED_MOVES:
        return "a turn is lost only where there is no move"
    if legal[0] in FORCED_MOVES:
        return "no move would get anywhere"
    attempt = engine.attempt(position, move)
    objection = engine.failed_check(attempt)
    return _WORDS[objection](attempt) if objection else "no rule allows it"


def legal_moves_sentence(legal: Sequence[str]) -> str:
    """The sentence that says what is allowed.

    >>> legal_moves_sentence(["1", "2", "3"])
    'You can play 1, 2, or 3.'
    """
    return f"You can play {join_or(legal)}."


_WORDS: dict[IllegalityCheck, Callable[[MoveAttempt], str]] = {
    is_home: lambda _: "that token is home and moves no more",
    leaves_line: lambda attempt: (
        f"it would go past {attempt.bounds.nearest_goal(attempt.target)}"
        if attempt.bounds.is_past_goal(attempt.target, attempt.heading)
        else f"{attempt.target} is off the line"
    ),
    has_remainder: lambda attempt: f"{attempt.place} can't be divided by {attempt.move.divisor} without a remainder",
    is_blocked: lambda _: "a token is in the way",
    is_repeated: lambda _: "the player before has just chosen that",
}
