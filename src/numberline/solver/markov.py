"""Absorbing Markov chains: exact statistics of games between two policies, without playing or sampling any games.

The rows of a `PlayGraph` are the reachable positions, variant by variant. Within a variant, strongly connected
components come after their successors, so one pass over the components computes all values. Most components are single
rows. A larger component is solved by sweeps over its rows, ordered by distance from the end, until the lower and upper
bounds meet, or by elimination if that costs less. All chains on a graph are solved together.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.solver.batch import SolvedBatch
from numberline.solver.index import Column, Progress
from numberline.solver.jit import use_jit
from numberline.solver.markov_kernels import FOUND, MASKS, STATISTICS, TRACED, load_kernels
from numberline.solver.simd import LANES
from numberline.solver.worth import RANK_SCALE, rank_value

Array = NDArray[Any]
Skills = tuple[float, float, float, float]
"""The number of turns that player 1 looks ahead, player 1's slip rate, then the same two numbers for player 2."""

WORK_PER_EDGE, WORK_PER_CYCLIC_EDGE = 16, 100
MAX_DENSE_ROWS = 250  # a larger component is ordered by place, which takes less time than finding a good order
MAX_ELIMINATION_STEPS = 2_000_000_000
MAX_SWEEPS = 20_000
MAX_TRACED_TURNS, MAX_TRACED_TURNS_LARGE = 100_000, 2_000
MAX_TRACE_STEPS = 500_000_000


class WinRates(NamedTuple):
    """Probability that each player wins; the axes are the variant, the first player and the chain.

    `one` and `two` are lower bounds; adding `undetermined` gives the upper bounds.
    """

    one: Array
    two: Array
    undetermined: Array


class GameStatistics(NamedTuple):
    """Expected values for a game; the axes are the variant and the first player."""

    turns: Array
    decisions: Array
    """Number of turns in which at least one legal move loses value."""
    good_share: Array
    """Fraction of moves that lose no value, summed over the decisions."""
    lead_changes: Array
    settled_turns: Array
    """Number of turns after the last lead change."""
    hidden_decisions: Array
    """Number of decisions for which looking 2 turns ahead is not enough."""
    choices: Array
    """Number of turns with more than one legal move."""
    surprise: Array
    """Sum of the absolute changes in player 1's chance of winning."""
    never_behind: Array
    """Probability that the game has a winner who was never in a lost position."""
    unsettled: Array
    """Whether the computation was stopped before the bounds met, so that the values are too low."""


class GameTraces(NamedTuple):
    """Figures for games started by player 1, by variant; NaN if the games are too long to be traced."""

    length_low: Array
    """The 10th percentile of the number of turns; -1 if it lies beyond the turns traced."""
    length_high: Array
    """The 90th percentile of the number of turns; -1 if it lies beyond the turns traced."""
    uncertainty: Array
    """Mean of 1-|2W-1| over a game's turns, averaged over games; W is player 1's chance of winning."""
    decisiveness: Array
    """Share of a game that remains once one player's chance of winning is above 90% for good, averaged over games."""
    felt_lead_changes: Array
    """Expected number of times that player 1's chance goes from below 45% to above 55% or back."""
    lengths: Array
    """Probability of each game length in the last variant."""
    visits: Array
    """Expected number of visits to each row."""


class PlayGraph:
    """Graph of the reachable positions of the variants in one or more batches, in compressed sparse row (CSR) format.

    If `compiled` is None, the amount of work decides whether the kernels are compiled.
    """

    def __init__(self, batches: Sequence[SolvedBatch], *, compiled: bool | None = None) -> None:
        self._compiled = compiled
        self._load_kernels(WORK_PER_EDGE * sum(batch.table.size for batch in batches))
        layouts, size, edges = list[tuple[Array, ...]](), 0, 0
        for batch in batches:
            layouts.append(self._lay_out(batch, size, edges))
            size, edges = size + len(layouts[-1][0]), edges + len(layouts[-1][1])
        columns = [np.concatenate(parts) if len(parts) > 1 else parts[0] for parts in zip(*layouts, strict=True)]
        self.rows, self.indices, self.edge_moves, indptr, ends, self.component_ends, starts, *facts = columns
        self.mover, self.winner, self.value, self.keys = facts
        self.ends: Array = np.append(0, ends)
        """First row of each variant, followed by the total number of rows."""
        self.indptr: Array = np.append(indptr, np.int32(edges))
        self.starts: Array = starts.reshape(-1, 2)
        """Starting row, by variant and first player."""
        self.size, self.variants = size, len(ends)
        in_cycle = self.component_ends > np.arange(size) + 1
        self._load_kernels(WORK_PER_EDGE * edges + WORK_PER_CYCLIC_EDGE * int(np.diff(self.indptr)[in_cycle].sum()))

    def _load_kernels(self, work: int) -> None:
        self.kernels = load_kernels(compiled=use_jit(work) if self._compiled is None else self._compiled)

    def as_kernel_args(self, *columns: Array) -> tuple[Column, ...]:
        """Return the arrays in the form the kernels expect; uncompiled kernels are faster on memory views."""
        return columns if self.kernels.compiled else tuple(column.data for column in columns)

    @property
    def _graph(self) -> tuple[Column, ...]:
        columns = self.ends, self.starts.reshape(-1), self.component_ends, self.indptr, self.indices
        return self.as_kernel_args(*columns)

    @property
    def _players(self) -> tuple[Column, ...]:
        return self.as_kernel_args(self.mover, self.value, self.winner)

    def _lay_out(self, batch: SolvedBatch, first_row: int, first_edge: int) -> tuple[Array, ...]:
        """Return the columns of the part of the graph that belongs to a batch."""
        table, kernels = batch.table, self.kernels
        stacked = np.stack([np.asarray(column, np.int32) for column in table.after])
        after = stacked if kernels.compiled else [column.data for column in stacked]
        new_row, discovered = np.full(table.size, -1, np.int32), np.zeros(table.size, np.int32)
        order, component_ends, low, stack, path = np.empty((5, table.size), np.int32)
        ends = np.empty(len(batch.books), np.int64)
        found = self.as_kernel_args(new_row, order, component_ends, ends)
        starts = batch.starts.reshape(-1)
        kernels.find_components(after, starts, found, self.as_kernel_args(discovered, low, stack, path))
        size = int(ends[-1])
        order, component_ends = order[:size], component_ends[:size]
        entry, mover = np.asarray(batch.entries[0])[order].astype(np.int32), np.asarray(table.mover, np.int8)[order]
        value = np.where(mover == 1, entry, -entry)
        # Sweeps need the fewest rounds if the rows of a component are ordered by their distance from the end.
        in_cycle = component_ends > np.arange(1, size + 1)
        in_cycle[1:] |= component_ends[1:] == component_ends[:-1]
        if in_cycle.any():
            members = np.flatnonzero(in_cycle)
            distance = np.where(value[members] == 0, RANK_SCALE, np.abs(value[members]))
            by_distance = members[np.lexsort((distance, component_ends[members]))]
            for column in (order, value, mover):
                column[members] = column[by_distance]
            new_row[order] = np.arange(size, dtype=np.int32)
        indptr, (indices, edge_moves) = np.empty(size + 1, np.int32), np.empty((2, size * len(stacked)), np.int32)
        columns = self.as_kernel_args(indptr, indices, edge_moves)
        kernels.to_csr(after, *self.as_kernel_args(order, new_row), columns)
        edges = int(indptr[-1])
        return (
            *(order, indices[:edges] + np.int32(first_row), edge_moves[:edges], indptr[:-1] + np.int32(first_edge)),
            *(ends + first_row, component_ends + np.int32(first_row), new_row[starts] + first_row),
            *(mover, np.asarray(table.winner, np.int8)[order], value, batch.place_keys(order)),
        )

    @cached_property
    def decisions(self) -> tuple[Array, Array, Array]:
        """For every row: whether any move loses value, the fraction of moves that don't, and the sight needed.

        The sight needed is the number of turns that a player must look ahead to avoid a mistake.
        """
        columns = np.empty(self.size, np.int8), np.empty(self.size), np.empty(self.size, np.int32)
        self.kernels.analyze_decisions(self._graph, *self.as_kernel_args(self.mover, self.value, *columns))
        return columns

    @cached_property
    def _orders(self) -> tuple[Array, Array, Array, Array]:
        """Arrays `(order, fill, steps, keys)`, indexed by row; the kernels fill the first three when necessary."""
        order, fill, steps = np.zeros((3, self.size), np.int64)
        return order, fill, steps, self.keys

    def best_moves(self, row: int) -> Array:
        """Return the numbers of the best moves in `row`, by value and then by distance."""
        edges = slice(self.indptr[row], self.indptr[row + 1])
        worth = self.value[self.indices[edges]] * (1 if self.mover[row] == 1 else -1)
        rank = rank_value(np.sign(worth), np.abs(worth))
        best: Array = self.edge_moves[edges][rank == rank.max()]
        return best

    def move_probabilities(self, skills: Skills) -> Array:
        """Return the probability of every move in games between players with the given skills."""
        probabilities, weights = np.empty(len(self.indices)), np.empty((self.max_edges, LANES))
        self.kernels.fill_probabilities(self._graph, self._players, _to_vectors([skills]), weights, probabilities)
        return probabilities

    # Statistics

    def win_rates(self, skills: Sequence[Skills], progress: Progress = lambda _: None) -> WinRates:
        """Return each player's probability of winning in games between players with the given skills."""
        rates, unsettled = np.empty((self.variants, 2, 2, len(skills))), np.zeros(self.variants, np.int8)
        awards = np.zeros((6, LANES))  # for the three kinds of rows, first for player 1's and then for player 2's wins
        awards[1] = awards[5] = 1.0
        for first in range(0, len(skills), LANES):
            some, found = slice(first, first + LANES), np.empty((*rates.shape[:3], LANES))
            columns = self._graph, self._players, self._orders, _to_vectors(skills[some])
            self.kernels.win_rates(*columns, self._buffers, awards, found.reshape(-1, LANES), unsettled, self._limits)
            rates[..., some] = found[..., : len(skills[some])]
            progress(min(1, (first + LANES) / len(skills)))
        return _with_bounds(rates, unsettled)

    def statistics(self, probabilities: Array) -> tuple[WinRates, GameStatistics, Array]:
        """Return the win rates, the expected values, and player 1's chance of winning in every row.

        `probabilities` are the probabilities of all moves. In the chances of winning, an endless game counts as half a
        win.
        """
        chances = np.empty(self.size)
        found, unsettled = np.empty((2, 2 * self.variants, LANES)), np.empty(self.variants, np.int8)
        self.kernels.statistics(
            *(self._graph, self._players, self._orders, self.as_kernel_args(*self.decisions)),
            *(*self.as_kernel_args(probabilities), *_MASK_VECTORS, self._buffers),
            *(found[0], *self.as_kernel_args(chances), found[1], unsettled, self._limits),
        )
        rates, sums = found.reshape(2, self.variants, 2, LANES)
        by_mask = rates[..., : 2 * MASKS].reshape(self.variants, 2, 2, MASKS)
        never_behind = by_mask[:, :, 0, 2] + by_mask[:, :, 1, 3]
        figures = *np.moveaxis(sums, -1, 0)[:STATISTICS], never_behind, np.repeat(unsettled, 2).reshape(-1, 2)
        return _with_bounds(by_mask[..., :1], unsettled), GameStatistics(*figures), chances

    def trace_games(self, probabilities: Array, chances: Array, turns: Array) -> GameTraces:
        """Trace all games started by player 1 together, turn by turn.

        `turns` is the expected number of turns for each variant; variants for which it is too high are not traced.
        """
        limit = max(MAX_TRACED_TURNS_LARGE, min(MAX_TRACED_TURNS, MAX_TRACE_STEPS // self.max_edges))
        self._load_kernels(int(np.diff(self.indptr[self.ends]) @ np.where(turns <= limit, turns, 0.0)))
        rows = int(np.diff(self.ends).max())
        visits, lengths, found = np.zeros(self.size), np.zeros(limit), np.empty(FOUND * self.variants)
        records, reached = np.zeros(2 * TRACED * rows), np.empty(2 * rows, np.int32)
        self.kernels.trace_games(
            *(self._graph, self.as_kernel_args(chances, probabilities, visits), *self.as_kernel_args(turns)),
            *self.as_kernel_args(records, reached, lengths, found),
        )
        percentiles, figures = np.split(found.reshape(-1, FOUND).T, [2])
        low, high = percentiles.astype(np.int64)
        return GameTraces._make([low, high, *np.where(figures < 0, np.nan, figures), lengths, visits])

    def correct_steps(self, edge_steps: Array, steps: int, visits: Array) -> Array:
        """Return the expected number of decisions in which each step is correct, by variant and step.

        `edge_steps` is the step of every edge, and `visits` is the expected number of visits to every row.
        """
        counts, last_row = np.zeros(self.variants * steps), np.empty(steps, np.int64)
        columns = self.as_kernel_args(self.decisions[0], edge_steps, visits, last_row, counts)
        self.kernels.count_correct_steps(self._graph, self._players, *columns)
        return counts.reshape(self.variants, steps)

    def only(self, variant: int) -> PlayGraph:
        """Return the graph of one variant, which shares all arrays with this one."""
        graph = copy(self)
        graph.ends, graph.starts = self.ends[variant : variant + 2], self.starts[variant : variant + 1]
        graph.variants = 1
        return graph

    @property
    def max_edges(self) -> int:
        """Number of edges in the variant with the most edges."""
        return max(1, int(np.diff(self.indptr[self.ends]).max()))

    @property
    def _buffers(self) -> tuple[Array, Array, Array]:
        """Buffers for the weights, lost probabilities and values of one variant."""
        rows = int(np.diff(self.ends).max())
        return np.empty((self.max_edges, LANES)), np.zeros((rows, LANES)), np.empty((rows, LANES))

    @property
    def _limits(self) -> tuple[int, int, int]:
        return MAX_SWEEPS, MAX_ELIMINATION_STEPS, MAX_DENSE_ROWS


def _to_vectors(skills: Sequence[Skills]) -> Array:
    """Return the skills as four vectors, repeating them from the first one on to fill all lanes."""
    columns = np.minimum(np.resize(np.array(skills, float), (LANES, 4)), RANK_SCALE)
    return np.ascontiguousarray(columns.T)


def _with_bounds(rates: Array, unsettled: Array) -> WinRates:
    """Return win rates by variant, first player, winner and chain; those of `unsettled` variants are lower bounds."""
    one, two = rates.transpose(2, 0, 1, 3)
    return WinRates(one, two, np.maximum(0.0, 1.0 - one - two) * unsettled[:, np.newaxis, np.newaxis])


def _mask_vectors() -> tuple[Array, Array]:
    """Return masks and awards for the `MASKS` chains, with one lane per winner and chain."""
    masks, awards = np.ones((3, 2, 2, MASKS)), np.zeros((3, 2, MASKS))
    masks[:, 1, :, 1] = masks[0, :, :, 2] = masks[2, :, :, 3] = 0.0
    awards[1, 0] = awards[2, 1] = 1.0
    return masks.reshape(-1, LANES), awards.reshape(-1, LANES)


_MASK_VECTORS = _mask_vectors()
