"""A move as somebody typed it: letter case, spaces and a leading `+` on a plain step are forgiven."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from numberline.errors import IllegalMove, UnreadableMove
from numberline.game.moves import Move
from numberline.game.setting_types import OPERATOR_ALIASES
from numberline.text import quote

MAX_MOVE_CHARS = 100
"""A longer line is never a move."""


def normalize_move(typed: str) -> str:
    """The move as the book would write it, as far as spelling goes.

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


MOVE_PATTERNS = {"forward": "[0-9]+", "both ways": "[LR][0-9]+", "operations": "[-+*/][0-9]+"}
"""What a move looks like, by the kind of moves that a book has."""


def parse_move(typed: str, pattern: str, by_text: Mapping[str, Move], movable: Iterable[int]) -> Move:
    """The book's move that was typed; `movable` are the mover's tokens that can still move, where there are several.

    A bare step is accepted where only one token can still move.
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
        raise IllegalMove(f"{quote(typed)} is not among the moves of this game")
    raise UnreadableMove(f"{quote(typed)} can't be read as a move")
