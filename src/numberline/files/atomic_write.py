"""Atomic writes: a reader sees all of the old file or all of the new one."""

from __future__ import annotations

import errno
import io
import os
import re
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

from numberline.files.lock import is_same_file, remove_open_file, try_lock
from numberline.files.safe_read import (
    OPEN_FLAGS,
    TEMP_PREFIX,
    check_filename,
    errors_naming,
    inherited_fd,
    os_error_reason,
    resolve,
    set_blocking,
)


def write_atomic(path: Path, content: str | bytes | memoryview) -> None:
    """Replace the content of a file atomically."""
    with open_atomic(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def open_atomic(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """Open a new file that replaces the old one once its content is synced to disk.

    It keeps the permissions of the old file unless a mode is given. A link stays a link; a device or a pipe is written
    to directly.
    """
    with open_atomic_all(path, mode=mode) as [file]:
        yield file


@contextmanager
def open_atomic_all(*paths: Path, mode: int | None = None) -> Iterator[list[IO[bytes]]]:
    """Open new files that belong together; the others describe the first.

    All are synced before the first replaces its old file. Just before, the old versions of the others are removed, so
    that a process killed in between leaves no description of an older file.
    """
    with ExitStack() as stack:
        drafts = [stack.enter_context(_pending_file(path, mode)) for path in paths]
        yield [draft.file for draft in drafts]
        for draft in drafts:
            draft.sync()
        for draft in drafts[1:]:
            draft.unlink_old()
        for draft in drafts:
            draft.commit()
        for folder, path in {resolve(draft.path).parent: draft.path for draft in drafts if draft.temp_path}.items():
            _fsync_renames(folder, path)


# Pending files


class _NamedErrorsWriter(io.BufferedWriter):
    """File whose errors name the requested path instead of the temporary one."""

    def __init__(self, raw: io.RawIOBase, path: Path) -> None:
        super().__init__(raw)
        self._path = path

    def write(self, content: Any, /) -> int:
        with errors_naming(self._path):
            return super().write(content)

    def flush(self) -> None:
        with errors_naming(self._path):
            super().flush()


class _PendingFile(NamedTuple):
    """File that has not replaced the old one yet."""

    path: Path
    file: IO[bytes]
    temp_path: Path | None = None
    """None if the target is a stream, which is written to directly."""

    def sync(self) -> None:
        """Sync the content to disk."""
        with errors_naming(self.path):
            self.file.flush()
            if self.temp_path:
                os.fsync(self.file.fileno())

    def unlink_old(self) -> None:
        """Remove the old file."""
        with errors_naming(self.path):
            if self.temp_path:
                resolve(self.path).unlink(missing_ok=True)

    def commit(self) -> None:
        """Rename the file over the old one."""
        if not self.temp_path:
            return
        if os.name == "nt":
            self.file.close()  # Windows can't rename an open file
        with errors_naming(self.path):
            self.temp_path.replace(resolve(self.path))


@contextmanager
def _pending_file(path: Path, mode: int | None) -> Iterator[_PendingFile]:
    check_filename(path)
    with ExitStack() as stack:
        with errors_naming(path):
            draft = _start_pending_file(path, mode, stack)
        yield draft


def _start_pending_file(path: Path, mode: int | None, stack: ExitStack) -> _PendingFile:
    """Return a file to write to; the stack removes it unless it was committed."""
    target = resolve(path)
    before = None if inherited_fd(path) is not None else stat_writable(target)
    if is_stream(path):
        return _PendingFile(path, stack.enter_context(_NamedErrorsWriter(_stream(path), path)))
    _remove_stale_temp_files(target.parent)
    fresh, file = stack.enter_context(_temp_file(target, path))
    wanted = stat.S_IMODE(before.st_mode) if before and mode is None else mode
    if wanted is not None and hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), wanted)
    return _PendingFile(path, file, fresh)


def is_stream(path: Path) -> bool:
    """Return whether the path is a device, a pipe or an inherited descriptor, which can't be replaced."""
    if inherited_fd(path) is not None:
        return True
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # not a valid file name
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def stat_writable(target: Path) -> os.stat_result | None:
    """Return the status of the existing file, if any; raise OSError if it is not writable."""
    try:
        there = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(there.st_mode):
        raise IsADirectoryError(errno.EISDIR, "is a directory", str(target))
    if not there.st_mode & 0o222 or not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "is write-protected", str(target))
    return there


def _stream(path: Path) -> io.FileIO:
    """Open a device or a pipe without waiting for a reader; raise OSError if there is none."""
    number = inherited_fd(path)
    if number is not None:
        return io.FileIO(os.dup(number), "w")  # reopening would write from the start of the file
    handle = os.open(path, os.O_WRONLY | OPEN_FLAGS)
    set_blocking(handle)
    return io.FileIO(handle, "w")


@contextmanager
def _temp_file(target: Path, path: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """Create an empty file in the same directory, which is removed unless it is committed.

    It is locked while it is written, so that other processes can tell it from a stale one.
    """
    while True:
        fresh = target.parent / f"{TEMP_PREFIX}{os.urandom(8).hex()}"
        with _NamedErrorsWriter(io.FileIO(fresh, "x"), path) as file:
            try:
                if not try_lock(file) or not is_same_file(file, fresh):
                    continue  # another process removed it as stale before it was locked
                yield fresh, file
            finally:
                remove_open_file(file, fresh)
            return


_TEMP_NAME = re.compile(rf"{re.escape(TEMP_PREFIX)}([0-9a-f]{{16}}|.*\.lock)", re.DOTALL)


def _remove_stale_temp_files(folder: Path) -> None:
    """Remove temporary files of processes that were killed."""
    with suppress(OSError):
        for left in folder.glob(f"{TEMP_PREFIX}*"):
            if not _TEMP_NAME.fullmatch(left.name):
                continue  # still in use
            with suppress(OSError), left.open("r+b") as file:
                if try_lock(file):
                    remove_open_file(file, left)


def fsync_dir(folder: Path) -> None:
    """Sync a directory, so that a rename survives a power cut, on systems that can."""
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
    """Sync the directories of renamed files; an error says that the files are in place."""
    try:
        fsync_dir(folder)
    except OSError as error:
        said = f"is written, but may not outlast a power cut ({os_error_reason(error)})"
        raise OSError(error.errno, said, str(path)) from None


# Directories and damaged files


def check_parent_dir(path: Path) -> None:
    """Raise OSError if the parent directory does not exist."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}; make it first", str(path))


def quarantine(path: Path) -> str:
    """Rename a damaged file without overwriting another; return the start of a message about it."""
    names = (path.with_suffix(".damaged" if number == 1 else f".damaged-{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    path.rename(aside)
    return f"{path.name} is damaged and was set aside as {aside}"


def quarantine_message(path: Path) -> str:
    """Return the message that a damaged file was renamed, or why it could not be."""
    try:
        return f"{quarantine(path)}."
    except OSError as error:
        return f"{path} is damaged, and can't be set aside: {os_error_reason(error)}."
