"""Files: read with care, written whole or not at all."""

from __future__ import annotations

import errno
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO


class UnreadableText(ValueError):
    """A file that is not text, or is too long; the text says what is wrong, without the file's name."""


def read_text(path: Path, most: int) -> str:
    """The text of a file of at most so many bytes; raises `UnreadableText`, or OSError where it can't be opened."""
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise UnreadableText(f"longer than {most} bytes")
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UnreadableText(f"line {line}: not UTF-8 text") from None


def write_whole(path: Path, content: str | bytes | memoryview) -> None:
    """Puts the content in the file, which at any moment holds all of the old or all of the new."""
    with opened_whole(path) as file:
        file.write(content.encode() if isinstance(content, str) else content)


@contextmanager
def opened_whole(path: Path, mode: int = 0o644) -> Iterator[IO[bytes]]:
    """A fresh file to write to, which takes the place of the old one once everything is in it."""
    target = path.resolve()  # a link stays one: what it leads to is replaced
    with _blaming(path), _fresh_beside(target) as fresh, fresh.open("wb") as file:
        yield file
        file.close()
        fresh.chmod(mode)  # a temporary file is private; what is written here is, unless told, as public as its folder
        fresh.replace(target)


@contextmanager
def _fresh_beside(target: Path) -> Iterator[Path]:
    """An empty file in the same folder, which is removed unless it was put in its place."""
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=".numberline.")
    os.close(handle)
    try:
        yield Path(temporary)
    finally:
        Path(temporary).unlink(missing_ok=True)


@contextmanager
def _blaming(path: Path) -> Iterator[None]:
    """Lets an error name the file that was asked for, not the one beside it that was written first."""
    try:
        yield
    except OSError as error:
        beside = error.filename is None or Path(str(error.filename)).name.startswith(".numberline.")
        if error.errno is None or not beside:
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None


def failure(error: OSError) -> str:
    """Why something could not be done with a file: `no such file or directory`."""
    return (error.strerror or str(error)).lower()


def need_folder(path: Path) -> None:
    """Raises where there is no folder to put the file in."""
    if not path.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {path.parent}; make it first", str(path))


def set_aside(path: Path) -> str:
    """Moves a damaged file out of the way; the beginning of a sentence that says so."""
    aside = path.with_suffix(".damaged")
    path.replace(aside)
    return f"{path.name} is damaged and was set aside as {aside}"
