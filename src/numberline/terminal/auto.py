"""The opponent that fits: its level follows your results and is kept between games, for each book by itself."""

from __future__ import annotations

import json
from pathlib import Path

from numberline.files import UnreadableText, read_text, write_whole

FIRST = 3
"""The level of the first game."""
LOWEST, HIGHEST = 1, 10


def level(book: str) -> int:
    """The level for the next game of a book."""
    return _levels().get(book, FIRST)


def played(book: str, *, won: bool) -> int:
    """The level for the next game once this one was won, one up, or lost, one down; it is kept."""
    levels = _levels()
    levels[book] = min(HIGHEST, max(LOWEST, level(book) + (1 if won else -1)))
    path = _path()
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, json.dumps(levels, indent=1))
    return levels[book]


def _levels() -> dict[str, int]:
    """What is kept; a file that can't be read counts as none."""
    try:
        kept = json.loads(read_text(_path(), 1_000_000))
    except (OSError, UnreadableText, ValueError):
        return {}
    if not isinstance(kept, dict):
        return {}
    return {str(name): n for name, n in kept.items() if isinstance(n, int) and LOWEST <= n <= HIGHEST}


def _path() -> Path:
    from platformdirs import user_data_path

    return user_data_path("numberline") / "levels.json"
