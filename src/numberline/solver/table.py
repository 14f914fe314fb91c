"""All positions of a book, numbered: `after[move][position]` is the number of the position after a move.

A small book is walked from its start, on plain ints. A large one is filled from the engine on NumPy columns, block by
block; there a position's number is its digits (whose turn, who is out, what is banned, where each token stands) written
in one mixed-radix number, the turn being the most significant digit.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Protocol, TypeAlias

from numberline.book.book import Book
from numberline.rules.answers import Rules
from numberline.rules.arithmetic import Number, Truth, both, no
from numberline.rules.engine import Engine
from numberline.rules.errors import NumberlineError
from numberline.rules.moves import FORCED, Move
from numberline.rules.position import Position

SMALL = 4_000
"""Books with no more positions than this are walked on ints."""
TINY = 600
"""The same, once NumPy is loaded anyway."""
BLOCK = 1 << 16
"""How many positions of a large book are filled at a time: as many as fit in a processor's cache."""
NONE = -1
"""In `after`: the move is not legal there."""

Column: TypeAlias = Any
"""A number for each position: a list, or a NumPy column."""
Progress = Callable[[float], None]
"""Called now and then with the share of the work that is done, from 0 to 1."""


class TooLarge(NumberlineError):
    """A book with more positions than memory allows."""


class Numbering(Protocol):
    """Positions as numbers, both ways."""

    @property
    def size(self) -> int:
        """How many positions are numbered."""

    def number(self, position: Position) -> int:
        """The number of a position; raises KeyError for one that is not numbered."""

    def position(self, number: int) -> Position:
        """The position of a number."""


@dataclass(frozen=True, slots=True)
class Table:
    """All positions of a book and what each move makes of them."""

    numbering: Numbering
    moves: tuple[Move, ...]
    """The moves, in the order of `after`; the forced ones last, where they ever happen."""
    after: list[Column]
    """For each move, for each position: the number of the position after it, or `NONE`."""
    mover: Column
    """For each position: the player to move."""
    winner: Column
    """For each position: who has won, 0 while nobody has."""

    @property
    def size(self) -> int:
        """How many positions there are."""
        return self.numbering.size


def make_table(book: Book, *, memory: int, progress: Progress = lambda _: None) -> Table:
    """The table of a book; refuses, before anything is allocated, one that would need more than `memory` bytes."""
    box = Box(book.rules)
    check_memory(book, box, memory)
    small = TINY if "numpy" in sys.modules else SMALL
    return walk(book) if box.size <= small else fill(book, box, progress)


def check_memory(book: Book, box: Box, memory: int) -> None:
    """Raises `TooLarge` where the table and its solution would not fit."""
    needed = box.size * bytes_a_position(book)
    if needed > memory or box.size >= 1 << 31:
        raise TooLarge(
            f"{book.variant} has {box.size:,} positions and would need {in_words(needed)} of memory; "
            f"the limit is {in_words(memory)} (--memory raises it)"
        )


def bytes_a_position(book: Book) -> int:
    """What solving takes at its peak: `after` and its reverse, four bytes an entry, and the solver's own columns."""
    return 8 * (len(book.engine.choices) + 1) + 13


def in_words(size: int) -> str:
    """A number of bytes as people write it.

    >>> in_words(3 << 30), in_words(1500)
    ('3.0 GiB', '1.5 KiB')
    """
    power = max(0, min(4, (max(1, size).bit_length() - 1) // 10))
    return f"{size / 1024**power:.1f} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[power]}"


# A small book: walked on ints


class Walk:
    """The positions that can come about, numbered as they were met."""

    def __init__(self) -> None:
        self._numbers: dict[Position, int] = {}
        self._positions: list[Position] = []

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self._positions)

    def number(self, position: Position) -> int:
        """The number of a position; raises KeyError for one that can't come about."""
        return self._numbers[position]

    def position(self, number: int) -> Position:
        """The position of a number."""
        return self._positions[number]

    def add(self, position: Position) -> int:
        """The number of a position, a new one if it is new."""
        number = self._numbers.setdefault(position, len(self._positions))
        if number == len(self._positions):
            self._positions.append(position)
        return number


def walk(book: Book, starts: Iterable[Position] = ()) -> Table:
    """The table of the positions that can come about from these (from the book's start, whoever begins)."""
    engine = book.engine
    numbering = Walk()
    for start in starts or (engine.start(first) for first in range(1, book.rules.players + 1)):
        numbering.add(start)
    columns = (*engine.choices, *FORCED)
    place = {move.text: n for n, move in enumerate(columns)}
    after: list[list[int]] = [[] for _ in columns]
    mover: list[int] = []
    winner: list[int] = []
    number = 0
    while number < numbering.size:
        position = numbering.position(number)
        for column in after:
            column.append(NONE)
        mover.append(position.turn)
        winner.append(engine.winner(position))
        if not winner[-1]:
            for move, reached in engine.followers(position):
                after[place[move.text]][number] = numbering.add(reached)
        number += 1
    used = [n for n, move in enumerate(columns) if move not in FORCED or max(after[n]) > NONE]
    return Table(numbering, tuple(columns[n] for n in used), [after[n] for n in used], mover, winner)


# A large book: filled on columns


class Box:
    """Every position that the digits can write, reachable or not."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        anybody_out = rules.overshoot == "loses" or (rules.stuck == "loses" and rules.players > 2)
        self.masks = (1 << rules.players) - 1 if anybody_out else 1
        strides = range(1, len(rules.operations) + 1) if rules.operations else rules.steps
        banned = {*strides, *([1] if rules.reverse else [])} if rules.repeat == "banned" else set()
        self.lasts = (0, *sorted(banned))
        self.ranges = _ranges(rules)

    @cached_property
    def radix(self) -> tuple[int, ...]:
        """How many values each digit has."""
        return (self.rules.players, self.masks, len(self.lasts), *(len(places) for places in self.ranges))

    @cached_property
    def weights(self) -> tuple[int, ...]:
        """What each digit counts."""
        return tuple(math.prod(self.radix[n + 1 :]) for n in range(len(self.radix)))

    @cached_property
    def size(self) -> int:
        """How many positions there are."""
        return math.prod(self.radix)

    def number(self, position: Position) -> int:
        """The number of a position; raises KeyError for one that the digits can't write."""
        turn, tokens, last, out = position
        fits = all(place in places for place, places in zip(tokens, self.ranges, strict=True))
        if not fits or last not in self.lasts or not 0 <= out < self.masks or not 1 <= turn <= self.rules.players:
            raise KeyError(position)
        number: int = self.numbers(position)
        return number

    def numbers(self, position: Position) -> Number:
        """The number of a position, or of each in a column of them with the same stride banned."""
        turn, tokens, last, out = position
        weights = self.weights
        number = (turn - 1) * weights[0] + out * weights[1] + self.lasts.index(last) * weights[2]
        for place, places, weight in zip(tokens, self.ranges, weights[3:], strict=True):
            offset = place - places.start if places.start else place
            number = (offset * weight if weight > 1 else offset) + number
        return number

    def position(self, number: int) -> Position:
        """The position of a number."""
        digits = [number // weight % radix for weight, radix in zip(self.weights, self.radix, strict=True)]
        tokens = tuple(places[digit] for digit, places in zip(digits[3:], self.ranges, strict=True))
        return Position(digits[0] + 1, tokens, self.lasts[digits[2]], digits[1])


def _ranges(rules: Rules) -> tuple[range, ...]:
    """For each token, the places that it can ever stand on."""
    engine = Engine(rules)
    each = []
    for player, start in enumerate(rules.starts, 1):
        stretch = engine.stretches[player]
        low, high = max(rules.line[0], stretch.left_goal), min(rules.line[1], stretch.right_goal)
        headings = {move.heading[player] for move in engine.choices if move.token is not None}
        if rules.overshoot == "counts":
            beyond = [move.wanted(place, player) for move in engine.choices if move.token is not None
                      for place in (low + 1, high - 1)]  # fmt: skip
            low = min([low, *beyond]) if low == stretch.left_goal else low
            high = max([high, *beyond]) if high == stretch.right_goal else high
        each.append((low if -1 in headings else start, high if 1 in headings else start))
    if rules.shared:
        return (range(min(low for low, _ in each), max(high for _, high in each) + 1),)
    return tuple(range(low, high + 1) for low, high in each for _ in range(rules.tokens))


def fill(book: Book, box: Box, progress: Progress = lambda _: None) -> Table:
    """The table of every position of the box."""
    import numpy as np

    engine = book.engine
    after: dict[Move, Column] = {move: np.empty(box.size, np.int32) for move in engine.choices}
    winner = np.zeros(box.size, np.int8)

    def enter(move: Move, here: slice, shape: tuple[int, ...], reached: Number, legal: Truth) -> None:
        if move not in after:
            after[move] = np.full(box.size, NONE, np.int32)
        column = after[move][here].reshape(shape)
        column[...] = reached
        if legal is not True:
            np.copyto(column, NONE, where=no(legal))

    for first, shape, block in _blocks(box):
        here = slice(first, first + math.prod(shape))
        progress(first / box.size)
        survey = engine.survey(block)
        won = engine.winner(block, survey.stuck)
        live = won == 0
        winner[here].reshape(shape)[...] = won
        free = both(live, no(survey.idle))
        for move, legal, landing in zip(engine.choices, survey.legal, survey.landings, strict=True):
            enter(move, here, shape, box.numbers(engine.landed(block, move, landing)), both(free, legal))
        for move, happens in zip(FORCED, engine.forced(survey), strict=True):
            lost = both(happens, live)
            if lost is not False and np.any(lost):
                enter(move, here, shape, box.numbers(engine.after(block, move)), lost)
    mover = np.repeat(np.arange(1, book.rules.players + 1, dtype=np.int8), box.weights[0])
    return Table(box, tuple(after), list(after.values()), mover, winner)


def _blocks(box: Box) -> Iterator[tuple[int, tuple[int, ...], Position]]:
    """The box in blocks: the number of the first position, the shape, and the columns of positions.

    The leading digits of a block are plain ints, the others columns along an axis of their own.
    """
    import numpy as np

    radix, weights = box.radix, box.weights
    split = next(n for n in range(3, len(radix)) if weights[n] <= BLOCK)
    step = max(1, BLOCK // weights[split])
    axes = [np.arange(places.start, places.stop, dtype=np.int32) for places in box.ranges]
    later = radix[split + 1 :]
    for lead in product(*(range(size) for size in radix[:split])):
        turn, out, last, *outer = lead
        base = sum(digit * weight for digit, weight in zip(lead, weights, strict=False))
        leading = [box.ranges[n].start + digit for n, digit in enumerate(outer)]
        for begin in range(0, radix[split], step):
            chunk = axes[split - 3][begin : begin + step]
            shape = (len(chunk), *later)
            inner = [chunk, *axes[split - 2 :]]
            tokens = [column.reshape(_along(n, len(inner))) for n, column in enumerate(inner)]
            block = Position(turn + 1, (*leading, *tokens), box.lasts[last], out)
            yield base + begin * weights[split], shape, block


def _along(axis: int, axes: int) -> tuple[int, ...]:
    """The shape of a column that lies along one of several axes."""
    return tuple(-1 if n == axis else 1 for n in range(axes))
