"""Many variants solved at once: the positions of all variants of one shape stand side by side in one table.

A position's number begins with the digits that all the variants have alike (whose turn, who is out, what is banned), so
that the engine is asked once for each of their values, for the places of all variants together.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.game.book import Book
from numberline.game.elementwise import IntOrArray, logical_not
from numberline.game.moves import FORCED_MOVES, Move
from numberline.game.position import Position
from numberline.solver.arrays import SolutionArrays
from numberline.solver.batched_book import BatchedBook, batch_key
from numberline.solver.index import (
    DEFAULT_MEMORY_BYTES,
    MAX_INDEX,
    NO_SUCCESSOR,
    Column,
    MixedRadixIndex,
    Table,
    bytes_per_position,
    installed_memory,
    largest_place,
    leading_digits,
    too_many_positions_error,
)
from numberline.solver.retrograde import reached, solve_table, warm_up_jit
from numberline.solver.solution import Solution, solve

IntArray = NDArray[Any]
BoolArray = NDArray[np.bool_]

MAX_BATCH_ROWS = 100_000
"""A table of several variants has about so many rows at the most: more would not fit in a processor's cache."""


def group_into_batches(books: Sequence[Book], max_rows: int = MAX_BATCH_ROWS) -> Iterator[list[int]]:
    """The books in groups that `solve_batch` takes, each as the places that they have among these books.

    The compiler is loaded first, where there are rows enough in all of them together.
    """
    alike: dict[Hashable, list[int]] = {}
    sizes = [row_count(book) for book in books]
    warm_up_jit(sum(sizes))
    for index, book in enumerate(books):
        alike.setdefault(batch_key(book), []).append(index)
    for indices in alike.values():
        group: list[int] = []
        rows = 0
        for index in indices:
            if group and rows + sizes[index] > max_rows:
                yield group
                group, rows = [], 0
            group.append(index)
            rows += sizes[index]
        yield group


def row_count(book: Book) -> int:
    """How many rows a variant has in a table that it shares."""
    players, masks, lasts = leading_digits(book)
    return players * masks * len(lasts) * math.prod(map(len, book.token_ranges))


def solve_batch(books: Sequence[Book], *, memory: int = DEFAULT_MEMORY_BYTES) -> SolvedBatch:
    """The exact answers of variants of one shape, in one table; one variant alone is solved as `solve` does it."""
    if len(books) == 1:
        return SolvedBatch.from_solution(solve(books[0], memory=memory))
    table = _build_table(_batch_index(books, memory))
    return SolvedBatch(tuple(books), table, solve_table(table))


class BatchIndex:
    """Every position that the digits can write, of each of several variants of one shape."""

    def __init__(self, books: Sequence[Book]) -> None:
        self.books = books
        self.players, self.masks, self.lasts = leading_digits(books[0])
        self.lead_count = self.players * self.masks * len(self.lasts)
        """How many values the leading digits have together."""
        ranges = [book.token_ranges for book in books]
        self.lowest = np.array([[places.start for places in each] for each in ranges], np.int64)
        self.radix = np.array([[len(places) for places in each] for each in ranges], np.int64)
        behind = np.cumprod(self.radix[:, ::-1], axis=1)[:, ::-1]
        self.weights = np.append(behind[:, 1:], np.ones((len(books), 1), np.int64), axis=1)
        """What each token's place counts, for each variant."""
        self.base = np.append(0, np.cumsum(behind[:, 0]))
        """Where each variant's rows begin, for each value of the leading digits."""
        self.rows = int(self.base[-1])
        """How many rows there are for each value of the leading digits."""
        self._indexes: dict[int, MixedRadixIndex] = {}

    @property
    def size(self) -> int:
        """How many positions there are."""
        return self.lead_count * self.rows

    def _box(self, whose: int) -> MixedRadixIndex:
        """The numbers of one of the variants, as it has them alone."""
        if whose not in self._indexes:
            self._indexes[whose] = MixedRadixIndex(self.books[whose])
        return self._indexes[whose]

    def number(self, position: Position, whose: int = 0) -> int:
        """The number of a position of one of the variants."""
        box = self._box(whose)
        lead, local = divmod(box.number(position), box.weights[2])
        return int(lead * self.rows + self.base[whose] + local)

    def variant_of(self, number: int) -> int:
        """Which of the variants a number belongs to."""
        return int(np.searchsorted(self.base, number % self.rows, side="right")) - 1

    def position(self, number: int) -> Position:
        """The position of a number."""
        lead, row = divmod(number, self.rows)
        whose = self.variant_of(number)
        box = self._box(whose)
        return box.position(int(lead * box.weights[2] + row - self.base[whose]))

    def columns(self) -> Position:
        """All positions as NumPy columns."""
        turns, outs, lasts = np.indices((self.players, self.masks, len(self.lasts))).reshape(3, -1)
        leads = (np.repeat(column, self.rows) for column in (turns + 1, np.array(self.lasts)[lasts], outs))
        turn, last, out = leads
        return Position(turn, tuple(np.tile(column, self.lead_count) for column in self.tokens), last, out)  # type: ignore[arg-type] # a column

    def column(self, places: Sequence[int] | IntArray) -> IntArray:
        """For each row, the place that its variant has."""
        on_the_way = max(map(abs, places)) < np.iinfo(self._narrow).max  # a line may be longer than anybody gets
        return self._repeated(places, self._narrow if on_the_way else np.int64)

    def _repeated(self, values: Sequence[int] | IntArray, kind: type[np.signedinteger[Any]] = np.int32) -> IntArray:
        """For each row, what its variant has."""
        return np.repeat(np.asarray(values, kind), self.radix.prod(axis=1))

    @cached_property
    def owner(self) -> IntArray:
        """For each position, which of the variants it belongs to."""
        return np.tile(self._repeated(np.arange(len(self.books))), self.lead_count)

    @cached_property
    def starts(self) -> IntArray:
        """The number of the position in which each variant starts, for each player who may begin."""
        tokens = np.array([book.start().tokens for book in self.books]) - self.lowest
        local = self.base[:-1] + (tokens * self.weights).sum(axis=1)
        starts: IntArray = local[:, np.newaxis] + np.arange(self.players) * (self.size // self.players)
        return starts

    @cached_property
    def tokens(self) -> tuple[IntArray, ...]:
        """For each token, where it stands in each row."""
        owner, tokens = np.arange(len(self.books)), list[IntArray]()
        for lowest, radix in zip(self.lowest.T, self.radix.T, strict=True):
            places = radix[owner]
            first = lowest[owner] - (np.cumsum(places) - places)
            tokens = [np.repeat(column, places) for column in tokens]
            tokens.append((np.arange(places.sum()) + np.repeat(first, places)).astype(self._narrow))
            owner = np.repeat(owner, places)
        return tuple(tokens)

    @cached_property
    def _narrow(self) -> type[np.signedinteger[Any]]:
        """The narrowest numbers that hold every place that comes up on the way."""
        ends = int(self.lowest.min()), int((self.lowest + self.radix).max())
        most = max(largest_place(self.books[0], ends), *map(abs, ends))
        return next(kind for kind in (np.int16, np.int32, np.int64) if most < np.iinfo(kind).max)

    def write_numbers(self, position: Position, column: IntArray) -> None:
        """Enters the number of each in a column of positions, one a row, with the same stride banned."""
        turn, tokens, last, out = position
        lead = ((turn - 1) * self.masks + out) * len(self.lasts) + self.lasts.index(last)
        number = self._row_numbers
        for token, (place, before) in enumerate(zip(tokens, self.tokens, strict=True)):
            if place is not before:
                number = number + (place - before) * self._weights[token]
        np.add(number, lead * self.rows, out=column, casting="same_kind")

    @cached_property
    def _row_numbers(self) -> IntArray:
        return np.arange(self.rows, dtype=np.int32)

    @cached_property
    def _weights(self) -> tuple[IntOrArray, ...]:
        return (*(self._repeated(weights) for weights in self.weights.T[:-1]), 1)


def _batch_index(books: Sequence[Book], memory: int) -> BatchIndex:
    boxes = BatchIndex(books)
    needed = boxes.size * bytes_per_position(books[0])
    if needed > min(memory, installed_memory()) or boxes.size * (len(books[0].choices) + 1) > MAX_INDEX:
        raise too_many_positions_error(
            f"{len(books)} variants like {books[0].variant} have", boxes.size, books[0], memory
        )
    return boxes


def _build_table(boxes: BatchIndex) -> Table:
    """The table of every position of the boxes."""
    family = BatchedBook(boxes.books, boxes.column)
    choices = boxes.books[0].choices
    after: dict[Move, Column] = {move: np.empty(boxes.size, np.int32) for move in choices}
    winner = np.zeros(boxes.size, np.int8)
    leads = product(range(1, boxes.players + 1), range(boxes.masks), boxes.lasts)
    for lead, (turn, out, last) in enumerate(leads):
        here = slice(lead * boxes.rows, (lead + 1) * boxes.rows)
        winner[here], moves = family.successors_batch(Position(turn, boxes.tokens, last, out))
        for move, legal, position in moves:
            if move not in after:
                if not np.any(legal):
                    continue
                after[move] = np.full(boxes.size, NO_SUCCESSOR, np.int32)
            column = after[move][here]
            boxes.write_numbers(position, column)
            if legal is not True:
                np.copyto(column, NO_SUCCESSOR, where=logical_not(legal))
    mover = np.repeat(np.arange(1, boxes.players + 1, dtype=np.int8), boxes.size // boxes.players)
    in_order = (*choices, *(move for move in FORCED_MOVES if move in after))
    return Table(boxes, boxes.players, in_order, [after[move] for move in in_order], mover, winner)


def _as_arrays(table: Table) -> Table:
    """The same table on NumPy columns."""
    after = [np.asarray(column, np.int32) for column in table.after]
    return table._replace(after=after, mover=np.asarray(table.mover, np.int8), winner=np.asarray(table.winner, np.int8))


class BatchResults(NamedTuple):
    """What becomes of each variant, whoever begins: arrays with an axis for the variants and one for who begins."""

    winner: IntArray
    """Who can force a win; 0 where nobody can."""
    plies: IntArray
    """In how many plies; -1 where nobody can force it."""
    best: BoolArray
    """For each move of the table (a third axis), whether it is a best one."""


class SolvedBatch:
    """The answers of variants of one shape, in one table that they share."""

    def __init__(self, books: tuple[Book, ...], table: Table, entries: list[Column]) -> None:
        self.books = books
        self.table = table
        self.entries = entries
        """What can be forced, for each row, as `retrograde.forced` writes it."""

    @classmethod
    def from_solution(cls, solution: Solution) -> SolvedBatch:
        """A solved book as a family of one."""
        return cls((solution.book,), _as_arrays(solution.table), [np.asarray(column) for column in solution.entries])

    def row(self, whose: int, position: Position) -> int:
        """The row of a position of one of the variants."""
        numbering = self.table.position_index
        return numbering.number(position, whose) if isinstance(numbering, BatchIndex) else numbering.number(position)

    @cached_property
    def owner(self) -> IntArray:
        """For each row, which of the variants it belongs to."""
        numbering = self.table.position_index
        return numbering.owner if isinstance(numbering, BatchIndex) else np.zeros(self.table.size, np.int32)

    @cached_property
    def starts(self) -> IntArray:
        """The row in which each variant starts, for each player who may begin."""
        numbering = self.table.position_index
        if isinstance(numbering, BatchIndex):
            return numbering.starts
        return np.array([[numbering.number(start) for start in self.books[0].starts()]])

    @cached_property
    def reachable(self) -> BoolArray:
        """For each row, whether it can be reached, whoever begins."""
        return np.asarray(reached(self.table, self.starts.ravel())).astype(bool)

    @cached_property
    def columns(self) -> SolutionArrays:
        """All rows side by side, with what every move of them is worth."""
        return SolutionArrays(self.books[0], self.table, self.entries, self.reachable)

    def positions(self) -> IntArray:
        """For each variant, how many positions can be reached in which somebody has to move."""
        return np.bincount(self.owner[self.reachable & (self.table.winner == 0)], minlength=len(self.books))

    def results(self) -> BatchResults:
        """What becomes of each variant, whoever begins."""
        columns, starts = self.columns, self.starts
        best = columns.move_values_at(starts.ravel()).best.reshape(*starts.shape, -1)
        return BatchResults(columns.leader[starts], columns.plies[starts], best)
