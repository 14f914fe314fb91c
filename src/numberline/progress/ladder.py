"""Ladders of the books, read from `books/ladders`: each step has a variant, an opponent and a starting player."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from typing import NamedTuple

from numberline.characters import CHARACTERS
from numberline.game.book import Book
from numberline.game.loader import BUILTIN_DIR, NAMES
from numberline.game.loader import book as load_book


class LadderStep(NamedTuple):
    """One step of a ladder; the person plays as player 1."""

    id: str
    """Key under which progress is stored, such as `flag-chase-3`."""
    title: str
    new: str
    """Sentence that says what is new in this step."""
    variant: str
    character: str
    """The opponent, such as `easy`."""
    side: str
    """`first` if the person starts, otherwise `second`."""

    @property
    def first(self) -> int:
        """The player who starts."""
        return 1 if self.side == "first" else 2

    @property
    def short_title(self) -> str:
        """The title without the name of the game."""
        return self.title.rpartition(": ")[2]

    @property
    def heading(self) -> str:
        """The title with the number of the step."""
        return self.title.replace(":", f", step {self.id.rpartition('-')[2]}:", 1)

    @property
    def introduction(self) -> str:
        """Text before the game: the new rule, the opponent, and the starting player."""
        opponent = CHARACTERS[self.character]
        starts = "You start" if self.side == "first" else f"The {opponent.name.lower()} starts"
        return f"{self.new} {opponent.about} {starts}."


def stored_ladder(book: Book) -> tuple[LadderStep, ...]:
    """Return the ladder of a built-in book; empty for its variants and for all other books."""
    path = BUILTIN_DIR / "ladders" / f"{book.variant}.toml"
    if book.source is not None or not path.is_file():
        return ()
    return tuple(LadderStep(**step) for step in tomllib.loads(path.read_text("utf-8"))["steps"])


@cache
def stored_steps() -> dict[str, LadderStep]:
    """Return the steps of all built-in books by id."""
    return {step.id: step for name in NAMES for step in stored_ladder(load_book(name))}


def next_step(step_id: str) -> LadderStep | None:
    """Return the step after `step_id`, or None if it is the last one or doesn't belong to a built-in book."""
    name, _, number = step_id.rpartition("-")
    later = stored_ladder(load_book(name))[int(number) :] if name in NAMES else ()
    return later[0] if later else None


def first_open_step(book: Book, stars: Mapping[str, int]) -> int:
    """Return the number of the first step without stars, or of the last step if every step has stars."""
    steps = stored_ladder(book)
    return next((number for number, step in enumerate(steps, 1) if not stars.get(step.id)), len(steps))
