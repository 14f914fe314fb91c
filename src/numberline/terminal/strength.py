"""How strong you are: the level of the opponent that fits you, and how you do at puzzles, kept between runs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

from numberline.files import UnreadableText, failure, read_text, set_aside, write_whole
from numberline.terminal.screen import Screen
from numberline.terminal.sitting import Sitting, winner_of

FIRST_LEVEL, LOWEST, HIGHEST = 3, 1, 10
"""The level of the first game of a book, and between which levels it goes up and down."""
FIRST_RATING = 800
STEP = 32
"""The most that one puzzle changes the rating."""
LARGEST_FILE = 1_000_000


def data_folder() -> Path:
    """The folder for what is yours: games that were left, levels, the puzzle score."""
    from platformdirs import user_data_path

    return user_data_path("numberline")


# The opponent that fits: its level follows your results, in each book by itself


def level(book: str) -> int:
    """The level for the next game of a book."""
    try:
        return _levels().get(book, FIRST_LEVEL)
    except OSError:
        return FIRST_LEVEL


def played(book: str, *, won: bool) -> int:
    """The level for the next game, which is kept: one up after a win, one down after a loss."""
    levels = _levels()
    levels[book] = min(HIGHEST, max(LOWEST, levels.get(book, FIRST_LEVEL) + (1 if won else -1)))
    _write(levels_file(), levels)
    return levels[book]


def follow(sitting: Sitting, screen: Screen) -> None:
    """Lets the opponent that fits follow the results of a sitting that is over."""
    book = sitting.agreed.book
    people = {guest.name for guest in sitting.agreed.guests if not guest.bot}
    try:
        for match in sitting.finished:
            before, after = level(book.name), played(book.name, won=winner_of(match)[0] in people)
            if after != before:
                screen.say(f"Your next opponent in {book.title} is level {after}.\n")
    except OSError as error:
        screen.say(f"{levels_file()}: {failure(error)}; the level of your next opponent can't be kept.\n")


def levels_file() -> Path:
    """Where the levels are kept."""
    return data_folder() / "levels.json"


def _levels() -> dict[str, int]:
    """What is kept; a damaged file is set aside, and one that can't be read now raises, so that it is not replaced."""
    try:
        kept = json.loads(read_text(levels_file(), LARGEST_FILE))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (UnreadableText, ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict):
        set_aside(levels_file())
        return {}
    return {str(name): n for name, n in kept.items() if isinstance(n, int) and LOWEST <= n <= HIGHEST}


# Puzzles


@dataclass(slots=True)
class PuzzleScore:
    """How somebody does at puzzles, over all runs."""

    asked: int = 0
    solved: int = 0
    best_streak: int = 0
    rating: int = FIRST_RATING
    daily: int = 0
    """The last day whose puzzles were asked, such as 20260131, and how many of them were answered."""
    daily_done: int = 0
    unknown: bool = False
    """Whether there is a score that can't be read now, so that this one must not take its place."""

    def begin_day(self, day: date) -> int:
        """How many of a day's puzzles were answered before."""
        today = int(f"{day:%Y%m%d}")
        if self.daily != today:
            self.daily, self.daily_done = today, 0
        return self.daily_done

    def answered(self, rating: int, streak: int, *, right: bool) -> None:
        """Counts one more puzzle of this rating; `streak` is how many in a row are solved now.

        The rating moves as in chess: up by `STEP` times the chance that it would not have been solved, or down by
        `STEP` times the chance that it would.
        """
        chance = 1 / (1 + 10 ** ((rating - self.rating) / 400))
        self.rating = max(0, self.rating + round(STEP * (right - chance)))
        self.asked += 1
        self.solved += right
        self.best_streak = max(self.best_streak, streak)


def puzzles_file() -> Path:
    """Where the score is kept."""
    return data_folder() / "puzzles.json"


def kept_score() -> tuple[PuzzleScore, str]:
    """The score so far, and a sentence where its file was damaged and has been set aside."""
    file = puzzles_file()
    try:
        return _score(json.loads(read_text(file, LARGEST_FILE))), ""
    except (FileNotFoundError, NotADirectoryError):
        return PuzzleScore(), ""
    except OSError as error:
        return PuzzleScore(unknown=True), f"{file}: {failure(error)}; your progress is not known, and not changed."
    except (UnreadableText, ValueError, RecursionError):
        return PuzzleScore(), f"{set_aside(file)}; your progress begins anew."


def keep_score(score: PuzzleScore) -> str:
    """Keeps the score; a sentence where it can't be kept."""
    if score.unknown:
        return ""
    try:
        _write(puzzles_file(), _content(score))
    except OSError as error:
        return f"{puzzles_file()}: {failure(error)}; your progress can't be kept."
    return ""


def _score(kept: Any) -> PuzzleScore:
    if not isinstance(kept, dict):
        raise ValueError(kept)  # noqa: TRY004 - a damaged file, whatever is in it
    kept = {"daily": 0, "daily_done": 0} | kept  # older files do not have them
    if kept.keys() != _content(PuzzleScore()).keys():
        raise ValueError(kept)
    if not all(type(number) is int and number >= 0 for number in kept.values()):
        raise ValueError(kept)
    return PuzzleScore(**kept)


def _content(score: PuzzleScore) -> dict[str, int]:
    """What of a score is written."""
    return {name: value for name, value in asdict(score).items() if name != "unknown"}


def _write(file: Path, content: dict[str, int]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(content, indent=1))
