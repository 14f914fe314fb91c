"""Position index of a book and its successor table, in which `after[move][position]` is the successor's index.

There are two kinds of index. If few positions of a book are reachable, they are explored with plain ints and numbered
in order of discovery. Otherwise, the table is filled block by block with NumPy, and a position's index is a mixed-radix
number whose digits are the turn (most significant), the players out, the banned stride and the place of each token.
"""

from __future__ import annotations

import importlib.util
import math
import os
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import product
from typing import Any, NamedTuple, Protocol, TypeAlias

from numberline.errors import NumberlineError
from numberline.game.book import Book
from numberline.game.elementwise import IntOrArray, logical_not
from numberline.game.engine import Engine
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Position
from numberline.solver.jit import JIT_MIN_WORK, use_jit
from numberline.text import MAX_READABLE_COUNT, format_large_count

DEFAULT_MEMORY_BYTES = 4 << 30
SMALL_BOOK_POSITIONS = 1_500  # up to this size, exploring with ints is always faster than importing NumPy
SPARSE_RATIO = 500  # explore if at most one in 500 indices is reachable ...
VERY_SPARSE_RATIO = 20_000  # ... or one in 20,000 if the kernels are compiled
EXPLORED_BYTES_PER_POSITION = 1_000
# Limits of the exploration that is tried before a book is rejected as too large; it takes a few seconds at most.
MAX_EXPLORED_POSITIONS, MAX_EXPLORED_SUCCESSORS = 50_000, 500_000
BLOCK_POSITIONS = 1 << 16  # a block fits in the processor's cache
MAX_INDEX = (1 << 31) - 1  # positions and edges are numbered with int32
NO_SUCCESSOR = -1  # in `after`: the move is illegal

Column: TypeAlias = Any  # one number per position: a list or a NumPy array
Progress = Callable[[float], None]  # called with the completed fraction, from 0 to 1


class PositionIndex(Protocol):
    """Bijection between positions and the integers from 0 to `size` - 1."""

    @property
    def size(self) -> int: ...

    def number(self, position: Position) -> int:
        """Return the index of `position`; raise KeyError if it is not in the index."""

    def position(self, number: int) -> Position: ...

    def columns(self) -> Position:
        """Return all positions as one `Position` whose fields are arrays."""


class DenseIndex(PositionIndex, Protocol):
    """Position index that can number whole arrays of positions."""

    def write_numbers(self, position: Position, column: Column) -> None:
        """Write to `column` the indices of an array of positions, all with the same banned stride."""


Block = tuple[int, tuple[int, ...], Position]
"""Consecutively indexed positions: the first index, the shape, and a `Position` whose varying fields are arrays."""


class CellBlock(NamedTuple):
    """Consecutive cells; a cell consists of the positions that differ only in their state (turn and banned stride)."""

    first: int
    """Index of the first cell's position in state 0."""
    shape: tuple[int, ...]
    states: list[Position]
    """For each state, the positions of all cells as one `Position`, with the varying places along separate axes."""


class TooManyPositions(NumberlineError):
    """Error for a book with too many positions to fit in memory."""


class Table(NamedTuple):
    """All positions of a book and their successors."""

    position_index: PositionIndex
    players: int
    moves: tuple[Move, ...]
    """Moves in the order of `after`; forced moves come last and are included only if they occur."""
    after: list[Column]
    """Successor index by move and position, or `NO_SUCCESSOR` if the move is illegal."""
    mover: Column
    winner: Column
    """Winner of a finished game; 0 if the game is not over."""

    @property
    def size(self) -> int:
        return self.position_index.size


def build_table(book: Book) -> Table:
    """Build the table of a book; raise `TooManyPositions` if it would need too much memory."""
    return build_sparse_table(book) or build_full_table(book, MixedRadixIndex(book))


def build_sparse_table(book: Book, *, memory: int = DEFAULT_MEMORY_BYTES) -> Table | None:
    """Build the table of the reachable positions if they are few; return None if a dense table is faster.

    Raise `TooManyPositions` if a dense table doesn't fit in `memory` bytes and too many positions are reachable.
    """
    index = MixedRadixIndex(book)
    has_numpy = importlib.util.find_spec("numpy") is not None
    if has_numpy and fits(book, min(memory, installed_memory())):
        return build_reachable_table(book, limit=_exploration_limit(index.size))
    limit = memory // EXPLORED_BYTES_PER_POSITION
    if has_numpy:
        limit = min(limit, MAX_EXPLORED_POSITIONS, MAX_EXPLORED_SUCCESSORS // len(book.choices))
    table = build_reachable_table(book, limit=limit)
    if table is None:
        raise too_many_positions_error(f"{book.variant} has", index.size, book, memory)
    return table


def _exploration_limit(size: int) -> int:
    """Return the number of reachable positions beyond which filling a dense table is faster than exploring."""
    if size <= SMALL_BOOK_POSITIONS:
        return size
    interpreted = 0 if use_jit(0) else min(size, JIT_MIN_WORK)
    return max(size // VERY_SPARSE_RATIO, interpreted // SPARSE_RATIO)


def too_many_positions_error(subject: str, size: int, book: Book, memory: int) -> TooManyPositions:
    """Return the error for a table of `size` positions; `subject` ends with a verb, such as "flag-chase has"."""
    needed, columns = size * bytes_per_position(book), len(book.choices) + 1
    count = f"{subject} {format_large_count(size)} positions"
    need = f"{count} and would need {format_bytes(needed)} of memory"
    if needed > memory:
        return TooManyPositions(f"{need}; the limit is {format_bytes(memory)} (--memory raises it)")
    if needed > installed_memory():
        return TooManyPositions(f"{need}; this machine has {format_bytes(installed_memory())}")
    return TooManyPositions(f"{count}; with this number of moves, the limit is {MAX_INDEX // columns:,} positions")


@cache
def installed_memory() -> int:
    """Return this machine's physical memory in bytes, or 2**63 if unknown."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return 1 << 63


def max_positions(book: Book) -> int:
    """Return an upper bound on the number of positions, without exploring them."""
    return MixedRadixIndex(book).size


def benefits_from_jit(book: Book) -> bool:
    """Return whether a book may be too large to solve quickly without numba (extra `fast`)."""
    return max_positions(book) >= JIT_MIN_WORK


def fits(book: Book, memory: int = DEFAULT_MEMORY_BYTES) -> bool:
    """Return whether the full table fits in `memory` bytes; if not, the reachable positions may still fit."""
    size = max_positions(book)
    return size * bytes_per_position(book) <= memory and size * (len(book.choices) + 1) <= MAX_INDEX


def bytes_per_position(book: Book) -> int:
    """Return the peak memory per position while solving: four bytes per edge in each direction, plus solver arrays."""
    return 8 * (len(book.choices) + 1) + 13


def format_bytes(size: int) -> str:
    """Format a number of bytes with a binary unit.

    >>> format_bytes(3 << 30), format_bytes(1500), format_bytes(10**40)
    ('3.0 GiB', '1.5 KiB', 'more than 10^27 TiB')
    """
    power = max(0, min(4, (max(1, size).bit_length() - 1) // 10))
    unit = ("bytes", "KiB", "MiB", "GiB", "TiB")[power]
    whole = size // 1024**power
    return f"{size / 1024**power:.1f} {unit}" if whole < MAX_READABLE_COUNT else f"{format_large_count(whole)} {unit}"


# Sparse index: positions explored with plain ints


class ReachableIndex:
    """Index of the reachable positions in order of discovery."""

    def __init__(self) -> None:
        self._numbers: dict[Position, int] = {}
        self._positions: list[Position] = []

    @property
    def size(self) -> int:
        return len(self._positions)

    def number(self, position: Position) -> int:
        return self._numbers[position]

    def position(self, number: int) -> Position:
        return self._positions[number]

    def columns(self) -> Position:
        import numpy as np

        turns, tokens, lasts, outs = zip(*self._positions, strict=True)
        places = tuple(np.array(column) for column in zip(*tokens, strict=True))
        return Position(np.array(turns), places, np.array(lasts), np.array(outs))  # type: ignore[arg-type] # a column

    def add(self, position: Position) -> int:
        """Add a position if it is new, and return its index."""
        number = self._numbers.setdefault(position, len(self._positions))
        if number == len(self._positions):
            self._positions.append(position)
        return number


def build_reachable_table(book: Book, starts: Iterable[Position] = (), *, limit: int) -> Table | None:
    """Build the table of positions reachable from `starts`; return None if there are more than `limit`.

    By default, `starts` are the book's starting positions.
    """
    index = ReachableIndex()
    for start in starts or book.starts():
        index.add(start)
    moves = (*book.choices, *FORCED_MOVES)
    after: dict[Move, list[int]] = {move: [] for move in moves}
    columns = tuple(after.values())
    mover: list[int] = []
    winner: list[int] = []
    number = 0
    while number < index.size:
        if index.size > limit:
            return None
        position = index.position(number)
        for column in columns:
            column.append(NO_SUCCESSOR)
        mover.append(position.turn)
        successors = book.successors(position)
        winner.append(0 if successors else book.winner(position))
        for move, successor in successors:
            after[move][number] = index.add(successor)
        number += 1
    used = [move for move in moves if move not in FORCED_MOVES or max(after[move]) > NO_SUCCESSOR]
    return Table(index, book.rules.players, tuple(used), [after[move] for move in used], mover, winner)


# Dense index: table filled with NumPy arrays


def leading_digits(book: Book) -> tuple[int, int, tuple[int, ...]]:
    """Return the radices of the turn and of the players-out bit mask, and the strides that can be banned (0: none)."""
    rules = book.rules
    can_be_out = rules.overshoot == "loses" or (rules.stuck == "loses" and rules.players > 2)
    strides = {move.stride for move in book.choices} if rules.repeat == "banned" else set()
    return rules.players, (1 << rules.players) - 1 if can_be_out else 1, tuple(sorted({0, *strides}))


def largest_place(book: Book, ends: Iterable[int]) -> int:
    """Return the largest absolute value of any move's target from the places in `ends`, even if the move is illegal."""
    moves = [move for move in book.choices if move.slot]
    targets = (move.target(end, player) for move in moves for end in ends for player in book.players)
    return max(map(abs, targets), default=0)


class MixedRadixIndex:
    """Index of every combination of digits, reachable or not."""

    def __init__(self, book: Book, token_ranges: tuple[range, ...] = ()) -> None:
        self.players, self.masks, self.lasts = leading_digits(book)
        self.token_ranges = token_ranges or book.token_ranges
        """Places of each token in the order of its digit; a range may be descending."""
        self.radix = (self.players, self.masks, len(self.lasts), *map(len, self.token_ranges))
        self.weights = tuple(math.prod(self.radix[n + 1 :]) for n in range(len(self.radix)))
        self.size = math.prod(self.radix)
        self.largest_place = largest_place(
            book, {end for places in book.token_ranges for end in (places.start, places.stop)}
        )
        """Largest absolute value of a move's target, which determines the integer width of the arrays."""

    def number(self, position: Position) -> int:
        turn, tokens, last, out = position
        fits = len(tokens) == len(self.token_ranges) and all(map(range.__contains__, self.token_ranges, tokens))
        if not fits or last not in self.lasts or not 0 <= out < self.masks or not 1 <= turn <= self.players:
            raise KeyError(position)
        number: int = self.numbers(position)
        return number

    def numbers(self, position: Position) -> IntOrArray:
        """Return the index of a position, or of an array of positions with the same banned stride."""
        turn, tokens, last, out = position
        weights = self.weights
        number = (turn - 1) * weights[0] + out * weights[1] + self.lasts.index(last) * weights[2]
        for place, places, weight in zip(tokens, self.token_ranges, weights[3:], strict=True):
            offset = place - places.start if places.start else place
            number = (offset * (weight * places.step) if weight * places.step != 1 else offset) + number
        return number

    def write_numbers(self, position: Position, column: Column) -> None:
        column[...] = self.numbers(position)

    def position(self, number: int) -> Position:
        digits = [number // weight % radix for weight, radix in zip(self.weights, self.radix, strict=True)]
        tokens = tuple(places[digit] for digit, places in zip(digits[3:], self.token_ranges, strict=True))
        return Position(digits[0] + 1, tokens, self.lasts[digits[2]], digits[1])

    def columns(self, numbers: Column = None) -> Position:
        """Return all positions, or those with the given `numbers`, as one `Position` whose fields are arrays."""
        import numpy as np

        here = np.arange(self.size) if numbers is None else numbers
        turns, outs, lasts, *tokens = (
            here // weight % radix for weight, radix in zip(self.weights, self.radix, strict=True)
        )
        places = tuple(
            places.start + places.step * digit for places, digit in zip(self.token_ranges, tokens, strict=True)
        )
        return Position(turns + 1, places, np.array(self.lasts)[lasts], outs)  # type: ignore[arg-type] # a column

    @property
    def state_bases(self) -> list[int]:
        """Index of the first position in each state (combination of a turn and a banned stride)."""
        turns, lasts = range(self.players), range(len(self.lasts))
        return [turn * self.weights[0] + last * self.weights[2] for turn in turns for last in lasts]

    def cell_blocks(self, dtype: Any, max_cells: int) -> Iterator[CellBlock]:
        """Yield all cells in blocks, last block first."""
        import numpy as np

        radix, weights = self.radix, self.weights
        # The columns of a block never include player 1's tokens, so player 1's moves always lead to other rows.
        least = 3 + (len(self.token_ranges) - 1) // self.players
        split = next(n for n in range(least, len(radix)) if weights[n] <= max_cells)
        step = max(1, max_cells // weights[split])
        axes = [np.arange(places.start, places.stop, places.step, dtype=dtype) for places in self.token_ranges]
        for out, *outer in product(*(range(size - 1, -1, -1) for size in (self.masks, *radix[3:split]))):
            base = out * weights[1] + sum(digit * weight for digit, weight in zip(outer, weights[3:], strict=False))
            leading = [places[digit] for digit, places in zip(outer, self.token_ranges, strict=False)]
            for begin in reversed(range(0, radix[split], step)):
                chunk = axes[split - 3][begin : begin + step]
                tokens = (*leading, *np.ix_(chunk, *axes[split - 2 :]))
                states = [Position(turn + 1, tokens, last, out) for turn in range(self.players) for last in self.lasts]
                yield CellBlock(base + begin * weights[split], (len(chunk), *radix[split + 1 :]), states)


def build_full_table(book: Book, index: MixedRadixIndex, progress: Progress = lambda _: None) -> Table:
    """Build the table of every combination of digits, reachable or not."""
    import numpy as np

    dtype = np.int32 if index.largest_place < 1 << 31 else np.int64
    blocks = (
        (first + base, shape, positions)
        for first, shape, states in index.cell_blocks(dtype, BLOCK_POSITIONS)
        for base, positions in zip(index.state_bases, states, strict=True)
    )
    return fill_table(index, book, book, blocks, progress)


def fill_table(
    index: DenseIndex, book: Book, engine: Book | Engine, blocks: Iterable[Block], progress: Progress = lambda _: None
) -> Table:
    """Build a table block by block; the turn must be the most significant digit of `index`."""
    import numpy as np

    after: dict[Move, Column] = {move: np.full(index.size, NO_SUCCESSOR, np.int32) for move in book.choices}
    winner = np.zeros(index.size, np.int8)
    done = 0
    for first, shape, block in blocks:
        here = slice(first, first + math.prod(shape))
        done += math.prod(shape)
        progress(done / index.size)
        won, successors = engine.successors_batch(block)
        winner[here].reshape(shape)[...] = won
        for move, legal, successor in successors:
            if move not in after:
                if not np.any(legal):
                    continue
                after[move] = np.full(index.size, NO_SUCCESSOR, np.int32)
            column = after[move][here].reshape(shape)
            index.write_numbers(successor, column)
            if legal is not True:
                np.copyto(column, NO_SUCCESSOR, where=logical_not(legal))
    players = book.rules.players
    mover = np.repeat(np.arange(1, players + 1, dtype=np.int8), index.size // players)
    moves = (*book.choices, *(move for move in FORCED_MOVES if move in after))
    return Table(index, players, moves, [after[move] for move in moves], mover, winner)
