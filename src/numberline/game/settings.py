"""Text syntax of settings (`30`, `1-3`, `"+1 *2"`, `true`) and of variants.

A variant is written as `line-runner(end=30, steps=1-4)`. A part without `=` continues the previous value, as in
`steps=1,4, end=18`, and a value with spaces is quoted. The valid values and the defaults of rules come from the fields
of `Rules`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any, NamedTuple, get_args, get_type_hints

from numberline.errors import BookError
from numberline.game.rules import Operation, Rules
from numberline.text import quote

MAX_NUMBER = 1_000_000_000
MAX_CHOICES = 100


class SettingType(NamedTuple):
    """Type of a setting: how to parse, format and describe its values."""

    expects: str
    """Description of valid values; error messages put it after "expected"."""
    parse: Callable[[str], Any]
    """Parser for lowercase text; returns None if the text is invalid."""
    write: Callable[[Any], str] = str
    """Formatter that returns a value as canonical text."""
    samples: tuple[str, ...] = ()
    """Sample values, used to test whether a setting can be changed."""

    def read(self, text: str) -> Any:
        """Parse text, ignoring case and surrounding spaces; return None if it is invalid."""
        return self.parse(text.strip().lower())


def _whole_number(text: str) -> int | None:
    is_number = re.fullmatch(r"[+-]?[0-9]{1,10}", text) and abs(int(text)) <= MAX_NUMBER
    return int(text) if is_number else None


def _place(text: str) -> int | str | None:
    return "middle" if text == "middle" else _whole_number(text)


_LINE_END_TYPE = SettingType(f"a whole number up to {MAX_NUMBER}", _whole_number)
_PLACE_TYPE = SettingType(f"a whole number up to {MAX_NUMBER}, or middle", _place)


def is_place(value: object) -> bool:
    """Return whether a value in a book file is the number of a place."""
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) <= MAX_NUMBER


def _steps(text: str) -> tuple[int, ...] | None:
    lengths: set[int] = set()
    for part in re.split(" *, *| +", re.sub(" *- *", "-", text)):
        if not (ends := re.fullmatch(r"([0-9]{1,10})(?:-([0-9]{1,10}))?", part)):
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
"""Canonical form of each operator that users can type."""


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
    tuple[int, ...]: SettingType(f"up to {MAX_CHOICES} steps such as 1-3, 1,2,5 or 2", _steps, _written_steps),
    tuple[Operation, ...]: SettingType(
        'operations such as "+1 *2" (the smallest are +1, -1, *2 and /2)',
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
    """Return the setting type that matches the type hint of a rule."""
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
"""Type of each rule that is also a setting, in display order."""


def setting_type(name: str, line: Iterable[int | str] = ()) -> SettingType:
    """Return the type of a setting, which is a rule or a place; `line` names the places that are ends of the line."""
    return _LINE_END_TYPE if name in line else RULE_TYPES.get(name, _PLACE_TYPE)


# Syntax of variants


def split_variant(text: str) -> tuple[str, list[str]]:
    """Split a variant into the name of the book and the comma-separated parts in parentheses.

    >>> split_variant('number-reach(operations="+1 *2 -1", target=30)')
    ('number-reach', ['operations="+1 *2 -1"', 'target=30'])
    """
    text = text.strip()
    if not text.endswith(")") or "(" not in text:
        if re.search(r"[()=]", text) and not text.endswith(".toml"):
            raise BookError(f"{quote(text)} is not a valid variant; expected one such as line-runner(end=30)")
        return text, []
    book, _, inside = text[:-1].partition("(")
    # A comma in quotes is part of the value.
    parts = re.findall(r'(?:"[^"]*"|\'[^\']*\'|[^,])+', inside)
    return book.strip(), [part.strip() for part in parts if part.strip()]


def split_variants(text: str) -> list[str]:
    """Split a comma-separated list of variants, except at commas inside parentheses.

    >>> split_variants("flag-chase, line-runner(end=30, steps=1-4)")
    ['flag-chase', 'line-runner(end=30, steps=1-4)']
    """
    return [part.strip() for part in re.findall(r"(?:\([^)]*\)?|[^,(])+", text) if part.strip()]


def parse_settings(parts: Iterable[str]) -> dict[str, str]:
    """Parse `name=value` parts; a part without `=` continues the previous value.

    >>> parse_settings(["steps=1", "4", "end=18"])
    {'steps': '1,4', 'end': '18'}
    """
    settings: dict[str, str] = {}
    name = ""
    for part in parts:
        before, equals, after = (piece.strip() for piece in part.partition("="))
        if equals:
            name = before.lower()
            if name in settings:
                raise BookError(f"{name} is set twice; set it once")
            settings[name] = _unquoted(after)
        elif name and before:
            settings[name] += "," + _unquoted(before)
        elif before:
            raise BookError(f"{quote(before)} is not a setting; write it as name=value, such as end=30")
    return settings


def format_variant(book: str, settings: Mapping[str, str]) -> str:
    """Format a variant as canonical text.

    >>> format_variant("number-reach", {"target": "30", "operations": "+1 *2 -1"})
    'number-reach(target=30, operations="+1 *2 -1")'
    """
    inside = ", ".join(f'{name}="{value}"' if " " in value else f"{name}={value}" for name, value in settings.items())
    return f"{book}({inside})" if inside else book


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
