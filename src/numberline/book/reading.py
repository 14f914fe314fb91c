"""A move as somebody typed it: letter case, spaces and a leading `+` on a plain step are forgiven."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from numberline.book.settings import SIGNS
from numberline.rules.errors import IllegalMove, UnreadableMove, shown
from numberline.rules.moves import Move

LONGEST = 100
"""A longer line is never a move."""


def spelled(typed: str) -> str:
    """The move as the book would write it, as far as spelling goes.

    >>> spelled(" l 2 "), spelled("X 3"), spelled("1 : BACK"), spelled("x2")
    ('L2', '*3', '1:back', '*2')
    """
    text = re.sub(r"\s+", "", typed[: LONGEST + 1]).lower()
    token, colon, stride = text.rpartition(":")
    if stride[:1] in SIGNS:
        stride = SIGNS[stride[0]] + stride[1:]
    if re.fullmatch("[lr][0-9]+", stride):
        stride = stride.upper()
    return token + colon + stride


SHAPES = {"forward": "[0-9]+", "both ways": "[LR][0-9]+", "operations": "[-+*/][0-9]+"}
"""What a move looks like, by the kind of moves that a book has."""


def read_move(typed: str, shape: str, by_text: Mapping[str, Move], movable: Iterable[int]) -> Move:
    """The book's move that was typed; `movable` are the mover's tokens that can still move, where there are several.

    A bare step is accepted where only one token can still move.
    """
    text = spelled(typed)
    spellings = [text, re.sub(r"(^|:)\+(?=[0-9])", r"\1", text)]
    tokens = [number + 1 for number in movable]
    if len(tokens) == 1:
        spellings += [f"{tokens[0]}:{spelling}" for spelling in spellings]
    for spelling in spellings:
        if spelling in by_text:
            return by_text[spelling]
    if len(tokens) > 1 and f"1:{spellings[1]}" in by_text:
        raise UnreadableMove(f"{shown(typed)} does not say which token moves; write it as {tokens[0]}:{spellings[1]}")
    if any(re.fullmatch(f"([0-9]+:)?({shape}|back|skip|pass|out)", spelling) for spelling in spellings):
        raise IllegalMove(f"{shown(typed)} is not among the moves of this game")
    raise UnreadableMove(f"{shown(typed)} can't be read as a move")
