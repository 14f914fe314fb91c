"""Adding to a file, line by line, while other programs keep away."""

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
"""For so many seconds what is added to a file may not be safe on the disk yet: to wait for that takes its time."""


class AppendOnlyFile:
    """A file of lines that are added at its end, by one program at a time; it is made where there is none.

    Once something was added, killing the program does not lose it; a power cut costs what was added within a second.
    """

    def __init__(self, path: Path, patience: float = 0.0) -> None:
        """Raises `FileLocked` where another program has it for so many seconds, and OSError for what is no file."""
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
        """Makes sure that it is a file, and this program's alone."""
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is not a file", str(self.path))
        while not try_lock(self._file):
            if time.monotonic() >= until:
                raise FileLocked(self.path)
            time.sleep(0.02)

    def lines(self, longest: int) -> Iterator[bytes]:
        """What was in the file before, line by line with their ends; a line of more bytes comes in parts."""
        self._file.seek(0)
        while True:
            with errors_naming(self.path):
                line = self._file.readline(longest)
            if not line:
                return
            yield line

    def truncate(self, size: int) -> None:
        """Drops what comes after so many bytes."""
        with errors_naming(self.path):
            os.ftruncate(self._file.fileno(), size)

    def add(self, content: bytes) -> None:
        """Writes lines at the end; where that fails, those that are whole stay, and no half of one."""
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
        """Makes sure that everything is safe on the disk; another program may add to it then."""
        try:
            with errors_naming(self.path):
                self._settle()
        finally:
            self._file.close()

    def _settle(self) -> None:
        os.fsync(self._file.fileno())
        self._settled = time.monotonic()
