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

from numberline.errors import NumberlineError, int_option
from numberline.game.book import Book
from numberline.game.elementwise import IntOrArray, logical_not
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Position
from numberline.text import MAX_READABLE_COUNT, format_large_count

DEFAULT_MEMORY_BYTES = 4 << 30
"""How many bytes solving may take, unless another limit is given."""
SMALL_BOOK_POSITIONS = 1_500
"""Books with no more numbers than this are walked on ints."""
SPARSE_RATIO = 500
"""A larger book is walked if no more than one in so many of its numbers is a position that can be reached …"""
VERY_SPARSE_RATIO = 10_000
"""… or one in so many, where the compiled loops are that much quicker than a walk."""
JIT_MIN_POSITIONS = 300_000
"""A table with fewer positions is solved sooner than the compiler is loaded."""
WALK_BYTES_PER_POSITION = 1_000
"""About how many bytes a position takes that was walked to."""
MAX_WALKED_POSITIONS = 50_000
"""A book that has too many numbers is walked as far as this, which takes a second or two, before it is refused."""
BLOCK_POSITIONS = 1 << 16
"""How many positions of a large book are filled at a time: as many as fit in a processor's cache."""
MAX_INDEX = (1 << 31) - 1
"""The moves of a table, and one more for each position, are numbered too, in four bytes."""
NO_SUCCESSOR = -1
"""In `after`: the move is not legal there."""

Column: TypeAlias = Any
"""A number for each position: a list, or a NumPy column."""
Progress = Callable[[float], None]
"""Called now and then with the share of the work that is done, from 0 to 1."""


class PositionIndex(Protocol):
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


class TooManyPositions(NumberlineError):
    """A book with more positions than memory allows."""


class Table(NamedTuple):
    """All positions of a book and what each move makes of them."""

    position_index: PositionIndex
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
        return self.position_index.size


def build_table(book: Book, *, memory: int = DEFAULT_MEMORY_BYTES, progress: Progress = lambda _: None) -> Table:
    """The table of a book; refuses one that would need more than `memory` bytes, before it takes them."""
    box = MixedRadixIndex(book)
    if not importlib.util.find_spec("numpy"):
        return build_reachable_table(book, limit=memory // WALK_BYTES_PER_POSITION) or _raise_too_many(
            book, box, memory
        )
    if not fits(book, min(memory, installed_memory())):
        return build_reachable_table(
            book, limit=min(MAX_WALKED_POSITIONS, memory // WALK_BYTES_PER_POSITION)
        ) or _raise_too_many(book, box, memory)
    return build_reachable_table(book, limit=_walk_limit(box.size)) or build_full_table(book, box, progress)


def rebuild_table(book: Book, numbering: PositionIndex) -> Table:
    """The table of a book whose positions were numbered before."""
    if isinstance(numbering, MixedRadixIndex):
        return build_full_table(book, numbering)
    return build_reachable_table(book, limit=numbering.size) or _raise_too_many(book, MixedRadixIndex(book), 0)


def _walk_limit(size: int) -> int:
    """As far as this a book of so many numbers is walked before it is filled: further would take longer."""
    if size <= SMALL_BOOK_POSITIONS:
        return size
    return max(size // VERY_SPARSE_RATIO, min(size, JIT_MIN_POSITIONS) // SPARSE_RATIO)


def _raise_too_many(book: Book, box: MixedRadixIndex, memory: int) -> Table:
    raise too_many_positions_error(f"{book.variant} has", box.size, book, memory)


def too_many_positions_error(what: str, size: int, book: Book, memory: int) -> TooManyPositions:
    """Why so many positions of this book, or of variants like it, can't be solved."""
    needed, columns = size * bytes_per_position(book), len(book.choices) + 1
    have = f"{what} {format_large_count(size)} positions"
    would = f"{have} and would need {format_bytes(needed)} of memory"
    if needed > memory:
        return TooManyPositions(f"{would}; the limit is {format_bytes(memory)} (--memory raises it)")
    if needed > installed_memory():
        return TooManyPositions(f"{would}; this machine has {format_bytes(installed_memory())}")
    return TooManyPositions(f"{have}; with so many moves at most {MAX_INDEX // columns:,} can be solved")


@cache
def installed_memory() -> int:
    """How many bytes of memory this machine has; where it does not say, more than any machine."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 63


def max_positions(book: Book) -> int:
    """How many positions a book has at the most; known at once."""
    return MixedRadixIndex(book).size


def benefits_from_jit(book: Book) -> bool:
    """Whether a book may be so large that it takes long to solve without numba, the extra `fast`."""
    return max_positions(book) >= JIT_MIN_POSITIONS


def fits(book: Book, memory: int = DEFAULT_MEMORY_BYTES) -> bool:
    """Whether the table of a book surely fits; where it may not, few of its positions may be reachable all the same."""
    size = max_positions(book)
    return size * bytes_per_position(book) <= memory and size * (len(book.choices) + 1) <= MAX_INDEX


def bytes_per_position(book: Book) -> int:
    """What solving takes at its peak: `after` and its reverse, four bytes an entry, and the solver's own columns."""
    return 8 * (len(book.choices) + 1) + 13


def parse_memory(memory: object) -> int:
    """The most memory to take, as a program gives it; raises `OptionError` for what is no number of bytes."""
    return int_option("memory", memory)


def format_bytes(size: int) -> str:
    """A number of bytes as people write it.

    >>> format_bytes(3 << 30), format_bytes(1500), format_bytes(10**40)
    ('3.0 GiB', '1.5 KiB', 'more than 10^27 TiB')
    """
    power = max(0, min(4, (max(1, size).bit_length() - 1) // 10))
    unit = ("bytes", "KiB", "MiB", "GiB", "TiB")[power]
    whole = size // 1024**power
    return f"{size / 1024**power:.1f} {unit}" if whole < MAX_READABLE_COUNT else f"{format_large_count(whole)} {unit}"


# Walked on ints


class ReachableIndex:
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


def build_reachable_table(book: Book, starts: Iterable[Position] = (), *, limit: int) -> Table | None:
    """The table of what can be reached from these positions (from the start, whoever begins); None past the limit."""
    numbering = ReachableIndex()
    for start in starts or book.starts():
        numbering.add(start)
    moves = (*book.choices, *FORCED_MOVES)
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
            column.append(NO_SUCCESSOR)
        mover.append(position.turn)
        followers = book.successors(position)
        winner.append(0 if followers else book.winner(position))
        for move, reached in followers:
            after[move][number] = numbering.add(reached)
        number += 1
    used = [move for move in moves if move not in FORCED_MOVES or max(after[move]) > NO_SUCCESSOR]
    return Table(numbering, book.rules.players, tuple(used), [after[move] for move in used], mover, winner)


# Filled on columns


def leading_digits(book: Book) -> tuple[int, int, tuple[int, ...]]:
    """How many can move, how many ways there are to be out of the game, and what can be banned."""
    rules = book.rules
    anybody_out = rules.overshoot == "loses" or (rules.stuck == "loses" and rules.players > 2)
    strides = {move.stride for move in book.choices} if rules.repeat == "banned" else set()
    return rules.players, (1 << rules.players) - 1 if anybody_out else 1, tuple(sorted({0, *strides}))


def largest_place(book: Book, ends: Iterable[int]) -> int:
    """The largest number, signs aside, that a move from one of these places can come to."""
    moves = [move for move in book.choices if move.slot]
    wanted = (move.target(end, player) for move in moves for end in ends for player in book.players)
    return max(map(abs, wanted), default=0)


class MixedRadixIndex:
    """Every position that the digits can write, whether it can be reached or not."""

    def __init__(self, book: Book) -> None:
        self.players, self.masks, self.lasts = leading_digits(book)
        self.token_ranges = book.token_ranges
        self.radix = (self.players, self.masks, len(self.lasts), *map(len, self.token_ranges))
        """How many values each digit has."""
        self.weights = tuple(math.prod(self.radix[n + 1 :]) for n in range(len(self.radix)))
        """What each digit counts."""
        self._size = math.prod(self.radix)
        self.largest_place = largest_place(
            book, {end for places in book.token_ranges for end in (places.start, places.stop)}
        )
        """No number that comes up on the way is larger: so wide must a column be."""

    @property
    def size(self) -> int:
        """How many positions there are."""
        return self._size

    def number(self, position: Position) -> int:
        """The number of a position; raises KeyError for one that the digits can't write."""
        turn, tokens, last, out = position
        fits = len(tokens) == len(self.token_ranges) and all(map(range.__contains__, self.token_ranges, tokens))
        if not fits or last not in self.lasts or not 0 <= out < self.masks or not 1 <= turn <= self.players:
            raise KeyError(position)
        number: int = self.numbers(position)
        return number

    def numbers(self, position: Position) -> IntOrArray:
        """The number of a position, or of each in a column of them with the same stride banned."""
        turn, tokens, last, out = position
        weights = self.weights
        number = (turn - 1) * weights[0] + out * weights[1] + self.lasts.index(last) * weights[2]
        for place, places, weight in zip(tokens, self.token_ranges, weights[3:], strict=True):
            offset = place - places.start if places.start else place
            number = (offset * weight if weight > 1 else offset) + number
        return number

    def position(self, number: int) -> Position:
        """The position of a number."""
        digits = [number // weight % radix for weight, radix in zip(self.weights, self.radix, strict=True)]
        tokens = tuple(places[digit] for digit, places in zip(digits[3:], self.token_ranges, strict=True))
        return Position(digits[0] + 1, tokens, self.lasts[digits[2]], digits[1])

    def columns(self, numbers: Column = None) -> Position:
        """All positions, or those of some numbers, as NumPy columns."""
        import numpy as np

        here = np.arange(self.size) if numbers is None else numbers
        turns, outs, lasts, *tokens = (
            here // weight % radix for weight, radix in zip(self.weights, self.radix, strict=True)
        )
        places = tuple(places.start + digit for places, digit in zip(self.token_ranges, tokens, strict=True))
        return Position(turns + 1, places, np.array(self.lasts)[lasts], outs)  # type: ignore[arg-type] # a column


def build_full_table(book: Book, box: MixedRadixIndex, progress: Progress = lambda _: None) -> Table:
    """The table of every position of the box."""
    import numpy as np

    after: dict[Move, Column] = {move: np.empty(box.size, np.int32) for move in book.choices}
    winner = np.zeros(box.size, np.int8)
    for first, shape, block in _blocks(box):
        here = slice(first, first + math.prod(shape))
        progress(first / box.size)
        won, moves = book.successors_batch(block)
        winner[here].reshape(shape)[...] = won
        for move, legal, reached in moves:
            if move not in after:
                if not np.any(legal):
                    continue
                after[move] = np.full(box.size, NO_SUCCESSOR, np.int32)
            column = after[move][here].reshape(shape)
            column[...] = box.numbers(reached)
            if legal is not True:
                np.copyto(column, NO_SUCCESSOR, where=logical_not(legal))
    mover = np.repeat(np.arange(1, box.players + 1, dtype=np.int8), box.weights[0])
    moves_in_order = (*book.choices, *(move for move in FORCED_MOVES if move in after))
    return Table(box, box.players, moves_in_order, [after[move] for move in moves_in_order], mover, winner)


def _blocks(box: MixedRadixIndex) -> Iterator[tuple[int, tuple[int, ...], Position]]:
    """The box in blocks: the number of the first position, the shape, and the columns of positions.

    The leading digits of a block are plain ints, the others columns along an axis of their own.
    """
    import numpy as np

    radix, weights = box.radix, box.weights
    split = next(n for n in range(3, len(radix)) if weights[n] <= BLOCK_POSITIONS)
    step = max(1, BLOCK_POSITIONS // weights[split])
    wide = np.int32 if box.largest_place < 1 << 31 else np.int64
    axes = [np.arange(places.start, places.stop, dtype=wide) for places in box.token_ranges]
    later = radix[split + 1 :]
    for lead in product(*(range(size) for size in radix[:split])):
        turn, out, last, *outer = lead
        base = sum(digit * weight for digit, weight in zip(lead, weights, strict=False))
        leading = [box.token_ranges[n].start + digit for n, digit in enumerate(outer)]
        for begin in range(0, radix[split], step):
            chunk = axes[split - 3][begin : begin + step]
            shape = (len(chunk), *later)
            inner = [chunk, *axes[split - 2 :]]
            tokens = [
                column.reshape([-1 if axis == n else 1 for axis in range(len(inner))]) for n, column in enumerate(inner)
            ]
            block = Position(turn + 1, (*leading, *tokens), box.lasts[last], out)
            yield base + begin * weights[split], shape, block
