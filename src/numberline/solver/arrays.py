"""The solution of a book as NumPy arrays: vectorised counterparts of `Solution.worth` and `evaluate_moves`."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.game.book import Book
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.index import NO_SUCCESSOR, Column, MixedRadixIndex, Table
from numberline.solver.worth import OUT_RANK, rank_value

IntArray = NDArray[Any]
BoolArray = NDArray[np.bool_]
RowSelector = slice | IntArray
NOT_FORCED = -1  # value of `plies` if no player can force a win


class SolutionArrays:
    """The solution as arrays with one row for each position in the index, reachable or not.

    Two-dimensional arrays have one column for each move in `moves`.
    """

    def __init__(self, book: Book, table: Table, entries: list[Column], reachable: Column) -> None:
        self.book = book
        self.moves = table.moves
        """Moves in column order: first the moves a player can choose, then `pass` and `out` if they occur."""
        self.choices = sum(move not in FORCED_MOVES for move in table.moves)
        """Number of moves a player can choose, not counting `pass` and `out`."""
        self.number = table.position_index.number
        self.position = table.position_index.position
        self.reachable: BoolArray = np.asarray(reachable).astype(bool)
        self.mover: IntArray = np.asarray(table.mover, np.int8)
        self.winner: IntArray = np.asarray(table.winner, np.int8)
        """Winner of a finished game; 0 if the game is not over."""
        self._after = [np.asarray(column, np.int32) for column in table.after]
        self._position_index = table.position_index
        self._entries = [np.asarray(entry) for entry in entries]

    @property
    def size(self) -> int:
        return len(self.mover)

    @cached_property
    def after(self) -> IntArray:
        """Row of the position after each move; -1 if the move is illegal."""
        return self._after_at(slice(None))

    def _after_at(self, rows: RowSelector) -> IntArray:
        return np.stack([column[rows] for column in self._after], axis=1)

    @cached_property
    def legal(self) -> BoolArray:
        legal: BoolArray = self.after != NO_SUCCESSOR
        return legal

    @cached_property
    def live(self) -> BoolArray:
        """Whether the position in each row is reachable and the game is not over in it."""
        live: BoolArray = self.reachable & (self.winner == 0)
        return live

    @cached_property
    def positions(self) -> Position:
        """All positions as one `Position` whose fields are arrays."""
        return self._position_index.columns()

    def positions_at(self, rows: IntArray) -> Position:
        """Return the positions of `rows` as one `Position` whose fields are arrays."""
        if isinstance(self._position_index, MixedRadixIndex):  # a large book: decode these rows only
            return self._position_index.columns(rows)
        turn, tokens, last, out = self.positions
        places = tuple(np.asarray(column)[rows] for column in tokens)
        return Position(np.asarray(turn)[rows], places, np.asarray(last)[rows], np.asarray(out)[rows])  # type: ignore[arg-type] # a column

    @cached_property
    def leader(self) -> IntArray:
        """The player who can force a win; 0 if no player can."""
        if len(self._entries) == 1:
            sign = np.sign(self._entries[0])
            return np.where(sign > 0, self.mover, np.where(sign < 0, 3 - self.mover, 0)).astype(np.int8)
        leader = np.zeros(self.size, np.int8)
        for player, column in enumerate(self._entries, 1):
            leader[column != 0] = player
        return leader

    @cached_property
    def plies(self) -> IntArray:
        """Plies until the leader's forced win; -1 if there is no leader."""
        # At most one player can force a win, so each row has at most one entry that is not 0.
        return np.abs(sum(column.astype(np.int32) for column in self._entries)) - 1

    def points(self, player: int | IntArray, rows: RowSelector = slice(None)) -> IntArray:
        """Return the points (1, 0 or -1) of `player` in each row; elimination counts as a loss.

        `player` is either one player for all rows or an array with one player per row.
        """
        leader = self.leader[rows]
        points = np.where(leader == 0, 0, np.where(leader == player, 1, -1))
        if self.book.rules.players > 2:  # with two players, an elimination ends the game
            out = (np.asarray(self.positions.out)[rows] >> (np.asarray(player) - 1)) & 1 == 1
            points[(leader == 0) & out] = -1
        return points.astype(np.int8)

    @cached_property
    def move_values(self) -> MoveValueArrays:
        """Move values for all rows."""
        return self.move_values_at(slice(None))

    def move_values_at(self, rows: RowSelector) -> MoveValueArrays:
        """Return the move values for `rows`."""
        after, mover, out = self._after_at(rows), self.mover[rows, np.newaxis], None
        if self.book.rules.players > 2:
            out = (np.asarray(self.positions.out)[after] >> (mover - 1)) & 1 == 1
        return MoveValueArrays(after != NO_SUCCESSOR, mover, self.leader[after], self.plies[after], out)

    @property
    def best(self) -> BoolArray:
        """Whether each move is one of the best legal moves, by value and then by distance."""
        return self.move_values.best

    @property
    def regret(self) -> IntArray:
        """Points lost by each legal move compared with the best move."""
        return self.move_values.regret

    @property
    def delay(self) -> IntArray:
        """Plies lost by each legal move compared with the best move; 0 for moves that lose points."""
        return self.move_values.delay


class MoveValueArrays:
    """Values of moves for the player to move, based on the forced winner after each move and the plies to that win."""

    def __init__(
        self, legal: BoolArray, mover: IntArray, leader: IntArray, plies: IntArray, out: BoolArray | None
    ) -> None:
        self._legal, self.plies = legal, plies
        self.out: BoolArray = np.zeros(legal.shape, np.bool_) if out is None else out
        """Whether the move eliminates the player who makes it; always false in two-player games."""
        self.points: IntArray = np.where(leader == mover, 1, np.where(leader != 0, -1, 0)).astype(np.int8)
        self.rank: IntArray = rank_value(self.points, plies)
        """Rank of each move; meaningless for illegal moves."""
        if out is not None:
            self.points[out], self.rank[out] = -1, OUT_RANK

    def best_of(self, rank: IntArray) -> BoolArray:
        """Return a mask of the legal moves with the highest rank in their row."""
        rank = np.where(self._legal, rank, np.iinfo(rank.dtype).min)
        best: BoolArray = self._legal & (rank == rank.max(axis=1, keepdims=True))
        return best

    @cached_property
    def best(self) -> BoolArray:
        """Whether each move is one of the best legal moves, by value and then by distance."""
        return self.best_of(self.rank)

    @cached_property
    def regret(self) -> IntArray:
        """Points lost by each legal move compared with the best move."""
        points = np.where(self._legal, self.points, -2)
        return np.where(self._legal, points.max(axis=1, keepdims=True) - points, 0).astype(np.int8)

    @cached_property
    def delay(self) -> IntArray:
        """Plies lost by each legal move compared with the best move; 0 for moves that lose points."""
        first = self.best.argmax(axis=1)[:, np.newaxis]
        lost = np.maximum(1, np.abs(np.take_along_axis(self.plies, first, axis=1) - self.plies))
        return np.where(self._legal & ~self.best & (self.regret == 0), lost, 0)
