"""TOML from outside: read in a time that grows with its length and no faster."""

from __future__ import annotations

import re
import tomllib
from typing import Any

MAX_KEY_PARTS = 100
"""No key has more parts."""
_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'""")


def parse_toml(text: str) -> dict[str, Any]:
    """What a text in TOML says; raises `TOMLDecodeError`, RecursionError for too deep a nesting, else ValueError.

    >>> parse_toml("a.b = 1")
    {'a': {'b': 1}}
    """
    if any(line.count(".") > MAX_KEY_PARTS and _parts(line) > MAX_KEY_PARTS for line in text.splitlines()):
        raise RecursionError
    return tomllib.loads(text)


def _parts(line: str) -> int:
    """How many parts the longest key in a line may have; a full stop between sentences is not in a key.

    >>> _parts('x = {a.b . "c d".e = 1}'), _parts("about = Go on. You win. Play again")
    (4, 2)
    """
    longest = run = 1
    for part in _QUOTED.sub("''", line).split("."):
        run = run + 1 if len(part.split()) == 1 else 2
        longest = max(longest, run)
    return longest
