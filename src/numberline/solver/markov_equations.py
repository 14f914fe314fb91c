"""Linear equations of Markov chains: strongly connected components, solved by elimination or by sweeps.

`LANES` numbers are computed together, in vectors (see `simd`). `weights` has one vector per edge, and `values` has
one vector per row. Each lane is a chain, or a figure of a chain whose lanes all have the same weights.
"""

from __future__ import annotations

import numpy as np

from numberline.solver.index import Column
from numberline.solver.simd import LANES, load, splat, store, where_greater

Graph = tuple[Column, Column, Column, Column, Column]
Triple = tuple[Column, Column, Column]
Orders = tuple[Column, Column, Column, Column]
Limits = tuple[int, int, int]

TOLERANCE = 1e-9
ALL_END, SOME_ENDLESS, UNSETTLED = 0, 1, 2  # results: every game ends, some may not, and the bounds have not met
MAX_FILL = 1 << 23  # maximum number of vectors that an elimination may store
EARLY_SWEEPS = 160  # elimination is considered only after this many sweeps
STEPS_PER_EDGE = 3  # number of elimination steps that cost as much as updating one edge in a sweep
SWEEPS_PER_CHECK, ROWS_PER_CHECK = 4, 32
MAX_GROWTH = 0.99  # if changes shrink more slowly, rounding errors could exceed the tolerance
MAX_GAP = 1e-10  # relative difference of the bounds of a value
ROUNDING, TINY = 1e-12, 1e-200  # a change below `ROUNDING` times the value says nothing about convergence


def solve_values(graph: Graph, variant: int, orders: Orders, buffers: Triple, limits: Limits) -> int:
    """Replace each row's reward with the expected sum of rewards from there to the end of the game.

    `buffers` contains the weights, each row's probability that a chain stops there, and the values: at first, the
    rewards. Components come after their successors, so one pass suffices.
    """
    weights, _, values = buffers
    ends, _, component_ends, indptr, indices = graph
    base, row, result = ends[variant], ends[variant], ALL_END
    origin = indptr[base]
    while row < ends[variant + 1]:
        last = component_ends[row]
        if last - row > 1:
            result = max(result, solve_component(graph, variant, row, orders, buffers, limits))
        else:
            total = load(values, row - base)
            for edge in range(indptr[row], indptr[row + 1]):
                total = total + load(weights, edge - origin) * load(values, indices[edge] - base)
            store(values, row - base, total)
        row = last
    return result


def solve_component(graph: Graph, variant: int, first: int, orders: Orders, buffers: Triple, limits: Limits) -> int:
    """Solve the equations of one strongly connected component by sweeps, or by elimination if that costs less."""
    weights, lost, values = buffers
    ends, _, component_ends, indptr, indices = graph
    order, fill, steps, keys = orders
    max_sweeps, max_steps, max_dense_rows = limits
    base, last = ends[variant], component_ends[first]
    inner, origin = 0, indptr[base]
    leaving = lost[first - base : last - base].copy()
    for row in range(first, last):
        for edge in range(indptr[row], indptr[row + 1]):
            if indices[edge] >= first:
                inner += 1
                continue
            weight = load(weights, edge - origin)
            store(leaving, row - first, load(leaving, row - first) + weight)
            store(values, row - base, load(values, row - base) + weight * load(values, indices[edge] - base))
    here = values[first - base : last - base]
    equations, known = (weights, leaving, here), here.copy()
    result = sweep_component(graph, variant, first, equations, known, min(max_sweeps, EARLY_SWEEPS))
    if result == UNSETTLED:
        if steps[first] == 0:
            if last - first <= max_dense_rows:
                fill[first], steps[first] = minimum_degree_order(graph, first, order[first:last])
            else:
                fill[first], steps[first] = banded_order(graph, first, keys, order[first:last])
        can_eliminate = steps[first] <= max_steps and fill[first] <= MAX_FILL
        sweeps = min(max_sweeps, steps[first] // (STEPS_PER_EDGE * inner)) if can_eliminate else max_sweeps
        if sweeps > EARLY_SWEEPS:
            result = sweep_component(graph, variant, first, equations, known, sweeps)
        if result == UNSETTLED and can_eliminate:
            here[:] = known
            result = eliminate(graph, variant, first, order[first:last], fill[first], equations)
    return result


def minimum_degree_order(graph: Graph, first: int, order: Column) -> tuple[int, int]:
    """Write an elimination order with little fill-in; return the number of edges to store and the number of steps."""
    _, _, component_ends, indptr, indices = graph
    size = component_ends[first] - first
    adjacent, degree = np.zeros((size, size), np.uint8), np.zeros(size, np.int64)
    for row in range(size):
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                adjacent[row, indices[edge] - first] = adjacent[indices[edge] - first, row] = 1
    np.fill_diagonal(adjacent, 0)
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
            adjacent[neighbour, pivot] = 0
            degree[neighbour] -= 1
            for other in neighbours:
                if adjacent[neighbour, other] == 0 and other != neighbour:
                    adjacent[neighbour, other] = 1
                    degree[neighbour] += 1
    return fill, steps


def banded_order(graph: Graph, first: int, keys: Column, order: Column) -> tuple[int, int]:
    """Order the rows by `keys`, which keeps edges short; return upper bounds on the edges to store and on the steps."""
    _, _, component_ends, indptr, indices = graph
    size = component_ends[first] - first
    order[:] = np.argsort(keys[first : first + size], kind="mergesort")
    width, place = 0, np.empty(size, np.int64)
    place[order] = np.arange(size)
    for row in range(size):
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                width = max(width, abs(int(place[indices[edge] - first] - place[row])))
    return size * width, size * width * width


def eliminate(graph: Graph, variant: int, first: int, order: Column, fill: int, equations: Triple) -> int:  # noqa: C901 - one pass over the rows, whose state would have to be passed around
    """Solve a component by state reduction: remove rows one by one and redirect moves that lead to removed rows.

    Each row is divided by the probability of leaving it, which is a sum of positive numbers. Nothing is ever
    subtracted, so the results are accurate even if games take billions of turns (Grassmann, Taksar and Heyman).
    """
    weights, leaving, values = equations
    ends, _, component_ends, indptr, indices = graph
    origin, size = indptr[ends[variant]], component_ends[first] - first
    place, mark = np.empty(size, np.int64), np.full(size, -1)
    place[order] = np.arange(size)
    begin, columns = np.zeros(size + 1, np.int64), np.empty(fill, np.int64)
    work, upper = np.empty((size, LANES)), np.empty((fill, LANES))
    zero, one = splat(0.0), splat(1.0)
    least = one
    for step in range(size):
        row = order[step]
        lowest, highest, filled = step, step, begin[step]
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                to, weight = place[indices[edge] - first], load(weights, edge - origin)
                lowest, highest = min(lowest, to), max(highest, to)
                store(work, to, load(work, to) + weight if mark[to] == step else weight)
                mark[to] = step
        leaves = load(leaving, row)
        for removed in range(lowest, step):
            if mark[removed] == step:
                weight = load(work, removed)
                leaves = leaves + weight * load(leaving, order[removed])
                store(values, row, load(values, row) + weight * load(values, order[removed]))
                for entry in range(begin[removed], begin[removed + 1]):
                    to, passed_on = columns[entry], weight * load(upper, entry)
                    highest = max(highest, to)
                    store(work, to, load(work, to) + passed_on if mark[to] == step else passed_on)
                    mark[to] = step
        total = leaves
        for to in range(step + 1, highest + 1):
            if mark[to] == step:
                total = total + load(work, to)
                columns[filled] = to
                filled += 1
        least = where_greater(least, total, total, least)
        # If games never leave a row, its value is 0. Reaching it counts as leaving the component.
        factor = where_greater(total, zero, one / where_greater(total, zero, total, one), zero)
        store(leaving, row, where_greater(total, zero, leaves * factor, one))
        store(values, row, load(values, row) * factor)
        for entry in range(begin[step], filled):
            store(upper, entry, load(work, columns[entry]) * factor)
        begin[step + 1] = filled
    for step in range(size - 1, -1, -1):
        total = load(values, order[step])
        for entry in range(begin[step], begin[step + 1]):
            total = total + load(upper, entry) * load(values, order[columns[entry]])
        store(values, order[step], total)
    store(work, 0, least)
    return ALL_END if work[0].min() > 0.0 else SOME_ENDLESS


def sweep_component(graph: Graph, variant: int, first: int, equations: Triple, known: Column, max_sweeps: int) -> int:  # noqa: C901, PLR0912 - several passes over the same rows
    """Sweep over the rows of a component, at most `max_sweeps` times, until the values can be extrapolated.

    Values start at 0 and grow, so they are lower bounds. Rows from which a game can't end keep the value 0.
    """
    weights, leaving, values = equations
    ends, _, component_ends, indptr, indices = graph
    origin, size, edges = indptr[ends[variant]], component_ends[first] - first, 0
    begin, inner = np.zeros(size + 1, np.int64), np.empty((indptr[first + size] - indptr[first], 2), np.int64)
    for row in range(size):
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                inner[edges, 0], inner[edges, 1] = edge - origin, indices[edge] - first
                edges += 1
        begin[row + 1] = edges
    zero, one = splat(0.0), splat(1.0)
    can_end, counts, previous, found = np.zeros_like(leaving), leaving[:1].copy(), -1.0, 0.0
    while previous < found < size * LANES:
        total, previous = zero, found
        for row in range(size):
            ending = where_greater(load(leaving, row), zero, one, load(can_end, row))
            for edge in range(begin[row], begin[row + 1]):
                after = load(weights, inner[edge, 0]) * load(can_end, inner[edge, 1])
                ending = where_greater(after, zero, one, ending)
            store(can_end, row, ending)
            total = total + ending
        store(counts, 0, total)
        found = counts.sum()
    for row in range(size):
        store(known, row, load(known, row) * load(can_end, row))
    values[:] = 0.0
    earlier, later = values.copy(), values.copy()
    for sweep in range(1, max_sweeps + 1):
        if sweep % SWEEPS_PER_CHECK == SWEEPS_PER_CHECK - 1:
            earlier[:] = values
        if sweep % SWEEPS_PER_CHECK == 0:
            later[:] = values
        for row in range(size):
            total = load(known, row)
            for edge in range(begin[row], begin[row + 1]):
                total = total + load(weights, inner[edge, 0]) * load(values, inner[edge, 1])
            store(values, row, total)
        if sweep % SWEEPS_PER_CHECK == 0 and extrapolate(earlier, later, values):
            return ALL_END if found == size * LANES else SOME_ENDLESS
    return UNSETTLED


def extrapolate(earlier: Column, later: Column, values: Column) -> bool:
    """Replace the values of three successive sweeps with their limit, if its bounds have met; return whether they have.

    If all changes shrink by factors from `decay` to `growth` between two sweeps, all later changes do too, because no
    weight is negative (Collatz and Wielandt). That bounds the sum of all later changes.
    """
    zero, one, limit, bounds = splat(0.0), splat(1.0), splat(MAX_GROWTH), np.empty((2, LANES))
    growth, decay, peak, least = zero, splat(1.0 / TINY), zero, zero
    for end in range(len(values), 0, -ROWS_PER_CHECK):
        for row in range(max(0, end - ROWS_PER_CHECK), end):
            value, change = load(values, row), load(values, row) - load(later, row)
            before = load(later, row) - load(earlier, row)
            ratio, noise = change / where_greater(before, splat(TINY), before, splat(TINY)), value * splat(ROUNDING)
            growth = where_greater(where_greater(change, noise, ratio, zero), growth, ratio, growth)
            decay = where_greater(decay, where_greater(change, noise, ratio, decay), ratio, decay)
            share = change / where_greater(value, splat(TINY), value, splat(TINY))
            peak = where_greater(share, peak, share, peak)
        slowest = where_greater(decay, growth, growth, decay)
        most = growth / where_greater(limit, growth, one - growth, one)
        least = slowest / where_greater(limit, slowest, one - slowest, one)
        store(bounds, 0, growth)
        store(bounds, 1, (most - least) * peak)
        if bounds[0].max() >= MAX_GROWTH or bounds[1].max() > MAX_GAP:
            return False
    for row in range(len(values)):
        change = load(values, row) - load(later, row)
        store(values, row, load(values, row) + least * change)
    return True


EQUATION_KERNELS = (
    *(minimum_degree_order, banded_order, eliminate),
    *(extrapolate, sweep_component, solve_component, solve_values),
)
