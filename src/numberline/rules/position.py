"""Where a game stands, and how one ended."""

from __future__ import annotations

from typing import NamedTuple

from numberline.rules.arithmetic import Number, Truth
from numberline.rules.turns import is_out


class Position(NamedTuple):
    """Everything that decides how a game can go on, and nothing that can be worked out from it.

    In a column of positions `turn` is one player for all of them; the other fields may be NumPy columns.
    """

    turn: int
    """The player to move, counted from 1."""
    tokens: tuple[Number, ...]
    """Where the tokens stand: those of player 1, then those of player 2, …; a shared marker is the only one."""
    last: Number = 0
    """The stride that may not be repeated now; 0 where nothing is banned."""
    out: Number = 0
    """Who is out of the game, one bit a player (1 for player 1, 2 for player 2, 4 for player 3)."""

    def is_out(self, player: int) -> Truth:
        """Whether this player is out of the game."""
        return is_out(self.out, player)


class Outcome(NamedTuple):
    """Who won and why, in words a player understands."""

    winner: int
    reason: str
