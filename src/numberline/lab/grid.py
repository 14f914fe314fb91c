"""Settings and the values that they go through: every variant of them, numbered, and none made before it is needed."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple, overload

from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.setting_types import RULE_TYPES
from numberline.text import quote

MAX_VARIANTS = 100_000_000
"""No map is larger."""


class NumberRange(Sequence[str]):
    """Numbers at even distances, written out one at a time."""

    def __init__(self, numbers: range) -> None:
        self.numbers = numbers

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, at: int) -> str: ...

    @overload
    def __getitem__(self, at: slice) -> NumberRange: ...

    def __getitem__(self, at: int | slice) -> str | NumberRange:
        return NumberRange(self.numbers[at]) if isinstance(at, slice) else str(self.numbers[at])

    def __str__(self) -> str:
        first, last, step = self.numbers[0], self.numbers[-1], self.numbers.step
        return f"{first}..{last}" + (f"..{step}" if step > 1 else "")

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment] # like a list


class Axis(NamedTuple):
    """A setting and the values that it goes through."""

    name: str
    values: Sequence[str]

    @property
    def is_place(self) -> bool:
        """Whether the setting is a place of the book: variants that differ in nothing else are solved together."""
        return self.name not in RULE_TYPES

    def __str__(self) -> str:
        written = str(self.values) if isinstance(self.values, NumberRange) else ";".join(self.values)
        return f"{self.name}={written}"


def parse_axis(text: str) -> Axis:
    """The setting and its values, as `target=2..60`, `end=10..40..5`, `stuck=passes,loses` or `steps=1-3;1,2,5`.

    >>> axis = parse_axis("target=2..6..2")
    >>> axis.name, list(axis.values)
    ('target', ['2', '4', '6'])
    """
    name, equals, values = (part.strip() for part in text.partition("="))
    spread = re.fullmatch(r"([+-]?\d{1,10})\.\.([+-]?\d{1,10})(?:\.\.(\d{1,10}))?", values)
    listed: Sequence[str]
    if spread and int(spread[3] or 1) > 0:
        listed = NumberRange(range(int(spread[1]), int(spread[2]) + 1, int(spread[3] or 1)))
    else:
        parts = values.split(";") if ";" in values else values.split(",")
        listed = tuple(dict.fromkeys(part.strip() for part in parts if part.strip()))
    if not equals or not name or not listed or (".." in values and not spread):
        wanted = "write them as target=2..60, end=10..40..5, stuck=passes,loses or steps=1-3;1,2,5"
        raise BookError(f"{quote(text)} names no values of a setting; {wanted}")
    return Axis(name.lower(), listed)


class Grid:
    """Every variant of a book over some settings, in the order in which they are worked out: places change fastest."""

    def __init__(self, book: Book, axes: Sequence[Axis]) -> None:
        self.book = book
        self.axes = tuple(axes)
        for axis in self.axes:
            book.setting(axis.name)
            if [other.name for other in self.axes].count(axis.name) > 1:
                raise BookError(f"{axis.name} is given twice; give all its values at once")
        self.size = math.prod(len(axis.values) for axis in self.axes)
        """How many variants there are, with those that the rules refuse."""
        if self.size > MAX_VARIANTS:
            over = f"a map of {book.name} over {_names(self.axes)} has {self.size:,} variants"
            raise BookError(f"{over}; expected at most {MAX_VARIANTS:,}")
        # Variants that are solved together have to be neighbours.
        self._order = sorted(range(len(self.axes)), key=lambda number: self.axes[number].is_place)

    def values(self, number: int) -> tuple[str, ...]:
        """The value of each setting in the variant of that number."""
        found = [""] * len(self.axes)
        for axis in reversed(self._order):
            number, digit = divmod(number, len(self.axes[axis].values))
            found[axis] = self.axes[axis].values[digit]
        return tuple(found)

    def row_index(self, number: int) -> int:
        """Where the variant of that number stands if the last setting given changes fastest."""
        digits = [0] * len(self.axes)
        for axis in reversed(self._order):
            number, digits[axis] = divmod(number, len(self.axes[axis].values))
        place = 0
        for each, digit in zip(self.axes, digits, strict=True):
            place = place * len(each.values) + digit
        return place

    def variant(self, values: Sequence[str]) -> Book:
        """The book with these values of the settings; raises `BookError` where the rules refuse them."""
        return self.book.vary(*(f"{axis.name}={value}" for axis, value in zip(self.axes, values, strict=True)))


def _names(axes: Sequence[Axis]) -> str:
    return " and ".join(axis.name for axis in axes)
