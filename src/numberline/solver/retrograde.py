"""Retrograde analysis: what each player can force, computed backwards from the ends of the game.

A position is won for a player if one of the player's own moves leads to a won position, or if every move of another
player does. So each position needs a number of won successors: one if the player moves there, all of them otherwise.
The frontier moves back from the final positions, ply by ply, and decrements the needs of the predecessors.

There is one source for the kernels. They run interpreted on lists (and, slowly, on arrays) and compiled by numba
(extra `fast`) on large arrays.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from functools import cache
from types import SimpleNamespace
from typing import NamedTuple

from numberline.solver.index import JIT_MIN_POSITIONS, Column, Progress, Table
from numberline.solver.jit import has_numba, jit_compiler

PROGRESS_INTERVAL_POSITIONS = 4_000_000
State = tuple[int, int, int, int]  # of the queue: head, end of the current ply, tail, plies


class ReverseGraph(NamedTuple):
    """Predecessors of all positions, as compressed rows."""

    begin: Column
    """Where the predecessors of a position begin in `before`; they end where those of the next begin."""
    before: Column
    degree: Column
    """Number of legal moves of each position."""


def solve_table(table: Table, progress: Progress = lambda _: None) -> list[Column]:
    """Return what can be forced: one column for two players, else one column per player.

    An entry is the number of plies plus one, positive if the player to move wins and negative if another player does;
    0 if no player can force a win.
    """
    work = _Workspace(table)
    graph = work.reverse_graph()
    need, queue = work.zeros(table.size, "move"), work.zeros(table.size, "index")
    columns = [work.zeros(table.size, "index") for _ in range(1 if table.players == 2 else table.players)]
    for player in range(1, table.players + 1):
        column = columns[min(player, len(columns)) - 1]
        work.search(player, graph, need, queue, column, progress)
    return [work.narrow(column) for column in columns]


def reached(table: Table, starts: Iterable[int]) -> Column:
    """Return 1 for each position that can be reached from `starts`, 0 for the others."""
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


def warm_up_jit(positions: int) -> None:
    """Import numba, if it is installed and tables with this many positions in total are about to be solved."""
    if positions >= JIT_MIN_POSITIONS and has_numba():
        importlib.import_module("numba")


class _Workspace:
    """Kernels and their arguments: lists for a small book, arrays for a large one."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._is_small = isinstance(table.winner, list)
        use_jit = table.size >= JIT_MIN_POSITIONS or "numba" in sys.modules
        self.kernels = _load_kernels(compiled=use_jit and not self._is_small)
        self.after = [self._wrap(column) for column in table.after]
        self._mover, self._winner = self._wrap(table.mover), self._wrap(table.winner)

    def zeros(self, size: int, kind: str) -> Column:
        """Return zeros for indices (`index`), numbers of moves (`move`) or booleans (`mark`)."""
        if self._is_small:
            return [0] * size
        import numpy as np

        move = np.int8 if len(self.table.moves) < 1 << 7 else np.int16
        return self._wrap(np.zeros(size, {"index": np.int32, "move": move, "mark": np.int8}[kind]))

    def _wrap(self, column: Column) -> Column:
        """Return the column as the kernels take it: interpreted, they are faster on a memoryview than on an array."""
        return column if self._is_small or self.kernels.compiled else memoryview(column)

    def unwrap(self, column: Column) -> Column:
        if self._is_small:
            return column
        import numpy as np

        return np.asarray(column)

    def narrow(self, column: Column) -> Column:
        """Return the column in as few bytes as possible."""
        column = self.unwrap(column)
        if self._is_small:
            return column
        fits = max(-int(column.min()), int(column.max())) < 1 << 15
        return column.astype("int16") if fits else column

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
        """Enter what one player can force."""
        tail = self.kernels.initialize_queue(self._mover, self._winner, graph.degree, player, need, queue, column)
        state = (0, tail, tail, 0)
        while state[0] < state[2]:
            columns = graph.begin, graph.before, need, queue, column, self._mover
            state = self.kernels.propagate(*columns, player, state)
            progress((player - 1 + state[0] / self.table.size) / self.table.players)


# Kernels


def count_edges(after: Column, begin: Column, degree: Column) -> None:
    """Count the edges of one move, at the successor (two places further on, for `fill_predecessors`) and the source."""
    for number in range(len(after)):
        successor = after[number]
        if successor >= 0:
            begin[successor + 2] += 1
            degree[number] += 1


def accumulate_offsets(begin: Column) -> None:
    """Turn the counts into the offsets at which each position's predecessors begin."""
    for number in range(1, len(begin)):
        begin[number] += begin[number - 1]


def fill_predecessors(after: Column, begin: Column, before: Column) -> None:
    """Enter the reversed edges of one move; after the last move `begin` has its final offsets."""
    for number in range(len(after)):
        successor = after[number]
        if successor >= 0:
            place = begin[successor + 1]
            before[place] = number
            begin[successor + 1] = place + 1


def initialize_queue(
    mover: Column, winner: Column, degree: Column, player: int, need: Column, queue: Column, column: Column
) -> int:
    """Queue the final positions that the player has won, set the needs of all positions, return the queue's length."""
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
    """Process some positions of the queue; those before `end` are won in `plies`, the rest in one more."""
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
    """Mark and queue the successors by one move of the frontier `queue[begin:end]`; return the queue's length."""
    for place in range(begin, end):
        successor = after[queue[place]]
        if successor >= 0 and marks[successor] == 0:
            marks[successor] = 1
            queue[tail] = successor
            tail += 1
    return tail


KERNELS = (count_edges, accumulate_offsets, fill_predecessors, initialize_queue, propagate, expand)


@cache
def _load_kernels(*, compiled: bool) -> SimpleNamespace:
    """Return the kernels, compiled if that is wanted and numba is installed."""
    compile_kernel = jit_compiler() if compiled else None
    kernels = {kernel.__name__: compile_kernel(kernel) if compile_kernel else kernel for kernel in KERNELS}
    return SimpleNamespace(compiled=compile_kernel is not None, **kernels)
