"""Storage of a player's progress in a file."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path

from numberline.files.safe_read import InvalidTextFile, os_error_reason, read_text
from numberline.files.safe_write import LOCK_TIMEOUT_S, locked, quarantine, write_atomic
from numberline.progress.document import NewerFormat, Progress, ProgressError, decode, encode
from numberline.progress.events import Changes, Event, apply

MAX_FILE_BYTES = 1_000_000


def data_dir() -> Path:
    """Return the directory for saved games and progress."""
    from platformdirs import user_data_path

    return user_data_path("numberline")


def today() -> date:
    return date.today()  # noqa: DTZ011 - the local date, also in a time zone that `astimezone` rejects


def progress_file() -> Path:
    return data_dir() / "progress.json"


def load_progress() -> Progress:
    return read_progress(progress_file())[0]


def read_progress(path: Path) -> tuple[Progress, bool]:
    """Return the progress in a file, and whether the file can be overwritten.

    A damaged file is quarantined; a file that is unreadable or has a newer format is left unchanged. Both cases are
    reported on stderr.
    """
    try:
        return decode(json.loads(read_text(path, MAX_FILE_BYTES))), True
    except (FileNotFoundError, NotADirectoryError):
        return Progress(), True
    except OSError as error:
        problem = f"{path}: {os_error_reason(error)}"
    except NewerFormat:
        problem = f"{path} was saved by a newer version of Numberline"
    except (InvalidTextFile, ProgressError, ValueError, TypeError, RecursionError):
        try:
            _report(f"{quarantine(path)}; your progress was reset.")
            return Progress(), True
        except OSError as error:
            problem = f"{path} is damaged: {os_error_reason(error)}"
    _report(f"{problem}; your progress could not be read and was left unchanged.")
    return Progress(), False


def update_progress(change: Callable[[Progress], Progress]) -> Progress | None:
    """Apply `change` to the stored progress, save the result and return it; return None if it can't be saved."""
    path = progress_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with locked(path, LOCK_TIMEOUT_S):
            progress, writable = read_progress(path)
            if writable:
                progress = change(progress)
                write_atomic(path, json.dumps(encode(progress), indent=1))
    except OSError as error:
        _report(f"{error.filename or path}: {os_error_reason(error)}; could not save your progress.")
        return None
    return progress if writable else None


@cache
def _report(problem: str) -> None:
    """Print a problem to stderr, unless it was already printed."""
    print(problem, file=sys.stderr)  # noqa: T201 - stdout is for the games


def record_event(event: Event) -> Changes:
    """Apply an event to the stored progress and return the changes."""
    changes = []

    def change(progress: Progress) -> Progress:
        after, changed = apply(progress, event)
        changes.append(changed)
        return after

    update_progress(change)
    return changes[0] if changes else Changes()
