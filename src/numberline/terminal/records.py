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

from numberline.files import UnreadableText, failure, need_folder, read_text, real, said_aside, write_whole
from numberline.match import Match
from numberline.notation import NewerRecord, read_records, write_record
from numberline.rules.errors import NumberlineError, RecordError
from numberline.rules.wording import counted
from numberline.terminal.sitting import Sitting
from numberline.terminal.strength import data_folder

MOST_KEPT = 200
"""So many finished games are kept; the oldest goes when one more comes."""
LARGEST_FILE = 50_000_000
STAMP = "%Y%m%d-%H%M%S-%f"


class RecordFile:
    """The games of a sitting in a file, which is replaced whole after every move, so that it is never half written."""

    def __init__(self, path: Path, sitting: Sitting | None = None) -> None:
        """A new file; or with a sitting that was left, the file in which its games were written."""
        need_folder(path)
        if path.exists() and not path.is_file():
            raise RecordError(f"{path} is not a file; give a file to record to")
        if sitting and not _has_only(path, sitting):
            path = numbered(path)
        elif not sitting and path.exists():
            raise RecordError(f"{path} is there already, and nothing is overwritten; give another file to record to")
        self.path = real(path)

    def write(self, sitting: Sitting) -> None:
        """Writes the games so far, the one that is being played last."""
        write_whole(self.path, _text(sitting))


def numbered(path: Path) -> Path:
    """A file beside this one that is not there yet: `game-2.txt`."""
    stem = re.sub(r"-\d+$", "", path.stem)
    names = (path.with_stem(f"{stem}-{number}") for number in count(2))
    return next(name for name in names if not name.exists())


def _text(sitting: Sitting) -> str:
    games = [*sitting.finished, *([sitting.current] if sitting.current else [])]
    return "\n".join(map(write_record, games))


def _has_only(path: Path, sitting: Sitting) -> bool:
    """Whether nothing but this sitting's games is in the file, the last move or its result being perhaps another."""
    try:
        there = read_text(path, LARGEST_FILE).splitlines()
    except FileNotFoundError:
        return True
    except UnreadableText:
        return False
    here = _text(sitting).splitlines()
    sure = max(1, len(there) - 2)
    return there[:sure] == here[:sure] and there[-1].startswith("result: ")


# Finished games


class KeptGame(NamedTuple):
    """A finished game that is kept."""

    path: Path
    when: datetime
    match: Match

    def __str__(self) -> str:
        match, when = self.match, local_time(self.when)
        winner = match.names[match.outcome.winner - 1] if match.outcome else "nobody"
        who = " against ".join(match.names)
        return f"{match.book.variant}, {who}, {when}: {winner} won after {counted(match.length, 'turn')}."


def local_time(when: datetime) -> str:
    """A moment as the clock on the wall shows it; one at the end of time as it stands."""
    with suppress(OverflowError, OSError, ValueError):
        when = when.astimezone()
    return f"{when:%Y-%m-%d %H:%M}"


def folder() -> Path:
    """Where finished games are kept."""
    return data_folder() / "finished"


def keep(match: Match) -> Path:
    """Keeps a finished game in a new file, which comes back; the oldest of too many are removed."""
    path = fresh(folder(), ".txt")
    try:
        write_whole(path, write_record(match))
    except OSError:
        path.unlink(missing_ok=True)
        raise
    others = sorted(set(folder().glob("*.txt")) - {path})  # whatever the clock says, this is the newest
    for old in (*others[: -(MOST_KEPT - 1)], *filter(is_empty, others)):
        old.unlink(missing_ok=True)
    return path


def kept_games() -> Iterator[KeptGame | str]:
    """The finished games, newest first; a sentence for one that can't be read, set aside if it is damaged."""
    place = folder()
    for path in sorted(place.glob("*.txt"), reverse=True) if place.is_dir() else []:
        found = _found(path)
        if found:
            yield found


def _found(path: Path) -> KeptGame | str | None:
    """The game in a file, or a sentence where there is none."""
    try:
        if is_empty(path):
            path.unlink()
            return f"{path} was empty and is removed."
        [match] = read_records(read_text(path, LARGEST_FILE), path.name)
        return KeptGame(path, datetime.strptime(path.stem[:22], STAMP).replace(tzinfo=UTC), match)
    except FileNotFoundError:
        return None  # it was one too many meanwhile
    except OSError as error:
        return f"{path} can't be read now: {failure(error)}."
    except NewerRecord:
        return f"{path} comes from a newer version of Numberline; that one can show it."
    except (NumberlineError, UnreadableText, ValueError):
        return said_aside(path)


def is_empty(path: Path) -> bool:
    """Whether a file was begun and never written, its program having been ended in between."""
    there = path.lstat()
    return stat.S_ISREG(there.st_mode) and not there.st_size


def fresh(place: Path, suffix: str) -> Path:
    """A new and empty file that nobody else has, named after the time."""
    place.mkdir(parents=True, exist_ok=True)
    stamp = datetime.now(UTC).strftime(STAMP)
    for number in count(1):
        path = place / f"{stamp}-{number}{suffix}"
        try:
            path.open("x").close()
        except FileExistsError:
            continue
        return path
    raise AssertionError  # there is always one more number
