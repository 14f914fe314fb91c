"""Variants that differ in nothing but their places, played together: one engine for all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from numberline.game.book import Book
from numberline.game.elementwise import BoolOrArray, IntOrArray
from numberline.game.moves import Move
from numberline.game.position import Position


def batch_key(book: Book) -> Hashable:
    """What must be equal for variants to be played together: every rule, but not where line, starts and goals are.

    >>> import numberline as nl
    >>> batch_key(nl.book("flag-chase")) == batch_key(nl.book("flag-chase(end=30)"))
    True
    >>> batch_key(nl.book("flag-chase")) == batch_key(nl.book("flag-chase(steps=1-2)"))
    False
    """
    return book._engine.batch_key  # noqa: SLF001 - the engine is a secret of this room


class BatchedBook:
    """Variants of one shape as one game, whose places are columns: a row for each position of each variant."""

    def __init__(self, books: Sequence[Book], column: Callable[[list[int]], IntOrArray]) -> None:
        """The variants together; `column` makes a column of a place that each of them has elsewhere."""
        self.books = books
        engines = [book._engine for book in books]  # noqa: SLF001 - see above
        self._engine = engines[0].batched_with(engines, column)

    def successors_batch(self, positions: Position) -> tuple[IntOrArray, Iterator[tuple[Move, BoolOrArray, Position]]]:
        """For a column of positions: who has won, and for each move where it is legal and what it leads to."""
        return self._engine.successors_batch(positions)
