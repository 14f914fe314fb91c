"""Linear equations of Markov chains: strongly connected components, solved by elimination or by sweeps.

`LANES` numbers are computed together, in vectors (see `simd`). `weights` has one vector per edge, and `values` has
`quantities` vectors per row. If there are several quantities, such as the two win rates, each lane is a chain, and the
last vector of a row contains the remainders. If `quantities` is 1, the lanes of a row's only vector can be different
quantities, and `rests` selects the lanes that are remainders. A remainder is the probability that a game's result is
not determined yet.

Interpreted kernels handle all quantities of a row in one array operation, so they always use `quantities` = 1.
"""

from __future__ import annotations

import numpy as np

from numberline.solver.index import Column
from numberline.solver.simd import LANES, load, splat, store, where_greater

Graph = tuple[Column, Column, Column, Column, Column]
Triple = tuple[Column, Column, Column]
Limits = tuple[int, int]

TOLERANCE = 1e-9
MAX_ROUNDING = 1e-12  # larger differences between sums of probabilities are not due to rounding
MAX_FILL = 1 << 23  # maximum number of vectors that an elimination may store
DIRECT_SWEEPS = 50  # if elimination costs at most as much as this many sweeps, a component is eliminated right away
STEPS_PER_EDGE = 3  # number of elimination steps that cost as much as updating one edge in a sweep


def solve_values(
    graph: Graph,
    variant: int,
    orders: Triple,
    weights: Column,
    lost: Column,
    values: Column,
    quantities: int,
    rests: Column,
    limits: Limits,
) -> None:
    """Replace the rewards in `values` with the expected sum of rewards from each row of a variant to the end.

    Components come after their successors, so one pass suffices. `lost` is the probability that a chain stops at a row.
    """
    ends, _, component_ends, indptr, indices = graph
    base, row = ends[variant], ends[variant]
    origin = indptr[base]
    while row < ends[variant + 1]:
        last = component_ends[row]
        if last - row > 1:
            solve_component(graph, variant, row, orders, weights, lost, values, quantities, rests, limits)
        else:
            for quantity in range(quantities):
                total = load(values, (row - base) * quantities + quantity)
                for edge in range(indptr[row], indptr[row + 1]):
                    after = load(values, (indices[edge] - base) * quantities + quantity)
                    total = total + load(weights, edge - origin) * after
                store(values, (row - base) * quantities + quantity, total)
        row = last


def solve_component(
    graph: Graph,
    variant: int,
    first: int,
    orders: Triple,
    weights: Column,
    lost: Column,
    values: Column,
    quantities: int,
    rests: Column,
    limits: Limits,
) -> None:
    """Solve the equations of one strongly connected component: by elimination, or by sweeps if they cost less."""
    ends, _, component_ends, indptr, indices = graph
    order, fill, steps = orders[0], orders[1][first], orders[2][first]
    max_sweeps, max_steps = limits
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
            for quantity in range(quantities):
                here = (row - base) * quantities + quantity
                after = load(values, (indices[edge] - base) * quantities + quantity)
                store(values, here, load(values, here) + weight * after)
    can_eliminate = steps <= max_steps and fill <= MAX_FILL
    settled, sweeps = False, min(max_sweeps, steps // (STEPS_PER_EDGE * inner)) if can_eliminate else max_sweeps
    if sweeps > DIRECT_SWEEPS or not can_eliminate:
        known = values[(first - base) * quantities : (last - base) * quantities].copy()
        settled = sweep_component(graph, variant, first, weights, leaving, known, values, quantities, rests, sweeps)
        if can_eliminate and not settled:
            values[(first - base) * quantities : (last - base) * quantities] = known
    if can_eliminate and not settled:
        eliminate(graph, variant, first, order[first:last], fill, weights, leaving, values, quantities)


def order_components(graph: Graph, keys: Column, max_dense_rows: int, orders: Triple) -> None:
    """Write the elimination order of every component and its costs to the arrays `(order, fill, steps)`.

    At a component's first row, `fill` is the number of edges that elimination stores, and `steps` the number of steps
    that it takes.
    """
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


def eliminate(  # noqa: C901, PLR0912 - one pass over the rows, whose state would have to be passed around
    graph: Graph,
    variant: int,
    first: int,
    order: Column,
    fill: int,
    weights: Column,
    leaving: Column,
    values: Column,
    quantities: int,
) -> None:
    """Solve a component by state reduction: remove rows one by one and redirect moves that lead to removed rows.

    Each row is divided by the probability of leaving it, which is a sum of positive numbers. Nothing is ever
    subtracted, so the results are accurate even if games take billions of turns (Grassmann, Taksar and Heyman).
    """
    ends, _, component_ends, indptr, indices = graph
    base, size = ends[variant], component_ends[first] - first
    place, mark = np.empty(size, np.int64), np.full(size, -1)
    place[order] = np.arange(size)
    begin, columns = np.zeros(size + 1, np.int64), np.empty(fill, np.int64)
    work, upper = np.empty((size, LANES)), np.empty((fill, LANES))
    zero, one = splat(0.0), splat(1.0)
    for step in range(size):
        row = order[step]
        here, lowest, highest, filled = (first + row - base) * quantities, step, step, begin[step]
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                to, weight = place[indices[edge] - first], load(weights, edge - indptr[base])
                lowest, highest = min(lowest, to), max(highest, to)
                store(work, to, load(work, to) + weight if mark[to] == step else weight)
                mark[to] = step
        leaves = load(leaving, row)
        for removed in range(lowest, step):
            if mark[removed] == step:
                weight = load(work, removed)
                leaves = leaves + weight * load(leaving, order[removed])
                for quantity in range(quantities):
                    after = load(values, (first + order[removed] - base) * quantities + quantity)
                    store(values, here + quantity, load(values, here + quantity) + weight * after)
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
        # If games never leave a row, its value is 0. Reaching it counts as leaving the component.
        factor = where_greater(total, zero, one / where_greater(total, zero, total, one), zero)
        store(leaving, row, where_greater(total, zero, leaves * factor, one))
        for quantity in range(quantities):
            store(values, here + quantity, load(values, here + quantity) * factor)
        for entry in range(begin[step], filled):
            store(upper, entry, load(work, columns[entry]) * factor)
        begin[step + 1] = filled
    for step in range(size - 1, -1, -1):
        here = (first + order[step] - base) * quantities
        for quantity in range(quantities):
            total = load(values, here + quantity)
            for entry in range(begin[step], begin[step + 1]):
                after = load(values, (first + order[columns[entry]] - base) * quantities + quantity)
                total = total + load(upper, entry) * after
            store(values, here + quantity, total)


def sweep_component(  # noqa: C901, PLR0912 - several passes over the same rows
    graph: Graph,
    variant: int,
    first: int,
    weights: Column,
    leaving: Column,
    known: Column,
    values: Column,
    quantities: int,
    rests: Column,
    max_sweeps: int,
) -> bool:
    """Sweep over the rows of a component, at most `max_sweeps` times, until all remainders are negligible.

    Return whether they are. Values are lower bounds; adding the remainder gives an upper bound. A row's remainder is
    initially 1, or 0 if the game can't end from that row.
    """
    ends, _, component_ends, indptr, indices = graph
    base, size = ends[variant], component_ends[first] - first
    here, origin, edges = values[(first - base) * quantities :], indptr[base], 0
    begin, inner = np.zeros(size + 1, np.int64), np.empty((indptr[first + size] - indptr[first], 2), np.int64)
    for row in range(size):
        for edge in range(indptr[first + row], indptr[first + row + 1]):
            if indices[edge] >= first:
                inner[edges, 0], inner[edges, 1] = edge - origin, (indices[edge] - first) * quantities
                edges += 1
        begin[row + 1] = edges
    zero, rest = splat(0.0), load(rests, 0)
    peaks, previous, found, missing = rests.copy(), -1.0, 0.0, zero * rest
    here[: size * quantities] = 0.0
    while found > previous:
        total, previous = zero * rest, found
        for row in range(size):
            remainder = where_greater(load(leaving, row), zero, rest, load(here, (row + 1) * quantities - 1))
            for edge in range(begin[row], begin[row + 1]):
                after = load(weights, inner[edge, 0]) * load(here, inner[edge, 1] + quantities - 1)
                remainder = where_greater(after, zero, rest, remainder)
            store(here, (row + 1) * quantities - 1, remainder)
            total = total + remainder
        store(peaks, 0, total)
        found = peaks.sum()
    # If all games end, the first of several quantities is 1 minus the sum of the others, so it needs no sweeps.
    for row in range(size if quantities > 1 else 0):
        endless = load(leaving, row)
        for quantity in range(quantities):
            endless = endless - load(known, row * quantities + quantity)
        missing = where_greater(endless, missing, endless, missing)
    store(peaks, 0, missing)
    skipped = 1 if quantities > 1 and found == size * LANES and peaks.max() <= MAX_ROUNDING else 0
    settled, sweeps = False, 0
    while not settled and sweeps < max_sweeps:
        peak = zero * rest
        for row in range(size):
            total = zero
            for quantity in range(skipped, quantities):
                total = load(known, row * quantities + quantity)
                for edge in range(begin[row], begin[row + 1]):
                    total = total + load(weights, inner[edge, 0]) * load(here, inner[edge, 1] + quantity)
                store(here, row * quantities + quantity, total)
            peak = where_greater(total, peak, total, peak)
        store(peaks, 0, peak)
        settled, sweeps = (peaks * rests).max() * max(1.0, peaks.ravel()[0]) <= TOLERANCE, sweeps + 1
    for row in range(size * skipped):
        total = splat(1.0)
        for quantity in range(1, quantities):
            total = total - load(here, row * quantities + quantity)
        store(here, row * quantities, where_greater(total, zero, total, zero))
    return settled


EQUATION_KERNELS = (
    *(minimum_degree_order, banded_order, order_components),
    *(eliminate, sweep_component, solve_component, solve_values),
)
