"""Loops that find what becomes of a game: who wins, how often, and how calmly."""

from __future__ import annotations

from numberline.solver.index import Column


def can_end(rows: Column, cores: Column, begin: Column, to: Column, chance: Column, marks: Column) -> None:
    """Marks each row with 1 where an ending can come, else with 0."""
    for variant in range(len(cores)):
        first, core, last = rows[variant], cores[variant], rows[variant + 1]
        for row in range(first, last):
            marks[row] = 1.0 if row < core else 0.0
        found = core < last
        while found:
            found = False
            for row in range(core, last):
                if marks[row] == 0.0:
                    for edge in range(begin[row], begin[row + 1]):
                        if chance[edge] > 0.0 and marks[to[edge]] > 0.0:
                            marks[row] = 1.0
                            found = True
                            break


def win_rates(
    rows: Column,
    cores: Column,
    begin: Column,
    to: Column,
    chance: Column,
    winner: Column,
    starts: Column,
    marks: Column,
    found: Column,
    most: int,
    near: float,
) -> None:
    """How likely each player wins from each row, at the least, and how likely that is not yet said: three numbers.

    Rows before the core of a variant are worked out once, each after its followers. The core goes round: it is swept
    until so little is left unsaid at the starts. With `most` 0 the cores are left as they are.
    """
    for variant in range(len(cores)):
        first, core, last = rows[variant], cores[variant], rows[variant + 1]
        for row in range(first, core):
            one = 1.0 if winner[row] == 1 else 0.0
            two = 1.0 if winner[row] == 2 else 0.0
            for edge in range(begin[row], begin[row + 1]):
                one += chance[edge] * found[3 * to[edge]]
                two += chance[edge] * found[3 * to[edge] + 1]
            found[3 * row] = one
            found[3 * row + 1] = two
            found[3 * row + 2] = 0.0
        for row in range(core, last):
            found[3 * row] = 0.0
            found[3 * row + 1] = 0.0
            found[3 * row + 2] = marks[row]
        unsaid = 1.0
        sweeps = 0
        while core < last and sweeps < most and unsaid > near:
            sweep_win_rates(core, last, begin, to, chance, found, near / 1e4)
            unsaid = max(found[3 * starts[2 * variant] + 2], found[3 * starts[2 * variant + 1] + 2])
            sweeps += 1


def sweep_win_rates(
    core: int, last: int, begin: Column, to: Column, chance: Column, found: Column, nothing: float
) -> None:
    """Goes once over the rows of a core about which not nearly all is said."""
    for row in range(core, last):
        if found[3 * row + 2] > nothing:
            one, two, unsaid = 0.0, 0.0, 0.0
            for edge in range(begin[row], begin[row + 1]):
                odds, at = chance[edge], 3 * to[edge]
                one += odds * found[at]
                two += odds * found[at + 1]
                unsaid += odds * found[at + 2]
            found[3 * row] = one
            found[3 * row + 1] = two
            found[3 * row + 2] = unsaid


def count_cyclic_visits(
    rows: Column,
    cores: Column,
    begin: Column,
    to: Column,
    chance: Column,
    barred: Column,
    starts: Column,
    mass: Column,
    visits: Column,
    left: Column,
    most: int,
    near: float,
) -> None:
    """How often each row of a core is visited in a game that player 1 begins; rows that are barred end it.

    Sweep by sweep what has come to a row is passed on, until what is left is too little to count.
    """
    for variant in range(len(cores)):
        core, last = cores[variant], rows[variant + 1]
        for row in range(rows[variant], last):
            mass[row] = 0.0
            visits[row] = 0.0
        mass[starts[2 * variant]] = 1.0
        left[variant] = 0.0
        if starts[2 * variant] < core:
            continue
        nothing = near / (1e4 * (last - core))
        turns, sweeps = 1.0, 0
        left[variant] = 1.0
        while sweeps < most and left[variant] * turns > near:
            passed, left[variant] = propagate_visits(core, last, begin, to, chance, barred, mass, visits, nothing)
            turns += passed
            sweeps += 1


def propagate_visits(
    core: int,
    last: int,
    begin: Column,
    to: Column,
    chance: Column,
    barred: Column,
    mass: Column,
    visits: Column,
    nothing: float,
) -> tuple[float, float]:
    """Passes on what has come to each row of a core, the furthest from the end first; says how much, and what is left.

    What comes to a row that had its turn before is left for the next time.
    """
    passed, left = 0.0, 0.0
    for row in range(last - 1, core - 1, -1):
        weight = mass[row]
        if weight > nothing:
            mass[row] = 0.0
            if barred[row] == 0:
                visits[row] += weight
                passed += weight
                for edge in range(begin[row], begin[row + 1]):
                    reached = to[edge]
                    if reached >= core:
                        mass[reached] += weight * chance[edge]
                        if reached >= row:
                            left += weight * chance[edge]
        else:
            left += weight
    return passed, left


def count_acyclic_visits(
    rows: Column,
    cores: Column,
    begin: Column,
    to: Column,
    chance: Column,
    barred: Column,
    starts: Column,
    visits: Column,
) -> None:
    """How often each row before a core is visited, those of the core being known."""
    for variant in range(len(cores)):
        first, core, last = rows[variant], cores[variant], rows[variant + 1]
        for row in range(first, core):
            visits[row] = 1.0 if row == starts[2 * variant] else 0.0
        for row in range(last - 1, first - 1, -1):
            weight = visits[row]
            if weight > 0.0 and barred[row] == 0:
                for edge in range(begin[row], begin[row + 1]):
                    if to[edge] < core:
                        visits[to[edge]] += weight * chance[edge]
            elif barred[row] != 0:
                visits[row] = 0.0


def solve_banded(band: Column, wanted: Column) -> None:
    """Solves equations of which each has numbers only near the diagonal, which is the middle column of the band."""
    size, width = len(band), len(band[0]) // 2
    for pivot in range(size):
        end = min(size, pivot + width + 1)
        for row in range(pivot + 1, end):
            factor = band[row, width + pivot - row] / band[pivot, width]
            if factor != 0.0:
                for column in range(pivot + 1, end):
                    band[row, width + column - row] -= factor * band[pivot, width + column - pivot]
                for column in range(wanted.shape[1]):
                    wanted[row, column] -= factor * wanted[pivot, column]
    for row in range(size - 1, -1, -1):
        for column in range(wanted.shape[1]):
            for later in range(row + 1, min(size, row + width + 1)):
                wanted[row, column] -= band[row, width + later - row] * wanted[later, column]
            wanted[row, column] /= band[row, width]


def lead_stability(
    rows: Column,
    cores: Column,
    begin: Column,
    to: Column,
    kept: Column,
    marks: Column,
    visits: Column,
    found: Column,
    most: int,
    near: float,
) -> None:
    """How likely the lead changes no more, from each row, and how likely that is not yet said: two numbers a row."""
    for variant in range(len(cores)):
        first, core, last = rows[variant], cores[variant], rows[variant + 1]
        for row in range(core, last):
            found[2 * row] = 0.0
            found[2 * row + 1] = marks[row]
        for row in range(first, core):
            found[2 * row + 1] = 0.0
            if begin[row] == begin[row + 1]:
                found[2 * row] = 1.0
            else:
                update_lead_stability(row, begin, to, kept, found)
        turns = 1.0
        for row in range(first, last):
            turns += visits[row]
        # No row can count for more than its visits, once for every turn before.
        nothing = near / (10.0 * turns * (1 + last - core))
        unsaid, sweeps = 1.0, 0
        while core < last and sweeps < most and unsaid > near:
            unsaid = 0.0
            for row in range(core, last):
                if visits[row] * found[2 * row + 1] > nothing:
                    update_lead_stability(row, begin, to, kept, found)
                    unsaid += visits[row] * found[2 * row + 1]
            sweeps += 1


def mask_lead_changes(begin: Column, to: Column, chance: Column, value: Column, kept: Column) -> None:
    """Enters the chances of the moves after which the same player leads, and 0 for the others."""
    for row in range(len(begin) - 1):
        lead = (value[row] > 0) - (value[row] < 0)
        for edge in range(begin[row], begin[row + 1]):
            same = (value[to[edge]] > 0) - (value[to[edge]] < 0) == lead
            kept[edge] = chance[edge] if same else 0.0


def update_lead_stability(row: int, begin: Column, to: Column, kept: Column, found: Column) -> None:
    """Enters for one row how likely the lead stays as it is, from what is known about its followers."""
    calm, unsaid = 0.0, 0.0
    for edge in range(begin[row], begin[row + 1]):
        calm += kept[edge] * found[2 * to[edge]]
        unsaid += kept[edge] * found[2 * to[edge] + 1]
    found[2 * row] = calm
    found[2 * row + 1] = unsaid


def sum_statistics(
    rows: Column,
    begin: Column,
    to: Column,
    chance: Column,
    value: Column,
    decides: Column,
    good: Column,
    needed: Column,
    visits: Column,
    calm: Column,
    found: Column,
) -> None:
    """For each variant six numbers, added up over the visits to its rows, in the order of `GameStatistics`."""
    for variant in range(len(rows) - 1):
        turns, decided, kept, changes, rest, hidden = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for row in range(rows[variant], rows[variant + 1]):
            weight = visits[row]
            if weight > 0.0 and begin[row] < begin[row + 1]:
                turns += weight
                rest += weight * calm[2 * row]
                if decides[row] == 1:
                    decided += weight
                    kept += weight * good[row]
                    hidden += weight if needed[row] > 2 else 0.0
                lead = (value[row] > 0) - (value[row] < 0)
                for edge in range(begin[row], begin[row + 1]):
                    if (value[to[edge]] > 0) - (value[to[edge]] < 0) != lead:
                        changes += weight * chance[edge]
        found[6 * variant] = turns
        found[6 * variant + 1] = decided
        found[6 * variant + 2] = kept
        found[6 * variant + 3] = changes
        found[6 * variant + 4] = rest
        found[6 * variant + 5] = hidden
