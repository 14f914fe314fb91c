"""NumPy's `.npz` files, read with care: no code is run, nothing is unpacked, and nothing is larger than the file is.

Only what this package writes itself is read: plain whole numbers and texts, one beside the other, not squeezed.
"""

from __future__ import annotations

import re
import struct
import zipfile
from typing import IO, Any

MAX_DIRECTORY_BYTES = 4_000
"""Bytes; no list of what is in such a file is longer, and no longer one is looked at."""
_ENCRYPTED = 0x1
_ARRAY = re.compile(
    rb"\x93NUMPY\x01\x00..\{'descr': '(?:(?P<whole>\|i1|[<>]i[24])|(?P<order>[<>])U[0-9]{1,7})', "
    rb"'fortran_order': False, 'shape': \((?P<shape>[0-9]{1,10},)?\), \} *\n",
    re.DOTALL,
)
"""How NumPy begins an array: what it is of, and how long."""


class InvalidNpz(ValueError):
    """A file that is none of ours, or damaged."""


class NpzReader:
    """The arrays in an open file, by name."""

    def __init__(self, stream: IO[bytes]) -> None:
        try:
            if _directory_size(stream) > MAX_DIRECTORY_BYTES:
                raise InvalidNpz
            self._zip = zipfile.ZipFile(stream)
        except _ZIP_ERRORS:
            raise InvalidNpz from None
        members = self._zip.infolist()
        self._members = {member.filename.removesuffix(".npy"): member for member in members}
        squeezed = any(each.compress_type or each.compress_size != each.file_size for each in members)
        locked = any(each.flag_bits & _ENCRYPTED for each in members)
        if squeezed or locked or sum(each.file_size for each in members) > stream.seek(0, 2):
            raise InvalidNpz

    def text(self, name: str, max_chars: int) -> str:
        """A text of at most so many characters."""
        found, content = self._read(name, 4 * max_chars)
        if not found["order"] or found["shape"]:
            raise InvalidNpz
        try:
            return content.tobytes().decode("utf-32-le" if found["order"] == b"<" else "utf-32-be").rstrip("\0")
        except ValueError:
            raise InvalidNpz from None

    def column(self, name: str, max_values: int) -> Any:
        """A column of at most so many whole numbers."""
        import numpy as np

        found, content = self._read(name, 4 * max_values)
        try:
            column = np.frombuffer(content, np.dtype((found["whole"] or b"").decode() or None))
        except ValueError:
            raise InvalidNpz from None
        if not found["whole"] or found["shape"] != b"%d," % len(column):
            raise InvalidNpz
        return column

    def _read(self, name: str, max_bytes: int) -> tuple[re.Match[bytes], memoryview]:
        """What an array of at most so many bytes is, and its content."""
        try:
            member = self._members[name]
            if member.file_size > max_bytes + MAX_DIRECTORY_BYTES:
                raise InvalidNpz
            content = self._zip.read(member)
        except _ZIP_ERRORS:
            raise InvalidNpz from None
        found = _ARRAY.match(content[:MAX_DIRECTORY_BYTES])
        if not found:
            raise InvalidNpz
        return found, memoryview(content)[found.end() :]


_ZIP_ERRORS = (zipfile.BadZipFile, RuntimeError, ValueError, KeyError, EOFError, OSError, OverflowError, struct.error)
"""What `zipfile` raises for a file that makes no sense."""


def _directory_size(stream: IO[bytes]) -> int:
    """How many bytes the list of what is in a file claims to have; it stands at the very end, twice in a large file."""
    end = stream.seek(0, 2)
    stream.seek(max(0, end - 98))
    tail = stream.read(98).rjust(98, b"\0")
    if tail[76:80] != b"PK\x05\x06":
        raise InvalidNpz
    is_large = tail[56:60] == b"PK\x06\x07"
    return int.from_bytes(tail[40:48] if is_large else tail[88:92], "little")
