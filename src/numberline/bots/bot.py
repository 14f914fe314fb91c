"""What a bot is: a player that is a program, who answers with a move when asked in any position."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Any, Self, TypeVar

from numberline.errors import MoveError, NumberlineError
from numberline.game.book import Book
from numberline.game.position import Position

if TYPE_CHECKING:
    from numberline.solver.arrays import IntArray, SolutionArrays

Policy = dict[str, Fraction]
"""For each move that a bot may play, how likely it is."""


Key = TypeVar("Key")
Value = TypeVar("Value")


class SharedCache(dict[Key, Value]):
    """What was worked out once and can be worked out again: copies share it, and it does not travel elsewhere."""

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


def no_progress(_: float) -> None:
    """Tells nobody how far the work is."""


class Bot:
    """A player that is a program. It remembers nothing of a game, so one bot can sit in any seats of any matches."""

    def __init__(self, name: str, book: Book, rng: Random) -> None:
        self.name = name
        """The text that the bot can be made from again, such as `level:3`."""
        self.book = book
        self.rng = rng
        """Where all that the bot leaves to chance comes from."""
        self.progress: Callable[[float], None] = no_progress
        """Called with the share of a move's work that is done, by a bot that may think for long."""

    def choose(self, position: Position) -> str:
        """A legal move for the player to move; raises `GameOver` where there is none."""
        raise NotImplementedError

    def policy(self, position: Position) -> Policy | None:
        """How likely each move is; None where only the bot itself can say, by playing."""
        return None

    def weights(self, columns: SolutionArrays) -> IntArray | None:
        """The odds of all positions at once: for each row and choice a whole number that is its share of the row's sum.

        None where they have to be asked for one by one.
        """
        return None

    def prepare(self, progress: Callable[[float], None]) -> None:
        """Does before the game what takes long; `progress` is called with the share that is done."""

    def new_game(self, seed: int) -> None:
        """Another game begins; a bot that throws dice of its own should make them from this number."""

    def close(self) -> None:
        """Nobody will ask any more."""


class PolicyBot(Bot):
    """A bot that says how likely each of its moves is, and draws one accordingly."""

    def __init__(self, name: str, book: Book, rng: Random) -> None:
        super().__init__(name, book, rng)
        self._drawn: SharedCache[Position, tuple[list[str], list[float]]] = SharedCache()
        """For each position, the moves, and for each but the last the chance that it or one before it is drawn."""

    def policy(self, position: Position) -> Policy:
        """How likely each move is; raises `GameOver` where there is none."""
        raise NotImplementedError

    def choose(self, position: Position) -> str:
        """One of the moves, drawn by its odds; what they are is worked out once for each position."""
        known = self._drawn.get(position)
        if known is None:
            odds = self.policy(position)
            known = list(odds), cumulative_probabilities(odds)
            if len(self._drawn) < MAX_CACHED_POSITIONS:
                self._drawn[position] = known
        moves, up_to = known
        return moves[bisect(up_to, self.rng.random())] if up_to else moves[0]


def cumulative_probabilities(odds: Policy) -> list[float]:
    """For each move but the last, how likely it is that it or one before it is drawn."""
    return [float(chance) for chance in accumulate(odds.values())][:-1]


MAX_CACHED_POSITIONS = 100_000
"""So many positions are remembered with their odds."""


class BotError(NumberlineError, ValueError):
    """A bot that does not exist, or one that can't play this book."""


class Forfeit(NumberlineError):
    """A player that gave the game away by not playing by the rules of the table; `reason` says how."""

    def __init__(self, who: str, reason: str) -> None:
        super().__init__(f"{who} forfeits: it {reason}")
        self.player_name = who
        self.reason = reason
        """To be read after the player's name, such as `played 9, which is not allowed here`."""


class GameOver(MoveError):
    """A bot was asked for a move after the end."""

    def __init__(self) -> None:
        super().__init__("there is nothing to choose: the game is over")
