"""Writing a file whole or not at all: at any moment there is all of the old one or all of the new."""

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
    """Puts the content in the file, which at any moment holds all of the old or all of the new."""
    with open_atomic(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def open_atomic(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """A fresh file to write to, which takes the place of the old one once everything in it is safe on the disk.

    The new file may be read by whom the old one might, unless a mode is given. A link stays a link, and a device or a
    pipe is written to.
    """
    with open_atomic_all(path, mode=mode) as [file]:
        yield file


@contextmanager
def open_atomic_all(*paths: Path, mode: int | None = None) -> Iterator[list[IO[bytes]]]:
    """Fresh files that belong together, the first of them being what the others are about.

    All are safe on the disk before the first takes its place, and just before it does, what was in the places of the
    others is removed: a program that is killed in between leaves nothing that is about an older file.
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


# Files that are not in their place yet


class _NamedErrorsWriter(io.BufferedWriter):
    """A file whose errors name the file that was asked for, whatever its own name is."""

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
    """A file that is being written."""

    path: Path
    """The file that was asked for."""
    file: IO[bytes]
    temp_path: Path | None = None
    """Where it is until it takes its place; None for what is written to as it is."""

    def sync(self) -> None:
        """Makes sure that what was written is safe on the disk."""
        with errors_naming(self.path):
            self.file.flush()
            if self.temp_path:
                os.fsync(self.file.fileno())

    def unlink_old(self) -> None:
        """Removes what was in its place."""
        with errors_naming(self.path):
            if self.temp_path:
                resolve(self.path).unlink(missing_ok=True)

    def commit(self) -> None:
        """Gives the file its place."""
        if not self.temp_path:
            return
        if os.name == "nt":
            self.file.close()  # there an open file can't be renamed
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
    """A file to write to; what is left of it is cleared away with the stack."""
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
    """Whether it is a device, a pipe or what a shell handed over: written to as it is, and never replaced."""
    if inherited_fd(path) is not None:
        return True
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # a name that no file can have
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def stat_writable(target: Path) -> os.stat_result | None:
    """What is there now, if anything is; raises where it may not be written to."""
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
    """A device or a pipe to write to; raises where nobody reads from it, rather than wait."""
    number = inherited_fd(path)
    if number is not None:
        return io.FileIO(os.dup(number), "w")  # opened anew, a file would be written to from its beginning
    handle = os.open(path, os.O_WRONLY | OPEN_FLAGS)
    set_blocking(handle)
    return io.FileIO(handle, "w")


@contextmanager
def _temp_file(target: Path, path: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """An empty file in the same folder, which is removed unless it was put in its place.

    It is locked as long as somebody writes to it, so that others know it from one that was left behind.
    """
    while True:
        fresh = target.parent / f"{TEMP_PREFIX}{os.urandom(8).hex()}"
        with _NamedErrorsWriter(io.FileIO(fresh, "x"), path) as file:
            try:
                if not try_lock(file) or not is_same_file(file, fresh):
                    continue  # somebody took it for one that was left behind, in the moment before it was locked
                yield fresh, file
            finally:
                remove_open_file(file, fresh)
            return


_TEMP_NAME = re.compile(rf"{re.escape(TEMP_PREFIX)}([0-9a-f]{{16}}|.*\.lock)", re.DOTALL)
"""What we call a file that is not in its place yet, and one that is there for its lock."""


def _remove_stale_temp_files(folder: Path) -> None:
    """Removes the files that programs left behind which were ended in the middle."""
    with suppress(OSError):
        for left in folder.glob(f"{TEMP_PREFIX}*"):
            if not _TEMP_NAME.fullmatch(left.name):
                continue  # somebody else's
            with suppress(OSError), left.open("r+b") as file:
                if try_lock(file):
                    remove_open_file(file, left)


def fsync_dir(folder: Path) -> None:
    """Makes sure that a name that was just given is safe on the disk too, where the system knows how to."""
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
    """Makes sure that the names of files that took their place are safe; where they are not, that is what is said."""
    try:
        fsync_dir(folder)
    except OSError as error:
        said = f"is written, but may not outlast a power cut ({os_error_reason(error)})"
        raise OSError(error.errno, said, str(path)) from None


# Folders, and files that are in the way


def check_parent_dir(path: Path) -> None:
    """Raises where there is no folder to put the file in."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}; make it first", str(path))


def quarantine(path: Path) -> str:
    """Moves a damaged file out of the way, over no other; the beginning of a sentence that says so."""
    names = (path.with_suffix(".damaged" if number == 1 else f".damaged-{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    path.rename(aside)
    return f"{path.name} is damaged and was set aside as {aside}"


def quarantine_message(path: Path) -> str:
    """A sentence that says that a damaged file was moved out of the way, or why it could not be."""
    try:
        return f"{quarantine(path)}."
    except OSError as error:
        return f"{path} is damaged, and can't be set aside: {os_error_reason(error)}."
