"""Repeating the player before: free, or banned for the stride that was just chosen."""

from __future__ import annotations

from numberline.rules.arithmetic import Number, Truth
from numberline.rules.moves import NOTHING, Move


def repeats(move: Move, last: Number) -> Truth:
    """Whether the move is the stride that is banned now; a skipped or a lost turn never is."""
    return (move.stride == last) & (move.stride != NOTHING)
