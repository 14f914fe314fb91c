"""How the value of a setting is written: `30`, `1-3`, `"+1 *2"`, `banned`, `true`.

Each kind of value reads text and writes it back in one canonical form.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from numberline.rules.answers import Operation
from numberline.rules.errors import shown

FURTHEST = 1_000_000_000
"""The largest number that a place, a step or an operation may have."""
MOST_CHOICES = 100
"""The most steps or operations that a book may offer."""


class NotAValue(ValueError):
    """Text that is no value of this kind."""


class Kind(NamedTuple):
    """One kind of value."""

    expects: str
    """What would do, to finish the sentence "…: expected"."""
    read: Callable[[str], Any]
    """The value that a text means; raises `NotAValue`."""
    write: Callable[[Any], str]
    """The one way to write a value."""
    samples: tuple[str, ...] = ()
    """Some values, to try whether a setting can be changed at all."""


def _whole_number(text: str) -> int:
    if not re.fullmatch(r"[+-]?[0-9]{1,10}", text) or abs(int(text)) > FURTHEST:
        raise NotAValue
    return int(text)


def _place(text: str) -> int | str:
    return "middle" if text.lower() == "middle" else _whole_number(text)


def _steps(text: str) -> tuple[int, ...]:
    lengths: set[int] = set()
    for part in text.replace(" ", "").split(","):
        ends = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", part)
        if not ends:
            raise NotAValue
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if not 1 <= first <= last <= FURTHEST or last - first >= MOST_CHOICES:
            raise NotAValue
        lengths.update(range(first, last + 1))
    if len(lengths) > MOST_CHOICES:
        raise NotAValue
    return tuple(sorted(lengths))


def _written_steps(steps: tuple[int, ...]) -> str:
    first, last = steps[0], steps[-1]
    if len(steps) > 1 and steps == tuple(range(first, last + 1)):
        return f"{first}-{last}"
    return ",".join(map(str, steps))


SIGNS = {
    "+": "+",
    "-": "-",
    "\N{MINUS SIGN}": "-",
    "*": "*",
    "x": "*",
    "\N{MULTIPLICATION SIGN}": "*",
    "/": "/",
    "÷": "/",
}
"""The signs as people type them, and as they are written."""


def _operations(text: str) -> tuple[Operation, ...]:
    found: set[Operation] = set()
    for part in re.split(r"[ ,]+", text.strip().lower()):
        if len(part) < 2 or part[0] not in SIGNS or not re.fullmatch("[0-9]{1,10}", part[1:]):
            raise NotAValue
        operation = Operation(SIGNS[part[0]], int(part[1:]))
        if not (1 if operation.sign in "+-" else 2) <= operation.amount <= FURTHEST:
            raise NotAValue
        found.add(operation)
    if len(found) > MOST_CHOICES:
        raise NotAValue
    return tuple(sorted(found, key=lambda operation: ("+-*/".index(operation.sign), operation.amount)))


def _one_of(*values: str) -> Kind:
    def read(text: str) -> str:
        if text.lower() not in values:
            raise NotAValue
        return text.lower()

    return Kind(f"{', '.join(values[:-1])} or {values[-1]}", read, str, values)


def _count(least: int, most: int) -> Kind:
    def read(text: str) -> int:
        number = _whole_number(text)
        if not least <= number <= most:
            raise NotAValue
        return number

    return Kind(f"a whole number from {least} to {most}", read, str, (str(least), str(most)))


_YES_AND_NO = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def _yes_or_no(text: str) -> bool:
    if text.lower() not in _YES_AND_NO:
        raise NotAValue
    return _YES_AND_NO[text.lower()]


_YES_OR_NO = Kind("true or false", _yes_or_no, lambda yes: str(yes).lower(), ("true", "false"))

END = Kind(f"a whole number up to {FURTHEST}", _whole_number, str)
PLACE = Kind(f"a whole number up to {FURTHEST}, or middle", _place, str)

RULES: dict[str, Kind] = {
    "steps": Kind(f"steps such as 1-3, 1,2,5 or 2 (at most {MOST_CHOICES})", _steps, _written_steps),
    "operations": Kind(
        'operations such as "+1 *2" (+k or -k with k from 1, *k or /k with k from 2)',
        _operations,
        lambda operations: " ".join(map(str, operations)),
    ),
    "overshoot": _one_of("refused", "loses", "counts"),
    "meeting": _one_of("shares", "blocks", "stops"),
    "repeat": _one_of("free", "banned"),
    "stuck": _one_of("passes", "loses"),
    "finish": _one_of("all", "one"),
    "tokens": _count(1, 3),
    "players": _count(2, 6),
    "reverse": _YES_OR_NO,
    "skip": _YES_OR_NO,
}
"""The rules that can be set on every book where they make sense, by name, in the order in which they are told."""


def read(name: str, kind: Kind, text: str) -> Any:
    """The value that a setting is given; raises `NotAValue` with the whole sentence."""
    try:
        return kind.read(text.strip())
    except NotAValue:
        raise NotAValue(f"{name}={shown(text)[1:-1]}: expected {kind.expects}") from None
