"""Files with the player's progress: the level of the next opponent in each book, and the puzzle results."""

from __future__ import annotations

from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from numberline.progress.ladder import INITIAL_LEVEL, MAX_LEVEL, MIN_LEVEL, next_level
from numberline.progress.puzzle_stats import PuzzleStats
from numberline.terminal.console import TextConsole
from numberline.terminal.json_store import JsonStore
from numberline.terminal.series import Series, winner_of

MAX_COUNT = 1_000_000_000
"""Nobody has done so much of anything: a file that says so is damaged."""


def data_dir() -> Path:
    """The folder for what is yours: games that were left, levels, the puzzle score."""
    from platformdirs import user_data_path

    return user_data_path("numberline")


# The opponent that fits: its level follows your results, in each book by itself


def current_level(book: str) -> int:
    """The level for the next game of a book."""
    return _levels(levels_file()).read().get(book, INITIAL_LEVEL)


def record_result(book: str, *, won: bool) -> int | None:
    """The level for the next game, one up after a win, one down after a loss; None where it can't be kept."""

    def change(levels: dict[str, int]) -> None:
        levels[book] = next_level(levels.get(book, INITIAL_LEVEL), won=won)

    levels = _levels(levels_file()).change(change)
    return levels[book] if levels else None


def update_levels(series: Series, screen: TextConsole) -> None:
    """Lets the opponent that fits follow the results of a sitting that is over."""
    book = series.options.book
    people = {guest.name for guest in series.options.participants if not guest.bot}
    for match in series.finished:
        before, after = current_level(book.name), record_result(book.name, won=winner_of(match)[0] in people)
        if after not in {before, None}:
            screen.say(f"Your next opponent in {book.title} is level {after}.\n")


def levels_file() -> Path:
    """Where the levels are kept."""
    return data_dir() / "levels.json"


@cache
def _levels(path: Path) -> JsonStore[dict[str, int]]:
    return JsonStore(path, "the level of your next opponent", _read_levels, dict)


def _read_levels(kept: dict[str, Any] | None) -> dict[str, int]:
    levels = kept or {}
    if not all(type(number) is int and MIN_LEVEL <= number <= MAX_LEVEL for number in levels.values()):
        raise ValueError(levels)
    return dict(levels)


# Puzzles


def puzzles_file() -> Path:
    """Where the score is kept."""
    return data_dir() / "puzzles.json"


def puzzle_stats_store() -> JsonStore[PuzzleStats]:
    """The score over all runs, where it is kept."""
    return JsonStore(puzzles_file(), "your progress", _read_score, asdict)


def _read_score(kept: dict[str, Any] | None) -> PuzzleStats:
    if kept is None:
        return PuzzleStats()
    kept = {"daily": 0, "daily_done": 0} | kept  # older files do not have them
    if kept.keys() != asdict(PuzzleStats()).keys():
        raise ValueError(kept)
    if not all(type(number) is int and 0 <= number <= MAX_COUNT for number in kept.values()):
        raise ValueError(kept)
    return PuzzleStats(**kept)
