"""Variants that differ in nothing but their places, played together: one engine for all of them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence

from numberline.book.book import Book
from numberline.rules.arithmetic import Number, Truth
from numberline.rules.moves import Move
from numberline.rules.position import Position


def shape_of(book: Book) -> Hashable:
    """What must be equal for variants to be played together: every rule, but not where line, starts and goals are.

    >>> import numberline as nl
    >>> shape_of(nl.book("flag-chase")) == shape_of(nl.book("flag-chase(end=30)"))
    True
    >>> shape_of(nl.book("flag-chase")) == shape_of(nl.book("flag-chase(steps=1-2)"))
    False
    """
    return book._engine.shape  # noqa: SLF001 - the engine is a secret of this room


class Family:
    """Variants of one shape as one game, whose places are columns: a row for each position of each variant."""

    def __init__(self, books: Sequence[Book], column: Callable[[list[int]], Number]) -> None:
        """The variants together; `column` makes a column of a place that each of them has elsewhere."""
        self.books = books
        engines = [book._engine for book in books]  # noqa: SLF001 - see above
        self._engine = engines[0].with_places_of(engines, column)

    def spread(self, positions: Position) -> tuple[Number, Iterator[tuple[Move, Truth, Position]]]:
        """For a column of positions: who has won, and for each move where it is legal and what it leads to."""
        return self._engine.spread(positions)
