"""A game played by two skills, as a Markov chain over the solved table: exact, with no game played.

The rows of a field are the positions that can be reached, variant by variant. First come those from which play always
ends, each after all that can follow it: one sweep is enough for them. The core, from where play can go round, comes
last, the nearest to the end first: it is swept until lower and upper bounds meet, or solved as linear equations.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.lab.kernels_common import load_kernels
from numberline.lab.kernels_layout import MAX_TURNS
from numberline.solver.index import Column, Table
from numberline.solver.solution import Solution

if TYPE_CHECKING:
    from numberline.solver.batch import SolvedBatch

Array = NDArray[Any]

JIT_MIN_ROWS = 20_000
"""A field with fewer rows is measured sooner than the compiler is loaded."""
MAX_DENSE_ROWS = 1_500
"""A core with no more rows than this is solved as linear equations where nothing is compiled."""
MIN_LAPACK_ROWS = 300
"""Fewer equations are solved sooner than a library for linear equations starts its threads."""
TOLERANCE = 1e-9
"""Bounds that are as near as this have met."""
MAX_SWEEPS_IF_SOLVABLE = 1_000
"""After so many sweeps a core that can be solved as linear equations is."""
MAX_BANDED_STEPS = 2_000_000_000
"""A core is narrow where elimination takes no more steps than this."""
MAX_SWEEPS = 20_000
"""After so many sweeps the bounds are given as they are."""
MAX_TRACED_TURNS, MAX_TRACED_TURNS_LARGE = 100_000, 2_000
"""So many turns a game is followed one by one; on a large field fewer."""
MAX_TRACE_STEPS = 2_000_000_000
"""A field is large where all moves in all turns are more than this."""


class WinRates(NamedTuple):
    """How likely each player wins, for each row."""

    one: Array
    two: Array
    undetermined: Array
    """What the bounds leave open: each of the two may be more by as much."""


class GameStatistics(NamedTuple):
    """What is expected of a game that player 1 begins, for each variant."""

    turns: Array
    decisions: Array
    """In how many turns a move can give value away."""
    good_share: Array
    """The shares of moves that give nothing away, added up over those turns."""
    lead_changes: Array
    """How often the lead changes."""
    settled_turns: Array
    """In how many turns the lead has changed for the last time before."""
    hidden_decisions: Array
    """In how many of the decisions somebody who sees 2 turns ahead can go wrong."""
    never_behind: Array
    """How likely somebody wins who never stood lost."""
    unfinished: Array
    """How likely a game goes on that was not followed any further."""


class PlayGraph:
    """The rows of one solved book, or of many, in the order in which they are worked out."""

    def __init__(
        self,
        table: Table,
        entries: list[Column],
        reachable: Column,
        starts: Array,
        owner: Array | None = None,
        *,
        compiled: bool | None = None,
    ) -> None:
        self.starts: Array
        """For each variant, the row of the start where player 1 begins, and where player 2 does."""
        self.variants = len(starts)
        keep = np.flatnonzero(np.asarray(reachable))
        self.size = len(keep)
        if compiled is None:
            compiled = len(starts) > 1 or self.size >= JIT_MIN_ROWS or "numba" in sys.modules
        self.kernels = load_kernels(compiled=compiled)
        name = np.full(table.size, -1, np.int32)
        name[keep] = np.arange(self.size, dtype=np.int32)
        entry = np.asarray(entries[0])[keep].astype(np.int32)
        mover = np.asarray(table.mover, np.int8)[keep]
        value = np.where(mover == 1, entry, -entry).astype(np.int32)
        belongs = np.zeros(self.size, np.int32) if owner is None else np.asarray(owner)[keep]
        begin, to, made = self._edges(table, name)
        order, peeled = self._topological_order(begin, to)
        self._arrange(order, peeled, belongs, value)
        self.indptr = np.empty(self.size + 1, np.int32)
        self.indices, self.edge_moves = np.empty_like(to), np.empty_like(made)
        place = np.empty(self.size, np.int32)
        place[self.order] = np.arange(self.size, dtype=np.int32)
        self.kernels.reorder(
            *self.as_kernel_args(self.order, place, begin, to, made, self.indptr, self.indices, self.edge_moves)
        )
        self.rows = keep[self.order]
        """For each row, its number in the table."""
        self.mover: Array = mover[self.order]
        self.winner: Array = np.asarray(table.winner, np.int8)[self.rows]
        self.value: Array = value[self.order]
        """In how many turns the game is won, plus one; below 0 where player 2 wins it, 0 where nobody can force it."""
        self.starts = place[name[np.asarray(starts)]].astype(np.int64)

    @classmethod
    def from_solution(cls, solution: Solution, *, compiled: bool | None = None) -> PlayGraph:
        """The field of one solved book; where it is not said, its size decides whether the loops are compiled."""
        numbers = [[solution.position_index.number(start) for start in solution.book.starts()]]
        return cls(solution.table, solution.entries, solution.reachable, np.array(numbers), compiled=compiled)

    @classmethod
    def from_batch(cls, solved: SolvedBatch) -> PlayGraph:
        """The field of many variants that were solved in one table."""
        return cls(solved.table, solved.entries, solved.reachable, solved.starts, solved.owner)

    def as_kernel_args(self, *columns: Array) -> tuple[Column, ...]:
        """The columns as the loops take them: uncompiled, they are quicker on a view of the memory."""
        return columns if self.kernels.compiled else tuple(each.data for each in columns)

    def _edges(self, table: Table, name: Array) -> tuple[Array, Array, Array]:
        after = np.stack([np.asarray(column, np.int32) for column in table.after])
        count = int((after[:, name >= 0] >= 0).sum())
        begin = np.empty(self.size + 1, np.int32)
        to, made = np.empty(count, np.int32), np.empty(count, np.int16)
        columns = after if self.kernels.compiled else [memoryview(column) for column in after]
        self.kernels.to_csr(columns, *self.as_kernel_args(name, begin, to, made))
        return begin, to, made

    def _topological_order(self, begin: Array, to: Array) -> tuple[Array, int]:
        """The rows from which play always ends, in order, and how many they are; the others come behind them."""
        back, before = np.zeros(self.size + 2, np.int32), np.empty(len(to), np.int32)
        self.kernels.reverse_edges(*self.as_kernel_args(begin, to, back, before))
        left, order = np.empty(self.size, np.int32), np.empty(self.size, np.int32)
        peeled = self.kernels.topological_order(*self.as_kernel_args(begin, back, before, left, order))
        order[peeled:] = np.flatnonzero(left)
        return order, peeled

    def _arrange(self, order: Array, peeled: int, belongs: Array, value: Array) -> None:
        """Puts the rows in order: variant by variant, first those from which play always ends, then the core."""
        core = order[peeled:]
        distance = np.abs(value[core])
        distance[distance == 0] = MAX_TURNS
        order[peeled:] = core[np.argsort(distance, kind="stable")]
        in_core = np.zeros(self.size, np.int32)
        in_core[peeled:] = 1
        part = 2 * belongs[order] + in_core
        self.order = order[np.argsort(part, kind="stable")] if self.variants > 1 else order
        ends = np.cumsum(np.bincount(part, minlength=2 * self.variants))
        self.cores: Array = ends[::2].astype(np.int64)
        """For each variant, where the core begins."""
        self.ends: Array = np.concatenate([[0], ends[1::2]]).astype(np.int64)
        """Where the rows of each variant begin, and where those of the last one end."""

    @cached_property
    def has_cycles(self) -> bool:
        """Whether play can go round anywhere."""
        return bool((self.cores < self.ends[1:]).any())

    @cached_property
    def decision_stats(self) -> tuple[Array, Array, Array]:
        """For each row: whether a move can give value away, the share of those that don't, the sight it takes."""
        decides, good = np.empty(self.size, np.int8), np.empty(self.size)
        needed = np.empty(self.size, np.int32)
        self.kernels.analyze_decisions(
            *self.as_kernel_args(self.indptr, self.indices, self.mover, self.value, decides, good, needed)
        )
        return decides, good, needed

    # What is asked

    def win_rates(self, chance: Array, marks: Array | None = None) -> WinRates:
        """How likely each player wins from each row, if moves are made with these chances."""
        marks = self._can_end(chance) if marks is None else marks
        flat = np.empty(3 * self.size)
        columns = (*self._parts, chance, self.winner, self._begins, marks, flat)
        self.kernels.win_rates(*self.as_kernel_args(*columns), self._sweeps, TOLERANCE)
        found = WinRates(*flat.reshape(-1, 3).T)
        for variant in self._unsettled(found.undetermined[self.starts].max(axis=1)):
            core = _CyclicCore(self, variant, chance, marks)
            core.solve_columns([found.one, found.two])
            found.undetermined[core.here] = 0
        return found

    def statistics(self, chance: Array, marks: Array | None = None) -> GameStatistics:
        """What is expected of a game that player 1 begins, if moves are made with these chances."""
        marks = self._can_end(chance) if marks is None else marks
        visits, left = self._visits(chance, marks)
        flat, calm = np.empty(6 * self.variants), self._lead_stability(chance, marks, visits)
        columns = (self.ends, self.indptr, self.indices, chance, self.value, *self.decision_stats, visits, calm, flat)
        self.kernels.sum_statistics(*self.as_kernel_args(*columns))
        return GameStatistics._make([*flat.reshape(-1, 6).T, self._never_behind(chance, marks), left])

    def _can_end(self, chance: Array) -> Array:
        """For each row 1 where an ending can come, if moves are made with these chances, else 0."""
        marks = np.empty(self.size)
        self.kernels.can_end(*self.as_kernel_args(*self._parts, chance, marks))
        return marks

    def _visits(self, chance: Array, marks: Array, lead: int = 0) -> tuple[Array, Array]:
        """How often each row is visited, and what was not followed any further; a game ends where somebody leads."""
        barred = (marks == 0).astype(np.int8)
        if lead:
            barred |= np.sign(self.value) == lead
        visits, left = np.empty(self.size), np.empty(self.variants)
        columns = (*self._parts, chance, barred, self._begins)
        self.kernels.count_cyclic_visits(
            *self.as_kernel_args(*columns, np.empty(self.size), visits, left), self._sweeps, TOLERANCE
        )
        for variant in self._unsettled(left):
            _CyclicCore(self, variant, chance, marks).solve_visits(visits, int(self.starts[variant, 0]), barred)
            left[variant] = 0
        self.kernels.count_acyclic_visits(*self.as_kernel_args(*columns, visits))
        return visits, left

    def _never_behind(self, chance: Array, marks: Array) -> Array:
        """For each variant, how likely somebody wins who never stood lost."""
        sure = np.zeros(self.variants)
        begins = np.sign(self.value[self.starts[:, 0]])
        for player, other in ((1, -1), (2, 1)):
            if (begins != other).any():
                visits, _ = self._visits(chance, marks, other)
                sure += np.add.reduceat(np.where(self.winner == player, visits, 0.0), self.ends[:-1])
        return sure

    def _lead_stability(self, chance: Array, marks: Array, visits: Array) -> Array:
        """How likely the lead changes no more, in the first of two numbers for each row."""
        calm = np.empty(2 * self.size)
        kept = np.empty_like(chance)
        self.kernels.mask_lead_changes(*self.as_kernel_args(self.indptr, self.indices, chance, self.value, kept))
        columns = (*self._parts, kept, marks, visits, calm)
        self.kernels.lead_stability(*self.as_kernel_args(*columns), self._sweeps, TOLERANCE)
        unsaid = np.add.reduceat(calm[1::2] * visits, self.ends[:-1])
        for variant in self._unsettled(unsaid):
            _CyclicCore(self, variant, kept, marks).solve_columns([calm[::2]])
        return calm

    def length_percentiles(self, chance: Array) -> tuple[Array, Array]:
        """For each variant, within how many turns 10 and 90 % of the games are over; -1 where that is too long."""
        low, high = np.empty(self.variants, np.int32), np.empty(self.variants, np.int32)
        columns = (self._begins, self.indptr, self.indices, chance, *self._trace_buffers())
        self.kernels.length_percentiles(*self.as_kernel_args(*columns, low, high))
        return low, high

    def lengths(self, chance: Array, share: float) -> tuple[float, ...]:
        """How likely a game of the first variant takes exactly so many turns, until so large a share is over."""
        *columns, lengths = self._trace_buffers()
        seen = self.as_kernel_args(self.indptr, self.indices, chance, *columns, lengths)
        count = self.kernels.length_distribution(int(self.starts[0, 0]), *seen, share)
        return tuple(lengths[:count].tolist())

    def _trace_buffers(self) -> tuple[Array, ...]:
        """What is needed to follow a game turn by turn: two columns of chances, two lists of rows, the lengths."""
        chances, lists = np.zeros((2, self.size)), np.empty((2, self.size), np.int32)
        return *chances, *lists, np.empty(self._max_traced_turns)

    @property
    def _max_traced_turns(self) -> int:
        """So many turns a game is followed."""
        return max(MAX_TRACED_TURNS_LARGE, min(MAX_TRACED_TURNS, MAX_TRACE_STEPS // len(self.indices)))

    # Small cores, as linear equations

    @cached_property
    def _sizes(self) -> Array:
        """How many rows the core of each variant has."""
        return self.ends[1:] - self.cores

    @cached_property
    def _sweeps(self) -> int:
        """How often the cores are swept: not at all where they are solved at once, less often where they could be."""
        if not self.kernels.compiled and self._sizes.max() <= MAX_DENSE_ROWS:
            return 0
        return min(MAX_SWEEPS_IF_SOLVABLE, MAX_SWEEPS) if self._solvable[self._sizes > 0].all() else MAX_SWEEPS

    @cached_property
    def _solvable(self) -> Array:
        """For each variant, whether its core can be solved as linear equations: it is small, or narrow."""
        solvable: Array = (self._sizes > 0) & (self._sizes <= MAX_DENSE_ROWS)
        for variant in np.flatnonzero(self._sizes > MAX_DENSE_ROWS):
            solvable[variant] = self.banded_order(int(self.cores[variant]), int(self.ends[variant + 1])) is not None
        return solvable

    def banded_order(self, first: int, last: int) -> Array | None:
        """The place of each row of a core in an order in which all moves are short; None where that is no use."""
        if first not in self._banded_orders:
            worth_it = self.kernels.compiled and last - first > MIN_LAPACK_ROWS and MAX_DENSE_ROWS > 0
            self._banded_orders[first] = self._find_banded_order(first, last) if worth_it else None
        return self._banded_orders[first]

    @cached_property
    def _banded_orders(self) -> dict[int, Array | None]:
        return {}

    def _find_banded_order(self, first: int, last: int) -> Array | None:
        """The place of each row in the order of its distance from one end of the core; None if moves stay long."""
        row = np.repeat(np.arange(last - first), np.diff(self.indptr[first : last + 1]))
        to = self.indices[self.indptr[first] : self.indptr[last]] - first
        row, to = row[to >= 0], to[to >= 0]
        place = _breadth_first_order(row, to, last - first, 0)
        place = _breadth_first_order(row, to, last - first, int(place.argmax()))
        width = int(np.abs(place[row] - place[to]).max(initial=0))
        return place if (last - first) * width * width <= MAX_BANDED_STEPS else None

    @cached_property
    def _parts(self) -> tuple[Array, ...]:
        return self.ends, self.cores, self.indptr, self.indices

    @cached_property
    def _begins(self) -> Array:
        return self.starts.reshape(-1)

    def _unsettled(self, unsaid: Array) -> list[int]:
        """The variants of which something is left unsaid, if their cores can be solved at once."""
        if not self.has_cycles:
            return []
        unsettled = unsaid > TOLERANCE if self._sweeps else self._sizes > 0
        return [int(variant) for variant in np.flatnonzero(unsettled & self._solvable)] if unsettled.any() else []


def _breadth_first_order(row: Array, to: Array, size: int, start: int) -> Array:
    """The place of each row, nearest first, going out from one of them along moves in either direction."""
    here, there = np.concatenate([row, to]), np.concatenate([to, row])
    order = np.argsort(here, kind="stable")
    begin, there = np.searchsorted(here[order], np.arange(size + 1)), there[order]
    place = np.full(size, -1)
    count = 0
    while count < size:
        layer = np.array([start])
        while len(layer):
            place[layer] = np.arange(count, count + len(layer))
            count += len(layer)
            reached = np.concatenate([there[begin[each] : begin[each + 1]] for each in layer])
            layer = np.unique(reached[place[reached] < 0])
        start = int((place < 0).argmax())  # rows that no move connects with these
    return place


class _CyclicCore:
    """The rows of a variant from where play can go round, and its moves; where no ending ever comes, all is 0."""

    def __init__(self, field: PlayGraph, variant: int, chance: Array, marks: Array) -> None:
        self.field = field
        self.first, self.last = int(field.cores[variant]), int(field.ends[variant + 1])
        self.here = slice(self.first, self.last)
        edges = slice(field.indptr[self.first], field.indptr[self.last])
        self.row = np.repeat(np.arange(self.first, self.last), np.diff(field.indptr[self.first : self.last + 1]))
        self.indices = field.indices[edges]
        self.chance = chance[edges] * marks[self.row]

    def solve_columns(self, columns: list[Array]) -> None:
        """Enters in each column what is expected of it."""
        out = self.indices < self.first
        size, row = self.last - self.first, self.row[out] - self.first
        wanted = [np.bincount(row, self.chance[out] * column[self.indices[out]], minlength=size) for column in columns]
        for column, values in zip(columns, self._solved(self.chance, np.stack(wanted, axis=1)).T, strict=True):
            column[self.here] = values

    def solve_visits(self, visits: Array, start: int, barred: Array) -> None:
        """Enters how often each row is visited from a start."""
        wanted = np.zeros((self.last - self.first, 1))
        if start >= self.first:
            wanted[start - self.first] = 1
        found = self._solved(self.chance * (barred[self.row] == 0), wanted, backwards=True)[:, 0]
        visits[self.here] = np.where(barred[self.here], 0.0, np.maximum(0.0, found))

    def _solved(self, chance: Array, wanted: Array, *, backwards: bool = False) -> Array:
        place = self.field.banded_order(self.first, self.last)
        if place is None:
            matrix = self._matrix(chance)
            return solved(matrix.T if backwards else matrix, wanted)
        inside = self.indices >= self.first
        row, to = place[self.row[inside] - self.first], place[self.indices[inside] - self.first]
        row, to = (to, row) if backwards else (row, to)
        width = int(np.abs(row - to).max(initial=0))
        band = np.zeros((len(place), 2 * width + 1))
        np.subtract.at(band, (row, width + to - row), chance[inside])
        band[:, width] += 1
        ordered = np.empty_like(wanted)
        ordered[place] = wanted
        self.field.kernels.solve_banded(band, ordered)
        return ordered[place]

    def _matrix(self, chance: Array) -> Array:
        size, inside = self.last - self.first, self.indices >= self.first
        places = (self.row[inside] - self.first) * size + self.indices[inside] - self.first
        moves: Array = np.bincount(places, chance[inside], minlength=size * size).reshape(size, size)
        return np.eye(size) - moves


def solved(matrix: Array, wanted: Array) -> Array:
    """What solves the linear equations of a chain, for each column that is wanted.

    Small ones are eliminated here, with nothing but subtraction: a library that starts threads for them takes longer.
    The diagonal of a chain is never smaller than the rest of its row, or of its column, so any order will do.
    """
    size = len(matrix)
    if size > MIN_LAPACK_ROWS:
        return np.linalg.solve(matrix, wanted)
    rows = np.concatenate([matrix, wanted], axis=1)
    for pivot in range(size):
        rows[pivot] /= rows[pivot, pivot]
        below = pivot + 1 + np.flatnonzero(rows[pivot + 1 :, pivot])
        rows[below, pivot:] -= rows[below, pivot, np.newaxis] * rows[pivot, pivot:]
    for pivot in reversed(range(size)):
        above = np.flatnonzero(rows[:pivot, pivot])
        rows[above, size:] -= rows[above, pivot, np.newaxis] * rows[pivot, size:]
    return rows[:, size:]
