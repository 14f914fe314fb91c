"""Retrograde analysis: the results each player can force, computed backwards from the final positions.

A position is won for a player if that player is to move and at least one successor is won, or if another player is to
move and all successors are won. Each position therefore needs a certain number of won successors: one in the first
case, all of them in the second. The search works back from the final positions, ply by ply, and decrements the number
that each predecessor still needs.

The same kernels run interpreted on lists (and, slowly, on arrays) and compiled by numba (extra `fast`) on large arrays.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable
from typing import NamedTuple

from numberline.solver.index import Column, Progress, Table
from numberline.solver.jit import load_kernels, use_jit

PROGRESS_INTERVAL_POSITIONS = 4_000_000
State = tuple[int, int, int, int]  # of the queue: head, end of the current ply, tail, number of plies


class ReverseGraph(NamedTuple):
    """Predecessors of all positions, in compressed sparse row (CSR) format."""

    begin: Column
    """Offset in `before` at which each position's predecessors start; they end at the next position's offset."""
    before: Column
    degree: Column
    """Number of legal moves in each position."""


def solve_table(table: Table, progress: Progress = lambda _: None) -> list[Column]:
    """Return the forced results: a single column for two players, otherwise one column per player.

    An entry is the number of plies until the win plus one: positive if the player to move wins, negative if another
    player wins. With two players, 0 means that neither of them can force a win; with more, 0 in a player's column means
    that this player can't.
    """
    work = _Workspace(table)
    graph = work.reverse_graph()
    need, queue = work.zeros(table.size, "move"), work.zeros(table.size, "index")
    columns = [work.zeros(table.size, "index") for _ in range(1 if table.players == 2 else table.players)]
    for player in range(1, table.players + 1):
        column = columns[min(player, len(columns)) - 1]
        work.search(player, graph, need, queue, column, progress)
    return [narrow(work.unwrap(column)) for column in columns]


def reached(table: Table, starts: Iterable[int]) -> Column:
    """Return a column with 1 for each position reachable from `starts` and 0 for all others."""
    work = _Workspace(table)
    marks, queue = work.zeros(table.size, "mark"), work.zeros(table.size, "index")
    tail = 0
    for start in starts:
        marks[start] = 1
        queue[tail] = start
        tail += 1
    begin, end = 0, tail
    while begin < end:
        tail = end
        for after in work.after:
            tail = work.kernels.expand(after, marks, queue, begin, end, tail)
        begin, end = end, tail
    return work.unwrap(marks)


def narrow(column: Column) -> Column:
    """Return the array converted to int16 if its values fit; otherwise, return it unchanged."""
    if isinstance(column, list) or column.itemsize == 2:
        return column
    fits = max(-int(column.min()), int(column.max())) < 1 << 15
    return column.astype("int16") if fits else column


def warm_up_jit(positions: int) -> None:
    """Import numba if it is installed and the tables to solve have enough `positions` in total to benefit from it."""
    if use_jit(positions):
        importlib.import_module("numba")


class _Workspace:
    """Kernels and their arguments, which are lists for a small book and arrays for a large one."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._is_small = isinstance(table.winner, list)
        self.kernels = load_kernels(*KERNELS, compiled=not self._is_small and use_jit(table.size))
        self.after = [self._wrap(column) for column in table.after]
        self._mover, self._winner = self._wrap(table.mover), self._wrap(table.winner)

    def zeros(self, size: int, kind: str) -> Column:
        """Return a column of zeros for position indices (`index`), move counts (`move`) or flags (`mark`)."""
        if self._is_small:
            return [0] * size
        import numpy as np

        move = np.int8 if len(self.table.moves) < 1 << 7 else np.int16
        return self._wrap(np.zeros(size, {"index": np.int32, "move": move, "mark": np.int8}[kind]))

    def _wrap(self, column: Column) -> Column:
        """Return the column in the form the kernels expect; interpreted kernels are faster on memory views."""
        return column if self._is_small or self.kernels.compiled else memoryview(column)

    def unwrap(self, column: Column) -> Column:
        if self._is_small:
            return column
        import numpy as np

        return np.asarray(column)

    def reverse_graph(self) -> ReverseGraph:
        begin, degree = self.zeros(self.table.size + 2, "index"), self.zeros(self.table.size, "move")
        for after in self.after:
            self.kernels.count_edges(after, begin, degree)
        self.kernels.accumulate_offsets(begin)
        before = self.zeros(int(begin[-1]), "index")
        for after in self.after:
            self.kernels.fill_predecessors(after, begin, before)
        return ReverseGraph(begin, before, degree)

    def search(
        self, player: int, graph: ReverseGraph, need: Column, queue: Column, column: Column, progress: Progress
    ) -> None:
        """Find the wins that `player` can force and write them to `column`."""
        tail = self.kernels.initialize_queue(self._mover, self._winner, graph.degree, player, need, queue, column)
        state = (0, tail, tail, 0)
        while state[0] < state[2]:
            columns = graph.begin, graph.before, need, queue, column, self._mover
            state = self.kernels.propagate(*columns, player, state)
            progress((player - 1 + state[0] / self.table.size) / self.table.players)


# Kernels


def count_edges(after: Column, begin: Column, degree: Column) -> None:
    """Count the edges of one move by source (`degree`) and by successor (`begin`, shifted for `fill_predecessors`)."""
    for number in range(len(after)):
        successor = after[number]
        if successor >= 0:
            begin[successor + 2] += 1
            degree[number] += 1


def accumulate_offsets(begin: Column) -> None:
    """Turn the edge counts into the offset of each position's first predecessor."""
    for number in range(1, len(begin)):
        begin[number] += begin[number - 1]


def fill_predecessors(after: Column, begin: Column, before: Column) -> None:
    """Write the reversed edges of one move; after the last move, `begin` contains the final offsets."""
    for number in range(len(after)):
        successor = after[number]
        if successor >= 0:
            place = begin[successor + 1]
            before[place] = number
            begin[successor + 1] = place + 1


def initialize_queue(
    mover: Column, winner: Column, degree: Column, player: int, need: Column, queue: Column, column: Column
) -> int:
    """Queue the final positions won by `player` and return the length of the queue.

    Also write to `need` how many won successors each position needs.
    """
    tail = 0
    for number in range(len(mover)):
        own = mover[number] == player
        need[number] = 1 if own else degree[number]
        if winner[number] == player:
            column[number] = 1 if own else -1
            queue[tail] = number
            tail += 1
    return tail


def propagate(
    begin: Column, before: Column, need: Column, queue: Column, column: Column, mover: Column, player: int, state: State
) -> State:
    """Process part of the queue; its positions before `end` are won in `plies` plies, the others in one more."""
    head, end, tail, plies = state
    stop = head + PROGRESS_INTERVAL_POSITIONS
    while head < tail and head < stop:
        if head == end:
            plies += 1
            end = tail
        number = queue[head]
        head += 1
        for place in range(begin[number], begin[number + 1]):
            predecessor = before[place]
            need[predecessor] -= 1
            if need[predecessor] == 0:
                column[predecessor] = plies + 2 if mover[predecessor] == player else -plies - 2
                queue[tail] = predecessor
                tail += 1
    return head, end, tail, plies


def expand(after: Column, marks: Column, queue: Column, begin: int, end: int, tail: int) -> int:
    """Mark and queue the new positions that one move reaches from `queue[begin:end]`; return the queue's length."""
    for place in range(begin, end):
        successor = after[queue[place]]
        if successor >= 0 and marks[successor] == 0:
            marks[successor] = 1
            queue[tail] = successor
            tail += 1
    return tail


KERNELS = (count_edges, accumulate_offsets, fill_predecessors, initialize_queue, propagate, expand)
