"""Append-only log files that one process writes at a time."""

from __future__ import annotations

import errno
import os
import stat
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from numberline.files.atomic_write import fsync_dir, stat_writable
from numberline.files.lock import FileLocked, try_lock
from numberline.files.safe_read import OPEN_FLAGS, check_filename, errors_naming, resolve

FSYNC_INTERVAL_S = 1.0


class AppendOnlyFile:
    """Log of lines that one process at a time appends to.

    Killing the process loses nothing that was added; a power cut loses at most the last second.
    """

    def __init__(self, path: Path, patience: float = 0.0) -> None:
        """Open or create the file; raise `FileLocked` after a timeout, or OSError if it is not a regular file."""
        check_filename(path)
        self.path = path
        with errors_naming(path):
            is_new = not stat_writable(resolve(path))
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | OPEN_FLAGS, 0o666), "rb")
            try:
                self._take(time.monotonic() + patience)
                if is_new:
                    fsync_dir(resolve(path).parent)
            except BaseException:
                self._file.close()
                raise
        self._settled = time.monotonic()

    def _take(self, until: float) -> None:
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is not a file", str(self.path))
        while not try_lock(self._file):
            if time.monotonic() >= until:
                raise FileLocked(self.path)
            time.sleep(0.02)

    def lines(self, longest: int) -> Iterator[bytes]:
        """Yield the existing lines with their line ends; a line longer than `limit` bytes comes in parts."""
        self._file.seek(0)
        while True:
            with errors_naming(self.path):
                line = self._file.readline(longest)
            if not line:
                return
            yield line

    def truncate(self, size: int) -> None:
        """Drop everything after `size` bytes."""
        with errors_naming(self.path):
            os.ftruncate(self._file.fileno(), size)

    def add(self, content: bytes) -> None:
        """Append lines; if that fails, only complete lines remain."""
        number, written = self._file.fileno(), 0
        with errors_naming(self.path):
            before = os.fstat(number).st_size
            try:
                while written < len(content):
                    written += os.write(number, memoryview(content)[written:])
            except OSError:
                with suppress(OSError):
                    os.ftruncate(number, before + content.rfind(b"\n", 0, written) + 1)
                raise
            if time.monotonic() - self._settled >= FSYNC_INTERVAL_S:
                self._settle()

    def close(self) -> None:
        """Sync the file to disk and release its lock."""
        try:
            with errors_naming(self.path):
                self._settle()
        finally:
            self._file.close()

    def _settle(self) -> None:
        os.fsync(self._file.fileno())
        self._settled = time.monotonic()
