"""Why a move was refused, in words for the player who tried it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from numberline.rules.engine import Engine
from numberline.rules.legality import (
    Attempt,
    Objection,
    has_a_remainder,
    is_blocked,
    is_home,
    is_repeated,
    leaves_the_line,
)
from numberline.rules.moves import FORCED, Move
from numberline.rules.position import Position
from numberline.rules.wording import any_of


def why_not(engine: Engine, position: Position, move: Move) -> str:
    """The reason for which a move of the book is not legal here."""
    legal = engine.moves(position)
    if move in FORCED:
        return "a turn is lost only where there is no move"
    if legal[0] in FORCED:
        return "no move would get anywhere"
    attempt = engine.attempt(position, move)
    objection = engine.objection(attempt)
    return _WORDS[objection](attempt) if objection else "no rule allows it"


def you_can_play(legal: Sequence[str]) -> str:
    """The sentence that says what is allowed.

    >>> you_can_play(["1", "2", "3"])
    'You can play 1, 2, or 3.'
    """
    return f"You can play {any_of(legal)}."


_WORDS: dict[Objection, Callable[[Attempt], str]] = {
    is_home: lambda _: "that token is home and moves no more",
    leaves_the_line: lambda attempt: (
        f"it would go past {attempt.stretch.goal_near(attempt.wanted)}"
        if attempt.stretch.past(attempt.wanted, attempt.heading)
        else f"{attempt.wanted} is off the line"
    ),
    has_a_remainder: lambda attempt: f"{attempt.place} can't be divided by {attempt.move.divisor} without a remainder",
    is_blocked: lambda _: "a token is in the way",
    is_repeated: lambda _: "the player before has just chosen that",
}
