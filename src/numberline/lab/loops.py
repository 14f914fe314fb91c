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


def can_end(
    begin: Column, to: Column, chance: Column, core: int, last: int, marks: Column, width: int, place: int
) -> None:
    """Marks each row of a core, in one of the numbers it has: with 1 where an ending can come, else with 0."""
    for row in range(core, last):
        marks[width * row + place] = 0.0
    found = True
    while found:
        found = False
        for row in range(core, last):
            if marks[width * row + place] == 0.0:
                for edge in range(begin[row], begin[row + 1]):
                    if chance[edge] > 0.0 and (to[edge] < core or marks[width * to[edge] + place] > 0.0):
                        marks[width * row + place] = 1.0
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
    one: Column,
    two: Column,
    still: Column,
    most: int,
    near: float,
) -> None:
    """How likely each player wins from each row, at the least, and how likely that is not yet said.

    Rows before the core of a variant are worked out once, each after its followers. The core goes round: it is swept
    until so little is left unsaid at the starts. With `most` 0 the cores are left as they are.
    """
    for variant in range(len(cores)):
        first, core, last = rows[variant], cores[variant], rows[variant + 1]
        for row in range(first, core):
            one[row] = 1.0 if winner[row] == 1 else 0.0
            two[row] = 1.0 if winner[row] == 2 else 0.0
            still[row] = 0.0
            for edge in range(begin[row], begin[row + 1]):
                one[row] += chance[edge] * one[to[edge]]
                two[row] += chance[edge] * two[to[edge]]
        if core == last or most == 0:
            continue
        can_end(begin, to, chance, core, last, still, 1, 0)
        for row in range(core, last):
            one[row] = 0.0
            two[row] = 0.0
        near_enough = False
        sweeps = 0
        while not near_enough and sweeps < most:
            sweep(core, last, begin, to, chance, one, two, still)
            near_enough = still[starts[2 * variant]] <= near and still[starts[2 * variant + 1]] <= near
            sweeps += 1


def sweep(
    core: int, last: int, begin: Column, to: Column, chance: Column, one: Column, two: Column, still: Column
) -> None:
    """Goes once over the rows of a core about which not all is said."""
    for row in range(core, last):
        if still[row] > 0.0:
            new_one, new_two, new_still = 0.0, 0.0, 0.0
            for edge in range(begin[row], begin[row + 1]):
                odds, reached = chance[edge], to[edge]
                new_one += odds * one[reached]
                new_two += odds * two[reached]
                new_still += odds * still[reached]
            one[row] = new_one
            two[row] = new_two
            still[row] = new_still


def course(
    rows: Column,
    cores: Column,
    begin: Column,
    to: Column,
    chance: Column,
    winner: Column,
    value: Column,
    decides: Column,
    good: Column,
    needed: Column,
    starts: Column,
    found: Column,
    most: int,
    near: float,
) -> None:
    """All that is asked about a game played so: twelve numbers a row, in the order of `Course`."""
    for variant in range(len(cores)):
        first, core, last = rows[variant], cores[variant], rows[variant + 1]
        for row in range(first, core):
            if begin[row] == begin[row + 1]:
                end(row, winner[row], found)
            else:
                visit(row, begin, to, chance, value, decides, good, needed, found)
        if core == last or most == 0:
            continue
        for place in range(12 * core, 12 * last):
            found[place] = 0.0
        can_end(begin, to, chance, core, last, found, 12, 2)
        for _ in range(most):
            longest, left = 1.0, 0.0
            for row in range(core, last):
                if found[12 * row + 2] > 0.0:
                    visit(row, begin, to, chance, value, decides, good, needed, found)
                    longest = max(longest, found[12 * row + 3])
                    left = max(left, found[12 * row + 2])
            # Nothing that is added up over the turns can grow by more than the longest game times what is left unsaid.
            unsaid = max(found[12 * starts[2 * variant] + 2], found[12 * starts[2 * variant + 1] + 2])
            if left < 0.5 and longest * unsaid <= near:
                break


def end(row: int, winner: int, found: Column) -> None:
    """Enters the twelve numbers of an ending."""
    for place in range(12 * row, 12 * row + 12):
        found[place] = 0.0
    found[12 * row + winner - 1] = 1.0
    found[12 * row + winner + 6] = 1.0
    found[12 * row + 9] = 1.0


def visit(
    row: int,
    begin: Column,
    to: Column,
    chance: Column,
    value: Column,
    decides: Column,
    good: Column,
    needed: Column,
    found: Column,
) -> None:
    """Works out the twelve numbers of one row from those of its followers."""
    lead = (value[row] > 0) - (value[row] < 0)
    one, two, still, turns, decided, kept = 0.0, 0.0, 0.0, 1.0, 0.0, 0.0
    changes, sure_one, sure_two, calm, rest, hidden = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for edge in range(begin[row], begin[row + 1]):
        odds, reached, at = chance[edge], to[edge], 12 * to[edge]
        one += odds * found[at]
        two += odds * found[at + 1]
        still += odds * found[at + 2]
        turns += odds * found[at + 3]
        decided += odds * found[at + 4]
        kept += odds * found[at + 5]
        changes += odds * found[at + 6]
        sure_one += odds * found[at + 7]
        sure_two += odds * found[at + 8]
        rest += odds * found[at + 10]
        hidden += odds * found[at + 11]
        if (value[reached] > 0) - (value[reached] < 0) == lead:
            calm += odds * found[at + 9]
        else:
            changes += odds
    if decides[row]:
        decided += 1.0
        kept += good[row]
        hidden += 1.0 if needed[row] > 2 else 0.0
    at = 12 * row
    found[at] = one
    found[at + 1] = two
    found[at + 2] = still
    found[at + 3] = turns
    found[at + 4] = decided
    found[at + 5] = kept
    found[at + 6] = changes
    found[at + 7] = 0.0 if lead < 0 else sure_one
    found[at + 8] = 0.0 if lead > 0 else sure_two
    found[at + 9] = calm
    found[at + 10] = rest + calm
    found[at + 11] = hidden


def spread_in_time(
    first: int,
    last: int,
    start: int,
    begin: Column,
    to: Column,
    chance: Column,
    mass: Column,
    later: Column,
    lengths: Column,
    share: float,
) -> int:
    """How likely a game ends after exactly so many turns, until so large a share has ended; says how many were entered.

    `mass` and `later` are 0 for all rows of the variant, before and after.
    """
    mass[start] = 1.0
    ended, turn = 0.0, 0
    low, high = start, start + 1
    while turn < len(lengths) and ended < share:
        over = 0.0
        least, most = last, first
        for row in range(low, high):
            weight = mass[row]
            if weight > 0.0:
                mass[row] = 0.0
                if begin[row] == begin[row + 1]:
                    over += weight
                for edge in range(begin[row], begin[row + 1]):
                    reached = to[edge]
                    later[reached] += weight * chance[edge]
                    least = min(least, reached)
                    most = max(most, reached + 1)
        lengths[turn] = over
        ended += over
        turn += 1
        mass, later = later, mass
        low, high = least, most
        if low >= high:
            break
    for row in range(first, last):
        mass[row] = 0.0
        later[row] = 0.0
    return turn


def usual_lengths(
    rows: Column,
    starts: Column,
    begin: Column,
    to: Column,
    chance: Column,
    mass: Column,
    later: Column,
    lengths: Column,
    low: Column,
    high: Column,
) -> None:
    """For each variant, within how many turns 10 and 90 % of the games are over; -1 where that is too long."""
    for variant in range(len(low)):
        start = starts[2 * variant]
        count = spread_in_time(
            rows[variant], rows[variant + 1], start, begin, to, chance, mass, later, lengths, MANY - 1e-9
        )
        low[variant] = -1
        high[variant] = -1
        over = 0.0
        for turn in range(count):
            over += lengths[turn]
            if low[variant] < 0 and over >= FEW - 1e-9:
                low[variant] = turn
            if high[variant] < 0 and over >= MANY - 1e-9:
                high[variant] = turn


CALLED = (rank, can_end, sweep, end, visit, spread_in_time)
"""The loops that others call."""
LOOPS = (*CALLED, compact, turn_round, peel, reorder, judge, lay_odds, win_rates, course, usual_lengths)


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
