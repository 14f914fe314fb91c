"""All positions of a solved book side by side, as NumPy arrays: the vectorised form of `worth` and `judged`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.solver.table import NONE, Column, Table

Ints = NDArray[Any]
Truths = NDArray[np.bool_]
Rows = slice | Ints
NEVER = -1
"""The plies where nobody can force an end."""


class Columns:
    """A row for each numbered position; in arrays with two axes a column for each of `moves`.

    Not every row can be reached: `reachable` says which.
    """

    def __init__(self, book: Book, table: Table, entries: list[Column], reachable: Column) -> None:
        self.book = book
        self.moves = table.moves
        """The moves, in the order of the second axis: those that can be chosen, then `pass` and `out` if they occur."""
        self.choices = sum(move not in FORCED for move in table.moves)
        """How many of the moves can be chosen."""
        self.number = table.numbering.number
        """The row of a position."""
        self.position = table.numbering.position
        """The position of a row."""
        self.reachable: Truths = np.asarray(reachable).astype(bool)
        self.mover: Ints = np.asarray(table.mover, np.int8)
        self.winner: Ints = np.asarray(table.winner, np.int8)
        """Who has won, 0 while nobody has."""
        self._after = [np.asarray(column, np.int32) for column in table.after]
        self._numbering = table.numbering
        self._entries = [np.asarray(entry) for entry in entries]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.mover)

    @cached_property
    def after(self) -> Ints:
        """The row that each move leads to, -1 where it is not legal."""
        return self._after_at(slice(None))

    def _after_at(self, rows: Rows) -> Ints:
        return np.stack([column[rows] for column in self._after], axis=1)

    @cached_property
    def legal(self) -> Truths:
        """For each move, whether it is legal."""
        legal: Truths = self.after != NONE
        return legal

    @cached_property
    def live(self) -> Truths:
        """Where somebody has to move, in a position that can be reached."""
        live: Truths = self.reachable & (self.winner == 0)
        return live

    @cached_property
    def positions(self) -> Position:
        """All positions, each field a column."""
        return self._numbering.columns()

    @cached_property
    def leader(self) -> Ints:
        """Who can force a win; 0 where nobody can."""
        if len(self._entries) == 1:
            sign = np.sign(self._entries[0])
            return np.where(sign > 0, self.mover, np.where(sign < 0, 3 - self.mover, 0)).astype(np.int8)
        leader = np.zeros(self.size, np.int8)
        for player, column in enumerate(self._entries, 1):
            leader[column != 0] = player
        return leader

    @cached_property
    def plies(self) -> Ints:
        """In how many plies the leader wins at the latest; -1 where nobody can force it."""
        # At most one player can force anything, so all columns but one are 0 there.
        return np.abs(sum(column.astype(np.int32) for column in self._entries)) - 1

    def points(self, player: int | Ints) -> Ints:
        """What each position is worth to a player (or to one player a row): 1, 0 or -1; whoever is out has lost."""
        out = (np.asarray(self.positions.out) >> (np.asarray(player) - 1)) & 1 == 1
        led = np.where(self.leader == player, 1, -1)
        return np.where(self.leader == 0, np.where(out, -1, 0), led).astype(np.int8)

    @cached_property
    def _reached(self) -> tuple[Ints, Ints, Ints]:
        return self._reached_at(slice(None), self.after)

    def _reached_at(self, rows: Rows, after: Ints) -> tuple[Ints, Ints, Ints]:
        """What each legal move is worth to the player who makes it: points, plies after it, and a rank to compare."""
        leader, plies = self.leader[after], self.plies[after]
        mover = self.mover[rows, np.newaxis]
        points = np.where(leader == mover, 1, np.where(leader != 0, -1, 0)).astype(np.int8)
        far = int(self.plies.max(initial=0)) + 2
        rank = np.where(points > 0, 2 * far - plies, np.where(points < 0, plies - 2 * far, 0))
        if self.book.rules.players > 2:
            out = (np.asarray(self.positions.out)[after] >> (mover - 1)) & 1 == 1
            points[out], rank[out] = -1, -3 * far
        return points, plies, np.where(after != NONE, rank, -4 * far)

    @cached_property
    def best(self) -> Truths:
        """For each move, whether no other is better, in value or in time."""
        return _highest(self.legal, self._reached[2])

    def best_at(self, rows: Ints) -> Truths:
        """The same for some rows only, in less time."""
        after = self._after_at(rows)
        return _highest(after != NONE, self._reached_at(rows, after)[2])

    @cached_property
    def regret(self) -> Ints:
        """For each legal move, the points that it gives away."""
        points = np.where(self.legal, self._reached[0], -2)
        return np.where(self.legal, points.max(axis=1, keepdims=True) - points, 0).astype(np.int8)

    @cached_property
    def delay(self) -> Ints:
        """For each legal move that gives away no points, the plies that it gives away."""
        plies = self._reached[1]
        first = self.best.argmax(axis=1)[:, np.newaxis]
        lost = np.maximum(1, np.abs(np.take_along_axis(plies, first, axis=1) - plies))
        return np.where(self.legal & ~self.best & (self.regret == 0), lost, 0)


def _highest(legal: Truths, rank: Ints) -> Truths:
    """For each legal move, whether no other has a higher rank."""
    highest: Truths = legal & (rank == rank.max(axis=1, keepdims=True))
    return highest
