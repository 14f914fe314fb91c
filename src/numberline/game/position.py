"""Positions, outcomes, and the turn order of the players still in the game."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, Self

from numberline.game.elementwise import BoolOrArray, IntOrArray, where


class Position(NamedTuple):
    """The state of a game, without its history.

    In an array of positions, all positions have the same `turn`, and the other fields can contain NumPy arrays.

    >>> import numberline as nl
    >>> nl.book("flag-chase").moves(nl.Position(turn=1, tokens=(4, 10)))
    ('1',)
    """

    turn: int
    """The player to move, counted from 1."""
    tokens: tuple[IntOrArray, ...]
    """The places of player 1's tokens, then of player 2's, and so on; for a shared marker, a single place."""
    last: IntOrArray = 0
    """The stride that is banned for the player to move; 0 if none is."""
    out: IntOrArray = 0
    """Bit set of the players who are out: 1 for player 1, 2 for player 2, 4 for player 3, and so on."""

    def is_out(self, player: int) -> BoolOrArray:
        """Return whether this player is out of the game."""
        return (self.out >> (player - 1)) & 1 == 1


OutcomeKind = Literal["goal", "overshot", "stuck", "resigned", "last_left"]


class _WinnerAndReason(NamedTuple):
    winner: int
    reason: str


class Outcome(_WinnerAndReason):
    """The winner of a game, and the reason as a sentence for players.

    `kind` is the machine-readable reason: `goal`, `overshot`, `stuck`, `resigned` or `last_left`. It is not part of the
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


def eliminate(out: IntOrArray, player: int, *, condition: BoolOrArray = True) -> IntOrArray:
    """Return the bit set `out` with this player added, if `condition` holds."""
    return where(condition, out | (1 << (player - 1)), out)


def active_count(out: IntOrArray, players: int) -> IntOrArray:
    """Return the number of players still in the game."""
    return players - sum((out >> n) & 1 for n in range(players))


def next_active(turn: int, out: IntOrArray, players: int, direction: int = 1) -> IntOrArray:
    """Return the next player still in the game, or the previous one if `direction` is -1."""
    if players == 2:
        return 3 - turn
    found: IntOrArray = turn
    for distance in range(players - 1, 0, -1):
        player = (turn - 1 + direction * distance) % players + 1
        found = where((out >> (player - 1)) & 1 == 0, player, found)
    return found
