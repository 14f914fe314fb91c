"""Record files for series, and the stored records of finished games."""

from __future__ import annotations

import re
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import UTC, date, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple, TypeVar

from numberline.characters import against
from numberline.errors import NumberlineError, RecordError
from numberline.files.safe_read import InvalidTextFile, os_error_reason, read_text, resolve
from numberline.files.safe_write import FileLocked, check_parent_dir, locked, quarantine_message, write_atomic
from numberline.game.match import Match
from numberline.game.notation import NewerRecordVersion, format_record, parse_records
from numberline.progress.document import Game, NewerFormat
from numberline.progress.rules import draw_stars
from numberline.terminal.progress import data_dir, today
from numberline.terminal.series import Series
from numberline.text import pluralize, versus

MAX_FINISHED_GAMES = 200
MAX_FILE_BYTES = 50_000_000
_TIMESTAMP_FORMAT = "%Y%m%d-%H%M%S-%f"
_IMPORTED = "000000-000000-"
"""Placeholder for the time in the file name of a game from another device; the game's id on that device follows."""

Found = TypeVar("Found")


class RecordFile:
    """File with the games of a series, replaced atomically by each write."""

    def __init__(self, path: Path, series: Series | None = None) -> None:
        """Use a new file or, for a resumed `series`, its old file; if this file has other content, use a new name."""
        check_parent_dir(path)
        if path.exists() and not path.is_file():
            raise RecordError(f"{path} is not a regular file; choose another file")
        if series and not _has_only(path, series):
            path = next_free_path(path)
        elif not series and path.exists():
            raise RecordError(f"{path} already exists and won't be overwritten; choose another file")
        self.path = resolve(path)

    def write(self, series: Series) -> None:
        write_atomic(self.path, _format_series(series))


def next_free_path(path: Path) -> Path:
    """Return the first unused path with a number appended, such as `game-2.txt`."""
    stem = re.sub(r"-\d+$", "", path.stem)
    paths = (path.with_stem(f"{stem}-{number}") for number in count(2))
    return next(path for path in paths if not path.exists())


def _format_series(series: Series) -> str:
    return "\n".join(map(format_record, filter(None, [*series.finished, series.current])))


def _has_only(path: Path, series: Series) -> bool:
    """Return whether a file contains only the games of this series; the last move and the result may differ."""
    try:
        stored = read_text(path, MAX_FILE_BYTES).splitlines()
    except FileNotFoundError:
        return True
    except InvalidTextFile:
        return False
    expected = _format_series(series).splitlines()
    unchanged = max(1, len(stored) - 2)
    return stored[:unchanged] == expected[:unchanged] and stored[-1].startswith("result: ")


# Finished games


class FinishedGame(NamedTuple):
    """Finished game and its record file."""

    path: Path
    finished_at: datetime
    match: Match

    @property
    def id(self) -> str:
        """The id of the game in the player's progress."""
        return self.path.stem.removeprefix(f"{self.path.stem[:9]}{_IMPORTED}")

    def describe(self, own: Game | None) -> str:
        """Return a sentence about the game; with `own`, write it from the player's side and add the deciding moment."""
        from numberline.explain.rules_text import title_in_words  # imports the solver

        match, title = self.match, title_in_words(self.match.book)
        if own:
            won = "you won" if own.practice else f"you won {draw_stars(own.stars)}"
            result = "practice, " * own.practice + {True: won, False: "you lost", None: "no winner"}[own.won]
            when = format_local_date(own.day or self.finished_at)
            return f"{title} {against(own.opponent)}, {when}: {result}. {own.moment}".rstrip()
        winner = match.names[match.outcome.winner - 1] if match.outcome else "no one"
        players, when = versus(match.names), format_local_date(self.finished_at)
        return f"{title}, {players}, {when}: {winner} won after {pluralize(match.length, 'turn')}."


def format_local_date(when: datetime | date) -> str:
    """Return a date such as `12 Nov`, followed by the year unless it is the current one."""
    with suppress(OverflowError, OSError, ValueError):  # dates near the minimum or maximum year
        when = when.astimezone() if isinstance(when, datetime) else when
    return f"{when.day} {when:%b}" + ("" if when.year == today().year else f" {when.year}")


def finished_games_dir() -> Path:
    return data_dir() / "finished"


def save_finished_game(match: Match) -> Path:
    """Save a finished game to a new file and return its path; delete the oldest games beyond the limit."""
    path = create_unique_file(finished_games_dir(), ".txt")
    try:
        write_atomic(path, format_record(match))
    except OSError:
        path.unlink(missing_ok=True)
        raise
    # `path` may not sort last if the clock was set back.
    others = sorted(set(finished_games_dir().glob("*.txt")) - {path})
    for old in (*others[: -(MAX_FINISHED_GAMES - 1)], *filter(is_empty, others)):
        old.unlink(missing_ok=True)
    return path


def save_imported_games(games: Iterable[Game]) -> None:
    """Save the records of games from another device, so that they can be listed, reviewed and replayed."""
    for game in games:
        if game.record and game.day and re.fullmatch(r"[\w-]{1,64}", game.id):
            prefix = "" if re.match(r"\d{8}-\d{6}-\d{6}-", game.id) else f"{game.day:%Y%m%d}-{_IMPORTED}"
            path = finished_games_dir() / f"{prefix}{game.id}.txt"
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                write_atomic(path, game.record)


def finished_games() -> Iterator[FinishedGame | str]:
    """Yield the finished games, newest first, and a message for each file that was unreadable, empty or quarantined."""
    for path in sorted(finished_games_dir().glob("*.txt"), reverse=True):
        game = explain_errors(path, _read_finished_game, "show")
        if game:
            yield game


def _read_finished_game(path: Path) -> FinishedGame:
    [match] = parse_records(read_text(path, MAX_FILE_BYTES), path.name)
    return FinishedGame(path, datetime.strptime(path.stem[:22], _TIMESTAMP_FORMAT).replace(tzinfo=UTC), match)


def explain_errors(path: Path, read: Callable[[Path], Found], purpose: str) -> Found | str | None:
    """Return `read(path)` or an error message; remove an empty file, and quarantine a damaged one.

    Return None if the file no longer exists, or is empty because another process is about to write it.
    """
    try:
        return _remove_empty(path) if is_empty(path) else read(path)
    except FileNotFoundError:
        return None
    except OSError as error:
        return f"Can't read {path}: {os_error_reason(error)}."
    except (NewerFormat, NewerRecordVersion):
        return f"{path} was saved by a newer version of Numberline; use that version to {purpose} it."
    except (NumberlineError, InvalidTextFile, ValueError, KeyError, TypeError, RecursionError):
        return quarantine_message(path)


def _remove_empty(path: Path) -> str | None:
    with suppress(FileLocked), locked(path):
        if is_empty(path):
            path.unlink()
            return f"Removed empty file {path}."
    return None


def is_empty(path: Path) -> bool:
    """Return whether a regular file is empty, which happens if the program is killed before writing to it."""
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and not status.st_size


def create_unique_file(folder: Path, suffix: str) -> Path:
    """Create an empty file named after the current time and return its path."""
    folder.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime(_TIMESTAMP_FORMAT)
    for number in count(1):
        path = folder / f"{stamp}-{number}{suffix}"
        with suppress(FileExistsError):
            path.open("x").close()
            return path
    raise AssertionError
