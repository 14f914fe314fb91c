"""Where a game stands and how one ended: whose turn it is, where the tokens are, who is out."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self

from numberline.game.elementwise import BoolOrArray, IntOrArray, where


class Position(NamedTuple):
    """Everything that decides how a game can go on, and nothing that can be worked out from it.

    In a column of positions `turn` is one player for all of them; the other fields may be NumPy columns.
    """

    turn: int
    """The player to move, counted from 1."""
    tokens: tuple[IntOrArray, ...]
    """Where the tokens stand: those of player 1, then those of player 2, …; a shared marker is the only one."""
    last: IntOrArray = 0
    """The stride that may not be repeated now; 0 where nothing is banned."""
    out: IntOrArray = 0
    """Who is out of the game, one bit a player (1 for player 1, 2 for player 2, 4 for player 3)."""

    def is_out(self, player: int) -> BoolOrArray:
        """Whether this player is out of the game."""
        return (self.out >> (player - 1)) & 1 == 1


OutcomeKind = Literal["goal", "overshot", "stuck", "resigned", "last_left"]


class _WinnerAndReason(NamedTuple):
    winner: int
    reason: str


class Outcome(_WinnerAndReason):
    """The winner, and the reason in words a player understands.

    `kind` is the reason for programs: `goal`, `overshot`, `stuck`, `resigned` or `last_left`. It is no part of the
    tuple, so that `winner, reason = outcome` works.

    >>> import numberline as nl
    >>> book = nl.book("flag-chase")
    >>> outcome = book.outcome(nl.Position(2, (5, 8)))
    >>> outcome, outcome.kind
    (Outcome(winner=1, reason='Player 1 reached 5.'), 'goal')
    """

    kind: OutcomeKind

    def __new__(cls, winner: int, reason: str, kind: OutcomeKind = "goal") -> Self:
        outcome = super().__new__(cls, winner, reason)
        outcome.kind = kind
        return outcome

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**{**self._asdict(), "kind": self.kind, **changes})


# Players in order, without those who are out


def eliminate(out: IntOrArray, player: int, *, condition: BoolOrArray = True) -> IntOrArray:
    """Who is out once this player goes too (where `goes` holds)."""
    return where(condition, out | (1 << (player - 1)), out)


def active_count(out: IntOrArray, players: int) -> IntOrArray:
    """How many are still in."""
    return players - sum((out >> n) & 1 for n in range(players))


def next_active(turn: int, out: IntOrArray, players: int, direction: int = 1) -> IntOrArray:
    """The next player after this one who is still in; with `way` -1 the last one before."""
    if players == 2:
        return 3 - turn
    found: IntOrArray = turn
    for distance in range(players - 1, 0, -1):
        player = (turn - 1 + direction * distance) % players + 1
        found = where((out >> (player - 1)) & 1 == 0, player, found)
    return found
