"""What a search tries: for each setting of a book other values that people might choose, and how they are combined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from numberline.book.book import Book
from numberline.book.settings import RULES
from numberline.lab.axes import Axis, read_axis
from numberline.rules.errors import BookError, shown

STEPS = (
    *("1-2", "1-3", "1-4", "1-5", "1-6", "2-3", "2-4", "2-5", "1,3", "1,4", "1,5", "2,5"),
    *("1,2,4", "1,2,5", "1,3,4", "1,3,5", "2,3,5", "1,2,3,5"),
)
"""Steps that are easy to remember."""
SUMS = (
    *("+1 *2", "+1 +2", "+1 +3", "+1 *3", "+2 *2", "+1 +2 *2", "+1 +3 *2", "+1 *2 *3", "+1 +2 *3", "+2 *3"),
    *("+1 -1 *2", "+2 -1 *2", "+2 -1 *3", "+1 +2 +3", "+1 +2 +5", "+1 +3 +5", "+3 -1 *2", "+1 +2 -1 *2"),
)
"""Operations that can be done in the head."""
TRIED = ("overshoot", "meeting", "repeat", "stuck", "reverse")
"""Rules that are tried unless others are asked for: those that leave a game for two with the same tokens, and in which
nobody just waits."""
LONGER, LONGEST = 25, 3
"""A line is tried up to so much longer, and up to so many times as long."""
A_LITTLE_LONGER = 8
"""The same where play can go back and forth, which takes longer to measure."""
MOST_VALUES = 100_000
"""A setting is tried with so many values at the most."""
AROUND = 3
"""A place on the line is tried so far to either side."""


def proposals(book: Book, change: Sequence[str] = ()) -> list[Axis]:
    """For each setting the values that are tried, of those named or of all that are usual, without the book's own.

    A change is the name of a setting, or a setting with its values: `end` or `end=10..40`.
    """
    asked = [read_axis(text) if "=" in text else Axis(text.strip().lower(), ()) for text in change]
    if not asked:
        tried = {*TRIED, "steps", "operations"}
        usual = [setting.name for setting in book.settings if setting.name in tried or setting.name not in RULES]
        asked = [Axis(name, ()) for name in usual if book.can_vary(name)]
    found = []
    for axis in asked:
        own = book.setting(axis.name).value  # a name that the book does not have is refused
        if [other.name for other in asked].count(axis.name) > 1:
            raise BookError(f"{axis.name} is to be changed twice; name it once")
        others = tuple(_others(book, Axis(axis.name, axis.values or _usual_values(book, axis.name))))
        if axis.values and not others:
            raise BookError(f"{axis}: {own} is what {book.variant} has; expected another value")
        if others:
            found.append(Axis(axis.name, others))
    if not found:
        raise BookError(f"nothing that was named can be changed in {book.variant}; expected a setting such as end")
    return found


def _others(book: Book, axis: Axis) -> Iterator[str]:
    """The values that are not the book's own; one that means nothing is refused."""
    if len(axis.values) > MOST_VALUES:
        raise BookError(f"{axis} has {len(axis.values):,} values; expected at most {MOST_VALUES:,} for a search")
    setting = book.setting(axis.name)
    read = RULES[axis.name].read if axis.name in RULES else _place
    own = read(setting.value)
    for value in axis.values:
        meant = read(value)
        if meant is None:
            raise BookError(f"{axis.name}={shown(value)[1:-1]}: expected {setting.expects}")
        if meant != own:
            yield value


def _place(text: str) -> str | None:
    text = text.strip().lower()
    return text if text == "middle" or text.lstrip("+-").isdigit() else None


def _usual_values(book: Book, name: str) -> Sequence[str]:
    if name == "steps":
        return STEPS if book.rules.steps else ()
    if name == "operations":
        return SUMS if book.rules.operations else ()
    if name in RULES:
        return RULES[name].samples
    low, high = book.rules.line
    if "line" in book.places_called(name):
        if str(high) != book.setting(name).value:
            return ()  # a line that begins elsewhere is the same game
        own = high - low
        longer = A_LITTLE_LONGER if _goes_back(book) else LONGER
        return [str(low + length) for length in range(max(2, own // 2), min(LONGEST * own, own + longer) + 1)]
    value = book.setting(name).value
    own = (low + high + 1) // 2 if value == "middle" else int(value)
    return [str(place) for place in range(max(low, own - AROUND), min(high, own + AROUND) + 1)]


def _goes_back(book: Book) -> bool:
    """Whether play goes back and forth by itself: both ways, or with one marker that is pulled to several goals."""
    rules = book.rules
    return rules.moves == "both ways" or (rules.shared and len({*rules.goals}) > 1)


def count(axes: Sequence[Axis], most_changes: int) -> int:
    """How many variants a search has; known at once."""
    ways = [1] + [0] * most_changes
    for axis in axes:
        for changes in range(most_changes, 0, -1):
            ways[changes] += ways[changes - 1] * len(axis.values)
    return sum(ways)


def changes(axes: Sequence[Axis], most_changes: int) -> Iterator[tuple[str, ...]]:
    """Every set of at most so many changed settings, those that differ in places only next to each other."""
    rules = [axis for axis in axes if not axis.is_place]
    places = [axis for axis in axes if axis.is_place]
    for ruled in _chosen(rules, most_changes):
        for placed in _chosen(places, most_changes - len(ruled)):
            yield (*ruled, *placed)


def _chosen(axes: Sequence[Axis], most: int) -> Iterator[tuple[str, ...]]:
    for many in range(min(most, len(axes)) + 1):
        for some in combinations(axes, many):
            for values in product(*(axis.values for axis in some)):
                yield tuple(f"{axis.name}={value}" for axis, value in zip(some, values, strict=True))
