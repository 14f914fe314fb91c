"""File reads that never block, have a size limit, and raise errors that name the file."""

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
_OPEN_FLAGS: int = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class InvalidTextFile(ValueError):
    """Error for a file that is too long or is not UTF-8 text; the message does not include the path."""


def read_text(path: Path, max_bytes: int) -> str:
    """Return the text of a file; raise `InvalidTextFile` if it is longer than `max_bytes` or not UTF-8."""
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
    """Open a file for reading; raise OSError for a directory or anything that could block, such as a named pipe."""
    check_filename(path)
    handle = open_without_waiting(path, os.O_RDONLY)
    kind = os.fstat(handle).st_mode
    if stat.S_ISREG(kind) or (not stat.S_ISDIR(kind) and inherited_fd(path) is not None):
        return os.fdopen(handle, "rb")
    os.close(handle)
    raise OSError(errno.EISDIR, "is a directory" if stat.S_ISDIR(kind) else "is not a file", str(path))


def open_without_waiting(path: Path, flags: int) -> int:
    """Return a file descriptor for `path`; raise OSError instead of waiting for the other end of a named pipe."""
    handle = os.open(path, flags | _OPEN_FLAGS, 0o666)
    if hasattr(os, "O_NONBLOCK"):
        os.set_blocking(handle, True)
    return handle


def check_filename(path: Path) -> None:
    """Raise OSError if the path is not a valid file name."""
    try:
        is_valid = b"\0" not in os.fsencode(path)
    except UnicodeEncodeError:  # a lone surrogate
        is_valid = False
    if not is_valid:
        raise OSError(errno.EINVAL, "is not a valid file name", str(path))


def inherited_fd(path: Path) -> int | None:
    """Return the file descriptor of a path such as `/dev/stdout` or `/dev/fd/63`; None for any other path."""
    if path.parent in {Path("/dev/fd"), Path("/proc/self/fd")} and re.fullmatch(r"[0-9]{1,6}", path.name):
        return int(path.name)
    return _STANDARD.get(path.as_posix())


_STANDARD = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/stderr": 2}


def resolve(path: Path) -> Path:
    """Resolve symbolic links, without raising an error for circular links."""
    return Path(os.path.realpath(path))


# Errors


def os_error_reason(error: OSError) -> str:
    """Return the reason for an OSError with a small first letter, such as `no such file or directory`."""
    reason = error.strerror or str(error)
    return reason[:1].lower() + reason[1:]


@contextmanager
def errors_naming(path: Path) -> Iterator[None]:
    """Make any OSError raised in the `with` block name `path` instead of a temporary file or no file at all."""
    try:
        yield
    except OSError as error:
        if error.errno is None or error.filename == str(path):
            raise
        named = Path(str(error.filename)) if error.filename is not None else None
        if named and not named.name.startswith(TEMP_PREFIX) and named not in {resolve(path), resolve(path).parent}:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
