"""Bots that know the truth of every position: one always acts on it, the others slip, each level less often.

`perfect` wins as fast as it can. Where it is lost it holds out as long as it can, and where nobody can force a win it
lets nobody get one. Of its best moves it plays one after which the largest share of the replies is a mistake.

`level:N` slips with a chance of (10 - N) / 15 wherever there is a worse move, and plays like `perfect` otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from random import Random

from numberline.book.book import Book
from numberline.bots.bot import BotError, GameOver, Odds, OpenBot
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.table import TooLarge, fits

LEVELS = range(1, 11)


def slip_chance(level: int) -> Fraction:
    """How likely a level is to slip where it can.

    Level 1 slips in six of ten such positions, which makes it about as strong as `random`; level 10 never slips.

    >>> [float(slip_chance(level)) for level in (1, 4, 7, 10)]
    [0.6, 0.4, 0.2, 0.0]
    """
    return Fraction(LEVELS[-1] - level, 15)


class PerfectBot(OpenBot):
    """`perfect`: never gives anything away. Without a solution the book is solved when the first move is asked for."""

    slips = Fraction(0)
    """How likely it is to play a worse move wherever there is one."""

    def __init__(self, name: str, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(name, book, rng)
        self._solution = solution
        if solution is None and not fits(book):
            self.prepare(lambda _: None)  # few of its positions may be reachable; else it is refused now, not later
        elif solution is not None and solution.book != book:
            raise BotError(f"{name} was given the solution of {solution.book.variant}; it needs that of {book.variant}")

    @property
    def solution(self) -> Solution:
        """The exact answers that it plays by."""
        if self._solution is None:
            self.prepare(lambda _: None)
        assert self._solution is not None  # noqa: S101 - `prepare` has just set it
        return self._solution

    def prepare(self, progress: Callable[[float], None]) -> None:
        """Solves the book, if that was not done before."""
        from numberline.solver.store import solution_of  # nobody waits for it before the first question

        try:
            self._solution = self._solution or solution_of(self.book, progress=progress)
        except TooLarge:
            raise BotError(
                f"{self.name} can't play {self.book.variant}: it has too many positions to solve; mcts can"
            ) from None

    def odds(self, position: Position) -> Odds:
        """The worse moves have the chance of a slip between them, the perfect ones all the rest."""
        perfect: list[str] = [judged.move for judged in self.solution.trickiest(position)]
        if not perfect:
            raise GameOver
        worse = [judged.move for judged in self.solution.judged(position) if not judged.best] if self.slips else []
        slips = self.slips if worse else Fraction(0)
        return dict.fromkeys(perfect, (1 - slips) / len(perfect)) | {move: slips / len(worse) for move in worse}


class LevelBot(PerfectBot):
    """`level:N`: plays like `perfect`, but slips now and then."""

    def __init__(self, level: int, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(f"level:{level}", book, rng, solution)
        self.slips = slip_chance(level)
