"""Types of settings and how their values are written: `30`, `1-3`, `"+1 *2"`, `banned`, `true`.

The values and the default of a rule come from the fields of `Rules`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any, NamedTuple, get_args, get_type_hints

from numberline.game.rules import Operation, Rules

MAX_NUMBER = 1_000_000_000
MAX_CHOICES = 100


class SettingType(NamedTuple):
    """Type of a setting: parses, writes and describes its values."""

    expects: str
    """Description of valid values for error messages, after "expected"."""
    parse: Callable[[str], Any]
    """Return the value of a lowercase text, or None if it is invalid."""
    write: Callable[[Any], str] = str
    """Return the canonical text of a value."""
    samples: tuple[str, ...] = ()
    """Some values, for testing whether a setting can be changed."""

    def read(self, text: str) -> Any:
        """Return the value of a text, or None if it is invalid."""
        return self.parse(text.strip().lower())


def _whole_number(text: str) -> int | None:
    if not re.fullmatch(r"[+-]?[0-9]{1,10}", text) or abs(int(text)) > MAX_NUMBER:
        return None
    return int(text)


def _place(text: str) -> int | str | None:
    return "middle" if text == "middle" else _whole_number(text)


LINE_END_TYPE = SettingType(f"a whole number up to {MAX_NUMBER}", _whole_number)
PLACE_TYPE = SettingType(f"a whole number up to {MAX_NUMBER}, or middle", _place)


def _steps(text: str) -> tuple[int, ...] | None:
    lengths: set[int] = set()
    for part in text.replace(" ", "").split(","):
        ends = re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", part)
        if not ends:
            return None
        first, last = int(ends[1]), int(ends[2] or ends[1])
        if not 1 <= first <= last <= MAX_NUMBER or last - first >= MAX_CHOICES:
            return None
        lengths.update(range(first, last + 1))
    return tuple(sorted(lengths)) if len(lengths) <= MAX_CHOICES else None


def _written_steps(steps: tuple[int, ...]) -> str:
    first, last = steps[0], steps[-1]
    if len(steps) > 1 and steps == tuple(range(first, last + 1)):
        return f"{first}-{last}"
    return ",".join(map(str, steps))


OPERATOR_ALIASES = dict(zip("+-\N{MINUS SIGN}*x\N{MULTIPLICATION SIGN}/÷", "+--***//", strict=True))
"""Operators as people type them, and in canonical form."""


def _operations(text: str) -> tuple[Operation, ...] | None:
    found: set[Operation] = set()
    for part in re.split(r"[ ,]+", text):
        if len(part) < 2 or part[0] not in OPERATOR_ALIASES or not re.fullmatch("[0-9]{1,10}", part[1:]):
            return None
        operation = Operation(OPERATOR_ALIASES[part[0]], int(part[1:]))
        if not (1 if operation.sign in "+-" else 2) <= operation.amount <= MAX_NUMBER:
            return None
        found.add(operation)
    order = sorted(found, key=lambda operation: ("+-*/".index(operation.sign), operation.amount))
    return tuple(order) if len(found) <= MAX_CHOICES else None


_BY_TYPE: dict[Any, SettingType] = {
    bool: SettingType(
        "true or false",
        {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}.get,
        lambda yes: str(yes).lower(),
        ("true", "false"),
    ),
    tuple[int, ...]: SettingType(f"steps such as 1-3, 1,2,5 or 2 (at most {MAX_CHOICES})", _steps, _written_steps),
    tuple[Operation, ...]: SettingType(
        'operations such as "+1 *2" (+k or -k with k from 1, *k or /k with k from 2)',
        _operations,
        lambda operations: " ".join(map(str, operations)),
    ),
}


def _count(limits: range) -> SettingType:
    def read(text: str) -> int | None:
        return number if (number := _whole_number(text)) in limits else None

    least, most = limits[0], limits[-1]
    return SettingType(f"a whole number from {least} to {most}", read, samples=(str(least), str(most)))


def _values(answer: Any) -> SettingType:
    """Return the setting type for the type hint of a rule."""
    if answer in _BY_TYPE:
        return _BY_TYPE[answer]
    words = get_args(answer)
    if words[0] is int:
        return _count(words[1])
    return SettingType(f"{', '.join(words[:-1])} or {words[-1]}", {word: word for word in words}.get, samples=words)


_ANSWERS = get_type_hints(Rules, include_extras=True)
MOVE_KINDS: tuple[str, ...] = get_args(_ANSWERS["moves"])
RULE_DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Rules) if field.default is not MISSING}
RULE_TYPES: dict[str, SettingType] = {name: _values(_ANSWERS[name]) for name in RULE_DEFAULTS}
"""The rules that every book has as settings, in the order in which they are listed."""
