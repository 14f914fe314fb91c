"""Syntax of variants: `line-runner(end=30, steps=1-4)`.

A part without `=` continues the previous value (`steps=1,4, end=18`); a value with spaces is quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from numberline.errors import BookError
from numberline.text import quote


def split_variant(text: str) -> tuple[str, list[str]]:
    """Return the name of the book, and the comma-separated parts in its brackets.

    >>> split_variant('number-reach(operations="+1 *2 -1", target=30)')
    ('number-reach', ['operations="+1 *2 -1"', 'target=30'])
    """
    text = text.strip()
    if not text.endswith(")") or "(" not in text:
        if re.search(r"[()=]", text) and not text.endswith(".toml"):
            raise BookError(f"{quote(text)} is not a variant; write it as line-runner(end=30, steps=1-4)")
        return text, []
    book, _, inside = text[:-1].partition("(")
    # A comma in quotes belongs to a value.
    parts = re.findall(r'(?:"[^"]*"|\'[^\']*\'|[^,])+', inside)
    return book.strip(), [part.strip() for part in parts if part.strip()]


def split_variants(text: str) -> list[str]:
    """Return the variants of a comma-separated list; commas inside brackets belong to a variant.

    >>> split_variants("flag-chase, line-runner(end=30, steps=1-4)")
    ['flag-chase', 'line-runner(end=30, steps=1-4)']
    """
    parts, depth = [""], 0
    for character in text:
        depth += {"(": 1, ")": -1}.get(character, 0)
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def parse_settings(parts: Iterable[str]) -> dict[str, str]:
    """Return the settings of `name=value` parts; a part without `=` continues the previous value.

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
    """Return the canonical text of a variant.

    >>> format_variant("number-reach", {"target": "30", "operations": "+1 *2 -1"})
    'number-reach(target=30, operations="+1 *2 -1")'
    """
    inside = ", ".join(f'{name}="{value}"' if " " in value else f"{name}={value}" for name, value in settings.items())
    return f"{book}({inside})" if inside else book


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
