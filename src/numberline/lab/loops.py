"""The loops of the measuring: how likely each move is, and what becomes of a game that is played so.

They are written once. They run as they are on a small field, and compiled by numba, the extra `fast`, on a large one or
on many variants. All columns are flat; the followers of a row stand in `to` from `begin[row]` to `begin[row + 1]`.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from types import FunctionType, SimpleNamespace

from numberline.solver.table import Column

FAR = 1 << 30
"""More turns than any game takes."""
UNLIKELY = 1e-18
"""What is less likely than this is not followed any further, turn by turn."""
FEW, MANY = 0.1, 0.9
"""The usual length of a game leaves out so many of the shortest ones, and comprises so many in all."""


# The field


def compact(after: Column, name: Column, begin: Column, to: Column, made: Column) -> None:
    """Enters what follows each row that has a name, under the names of the followers, and by which moves."""
    edge = 0
    place = 0
    for row in range(len(name)):
        if name[row] < 0:
            continue
        begin[place] = edge
        place += 1
        for move in range(len(after)):
            reached = after[move][row]
            if reached >= 0:
                to[edge] = name[reached]
                made[edge] = move
                edge += 1
    begin[place] = edge


def turn_round(begin: Column, to: Column, back: Column, before: Column) -> None:
    """Enters what comes before each row; `back` has two places more than there are rows, and is all 0."""
    for edge in range(len(to)):
        back[to[edge] + 2] += 1
    for row in range(1, len(back)):
        back[row] += back[row - 1]
    for row in range(len(begin) - 1):
        for edge in range(begin[row], begin[row + 1]):
            place = back[to[edge] + 1]
            before[place] = row
            back[to[edge] + 1] = place + 1


def peel(begin: Column, back: Column, before: Column, left: Column, order: Column) -> int:
    """Lists the rows from which play always ends, each after all that follow it, and says how many there are."""
    tail = 0
    for row in range(len(left)):
        left[row] = begin[row + 1] - begin[row]
        if left[row] == 0:
            order[tail] = row
            tail += 1
    head = 0
    while head < tail:
        row = order[head]
        head += 1
        for place in range(back[row], back[row + 1]):
            earlier = before[place]
            left[earlier] -= 1
            if left[earlier] == 0:
                order[tail] = earlier
                tail += 1
    return tail


def reorder(
    order: Column, name: Column, begin: Column, to: Column, made: Column, ordered: Column, goes: Column, by: Column
) -> None:
    """The same rows in another order: `order` lists the old numbers, `name` has the new number of each."""
    edge = 0
    for place in range(len(order)):
        ordered[place] = edge
        row = order[place]
        for old in range(begin[row], begin[row + 1]):
            goes[edge] = name[to[old]]
            by[edge] = made[old]
            edge += 1
    ordered[len(order)] = edge


def judge(
    begin: Column, to: Column, mover: Column, value: Column, decides: Column, good: Column, needed: Column
) -> None:
    """For each row: whether a move can give value away, the share of those that don't, and the sight it takes."""
    for row in range(len(mover)):
        wins, nobody, losses, quickest, latest = 0, 0, 0, FAR, 0
        for edge in range(begin[row], begin[row + 1]):
            worth = value[to[edge]] if mover[row] == 1 else -value[to[edge]]
            if worth > 0:
                wins += 1
                quickest = min(quickest, worth)
            elif worth == 0:
                nobody += 1
            else:
                losses += 1
                latest = max(latest, -worth)
        kept = wins or (nobody or losses)
        moves = wins + nobody + losses
        decides[row] = 1 if kept < moves else 0
        good[row] = kept / moves if moves else 0.0
        if kept == moves:
            needed[row] = 0
        elif not wins:
            needed[row] = latest
        else:
            needed[row] = quickest if nobody else min(quickest, latest)


# How likely each move is


def rank(worth: int, turns: int) -> int:
    """How good a move looks to somebody who sees so many turns ahead: a quick win first, a quick loss last."""
    if 0 < worth <= turns:
        return FAR - worth
    if -turns <= worth < 0:
        return -FAR - worth
    return 0


def lay_odds(
    begin: Column, to: Column, mover: Column, value: Column, player: int, turns: int, slips: float, chance: Column
) -> None:
    """Enters the odds of a skill for the moves of one player (0: of both)."""
    for row in range(len(mover)):
        if player > 0 and player != mover[row]:
            continue
        first, last = begin[row], begin[row + 1]
        side = 1 if mover[row] == 1 else -1
        best, count = -2 * FAR, 0
        for edge in range(first, last):
            looks = rank(side * value[to[edge]], turns)
            if looks > best:
                best, count = looks, 1
            elif looks == best:
                count += 1
        for edge in range(first, last):
            share = slips / (last - first)
            is_best = rank(side * value[to[edge]], turns) == best
            chance[edge] = share + (1.0 - slips) / count if is_best else share


# What becomes of it


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
            sweep(core, last, begin, to, chance, found, near / 1e4)
            unsaid = max(found[3 * starts[2 * variant] + 2], found[3 * starts[2 * variant + 1] + 2])
            sweeps += 1


def sweep(core: int, last: int, begin: Column, to: Column, chance: Column, found: Column, nothing: float) -> None:
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


def go_round(
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
            passed, left[variant] = pass_on(core, last, begin, to, chance, barred, mass, visits, nothing)
            turns += passed
            sweeps += 1


def pass_on(
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


def go_down(
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


def calm_down(
    rows: Column,
    cores: Column,
    begin: Column,
    to: Column,
    chance: Column,
    value: Column,
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
                keep_lead(row, begin, to, chance, value, found)
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
                    keep_lead(row, begin, to, chance, value, found)
                    unsaid += visits[row] * found[2 * row + 1]
            sweeps += 1


def keep_lead(row: int, begin: Column, to: Column, chance: Column, value: Column, found: Column) -> None:
    """Enters for one row how likely the lead stays as it is, from what is known about its followers."""
    calm, unsaid = 0.0, 0.0
    lead = (value[row] > 0) - (value[row] < 0)
    for edge in range(begin[row], begin[row + 1]):
        reached = to[edge]
        if (value[reached] > 0) - (value[reached] < 0) == lead:
            calm += chance[edge] * found[2 * reached]
            unsaid += chance[edge] * found[2 * reached + 1]
    found[2 * row] = calm
    found[2 * row + 1] = unsaid


def add_up(
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
    """For each variant six numbers, added up over the visits to its rows, in the order of `Course`."""
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


# How long it takes


def spread_in_time(
    start: int,
    begin: Column,
    to: Column,
    chance: Column,
    mass: Column,
    later: Column,
    here: Column,
    there: Column,
    lengths: Column,
    share: float,
) -> int:
    """How likely a game ends after exactly so many turns, until so large a share has ended; says how many were entered.

    `mass` and `later` are 0 everywhere, before and after; `here` and `there` list the rows where they are not.
    """
    mass[start] = 1.0
    here[0] = start
    count, turn, ended = 1, 0, 0.0
    while count > 0 and turn < len(lengths) and ended < share:
        over, more = 0.0, 0
        for place in range(count):
            row = here[place]
            weight = mass[row]
            mass[row] = 0.0
            if begin[row] == begin[row + 1]:
                over += weight
            elif weight > UNLIKELY:
                for edge in range(begin[row], begin[row + 1]):
                    if chance[edge] > 0.0:
                        reached = to[edge]
                        if later[reached] == 0.0:
                            there[more] = reached
                            more += 1
                        later[reached] += weight * chance[edge]
        lengths[turn] = over
        ended += over
        turn += 1
        mass, later = later, mass
        here, there = there, here
        count = more
    for place in range(count):
        mass[here[place]] = 0.0
    return turn


def usual_lengths(
    starts: Column,
    begin: Column,
    to: Column,
    chance: Column,
    mass: Column,
    later: Column,
    here: Column,
    there: Column,
    lengths: Column,
    low: Column,
    high: Column,
) -> None:
    """For each variant, within how many turns 10 and 90 % of the games are over; -1 where that is too long."""
    for variant in range(len(low)):
        count = spread_in_time(starts[2 * variant], begin, to, chance, mass, later, here, there, lengths, MANY - 1e-9)
        low[variant] = -1
        high[variant] = -1
        over = 0.0
        for turn in range(count):
            over += lengths[turn]
            if low[variant] < 0 and over >= FEW - 1e-9:
                low[variant] = turn
            if high[variant] < 0 and over >= MANY - 1e-9:
                high[variant] = turn


CALLED = (rank, sweep, pass_on, keep_lead, spread_in_time)
"""The loops that others call."""
LAID_OUT = (compact, turn_round, peel, reorder, judge)
LOOPS = (*CALLED, *LAID_OUT, lay_odds, can_end, win_rates, go_round, go_down, calm_down, add_up, usual_lengths)


@cache
def loops(*, compiled: bool) -> SimpleNamespace:
    """The loops as they are, or compiled where that is asked for and numba is there."""
    if not compiled or not has_compiler():
        return SimpleNamespace(compiled=False, **{loop.__name__: loop for loop in LOOPS})
    from numba import njit

    # A compiled loop must find the compiled twins of those that it calls under their names.
    names = dict(globals())
    for loop in LOOPS:
        names[loop.__name__] = njit(cache=True)(FunctionType(loop.__code__, names, loop.__name__))
    return SimpleNamespace(compiled=True, **{loop.__name__: names[loop.__name__] for loop in LOOPS})


def has_compiler() -> bool:
    """Whether numba, the extra `fast`, is there."""
    return importlib.util.find_spec("numba") is not None
