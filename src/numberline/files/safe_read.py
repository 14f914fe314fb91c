"""Reads that neither block nor grow without bound, and whose errors name the file."""

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
OPEN_FLAGS: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class InvalidTextFile(ValueError):
    """A file that is not text or is too long; the message does not name the file."""


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file; raise `InvalidTextFile` if it is too long or not UTF-8, or OSError."""
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
    """Open a file for reading; raise OSError for anything that could block, such as a named pipe."""
    check_filename(path)
    handle = os.open(path, os.O_RDONLY | OPEN_FLAGS)
    kind = os.fstat(handle).st_mode
    if stat.S_ISREG(kind) or (not stat.S_ISDIR(kind) and inherited_fd(path) is not None):
        set_blocking(handle)
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EISDIR, "is a directory" if stat.S_ISDIR(kind) else "is not a file", str(path))


def set_blocking(handle: int) -> None:
    """Make a stream blocking that was opened as non-blocking."""
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)


def check_filename(path: Path) -> None:
    """Raise OSError for a name that no file can have."""
    try:
        is_valid = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate
        is_valid = False
    if not is_valid:
        raise OSError(errno.EINVAL, "is not the name of a file", str(path))


def inherited_fd(path: Path) -> int | None:
    """Return the number of a descriptor inherited from the shell, such as `/dev/stdout` or `<(…)`."""
    if path.parent in {Path("/dev/fd"), Path("/proc/self/fd")} and re.fullmatch(r"[0-9]{1,6}", path.name):
        return int(path.name)
    return _STANDARD.get(str(path))


_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def resolve(path: Path) -> Path:
    """Return the target of symbolic links; a circle of links is followed until it repeats."""
    return Path(os.path.realpath(path))


# Errors


def os_error_reason(error: OSError) -> str:
    """Return the reason of an OSError in lower case: `no such file or directory`."""
    return (error.strerror or str(error)).lower()


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Make an OSError name the requested file instead of a temporary one or none."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename == str(path):
            raise
        named = Path(str(error.filename)) if error.filename is not None else None
        if named and not named.name.startswith(TEMP_PREFIX) and named not in {resolve(path), resolve(path).parent}:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
