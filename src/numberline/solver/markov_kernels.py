"""Numeric kernels for Markov chains, run as plain Python on small graphs and compiled on large ones.

A graph is the tuple `(ends, starts, component_ends, indptr, indices)` described in `markov.PlayGraph`. The successors
of a row are `indices[indptr[row]:indptr[row + 1]]`. Several chains on the same graph are solved together: `weights` has
one row per edge and one column per chain, and `values` has the axes row, quantity and chain. The last `rests` numbers
of the last quantity are remainders: probabilities of games whose result is not determined yet.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from numberline.solver.index import Column
from numberline.solver.jit import jit_compiler
from numberline.solver.worth import RANK_SCALE, rank_value

Graph = tuple[Column, Column, Column, Column, Column]
Buffers = tuple[Column, Column, Column, Column]
Triple = tuple[Column, Column, Column]
Limits = tuple[int, int]

TOLERANCE = 1e-9
MIN_PROBABILITY = 1e-18
LOW_QUANTILE, HIGH_QUANTILE = 0.1, 0.9
MIN_LEAD_CHANCE = 0.55 + TOLERANCE  # a player with a greater chance of winning is felt to be ahead
MIN_DECIDED_CHANCE = 0.9 + TOLERANCE  # a game in which a player has a greater chance of winning is decided
TRACED, FOUND = 5, 5  # numbers per row and figures per variant in a trace
STATISTICS = 9  # figures per row: the eight sums of `markov.GameStatistics` and the remainder
MASKS = 4  # chains of the same players: all moves; only moves that keep the lead; stop if player 1 or 2 is behind
MAX_FILL = 1 << 27  # maximum number of values that an elimination may store
DIRECT_SWEEPS = 50  # a component whose elimination costs at most as much as this many sweeps is not swept first
STEPS_PER_EDGE = 3  # steps of an elimination that cost as much as updating one edge in a sweep


# Layout


def find_components(  # noqa: C901 - one search, whose state would have to be passed around
    after: Column, starts: Column, found: Buffers, search: Buffers
) -> None:
    """List the reachable rows by variant and strongly connected component, each component after its successors.

    This is Tarjan's algorithm. It writes the new number of every row (-1 before the call), the old rows in their new
    order, the end of each row's component, and the end of each variant. Every variant has two `starts`.
    """
    new_row, order, component_ends, ends = found
    discovered, low, stack, path = search
    visited, held, size = 0, 0, 0
    for number in range(len(starts)):
        depth, path[0] = 0 if discovered[starts[number]] == 0 else -1, starts[number]
        while depth >= 0:
            row = path[depth]
            if discovered[row] == 0:
                visited += 1
                discovered[row], low[row], stack[held], new_row[row] = visited, visited, row, -2
                held += 1
            move = -2 - new_row[row]  # the next move to follow, until the row's component is complete
            if move < len(after):
                new_row[row] -= 1
                reached = after[move][row]
                if reached >= 0 and discovered[reached] == 0:
                    depth += 1
                    path[depth] = reached
                elif reached >= 0 and new_row[reached] < 0:
                    low[row] = min(low[row], discovered[reached])
                continue
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[row])
            if low[row] == discovered[row]:
                first = size
                while size == first or order[size - 1] != row:
                    held -= 1
                    new_row[stack[held]], order[size] = size, stack[held]
                    size += 1
                for member in range(first, size):
                    component_ends[member] = size
        ends[number // 2] = size


def to_csr(after: Column, order: Column, new_row: Column, edges: Triple) -> None:
    """Write the successors of the rows in `order`, and the moves that lead to them, in CSR format."""
    indptr, indices, edge_moves = edges
    edge = 0
    for row in range(len(order)):
        indptr[row] = edge
        for move in range(len(after)):
            reached = after[move][order[row]]
            if reached >= 0:
                indices[edge], edge_moves[edge] = new_row[reached], move
                edge += 1
    indptr[len(order)] = edge


# Moves


def analyze_decisions(graph: Graph, mover: Column, value: Column, decides: Column, good: Column, depth: Column) -> None:
    """For every row, write whether any move loses value, the fraction of moves that don't, and the depth needed."""
    _, _, _, indptr, indices = graph
    for row in range(len(mover)):
        wins, draws, losses, quickest, latest = 0, 0, 0, RANK_SCALE, 0
        for edge in range(indptr[row], indptr[row + 1]):
            worth = value[indices[edge]] if mover[row] == 1 else -value[indices[edge]]
            if worth > 0:
                wins += 1
                quickest = min(quickest, worth)
            elif worth == 0:
                draws += 1
            else:
                losses += 1
                latest = max(latest, -worth)
        correct = wins or (draws or losses)
        moves = wins + draws + losses
        decides[row] = 1 if correct < moves else 0
        good[row] = correct / moves if moves else 0.0
        if correct == moves:
            depth[row] = 0
        elif not wins:
            depth[row] = latest
        else:
            depth[row] = quickest if draws else min(quickest, latest)


def fill_skilled_moves(graph: Graph, variant: int, players: Triple, skills: Column, weights: Column) -> None:
    """Write the move probabilities of a variant's rows for every pair of skills.

    `skills` lists the number of turns that player 1 looks ahead in each pair, then player 1's slip rate in each pair,
    then the same for player 2. A player who sees no winning move prefers moves with an unknown result to losing ones.
    """
    ends, _, _, indptr, indices = graph
    mover, value, _ = players
    origin, chains = indptr[ends[variant]], len(skills) // 4
    unseen, if_unseen, if_best = np.zeros(chains), np.empty(chains), np.empty(chains)
    for row in range(ends[variant], ends[variant + 1]):
        sign, turns = (1, 0) if mover[row] == 1 else (-1, 2 * chains)
        slips, begin, end = turns + chains, indptr[row], indptr[row + 1]
        best, best_count = -2 * RANK_SCALE, 0
        for chain in range(chains):
            unseen[chain] = 0.0
        for edge in range(begin, end):
            worth = sign * value[indices[edge]]
            rank = rank_value((worth > 0) - (worth < 0), abs(worth))
            if rank >= best:
                best, best_count = rank, best_count + 1 if rank == best else 1
            distance = abs(worth) if worth != 0 else 2 * RANK_SCALE
            for chain in range(chains):
                unseen[chain] += 1.0 if distance > skills[turns + chain] else 0.0
        quickest_win = RANK_SCALE - best if best > 0 else 2 * RANK_SCALE
        for chain in range(chains):
            guesses = quickest_win > skills[turns + chain] and unseen[chain] > 0.0
            if_unseen[chain] = (1.0 - skills[slips + chain]) / unseen[chain] if guesses else 0.0
            if_best[chain] = 0.0 if guesses else (1.0 - skills[slips + chain]) / max(1, best_count)
        for edge in range(begin, end):
            worth = sign * value[indices[edge]]
            is_best = 1.0 if rank_value((worth > 0) - (worth < 0), abs(worth)) == best else 0.0
            distance = abs(worth) if worth != 0 else 2 * RANK_SCALE
            for chain in range(chains):
                weight = skills[slips + chain] / (end - begin) + is_best * if_best[chain]
                weights[edge - origin, 0, chain] = weight + (
                    if_unseen[chain] if distance > skills[turns + chain] else 0.0
                )


def mask_moves(graph: Graph, variant: int, players: Triple, weights: Column, lost: Column) -> None:
    """Stop all chains in `MASKS` but the first as described there; add the probability of stopping to `lost`."""
    ends, _, _, indptr, indices = graph
    _, value, _ = players
    base, origin = ends[variant], indptr[ends[variant]]
    for row in range(base, ends[variant + 1]):
        lead = (value[row] > 0) - (value[row] < 0)
        for edge in range(indptr[row], indptr[row + 1]):
            reached = value[indices[edge]]
            if (reached > 0) - (reached < 0) != lead:
                lost[row - base, 0, 1] += weights[edge - origin, 0, 1]
                weights[edge - origin, 0, 1] = 0.0
            if lead != 0:
                lost[row - base, 0, 2 if lead < 0 else 3] = 1.0
                weights[edge - origin, 0, 2 if lead < 0 else 3] = 0.0


# Arithmetic on all chains. Arrays have three axes; passing an array and a row is faster than passing a view.


def accumulate(target: Column, row: int, weights: Column, weight: int, source: Column, at: int) -> None:
    """Add the product of a row of weights and a row of `source` to a row of `target`."""
    for quantity in range(target.shape[1]):
        for chain in range(target.shape[2]):
            target[row, quantity, chain] += weights[weight, 0, chain] * source[at, quantity, chain]


def add(target: Column, row: int, source: Column, at: int) -> None:
    for chain in range(target.shape[2]):
        target[row, 0, chain] += source[at, 0, chain]


def scale(target: Column, row: int, factors: Column, at: int) -> None:
    for quantity in range(target.shape[1]):
        for chain in range(target.shape[2]):
            target[row, quantity, chain] *= factors[at, 0, chain]


def copy(target: Column, row: int, source: Column, at: int) -> None:
    for quantity in range(target.shape[1]):
        for chain in range(target.shape[2]):
            target[row, quantity, chain] = source[at, quantity, chain]


def clear(target: Column, row: int) -> None:
    for quantity in range(target.shape[1]):
        for chain in range(target.shape[2]):
            target[row, quantity, chain] = 0.0


def award(values: Column, row: int, quantity: int) -> None:
    """Set one of the row's quantities to 1."""
    for chain in range(values.shape[2]):
        values[row, quantity, chain] = 1.0


def invert(totals: Column, leaving: Column, row: int) -> None:
    """Replace positive totals with their reciprocals; a total of 0 means that the game never leaves the row."""
    for chain in range(totals.shape[2]):
        if totals[0, 0, chain] > 0.0:
            totals[0, 0, chain] = 1.0 / totals[0, 0, chain]
        else:
            leaving[row, 0, chain] = 1.0


def spread(values: Column, row: int, weights: Column, weight: int, at: int, first: int) -> bool:
    """Set remainders of `row` to 1 if a move leads to a positive remainder; return whether any of them was 0."""
    found, last = False, values.shape[1] - 1
    for chain in range(first, values.shape[2]):
        if values[row, last, chain] == 0.0 and weights[weight, 0, chain] > 0.0 and values[at, last, chain] > 0.0:
            values[row, last, chain], found = 1.0, True
    return found


def largest_rest(values: Column, row: int, first: int) -> float:
    """Return the largest remainder of a row."""
    largest, last = 0.0, values.shape[1] - 1
    for chain in range(first, values.shape[2]):
        largest = max(largest, values[row, last, chain])
    return largest


# Values


def solve_values(
    graph: Graph,
    variant: int,
    orders: Triple,
    weights: Column,
    lost: Column,
    values: Column,
    rests: int,
    limits: Limits,
) -> None:
    """Replace the rewards in `values` with the expected sum of rewards from each row of a variant to the end.

    Components come after their successors, so one pass suffices. `lost` is the probability that a chain stops at a row.
    """
    ends, _, component_ends, indptr, indices = graph
    base, row = ends[variant], ends[variant]
    while row < ends[variant + 1]:
        last = component_ends[row]
        if last - row > 1:
            solve_component(graph, variant, row, orders, weights, lost, values, rests, limits)
        else:
            for edge in range(indptr[row], indptr[row + 1]):
                accumulate(values, row - base, weights, edge - indptr[base], values, indices[edge] - base)
        row = last


def solve_component(
    graph: Graph,
    variant: int,
    first: int,
    orders: Triple,
    weights: Column,
    lost: Column,
    values: Column,
    rests: int,
    limits: Limits,
) -> None:
    """Solve the equations of one strongly connected component: by elimination, or by sweeps if they cost less."""
    ends, _, component_ends, indptr, indices = graph
    order, fill, steps = orders[0], orders[1][first], orders[2][first]
    max_sweeps, max_steps = limits
    base, last = ends[variant], component_ends[first]
    inner, size = 0, last - first
    leaving, known = np.empty((size, 1, lost.shape[2])), np.empty((size, values.shape[1], values.shape[2]))
    for row in range(first, last):
        copy(leaving, row - first, lost, row - base)
        for edge in range(indptr[row], indptr[row + 1]):
            if indices[edge] < first:
                accumulate(values, row - base, weights, edge - indptr[base], values, indices[edge] - base)
                add(leaving, row - first, weights, edge - indptr[base])
            else:
                inner += 1
        copy(known, row - first, values, row - base)
    can_eliminate = steps <= max_steps and fill * weights.shape[2] <= MAX_FILL
    settled, sweeps = False, min(max_sweeps, steps // (STEPS_PER_EDGE * inner)) if can_eliminate else max_sweeps
    if sweeps > DIRECT_SWEEPS or not can_eliminate:
        settled = sweep_component(graph, variant, first, weights, leaving, known, values, rests, sweeps)
    if can_eliminate and not settled:
        for row in range(first, last):
            copy(values, row - base, known, row - first)
        eliminate(graph, variant, first, order[first:last], fill, weights, leaving, values)


def order_components(graph: Graph, keys: Column, max_dense_rows: int, orders: Triple) -> None:
    """Write every component's order of elimination, and for its first row the numbers of new edges and of steps."""
    _, _, component_ends, _, _ = graph
    order, fill, steps = orders
    first = 0
    while first < len(keys):
        last = component_ends[first]
        if 1 < last - first <= max_dense_rows:
            fill[first], steps[first] = minimum_degree_order(graph, first, order[first:last])
        elif last - first > 1:
            fill[first], steps[first] = banded_order(graph, first, keys, order[first:last])
        first = last


def minimum_degree_order(graph: Graph, first: int, order: Column) -> tuple[int, int]:
    """Write an order of elimination that creates few new edges; return the numbers of new edges and of steps."""
    _, _, component_ends, indptr, indices = graph
    size = component_ends[first] - first
    adjacent, degree = np.zeros((size, size), np.uint8), np.zeros(size, np.int64)
    for row in range(size):
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                adjacent[row, indices[edge] - first] = adjacent[indices[edge] - first, row] = 1
    for row in range(size):
        degree[row] = adjacent[row].sum()
    fill, steps = 0, 0
    for step in range(size):
        pivot = degree.argmin()
        neighbours = np.flatnonzero(adjacent[pivot])
        order[step] = pivot
        fill += len(neighbours)
        steps += len(neighbours) * (len(neighbours) + 1)
        degree[pivot] = 2 * size
        for neighbour in neighbours:
            adjacent[neighbour] |= adjacent[pivot]
            adjacent[neighbour, neighbour] = adjacent[neighbour, pivot] = 0
            degree[neighbour] = adjacent[neighbour].sum()
    return fill, steps


def banded_order(graph: Graph, first: int, keys: Column, order: Column) -> tuple[int, int]:
    """Write the order by `keys`, in which edges are short; return bounds on the numbers of new edges and of steps."""
    _, _, component_ends, indptr, indices = graph
    size = component_ends[first] - first
    order[:] = np.argsort(keys[first : first + size])
    width, place = 0, np.empty(size, np.int64)
    place[order] = np.arange(size)
    for row in range(size):
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                width = max(width, abs(int(place[indices[edge] - first] - place[row])))
    return size * width, size * width * width


def eliminate(  # noqa: C901, PLR0912 - one pass over the rows, whose state would have to be passed around
    graph: Graph, variant: int, first: int, order: Column, fill: int, weights: Column, leaving: Column, values: Column
) -> None:
    """Solve a component by state reduction: remove rows one by one and pass moves on to their successors.

    A row is divided by the probability of leaving it, a sum of positive numbers, and nothing is ever subtracted, so the
    results are accurate even if games take billions of turns (Grassmann, Taksar and Heyman).
    """
    ends, _, component_ends, indptr, indices = graph
    base, size = ends[variant], component_ends[first] - first
    place, mark = np.empty(size, np.int64), np.full(size, -1)
    place[order] = np.arange(size)
    begin, columns = np.zeros(size + 1, np.int64), np.empty(fill, np.int64)
    chains = weights.shape[2]
    work, upper, totals = np.empty((size, 1, chains)), np.empty((fill, 1, chains)), np.empty((1, 1, chains))
    for step in range(size):
        row = order[step]
        here, lowest, highest, filled = first + row - base, step, step, begin[step]
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                to = place[indices[edge] - first]
                if mark[to] != step:
                    mark[to] = step
                    clear(work, to)
                    lowest, highest = min(lowest, to), max(highest, to)
                add(work, to, weights, edge - indptr[base])
        for removed in range(lowest, step):
            if mark[removed] == step:
                accumulate(values, here, work, removed, values, first + order[removed] - base)
                accumulate(leaving, row, work, removed, leaving, order[removed])
                for entry in range(begin[removed], begin[removed + 1]):
                    to = columns[entry]
                    if mark[to] != step:
                        mark[to] = step
                        clear(work, to)
                        highest = max(highest, to)
                    accumulate(work, to, work, removed, upper, entry)
        copy(totals, 0, leaving, row)
        for to in range(step + 1, highest + 1):
            if mark[to] == step:
                add(totals, 0, work, to)
                copy(upper, filled, work, to)
                columns[filled] = to
                filled += 1
        invert(totals, leaving, row)
        scale(values, here, totals, 0)
        scale(leaving, row, totals, 0)
        for entry in range(begin[step], filled):
            scale(upper, entry, totals, 0)
        begin[step + 1] = filled
    for step in range(size - 1, -1, -1):
        for entry in range(begin[step], begin[step + 1]):
            target, source = first + order[step] - base, first + order[columns[entry]] - base
            accumulate(values, target, upper, entry, values, source)


def sweep_component(  # noqa: C901 - two nested iterations over the same rows
    graph: Graph,
    variant: int,
    first: int,
    weights: Column,
    leaving: Column,
    known: Column,
    values: Column,
    rests: int,
    max_sweeps: int,
) -> bool:
    """Update the rows of a component in turn until all remainders are negligible; return whether they are.

    Values are lower bounds; adding the remainder gives an upper bound. A row's remainder is 1 at first, or 0 if the
    game can't end from there.
    """
    ends, _, component_ends, indptr, indices = graph
    base, last, rest = ends[variant], component_ends[first], weights.shape[2] - rests
    for row in range(first, last):
        clear(values, row - base)
        for chain in range(rest, weights.shape[2]):
            values[row - base, -1, chain] = 1.0 if leaving[row - first, 0, chain] > 0.0 else 0.0
    found = True
    while found:
        found = False
        for row in range(first, last):
            for edge in range(indptr[row], indptr[row + 1]):
                if indices[edge] >= first:
                    found |= spread(values, row - base, weights, edge - indptr[base], indices[edge] - base, rest)
    largest, worst, sweeps = 1.0, 1.0, 0
    while worst * largest > TOLERANCE and sweeps < max_sweeps:
        worst = 0.0
        for row in range(first, last):
            if largest_rest(values, row - base, rest) * largest > TOLERANCE / 1e4:
                copy(values, row - base, known, row - first)
                for edge in range(indptr[row], indptr[row + 1]):
                    if indices[edge] >= first:
                        accumulate(values, row - base, weights, edge - indptr[base], values, indices[edge] - base)
                worst = max(worst, largest_rest(values, row - base, rest))
                largest = max(largest, values[row - base, 0, 0])
        sweeps += 1
    return worst * largest <= TOLERANCE


# Results


def win_rates(
    graph: Graph, players: Triple, orders: Triple, skills: Column, buffers: Triple, rates: Column, limits: Limits
) -> None:
    """Write the win rates of players 1 and 2 and the remainder, at the starts of all variants."""
    ends, starts, _, _, _ = graph
    _, _, winner = players
    weights, lost, values = buffers
    for variant in range(len(ends) - 1):
        base = ends[variant]
        for row in range(base, ends[variant + 1]):
            clear(values, row - base)
            if winner[row] > 0:
                award(values, row - base, winner[row] - 1)
        fill_skilled_moves(graph, variant, players, skills, weights)
        solve_values(graph, variant, orders, weights, lost, values, len(skills) // 4, limits)
        for start in range(2):
            copy(rates, 2 * variant + start, values, starts[2 * variant + start] - base)


def statistics(  # noqa: C901 - one pass per variant, whose buffers would have to be passed around
    graph: Graph,
    players: Triple,
    orders: Triple,
    decisions: Triple,
    given: Column,
    buffers: Triple,
    sum_buffers: Triple,
    rates: Column,
    chances: Column,
    sums: Column,
    limits: Limits,
) -> None:
    """Write the win rates of the chains in `MASKS` and the expected sums of a game, at the starts of all variants.

    Also write player 1's `chances` of winning in every row; an endless game counts as half a win.
    """
    ends, starts, _, indptr, indices = graph
    _, value, winner = players
    decides, good, depth = decisions
    weights, lost, values = buffers
    sum_weights, sum_lost, sum_values = sum_buffers
    for variant in range(len(ends) - 1):
        base, last = ends[variant], ends[variant + 1]
        for row in range(base, last):
            clear(values, row - base)
            clear(lost, row - base)
            if winner[row] > 0:
                award(values, row - base, winner[row] - 1)
        for edge in range(indptr[base], indptr[last]):
            weights[edge - indptr[base]] = given[edge]
            sum_weights[edge - indptr[base]] = given[edge]
        mask_moves(graph, variant, players, weights, lost)
        # The number of remainders is never a literal, because numba would recompile everything for each value.
        solve_values(graph, variant, orders, weights, lost, values, weights.shape[2], limits)
        for row in range(base, last):
            chances[row] = (1.0 + values[row - base, 0, 0] - values[row - base, 1, 0]) / 2.0
        for row in range(base, last):
            clear(sum_values, row - base)
            if indptr[row] < indptr[row + 1]:
                lead = (value[row] > 0) - (value[row] < 0)
                sum_values[row - base, 0, 0] = 1.0
                if decides[row] == 1:
                    sum_values[row - base, 0, 1], sum_values[row - base, 0, 2] = 1.0, good[row]
                    sum_values[row - base, 0, 5] = 1.0 if depth[row] > 2 else 0.0
                for edge in range(indptr[row], indptr[row + 1]):
                    if (value[indices[edge]] > 0) - (value[indices[edge]] < 0) != lead:
                        sum_values[row - base, 0, 3] += given[edge]
                    change = abs(chances[indices[edge]] - chances[row])
                    sum_values[row - base, 0, 7] += given[edge] * change
                sum_values[row - base, 0, 6] = 1.0 if indptr[row + 1] - indptr[row] > 1 else 0.0
                sum_values[row - base, 0, 4] = values[row - base, 0, 1] + values[row - base, 1, 1]
        solve_values(graph, variant, orders, sum_weights, sum_lost, sum_values, sum_values.shape[1], limits)
        for start in range(2):
            copy(rates, 2 * variant + start, values, starts[2 * variant + start] - base)
            copy(sums, 2 * variant + start, sum_values, starts[2 * variant + start] - base)


# Traces


def trace_games(
    graph: Graph,
    chain: Triple,
    turns: Column,
    buffers: Buffers,
    lengths: Column,
    sums: Column,
    found: Column,
) -> None:
    """Trace all games started by player 1 together, turn by turn; write `FOUND` figures per variant, -1 if missing.

    A `chain` is player 1's chance in every row, the probability of every move, and an array for the visits to every
    row, which is filled. Variants with more expected `turns` than there are `lengths` are omitted. The first two
    buffers have `TRACED` numbers per row, all zeros before and after the call; the other two list the rows that games
    are in.
    """
    ends, starts, _, _, _ = graph
    here, there, rows, reached_rows = buffers
    for variant in range(len(ends) - 1):
        base, turn, count, ended, low, high = ends[variant], 0, 1, 0.0, -1.0, -1.0
        for column in range(len(sums)):
            sums[column] = 0.0
        rows[0], here[TRACED * (starts[2 * variant] - base)] = starts[2 * variant], 1.0
        limit = len(lengths) if turns[variant] <= len(lengths) else 0
        while count > 0 and turn < limit and ended < 1.0 - TOLERANCE:
            count = trace_turn(graph, base, chain, turn, count, (here, there, rows, reached_rows), sums)
            lengths[turn], ended, sums[0] = sums[0], ended + sums[0], 0.0
            low = float(turn) if low < 0.0 and ended >= LOW_QUANTILE - TOLERANCE else low
            high = float(turn) if high < 0.0 and ended >= HIGH_QUANTILE - TOLERANCE else high
            here, there, rows, reached_rows, turn = there, here, reached_rows, rows, turn + 1
        for place in range(count):
            for column in range(TRACED):
                here[TRACED * (rows[place] - base) + column] = 0.0
        found[FOUND * variant], found[FOUND * variant + 1] = low, high
        for column in range(1, len(sums)):
            found[FOUND * variant + 1 + column] = sums[column] if ended >= 1.0 - TOLERANCE else -1.0


def trace_turn(graph: Graph, base: int, chain: Triple, turn: int, count: int, buffers: Buffers, sums: Column) -> int:
    """Play one turn of all games and add those that end to `sums`; return the number of rows that the rest reach.

    The numbers of a row are the probability of the games there, the parts of it in which player 1 and player 2 were
    the last to be ahead, the sum of their uncertainties so far, and the number of turns for which they are decided.
    """
    _, _, _, indptr, indices = graph
    chances, probabilities, visits = chain
    here, there, rows, reached_rows = buffers
    reached = 0
    for place in range(count):
        row = rows[place]
        at, chance = TRACED * (row - base), chances[row]
        weight, one, two, unsure, decided = here[at], here[at + 1], here[at + 2], here[at + 3], here[at + 4]
        here[at] = here[at + 1] = here[at + 2] = here[at + 3] = here[at + 4] = 0.0
        if chance > MIN_LEAD_CHANCE:
            sums[3], one, two = sums[3] + two, weight, 0.0
        elif chance < 1.0 - MIN_LEAD_CHANCE:
            sums[3], one, two = sums[3] + one, 0.0, weight
        if indptr[row] == indptr[row + 1]:
            sums[0] += weight
            sums[1] += unsure / max(1, turn)
            sums[2] += decided / max(1, turn)
        elif weight > MIN_PROBABILITY:
            visits[row] += weight
            unsure += weight * (1.0 - abs(2.0 * chance - 1.0))
            decided = decided + weight if max(chance, 1.0 - chance) > MIN_DECIDED_CHANCE else 0.0
            for edge in range(indptr[row], indptr[row + 1]):
                probability = probabilities[edge]
                if probability > 0.0:
                    at = TRACED * (indices[edge] - base)
                    if there[at] == 0.0:
                        reached_rows[reached] = indices[edge]
                        reached += 1
                    there[at] += probability * weight
                    there[at + 1] += probability * one
                    there[at + 2] += probability * two
                    there[at + 3] += probability * unsure
                    there[at + 4] += probability * decided
    return reached


def count_correct_steps(
    graph: Graph, players: Triple, decides: Column, edge_steps: Column, visits: Column, last_row: Column, counts: Column
) -> None:
    """Write, for each variant, the number of decisions in which each step is correct; `last_row` is a buffer."""
    ends, _, _, indptr, indices = graph
    mover, value, _ = players
    for step in range(len(last_row)):
        last_row[step] = -1
    for variant in range(len(ends) - 1):
        for row in range(ends[variant], ends[variant + 1]):
            best = -1
            for edge in range(indptr[row], indptr[row + 1] if decides[row] == 1 else indptr[row]):
                worth = value[indices[edge]] if mover[row] == 1 else -value[indices[edge]]
                best = max(best, (worth > 0) - (worth < 0))
            for edge in range(indptr[row], indptr[row + 1] if decides[row] == 1 else indptr[row]):
                worth, step = value[indices[edge]] if mover[row] == 1 else -value[indices[edge]], edge_steps[edge]
                if (worth > 0) - (worth < 0) == best and last_row[step] != row:
                    last_row[step] = row
                    counts[variant * len(last_row) + step] += visits[row]


# Kernels are compiled in this order, so each must come after the kernels it calls.
_INLINED = (rank_value, accumulate, add, scale, copy, clear, award, invert, spread, largest_rest)
_KERNELS = (
    *_INLINED,
    *(find_components, to_csr, analyze_decisions, fill_skilled_moves, mask_moves),
    *(minimum_degree_order, banded_order, order_components),
    *(eliminate, sweep_component, solve_component, solve_values),
    *(win_rates, statistics, trace_turn, trace_games, count_correct_steps),
)


def _accumulate(target: Column, row: int, weights: Column, weight: int, source: Column, at: int) -> None:
    target[row] += weights[weight] * source[at]


def _add(target: Column, row: int, source: Column, at: int) -> None:
    target[row] += source[at]


def _scale(target: Column, row: int, factors: Column, at: int) -> None:
    target[row] *= factors[at]


def _copy(target: Column, row: int, source: Column, at: int) -> None:
    target[row] = source[at]


def _clear(target: Column, row: int) -> None:
    target[row] = 0.0


def _award(values: Column, row: int, quantity: int) -> None:
    values[row, quantity] = 1.0


def _largest_rest(values: Column, row: int, first: int) -> Any:
    return values[row, -1, first:].max()


_ARRAY_OPERATIONS = {
    "accumulate": _accumulate,
    "add": _add,
    "scale": _scale,
    "copy": _copy,
    "clear": _clear,
    "award": _award,
    "largest_rest": _largest_rest,
}
"""Kernels that are faster as array operations unless they are compiled."""


@cache
def load_kernels(*, compiled: bool) -> SimpleNamespace:
    """Return the kernels, compiled if requested and numba is installed."""
    compile_kernel = jit_compiler() if compiled else None
    names = dict(globals())  # namespace in which kernels look up the kernels they call
    for kernel in _KERNELS:
        name, linked = kernel.__name__, FunctionType(kernel.__code__, names, kernel.__name__)
        if compile_kernel is None:
            names[name] = _ARRAY_OPERATIONS.get(name, linked)
        elif kernel in _INLINED:
            import numba

            names[name] = numba.njit(inline="always")(linked)
        else:
            names[name] = compile_kernel(linked)
    return SimpleNamespace(
        compiled=compile_kernel is not None, **{each.__name__: names[each.__name__] for each in _KERNELS}
    )
