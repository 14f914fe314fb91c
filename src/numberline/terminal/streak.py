"""How somebody does at puzzles: how many were solved, the longest streak, and a rating, kept between runs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from numberline.files import UnreadableText, read_text, write_whole

FIRST_RATING = 800
STEP = 32
"""The most that one puzzle changes the rating."""
LARGEST_FILE = 1_000_000


@dataclass(slots=True)
class Progress:
    """What is kept between runs."""

    asked: int = 0
    solved: int = 0
    best_streak: int = 0
    rating: int = FIRST_RATING

    def answered(self, rating: int, streak: int, *, right: bool) -> None:
        """Counts one more puzzle of this rating; `streak` is how many in a row are solved now.

        The rating moves as in chess: up by `STEP` times the chance that it would not have been solved, or down by
        `STEP` times the chance that it would.
        """
        chance = 1 / (1 + 10 ** ((rating - self.rating) / 400))
        self.rating += round(STEP * (right - chance))
        self.asked += 1
        self.solved += right
        self.best_streak = max(self.best_streak, streak)


def path() -> Path:
    """Where the progress is kept."""
    from platformdirs import user_data_path

    return user_data_path("numberline") / "puzzles.json"


def load() -> tuple[Progress, str]:
    """The progress so far, and a sentence where its file was damaged and has been set aside."""
    file = path()
    try:
        return _read(read_text(file, LARGEST_FILE)), ""
    except FileNotFoundError:
        return Progress(), ""
    except OSError as error:
        return Progress(), f"{file}: {(error.strerror or str(error)).lower()}; your progress is not known."
    except (UnreadableText, ValueError):
        aside = file.with_suffix(".damaged")
        file.replace(aside)
        return Progress(), f"{file.name} is damaged and was set aside as {aside}; your progress begins anew."


def save(progress: Progress) -> str:
    """Keeps the progress; a sentence where it can't be kept."""
    file = path()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, json.dumps(asdict(progress), indent=1))
    except OSError as error:
        return f"{file}: {(error.strerror or str(error)).lower()}; your progress can't be kept."
    return ""


def _read(text: str) -> Progress:
    kept = json.loads(text)
    names = asdict(Progress())
    if not isinstance(kept, dict) or kept.keys() != names.keys():
        raise ValueError(text)
    if not all(type(number) is int and number >= 0 for number in kept.values()):
        raise ValueError(text)
    return Progress(**kept)
