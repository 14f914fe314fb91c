"""Stored player progress: puzzle statistics and, for each book, the next opponent's level and who started last."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from numberline.files.safe_read import InvalidTextFile, os_error_reason, read_text
from numberline.files.safe_write import LOCK_TIMEOUT_S, locked, quarantine, write_atomic
from numberline.progress.ratings import INITIAL_LEVEL, MAX_LEVEL, MIN_LEVEL, PuzzleStats, next_level
from numberline.terminal.console import TextConsole
from numberline.terminal.series import Series, winner_of

MAX_FILE_BYTES = 1_000_000
FORMAT_VERSION = 1
_MAX_COUNT = 1_000_000_000
"""Larger counts mean that the file is damaged."""
_LEVELS_TITLE, _STARTS_TITLE = "the level of your next opponent", "who starts your next game"

Value = TypeVar("Value")


def data_dir() -> Path:
    """Return the directory for saved games, levels and puzzle statistics."""
    from platformdirs import user_data_path

    return user_data_path("numberline")


class NewerFormat(Exception):
    """File written by a newer version of Numberline."""


class JsonStore(Generic[Value]):
    """Small JSON file that several processes can change safely.

    `title` names the content in messages, such as `your progress`. `decode` receives None if there is no file, and must
    raise ValueError for invalid content. A damaged file is quarantined; a file that is unreadable or has a newer format
    is left unchanged. Both cases are reported on stderr.
    """

    def __init__(
        self, path: Path, title: str, decode: Callable[[Any], Value], encode: Callable[[Value], dict[str, Any]]
    ) -> None:
        self.path = path
        self.title = title
        self._decode = decode
        self._encode = encode
        self._reported: set[str] = set()

    def read(self) -> Value:
        return self._read()[0]

    def change(self, change: Callable[[Value], None]) -> Value | None:
        """Apply `change` to the stored value, save it and return it; return None if it can't be saved."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.path, LOCK_TIMEOUT_S):
                value, writable = self._read()
                if writable:
                    change(value)
                    write_atomic(self.path, json.dumps({**self._encode(value), "format": FORMAT_VERSION}, indent=1))
        except OSError as error:
            self._report(f"{error.filename or self.path}: {os_error_reason(error)}; could not save {self.title}.")
            return None
        return value if writable else None

    def _read(self) -> tuple[Value, bool]:
        """Return the value, and whether the file can be overwritten."""
        try:
            return self._decode(_read_json(self.path)), True
        except (FileNotFoundError, NotADirectoryError):
            return self._decode(None), True
        except OSError as error:
            problem = f"{self.path}: {os_error_reason(error)}"
        except NewerFormat:
            problem = f"{self.path} was saved by a newer version of Numberline"
        except (InvalidTextFile, ValueError, RecursionError):
            try:
                self._report(f"{quarantine(self.path)}; {self.title} was reset.")
                return self._decode(None), True
            except OSError as error:
                problem = f"{self.path} is damaged: {os_error_reason(error)}"
        self._report(f"{problem}; {self.title} could not be read and was left unchanged.")
        return self._decode(None), False

    def _report(self, problem: str) -> None:
        """Print a problem to stderr, unless it was already printed."""
        if problem not in self._reported:
            print(problem, file=sys.stderr)  # noqa: T201 - stdout is for the games
        self._reported.add(problem)


def _read_json(path: Path) -> dict[str, Any]:
    content = json.loads(read_text(path, MAX_FILE_BYTES))
    if not isinstance(content, dict):
        raise ValueError(content)  # noqa: TRY004 - handled like any other damaged content
    version = content.pop("format", FORMAT_VERSION)
    if type(version) is not int:
        raise ValueError(version)
    if version > FORMAT_VERSION:
        raise NewerFormat
    return content


# Levels: after a win the next opponent in a book is stronger, after a loss weaker


def current_level(book: str) -> int:
    """Return the level of the next opponent in a book."""
    return _numbers_store(levels_file(), _LEVELS_TITLE).read().get(book, INITIAL_LEVEL)


def record_result(book: str, *, won: bool) -> int | None:
    """Record a result and return the level of the next opponent; None if it can't be saved."""

    def update(levels: dict[str, int]) -> None:
        levels[book] = next_level(levels.get(book, INITIAL_LEVEL), won=won)

    levels = _numbers_store(levels_file(), _LEVELS_TITLE).change(update)
    return levels[book] if levels else None


def update_levels(series: Series, screen: TextConsole) -> None:
    """Record the results of a finished series and announce each change of level."""
    book = series.options.book
    people = {participant.name for participant in series.options.participants if not participant.bot}
    for match in series.finished:
        before, after = current_level(book.name), record_result(book.name, won=winner_of(match)[0] in people)
        if after not in {before, None}:
            change = "stronger" if (after or 0) > before else "easier"
            screen.say(f"The chameleon gets a little {change} in {book.title}.\n")


def levels_file() -> Path:
    return data_dir() / "levels.json"


# The player who starts: against the computer, players take turns


def last_first(book: str) -> int:
    """Return the player who started the last game against the computer in a book; 0 if there was none."""
    return _numbers_store(starts_file(), _STARTS_TITLE).read().get(book, 0)


def record_first(series: Series) -> None:
    """Record who started the last game of a finished series."""
    _numbers_store(starts_file(), _STARTS_TITLE).change(
        lambda starts: starts.update({series.options.book.name: series.finished[-1].first})
    )


def starts_file() -> Path:
    return data_dir() / "starts.json"


@cache
def _numbers_store(path: Path, title: str) -> JsonStore[dict[str, int]]:
    return JsonStore(path, title, _decode_numbers, dict)


def _decode_numbers(content: dict[str, Any] | None) -> dict[str, int]:
    numbers = content or {}
    if not all(type(number) is int and MIN_LEVEL <= number <= MAX_LEVEL for number in numbers.values()):
        raise ValueError(numbers)
    return dict(numbers)


# Puzzles


def puzzles_file() -> Path:
    return data_dir() / "puzzles.json"


def puzzle_stats_store() -> JsonStore[PuzzleStats]:
    return JsonStore(puzzles_file(), "your progress", _decode_stats, asdict)


def _decode_stats(content: dict[str, Any] | None) -> PuzzleStats:
    if content is None:
        return PuzzleStats()
    content = {"daily": 0, "daily_done": 0} | content  # missing from files written by older versions
    if content.keys() != asdict(PuzzleStats()).keys():
        raise ValueError(content)
    if not all(type(number) is int and 0 <= number <= _MAX_COUNT for number in content.values()):
        raise ValueError(content)
    return PuzzleStats(**content)
