"""Where a game stands and how one ended: whose turn it is, where the tokens are, who is out."""

from __future__ import annotations

from typing import NamedTuple

from numberline.rules.arithmetic import Number, Truth, where


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
        return (self.out >> (player - 1)) & 1 == 1


class Outcome(NamedTuple):
    """Who won and why, in words a player understands."""

    winner: int
    reason: str


# Players in order, without those who are out


def with_out(out: Number, player: int, *, goes: Truth = True) -> Number:
    """Who is out once this player goes too (where `goes` holds)."""
    return where(goes, out | (1 << (player - 1)), out)


def still_in(out: Number, players: int) -> Number:
    """How many are still in."""
    return players - sum((out >> n) & 1 for n in range(players))


def next_in(turn: int, out: Number, players: int, way: int = 1) -> Number:
    """The next player after this one who is still in; with `way` -1 the last one before."""
    if players == 2:
        return 3 - turn
    found: Number = turn
    for distance in range(players - 1, 0, -1):
        player = (turn - 1 + way * distance) % players + 1
        found = where((out >> (player - 1)) & 1 == 0, player, found)
    return found
