"""The games of a sitting, written to a file after every move."""

from __future__ import annotations

from pathlib import Path

from numberline.files import write_whole
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
        write_whole(self._path, "\n".join([*self._finished, write_record(match)]))

    def close(self, match: Match) -> None:
        """Keeps a game that is over; the next one comes after it."""
        self.write(match)
        self._finished.append(write_record(match))
