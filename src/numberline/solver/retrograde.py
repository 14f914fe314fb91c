"""What each player can force, worked out backwards from the endings.

A position is won for a player where one of their own moves leads to a position that is, or where every move of whoever
is to move there does. So each position needs a number of its followers to be won before it is: one where the player
moves, all of them where another does. The search goes back from the endings ply by ply and ticks the needs off.

The loops are written once. They run as they are on lists (and, slowly, on columns), and compiled by numba, the extra
`fast`, on large columns.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from functools import cache, cached_property
from types import SimpleNamespace
from typing import NamedTuple

from numberline.solver.index import JIT_MIN_POSITIONS, Column, Progress, Table
from numberline.solver.jit import has_numba, jit_compiler

PROGRESS_INTERVAL_POSITIONS = 4_000_000
"""How many positions are worked off between two reports."""


class ReverseGraph(NamedTuple):
    """The moves of a table, backwards."""

    begin: Column
    """For each position, where its predecessors begin in `before`; they end where the next one's begin."""
    before: Column
    degree: Column
    """For each position, how many moves there are."""


def solve_table(table: Table, progress: Progress = lambda _: None) -> list[Column]:
    """What can be forced: with two players one column for both, else one column for each player.

    An entry is one more than the number of plies; positive where the player to move wins, negative where another does;
    0 where nothing can be forced.
    """
    work = _Workspace(table)
    graph = work.reverse_graph()
    together = work.zeros(table.size, "i")
    columns = []
    for player in range(1, table.players + 1):
        column = together if table.players == 2 else work.zeros(table.size, "i")
        work.search(player, graph, column, progress)
        columns.append(column)
    return [work.narrowed(column) for column in (columns[:1] if table.players == 2 else columns)]


def reached(table: Table, starts: Iterable[int]) -> Column:
    """1 for each position that can be reached from these, 0 for the others."""
    work = _Workspace(table)
    marks, queue = work.zeros(table.size, "b"), work.as_kernel_args(work.queue)
    tail = 0
    for start in starts:
        marks[start] = 1
        queue[tail] = start
        tail += 1
    begin, end = 0, tail
    while begin < end:
        tail = end
        for column in table.after:
            tail = work.kernels.expand(work.as_kernel_args(column), work.as_kernel_args(marks), queue, begin, end, tail)
        begin, end = end, tail
    return marks


def warm_up_jit(positions: int) -> None:
    """Loads the compiler, where it is there, if so many positions are to be worked off, if only in small tables."""
    if positions >= JIT_MIN_POSITIONS and has_numba():
        importlib.import_module("numba")


class _Workspace:
    """The loops and their memory: lists for a small book, columns for a large one."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.small = isinstance(table.winner, list)
        worth_it = table.size >= JIT_MIN_POSITIONS or "numba" in sys.modules
        self.kernels = _load_kernels(compiled=worth_it and not self.small)

    @cached_property
    def need(self) -> Column:
        """For each position, how many followers must still be won before it is."""
        return self.zeros(self.table.size, "m")

    @cached_property
    def queue(self) -> Column:
        """Positions in the order in which they are worked off."""
        return self.zeros(self.table.size, "i")

    def zeros(self, size: int, kind: str) -> Column:
        """So many zeros: `i` for numbers of positions, `m` for numbers of moves, `b` for yes and no."""
        if self.small:
            return [0] * size
        import numpy as np

        moves = np.int8 if len(self.table.moves) < 1 << 7 else np.int16
        return np.zeros(size, {"i": np.int32, "m": moves, "b": np.int8}[kind])

    def as_kernel_args(self, column: Column) -> Column:
        """The column as the loops take it: uncompiled, they are quicker on a view of its memory."""
        return column if self.small or self.kernels.compiled else memoryview(column)

    def reverse_graph(self) -> ReverseGraph:
        """The moves, backwards."""
        begin, degree = self.zeros(self.table.size + 2, "i"), self.zeros(self.table.size, "m")
        for column in self.table.after:
            self.kernels.count_edges(
                self.as_kernel_args(column), self.as_kernel_args(begin), self.as_kernel_args(degree)
            )
        self.kernels.accumulate_offsets(self.as_kernel_args(begin))
        before = self.zeros(int(begin[-1]), "i")
        for column in self.table.after:
            self.kernels.fill_predecessors(
                self.as_kernel_args(column), self.as_kernel_args(begin), self.as_kernel_args(before)
            )
        return ReverseGraph(self.as_kernel_args(begin), self.as_kernel_args(before), self.as_kernel_args(degree))

    def search(self, player: int, graph: ReverseGraph, column: Column, progress: Progress) -> None:
        """Enters in the column what this player can force."""
        size = self.table.size
        mover, winner, column = (
            self.as_kernel_args(self.table.mover),
            self.as_kernel_args(self.table.winner),
            self.as_kernel_args(column),
        )
        need, queue = self.as_kernel_args(self.need), self.as_kernel_args(self.queue)
        tail = self.kernels.initialize_queue(mover, winner, graph.degree, player, need, queue, column)
        at = (0, tail, tail, 0)
        while at[0] < at[2]:
            at = self.kernels.propagate(
                graph.begin, graph.before, need, queue, column, mover, player, *at, PROGRESS_INTERVAL_POSITIONS
            )
            progress((player - 1 + at[0] / size) / self.table.players)

    def narrowed(self, column: Column) -> Column:
        """The column in as few bytes as it needs."""
        if self.small:
            return column
        import numpy as np

        fits = max(-int(column.min()), int(column.max())) < 1 << 15
        return column.astype(np.int16) if fits else column


# The loops


def count_edges(after: Column, begin: Column, degree: Column) -> None:
    """Counts one move's edges: at where it leads to (two places on, for `link`), and at where it starts."""
    for number in range(len(after)):
        reached = after[number]
        if reached >= 0:
            begin[reached + 2] += 1
            degree[number] += 1


def accumulate_offsets(begin: Column) -> None:
    """Turns counts into where each position's predecessors begin."""
    for number in range(1, len(begin)):
        begin[number] += begin[number - 1]


def fill_predecessors(after: Column, begin: Column, before: Column) -> None:
    """Enters one move's edges backwards; once all are entered, `begin` says where each position's begin."""
    for number in range(len(after)):
        reached = after[number]
        if reached >= 0:
            place = begin[reached + 1]
            before[place] = number
            begin[reached + 1] = place + 1


def initialize_queue(
    mover: Column, winner: Column, degree: Column, player: int, need: Column, queue: Column, column: Column
) -> int:
    """Enters the endings that the player has won, says how many, and what every other position needs."""
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
    begin: Column,
    before: Column,
    need: Column,
    queue: Column,
    column: Column,
    mover: Column,
    player: int,
    head: int,
    end: int,
    tail: int,
    plies: int,
    most: int,
) -> tuple[int, int, int, int]:
    """Works off the queue, `most` positions of it: those up to `end` are won in so many plies, the rest in one more."""
    stop = head + most
    while head < tail and head < stop:
        if head == end:
            plies += 1
            end = tail
        number = queue[head]
        head += 1
        for place in range(begin[number], begin[number + 1]):
            earlier = before[place]
            need[earlier] -= 1
            if need[earlier] == 0:
                column[earlier] = plies + 2 if mover[earlier] == player else -plies - 2
                queue[tail] = earlier
                tail += 1
    return head, end, tail, plies


def expand(after: Column, marks: Column, queue: Column, begin: int, end: int, tail: int) -> int:
    """Marks and queues what one move leads to from the queued positions; says how long the queue is then."""
    for place in range(begin, end):
        reached = after[queue[place]]
        if reached >= 0 and marks[reached] == 0:
            marks[reached] = 1
            queue[tail] = reached
            tail += 1
    return tail


KERNELS = (count_edges, accumulate_offsets, fill_predecessors, initialize_queue, propagate, expand)


@cache
def _load_kernels(*, compiled: bool) -> SimpleNamespace:
    """The loops as they are, or compiled where that is asked for and numba is there."""
    make = jit_compiler() if compiled else None
    return SimpleNamespace(
        compiled=make is not None, **{loop.__name__: make(loop) if make else loop for loop in KERNELS}
    )
