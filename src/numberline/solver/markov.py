"""Absorbing Markov chains: exact statistics of games between two policies, without playing or sampling any games.

The rows of a `PlayGraph` are the reachable positions, variant by variant. Within a variant, the rows from which play
always ends come first, each after all its successors, so a single pass computes their values. The rows of the cyclic
core come last, ordered by distance from the end; they are swept until lower and upper bounds meet, or solved as linear
equations.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.solver.index import Column, Table
from numberline.solver.markov_kernels import TOLERANCE, load_kernels
from numberline.solver.worth import RANK_SCALE

if TYPE_CHECKING:
    from numberline.solver.batch import SolvedBatch

Array = NDArray[Any]

JIT_MIN_ROWS = 20_000  # below this, loading the compiler takes longer than running the kernels
MAX_DENSE_ROWS = 1_500
MIN_LAPACK_ROWS = 300  # below this, LAPACK takes longer to start its threads than to solve
MAX_BANDED_STEPS = 2_000_000_000
MAX_SWEEPS_IF_SOLVABLE = 1_000
MAX_SWEEPS = 20_000
MAX_TRACED_TURNS, MAX_TRACED_TURNS_LARGE = 100_000, 2_000
MAX_TRACE_STEPS = 2_000_000_000


class WinRates(NamedTuple):
    """Probability that each player wins, for every row.

    `one` and `two` are lower bounds; adding `undetermined` gives the upper bounds.
    """

    one: Array
    two: Array
    undetermined: Array


class GameStatistics(NamedTuple):
    """Expected values for a game started by player 1, for every variant."""

    turns: Array
    decisions: Array
    """Turns in which at least one legal move loses value."""
    good_share: Array
    """Fraction of moves that lose no value, summed over the decisions."""
    lead_changes: Array
    settled_turns: Array
    """Turns after the last lead change."""
    hidden_decisions: Array
    """Decisions for which looking 2 turns ahead is not enough."""
    choices: Array
    """Turns with more than one legal move."""
    never_behind: Array
    """Probability that the game has a winner who was never in a lost position."""
    unfinished: Array
    """Probability mass of games that were cut off before they ended."""


class PlayGraph:
    """Graph of the reachable positions of one or more solved variants, in compressed sparse row (CSR) format.

    If `compiled` is None, the kernels are compiled for batches and large graphs, or if numba is already imported.
    """

    def __init__(self, solved: SolvedBatch, *, compiled: bool | None = None) -> None:
        table, starts = solved.table, solved.starts
        self.variants = len(starts)
        kept_rows = np.flatnonzero(solved.reachable)
        self.size = len(kept_rows)
        if compiled is None:
            compiled = self.variants > 1 or self.size >= JIT_MIN_ROWS or "numba" in sys.modules
        self.kernels = load_kernels(compiled=compiled)
        new_row = np.full(table.size, -1, np.int32)
        new_row[kept_rows] = np.arange(self.size, dtype=np.int32)
        entry = np.asarray(solved.entries[0])[kept_rows].astype(np.int32)
        mover = np.asarray(table.mover, np.int8)[kept_rows]
        value = np.where(mover == 1, entry, -entry).astype(np.int32)
        edges = self._edges(table, new_row)
        order = self._set_order(*self._topological_order(*edges[:2]), solved.owner[kept_rows], value)
        self.indptr, self.indices, self.edge_moves = (np.empty_like(column) for column in edges)
        place = np.empty(self.size, np.int32)
        place[order] = np.arange(self.size, dtype=np.int32)
        ordered = self.as_kernel_args(self.indptr, self.indices, self.edge_moves)
        self.kernels.reorder(self.as_kernel_args(*edges), *self.as_kernel_args(order, place), ordered)
        self.rows = kept_rows[order]
        """Row number in the solved table, for every row of the graph."""
        self.mover: Array = mover[order]
        self.winner: Array = np.asarray(table.winner, np.int8)[self.rows]
        self.value: Array = value[order]
        """Turns to the forced win plus one; negative if player 2 wins, 0 if neither player can force a win."""
        self.starts: Array = place[new_row[starts]].astype(np.int64)
        """Starting rows of every variant: one for player 1 starting, one for player 2 starting."""
        starts = self.starts.reshape(-1)
        self._graph = self.as_kernel_args(self.ends, self.cores, starts, self.indptr, self.indices)
        self._banded_orders: dict[int, Array | None] = {}

    def as_kernel_args(self, *columns: Array) -> tuple[Column, ...]:
        """Return the arrays in the form the kernels expect; uncompiled kernels are faster on memory views."""
        return columns if self.kernels.compiled else tuple(column.data for column in columns)

    def _edges(self, table: Table, new_row: Array) -> tuple[Array, Array, Array]:
        after = np.stack([np.asarray(column, np.int32) for column in table.after])
        count = int((after[:, new_row >= 0] >= 0).sum())
        edges = np.empty(self.size + 1, np.int32), np.empty(count, np.int32), np.empty(count, np.int16)
        columns = after if self.kernels.compiled else [memoryview(column) for column in after]
        self.kernels.to_csr(columns, *self.as_kernel_args(new_row, *edges))
        return edges

    def _topological_order(self, indptr: Array, indices: Array) -> tuple[Array, int]:
        """Return all rows, those from which play always ends (acyclic) first, and the number of acyclic rows."""
        back_indptr, predecessors = np.zeros(self.size + 2, np.int32), np.empty(len(indices), np.int32)
        self.kernels.reverse_edges(*self.as_kernel_args(indptr, indices, back_indptr, predecessors))
        remaining, order = np.empty(self.size, np.int32), np.empty(self.size, np.int32)
        columns = self.as_kernel_args(indptr, back_indptr, predecessors, remaining, order)
        acyclic = self.kernels.topological_order(*columns)
        order[acyclic:] = np.flatnonzero(remaining)
        return order, acyclic

    def _set_order(self, order: Array, acyclic: int, variant: Array, value: Array) -> Array:
        """Order the rows by variant, acyclic rows first, and set the boundaries in `cores` and `ends`."""
        core = order[acyclic:]
        distance = np.abs(value[core])
        distance[distance == 0] = RANK_SCALE
        order[acyclic:] = core[np.argsort(distance, kind="stable")]
        in_core = np.zeros(self.size, np.int32)
        in_core[acyclic:] = 1
        part = 2 * variant[order] + in_core
        ends = np.cumsum(np.bincount(part, minlength=2 * self.variants))
        self.cores: Array = ends[::2].astype(np.int64)
        """First row of each variant's core."""
        self.ends: Array = np.concatenate([[0], ends[1::2]]).astype(np.int64)
        """First row of each variant, followed by the total number of rows."""
        return order[np.argsort(part, kind="stable")] if self.variants > 1 else order

    @cached_property
    def decisions(self) -> tuple[Array, Array, Array]:
        """For every row: whether a move can lose value, the fraction that don't, and the search depth needed."""
        columns = np.empty(self.size, np.int8), np.empty(self.size), np.empty(self.size, np.int32)
        self.kernels.analyze_decisions(self._graph, *self.as_kernel_args(self.mover, self.value, *columns))
        return columns

    def fill_skill_policy(self, player: int, turns: float, slip_rate: float, probabilities: Array) -> None:
        """Write to `probabilities` the move probabilities of `player` at a skill that looks `turns` ahead."""
        columns = self.as_kernel_args(self.mover, self.value, probabilities)
        self.kernels.fill_move_probabilities(self._graph, *columns, player, int(min(turns, RANK_SCALE)), slip_rate)

    # Statistics

    def win_rates(self, probabilities: Array) -> WinRates:
        """Return each player's probability of winning from every row."""
        absorbed = self._absorbed(probabilities)
        flat = np.empty(3 * self.size)
        columns = self.as_kernel_args(probabilities, self.winner, absorbed, flat)
        self.kernels.win_rates(self._graph, *columns, self._max_sweeps)
        rates = WinRates(*flat.reshape(-1, 3).T)
        for variant in self._unsettled(rates.undetermined[self.starts].max(axis=1)):
            core = _CyclicCore(self, variant, probabilities, absorbed)
            core.solve_columns([rates.one, rates.two])
            rates.undetermined[core.rows] = 0
        return rates

    def statistics(self, probabilities: Array) -> GameStatistics:
        """Return the expected values for a game started by player 1."""
        absorbed = self._absorbed(probabilities)
        visits, unfinished = self._visits(probabilities, absorbed)
        stability = self._lead_stability(probabilities, absorbed, visits)
        sums = np.empty(7 * self.variants)
        columns = self.as_kernel_args(probabilities, self.value, visits, stability, sums)
        self.kernels.sum_statistics(self._graph, self.as_kernel_args(*self.decisions), *columns)
        never_behind = self._never_behind(probabilities, absorbed)
        return GameStatistics._make([*sums.reshape(-1, 7).T, never_behind, unfinished])

    def length_percentiles(self, probabilities: Array) -> tuple[Array, Array]:
        """Return the 10th and 90th percentiles of game length for every variant, in turns; -1 if too long to trace."""
        low, high = np.empty(self.variants, np.int32), np.empty(self.variants, np.int32)
        buffers, lengths = self._trace_buffers()
        chances, *written = self.as_kernel_args(probabilities, lengths, low, high)
        self.kernels.length_percentiles(self._graph, chances, buffers, *written)
        return low, high

    def lengths(self, probabilities: Array, coverage: float) -> tuple[float, ...]:
        """Return the probability of each game length of the first variant, until the sum reaches `coverage`."""
        buffers, lengths = self._trace_buffers()
        chances, written = self.as_kernel_args(probabilities, lengths)
        count = self.kernels.length_distribution(self._graph, 0, chances, buffers, written, coverage)
        return tuple(lengths[:count].tolist())

    def _absorbed(self, probabilities: Array) -> Array:
        absorbed = np.empty(self.size)
        self.kernels.find_absorbed(self._graph, *self.as_kernel_args(probabilities, absorbed))
        return absorbed

    def _visits(self, probabilities: Array, absorbed: Array, lead: int = 0) -> tuple[Array, Array]:
        """Return the expected visits to every row and the fraction of games cut off.

        If `lead` is 1 or -1, a game stops as soon as player 1 or player 2, respectively, can force a win.
        """
        barred = (absorbed == 0).astype(np.int8)
        if lead:
            barred |= np.sign(self.value) == lead
        visits, left = np.empty(self.size), np.empty(self.variants)
        columns = self.as_kernel_args(probabilities, barred, visits)
        buffers = self.as_kernel_args(np.empty(self.size), left)
        self.kernels.count_cyclic_visits(self._graph, *columns, *buffers, self._max_sweeps)
        for variant in self._unsettled(left):
            core = _CyclicCore(self, variant, probabilities, absorbed)
            core.solve_visits(visits, int(self.starts[variant, 0]), barred)
            left[variant] = 0
        self.kernels.count_acyclic_visits(self._graph, *columns)
        return visits, left

    def _never_behind(self, probabilities: Array, absorbed: Array) -> Array:
        never_behind = np.zeros(self.variants)
        leads = np.sign(self.value[self.starts[:, 0]])
        for player, opponent in ((1, -1), (2, 1)):
            if (leads != opponent).any():
                visits, _ = self._visits(probabilities, absorbed, opponent)
                never_behind += np.add.reduceat(np.where(self.winner == player, visits, 0.0), self.ends[:-1])
        return never_behind

    def _lead_stability(self, probabilities: Array, absorbed: Array, visits: Array) -> Array:
        """Return two numbers per row: the chance of no more lead changes, and the undetermined remainder."""
        stability, same_lead = np.empty(2 * self.size), np.empty_like(probabilities)
        self.kernels.mask_lead_changes(self._graph, *self.as_kernel_args(probabilities, self.value, same_lead))
        columns = self.as_kernel_args(same_lead, absorbed, visits, stability)
        self.kernels.lead_stability(self._graph, *columns, self._max_sweeps)
        for variant in self._unsettled(np.add.reduceat(stability[1::2] * visits, self.ends[:-1])):
            _CyclicCore(self, variant, same_lead, absorbed).solve_columns([stability[::2]])
        return stability

    def _trace_buffers(self) -> tuple[tuple[Column, ...], Array]:
        turns = max(MAX_TRACED_TURNS_LARGE, min(MAX_TRACED_TURNS, MAX_TRACE_STEPS // len(self.indices)))
        buffers = *np.zeros((2, self.size)), *np.empty((2, self.size), np.int32)
        return self.as_kernel_args(*buffers), np.empty(turns)

    # Cores solved as linear equations

    @cached_property
    def _core_sizes(self) -> Array:
        return self.ends[1:] - self.cores

    @cached_property
    def _max_sweeps(self) -> int:
        """Maximum number of sweeps: 0 to solve all cores as linear equations, and lower if they could be."""
        if not self.kernels.compiled and self._core_sizes.max() <= MAX_DENSE_ROWS:
            return 0
        return min(MAX_SWEEPS_IF_SOLVABLE, MAX_SWEEPS) if self._solvable[self._core_sizes > 0].all() else MAX_SWEEPS

    @cached_property
    def _solvable(self) -> Array:
        """Whether each variant's core is small or narrow enough to be solved as linear equations."""
        solvable: Array = (self._core_sizes > 0) & (self._core_sizes <= MAX_DENSE_ROWS)
        for variant in np.flatnonzero(self._core_sizes > MAX_DENSE_ROWS):
            solvable[variant] = self.banded_order(int(self.cores[variant]), int(self.ends[variant + 1])) is not None
        return solvable

    def banded_order(self, first: int, last: int) -> Array | None:
        """Return the place of each core row in an order with a small bandwidth; None if it doesn't pay off."""
        if first not in self._banded_orders:
            faster = self.kernels.compiled and last - first > MIN_LAPACK_ROWS and MAX_DENSE_ROWS > 0
            self._banded_orders[first] = self._find_banded_order(first, last) if faster else None
        return self._banded_orders[first]

    def _find_banded_order(self, first: int, last: int) -> Array | None:
        row = np.repeat(np.arange(last - first), np.diff(self.indptr[first : last + 1]))
        to = self.indices[self.indptr[first] : self.indptr[last]] - first
        row, to = row[to >= 0], to[to >= 0]
        place = _breadth_first_order(row, to, last - first, 0)
        place = _breadth_first_order(row, to, last - first, int(place.argmax()))
        width = int(np.abs(place[row] - place[to]).max(initial=0))
        return place if (last - first) * width * width <= MAX_BANDED_STEPS else None

    def _unsettled(self, undetermined: Array) -> list[int]:
        """Return the variants whose bounds have not met and whose cores can be solved as linear equations."""
        if not self._core_sizes.any():
            return []
        unsettled = undetermined > TOLERANCE if self._max_sweeps else self._core_sizes > 0
        return [int(variant) for variant in np.flatnonzero(unsettled & self._solvable)] if unsettled.any() else []


def _breadth_first_order(row: Array, to: Array, size: int, start: int) -> Array:
    """Return the place of each row in breadth-first order from `start`, following moves in both directions."""
    here, there = np.concatenate([row, to]), np.concatenate([to, row])
    order = np.argsort(here, kind="stable")
    indptr, there = np.searchsorted(here[order], np.arange(size + 1)), there[order]
    place = np.full(size, -1)
    count = 0
    while count < size:
        layer = np.array([start])
        while len(layer):
            place[layer] = np.arange(count, count + len(layer))
            count += len(layer)
            reached = np.concatenate([there[indptr[each] : indptr[each + 1]] for each in layer])
            layer = np.unique(reached[place[reached] < 0])
        start = int((place < 0).argmax())  # continue in another connected component
    return place


class _CyclicCore:
    """Linear equations of one variant's cyclic core; rows from which the game can't end are set to 0."""

    def __init__(self, graph: PlayGraph, variant: int, probabilities: Array, absorbed: Array) -> None:
        self.graph = graph
        self.first, self.last = int(graph.cores[variant]), int(graph.ends[variant + 1])
        self.rows = slice(self.first, self.last)
        edges = slice(graph.indptr[self.first], graph.indptr[self.last])
        self.row = np.repeat(np.arange(self.first, self.last), np.diff(graph.indptr[self.first : self.last + 1]))
        self.indices = graph.indices[edges]
        self.probabilities = probabilities[edges] * absorbed[self.row]

    def solve_columns(self, columns: list[Array]) -> None:
        """Fill in each column's expected values in the core, given its values outside the core."""
        leaves = self.indices < self.first
        size, row = self.last - self.first, self.row[leaves] - self.first
        right_sides = [
            np.bincount(row, self.probabilities[leaves] * column[self.indices[leaves]], minlength=size)
            for column in columns
        ]
        solved = self._solve(self.probabilities, np.stack(right_sides, axis=1))
        for column, values in zip(columns, solved.T, strict=True):
            column[self.rows] = values

    def solve_visits(self, visits: Array, start: int, barred: Array) -> None:
        """Fill in the expected visits to each core row in games from `start`; `barred` rows end the game."""
        right_side = np.zeros((self.last - self.first, 1))
        if start >= self.first:
            right_side[start - self.first] = 1
        found = self._solve(self.probabilities * (barred[self.row] == 0), right_side, transposed=True)[:, 0]
        visits[self.rows] = np.where(barred[self.rows], 0.0, np.maximum(0.0, found))

    def _solve(self, probabilities: Array, right_sides: Array, *, transposed: bool = False) -> Array:
        inside = self.indices >= self.first
        row, to = self.row[inside] - self.first, self.indices[inside] - self.first
        place = self.graph.banded_order(self.first, self.last)
        if place is None:
            size = self.last - self.first
            moves = np.bincount(row * size + to, probabilities[inside], minlength=size * size).reshape(size, size)
            matrix = np.eye(size) - moves
            return _solve_dense(matrix.T if transposed else matrix, right_sides)
        row, to = (place[to], place[row]) if transposed else (place[row], place[to])
        width = int(np.abs(row - to).max(initial=0))
        band = np.zeros((len(place), 2 * width + 1))
        np.subtract.at(band, (row, width + to - row), probabilities[inside])
        band[:, width] += 1
        ordered = np.empty_like(right_sides)
        ordered[place] = right_sides
        self.graph.kernels.solve_banded(band, ordered)
        return ordered[place]


def _solve_dense(matrix: Array, right_sides: Array) -> Array:
    """Solve the linear equations of a Markov chain.

    Elimination needs no pivoting, because the matrix of a chain is diagonally dominant by rows or columns.
    """
    size = len(matrix)
    if size > MIN_LAPACK_ROWS:
        return np.linalg.solve(matrix, right_sides)
    rows = np.concatenate([matrix, right_sides], axis=1)
    for pivot in range(size):
        rows[pivot] /= rows[pivot, pivot]
        below = pivot + 1 + np.flatnonzero(rows[pivot + 1 :, pivot])
        rows[below, pivot:] -= rows[below, pivot, np.newaxis] * rows[pivot, pivot:]
    for pivot in reversed(range(size)):
        above = np.flatnonzero(rows[:pivot, pivot])
        rows[above, size:] -= rows[above, pivot, np.newaxis] * rows[pivot, size:]
    return rows[:, size:]
