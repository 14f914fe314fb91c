"""`Rules`: the rules of a game and the values that each rule can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple

TOKEN_COUNTS = range(1, 4)
PLAYER_COUNTS = range(2, 7)


class Operation(NamedTuple):
    """An arithmetic operation, such as `+1`, `-1`, `*2` or `/2`."""

    sign: str
    amount: int

    def __str__(self) -> str:
        return f"{self.sign}{self.amount}"

    @property
    def increases(self) -> bool:
        return self.sign in "+*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of one variant: everything that the engine needs to know about a game.

    Each field with a default is also a setting, and its type hint defines the valid values. In a batch of
    games, each place in `line`, `starts` and `goals` can be an array with one entry per game.
    """

    line: tuple[int, int]
    """The first and the last place."""
    shared: bool
    """Whether all players move one shared marker instead of their own tokens."""
    starts: tuple[int, ...]
    """The place where each player's tokens start."""
    goals: tuple[tuple[int, ...], ...]
    """The one or two places that each player tries to reach."""
    moves: Literal["forward", "both ways", "operations"]
    """How tokens move: towards the player's goal, left or right, or by arithmetic."""
    steps: tuple[int, ...] = ()
    """The possible step lengths; empty if moves are operations."""
    operations: tuple[Operation, ...] = ()
    """The possible operations; empty if moves are steps."""
    overshoot: Literal["refused", "loses", "counts"] = "refused"
    """Whether a move past the player's goal is illegal, loses the game, or counts as reaching the goal."""
    meeting: Literal["shares", "blocks", "stops"] = "shares"
    """Whether a token in the way shares its place, blocks the move, or makes the moving token stop before it."""
    repeat: Literal["free", "banned"] = "free"
    """Whether a player can choose the same stride as the previous player."""
    stuck: Literal["passes", "loses"] = "passes"
    """Whether a player who has no legal move passes or loses the game."""
    finish: Literal["all", "one"] = "all"
    """Whether all of a player's tokens, or only one, must reach the goal to win."""
    tokens: Annotated[int, TOKEN_COUNTS] = 1
    players: Annotated[int, PLAYER_COUNTS] = 2
    reverse: bool = False
    """Whether players can move a token back by one place."""
    skip: bool = False
    """Whether players can skip a turn."""

    @property
    def shared_starts(self) -> tuple[int, ...]:
        """The places where several tokens start; any number of tokens can stand there."""
        everyone = [start for start in self.starts for _ in range(self.tokens)]
        return tuple(sorted({start for start in everyone if everyone.count(start) > 1}))
