"""All positions of a solved book side by side, as NumPy arrays: the vectorised form of `worth` and `judged`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.rules.moves import FORCED
from numberline.rules.position import Position
from numberline.solver.table import NONE, Box, Column, Table

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

    def positions_at(self, rows: Ints) -> Position:
        """The positions of some rows, each field a column."""
        if isinstance(self._numbering, Box):  # of a large book only these are worked out
            return self._numbering.columns(rows)
        turn, tokens, last, out = self.positions
        places = tuple(np.asarray(column)[rows] for column in tokens)
        return Position(np.asarray(turn)[rows], places, np.asarray(last)[rows], np.asarray(out)[rows])  # type: ignore[arg-type] # a column

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

    def points(self, player: int | Ints, rows: Rows = slice(None)) -> Ints:
        """What (some) positions are worth to a player, or to one player a row: 1, 0 or -1; whoever is out has lost."""
        leader = self.leader[rows]
        points = np.where(leader == 0, 0, np.where(leader == player, 1, -1))
        if self.book.rules.players > 2:  # with two the game is over once anybody is out
            out = (np.asarray(self.positions.out)[rows] >> (np.asarray(player) - 1)) & 1 == 1
            points[(leader == 0) & out] = -1
        return points.astype(np.int8)

    @cached_property
    def best(self) -> Truths:
        """For each move, whether no other is better, in value or in time."""
        return self._judged.best

    @cached_property
    def regret(self) -> Ints:
        """For each legal move, the points that it gives away."""
        return self._judged.regret

    @cached_property
    def delay(self) -> Ints:
        """For each legal move that gives away no points, the plies that it gives away."""
        return self._judged.delay

    def judged_at(self, rows: Rows) -> JudgedColumns:
        """What the moves of some rows are worth."""
        return self._judged_of(rows, self._after_at(rows))

    @cached_property
    def _judged(self) -> JudgedColumns:
        return self._judged_of(slice(None), self.after)

    def _judged_of(self, rows: Rows, after: Ints) -> JudgedColumns:
        mover, out = self.mover[rows, np.newaxis], None
        if self.book.rules.players > 2:
            out = (np.asarray(self.positions.out)[after] >> (mover - 1)) & 1 == 1
        return JudgedColumns(after != NONE, mover, self.leader[after], self.plies[after], self._far, out)

    @cached_property
    def _far(self) -> int:
        """More plies than any forced win takes."""
        return int(self.plies.max(initial=0)) + 2


class JudgedColumns:
    """What each move of some positions is worth to the player who makes it: who leads after it, and for how long."""

    def __init__(self, legal: Truths, mover: Ints, leader: Ints, plies: Ints, far: int, out: Truths | None) -> None:
        self._legal, self.plies = legal, plies
        """In how many plies it is over after each move; -1 where nobody can force that."""
        self.out: Truths = np.zeros(legal.shape, np.bool_) if out is None else out
        """Whether the player is out after the move, and others play on."""
        self.points: Ints = np.where(leader == mover, 1, np.where(leader != 0, -1, 0)).astype(np.int8)
        """1 for a win, 0 and -1."""
        rank = np.where(self.points > 0, 2 * far - plies, np.where(self.points < 0, plies - 2 * far, 0))
        if out is not None:  # whoever goes out has lost, and as soon as can be
            self.points[out], rank[out] = -1, -3 * far
        self.rank: Ints = np.where(legal, rank, -4 * far)
        """The better a move, the higher."""

    @cached_property
    def best(self) -> Truths:
        """For each move, whether no other is better, in value or in time."""
        best: Truths = self._legal & (self.rank == self.rank.max(axis=1, keepdims=True))
        return best

    @cached_property
    def regret(self) -> Ints:
        """For each legal move, the points that it gives away."""
        points = np.where(self._legal, self.points, -2)
        return np.where(self._legal, points.max(axis=1, keepdims=True) - points, 0).astype(np.int8)

    @cached_property
    def delay(self) -> Ints:
        """For each legal move that gives away no points, the plies that it gives away."""
        first = self.best.argmax(axis=1)[:, np.newaxis]
        lost = np.maximum(1, np.abs(np.take_along_axis(self.plies, first, axis=1) - self.plies))
        return np.where(self._legal & ~self.best & (self.regret == 0), lost, 0)
