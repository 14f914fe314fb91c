"""All positions of a solved book side by side, as NumPy arrays: the vectorised form of `worth` and `judged`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.index import NO_SUCCESSOR, Column, MixedRadixIndex, Table

IntArray = NDArray[Any]
BoolArray = NDArray[np.bool_]
RowSelector = slice | IntArray
NOT_FORCED = -1
"""The plies where nobody can force an end."""


class SolutionArrays:
    """A row for each numbered position; in arrays with two axes a column for each of `moves`.

    Not every row can be reached: `reachable` says which.
    """

    def __init__(self, book: Book, table: Table, entries: list[Column], reachable: Column) -> None:
        self.book = book
        self.moves = table.moves
        """The moves, in the order of the second axis: those that can be chosen, then `pass` and `out` if they occur."""
        self.choices = sum(move not in FORCED_MOVES for move in table.moves)
        """How many of the moves can be chosen."""
        self.number = table.position_index.number
        """The row of a position."""
        self.position = table.position_index.position
        """The position of a row."""
        self.reachable: BoolArray = np.asarray(reachable).astype(bool)
        self.mover: IntArray = np.asarray(table.mover, np.int8)
        self.winner: IntArray = np.asarray(table.winner, np.int8)
        """Who has won, 0 while nobody has."""
        self._after = [np.asarray(column, np.int32) for column in table.after]
        self._numbering = table.position_index
        self._entries = [np.asarray(entry) for entry in entries]

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self.mover)

    @cached_property
    def after(self) -> IntArray:
        """The row that each move leads to, -1 where it is not legal."""
        return self._after_at(slice(None))

    def _after_at(self, rows: RowSelector) -> IntArray:
        return np.stack([column[rows] for column in self._after], axis=1)

    @cached_property
    def legal(self) -> BoolArray:
        """For each move, whether it is legal."""
        legal: BoolArray = self.after != NO_SUCCESSOR
        return legal

    @cached_property
    def live(self) -> BoolArray:
        """Where somebody has to move, in a position that can be reached."""
        live: BoolArray = self.reachable & (self.winner == 0)
        return live

    @cached_property
    def positions(self) -> Position:
        """All positions, each field a column."""
        return self._numbering.columns()

    def positions_at(self, rows: IntArray) -> Position:
        """The positions of some rows, each field a column."""
        if isinstance(self._numbering, MixedRadixIndex):  # of a large book only these are worked out
            return self._numbering.columns(rows)
        turn, tokens, last, out = self.positions
        places = tuple(np.asarray(column)[rows] for column in tokens)
        return Position(np.asarray(turn)[rows], places, np.asarray(last)[rows], np.asarray(out)[rows])  # type: ignore[arg-type] # a column

    @cached_property
    def leader(self) -> IntArray:
        """Who can force a win; 0 where nobody can."""
        if len(self._entries) == 1:
            sign = np.sign(self._entries[0])
            return np.where(sign > 0, self.mover, np.where(sign < 0, 3 - self.mover, 0)).astype(np.int8)
        leader = np.zeros(self.size, np.int8)
        for player, column in enumerate(self._entries, 1):
            leader[column != 0] = player
        return leader

    @cached_property
    def plies(self) -> IntArray:
        """In how many plies the leader wins at the latest; -1 where nobody can force it."""
        # At most one player can force anything, so all columns but one are 0 there.
        return np.abs(sum(column.astype(np.int32) for column in self._entries)) - 1

    def points(self, player: int | IntArray, rows: RowSelector = slice(None)) -> IntArray:
        """What (some) positions are worth to a player, or to one player a row: 1, 0 or -1; whoever is out has lost."""
        leader = self.leader[rows]
        points = np.where(leader == 0, 0, np.where(leader == player, 1, -1))
        if self.book.rules.players > 2:  # with two the game is over once anybody is out
            out = (np.asarray(self.positions.out)[rows] >> (np.asarray(player) - 1)) & 1 == 1
            points[(leader == 0) & out] = -1
        return points.astype(np.int8)

    @cached_property
    def best(self) -> BoolArray:
        """For each move, whether no other is better, in value or in time."""
        return self._judged.best

    @cached_property
    def regret(self) -> IntArray:
        """For each legal move, the points that it gives away."""
        return self._judged.regret

    @cached_property
    def delay(self) -> IntArray:
        """For each legal move that gives away no points, the plies that it gives away."""
        return self._judged.delay

    def move_values_at(self, rows: RowSelector) -> MoveValueArrays:
        """What the moves of some rows are worth."""
        return self._move_values_of(rows, self._after_at(rows))

    @cached_property
    def _judged(self) -> MoveValueArrays:
        return self._move_values_of(slice(None), self.after)

    def _move_values_of(self, rows: RowSelector, after: IntArray) -> MoveValueArrays:
        mover, out = self.mover[rows, np.newaxis], None
        if self.book.rules.players > 2:
            out = (np.asarray(self.positions.out)[after] >> (mover - 1)) & 1 == 1
        return MoveValueArrays(after != NO_SUCCESSOR, mover, self.leader[after], self.plies[after], self._far, out)

    @cached_property
    def _far(self) -> int:
        """More plies than any forced win takes."""
        return int(self.plies.max(initial=0)) + 2


class MoveValueArrays:
    """What each move of some positions is worth to the player who makes it: who leads after it, and for how long."""

    def __init__(
        self, legal: BoolArray, mover: IntArray, leader: IntArray, plies: IntArray, far: int, out: BoolArray | None
    ) -> None:
        self._legal, self.plies = legal, plies
        """In how many plies it is over after each move; -1 where nobody can force that."""
        self.out: BoolArray = np.zeros(legal.shape, np.bool_) if out is None else out
        """Whether the player is out after the move, and others play on."""
        self.points: IntArray = np.where(leader == mover, 1, np.where(leader != 0, -1, 0)).astype(np.int8)
        """1 for a win, 0 and -1."""
        rank = np.where(self.points > 0, 2 * far - plies, np.where(self.points < 0, plies - 2 * far, 0))
        if out is not None:  # whoever goes out has lost, and as soon as can be
            self.points[out], rank[out] = -1, -3 * far
        self.rank: IntArray = np.where(legal, rank, -4 * far)
        """The better a move, the higher."""

    @cached_property
    def best(self) -> BoolArray:
        """For each move, whether no other is better, in value or in time."""
        best: BoolArray = self._legal & (self.rank == self.rank.max(axis=1, keepdims=True))
        return best

    @cached_property
    def regret(self) -> IntArray:
        """For each legal move, the points that it gives away."""
        points = np.where(self._legal, self.points, -2)
        return np.where(self._legal, points.max(axis=1, keepdims=True) - points, 0).astype(np.int8)

    @cached_property
    def delay(self) -> IntArray:
        """For each legal move that gives away no points, the plies that it gives away."""
        first = self.best.argmax(axis=1)[:, np.newaxis]
        lost = np.maximum(1, np.abs(np.take_along_axis(self.plies, first, axis=1) - self.plies))
        return np.where(self._legal & ~self.best & (self.regret == 0), lost, 0)
