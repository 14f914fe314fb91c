"""File locks between processes."""

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
SHORT_LOCK_TIMEOUT_S = 0.1
MAX_FILENAME_BYTES = 255


class FileLocked(OSError):
    """A file that another process has locked."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EWOULDBLOCK, "is open elsewhere", str(path))


def try_lock(file: IO[Any] | int) -> bool:
    """Try to lock an open file; the lock is released when the file is closed or the process ends.

    Return True as well if the system or the file system has no locks.
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
    """Locked on Windows instead of the content, because locked bytes can't be read there."""

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
    """Hold the lock of a file, whether it exists or not; raise `FileLocked` after the timeout.

    The lock is on a separate file in the same directory, because an atomic write replaces the file itself.
    """
    beside = path.with_name(_lock_name(path.name))
    until = time.monotonic() + timeout
    while True:
        with beside.open("ab") as file:
            if try_lock(file):
                if not is_same_file(file, beside):
                    continue  # its previous owner has removed it
                try:
                    yield
                finally:
                    remove_open_file(file, beside)
                return
        if time.monotonic() >= until:
            raise FileLocked(path)
        time.sleep(0.02)


def _lock_name(name: str) -> str:
    """Return the name of the lock file, shortened if the file's own name is long."""
    wanted = f"{TEMP_PREFIX}{name}.lock"
    if len(os.fsencode(wanted)) <= MAX_FILENAME_BYTES:
        return wanted
    import hashlib

    return f"{TEMP_PREFIX}{hashlib.sha256(os.fsencode(name)).hexdigest()}.lock"


def is_same_file(file: IO[bytes], path: Path) -> bool:
    """Return whether an open file is still the one at this path."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def remove_open_file(file: IO[bytes], path: Path) -> None:
    """Remove an open file; on Windows it must be closed first, and may be reopened by another process."""
    if os.name != "nt":
        path.unlink(missing_ok=True)
        return
    file.close()
    with suppress(PermissionError):
        path.unlink(missing_ok=True)
