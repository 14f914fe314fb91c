"""One at a time: a file that one program has is kept from the others."""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from numberline.files.safe_read import TEMP_PREFIX

LOCK_TIMEOUT_S = 5.0
"""For so many seconds a file is waited for that another program has open, where it will surely let go of it."""
SHORT_LOCK_TIMEOUT_S = 0.1
"""So long a lock file may be looked at by somebody who clears up."""
MAX_FILENAME_BYTES = 255
"""No name of a file has more."""


class FileLocked(OSError):
    """A file that another program has open."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EWOULDBLOCK, "is open elsewhere", str(path))


def try_lock(file: IO[Any] | int) -> bool:
    """Whether an open file is now this program's alone; it is let go of when it is closed, or the program ends.

    Where the system or the disk knows no locks, it is up to people not to do two things at once.
    """
    try:
        _lock(file if isinstance(file, int) else file.fileno())
    except (BlockingIOError, PermissionError):
        return False
    except ImportError:
        return True
    except OSError as error:
        if error.errno not in {errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS}:
            raise
    return True


if sys.platform == "win32":
    _FAR_OFF = 1 << 30
    """A byte that nobody reads: there, what is locked can't be read by others."""

    def _lock(number: int) -> None:
        import msvcrt

        before = os.lseek(number, 0, os.SEEK_CUR)
        os.lseek(number, _FAR_OFF, os.SEEK_SET)
        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        finally:
            os.lseek(number, before, os.SEEK_SET)

else:

    def _lock(number: int) -> None:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)


@contextmanager
def locked(path: Path, timeout: float = SHORT_LOCK_TIMEOUT_S) -> Iterator[None]:
    """Keeps a file for this program alone, the file itself being there or not; raises `FileLocked`.

    With patience, another program is waited for so many seconds. What is locked is a file beside it, since the file
    itself is another one after every change.
    """
    beside = path.with_name(_lock_name(path.name))
    until = time.monotonic() + timeout
    while True:
        with beside.open("ab") as file:
            if try_lock(file):
                if not is_same_file(file, beside):
                    continue  # whoever had it before has removed it
                try:
                    yield
                finally:
                    remove_open_file(file, beside)
                return
        if time.monotonic() >= until:
            raise FileLocked(path)
        time.sleep(0.02)


def _lock_name(name: str) -> str:
    """What the lock of a file is called, however long the file's own name is."""
    wanted = f"{TEMP_PREFIX}{name}.lock"
    if len(os.fsencode(wanted)) <= MAX_FILENAME_BYTES:
        return wanted
    import hashlib

    return f"{TEMP_PREFIX}{hashlib.sha256(os.fsencode(name)).hexdigest()}.lock"


def is_same_file(file: IO[bytes], path: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def remove_open_file(file: IO[bytes], path: Path) -> None:
    """Removes a file that is open; where that can't be done it is closed first, and left to whoever opens it then."""
    if os.name != "nt":
        path.unlink(missing_ok=True)
        return
    file.close()
    with suppress(PermissionError):
        path.unlink(missing_ok=True)
