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

from numberline.files.locking import is_at, remove, try_lock
from numberline.files.reading import BESIDE, FLAGS, blaming, failure, handed_over, need_name, real, wait_for


def write_whole(path: Path, content: str | bytes | memoryview) -> None:
    """Puts the content in the file, which at any moment holds all of the old or all of the new."""
    with opened_whole(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def opened_whole(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """A fresh file to write to, which takes the place of the old one once everything in it is safe on the disk.

    The new file may be read by whom the old one might, unless a mode is given. A link stays a link, and a device or a
    pipe is written to.
    """
    with opened_together(path, mode=mode) as [file]:
        yield file


@contextmanager
def opened_together(*paths: Path, mode: int | None = None) -> Iterator[list[IO[bytes]]]:
    """Fresh files that belong together, the first of them being what the others are about.

    All are safe on the disk before the first takes its place, and just before it does, what was in the places of the
    others is removed: a program that is killed in between leaves nothing that is about an older file.
    """
    with ExitStack() as stack:
        drafts = [stack.enter_context(_draft(path, mode)) for path in paths]
        yield [draft.file for draft in drafts]
        for draft in drafts:
            draft.settle()
        for draft in drafts[1:]:
            draft.clear()
        for draft in drafts:
            draft.put()
        for folder, path in {real(draft.path).parent: draft.path for draft in drafts if draft.fresh}.items():
            _keep_names(folder, path)


# Files that are not in their place yet


class _Blamed(io.BufferedWriter):
    """A file whose errors name the file that was asked for, whatever its own name is."""

    def __init__(self, raw: io.RawIOBase, path: Path) -> None:
        super().__init__(raw)
        self._path = path

    def write(self, content: Any, /) -> int:
        with blaming(self._path):
            return super().write(content)

    def flush(self) -> None:
        with blaming(self._path):
            super().flush()


class _Draft(NamedTuple):
    """A file that is being written."""

    path: Path
    """The file that was asked for."""
    file: IO[bytes]
    fresh: Path | None = None
    """Where it is until it takes its place; None for what is written to as it is."""

    def settle(self) -> None:
        """Makes sure that what was written is safe on the disk."""
        with blaming(self.path):
            self.file.flush()
            if self.fresh:
                os.fsync(self.file.fileno())

    def clear(self) -> None:
        """Removes what was in its place."""
        with blaming(self.path):
            if self.fresh:
                real(self.path).unlink(missing_ok=True)

    def put(self) -> None:
        """Gives the file its place."""
        if not self.fresh:
            return
        if os.name == "nt":
            self.file.close()  # there an open file can't be renamed
        with blaming(self.path):
            self.fresh.replace(real(self.path))


@contextmanager
def _draft(path: Path, mode: int | None) -> Iterator[_Draft]:
    need_name(path)
    with ExitStack() as stack:
        with blaming(path):
            draft = _begun(path, mode, stack)
        yield draft


def _begun(path: Path, mode: int | None, stack: ExitStack) -> _Draft:
    """A file to write to; what is left of it is cleared away with the stack."""
    target = real(path)
    before = None if handed_over(path) is not None else replaceable(target)
    if is_stream(path):
        return _Draft(path, stack.enter_context(_Blamed(_stream(path), path)))
    _clear(target.parent)
    fresh, file = stack.enter_context(_fresh_beside(target, path))
    wanted = stat.S_IMODE(before.st_mode) if before and mode is None else mode
    if wanted is not None and hasattr(os, "fchmod"):
        os.fchmod(file.fileno(), wanted)
    return _Draft(path, file, fresh)


def is_stream(path: Path) -> bool:
    """Whether it is a device, a pipe or what a shell handed over: written to as it is, and never replaced."""
    if handed_over(path) is not None:
        return True
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # a name that no file can have
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def replaceable(target: Path) -> os.stat_result | None:
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
    number = handed_over(path)
    if number is not None:
        return io.FileIO(os.dup(number), "w")  # opened anew, a file would be written to from its beginning
    handle = os.open(path, os.O_WRONLY | FLAGS)
    wait_for(handle)
    return io.FileIO(handle, "w")


@contextmanager
def _fresh_beside(target: Path, path: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """An empty file in the same folder, which is removed unless it was put in its place.

    It is locked as long as somebody writes to it, so that others know it from one that was left behind.
    """
    while True:
        fresh = target.parent / f"{BESIDE}{os.urandom(8).hex()}"
        with _Blamed(io.FileIO(fresh, "x"), path) as file:
            try:
                if not try_lock(file) or not is_at(file, fresh):
                    continue  # somebody took it for one that was left behind, in the moment before it was locked
                yield fresh, file
            finally:
                remove(file, fresh)
            return


_HALF = re.compile(rf"{re.escape(BESIDE)}([0-9a-f]{{16}}|.*\.lock)", re.DOTALL)
"""What we call a file that is not in its place yet, and one that is there for its lock."""


def _clear(folder: Path) -> None:
    """Removes the files that programs left behind which were ended in the middle."""
    with suppress(OSError):
        for left in folder.glob(f"{BESIDE}*"):
            if not _HALF.fullmatch(left.name):
                continue  # somebody else's
            with suppress(OSError), left.open("r+b") as file:
                if try_lock(file):
                    remove(file, left)


def settle_folder(folder: Path) -> None:
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


def _keep_names(folder: Path, path: Path) -> None:
    """Makes sure that the names of files that took their place are safe; where they are not, that is what is said."""
    try:
        settle_folder(folder)
    except OSError as error:
        said = f"is written, but may not outlast a power cut ({failure(error)})"
        raise OSError(error.errno, said, str(path)) from None


# Folders, and files that are in the way


def need_folder(path: Path) -> None:
    """Raises where there is no folder to put the file in."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}; make it first", str(path))


def set_aside(path: Path) -> str:
    """Moves a damaged file out of the way, over no other; the beginning of a sentence that says so."""
    names = (path.with_suffix(".damaged" if number == 1 else f".damaged-{number}") for number in count(1))
    aside = next(name for name in names if not name.exists())
    path.rename(aside)
    return f"{path.name} is damaged and was set aside as {aside}"


def said_aside(path: Path) -> str:
    """A sentence that says that a damaged file was moved out of the way, or why it could not be."""
    try:
        return f"{set_aside(path)}."
    except OSError as error:
        return f"{path} is damaged, and can't be set aside: {failure(error)}."
