"""Crash-safe writes: atomic replacement, append-only logs, and locks between processes."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any

from numberline.files.safe_read import (
    TEMP_PREFIX,
    check_filename,
    errors_naming,
    inherited_fd,
    open_for_reading,
    open_without_waiting,
    os_error_reason,
    resolve,
)

LOCK_TIMEOUT_S = 5.0
SHORT_LOCK_TIMEOUT_S = 0.1
LOCK_RETRY_S = 0.02
FSYNC_INTERVAL_S = 1.0
MAX_FILENAME_BYTES = 255
MARK_RANGE_BYTES = 10_000
"""Number of bytes at either end of a file that are searched for its mark."""


def write_atomic(path: Path, content: str | bytes | memoryview) -> None:
    """Replace the content of a file atomically."""
    with open_atomic(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def open_atomic(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Open a temporary file that replaces the file at `path` once its content is synced to disk.

    The new file keeps the permissions of the old one unless `mode` is given. Symbolic links are preserved, and devices
    and pipes are written to directly.
    """
    with open_atomic_all(path, mode=mode) as [file]:
        yield file


@contextmanager
def open_atomic_all(*paths: Path, mode: int | None = None) -> Iterator[list[IO[bytes]]]:
    """Open a data file and the files that describe it, and replace all of them together.

    All files are synced before any is replaced. The old description files are then deleted before the data file is
    replaced, so that a process killed halfway never leaves behind a description that belongs to the previous data.
    """
    with ExitStack() as stack:
        pending = [_open_pending(path, mode, stack) for path in paths]
        yield [*pending]
        for new in pending:
            new.sync()
        for new in pending[1:]:
            new.unlink_old()
        for new in pending:
            new.commit()
        for folder, path in {resolve(new.path).parent: new.path for new in pending if new.temp_path}.items():
            _fsync_renames(folder, path)


# Pending files


class _PendingFile(io.BufferedWriter):
    """Writer for a new file that has not yet replaced the old one; its errors name the requested path."""

    def __init__(self, raw: io.RawIOBase, path: Path, temp_path: Path | None = None) -> None:
        super().__init__(raw)
        self.path = path
        self.temp_path = temp_path
        """Path of the temporary file; None if the target is a stream, which is written to directly."""

    def write(self, content: Any, /) -> int:
        with errors_naming(self.path):
            return super().write(content)

    def flush(self) -> None:
        with errors_naming(self.path):
            super().flush()

    def sync(self) -> None:
        """Flush the content and, except for a stream, sync it to disk."""
        self.flush()
        if self.temp_path:
            with errors_naming(self.path):
                os.fsync(self.fileno())

    def unlink_old(self) -> None:
        """Delete the old file, if any."""
        if self.temp_path:
            with errors_naming(self.path):
                resolve(self.path).unlink(missing_ok=True)

    def commit(self) -> None:
        """Replace the old file, if any, with this one."""
        if self.temp_path:
            if os.name == "nt":
                self.close()  # Windows can't rename an open file
            with errors_naming(self.path):
                self.temp_path.replace(resolve(self.path))


def _open_pending(path: Path, mode: int | None, stack: ExitStack) -> _PendingFile:
    """Open a file for writing; `stack` closes the file and, unless it was committed, deletes it."""
    check_filename(path)
    with errors_naming(path):
        return stack.enter_context(_open_stream(path) if is_stream(path) else _temp_file(path, mode))


def is_stream(path: Path) -> bool:
    """Return whether the path is a device, a pipe or an inherited descriptor, which can't be replaced."""
    if inherited_fd(path) is not None:
        return True
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # not a valid file name
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def _stat_writable(target: Path) -> os.stat_result | None:
    """Return the status of a file, or None if it does not exist; raise OSError if it is a directory or not writable."""
    try:
        status = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(target))
    if not status.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "is write-protected", str(target))
    return status


def _open_stream(path: Path) -> _PendingFile:
    """Open a device, pipe or inherited descriptor without waiting; raise OSError for a pipe that has no reader."""
    number = inherited_fd(path)
    # Reopening an inherited file would overwrite it from the start.
    handle = open_without_waiting(path, os.O_WRONLY) if number is None else os.dup(number)
    return _PendingFile(io.FileIO(handle, "w"), path)


@contextmanager
def _temp_file(path: Path, mode: int | None) -> Iterator[_PendingFile]:
    """Create an empty file in the directory of the file to replace, and delete it on exit unless it was renamed.

    The file stays locked while it is open, so that other processes don't mistake it for a stale one.
    """
    target = resolve(path)
    old = _stat_writable(target)
    if old and mode is None:
        mode = stat.S_IMODE(old.st_mode)
    _remove_stale_temp_files(target.parent)
    while True:
        temp_path = target.parent / f"{TEMP_PREFIX}{os.urandom(8).hex()}"
        with _PendingFile(io.FileIO(temp_path, "x"), path, temp_path) as file:
            try:
                if not try_lock(file) or not _is_same_file(file, temp_path):
                    continue  # another process deleted the file as stale before this one could lock it
                if mode is not None and hasattr(os, "fchmod"):
                    os.fchmod(file.fileno(), mode)
                yield file
            finally:
                _remove_open_file(file, temp_path)
            return


_TEMP_NAME = re.compile(rf"{re.escape(TEMP_PREFIX)}([0-9a-f]{{16}}|.*\.lock)", re.DOTALL)


def _remove_stale_temp_files(folder: Path) -> None:
    """Delete temporary files left behind by killed processes."""
    with suppress(OSError):
        for stale in folder.glob(f"{TEMP_PREFIX}*"):
            if not _TEMP_NAME.fullmatch(stale.name):
                continue  # not created by this module
            with suppress(OSError), stale.open("r+b") as file:
                if try_lock(file):  # a file in use is locked
                    _remove_open_file(file, stale)


def _fsync_dir(folder: Path) -> None:
    """Sync a directory on systems that support this, so that renames survive a power failure."""
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in {errno.EINVAL, errno.EBADF}:
                raise
        finally:
            os.close(handle)


def _fsync_renames(folder: Path, path: Path) -> None:
    """Sync the directory of renamed files; if that fails, the error says that the files were written."""
    try:
        _fsync_dir(folder)
    except OSError as error:
        problem = f"was written, but may not survive a power failure ({os_error_reason(error)})"
        raise OSError(error.errno, problem, str(path)) from None


# Append-only logs


class AppendOnlyFile:
    """Append-only log of lines, locked so that only one process can write to it.

    No added line is lost if the process is killed; a power failure can lose the lines added since the last sync.
    """

    def __init__(self, path: Path) -> None:
        """Open or create the file; raise `FileLocked` if it is in use, OSError if it is not a regular file."""
        check_filename(path)
        self.path = path
        with errors_naming(path), ExitStack() as stack:
            self._is_new = is_new = not _stat_writable(resolve(path))
            handle = open_without_waiting(path, os.O_RDWR | os.O_APPEND | os.O_CREAT)
            self._file = stack.enter_context(os.fdopen(handle, "rb"))
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise OSError(errno.EINVAL, "is not a file", str(path))
            if not try_lock(handle):
                raise FileLocked(path)
            if is_new:
                _fsync_dir(resolve(path).parent)
            stack.pop_all()  # from here on, `close` closes the file
        self._synced_at = time.monotonic()

    def lines(self, max_bytes: int) -> Iterator[bytes]:
        """Yield the existing lines with their line endings; a line longer than `max_bytes` is split."""
        self._file.seek(0)
        with errors_naming(self.path):
            yield from iter(lambda: self._file.readline(max_bytes), b"")

    def truncate(self, size: int) -> None:
        with errors_naming(self.path):
            os.ftruncate(self._file.fileno(), size)

    def add(self, content: bytes) -> None:
        """Append lines; if a write fails, remove any incomplete line and raise the error."""
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
            if time.monotonic() - self._synced_at >= FSYNC_INTERVAL_S:
                self._sync()

    def close(self) -> None:
        """Sync the file to disk and release its lock; remove a new file to which nothing was added."""
        try:
            with errors_naming(self.path):
                if self._is_new and not os.fstat(self._file.fileno()).st_size:
                    _remove_open_file(self._file, self.path)
                else:
                    self._sync()
        finally:
            self._file.close()

    def _sync(self) -> None:
        os.fsync(self._file.fileno())
        self._synced_at = time.monotonic()


# Locks


class FileLocked(OSError):
    """Error for a file that another process has locked."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EWOULDBLOCK, "is in use by another process", str(path))


def try_lock(file: IO[Any] | int) -> bool:
    """Try to lock an open file, and return False if it is already locked.

    Return True even if the operating system or the file system does not support locks. The lock is released when the
    file is closed or the process exits.
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
    _LOCKED_BYTE = 1 << 30  # beyond the content, because locked bytes can't be read on Windows

    def _lock(number: int) -> None:
        import msvcrt

        before = os.lseek(number, 0, os.SEEK_CUR)
        os.lseek(number, _LOCKED_BYTE, os.SEEK_SET)
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
    """Hold a lock for a file, which need not exist; raise `FileLocked` if it stays locked for `timeout` seconds.

    The lock is held on a separate lock file in the same directory, because atomic writes replace the file itself.
    """
    lock_path = path.with_name(_lock_name(path.name))
    deadline = time.monotonic() + timeout
    while True:
        with lock_path.open("ab") as file:
            if try_lock(file):
                if not _is_same_file(file, lock_path):
                    continue  # the previous owner has deleted the lock file
                try:
                    yield
                finally:
                    _remove_open_file(file, lock_path)
                return
        if time.monotonic() >= deadline:
            raise FileLocked(path)
        time.sleep(LOCK_RETRY_S)


def _lock_name(name: str) -> str:
    """Return the name of the lock file; if it would be too long, use a hash of `name`."""
    wanted = f"{TEMP_PREFIX}{name}.lock"
    if len(os.fsencode(wanted)) <= MAX_FILENAME_BYTES:
        return wanted
    import hashlib

    return f"{TEMP_PREFIX}{hashlib.sha256(os.fsencode(name)).hexdigest()}.lock"


def _is_same_file(file: IO[bytes], path: Path) -> bool:
    """Return whether `path` still refers to this open file."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _remove_open_file(file: IO[bytes], path: Path) -> None:
    """Delete an open file; on Windows, close it first and ignore the error if another process has reopened it."""
    if os.name != "nt":
        path.unlink(missing_ok=True)
        return
    file.close()
    with suppress(PermissionError):
        path.unlink(missing_ok=True)


# Directories and damaged files


def check_parent_dir(path: Path) -> None:
    """Raise OSError if the parent directory does not exist."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"folder {path.parent} does not exist; create it first", str(path))


def check_overwrite(path: Path, mark: str) -> None:
    """Raise OSError if the file has any content but no match of `mark`, a regex, near its start or end."""
    if is_stream(path) or not path.is_file():
        return
    with open_for_reading(path) as file:
        content = file.read(MARK_RANGE_BYTES)
        file.seek(-min(MARK_RANGE_BYTES, path.stat().st_size), os.SEEK_END)
        content += file.read()
    if content and not re.search(mark.encode(), content):
        raise FileExistsError(errno.EEXIST, "already exists with other content; choose another file", str(path))


def quarantine(path: Path) -> str:
    """Rename a damaged file to an unused name, and return a message that says so, without a full stop."""
    names = (path.with_suffix(".damaged" if number == 1 else f".damaged-{number}") for number in count(1))
    new_path = next(name for name in names if not name.exists())
    path.rename(new_path)
    return f"{path.name} is damaged and was renamed to {new_path}"


def quarantine_message(path: Path) -> str:
    """Rename a damaged file and return a message that says so or, if this fails, explains why."""
    try:
        return f"{quarantine(path)}."
    except OSError as error:
        return f"{path} is damaged and can't be renamed: {os_error_reason(error)}."
