"""The questions that every book answers, and the answers it can give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

TOKEN_COUNTS = range(1, 4)
PLAYER_COUNTS = range(2, 7)
"""How many tokens a player can have, and how many can play."""


class Operation(NamedTuple):
    """One thing that may be done to a number: `+1`, `-1`, `*2`, `/2`."""

    sign: str
    amount: int

    def __str__(self) -> str:
        return f"{self.sign}{self.amount}"

    @property
    def increases(self) -> bool:
        """Whether it makes the number larger."""
        return self.sign in "+*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """One book's answers, with every setting filled in: all that the engine needs to know of a game.

    What has a default can be set on every book where it makes sense, in this order; its type says what it can be.
    Where several games are played together, a place in `line`, `starts` or `goals` is a column of their places.
    """

    line: tuple[int, int]
    """From where to where."""
    shared: bool
    """One marker that everybody moves, or tokens of one's own."""
    starts: tuple[int, ...]
    """Where each player's tokens begin."""
    goals: tuple[tuple[int, ...], ...]
    """The place, or the two places, that each player tries to reach."""
    moves: Literal["forward", "both ways", "operations"]
    """Towards one's goal; left or right; by doing sums."""
    steps: tuple[int, ...] = ()
    """How far a move may go, where moves are steps."""
    operations: tuple[Operation, ...] = ()
    """What may be done to the number, where moves are sums."""
    overshoot: Literal["refused", "loses", "counts"] = "refused"
    """Going past one's goal."""
    meeting: Literal["shares", "blocks", "stops"] = "shares"
    """A token in the way."""
    repeat: Literal["free", "banned"] = "free"
    """Choosing the stride that the player before has just chosen."""
    stuck: Literal["passes", "loses"] = "passes"
    """Having no move left."""
    finish: Literal["all", "one"] = "all"
    """How many of one's tokens must be home to win."""
    tokens: Annotated[int, TOKEN_COUNTS] = 1
    """How many tokens each player has."""
    players: Annotated[int, PLAYER_COUNTS] = 2
    """How many play, in order."""
    reverse: bool = False
    """One step back instead of forward."""
    skip: bool = False
    """Giving up the turn on purpose."""

    @property
    def shared_starts(self) -> tuple[int, ...]:
        """The places where more than one token begins: there the one-token rule does not hold."""
        everyone = [start for start in self.starts for _ in range(self.tokens)]
        return tuple(sorted({start for start in everyone if everyone.count(start) > 1}))
