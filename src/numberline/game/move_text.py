"""Parsing of typed moves, and descriptions of why a move is illegal."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from numberline.errors import IllegalMove, UnreadableMove
from numberline.game import legality
from numberline.game.engine import Engine
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Position
from numberline.game.settings import OPERATOR_ALIASES
from numberline.text import join_or, quote

MAX_MOVE_CHARS = 100
MOVE_PATTERNS = {"forward": "[0-9]+", "both ways": "[LR][0-9]+", "operations": "[-+*/][0-9]+"}


def normalize_move(typed: str) -> str:
    """Normalize a typed move to the book's spelling: spaces, letter case and operators.

    >>> normalize_move(" l 2 "), normalize_move("X 3"), normalize_move("1 : BACK"), normalize_move("x2")
    ('L2', '*3', '1:back', '*2')
    """
    text = re.sub(r"\s+", "", typed[: MAX_MOVE_CHARS + 1]).lower()
    token, colon, stride = text.rpartition(":")
    if stride[:1] in OPERATOR_ALIASES:
        stride = OPERATOR_ALIASES[stride[0]] + stride[1:]
    if re.fullmatch("[lr][0-9]+", stride):
        stride = stride.upper()
    return token + colon + stride


def parse_move(typed: str, pattern: str, by_text: Mapping[str, Move], movable: Iterable[int]) -> Move:
    """Parse a typed move; a leading `+` on a plain step is ignored.

    `movable` lists the indices of the mover's tokens that can move, if players have several tokens. A move that does
    not name a token is accepted if only one token can move.
    """
    text = normalize_move(typed)
    spellings = [text, re.sub(r"(^|:)\+(?=[0-9])", r"\1", text)]
    tokens = [number + 1 for number in movable]
    if len(tokens) == 1:
        spellings += [f"{tokens[0]}:{spelling}" for spelling in spellings]
    for spelling in spellings:
        if spelling in by_text:
            return by_text[spelling]
    if len(tokens) > 1 and f"1:{spellings[1]}" in by_text:
        raise UnreadableMove(f"{quote(typed)} does not say which token moves; write it as {tokens[0]}:{spellings[1]}")
    if any(re.fullmatch(f"([0-9]+:)?({pattern}|back|skip|pass|out)", spelling) for spelling in spellings):
        raise IllegalMove(f"{quote(typed)} is not a move in this game")
    raise UnreadableMove(f"{quote(typed)} can't be read as a move")


def legal_moves_sentence(legal: Sequence[str]) -> str:
    """Return a sentence that lists the legal moves.

    >>> legal_moves_sentence(["1", "2", "3"])
    'You can play 1, 2, or 3.'
    """
    return f"You can play {join_or(legal)}."


def why_not(engine: Engine, position: Position, move: Move, legal: Sequence[Move]) -> str:
    """Return the reason why a move is not among the legal moves."""
    if move in FORCED_MOVES:
        return "you lose a turn only when you have no move"
    if legal[0] in FORCED_MOVES:
        return "no move would get anywhere"
    attempt = engine.attempt(position, move)
    check = engine.failed_check(attempt)
    return _REASONS[check](attempt) if check else "no rule allows it"


_REASONS: dict[legality.IllegalityCheck, Callable[[legality.MoveAttempt], str]] = {
    legality.is_home: lambda _: "that token is already home",
    legality.leaves_line: lambda attempt: (
        f"it would go past {attempt.bounds.nearest_goal(attempt.target)}"
        if attempt.bounds.is_past_goal(attempt.target, attempt.heading)
        else f"{attempt.target} is off the line"
    ),
    legality.has_remainder: lambda attempt: (
        f"{attempt.place} can't be divided by {attempt.move.divisor} without a remainder"
    ),
    legality.is_blocked: lambda _: "a token is in the way",
    legality.is_repeated: lambda _: "the player before you just chose that",
}
