"""Numeric kernels for Markov chains, run as plain Python on small graphs and compiled on large ones.

A graph is the tuple `(ends, starts, component_ends, indptr, indices)` described in `markov.PlayGraph`. The successors
of a row are `indices[indptr[row]:indptr[row + 1]]`. `markov_equations` describes `weights`, `values` and `rests`.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, SimpleNamespace

from numberline.solver import markov_equations
from numberline.solver.index import Column
from numberline.solver.jit import jit_compiler
from numberline.solver.markov_equations import (
    ALL_END,
    EQUATION_KERNELS,
    SOME_ENDLESS,
    TOLERANCE,
    UNSETTLED,
    Graph,
    Limits,
    Orders,
    Triple,
    solve_values,
)
from numberline.solver.simd import load, splat, store, vector_kernels, where_greater
from numberline.solver.worth import RANK_SCALE, rank_value

Buffers = tuple[Column, Column, Column, Column]

MIN_PROBABILITY = 1e-18
LOW_QUANTILE, HIGH_QUANTILE = 0.1, 0.9
MIN_LEAD_CHANCE = 0.55 + TOLERANCE  # a player whose chance of winning exceeds this is felt to be ahead
MIN_DECIDED_CHANCE = 0.9 + TOLERANCE  # a game is decided while a player's chance of winning exceeds this
TRACED, FOUND = 5, 5  # numbers per row and figures per variant in a trace
STATISTICS = 8  # figures per row: the sums of `markov.GameStatistics`
MASKS = 4  # chains: all moves; only moves that keep the lead; stop if player 1 is behind; stop if player 2 is behind


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
    """For every row, write whether any move loses value, the fraction of moves that don't, and the sight needed.

    The sight needed is the number of turns that a player must look ahead to avoid a mistake.
    """
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

    `skills` has four vectors: the number of turns that player 1 looks ahead in each pair, player 1's slip rate in each
    pair, and the same for player 2. A player who sees no winning move prefers moves with an unknown result to losing
    ones.
    """
    ends, _, _, indptr, indices = graph
    mover, value, _ = players
    origin, zero, one = indptr[ends[variant]], splat(0.0), splat(1.0)
    for row in range(ends[variant], ends[variant + 1]):
        sign, player = (1, 0) if mover[row] == 1 else (-1, 2)
        turns, slip = load(skills, player), load(skills, player + 1)
        begin, end = indptr[row], indptr[row + 1]
        best, best_worth, best_count, unseen = -2 * RANK_SCALE, 0, 0, zero
        for edge in range(begin, end):
            worth = sign * value[indices[edge]]
            rank = rank_value((worth > 0) - (worth < 0), abs(worth))
            if rank >= best:
                best, best_worth, best_count = rank, worth, best_count + 1 if rank == best else 1
            distance = splat(abs(worth) if worth != 0 else 2 * RANK_SCALE)
            unseen = unseen + where_greater(distance, turns, one, zero)
        quickest_win = splat(best_worth if best > 0 else 2 * RANK_SCALE)
        # Number of moves with an unknown result that the player guesses from; 0 if the player sees a win.
        guesses = where_greater(quickest_win, turns, unseen, zero)
        if_any, intended = slip * splat(1.0 / max(1, end - begin)), one - slip
        share = intended / where_greater(guesses, zero, guesses, splat(max(1, best_count)))
        if_unseen, if_best = where_greater(guesses, zero, share, zero), where_greater(guesses, zero, zero, share)
        for edge in range(begin, end):
            worth = sign * value[indices[edge]]
            distance = splat(abs(worth) if worth != 0 else 2 * RANK_SCALE)
            weight = if_any + where_greater(distance, turns, if_unseen, zero)
            store(weights, edge - origin, weight + if_best if worth == best_worth else weight)


def fill_probabilities(graph: Graph, players: Triple, skills: Column, weights: Column, probabilities: Column) -> None:
    """Write the move probabilities of all variants for the first pair of skills; `weights` is a buffer."""
    ends, _, _, indptr, _ = graph
    for variant in range(len(ends) - 1):
        first, last = indptr[ends[variant]], indptr[ends[variant + 1]]
        fill_skilled_moves(graph, variant, players, skills, weights)
        probabilities[first:last] = weights[: last - first, 0]


def fill_masked_moves(
    graph: Graph, variant: int, players: Triple, given: Column, masks: Column, weights: Column, lost: Column
) -> None:
    """Write the `given` move probabilities times their masks to `weights`, and the chance of stopping to `lost`.

    There are two `masks` for each leader (player 2, none, player 1): one for moves that keep the lead and one for all
    others.
    """
    ends, _, _, indptr, indices = graph
    _, value, _ = players
    base, origin = ends[variant], indptr[ends[variant]]
    for row in range(base, ends[variant + 1]):
        lead, stopped = (value[row] > 0) - (value[row] < 0), splat(0.0)
        for edge in range(indptr[row], indptr[row + 1]):
            reached = value[indices[edge]]
            keeps = (reached > 0) - (reached < 0) == lead
            weight = splat(given[edge])
            kept = weight * load(masks, 2 * (lead + 1) + (0 if keeps else 1))
            store(weights, edge - origin, kept)
            stopped = stopped + (weight - kept)
        store(lost, row - base, stopped)


# Results


def win_rates(
    graph: Graph,
    players: Triple,
    orders: Orders,
    skills: Column,
    buffers: Triple,
    awards: Column,
    rates: Column,
    unsettled: Column,
    limits: Limits,
) -> None:
    """Write the win rates of players 1 and 2 at the starts of all variants, and whether they are only lower bounds.

    `awards` contains the values for three kinds of rows: not yet won, won by player 1, and won by player 2. If every
    game has a winner, player 2's win rates follow from player 1's.
    """
    ends, starts, _, indptr, _ = graph
    _, _, winner = players
    weights, _, values = buffers
    for variant in range(len(ends) - 1):
        base, result = ends[variant], ALL_END
        fill_skilled_moves(graph, variant, players, skills, weights)
        for player in range(2):
            for row in range(base, ends[variant + 1]):
                store(values, row - base, load(awards, 3 * player + winner[row]))
                if winner[row] == 0 and indptr[row] == indptr[row + 1]:
                    result = max(result, SOME_ENDLESS)
            if player == 0 or result != ALL_END:
                result = max(result, solve_values(graph, variant, orders, buffers, limits))
            for start in range(2 * variant, 2 * variant + 2):
                rate = load(values, starts[start] - base)
                if player == 1 and result == ALL_END:
                    rest = splat(1.0) - load(rates, 2 * start)
                    rate = where_greater(rest, splat(0.0), rest, splat(0.0))
                store(rates, 2 * start + player, rate)
        unsettled[variant] = max(unsettled[variant], result == UNSETTLED)


def statistics(  # noqa: C901 - one pass per variant, whose buffers would have to be passed around
    graph: Graph,
    players: Triple,
    orders: Orders,
    decisions: Triple,
    given: Column,
    masks: Column,
    awards: Column,
    buffers: Triple,
    rates: Column,
    chances: Column,
    sums: Column,
    unsettled: Column,
    limits: Limits,
) -> None:
    """Write the win rates of the `MASKS` chains and the sums of `markov.GameStatistics`, at the starts of all variants.

    Also write player 1's `chances` of winning in every row, where an endless game counts as half a win, and whether the
    results of a variant are only lower bounds.
    """
    ends, starts, _, indptr, indices = graph
    _, value, winner = players
    decides, good, depth = decisions
    weights, lost, values = buffers
    for variant in range(len(ends) - 1):
        base, last = ends[variant], ends[variant + 1]
        for row in range(base, last):
            store(values, row - base, load(awards, winner[row]))
        fill_masked_moves(graph, variant, players, given, masks, weights, lost)
        result = solve_values(graph, variant, orders, buffers, limits)
        for start in range(2):
            store(rates, 2 * variant + start, load(values, starts[2 * variant + start] - base))
        for row in range(base, last):
            chances[row] = max(0.0, min(1.0, (1.0 + values[row - base, 0] - values[row - base, MASKS]) / 2.0))
        for row in range(base, last):
            settled = values[row - base, 1] + values[row - base, MASKS + 1]
            store(values, row - base, load(awards, 0))
            store(lost, row - base, load(awards, 0))
            if indptr[row] < indptr[row + 1]:
                lead = (value[row] > 0) - (value[row] < 0)
                values[row - base, 0] = 1.0
                if decides[row] == 1:
                    values[row - base, 1], values[row - base, 2] = 1.0, good[row]
                    values[row - base, 5] = 1.0 if depth[row] > 2 else 0.0
                for edge in range(indptr[row], indptr[row + 1]):
                    store(weights, edge - indptr[base], splat(given[edge]))
                    if (value[indices[edge]] > 0) - (value[indices[edge]] < 0) != lead:
                        values[row - base, 3] += given[edge]
                    values[row - base, 7] += given[edge] * abs(chances[indices[edge]] - chances[row])
                values[row - base, 6] = 1.0 if indptr[row + 1] - indptr[row] > 1 else 0.0
                values[row - base, 4] = settled
        result = max(result, solve_values(graph, variant, orders, buffers, limits))
        unsettled[variant] = result == UNSETTLED
        for start in range(2):
            store(sums, 2 * variant + start, load(values, starts[2 * variant + start] - base))


# Traces


def trace_games(  # noqa: C901 - one call per turn would take longer than the turns of a small graph
    graph: Graph, chain: Triple, turns: Column, records: Column, rows: Column, lengths: Column, found: Column
) -> None:
    """Trace all games started by player 1 together, turn by turn; write `FOUND` figures per variant, -1 if missing.

    `chain` consists of player 1's chance of winning in every row, the probability of every move, and an output array
    for the expected number of visits to every row. Variants with more expected `turns` than `lengths` has entries are
    not traced.

    One half of `rows` lists the rows in which games are now, the other half the rows they reach next. `records` has
    `TRACED` numbers for each row in each half, all of them zero before and after the call: the probability of being in
    the row, the parts of this probability for which player 1 and player 2 were the last to be ahead, the uncertainty
    added up over the turns so far, and the number of turns for which the game has been decided. The last two are
    weighted by the probability.
    """
    ends, starts, _, indptr, indices = graph
    chances, probabilities, visits = chain
    for variant in range(len(ends) - 1):
        base, turn, here, there, end = ends[variant], 0, 0, len(rows) // 2, 1
        ended, low, high, uncertainty, decisiveness, changes = 0.0, -1.0, -1.0, 0.0, 0.0, 0.0
        rows[0], records[TRACED * (starts[2 * variant] - base)] = starts[2 * variant], 1.0
        limit = len(lengths) if turns[variant] <= len(lengths) else 0
        while end > here and turn < limit and ended < 1.0 - TOLERANCE:
            reached, ending, ending_unsure, ending_decided = there, 0.0, 0.0, 0.0
            for place in range(here, end):
                row = rows[place]
                at, chance = TRACED * (here + row - base), chances[row]
                weight, one, two = records[at], records[at + 1], records[at + 2]
                unsure, decided = records[at + 3], records[at + 4]
                records[at] = records[at + 1] = records[at + 2] = records[at + 3] = records[at + 4] = 0.0
                if chance > MIN_LEAD_CHANCE:
                    changes, one, two = changes + two, weight, 0.0
                elif chance < 1.0 - MIN_LEAD_CHANCE:
                    changes, one, two = changes + one, 0.0, weight
                if indptr[row] == indptr[row + 1]:
                    ending += weight
                    ending_unsure += unsure
                    ending_decided += decided
                elif weight > MIN_PROBABILITY:
                    visits[row] += weight
                    unsure += weight * (1.0 - abs(2.0 * chance - 1.0))
                    decided = decided + weight if max(chance, 1.0 - chance) > MIN_DECIDED_CHANCE else 0.0
                    for edge in range(indptr[row], indptr[row + 1]):
                        probability = probabilities[edge]
                        if probability > 0.0:
                            at = TRACED * (there + indices[edge] - base)
                            if records[at] == 0.0:
                                rows[reached] = indices[edge]
                                reached += 1
                            records[at] += probability * weight
                            records[at + 1] += probability * one
                            records[at + 2] += probability * two
                            records[at + 3] += probability * unsure
                            records[at + 4] += probability * decided
            lengths[turn], ended = ending, ended + ending
            uncertainty += ending_unsure / max(1, turn)
            decisiveness += ending_decided / max(1, turn)
            low = float(turn) if low < 0.0 and ended >= LOW_QUANTILE - TOLERANCE else low
            high = float(turn) if high < 0.0 and ended >= HIGH_QUANTILE - TOLERANCE else high
            here, there, end, turn = there, here, reached, turn + 1
        for place in range(here, end):
            for column in range(TRACED):
                records[TRACED * (here + rows[place] - base) + column] = 0.0
        figures = (uncertainty, decisiveness, changes) if ended >= 1.0 - TOLERANCE else (-1.0, -1.0, -1.0)
        at = FOUND * variant
        found[at], found[at + 1], found[at + 2], found[at + 3], found[at + 4] = low, high, *figures


def count_correct_steps(
    graph: Graph, players: Triple, decides: Column, edge_steps: Column, visits: Column, last_row: Column, counts: Column
) -> None:
    """Write the expected number of decisions in which each step is correct, by variant; `last_row` is a buffer."""
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
_INLINED = (rank_value,)
_KERNELS = (
    *(*_INLINED, find_components, to_csr, analyze_decisions),
    *(fill_skilled_moves, fill_probabilities, fill_masked_moves),
    *(*EQUATION_KERNELS, win_rates, statistics, trace_games, count_correct_steps),
)


@cache
def load_kernels(*, compiled: bool) -> SimpleNamespace:
    """Return the kernels, compiled if requested and numba is installed."""
    compile_kernel = jit_compiler() if compiled else None
    names = vars(markov_equations) | globals()  # namespace in which kernels look up the kernels they call
    if compile_kernel:
        names |= vector_kernels()
    for kernel in _KERNELS:
        name, linked = kernel.__name__, FunctionType(kernel.__code__, names, kernel.__name__)
        if compile_kernel is None:
            names[name] = linked
        elif kernel in _INLINED:
            import numba

            names[name] = numba.njit(inline="always")(linked)
        else:
            names[name] = compile_kernel(linked)
    return SimpleNamespace(
        compiled=compile_kernel is not None, **{each.__name__: names[each.__name__] for each in _KERNELS}
    )
