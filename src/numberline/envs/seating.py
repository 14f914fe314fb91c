"""What every environment asks before a game: which book, whose seat, and what becomes of an illegal action."""

from __future__ import annotations

from os import PathLike
from typing import Literal, get_args

from numberline.book.book import Book
from numberline.book.loader import book as book_of
from numberline.rules.errors import NumberlineError

Seat = int | Literal["alternate"]
Illegal = Literal["lose", "raise"]
MAX_PLIES = 1_000
"""A game that goes on for longer is broken off, unless told otherwise."""


class EnvError(NumberlineError, ValueError):
    """An environment that can't be made as it was asked for, or an action that can't be taken."""


def as_book(given: str | PathLike[str] | Book) -> Book:
    """The book that was named, or given as it is."""
    return given if isinstance(given, Book) else book_of(given)


def seats_of(book: Book, seat: Seat) -> tuple[int, ...]:
    """The seats that an agent takes, game after game.

    >>> seats_of(as_book("flag-chase"), "alternate")
    (1, 2)
    """
    every = tuple(range(1, book.rules.players + 1))
    if seat == "alternate":
        return every
    if seat not in every:
        raise EnvError(f"seat={seat}: {book.title} has the seats 1 to {len(every)}, or 'alternate'")
    return (seat,)


def check(*, illegal: str, max_plies: int) -> None:
    """Refuses, with one sentence, what no environment can do."""
    if illegal not in get_args(Illegal):
        raise EnvError(f"illegal={illegal!r}: an illegal action can 'lose' the game or 'raise' an error")
    if max_plies < 1:
        raise EnvError(f"max_plies={max_plies}: expected 1 or more")
