"""Sets of variants: all combinations in a grid, and the neighbourhood of a book that a search explores."""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.book_file import middle
from numberline.game.settings import RULE_TYPES
from numberline.text import quote

MAX_VARIANTS = 100_000_000
MAX_VALUES_PER_SETTING = 100_000

_CHOICES: dict[str, Any] = tomllib.loads(Path(__file__).with_name("choices.toml").read_text("utf-8"))
# By default, a search doesn't change the other rules: `players`, `tokens`, `finish` (which needs several tokens), and
# `skip`, which can make waiting the best move.
SEARCHED_RULES = ("steps", "operations", "overshoot", "meeting", "repeat", "stuck", "reverse")
MAX_LINE_EXTENSION, MAX_LINE_FACTOR = 25, 3
MAX_LINE_EXTENSION_CYCLIC = 8  # games with moves in both directions take longer to measure
PLACE_RADIUS = 3


class Axis(NamedTuple):
    """A setting and the values to try for it."""

    name: str
    values: Sequence[int | str]
    """Integers if all values are whole numbers, otherwise strings."""

    @property
    def texts(self) -> list[str]:
        return list(map(str, self.values))

    @property
    def is_place(self) -> bool:
        """Whether the setting is a place; variants that differ only in places are solved together."""
        return self.name not in RULE_TYPES

    def __str__(self) -> str:
        if not isinstance(self.values, range):
            return f"{self.name}={';'.join(self.texts)}"
        step = f"..{self.values.step}" if self.values.step > 1 else ""
        return f"{self.name}={self.values[0]}..{self.values[-1]}{step}"


def parse_axis(text: str) -> Axis:
    """Parse an axis such as `target=2..60`, `end=10..40..5`, `stuck=passes,loses` or `steps=1-3;1,2,5`.

    >>> axis = parse_axis("target=2..6..2")
    >>> axis.name, axis.texts
    ('target', ['2', '4', '6'])
    """
    name, equals, written = (part.strip() for part in text.partition("="))
    number_range = re.fullmatch(r"([+-]?\d{1,10})\.\.([+-]?\d{1,10})(?:\.\.(0*[1-9]\d{0,9}))?", written)
    values: Sequence[int | str]
    if number_range:
        first, last, step = int(number_range[1]), int(number_range[2]), int(number_range[3] or 1)
        values = range(first, last + 1, step)
    else:
        parts = written.split(";") if ";" in written else written.split(",")
        texts = dict.fromkeys(part.strip() for part in parts if part.strip())
        are_numbers = all(re.fullmatch(r"-?[0-9]{1,9}", text) for text in texts)
        values = tuple(map(int, texts)) if are_numbers else tuple(texts)
    if not equals or not name or not values or (".." in written and not number_range):
        examples = "use e.g. target=2..60, end=10..40..5, stuck=passes,loses or steps=1-3;1,2,5"
        raise BookError(f"{quote(text)} does not list any values; {examples}")
    return Axis(name.lower(), values)


def map_axis(book: Book, text: str) -> Axis:
    """Parse an axis of a map; if only a name is given, use the book's own value and those that a search tries.

    >>> import numberline as nl
    >>> str(map_axis(nl.book("flag-chase"), "end"))
    'end=5..30'
    """
    name = text.strip().lower()
    if "=" in text or not name:
        return parse_axis(text)
    own, values = book.setting(name).value, _default_values(book, name)
    if not values:
        raise BookError(f"{quote(name)} has no default values; list some, e.g. {name}={own}")
    others = [value for value in values if book.parse_value(name, str(value)) != book.parse_value(name, own)]
    return Axis(name, values if isinstance(values, range) else (own, *others))


def _check_names(book: Book, axes: Sequence[Axis]) -> None:
    """Raise `BookError` if an axis is not a setting of the book, or if a setting is given twice."""
    for axis in axes:
        book.setting(axis.name)
        if [other.name for other in axes].count(axis.name) > 1:
            raise BookError(f"{axis.name} is given twice; list all its values together")


class Grid:
    """All combinations of values on the given axes, numbered in solving order, with places changing fastest."""

    def __init__(self, book: Book, axes: Sequence[Axis]) -> None:
        self.book = book
        self.axes = tuple(axes)
        _check_names(book, self.axes)
        self.size = math.prod(len(axis.values) for axis in self.axes)
        """Number of combinations, including invalid ones."""
        if self.size > MAX_VARIANTS:
            names = " and ".join(axis.name for axis in self.axes)
            too_large = f"a map of {book.name} over {names} has {self.size:,} variants"
            raise BookError(f"{too_large}; expected at most {MAX_VARIANTS:,}")
        self._order = sorted(range(len(self.axes)), key=lambda number: self.axes[number].is_place)

    def coordinates(self, number: int) -> list[int]:
        """Return the index of the value on each axis for combination `number`."""
        coordinates = [0] * len(self.axes)
        for axis in reversed(self._order):
            number, coordinates[axis] = divmod(number, len(self.axes[axis].values))
        return coordinates

    def values(self, number: int) -> tuple[int | str, ...]:
        """Return the value on each axis for combination `number`."""
        return tuple(axis.values[at] for axis, at in zip(self.axes, self.coordinates(number), strict=True))

    def variant(self, values: Sequence[int | str]) -> Book:
        """Return the variant with the given `values`; raise `BookError` if they are invalid."""
        return self.book.vary(*(f"{axis.name}={value}" for axis, value in zip(self.axes, values, strict=True)))


# Search space


def search_axes(book: Book, change: Sequence[str] = ()) -> list[Axis]:
    """Return the values that a search tries for each setting, excluding the book's current value.

    Each item of `change` lists settings, optionally with values: `end`, `end=10..40` or `end=10..40,steps`. By default,
    all suitable settings are changed.
    """
    names = [setting.name for setting in book.settings]
    next_setting = rf",(?=\s*(?:{'|'.join(map(re.escape, names))})\s*(?:[=,]|$))"
    parts = [
        part for text in change for part in re.split(next_setting if "=" in text else ",", text, flags=re.IGNORECASE)
    ]
    requested = [parse_axis(part) if "=" in part else Axis(part.strip().lower(), ()) for part in parts]
    if not requested:
        suitable = [name for name in names if name in SEARCHED_RULES or name not in RULE_TYPES]
        requested = [Axis(name, ()) for name in suitable if book.can_vary(name)]
    _check_names(book, requested)
    axes = []
    for axis in requested:
        if len(axis.values) > MAX_VALUES_PER_SETTING:
            limit = f"expected at most {MAX_VALUES_PER_SETTING:,} for a search"
            raise BookError(f"{axis} has {len(axis.values):,} values; {limit}")
        own = book.setting(axis.name).value
        own_value = book.parse_value(axis.name, own)
        tried = axis.values or _default_values(book, axis.name)
        others = tuple(value for value in tried if book.parse_value(axis.name, str(value)) != own_value)
        if axis.values and not others:
            raise BookError(f"{axis}: {book.variant} already has {own}; expected a different value")
        if others:
            axes.append(Axis(axis.name, others))
    if not axes:
        raise BookError(f"none of these settings can be changed in {book.variant}; expected a setting such as end")
    return axes


def _default_values(book: Book, name: str) -> Sequence[int | str]:
    if name in _CHOICES:
        return _CHOICES[name] if getattr(book.rules, name) else ()
    if name in RULE_TYPES:
        return RULE_TYPES[name].samples
    rules, value = book.rules, book.setting(name).value
    low, high = rules.line
    if "line" in book.roles_of(name):
        if str(high) != value:
            return ()  # moving the start of the line doesn't change the game
        length = high - low
        goes_back_and_forth = rules.moves == "both ways" or (rules.shared and len({*rules.goals}) > 1)
        extension = MAX_LINE_EXTENSION_CYCLIC if goes_back_and_forth else MAX_LINE_EXTENSION
        longest = min(MAX_LINE_FACTOR * length, length + extension)
        return range(low + max(2, length // 2), low + longest + 1)
    place = middle(low, high) if value == "middle" else int(value)
    return range(max(low, place - PLACE_RADIUS), min(high, place + PLACE_RADIUS) + 1)


def count_changes(axes: Sequence[Axis], max_changes: int) -> int:
    """Return the number of sets of changes that `iter_changes` yields."""
    ways = [1] + [0] * max_changes
    for axis in axes:
        for changes in range(max_changes, 0, -1):
            ways[changes] += ways[changes - 1] * len(axis.values)
    return sum(ways)


def iter_changes(axes: Sequence[Axis], max_changes: int) -> Iterator[tuple[str, ...]]:
    """Yield all sets of at most `max_changes` changed settings; sets that differ only in places are adjacent."""
    rules = [axis for axis in axes if not axis.is_place]
    places = [axis for axis in axes if axis.is_place]
    for rule_changes in _iter_choices(rules, max_changes):
        for place_changes in _iter_choices(places, max_changes - len(rule_changes)):
            yield (*rule_changes, *place_changes)


def _iter_choices(axes: Sequence[Axis], max_changes: int) -> Iterator[tuple[str, ...]]:
    for count in range(min(max_changes, len(axes)) + 1):
        for chosen in combinations(axes, count):
            for values in product(*(axis.values for axis in chosen)):
                yield tuple(f"{axis.name}={value}" for axis, value in zip(chosen, values, strict=True))
