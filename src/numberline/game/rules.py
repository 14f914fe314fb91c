"""Rules of a game, and the values that each rule can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

TOKEN_COUNTS = range(1, 4)
PLAYER_COUNTS = range(2, 7)


class Operation(NamedTuple):
    """An operation on a number: `+1`, `-1`, `*2`, `/2`."""

    sign: str
    amount: int

    def __str__(self) -> str:
        return f"{self.sign}{self.amount}"

    @property
    def increases(self) -> bool:
        return self.sign in "+*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of one variant: all that the engine needs to know about a game.

    A field with a default is a setting of every book, in this order; its type lists its values. In a batch of games, a
    place in `line`, `starts` or `goals` is an array of their places.
    """

    line: tuple[int, int]
    """The first and the last place."""
    shared: bool
    """All players move one marker; otherwise each has tokens."""
    starts: tuple[int, ...]
    """Where each player's tokens start."""
    goals: tuple[tuple[int, ...], ...]
    """The one or two places that each player tries to reach."""
    moves: Literal["forward", "both ways", "operations"]
    """Towards the player's goal; left or right; by arithmetic."""
    steps: tuple[int, ...] = ()
    """Lengths of a step; empty if moves are operations."""
    operations: tuple[Operation, ...] = ()
    """Empty if moves are steps."""
    overshoot: Literal["refused", "loses", "counts"] = "refused"
    """A move past the player's goal: illegal, loses the game, or reaches the goal."""
    meeting: Literal["shares", "blocks", "stops"] = "shares"
    """A token in the way: shares its place, blocks the move, or stops it one place before."""
    repeat: Literal["free", "banned"] = "free"
    """Choosing the stride that the previous player just chose."""
    stuck: Literal["passes", "loses"] = "passes"
    """A player who has no legal move loses the turn, or the game."""
    finish: Literal["all", "one"] = "all"
    """How many of a player's tokens must be home to win."""
    tokens: Annotated[int, TOKEN_COUNTS] = 1
    players: Annotated[int, PLAYER_COUNTS] = 2
    reverse: bool = False
    """A step back by one is a move."""
    skip: bool = False
    """Skipping the turn is a move."""

    @property
    def shared_starts(self) -> tuple[int, ...]:
        """The places where several tokens start; any number of tokens may stand there."""
        everyone = [start for start in self.starts for _ in range(self.tokens)]
        return tuple(sorted({start for start in everyone if everyone.count(start) > 1}))
