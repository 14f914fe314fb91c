"""Ladders of the books: steps with a variant, an opponent and who starts, read from `books/ladders`."""

from __future__ import annotations

import tomllib
from typing import NamedTuple

from numberline.game.book import Book
from numberline.game.loader import BUILTIN_DIR


class LadderStep(NamedTuple):
    """One step of a ladder; the person plays as player 1."""

    id: str
    """Name that progress is stored under, such as `flag-chase-3`."""
    title: str
    new: str
    """A sentence that says what is new."""
    variant: str
    character: str
    """The opponent, such as `easy`."""
    side: str
    """`first` if the person starts, otherwise `second`."""

    @property
    def first(self) -> int:
        """The player who starts."""
        return 1 if self.side == "first" else 2


def stored_ladder(book: Book) -> tuple[LadderStep, ...]:
    """Return the ladder of a built-in book; empty for its variants and for all other books."""
    path = BUILTIN_DIR / "ladders" / f"{book.variant}.toml"
    if book.source is not None or not path.is_file():
        return ()
    return tuple(LadderStep(**step) for step in tomllib.loads(path.read_text("utf-8"))["steps"])
