"""All positions of a book, numbered: `after[move][position]` is the number of the position after a move.

There are two ways to number them, and nobody outside this room can tell which was taken. A book of which few positions
can be reached is walked from its start, on plain ints. Any other is filled from the engine on NumPy columns, block by
block; there a position's number is its digits (whose turn, who is out, what is banned, where each token stands) written
in one mixed-radix number, the turn being the most significant digit.
"""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple, Protocol, TypeAlias

from numberline.book.book import Book
from numberline.rules.arithmetic import Number, no
from numberline.rules.errors import NumberlineError, whole_option
from numberline.rules.moves import FORCED, Move
from numberline.rules.position import Position
from numberline.rules.wording import READABLE, size_word

MEMORY = 4 << 30
"""How many bytes solving may take, unless another limit is given."""
SMALL = 1_500
"""Books with no more numbers than this are walked on ints."""
SPARSE = 500
"""A larger book is walked if no more than one in so many of its numbers is a position that can be reached …"""
VERY_SPARSE = 10_000
"""… or one in so many, where the compiled loops are that much quicker than a walk."""
WORTH_COMPILING = 300_000
"""A table with fewer positions is solved sooner than the compiler is loaded."""
WALKED = 1_000
"""About how many bytes a position takes that was walked to."""
MOST_WALKED = 50_000
"""A book that has too many numbers is walked as far as this, which takes a second or two, before it is refused."""
BLOCK = 1 << 16
"""How many positions of a large book are filled at a time: as many as fit in a processor's cache."""
MOST_NUMBERED = (1 << 31) - 1
"""The moves of a table, and one more for each position, are numbered too, in four bytes."""
NONE = -1
"""In `after`: the move is not legal there."""

Column: TypeAlias = Any
"""A number for each position: a list, or a NumPy column."""
Progress = Callable[[float], None]
"""Called now and then with the share of the work that is done, from 0 to 1."""


class Numbering(Protocol):
    """Positions as numbers, both ways."""

    @property
    def size(self) -> int:
        """How many positions there are."""

    def number(self, position: Position) -> int:
        """The number of a position; raises KeyError for one that has none."""

    def position(self, number: int) -> Position:
        """The position of a number."""

    def columns(self) -> Position:
        """All positions as NumPy columns."""


class TooLarge(NumberlineError):
    """A book with more positions than memory allows."""


class Table(NamedTuple):
    """All positions of a book and what each move makes of them."""

    numbering: Numbering
    players: int
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


def make_table(book: Book, *, memory: int = MEMORY, progress: Progress = lambda _: None) -> Table:
    """The table of a book; refuses one that would need more than `memory` bytes, before it takes them."""
    box = Box(book)
    if not importlib.util.find_spec("numpy"):
        return walk(book, limit=memory // WALKED) or _refuse(book, box, memory)
    if not fits(book, min(memory, installed_memory())):
        return walk(book, limit=min(MOST_WALKED, memory // WALKED)) or _refuse(book, box, memory)
    return walk(book, limit=_worth_walking(box.size)) or fill(book, box, progress)


def table_of(book: Book, numbering: Numbering) -> Table:
    """The table of a book whose positions were numbered before."""
    if isinstance(numbering, Box):
        return fill(book, numbering)
    return walk(book, limit=numbering.size) or _refuse(book, Box(book), 0)


def _worth_walking(size: int) -> int:
    """As far as this a book of so many numbers is walked before it is filled: further would take longer."""
    if size <= SMALL:
        return size
    return max(size // VERY_SPARSE, min(size, WORTH_COMPILING) // SPARSE)


def _refuse(book: Book, box: Box, memory: int) -> Table:
    raise too_large(f"{book.variant} has", box.size, book, memory)


def too_large(what: str, size: int, book: Book, memory: int) -> TooLarge:
    """Why so many positions of this book, or of variants like it, can't be solved."""
    needed, columns = size * bytes_a_position(book), len(book.choices) + 1
    have = f"{what} {size_word(size)} positions"
    would = f"{have} and would need {in_words(needed)} of memory"
    if needed > memory:
        return TooLarge(f"{would}; the limit is {in_words(memory)} (--memory raises it)")
    if needed > installed_memory():
        return TooLarge(f"{would}; this machine has {in_words(installed_memory())}")
    return TooLarge(f"{have}; with so many moves at most {MOST_NUMBERED // columns:,} can be solved")


@cache
def installed_memory() -> int:
    """How many bytes of memory this machine has; where it does not say, more than any machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 63


def most_positions(book: Book) -> int:
    """How many positions a book has at the most; known at once."""
    return Box(book).size


def wants_compiling(book: Book) -> bool:
    """Whether a book may be so large that it takes long to solve without numba, the extra `fast`."""
    return most_positions(book) >= WORTH_COMPILING


def fits(book: Book, memory: int = MEMORY) -> bool:
    """Whether the table of a book surely fits; where it may not, few of its positions may be reachable all the same."""
    size = most_positions(book)
    return size * bytes_a_position(book) <= memory and size * (len(book.choices) + 1) <= MOST_NUMBERED


def bytes_a_position(book: Book) -> int:
    """What solving takes at its peak: `after` and its reverse, four bytes an entry, and the solver's own columns."""
    return 8 * (len(book.choices) + 1) + 13


def bytes_of(memory: object) -> int:
    """The most memory to take, as a program gives it; raises `OptionError` for what is no number of bytes."""
    return whole_option("memory", memory)


def in_words(size: int) -> str:
    """A number of bytes as people write it.

    >>> in_words(3 << 30), in_words(1500), in_words(10**40)
    ('3.0 GiB', '1.5 KiB', 'more than 10^27 TiB')
    """
    power = max(0, min(4, (max(1, size).bit_length() - 1) // 10))
    unit = ("bytes", "KiB", "MiB", "GiB", "TiB")[power]
    whole = size // 1024**power
    return f"{size / 1024**power:.1f} {unit}" if whole < READABLE else f"{size_word(whole)} {unit}"


# Walked on ints


class Walk:
    """The positions that can be reached, numbered as they were met."""

    def __init__(self) -> None:
        self._numbers: dict[Position, int] = {}
        self._positions: list[Position] = []

    @property
    def size(self) -> int:
        """How many positions there are."""
        return len(self._positions)

    def number(self, position: Position) -> int:
        """The number of a position; raises KeyError for one that can't be reached."""
        return self._numbers[position]

    def position(self, number: int) -> Position:
        """The position of a number."""
        return self._positions[number]

    def columns(self) -> Position:
        """All positions as NumPy columns."""
        import numpy as np

        turns, tokens, lasts, outs = zip(*self._positions, strict=True)
        places = tuple(np.array(column) for column in zip(*tokens, strict=True))
        return Position(np.array(turns), places, np.array(lasts), np.array(outs))  # type: ignore[arg-type] # a column

    def add(self, position: Position) -> int:
        """The number of a position, a new one if it is new."""
        number = self._numbers.setdefault(position, len(self._positions))
        if number == len(self._positions):
            self._positions.append(position)
        return number


def walk(book: Book, starts: Iterable[Position] = (), *, limit: int) -> Table | None:
    """The table of what can be reached from these positions (from the start, whoever begins); None past the limit."""
    numbering = Walk()
    for start in starts or book.starts():
        numbering.add(start)
    moves = (*book.choices, *FORCED)
    after: dict[Move, list[int]] = {move: [] for move in moves}
    columns = tuple(after.values())
    mover: list[int] = []
    winner: list[int] = []
    number = 0
    while number < numbering.size:
        if numbering.size > limit:
            return None
        position = numbering.position(number)
        for column in columns:
            column.append(NONE)
        mover.append(position.turn)
        followers = book.followers(position)
        winner.append(0 if followers else book.winner(position))
        for move, reached in followers:
            after[move][number] = numbering.add(reached)
        number += 1
    used = [move for move in moves if move not in FORCED or max(after[move]) > NONE]
    return Table(numbering, book.rules.players, tuple(used), [after[move] for move in used], mover, winner)


# Filled on columns


def leading(book: Book) -> tuple[int, int, tuple[int, ...]]:
    """How many can move, how many ways there are to be out of the game, and what can be banned."""
    rules = book.rules
    anybody_out = rules.overshoot == "loses" or (rules.stuck == "loses" and rules.players > 2)
    strides = {move.stride for move in book.choices} if rules.repeat == "banned" else set()
    return rules.players, (1 << rules.players) - 1 if anybody_out else 1, tuple(sorted({0, *strides}))


def furthest(book: Book, ends: Iterable[int]) -> int:
    """The largest number, signs aside, that a move from one of these places can come to."""
    moves = [move for move in book.choices if move.slot]
    wanted = (move.wanted(end, player) for move in moves for end in ends for player in book.players)
    return max(map(abs, wanted), default=0)


class Box:
    """Every position that the digits can write, whether it can be reached or not."""

    def __init__(self, book: Book) -> None:
        self.players, self.masks, self.lasts = leading(book)
        self.ranges = book.ranges
        self.radix = (self.players, self.masks, len(self.lasts), *map(len, self.ranges))
        """How many values each digit has."""
        self.weights = tuple(math.prod(self.radix[n + 1 :]) for n in range(len(self.radix)))
        """What each digit counts."""
        self._size = math.prod(self.radix)
        self.furthest = furthest(book, {end for places in book.ranges for end in (places.start, places.stop)})
        """No number that comes up on the way is larger: so wide must a column be."""

    @property
    def size(self) -> int:
        """How many positions there are."""
        return self._size

    def number(self, position: Position) -> int:
        """The number of a position; raises KeyError for one that the digits can't write."""
        turn, tokens, last, out = position
        fits = len(tokens) == len(self.ranges) and all(map(range.__contains__, self.ranges, tokens))
        if not fits or last not in self.lasts or not 0 <= out < self.masks or not 1 <= turn <= self.players:
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

    def columns(self, numbers: Column = None) -> Position:
        """All positions, or those of some numbers, as NumPy columns."""
        import numpy as np

        here = np.arange(self.size) if numbers is None else numbers
        turns, outs, lasts, *tokens = (
            here // weight % radix for weight, radix in zip(self.weights, self.radix, strict=True)
        )
        places = tuple(places.start + digit for places, digit in zip(self.ranges, tokens, strict=True))
        return Position(turns + 1, places, np.array(self.lasts)[lasts], outs)  # type: ignore[arg-type] # a column


def fill(book: Book, box: Box, progress: Progress = lambda _: None) -> Table:
    """The table of every position of the box."""
    import numpy as np

    after: dict[Move, Column] = {move: np.empty(box.size, np.int32) for move in book.choices}
    winner = np.zeros(box.size, np.int8)
    for first, shape, block in _blocks(box):
        here = slice(first, first + math.prod(shape))
        progress(first / box.size)
        won, moves = book.spread(block)
        winner[here].reshape(shape)[...] = won
        for move, legal, reached in moves:
            if move not in after:
                if not np.any(legal):
                    continue
                after[move] = np.full(box.size, NONE, np.int32)
            column = after[move][here].reshape(shape)
            column[...] = box.numbers(reached)
            if legal is not True:
                np.copyto(column, NONE, where=no(legal))
    mover = np.repeat(np.arange(1, box.players + 1, dtype=np.int8), box.weights[0])
    moves_in_order = (*book.choices, *(move for move in FORCED if move in after))
    return Table(box, box.players, moves_in_order, [after[move] for move in moves_in_order], mover, winner)


def _blocks(box: Box) -> Iterator[tuple[int, tuple[int, ...], Position]]:
    """The box in blocks: the number of the first position, the shape, and the columns of positions.

    The leading digits of a block are plain ints, the others columns along an axis of their own.
    """
    import numpy as np

    radix, weights = box.radix, box.weights
    split = next(n for n in range(3, len(radix)) if weights[n] <= BLOCK)
    step = max(1, BLOCK // weights[split])
    wide = np.int32 if box.furthest < 1 << 31 else np.int64
    axes = [np.arange(places.start, places.stop, dtype=wide) for places in box.ranges]
    later = radix[split + 1 :]
    for lead in product(*(range(size) for size in radix[:split])):
        turn, out, last, *outer = lead
        base = sum(digit * weight for digit, weight in zip(lead, weights, strict=False))
        leading = [box.ranges[n].start + digit for n, digit in enumerate(outer)]
        for begin in range(0, radix[split], step):
            chunk = axes[split - 3][begin : begin + step]
            shape = (len(chunk), *later)
            inner = [chunk, *axes[split - 2 :]]
            tokens = [
                column.reshape([-1 if axis == n else 1 for axis in range(len(inner))]) for n, column in enumerate(inner)
            ]
            block = Position(turn + 1, (*leading, *tokens), box.lasts[last], out)
            yield base + begin * weights[split], shape, block
