"""Small files in which something about you is kept between runs: read with care, changed by one program at a time."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

from numberline.files import (
    LOCK_TIMEOUT_S,
    InvalidTextFile,
    locked,
    os_error_reason,
    quarantine,
    read_text,
    write_atomic,
)

MAX_FILE_BYTES = 1_000_000
FORMAT_VERSION = 1
"""The version of the files; one with a larger number comes from a Numberline that knows more."""

Kept = TypeVar("Kept")


class NewerFormat(Exception):
    """A file that a later version of Numberline has written."""


class JsonStore(Generic[Kept]):
    """One such file, `what` being what is kept in it, such as `your progress`.

    What can't be read now, or only by a later version, is left alone; what is damaged is set aside. Either is said.
    """

    def __init__(self, path: Path, what: str, reads: Callable[[Any], Kept], writes: Callable[[Kept], Any]) -> None:
        self.path = path
        self.what = what
        self._reads = reads
        """What a file's content means, None for no file; raises ValueError where it can mean nothing."""
        self._writes = writes

        self._said: set[str] = set()

    def read(self) -> Kept:
        """What is kept; what is wrong with it is said."""
        return self._read()[0]

    def change(self, change: Callable[[Kept], None]) -> Kept | None:
        """What is kept once this is changed in it; None where it can't be kept, which is said."""
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with locked(self.path, LOCK_TIMEOUT_S):
                kept, writable = self._read()
                if writable:
                    change(kept)
                    write_atomic(self.path, json.dumps({**self._writes(kept), "format": FORMAT_VERSION}, indent=1))
        except OSError as error:
            self._say(f"{error.filename or self.path}: {os_error_reason(error)}; {self.what} can't be kept.")
            return None
        return kept if writable else None

    def _read(self) -> tuple[Kept, bool]:
        """What is kept, and whether the file may be written anew."""
        try:
            return self._reads(_content(self.path)), True
        except (FileNotFoundError, NotADirectoryError):
            return self._reads(None), True
        except OSError as error:
            problem, writable = (
                f"{self.path}: {os_error_reason(error)}; {self.what} is not known, and not changed.",
                False,
            )
        except NewerFormat:
            newer = "comes from a newer version of Numberline"
            problem, writable = f"{self.path} {newer}; {self.what} is not known, and not changed.", False
        except (InvalidTextFile, ValueError, RecursionError):
            problem, writable = self._set_aside()
        self._say(problem)
        return self._reads(None), writable

    def _set_aside(self) -> tuple[str, bool]:
        try:
            return f"{quarantine(self.path)}; {self.what} begins anew.", True
        except OSError as error:
            return (
                f"{self.path} is damaged: {os_error_reason(error)}; {self.what} is not known, and not changed.",
                False,
            )

    def _say(self, problem: str) -> None:
        """Says once what is wrong: it will not get better."""
        if problem not in self._said:
            print(problem, file=sys.stderr)  # noqa: T201 - the screen is for the games
        self._said.add(problem)


def _content(path: Path) -> dict[str, Any]:
    content = json.loads(read_text(path, MAX_FILE_BYTES))
    if not isinstance(content, dict):
        raise ValueError(content)  # noqa: TRY004 - a damaged file, whatever is in it
    version = content.pop("format", FORMAT_VERSION)
    if type(version) is not int:
        raise ValueError(version)
    if version > FORMAT_VERSION:
        raise NewerFormat
    return content
