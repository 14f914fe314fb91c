"""A game played by two skills, as a Markov chain over the solved table: exact, with no game played.

The rows of a field are the positions that can be reached, variant by variant. First come those from which play always
ends, each after all that can follow it: one sweep is enough for them. The core, from where play can go round, comes
last, the nearest to the end first: it is swept until lower and upper bounds meet, or solved as linear equations.
"""

from __future__ import annotations

import sys
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.lab.laying import FAR
from numberline.lab.loops import loops
from numberline.solver.solution import Solution
from numberline.solver.table import Column, Table

if TYPE_CHECKING:
    from numberline.solver.families import SolvedFamily

Numbers = NDArray[Any]

WORTH_COMPILING = 20_000
"""A field with fewer rows is measured sooner than the compiler is loaded."""
DIRECT = 1_500
"""A core with no more rows than this is solved as linear equations where nothing is compiled."""
WORTH_THREADS = 300
"""Fewer equations are solved sooner than a library for linear equations starts its threads."""
NEAR = 1e-9
"""Bounds that are as near as this have met."""
ENOUGH_SWEEPS = 1_000
"""After so many sweeps a core that can be solved as linear equations is."""
MOST_ELIMINATED = 2_000_000_000
"""A core is narrow where elimination takes no more steps than this."""
MOST_SWEEPS = 20_000
"""After so many sweeps the bounds are given as they are."""
LONGEST, LONGEST_LARGE = 100_000, 2_000
"""So many turns a game is followed one by one; on a large field fewer."""
MOST_STEPS = 2_000_000_000
"""A field is large where all moves in all turns are more than this."""


class WinRates(NamedTuple):
    """How likely each player wins, for each row."""

    one: Numbers
    two: Numbers
    still: Numbers
    """What the bounds leave open: each of the two may be more by as much."""


class Course(NamedTuple):
    """What is expected of a game that player 1 begins, for each variant."""

    turns: Numbers
    decisions: Numbers
    """In how many turns a move can give value away."""
    good: Numbers
    """The shares of moves that give nothing away, added up over those turns."""
    changes: Numbers
    """How often the lead changes."""
    rest: Numbers
    """In how many turns the lead has changed for the last time before."""
    hidden: Numbers
    """In how many of the decisions somebody who sees 2 turns ahead can go wrong."""
    sure: Numbers
    """How likely somebody wins who never stood lost."""
    left: Numbers
    """How likely a game goes on that was not followed any further."""


class Field:
    """The rows of one solved book, or of many, in the order in which they are worked out."""

    def __init__(
        self,
        table: Table,
        entries: list[Column],
        reachable: Column,
        starts: Numbers,
        owner: Numbers | None = None,
        *,
        compiled: bool | None = None,
    ) -> None:
        self.starts: Numbers
        """For each variant, the row of the start where player 1 begins, and where player 2 does."""
        self.variants = len(starts)
        keep = np.flatnonzero(np.asarray(reachable))
        self.size = len(keep)
        if compiled is None:
            compiled = len(starts) > 1 or self.size >= WORTH_COMPILING or "numba" in sys.modules
        self.loops = loops(compiled=compiled)
        name = np.full(table.size, -1, np.int32)
        name[keep] = np.arange(self.size, dtype=np.int32)
        entry = np.asarray(entries[0])[keep].astype(np.int32)
        mover = np.asarray(table.mover, np.int8)[keep]
        value = np.where(mover == 1, entry, -entry).astype(np.int32)
        belongs = np.zeros(self.size, np.int32) if owner is None else np.asarray(owner)[keep]
        begin, to, made = self._edges(table, name)
        order, peeled = self._peeled(begin, to)
        self._arrange(order, peeled, belongs, value)
        self.begin = np.empty(self.size + 1, np.int32)
        self.to, self.made = np.empty_like(to), np.empty_like(made)
        place = np.empty(self.size, np.int32)
        place[self.order] = np.arange(self.size, dtype=np.int32)
        self.loops.reorder(*self.seen(self.order, place, begin, to, made, self.begin, self.to, self.made))
        self.rows = keep[self.order]
        """For each row, its number in the table."""
        self.mover: Numbers = mover[self.order]
        self.winner: Numbers = np.asarray(table.winner, np.int8)[self.rows]
        self.value: Numbers = value[self.order]
        """In how many turns the game is won, plus one; below 0 where player 2 wins it, 0 where nobody can force it."""
        self.starts = place[name[np.asarray(starts)]].astype(np.int64)

    @classmethod
    def of(cls, solution: Solution, *, compiled: bool | None = None) -> Field:
        """The field of one solved book; where it is not said, its size decides whether the loops are compiled."""
        numbers = [[solution.numbering.number(start) for start in solution.book.starts()]]
        return cls(solution.table, solution.entries, solution.reachable, np.array(numbers), compiled=compiled)

    @classmethod
    def of_family(cls, solved: SolvedFamily) -> Field:
        """The field of many variants that were solved in one table."""
        return cls(solved.table, solved.entries, solved.reachable, solved.starts, solved.owner)

    def seen(self, *columns: Numbers) -> tuple[Column, ...]:
        """The columns as the loops take them: uncompiled, they are quicker on a view of the memory."""
        return columns if self.loops.compiled else tuple(each.data for each in columns)

    def _edges(self, table: Table, name: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        after = np.stack([np.asarray(column, np.int32) for column in table.after])
        count = int((after[:, name >= 0] >= 0).sum())
        begin = np.empty(self.size + 1, np.int32)
        to, made = np.empty(count, np.int32), np.empty(count, np.int16)
        columns = after if self.loops.compiled else [memoryview(column) for column in after]
        self.loops.compact(columns, *self.seen(name, begin, to, made))
        return begin, to, made

    def _peeled(self, begin: Numbers, to: Numbers) -> tuple[Numbers, int]:
        """The rows from which play always ends, in order, and how many they are; the others come behind them."""
        back, before = np.zeros(self.size + 2, np.int32), np.empty(len(to), np.int32)
        self.loops.turn_round(*self.seen(begin, to, back, before))
        left, order = np.empty(self.size, np.int32), np.empty(self.size, np.int32)
        peeled = self.loops.peel(*self.seen(begin, back, before, left, order))
        order[peeled:] = np.flatnonzero(left)
        return order, peeled

    def _arrange(self, order: Numbers, peeled: int, belongs: Numbers, value: Numbers) -> None:
        """Puts the rows in order: variant by variant, first those from which play always ends, then the core."""
        core = order[peeled:]
        distance = np.abs(value[core])
        distance[distance == 0] = FAR
        order[peeled:] = core[np.argsort(distance, kind="stable")]
        in_core = np.zeros(self.size, np.int32)
        in_core[peeled:] = 1
        part = 2 * belongs[order] + in_core
        self.order = order[np.argsort(part, kind="stable")] if self.variants > 1 else order
        ends = np.cumsum(np.bincount(part, minlength=2 * self.variants))
        self.cores: Numbers = ends[::2].astype(np.int64)
        """For each variant, where the core begins."""
        self.ends: Numbers = np.concatenate([[0], ends[1::2]]).astype(np.int64)
        """Where the rows of each variant begin, and where those of the last one end."""

    @cached_property
    def goes_round(self) -> bool:
        """Whether play can go round anywhere."""
        return bool((self.cores < self.ends[1:]).any())

    @cached_property
    def judged(self) -> tuple[Numbers, Numbers, Numbers]:
        """For each row: whether a move can give value away, the share of those that don't, the sight it takes."""
        decides, good = np.empty(self.size, np.int8), np.empty(self.size)
        needed = np.empty(self.size, np.int32)
        self.loops.judge(*self.seen(self.begin, self.to, self.mover, self.value, decides, good, needed))
        return decides, good, needed

    # What is asked

    def win_rates(self, chance: Numbers, marks: Numbers | None = None) -> WinRates:
        """How likely each player wins from each row, if moves are made with these chances."""
        marks = self._can_end(chance) if marks is None else marks
        flat = np.empty(3 * self.size)
        columns = (*self._parts, chance, self.winner, self._begins, marks, flat)
        self.loops.win_rates(*self.seen(*columns), self._sweeps, NEAR)
        found = WinRates(*flat.reshape(-1, 3).T)
        for variant in self._unsettled(found.still[self.starts].max(axis=1)):
            core = _Core(self, variant, chance, marks)
            core.settle([found.one, found.two])
            found.still[core.here] = 0
        return found

    def course(self, chance: Numbers, marks: Numbers | None = None) -> Course:
        """What is expected of a game that player 1 begins, if moves are made with these chances."""
        marks = self._can_end(chance) if marks is None else marks
        visits, left = self._visits(chance, marks)
        flat, calm = np.empty(6 * self.variants), self._calm(chance, marks, visits)
        columns = (self.ends, self.begin, self.to, chance, self.value, *self.judged, visits, calm, flat)
        self.loops.add_up(*self.seen(*columns))
        return Course._make([*flat.reshape(-1, 6).T, self._sure(chance, marks), left])

    def _can_end(self, chance: Numbers) -> Numbers:
        """For each row 1 where an ending can come, if moves are made with these chances, else 0."""
        marks = np.empty(self.size)
        self.loops.can_end(*self.seen(*self._parts, chance, marks))
        return marks

    def _visits(self, chance: Numbers, marks: Numbers, lead: int = 0) -> tuple[Numbers, Numbers]:
        """How often each row is visited, and what was not followed any further; a game ends where somebody leads."""
        barred = (marks == 0).astype(np.int8)
        if lead:
            barred |= np.sign(self.value) == lead
        visits, left = np.empty(self.size), np.empty(self.variants)
        columns = (*self._parts, chance, barred, self._begins)
        self.loops.go_round(*self.seen(*columns, np.empty(self.size), visits, left), self._sweeps, NEAR)
        for variant in self._unsettled(left):
            _Core(self, variant, chance, marks).visit(visits, int(self.starts[variant, 0]), barred)
            left[variant] = 0
        self.loops.go_down(*self.seen(*columns, visits))
        return visits, left

    def _sure(self, chance: Numbers, marks: Numbers) -> Numbers:
        """For each variant, how likely somebody wins who never stood lost."""
        sure = np.zeros(self.variants)
        begins = np.sign(self.value[self.starts[:, 0]])
        for player, other in ((1, -1), (2, 1)):
            if (begins != other).any():
                visits, _ = self._visits(chance, marks, other)
                sure += np.add.reduceat(np.where(self.winner == player, visits, 0.0), self.ends[:-1])
        return sure

    def _calm(self, chance: Numbers, marks: Numbers, visits: Numbers) -> Numbers:
        """How likely the lead changes no more, in the first of two numbers for each row."""
        calm = np.empty(2 * self.size)
        kept = np.empty_like(chance)
        self.loops.keep_lead(*self.seen(self.begin, self.to, chance, self.value, kept))
        columns = (*self._parts, kept, marks, visits, calm)
        self.loops.calm_down(*self.seen(*columns), self._sweeps, NEAR)
        unsaid = np.add.reduceat(calm[1::2] * visits, self.ends[:-1])
        for variant in self._unsettled(unsaid):
            _Core(self, variant, kept, marks).settle([calm[::2]])
        return calm

    def usual_lengths(self, chance: Numbers) -> tuple[Numbers, Numbers]:
        """For each variant, within how many turns 10 and 90 % of the games are over; -1 where that is too long."""
        low, high = np.empty(self.variants, np.int32), np.empty(self.variants, np.int32)
        columns = (self._begins, self.begin, self.to, chance, *self._in_time())
        self.loops.usual_lengths(*self.seen(*columns, low, high))
        return low, high

    def lengths(self, chance: Numbers, share: float) -> tuple[float, ...]:
        """How likely a game of the first variant takes exactly so many turns, until so large a share is over."""
        *columns, lengths = self._in_time()
        seen = self.seen(self.begin, self.to, chance, *columns, lengths)
        count = self.loops.spread_in_time(int(self.starts[0, 0]), *seen, share)
        return tuple(lengths[:count].tolist())

    def _in_time(self) -> tuple[Numbers, ...]:
        """What is needed to follow a game turn by turn: two columns of chances, two lists of rows, the lengths."""
        chances, lists = np.zeros((2, self.size)), np.empty((2, self.size), np.int32)
        return *chances, *lists, np.empty(self._longest)

    @property
    def _longest(self) -> int:
        """So many turns a game is followed."""
        return max(LONGEST_LARGE, min(LONGEST, MOST_STEPS // len(self.to)))

    # Small cores, as linear equations

    @cached_property
    def _sizes(self) -> Numbers:
        """How many rows the core of each variant has."""
        return self.ends[1:] - self.cores

    @cached_property
    def _sweeps(self) -> int:
        """How often the cores are swept: not at all where they are solved at once, less often where they could be."""
        if not self.loops.compiled and self._sizes.max() <= DIRECT:
            return 0
        return min(ENOUGH_SWEEPS, MOST_SWEEPS) if self._solvable[self._sizes > 0].all() else MOST_SWEEPS

    @cached_property
    def _solvable(self) -> Numbers:
        """For each variant, whether its core can be solved as linear equations: it is small, or narrow."""
        solvable: Numbers = (self._sizes > 0) & (self._sizes <= DIRECT)
        for variant in np.flatnonzero(self._sizes > DIRECT):
            solvable[variant] = self.narrow(int(self.cores[variant]), int(self.ends[variant + 1])) is not None
        return solvable

    def narrow(self, first: int, last: int) -> Numbers | None:
        """The place of each row of a core in an order in which all moves are short; None where that is no use."""
        if first not in self._narrow:
            worth_it = self.loops.compiled and last - first > WORTH_THREADS and DIRECT > 0
            self._narrow[first] = self._narrow_order(first, last) if worth_it else None
        return self._narrow[first]

    @cached_property
    def _narrow(self) -> dict[int, Numbers | None]:
        return {}

    def _narrow_order(self, first: int, last: int) -> Numbers | None:
        """The place of each row in the order of its distance from one end of the core; None if moves stay long."""
        row = np.repeat(np.arange(last - first), np.diff(self.begin[first : last + 1]))
        to = self.to[self.begin[first] : self.begin[last]] - first
        row, to = row[to >= 0], to[to >= 0]
        place = _layers(row, to, last - first, 0)
        place = _layers(row, to, last - first, int(place.argmax()))
        width = int(np.abs(place[row] - place[to]).max(initial=0))
        return place if (last - first) * width * width <= MOST_ELIMINATED else None

    @cached_property
    def _parts(self) -> tuple[Numbers, ...]:
        return self.ends, self.cores, self.begin, self.to

    @cached_property
    def _begins(self) -> Numbers:
        return self.starts.reshape(-1)

    def _unsettled(self, unsaid: Numbers) -> list[int]:
        """The variants of which something is left unsaid, if their cores can be solved at once."""
        if not self.goes_round:
            return []
        unsettled = unsaid > NEAR if self._sweeps else self._sizes > 0
        return [int(variant) for variant in np.flatnonzero(unsettled & self._solvable)] if unsettled.any() else []


def _layers(row: Numbers, to: Numbers, size: int, start: int) -> Numbers:
    """The place of each row, nearest first, going out from one of them along moves in either direction."""
    here, there = np.concatenate([row, to]), np.concatenate([to, row])
    order = np.argsort(here, kind="stable")
    begin, there = np.searchsorted(here[order], np.arange(size + 1)), there[order]
    place = np.full(size, -1)
    count = 0
    while count < size:
        layer = np.array([start])
        while len(layer):
            place[layer] = np.arange(count, count + len(layer))
            count += len(layer)
            reached = np.concatenate([there[begin[each] : begin[each + 1]] for each in layer])
            layer = np.unique(reached[place[reached] < 0])
        start = int((place < 0).argmax())  # rows that no move connects with these
    return place


class _Core:
    """The rows of a variant from where play can go round, and its moves; where no ending ever comes, all is 0."""

    def __init__(self, field: Field, variant: int, chance: Numbers, marks: Numbers) -> None:
        self.field = field
        self.first, self.last = int(field.cores[variant]), int(field.ends[variant + 1])
        self.here = slice(self.first, self.last)
        edges = slice(field.begin[self.first], field.begin[self.last])
        self.row = np.repeat(np.arange(self.first, self.last), np.diff(field.begin[self.first : self.last + 1]))
        self.to = field.to[edges]
        self.chance = chance[edges] * marks[self.row]

    def settle(self, columns: list[Numbers]) -> None:
        """Enters in each column what is expected of it."""
        out = self.to < self.first
        size, row = self.last - self.first, self.row[out] - self.first
        wanted = [np.bincount(row, self.chance[out] * column[self.to[out]], minlength=size) for column in columns]
        for column, values in zip(columns, self._solved(self.chance, np.stack(wanted, axis=1)).T, strict=True):
            column[self.here] = values

    def visit(self, visits: Numbers, start: int, barred: Numbers) -> None:
        """Enters how often each row is visited from a start."""
        wanted = np.zeros((self.last - self.first, 1))
        if start >= self.first:
            wanted[start - self.first] = 1
        found = self._solved(self.chance * (barred[self.row] == 0), wanted, backwards=True)[:, 0]
        visits[self.here] = np.where(barred[self.here], 0.0, np.maximum(0.0, found))

    def _solved(self, chance: Numbers, wanted: Numbers, *, backwards: bool = False) -> Numbers:
        place = self.field.narrow(self.first, self.last)
        if place is None:
            matrix = self._matrix(chance)
            return solved(matrix.T if backwards else matrix, wanted)
        inside = self.to >= self.first
        row, to = place[self.row[inside] - self.first], place[self.to[inside] - self.first]
        row, to = (to, row) if backwards else (row, to)
        width = int(np.abs(row - to).max(initial=0))
        band = np.zeros((len(place), 2 * width + 1))
        np.subtract.at(band, (row, width + to - row), chance[inside])
        band[:, width] += 1
        ordered = np.empty_like(wanted)
        ordered[place] = wanted
        self.field.loops.eliminate(band, ordered)
        return ordered[place]

    def _matrix(self, chance: Numbers) -> Numbers:
        size, inside = self.last - self.first, self.to >= self.first
        places = (self.row[inside] - self.first) * size + self.to[inside] - self.first
        moves: Numbers = np.bincount(places, chance[inside], minlength=size * size).reshape(size, size)
        return np.eye(size) - moves


def solved(matrix: Numbers, wanted: Numbers) -> Numbers:
    """What solves the linear equations of a chain, for each column that is wanted.

    Small ones are eliminated here, with nothing but subtraction: a library that starts threads for them takes longer.
    The diagonal of a chain is never smaller than the rest of its row, or of its column, so any order will do.
    """
    size = len(matrix)
    if size > WORTH_THREADS:
        return np.linalg.solve(matrix, wanted)
    rows = np.concatenate([matrix, wanted], axis=1)
    for pivot in range(size):
        rows[pivot] /= rows[pivot, pivot]
        below = pivot + 1 + np.flatnonzero(rows[pivot + 1 :, pivot])
        rows[below, pivot:] -= rows[below, pivot, np.newaxis] * rows[pivot, pivot:]
    for pivot in reversed(range(size)):
        above = np.flatnonzero(rows[:pivot, pivot])
        rows[above, size:] -= rows[above, pivot, np.newaxis] * rows[pivot, size:]
    return rows[:, size:]
