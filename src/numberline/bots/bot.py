"""Base classes and errors of bots."""

from __future__ import annotations

import math
from bisect import bisect
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from numberline.errors import MoveError, NumberlineError
from numberline.game.book import Book
from numberline.game.position import Position

if TYPE_CHECKING:
    from numberline.solver.arrays import IntArray, SolutionArrays
    from numberline.solver.solution import Solution

Probabilities = dict[str, Fraction]  # of the moves that a bot may play in one position

MAX_CACHED_POSITIONS = 100_000

Key = TypeVar("Key")
Value = TypeVar("Value")


class SharedCache(dict[Key, Value]):
    """A cache that copies share and that is not pickled."""

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


def _ignore_progress(_: float) -> None:
    """Do nothing; unlike a lambda, it can be pickled with the bot."""


class Bot:
    """A player that is a program. It stores nothing about a game, so one bot can sit in any seats of any matches.

    To add a bot, write a subclass with `usage`, `from_text` and `choose` (or with `probabilities`, as a subclass of
    `PolicyBot`), and register it: see `numberline.bots.registry`.
    """

    usage: ClassVar[str]
    """How users write the bot, for error messages: `level:1 to level:10`."""

    def __init__(self, name: str, book: Book, rng: Random) -> None:
        self.name = name
        """The text from which the bot can be made again, such as `level:3`."""
        self.book = book
        self.rng = rng
        """Source of all random choices."""
        self.progress: Callable[[float], None] = _ignore_progress
        """Called with the share of the work that is done, by a bot that may think for long."""

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:  # noqa: ARG003
        """Return the bot for the text after the colon (None without a colon); None if that text is invalid."""
        return cls(cls.usage, book, rng) if detail is None else None

    def choose(self, position: Position) -> str:
        """Return a legal move for the player to move; raise `GameOver` if there is none."""
        raise NotImplementedError

    def probabilities(self, position: Position) -> Probabilities | None:
        """Return the probability of each move; None if the bot has no fixed policy."""
        return None

    def policy(self, arrays: SolutionArrays) -> IntArray | None:
        """Return the policy over all live positions, or None if the bot has no fixed policy.

        There is one row per row of `arrays` and one column per move. The entries are integer weights: the probability
        of a move is its weight divided by the sum of its row.
        """
        import numpy as np

        weights = np.zeros(arrays.legal.shape, np.int64)
        columns = {str(move): column for column, move in enumerate(arrays.moves)}
        for row in np.flatnonzero(arrays.live).tolist():
            probabilities = self.probabilities(arrays.position(row))
            if probabilities is None:
                return None
            denominator = math.lcm(*(probability.denominator for probability in probabilities.values()))
            for move, probability in probabilities.items():
                weights[row, columns[move]] = int(probability * denominator)
        return weights

    def prepare(self, progress: Callable[[float], None]) -> None:
        """Do slow work before the game; `progress` is called with the share that is done."""

    def new_game(self, seed: int) -> None:
        """Start another game. A bot with its own random generator should seed it with this number."""

    def close(self) -> None:
        """Release resources; no further calls."""


class PolicyBot(Bot):
    """A bot with a fixed policy, which draws its moves by their probabilities."""

    def __init__(self, name: str, book: Book, rng: Random) -> None:
        super().__init__(name, book, rng)
        self._draws: SharedCache[Position, tuple[list[str], list[float]]] = SharedCache()

    def probabilities(self, position: Position) -> Probabilities:
        """Return the probability of each move; raise `GameOver` if there is none."""
        raise NotImplementedError

    def choose(self, position: Position) -> str:
        draw = self._draws.get(position)
        if draw is None:
            probabilities = self.probabilities(position)
            draw = list(probabilities), cumulative_probabilities(probabilities)
            if len(self._draws) < MAX_CACHED_POSITIONS:
                self._draws[position] = draw
        moves, cumulative = draw
        return moves[bisect(cumulative, self.rng.random())] if cumulative else moves[0]


def cumulative_probabilities(probabilities: Probabilities) -> list[float]:
    """Return the cumulative probabilities of all moves but the last."""
    return [float(probability) for probability in accumulate(probabilities.values())][:-1]


def parse_int(text: str | None) -> int:
    """Return the number in a text of up to nine digits; 0 if there is none."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 10 else 0


class BotError(NumberlineError, ValueError):
    """An unknown bot, or one that can't play this book."""


class Forfeit(NumberlineError):
    """A bot forfeited by breaking the protocol; `reason` continues a sentence that starts with its name."""

    def __init__(self, player_name: str, reason: str) -> None:
        super().__init__(f"{player_name} forfeits: it {reason}")
        self.player_name = player_name
        self.reason = reason


class GameOver(MoveError):
    """A bot was asked for a move after the end of the game."""

    def __init__(self) -> None:
        super().__init__("there is nothing to choose: the game is over")
