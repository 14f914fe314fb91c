"""Games on paper: the record of a sitting in a file of your choice, and every finished game, kept to look back at."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import NamedTuple

from numberline.errors import NumberlineError, RecordError
from numberline.files import (
    InvalidTextFile,
    check_parent_dir,
    os_error_reason,
    quarantine_message,
    read_text,
    resolve,
    write_atomic,
)
from numberline.game.match import Match
from numberline.game.notation import NewerRecordVersion, format_record, parse_records
from numberline.terminal.progress import data_dir
from numberline.terminal.series import Series
from numberline.text import pluralize

MAX_FINISHED_GAMES = 200
"""So many finished games are kept; the oldest goes when one more comes."""
MAX_FILE_BYTES = 50_000_000
TIMESTAMP_FORMAT = "%Y%m%d-%H%M%S-%f"


class RecordFile:
    """The games of a sitting in a file, which is replaced whole after every move, so that it is never half written."""

    def __init__(self, path: Path, sitting: Series | None = None) -> None:
        """A new file; or with a sitting that was left, the file in which its games were written."""
        check_parent_dir(path)
        if path.exists() and not path.is_file():
            raise RecordError(f"{path} is not a file; give a file to record to")
        if sitting and not _has_only(path, sitting):
            path = next_free_path(path)
        elif not sitting and path.exists():
            raise RecordError(f"{path} is there already, and nothing is overwritten; give another file to record to")
        self.path = resolve(path)

    def write(self, sitting: Series) -> None:
        """Writes the games so far, the one that is being played last."""
        write_atomic(self.path, _text(sitting))


def next_free_path(path: Path) -> Path:
    """A file beside this one that is not there yet: `game-2.txt`."""
    stem = re.sub(r"-\d+$", "", path.stem)
    names = (path.with_stem(f"{stem}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())


def _text(sitting: Series) -> str:
    games = [*sitting.finished, *([sitting.current] if sitting.current else [])]
    return "\n".join(map(format_record, games))


def _has_only(path: Path, sitting: Series) -> bool:
    """Whether nothing but this sitting's games is in the file, the last move or its result being perhaps another."""
    try:
        there = read_text(path, MAX_FILE_BYTES).splitlines()
    except FileNotFoundError:
        return True
    except InvalidTextFile:
        return False
    here = _text(sitting).splitlines()
    sure = max(1, len(there) - 2)
    return there[:sure] == here[:sure] and there[-1].startswith("result: ")


# Finished games


class FinishedGame(NamedTuple):
    """A finished game that is kept."""

    path: Path
    finished_at: datetime
    match: Match

    def __str__(self) -> str:
        match, when = self.match, format_local_time(self.finished_at)
        winner = match.names[match.outcome.winner - 1] if match.outcome else "nobody"
        who = " against ".join(match.names)
        return f"{match.book.variant}, {who}, {when}: {winner} won after {pluralize(match.length, 'turn')}."


def format_local_time(when: datetime) -> str:
    """A moment as the clock on the wall shows it; one at the end of time as it stands."""
    with suppress(OverflowError, OSError, ValueError):
        when = when.astimezone()
    return f"{when:%Y-%m-%d %H:%M}"


def finished_games_dir() -> Path:
    """Where finished games are kept."""
    return data_dir() / "finished"


def save_finished_game(match: Match) -> Path:
    """Keeps a finished game in a new file, which comes back; the oldest of too many are removed."""
    path = create_unique_file(finished_games_dir(), ".txt")
    try:
        write_atomic(path, format_record(match))
    except OSError:
        path.unlink(missing_ok=True)
        raise
    others = sorted(set(finished_games_dir().glob("*.txt")) - {path})  # whatever the clock says, this is the newest
    for old in (*others[: -(MAX_FINISHED_GAMES - 1)], *filter(is_empty, others)):
        old.unlink(missing_ok=True)
    return path


def finished_games() -> Iterator[FinishedGame | str]:
    """The finished games, newest first; a sentence for one that can't be read, set aside if it is damaged."""
    place = finished_games_dir()
    for path in sorted(place.glob("*.txt"), reverse=True) if place.is_dir() else []:
        found = _found(path)
        if found:
            yield found


def _found(path: Path) -> FinishedGame | str | None:
    """The game in a file, or a sentence where there is none."""
    try:
        if is_empty(path):
            path.unlink()
            return f"{path} was empty and is removed."
        [match] = parse_records(read_text(path, MAX_FILE_BYTES), path.name)
        return FinishedGame(path, datetime.strptime(path.stem[:22], TIMESTAMP_FORMAT).replace(tzinfo=UTC), match)
    except FileNotFoundError:
        return None  # it was one too many meanwhile
    except OSError as error:
        return f"{path} can't be read now: {os_error_reason(error)}."
    except NewerRecordVersion:
        return f"{path} comes from a newer version of Numberline; that one can show it."
    except (NumberlineError, InvalidTextFile, ValueError):
        return quarantine_message(path)


def is_empty(path: Path) -> bool:
    """Whether a file was begun and never written, its program having been ended in between."""
    there = path.lstat()
    return stat.S_ISREG(there.st_mode) and not there.st_size


def create_unique_file(place: Path, suffix: str) -> Path:
    """A new and empty file that nobody else has, named after the time."""
    place.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime(TIMESTAMP_FORMAT)
    for number in count(1):
        path = place / f"{stamp}-{number}{suffix}"
        try:
            path.open("x").close()
        except FileExistsError:
            continue
        return path
    raise AssertionError  # there is always one more number
