"""Numeric kernels for Markov chains, run as plain Python on small graphs and compiled on large ones.

A graph is the tuple `(ends, cores, starts, indptr, indices)` described in `markov.PlayGraph`. The successors of a row
are `indices[indptr[row]:indptr[row + 1]]`, and `probabilities` has one entry for each element of `indices`.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType, SimpleNamespace

from numberline.solver.index import Column
from numberline.solver.jit import jit_compiler
from numberline.solver.worth import RANK_SCALE, rank_value

Graph = tuple[Column, Column, Column, Column, Column]
Buffers = tuple[Column, Column, Column, Column]
Triple = tuple[Column, Column, Column]

TOLERANCE = 1e-9
MIN_PROBABILITY = 1e-18
LOW_QUANTILE, HIGH_QUANTILE = 0.1, 0.9


# Layout


def to_csr(successors: Column, new_row: Column, indptr: Column, indices: Column, edge_moves: Column) -> None:
    """Write the successors of every row kept in `new_row`, and the moves that lead to them, in CSR format."""
    edge, row = 0, 0
    for old_row in range(len(new_row)):
        if new_row[old_row] < 0:
            continue
        indptr[row] = edge
        row += 1
        for move in range(len(successors)):
            reached = successors[move][old_row]
            if reached >= 0:
                indices[edge] = new_row[reached]
                edge_moves[edge] = move
                edge += 1
    indptr[row] = edge


def reverse_edges(indptr: Column, indices: Column, back_indptr: Column, predecessors: Column) -> None:
    """Write the predecessors of every row; `back_indptr` must be all zeros, with two more entries than rows."""
    for edge in range(len(indices)):
        back_indptr[indices[edge] + 2] += 1
    for row in range(1, len(back_indptr)):
        back_indptr[row] += back_indptr[row - 1]
    for row in range(len(indptr) - 1):
        for edge in range(indptr[row], indptr[row + 1]):
            place = back_indptr[indices[edge] + 1]
            predecessors[place] = row
            back_indptr[indices[edge] + 1] = place + 1


def topological_order(
    indptr: Column, back_indptr: Column, predecessors: Column, open_successors: Column, order: Column
) -> int:
    """Write to `order` the rows from which play always ends, each after all its successors; return their number."""
    tail = 0
    for row in range(len(open_successors)):
        open_successors[row] = indptr[row + 1] - indptr[row]
        if open_successors[row] == 0:
            order[tail] = row
            tail += 1
    head = 0
    while head < tail:
        row = order[head]
        head += 1
        for place in range(back_indptr[row], back_indptr[row + 1]):
            earlier = predecessors[place]
            open_successors[earlier] -= 1
            if open_successors[earlier] == 0:
                order[tail] = earlier
                tail += 1
    return tail


def reorder(old: Triple, order: Column, new_row: Column, new: Triple) -> None:
    """Copy `(indptr, indices, edge_moves)` in a new row order; `order` lists the old rows, `new_row` is its inverse."""
    old_indptr, old_indices, old_moves = old
    indptr, indices, edge_moves = new
    edge = 0
    for row in range(len(order)):
        indptr[row] = edge
        for old_edge in range(old_indptr[order[row]], old_indptr[order[row] + 1]):
            indices[edge] = new_row[old_indices[old_edge]]
            edge_moves[edge] = old_moves[old_edge]
            edge += 1
    indptr[len(order)] = edge


# Moves


def analyze_decisions(graph: Graph, mover: Column, value: Column, decides: Column, good: Column, depth: Column) -> None:
    """For every row, write whether a move can lose value, the fraction that don't, and the search depth needed."""
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


def rank_at_depth(worth: int, turns: int) -> int:
    """Return the rank of a move for a player who looks `turns` ahead; quick wins rank highest, quick losses lowest."""
    rank: int = rank_value((worth > 0) - (worth < 0), abs(worth)) if abs(worth) <= turns else 0
    return rank


def fill_move_probabilities(
    graph: Graph, mover: Column, value: Column, probabilities: Column, player: int, turns: int, slip_rate: float
) -> None:
    """Write the move probabilities of `player` at a skill that looks `turns` ahead and errs at `slip_rate`."""
    _, _, _, indptr, indices = graph
    for row in range(len(mover)):
        if player != mover[row]:
            continue
        first, last = indptr[row], indptr[row + 1]
        sign = 1 if mover[row] == 1 else -1
        best, count = -2 * RANK_SCALE, 0
        for edge in range(first, last):
            rank = rank_at_depth(sign * value[indices[edge]], turns)
            if rank > best:
                best, count = rank, 1
            elif rank == best:
                count += 1
        for edge in range(first, last):
            share = slip_rate / (last - first)
            is_best = rank_at_depth(sign * value[indices[edge]], turns) == best
            probabilities[edge] = share + (1.0 - slip_rate) / count if is_best else share


# Winners


def find_absorbed(graph: Graph, probabilities: Column, absorbed: Column) -> None:
    """Write 1 for every row from which the game can end, and 0 for all others."""
    ends, cores, _, indptr, indices = graph
    for variant in range(len(cores)):
        first, core, last = ends[variant], cores[variant], ends[variant + 1]
        for row in range(first, last):
            absorbed[row] = 1.0 if row < core else 0.0
        found = core < last
        while found:
            found = False
            for row in range(core, last):
                if absorbed[row] == 0.0:
                    for edge in range(indptr[row], indptr[row + 1]):
                        if probabilities[edge] > 0.0 and absorbed[indices[edge]] > 0.0:
                            absorbed[row] = 1.0
                            found = True
                            break


def win_rates(
    graph: Graph, probabilities: Column, winner: Column, absorbed: Column, rates: Column, max_sweeps: int
) -> None:
    """Write three numbers per row: lower bounds on the win rates of players 1 and 2, and the undetermined remainder.

    Rows before a variant's core are computed once, each after its successors. The core is swept until the remainder at
    the starting rows is negligible; if `max_sweeps` is 0, the core stays undetermined.
    """
    ends, cores, starts, indptr, indices = graph
    for variant in range(len(cores)):
        first, core, last = ends[variant], cores[variant], ends[variant + 1]
        for row in range(first, core):
            one = 1.0 if winner[row] == 1 else 0.0
            two = 1.0 if winner[row] == 2 else 0.0
            for edge in range(indptr[row], indptr[row + 1]):
                one += probabilities[edge] * rates[3 * indices[edge]]
                two += probabilities[edge] * rates[3 * indices[edge] + 1]
            rates[3 * row], rates[3 * row + 1], rates[3 * row + 2] = one, two, 0.0
        for row in range(core, last):
            rates[3 * row], rates[3 * row + 1], rates[3 * row + 2] = 0.0, 0.0, absorbed[row]
        rest, sweeps = 1.0, 0
        while core < last and sweeps < max_sweeps and rest > TOLERANCE:
            sweep_win_rates(graph, core, last, probabilities, rates)
            rest = max(rates[3 * starts[2 * variant] + 2], rates[3 * starts[2 * variant + 1] + 2])
            sweeps += 1


def sweep_win_rates(graph: Graph, core: int, last: int, probabilities: Column, rates: Column) -> None:
    """Update every core row once, skipping rows whose undetermined remainder is negligible."""
    _, _, _, indptr, indices = graph
    negligible = TOLERANCE / 1e4
    for row in range(core, last):
        if rates[3 * row + 2] > negligible:
            one, two, rest = 0.0, 0.0, 0.0
            for edge in range(indptr[row], indptr[row + 1]):
                probability, at = probabilities[edge], 3 * indices[edge]
                one += probability * rates[at]
                two += probability * rates[at + 1]
                rest += probability * rates[at + 2]
            rates[3 * row], rates[3 * row + 1], rates[3 * row + 2] = one, two, rest


def solve_banded(band: Column, right_sides: Column) -> None:
    """Solve a banded linear system in place by elimination; the middle column of `band` is the diagonal."""
    size, width = len(band), len(band[0]) // 2
    for pivot in range(size):
        end = min(size, pivot + width + 1)
        for row in range(pivot + 1, end):
            factor = band[row, width + pivot - row] / band[pivot, width]
            if factor != 0.0:
                for column in range(pivot + 1, end):
                    band[row, width + column - row] -= factor * band[pivot, width + column - pivot]
                for column in range(right_sides.shape[1]):
                    right_sides[row, column] -= factor * right_sides[pivot, column]
    for row in range(size - 1, -1, -1):
        for column in range(right_sides.shape[1]):
            for later in range(row + 1, min(size, row + width + 1)):
                right_sides[row, column] -= band[row, width + later - row] * right_sides[later, column]
            right_sides[row, column] /= band[row, width]


# Visits


def count_cyclic_visits(
    graph: Graph, probabilities: Column, barred: Column, visits: Column, mass: Column, left: Column, max_sweeps: int
) -> None:
    """Write the expected visits to every core row in a game started by player 1; a barred row ends the game.

    Each sweep propagates the probability mass at every row to its successors, until the mass left is negligible.
    """
    ends, cores, starts, _, _ = graph
    for variant in range(len(cores)):
        core, last = cores[variant], ends[variant + 1]
        for row in range(ends[variant], last):
            mass[row], visits[row] = 0.0, 0.0
        mass[starts[2 * variant]] = 1.0
        left[variant] = 1.0 if starts[2 * variant] >= core else 0.0
        negligible = TOLERANCE / (1e4 * max(1, last - core))
        turns, sweeps = 1.0, 0
        while sweeps < max_sweeps and left[variant] * turns > TOLERANCE:
            passed, left[variant] = propagate_visits(graph, variant, probabilities, barred, visits, mass, negligible)
            turns += passed
            sweeps += 1


def propagate_visits(
    graph: Graph, variant: int, probabilities: Column, barred: Column, visits: Column, mass: Column, negligible: float
) -> tuple[float, float]:
    """Propagate the mass of every core row, last row first; return the mass propagated and the mass left in the core.

    Mass that arrives at a row already processed in this sweep waits for the next one.
    """
    ends, cores, _, indptr, indices = graph
    passed, left, core = 0.0, 0.0, cores[variant]
    for row in range(ends[variant + 1] - 1, core - 1, -1):
        weight = mass[row]
        if weight > negligible:
            mass[row] = 0.0
            if barred[row] == 0:
                visits[row] += weight
                passed += weight
                for edge in range(indptr[row], indptr[row + 1]):
                    reached = indices[edge]
                    if reached >= core:
                        mass[reached] += weight * probabilities[edge]
                        if reached >= row:
                            left += weight * probabilities[edge]
        else:
            left += weight
    return passed, left


def count_acyclic_visits(graph: Graph, probabilities: Column, barred: Column, visits: Column) -> None:
    """Write the expected visits to every row outside the core, given the visits to the core rows."""
    ends, cores, starts, indptr, indices = graph
    for variant in range(len(cores)):
        first, core, last = ends[variant], cores[variant], ends[variant + 1]
        for row in range(first, core):
            visits[row] = 1.0 if row == starts[2 * variant] else 0.0
        for row in range(last - 1, first - 1, -1):
            weight = visits[row]
            if weight > 0.0 and barred[row] == 0:
                for edge in range(indptr[row], indptr[row + 1]):
                    if indices[edge] < core:
                        visits[indices[edge]] += weight * probabilities[edge]
            elif barred[row] != 0:
                visits[row] = 0.0


# Lead


def mask_lead_changes(graph: Graph, probabilities: Column, value: Column, same_lead: Column) -> None:
    """Copy the probabilities of moves that don't change the lead to `same_lead`; write 0 for all other moves."""
    _, _, _, indptr, indices = graph
    for row in range(len(indptr) - 1):
        lead = (value[row] > 0) - (value[row] < 0)
        for edge in range(indptr[row], indptr[row + 1]):
            same = (value[indices[edge]] > 0) - (value[indices[edge]] < 0) == lead
            same_lead[edge] = probabilities[edge] if same else 0.0


def lead_stability(
    graph: Graph, same_lead: Column, absorbed: Column, visits: Column, stability: Column, max_sweeps: int
) -> None:
    """Write two numbers per row: a lower bound on the chance of no more lead changes, and the remainder."""
    ends, cores, _, indptr, _ = graph
    for variant in range(len(cores)):
        first, core, last = ends[variant], cores[variant], ends[variant + 1]
        for row in range(core, last):
            stability[2 * row], stability[2 * row + 1] = 0.0, absorbed[row]
        for row in range(first, core):
            stability[2 * row], stability[2 * row + 1] = 1.0, 0.0
            if indptr[row] < indptr[row + 1]:
                update_lead_stability(graph, row, same_lead, stability)
        turns = 1.0
        for row in range(first, last):
            turns += visits[row]
        # A row's error counts at most once per visit for each earlier turn.
        negligible = TOLERANCE / (10.0 * turns * (1 + last - core))
        rest, sweeps = 1.0, 0
        while core < last and sweeps < max_sweeps and rest > TOLERANCE:
            rest = 0.0
            for row in range(core, last):
                if visits[row] * stability[2 * row + 1] > negligible:
                    update_lead_stability(graph, row, same_lead, stability)
                    rest += visits[row] * stability[2 * row + 1]
            sweeps += 1


def update_lead_stability(graph: Graph, row: int, same_lead: Column, stability: Column) -> None:
    _, _, _, indptr, indices = graph
    stable, rest = 0.0, 0.0
    for edge in range(indptr[row], indptr[row + 1]):
        stable += same_lead[edge] * stability[2 * indices[edge]]
        rest += same_lead[edge] * stability[2 * indices[edge] + 1]
    stability[2 * row], stability[2 * row + 1] = stable, rest


def sum_statistics(
    graph: Graph, decisions: Triple, probabilities: Column, value: Column, visits: Column, stable: Column, sums: Column
) -> None:
    """Write seven visit-weighted sums per variant, in the order of the fields of `markov.GameStatistics`."""
    ends, _, _, indptr, indices = graph
    decides, good, depth = decisions
    for variant in range(len(ends) - 1):
        turns, decided, correct, changes, settled, hidden, chosen = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for row in range(ends[variant], ends[variant + 1]):
            weight = visits[row]
            if weight > 0.0 and indptr[row] < indptr[row + 1]:
                turns += weight
                chosen += weight if indptr[row + 1] - indptr[row] > 1 else 0.0
                settled += weight * stable[2 * row]
                if decides[row] == 1:
                    decided += weight
                    correct += weight * good[row]
                    hidden += weight if depth[row] > 2 else 0.0
                lead = (value[row] > 0) - (value[row] < 0)
                for edge in range(indptr[row], indptr[row + 1]):
                    if (value[indices[edge]] > 0) - (value[indices[edge]] < 0) != lead:
                        changes += weight * probabilities[edge]
        for column, total in enumerate((turns, decided, correct, changes, settled, hidden, chosen)):
            sums[7 * variant + column] = total


# Lengths


def length_distribution(
    graph: Graph, variant: int, probabilities: Column, buffers: Buffers, lengths: Column, coverage: float
) -> int:
    """Write the probability of each game length until the sum reaches `coverage`; return the number of lengths.

    The first two buffers hold probabilities and are all zeros before and after the call; the other two list the rows
    with nonzero probability.
    """
    _, _, starts, indptr, indices = graph
    mass, later, here, there = buffers
    here[0] = starts[2 * variant]
    mass[here[0]] = 1.0
    count, turn, ended = 1, 0, 0.0
    while count > 0 and turn < len(lengths) and ended < coverage:
        over, more = 0.0, 0
        for place in range(count):
            row = here[place]
            weight = mass[row]
            mass[row] = 0.0
            if indptr[row] == indptr[row + 1]:
                over += weight
            elif weight > MIN_PROBABILITY:
                for edge in range(indptr[row], indptr[row + 1]):
                    if probabilities[edge] > 0.0:
                        reached = indices[edge]
                        if later[reached] == 0.0:
                            there[more] = reached
                            more += 1
                        later[reached] += weight * probabilities[edge]
        lengths[turn] = over
        ended += over
        turn += 1
        mass, later, here, there, count = later, mass, there, here, more
    for place in range(count):
        mass[here[place]] = 0.0
    return turn


def length_percentiles(
    graph: Graph, probabilities: Column, buffers: Buffers, lengths: Column, low: Column, high: Column
) -> None:
    """Write the 10th and 90th percentiles of each variant's game length in turns; -1 if too long to trace."""
    for variant in range(len(low)):
        coverage = HIGH_QUANTILE - TOLERANCE
        count = length_distribution(graph, variant, probabilities, buffers, lengths, coverage)
        low[variant], high[variant], over = -1, -1, 0.0
        for turn in range(count):
            over += lengths[turn]
            if low[variant] < 0 and over >= LOW_QUANTILE - TOLERANCE:
                low[variant] = turn
            if high[variant] < 0 and over >= HIGH_QUANTILE - TOLERANCE:
                high[variant] = turn


# Kernels are compiled in this order, so each must come after the kernels it calls.
_KERNELS = (
    *(to_csr, reverse_edges, topological_order, reorder),
    *(rank_value, rank_at_depth, analyze_decisions, fill_move_probabilities),
    *(find_absorbed, sweep_win_rates, win_rates, solve_banded),
    *(propagate_visits, count_cyclic_visits, count_acyclic_visits),
    *(mask_lead_changes, update_lead_stability, lead_stability, sum_statistics),
    *(length_distribution, length_percentiles),
)


@cache
def load_kernels(*, compiled: bool) -> SimpleNamespace:
    """Return the kernels, compiled if requested and numba is installed."""
    compile_kernel = jit_compiler() if compiled else None
    if compile_kernel is None:
        return SimpleNamespace(compiled=False, **{kernel.__name__: kernel for kernel in _KERNELS})
    names = dict(globals())  # namespace in which compiled kernels look up the kernels they call
    for kernel in _KERNELS:
        names[kernel.__name__] = compile_kernel(FunctionType(kernel.__code__, names, kernel.__name__))
    return SimpleNamespace(compiled=True, **{kernel.__name__: names[kernel.__name__] for kernel in _KERNELS})
