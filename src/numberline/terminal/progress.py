"""The file with a player's progress."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Generic, TypeVar

from numberline.files.safe_read import InvalidTextFile, os_error_reason, read_text
from numberline.files.safe_write import LOCK_TIMEOUT_S, locked, quarantine, write_atomic
from numberline.progress.document import (
    DAILY_PUZZLES,
    VERSION,
    NewerFormat,
    Progress,
    ProgressError,
    decode,
    encode,
)
from numberline.progress.events import Changes, Event, apply

MAX_FILE_BYTES = 1_000_000

Value = TypeVar("Value")


def data_dir() -> Path:
    """Return the directory for saved games and progress."""
    from platformdirs import user_data_path

    return user_data_path("numberline")


class JsonStore(Generic[Value]):
    """Small JSON file that several processes can change safely.

    `title` names the content in messages, such as `your progress`. `decode` receives None if there is no file, and must
    raise ValueError or `ProgressError` for invalid content. A damaged file is quarantined; a file that is unreadable or
    has a newer format is left unchanged. Both cases are reported on stderr.
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

    def change(self, change: Callable[[Value], Value]) -> Value | None:
        """Apply `change` to the stored value, save the result and return it; return None if it can't be saved."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.path, LOCK_TIMEOUT_S):
                value, writable = self._read()
                if writable:
                    value = change(value)
                    write_atomic(self.path, json.dumps(self._encode(value), indent=1))
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
        except (InvalidTextFile, ProgressError, ValueError, TypeError, RecursionError):
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


def _read_json(path: Path) -> Any:
    return json.loads(read_text(path, MAX_FILE_BYTES))


def today() -> date:
    return date.today()  # noqa: DTZ011 - the local date, also in a time zone that `astimezone` rejects


def progress_file() -> Path:
    return data_dir() / "progress.json"


def load_progress() -> Progress:
    return _progress_store(progress_file()).read()


def update_progress(change: Callable[[Progress], Progress]) -> Progress | None:
    """Change the stored progress and return it; return None if it can't be saved."""
    return _progress_store(progress_file()).change(change)


def record_event(event: Event) -> Changes:
    """Apply an event to the stored progress, and return what it changed."""
    changes = []

    def change(progress: Progress) -> Progress:
        after, changed = apply(progress, event)
        changes.append(changed)
        return after

    update_progress(change)
    return changes[0] if changes else Changes()


@cache
def _progress_store(path: Path) -> JsonStore[Progress]:
    def decode_or_migrate(content: object) -> Progress:
        return _read_old_files(path.parent) if content is None else decode(content)

    return JsonStore(path, "your progress", decode_or_migrate, encode)


# Old files: read while there is no document, and left unchanged


def _read_old_files(folder: Path) -> Progress:
    """Return the progress stored by versions that had a file for each part."""
    progress = Progress()
    for key in ("levels", "starts", "puzzles"):
        with suppress(OSError, ProgressError, ValueError, TypeError, RecursionError):
            values = dict(_read_json(folder / f"{key}.json"))
            values.pop("format", None)
            if key == "puzzles":
                # It isn't known which of the day's puzzles were solved, only how many were answered.
                day, done = values.pop("daily", 0), values.pop("daily_done", 0)
                values |= {"daily_day": f"{day // 10000:04}-{day // 100 % 100:02}-{day % 100:02}"} if day else {}
                values["daily"] = [False] * min(done, DAILY_PUZZLES)
            progress = replace(progress, **{key: getattr(decode({"version": VERSION, key: values}), key)})
    return progress
