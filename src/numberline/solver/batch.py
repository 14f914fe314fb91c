"""Batches of variants that differ only in the line and the start and goal places, solved together in one table.

All variants of a batch have the same leading digits of the mixed-radix index (turn, players out, banned stride). The
engine runs once for each turn and set of players out, on all banned strides and the places of all variants at once.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from numberline.game.book import Book
from numberline.game.elementwise import IntOrArray
from numberline.game.position import Position
from numberline.solver.arrays import BoolArray, IntArray, SolutionArrays
from numberline.solver.index import (
    DEFAULT_MEMORY_BYTES,
    MAX_INDEX,
    Column,
    MixedRadixIndex,
    Table,
    bytes_per_position,
    fill_table,
    installed_memory,
    largest_place,
    leading_digits,
    too_many_positions_error,
)
from numberline.solver.retrograde import reached, solve_table, warm_up_jit
from numberline.solver.solution import Solution, solve

MAX_BATCH_ROWS = 100_000  # roughly what fits in the processor's cache


def batch_key(book: Book) -> Hashable:
    """Return the key shared by books that can be batched: all rules except the line and the start and goal places.

    >>> import numberline as nl
    >>> batch_key(nl.book("flag-chase")) == batch_key(nl.book("flag-chase(end=30)"))
    True
    >>> batch_key(nl.book("flag-chase")) == batch_key(nl.book("flag-chase(steps=1-2)"))
    False
    """
    return book._engine.batch_key  # noqa: SLF001 - the only user of the engine outside `game`


def group_into_batches(books: Sequence[Book], max_rows: int = MAX_BATCH_ROWS) -> Iterator[list[int]]:
    """Group books with the same `batch_key` into batches of at most `max_rows` rows; yield each batch's book indices.

    A book with more than `max_rows` rows gets its own batch. If there are many rows in total, numba is imported first.
    """
    groups: dict[Hashable, list[int]] = {}
    sizes = [row_count(book) for book in books]
    warm_up_jit(sum(sizes))
    for number, book in enumerate(books):
        groups.setdefault(batch_key(book), []).append(number)
    for numbers in groups.values():
        batch: list[int] = []
        rows = 0
        for number in numbers:
            if batch and rows + sizes[number] > max_rows:
                yield batch
                batch, rows = [], 0
            batch.append(number)
            rows += sizes[number]
        yield batch


def row_count(book: Book) -> int:
    """Return the number of rows that a variant occupies in a batch table."""
    players, masks, lasts = leading_digits(book)
    return players * masks * len(lasts) * math.prod(map(len, book.token_ranges))


def solve_batch(books: Sequence[Book], *, memory: int = DEFAULT_MEMORY_BYTES) -> SolvedBatch:
    """Solve all variants of a batch in one table; a single large variant is passed to `solve`."""
    if len(books) == 1 and row_count(books[0]) > MAX_BATCH_ROWS:
        return SolvedBatch.from_solution(solve(books[0], memory=memory))
    index = BatchIndex(books)
    needed = index.size * bytes_per_position(books[0])
    if needed > min(memory, installed_memory()) or index.size * (len(books[0].choices) + 1) > MAX_INDEX:
        subject = f"{len(books)} variants like {books[0].variant} have"
        raise too_many_positions_error(subject, index.size, books[0], memory)
    table = _build_table(index)
    return SolvedBatch(tuple(books), table, solve_table(table), index.owner, index.starts, index.rows)


class BatchIndex:
    """Mixed-radix index over the positions of all variants of a batch.

    Each combination of leading digits has a section of `rows` rows, which lists the positions variant by variant.
    """

    def __init__(self, books: Sequence[Book]) -> None:
        self.books = books
        self.players, self.masks, self.lasts = leading_digits(books[0])
        self.sections = self.players * self.masks * len(self.lasts)
        ranges = [book.token_ranges for book in books]
        self.lowest = np.array([[places.start for places in token_ranges] for token_ranges in ranges], np.int64)
        self.radix = np.array([[len(places) for places in token_ranges] for token_ranges in ranges], np.int64)
        products = np.cumprod(self.radix[:, ::-1], axis=1)[:, ::-1]
        self.weights = np.append(products[:, 1:], np.ones((len(books), 1), np.int64), axis=1)
        """Weight of each token's digit, by variant and token."""
        self.base = np.append(0, np.cumsum(products[:, 0]))
        """First row of each variant within a section, followed by the number of rows in a section."""
        self.rows = int(self.base[-1])
        self.size = self.sections * self.rows

    def number(self, position: Position, variant: int = 0) -> int:
        """Return the index of a position that is valid for this variant."""
        offsets = np.array(position.tokens) - self.lowest[variant]
        return int(self._section(position) * self.rows + self.base[variant] + offsets @ self.weights[variant])

    def position(self, number: int) -> Position:
        section, row = divmod(number, self.rows)
        turn, out, last = np.unravel_index(section, (self.players, self.masks, len(self.lasts)))
        tokens = tuple(int(column[row]) for column in self.tokens)
        return Position(int(turn) + 1, tokens, self.lasts[last], int(out))

    def _section(self, position: Position) -> IntOrArray:
        """Return the number of the section with this turn, these players out and this banned stride."""
        return ((position.turn - 1) * self.masks + position.out) * len(self.lasts) + self.lasts.index(position.last)

    def columns(self) -> Position:
        turns, outs, lasts = np.indices((self.players, self.masks, len(self.lasts))).reshape(3, -1)
        turn, last, out = (np.repeat(column, self.rows) for column in (turns + 1, np.array(self.lasts)[lasts], outs))
        return Position(turn, tuple(np.tile(column, self.sections) for column in self.tokens), last, out)  # type: ignore[arg-type] # a column

    def column(self, places: Sequence[int] | IntArray) -> IntArray:
        """Return a column with one value per row of a section, repeating each variant's value in `places`."""
        is_narrow = max(map(abs, places)) < np.iinfo(self._dtype).max  # a line may extend beyond the tokens' range
        return self._repeat(places, self._dtype if is_narrow else np.int64)

    def _repeat(self, values: Sequence[int] | IntArray, dtype: type[np.signedinteger[Any]] = np.int32) -> IntArray:
        return np.repeat(np.asarray(values, dtype), self.radix.prod(axis=1))

    @cached_property
    def owner(self) -> IntArray:
        """Variant that each index belongs to."""
        return np.tile(self._repeat(np.arange(len(self.books))), self.sections)

    @cached_property
    def starts(self) -> IntArray:
        """Index of the starting position, by variant and first player."""
        tokens = np.array([book.start().tokens for book in self.books]) - self.lowest
        local = self.base[:-1] + (tokens * self.weights).sum(axis=1)
        starts: IntArray = local[:, np.newaxis] + np.arange(self.players) * (self.size // self.players)
        return starts

    @cached_property
    def tokens(self) -> tuple[IntArray, ...]:
        """Place of each token in every row of a section."""
        owner, tokens = np.arange(len(self.books)), list[IntArray]()
        for lowest, radix in zip(self.lowest.T, self.radix.T, strict=True):
            places = radix[owner]
            first = lowest[owner] - (np.cumsum(places) - places)
            tokens = [np.repeat(column, places) for column in tokens]
            tokens.append((np.arange(places.sum()) + np.repeat(first, places)).astype(self._dtype))
            owner = np.repeat(owner, places)
        return tuple(tokens)

    @cached_property
    def _dtype(self) -> type[np.signedinteger[Any]]:
        """The narrowest integer type that can represent every place that a move can produce."""
        ends = int(self.lowest.min()), int((self.lowest + self.radix).max())
        largest = max(largest_place(self.books[0], ends), *map(abs, ends))
        return next(dtype for dtype in (np.int16, np.int32, np.int64) if largest < np.iinfo(dtype).max)

    def write_numbers(self, position: Position, column: IntArray) -> None:
        """Write to `column` the indices of one position per row of a section, all with the same banned stride.

        A column of several sections gets the same indices in each.
        """
        number = self._row_numbers
        for token, (place, before) in enumerate(zip(position.tokens, self.tokens, strict=True)):
            if place is not before:
                number = number + (place - before) * self._row_weights[token]
        np.add(number, self._section(position) * self.rows, out=column, casting="same_kind")

    @cached_property
    def _row_numbers(self) -> IntArray:
        return np.arange(self.rows, dtype=np.int32)

    @cached_property
    def _row_weights(self) -> tuple[IntOrArray, ...]:
        return (*(self._repeat(weights) for weights in self.weights.T[:-1]), 1)


def _build_table(index: BatchIndex) -> Table:
    engines = [book._engine for book in index.books]  # noqa: SLF001 - see `batch_key`
    engine = engines[0].batched_with(engines, index.column)
    strides = len(index.lasts)
    last: Any = np.array(index.lasts)[:, np.newaxis] if strides > 1 else 0  # a block contains all banned strides
    leads = product(range(1, index.players + 1), range(index.masks))
    blocks = (
        (number * strides * index.rows, (strides, index.rows), Position(turn, index.tokens, last, out))
        for number, (turn, out) in enumerate(leads)
    )
    return fill_table(index, index.books[0], engine, blocks)


class BatchResults(NamedTuple):
    """Results from the starting positions; the first two axes are the variant and the first player."""

    winner: IntArray
    """The player who can force a win; 0 if no player can."""
    plies: IntArray
    """Plies until the forced win; -1 if no player can force a win."""
    best: BoolArray
    """Whether each move is one of the best; the third axis has one entry for each move in the table."""


@dataclass(eq=False)
class SolvedBatch:
    """Solutions of all variants of a batch in one table."""

    books: tuple[Book, ...]
    table: Table
    entries: list[Column]
    """Forced results by row, as returned by `retrograde.solve_table`."""
    owner: IntArray
    """Variant that each row belongs to."""
    starts: IntArray
    """Row of the starting position, by variant and first player."""
    section_rows: int
    """Number of rows in a section: consecutive rows with the same turn, players out and banned stride."""

    @classmethod
    def from_solution(cls, solution: Solution) -> SolvedBatch:
        """Wrap a single solution in a batch of one variant."""
        book, table, index = solution.book, solution.table, solution.position_index
        table = table._replace(
            after=[np.asarray(column, np.int32) for column in table.after],
            mover=np.asarray(table.mover, np.int8),
            winner=np.asarray(table.winner, np.int8),
        )
        entries = [np.asarray(column) for column in solution.entries]
        starts = np.array([[index.number(start) for start in book.starts()]])
        section_rows = index.weights[2] if isinstance(index, MixedRadixIndex) else 1
        return cls((book,), table, entries, np.zeros(table.size, np.int32), starts, section_rows)

    @cached_property
    def reachable(self) -> BoolArray:
        """Whether each row is reachable from at least one starting position."""
        return np.asarray(reached(self.table, self.starts.ravel())).astype(bool)

    def place_keys(self, rows: IntArray) -> IntArray:
        """Return sort keys that order rows by the tokens' places first, so that most moves lead to a nearby row."""
        section, row = np.divmod(rows, self.section_rows)
        return row * (self.table.size // self.section_rows) + section

    @cached_property
    def arrays(self) -> SolutionArrays:
        return SolutionArrays(self.books[0], self.table, self.entries, self.reachable)

    def position_counts(self) -> IntArray:
        """Return the number of reachable unfinished positions of each variant."""
        return np.bincount(self.owner[self.reachable & (self.table.winner == 0)], minlength=len(self.books))

    def results(self) -> BatchResults:
        """Return the winner, the plies and the best moves for each variant and first player."""
        arrays, starts = self.arrays, self.starts
        best = arrays.move_values_at(starts.ravel()).best.reshape(*starts.shape, -1)
        return BatchResults(arrays.leader[starts], arrays.plies[starts], best)
