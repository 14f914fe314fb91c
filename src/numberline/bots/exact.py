"""Opponents that know the truth of every position: one always acts on it, the others slip, each level less often.

`perfect` wins as fast as it can. Where it is lost it holds out as long as it can, and where nobody can force a win it
keeps it so. Of the moves that do, it plays one after which the largest share of the replies is a mistake.

`level:N` slips with a chance of (10 - N) / 15 wherever there is a worse move, and plays like `perfect` otherwise.
"""

from __future__ import annotations

from functools import cached_property
from random import Random

from numberline.book.book import Book
from numberline.bots.bot import BotError
from numberline.bots.judging import Judge, judge, solved
from numberline.rules.position import Position
from numberline.solver.solution import MEMORY, Solution
from numberline.solver.table import Box, TooLarge, check_memory

LEVELS = range(1, 11)


def slip_chance(level: int) -> float:
    """How likely a level is to slip where it can.

    Level 1 slips in six of ten such positions, which makes it about as strong as `random`; level 10 never slips.

    >>> [slip_chance(level) for level in (1, 4, 7, 10)]
    [0.6, 0.4, 0.2, 0.0]
    """
    return (LEVELS[-1] - level) / 15


class Knower:
    """A bot that has the exact answer, and a chance to slip with which it plays a worse move all the same.

    Without a solution the book is solved when the first move is asked for.
    """

    def __init__(self, name: str, book: Book, rng: Random, solution: Solution | None = None, slips: float = 0) -> None:
        self.name = name
        self.book = book
        self.rng = rng
        self.slips = slips
        self._solution = solution
        if solution is None:
            _refuse_too_large(name, book)
        elif solution.book != book:
            raise BotError(f"{name} was given the solution of {solution.book.variant}; it needs that of {book.variant}")

    @cached_property
    def judge(self) -> Judge:
        """Who knows which moves are best."""
        return judge(self._solution or solved(self.book))

    def choose(self, position: Position) -> str:
        """A worse move after a slip, each as likely as the others; else a perfect one."""
        perfect, worse = self.judge.verdict(position)
        slips = bool(worse) and self.rng.random() < self.slips
        return self.rng.choice(worse if slips else perfect)


def _refuse_too_large(name: str, book: Book) -> None:
    try:
        check_memory(book, Box(book.rules), MEMORY)
    except TooLarge:
        raise BotError(f"{name} can't play {book.variant}: it has too many positions to solve; mcts can") from None
