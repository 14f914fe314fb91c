"""The games of a sitting, written to a file after every move."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from numberline.match import Match
from numberline.notation import write_record
from numberline.rules.errors import RecordError


class Recorder:
    """One file of records. It is replaced whole each time, so that it is never half written."""

    def __init__(self, path: Path) -> None:
        self._path = path.resolve()
        self._finished: list[str] = []
        if path.exists() and not path.is_file():
            raise RecordError(f"{path} is not a file; give a file to record to")
        if not path.parent.is_dir():
            raise RecordError(f"{path}: there is no folder {path.parent}; make it first")

    def write(self, match: Match) -> None:
        """Writes the games so far and the one that is being played."""
        write_atomically(self._path, "\n".join([*self._finished, write_record(match)]))

    def close(self, match: Match) -> None:
        """Keeps a game that is over; the next one comes after it."""
        self.write(match)
        self._finished.append(write_record(match))


def write_atomically(path: Path, text: str) -> None:
    """Puts the text in the file such that at any moment it holds all of the old or all of the new."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(temporary, 0o644)  # noqa: PTH101 - mkstemp makes it private; a record is for anybody
        os.replace(temporary, path)  # noqa: PTH105 - the two belong together
    except BaseException:
        os.unlink(temporary)  # noqa: PTH108 - as above
        raise
