"""A variant laid out for measured play: where each move leads, what it gives away, and what each seat can hope for."""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.arena.players import Entrant
from numberline.book.book import Book
from numberline.bots.odds import odds
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.solver.retrograde import forced, reached
from numberline.solver.solution import MEMORY, Solution
from numberline.solver.table import NONE, Box, make_table

MEASURED = 1_000_000
"""Variants with more positions are played, but what a move gives away is not worked out."""
QUICK = 5_000
"""In variants with more positions no odds are worked out beforehand: games are played one at a time."""
POINTS = {"win": 1.0, "endless": 0.5, "loss": 0.0}
"""What a seat can hope for against perfect play, as a share of a point."""

Floats = NDArray[np.float64]


def measurable(book: Book) -> bool:
    """Whether what moves give away is worked out in this book."""
    return Box(book.rules).size <= MEASURED


def quick(book: Book) -> bool:
    """Whether many games of this book can be played at a time."""
    return Box(book.rules).size <= QUICK


class Board:
    """All positions of a variant for two, side by side, numbered as in its table."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.table = make_table(book, memory=MEMORY)
        columns = forced(self.table)
        self.solution = Solution(book, self.table.numbering, columns)
        self.texts = tuple(move.text for move in self.table.moves)
        self.places = {text: number for number, text in enumerate(self.texts)}
        self.after = np.stack([np.asarray(column, np.int32) for column in self.table.after], axis=1)
        """Where each move leads, `NONE` where it is not legal."""
        self.mover = np.asarray(self.table.mover, np.int8)
        self.winner = np.asarray(self.table.winner, np.int8)
        chosen = [number for number, move in enumerate(self.table.moves) if move not in FORCED]
        self.choice = (self.after[:, chosen] != NONE).sum(axis=1) > 1
        """Where there are at least two moves to choose from."""
        self.regret, self.best = self._judged(np.asarray(columns[0], np.int64))
        self._odds: dict[str, Floats] = {}

    def _judged(self, entries: NDArray[Any]) -> tuple[NDArray[np.int8], NDArray[np.bool_]]:
        """For each position and move, the points it gives away, and whether it gives away neither points nor plies."""
        legal = self.after != NONE
        reached_entries = entries[self.after]
        same = self.mover[self.after] == self.mover[:, np.newaxis]
        value = np.where(same, 1, -1) * np.sign(reached_entries)
        longest = int(np.abs(entries).max()) + 1
        rank = np.where(legal, value * (longest - np.abs(reached_entries)), -2 * longest)
        points = np.where(legal, value, -2)
        best = legal & (rank == rank.max(axis=1, keepdims=True))
        regret = np.where(legal, points.max(axis=1, keepdims=True) - points, 0)
        return regret.astype(np.int8), best

    def number(self, position: Position) -> int:
        """The number of a position."""
        return self.table.numbering.number(position)

    def ceiling(self, seat: int) -> float:
        """The share of a point that a seat gets where both play perfectly and player 1 begins."""
        points = POINTS[self.solution.value(self.book.start())]
        return points if seat == 1 else 1 - points

    @cached_property
    def live(self) -> list[int]:
        """The numbers of the positions that can come about in which somebody has to move."""
        starts = [self.number(self.book.start(first)) for first in (1, 2)]
        marks = np.asarray(reached(self.table, starts)) == 1
        numbers: list[int] = np.flatnonzero(marks & (self.winner == 0)).tolist()
        return numbers

    def odds_of(self, entrant: Entrant) -> Floats:
        """For each position and move, how likely the player is to play this move or one before it."""
        if entrant.name not in self._odds:
            bot = entrant.make(self.book, Random(0), self.solution)  # noqa: S311 - asked for its odds, it throws no dice
            chances = np.zeros(self.after.shape)
            for number in self.live:
                position = self.table.numbering.position(number)
                for move, chance in (odds(bot, self.book, position) or {}).items():
                    chances[number, self.places[move]] = chance
            sums = np.cumsum(chances, axis=1)
            last = chances[:, ::-1].cumsum(axis=1)[:, ::-1] <= 0
            sums[:, :-1][last[:, 1:]] = 1.0  # from the last possible move on, whatever the sums were rounded to
            sums[:, -1] = 1.0
            self._odds[entrant.name] = sums
        return self._odds[entrant.name]
