"""Files: read with care, written whole or not at all, and by one at a time."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

BESIDE = ".numberline."
"""How the name of a file begins that is not in its place yet."""
UNSETTLED = 1.0
"""For so many seconds what is added to a file may not be safe on the disk yet: to wait for that takes its time."""
PATIENCE = 5.0
"""For so many seconds a file is waited for that another program has open, where it will surely let go of it."""


# Reading


class UnreadableText(ValueError):
    """A file that is not text, or is too long; the text says what is wrong, without the file's name."""


def read_text(path: Path, most: int) -> str:
    """The text of a file of at most so many bytes; raises `UnreadableText`, or OSError where it can't be opened."""
    with _blaming(path), opened(path) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise UnreadableText(f"longer than {most} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UnreadableText(f"line {line}: not UTF-8 text") from None


def opened(path: Path) -> IO[bytes]:
    """A file to read from; what would keep the reader waiting for ever, such as a named pipe, raises OSError."""
    _need_name(path)
    handle = os.open(path, os.O_RDONLY | _FLAGS)
    kind = os.fstat(handle).st_mode
    if stat.S_ISREG(kind) or (not stat.S_ISDIR(kind) and _handed_over(path) is not None):
        if hasattr(os, "set_blocking"):
            os.set_blocking(handle, True)
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EISDIR, "is a directory" if stat.S_ISDIR(kind) else "is not a file", str(path))


def _need_name(path: Path) -> None:
    """Raises for what no file can be called."""
    if "\0" in str(path):
        raise OSError(errno.EINVAL, "is not the name of a file", str(path))


_FLAGS: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


def _handed_over(path: Path) -> int | None:
    """The number of the stream that a shell made for this very program: `<(…)`, `/dev/stdout`."""
    if path.parent in {Path("/dev/fd"), Path("/proc/self/fd")} and re.fullmatch(r"[0-9]{1,6}", path.name):
        return int(path.name)
    return _STANDARD.get(str(path))


_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def failure(error: OSError) -> str:
    """Why something could not be done with a file: `no such file or directory`."""
    return (error.strerror or str(error)).lower()


# Writing


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
        with _blaming(paths[0]):
            yield [draft.file for draft in drafts]
        for draft in drafts:
            draft.settle()
        for draft in drafts[1:]:
            draft.clear()
        for draft in drafts:
            draft.put()


class _Draft(NamedTuple):
    """A file that is being written."""

    path: Path
    """The file that was asked for."""
    file: IO[bytes]
    fresh: Path | None = None
    """Where it is until it takes its place; None for what is written to as it is."""

    def settle(self) -> None:
        """Makes sure that what was written is safe on the disk."""
        with _blaming(self.path):
            self.file.flush()
            if self.fresh:
                os.fsync(self.file.fileno())

    def clear(self) -> None:
        """Removes what was in its place."""
        with _blaming(self.path):
            if self.fresh:
                real(self.path).unlink(missing_ok=True)

    def put(self) -> None:
        """Gives the file its place."""
        if not self.fresh:
            return
        if os.name == "nt":
            self.file.close()  # there an open file can't be renamed
        target = real(self.path)
        with _blaming(self.path):
            self.fresh.replace(target)
        try:
            _settle(target.parent)
        except OSError as error:
            said = f"is written, but may not outlast a power cut ({failure(error)})"
            raise OSError(error.errno, said, str(self.path)) from None


@contextmanager
def _draft(path: Path, mode: int | None) -> Iterator[_Draft]:
    _need_name(path)
    with _blaming(path):
        target = real(path)
        before = None if _handed_over(path) is not None else _replaceable(target)
        if is_stream(path):
            with _stream(path) as stream:
                yield _Draft(path, stream)
            return
        _clear(target.parent)
        with _fresh_beside(target) as (fresh, file):
            wanted = stat.S_IMODE(before.st_mode) if before and mode is None else mode
            if wanted is not None and hasattr(os, "fchmod"):
                os.fchmod(file.fileno(), wanted)
            yield _Draft(path, file, fresh)


def is_stream(path: Path) -> bool:
    """Whether it is a device, a pipe or what a shell handed over: written to as it is, and never replaced."""
    if _handed_over(path) is not None:
        return True
    try:
        kind = path.stat().st_mode
    except (OSError, ValueError):  # a name that no file can have
        return False
    return not stat.S_ISREG(kind) and not stat.S_ISDIR(kind)


def real(path: Path) -> Path:
    """Where a file is, whatever links lead there; links that lead in a circle are followed until they do."""
    return Path(os.path.realpath(path))


def _replaceable(target: Path) -> os.stat_result | None:
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


def _stream(path: Path) -> IO[bytes]:
    """A device or a pipe to write to; raises where nobody reads from it, rather than wait."""
    number = _handed_over(path)
    if number is not None:
        return os.fdopen(os.dup(number), "wb")  # opened anew, a file would be written to from its beginning
    handle = os.open(path, os.O_WRONLY | _FLAGS)
    os.set_blocking(handle, True)
    return os.fdopen(handle, "wb")


@contextmanager
def _fresh_beside(target: Path) -> Iterator[tuple[Path, IO[bytes]]]:
    """An empty file in the same folder, which is removed unless it was put in its place.

    It is locked as long as somebody writes to it, so that others know it from one that was left behind.
    """
    while True:
        fresh = target.parent / f"{BESIDE}{secrets.token_hex(8)}"
        with fresh.open("xb") as file:
            if not try_lock(file) or not _is_at(file, fresh):
                continue  # somebody took it for one that was left behind, in the moment before it was locked
            try:
                yield fresh, file
            finally:
                if os.name == "nt":
                    file.close()
                fresh.unlink(missing_ok=True)
            return


def _is_at(file: IO[bytes], path: Path) -> bool:
    """Whether an open file is still the one of that name."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


_OURS = re.compile(rf"{re.escape(BESIDE)}([0-9a-f]{{16}}|.*\.lock)", re.DOTALL)
"""What we call a file that is not in its place yet, and one that is there for its lock."""


def _clear(folder: Path) -> None:
    """Removes the half-written files that programs left behind which were ended in the middle."""
    with suppress(OSError):
        for left in folder.glob(f"{BESIDE}*"):
            if not _OURS.fullmatch(left.name):
                continue  # somebody else's
            with suppress(OSError), left.open("r+b") as file:
                if try_lock(file):
                    left.unlink()


def _settle(folder: Path) -> None:
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


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Lets an error name the file that was asked for, not the one beside it that was written first."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename == str(path):
            raise
        named = Path(str(error.filename)) if error.filename is not None else None
        if named and not named.name.startswith(BESIDE) and named not in {real(path), real(path).parent}:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


# Adding


class Ledger:
    """A file of lines that are added at its end, by one program at a time; it is made where there is none.

    Once something was added, killing the program does not lose it; nor does a power cut, a second later.
    """

    def __init__(self, path: Path) -> None:
        """Raises `OpenElsewhere` where another program adds to it, and OSError for what is no file."""
        _need_name(path)
        self.path = path
        with _blaming(path):
            is_new = not _replaceable(real(path))
            self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | _FLAGS, 0o666), "rb")
            try:
                self._take()
                if is_new:
                    _settle(real(path).parent)
            except BaseException:
                self._file.close()
                raise
        self._settled = time.monotonic()

    def _take(self) -> None:
        """Makes sure that it is a file, and this program's alone."""
        if not stat.S_ISREG(os.fstat(self._file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is not a file", str(self.path))
        if not try_lock(self._file):
            raise OpenElsewhere(self.path)

    def lines(self, longest: int) -> Iterator[bytes]:
        """What was in the file before, line by line with their ends; a line of more bytes comes in parts."""
        self._file.seek(0)
        while True:
            with _blaming(self.path):
                line = self._file.readline(longest)
            if not line:
                return
            yield line

    def cut(self, size: int) -> None:
        """Drops what comes after so many bytes."""
        with _blaming(self.path):
            os.ftruncate(self._file.fileno(), size)

    def add(self, content: bytes) -> None:
        """Writes at the end; what is left of a line where that fails is a beginning of it."""
        rest = memoryview(content)
        with _blaming(self.path):
            while rest:
                rest = rest[os.write(self._file.fileno(), rest) :]
            if time.monotonic() - self._settled >= UNSETTLED:
                self._settle()

    def close(self) -> None:
        """Makes sure that everything is safe on the disk; another program may add to it then."""
        try:
            with _blaming(self.path):
                self._settle()
        finally:
            self._file.close()

    def _settle(self) -> None:
        os.fsync(self._file.fileno())
        self._settled = time.monotonic()


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


# One at a time


class OpenElsewhere(OSError):
    """A file that another program has open."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EWOULDBLOCK, "is open elsewhere", str(path))


def try_lock(file: IO[Any]) -> bool:
    """Whether an open file is now this program's alone; it is let go of when it is closed, or the program ends."""
    try:
        import fcntl
    except ImportError:  # on Windows it is up to people not to do two things at once
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def held(path: Path, patience: float = 0.0) -> Iterator[None]:
    """Keeps a file for this program alone, the file itself being there or not; raises `OpenElsewhere`.

    With patience, another program is waited for so many seconds. What is locked is a file beside it, since the file
    itself is another one after every change.
    """
    beside = path.with_name(f"{BESIDE}{path.name}.lock")
    until = time.monotonic() + patience
    while True:
        with beside.open("ab") as file:
            if try_lock(file):
                if not _is_at(file, beside):
                    continue  # whoever had it before has removed it
                try:
                    yield
                finally:
                    beside.unlink(missing_ok=True)
                return
        if time.monotonic() >= until:
            raise OpenElsewhere(path)
        time.sleep(0.02)
