"""The file with a player's progress."""

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


class _ProgressFile:
    """The file with a player's progress, which several processes can change safely.

    A damaged file is quarantined; a file that is unreadable or has a newer format is left unchanged. Both cases are
    reported on stderr.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reported: set[str] = set()

    def change(self, change: Callable[[Progress], Progress]) -> Progress | None:
        """Apply `change` to the stored progress, save the result and return it; return None if it can't be saved."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.path, LOCK_TIMEOUT_S):
                progress, writable = self.read()
                if writable:
                    progress = change(progress)
                    write_atomic(self.path, json.dumps(encode(progress), indent=1))
        except OSError as error:
            self._report(f"{error.filename or self.path}: {os_error_reason(error)}; could not save your progress.")
            return None
        return progress if writable else None

    def read(self) -> tuple[Progress, bool]:
        """Return the progress, and whether the file can be overwritten."""
        try:
            return decode(json.loads(read_text(self.path, MAX_FILE_BYTES))), True
        except (FileNotFoundError, NotADirectoryError):
            return Progress(), True
        except OSError as error:
            problem = f"{self.path}: {os_error_reason(error)}"
        except NewerFormat:
            problem = f"{self.path} was saved by a newer version of Numberline"
        except (InvalidTextFile, ProgressError, ValueError, TypeError, RecursionError):
            try:
                self._report(f"{quarantine(self.path)}; your progress was reset.")
                return Progress(), True
            except OSError as error:
                problem = f"{self.path} is damaged: {os_error_reason(error)}"
        self._report(f"{problem}; your progress could not be read and was left unchanged.")
        return Progress(), False

    def _report(self, problem: str) -> None:
        """Print a problem to stderr, unless it was already printed."""
        if problem not in self._reported:
            print(problem, file=sys.stderr)  # noqa: T201 - stdout is for the games
        self._reported.add(problem)


_open = cache(_ProgressFile)


def today() -> date:
    return date.today()  # noqa: DTZ011 - the local date, also in a time zone that `astimezone` rejects


def progress_file() -> Path:
    return data_dir() / "progress.json"


def load_progress() -> Progress:
    return _open(progress_file()).read()[0]


def update_progress(change: Callable[[Progress], Progress]) -> Progress | None:
    """Change the stored progress and return it; return None if it can't be saved."""
    return _open(progress_file()).change(change)


def record_event(event: Event) -> Changes:
    """Apply an event to the stored progress, and return what it changed."""
    changes = []

    def change(progress: Progress) -> Progress:
        after, changed = apply(progress, event)
        changes.append(changed)
        return after

    update_progress(change)
    return changes[0] if changes else Changes()
