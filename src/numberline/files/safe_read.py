"""Reading a file with care: nothing that keeps the reader waiting, nothing without end, no error without a name."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

TEMP_PREFIX = ".numberline."
"""How the name of a file begins that is beside another one for a while: not in its place yet, or there for its lock."""
OPEN_FLAGS: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
"""How a file is opened: without waiting for anybody."""


class InvalidTextFile(ValueError):
    """A file that is not text, or is too long; the text says what is wrong, without the file's name."""


def read_text(path: Path, max_bytes: int) -> str:
    """The text of a file of at most so many bytes; raises `InvalidTextFile`, or OSError where it can't be opened."""
    with errors_naming(path), open_for_reading(path) as file:
        content = file.read(max_bytes + 1)
    if len(content) > max_bytes:
        raise InvalidTextFile(f"longer than {max_bytes} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InvalidTextFile(f"line {line}: not UTF-8 text") from None


def open_for_reading(path: Path) -> IO[bytes]:
    """A file to read from; what would keep the reader waiting for ever, such as a named pipe, raises OSError."""
    check_filename(path)
    handle = os.open(path, os.O_RDONLY | OPEN_FLAGS)
    kind = os.fstat(handle).st_mode
    if stat.S_ISREG(kind) or (not stat.S_ISDIR(kind) and inherited_fd(path) is not None):
        set_blocking(handle)
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EISDIR, "is a directory" if stat.S_ISDIR(kind) else "is not a file", str(path))


def set_blocking(handle: int) -> None:
    """From now on a stream that was opened without waiting is waited for."""
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)


def check_filename(path: Path) -> None:
    """Raises for what no file can be called."""
    try:
        sayable = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # half a character
        sayable = False
    if not sayable:
        raise OSError(errno.EINVAL, "is not the name of a file", str(path))


def inherited_fd(path: Path) -> int | None:
    """The number of the stream that a shell made for this very program: `<(…)`, `/dev/stdout`."""
    if path.parent in {Path("/dev/fd"), Path("/proc/self/fd")} and re.fullmatch(r"[0-9]{1,6}", path.name):
        return int(path.name)
    return _STANDARD.get(str(path))


_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def resolve(path: Path) -> Path:
    """Where a file is, whatever links lead there; links that lead in a circle are followed until they do."""
    return Path(os.path.realpath(path))


# What went wrong


def os_error_reason(error: OSError) -> str:
    """Why something could not be done with a file: `no such file or directory`."""
    return (error.strerror or str(error)).lower()


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Lets an error name the file that was asked for, not the one beside it, and not nothing."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename == str(path):
            raise
        named = Path(str(error.filename)) if error.filename is not None else None
        if named and not named.name.startswith(TEMP_PREFIX) and named not in {resolve(path), resolve(path).parent}:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
