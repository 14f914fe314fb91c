"""What a search tries: for each setting of a book other values that people might choose, and how they are combined."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.setting_types import RULE_TYPES
from numberline.lab.grid import Axis, parse_axis
from numberline.text import quote

STEP_CHOICES = (
    *("1-2", "1-3", "1-4", "1-5", "1-6", "2-3", "2-4", "2-5", "1,3", "1,4", "1,5", "2,5"),
    *("1,2,4", "1,2,5", "1,3,4", "1,3,5", "2,3,5", "1,2,3,5"),
)
"""Steps that are easy to remember."""
OPERATION_CHOICES = (
    *("+1 *2", "+1 +2", "+1 +3", "+1 *3", "+2 *2", "+1 +2 *2", "+1 +3 *2", "+1 *2 *3", "+1 +2 *3", "+2 *3"),
    *("+1 -1 *2", "+2 -1 *2", "+2 -1 *3", "+1 +2 +3", "+1 +2 +5", "+1 +3 +5", "+3 -1 *2", "+1 +2 -1 *2"),
)
"""Operations that can be done in the head."""
SEARCHED_RULES = ("overshoot", "meeting", "repeat", "stuck", "reverse")
"""Rules that are tried unless others are asked for: those that leave a game for two with the same tokens, and in which
nobody just waits."""
MAX_LINE_EXTENSION, MAX_LINE_FACTOR = 25, 3
"""A line is tried up to so much longer, and up to so many times as long."""
MAX_LINE_EXTENSION_CYCLIC = 8
"""The same where play can go back and forth, which takes longer to measure."""
MAX_VALUES_PER_SETTING = 100_000
"""A setting is tried with so many values at the most."""
PLACE_RADIUS = 3
"""A place on the line is tried so far to either side."""


def search_axes(book: Book, change: Sequence[str] = ()) -> list[Axis]:
    """For each setting the values that are tried, of those named or of all that are usual, without the book's own.

    A change is the name of a setting, or a setting with its values: `end` or `end=10..40`.
    """
    asked = [parse_axis(text) if "=" in text else Axis(text.strip().lower(), ()) for text in change]
    if not asked:
        tried = {*SEARCHED_RULES, "steps", "operations"}
        usual = [setting.name for setting in book.settings if setting.name in tried or setting.name not in RULE_TYPES]
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
    if len(axis.values) > MAX_VALUES_PER_SETTING:
        raise BookError(
            f"{axis} has {len(axis.values):,} values; expected at most {MAX_VALUES_PER_SETTING:,} for a search"
        )
    setting = book.setting(axis.name)
    read = RULE_TYPES[axis.name].read if axis.name in RULE_TYPES else _place
    own = read(setting.value)
    for value in axis.values:
        meant = read(value)
        if meant is None:
            raise BookError(f"{axis.name}={quote(value)[1:-1]}: expected {setting.expects}")
        if meant != own:
            yield value


def _place(text: str) -> str | None:
    text = text.strip().lower()
    return text if text == "middle" or text.lstrip("+-").isdigit() else None


def _usual_values(book: Book, name: str) -> Sequence[str]:
    if name == "steps":
        return STEP_CHOICES if book.rules.steps else ()
    if name == "operations":
        return OPERATION_CHOICES if book.rules.operations else ()
    if name in RULE_TYPES:
        return RULE_TYPES[name].samples
    low, high = book.rules.line
    if "line" in book.roles_of(name):
        if str(high) != book.setting(name).value:
            return ()  # a line that begins elsewhere is the same game
        own = high - low
        longer = MAX_LINE_EXTENSION_CYCLIC if _goes_back(book) else MAX_LINE_EXTENSION
        return [str(low + length) for length in range(max(2, own // 2), min(MAX_LINE_FACTOR * own, own + longer) + 1)]
    value = book.setting(name).value
    own = (low + high + 1) // 2 if value == "middle" else int(value)
    return [str(place) for place in range(max(low, own - PLACE_RADIUS), min(high, own + PLACE_RADIUS) + 1)]


def _goes_back(book: Book) -> bool:
    """Whether play goes back and forth by itself: both ways, or with one marker that is pulled to several goals."""
    rules = book.rules
    return rules.moves == "both ways" or (rules.shared and len({*rules.goals}) > 1)


def count_variants(axes: Sequence[Axis], most_changes: int) -> int:
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
