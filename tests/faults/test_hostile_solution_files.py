"""Hostile or damaged files in the solution cache: rejected by their headers before anything is allocated."""

from __future__ import annotations

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np
import pytest

import numberline as nl
from numberline.solver import cache

BOOK = "line-runner(end=30)"
MAX_MEMORY_BYTES = 20_000_000


def valid_entries() -> Any:
    return np.stack(nl.solve(nl.book(BOOK)).entries)


def file_of(array: Any, checksum: bytes | None = None) -> bytes:
    """Return a file with any array and a valid checksum."""
    content = io.BytesIO()
    np.lib.format.write_array(content, np.asanyarray(array), allow_pickle=True)
    if checksum is None:
        try:
            checksum = cache._checksum(array)
        except (ValueError, BufferError, TypeError):
            checksum = bytes(cache.CHECKSUM_BYTES)
    return content.getvalue() + checksum


def replaced(old: bytes, new: bytes) -> bytes:
    """Return a valid file with something else in its header, whose length is adjusted."""
    content = file_of(valid_entries())
    end = 10 + int.from_bytes(content[8:10], "little")
    header = content[10:end].replace(old, new)
    assert header != content[10:end]
    return content[:8] + len(header).to_bytes(2, "little") + header + content[end:]


def zip_bomb() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("column0.npy", bytes(50_000_000))
    return content.getvalue()


HOSTILE: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"",
    "text": lambda: b"rubbish",
    "magic only": lambda: b"\x93NUMPY\x01\x00",
    "zeros after the magic": lambda: b"\x93NUMPY\x01\x00" + bytes(200),
    "zip bomb": zip_bomb,
    "pickle": lambda: b"\x80\x04cos\nabort\n(tR.",
    "objects": lambda: file_of(np.array([[{"a": 1}]], object)),
    "objects in a valid shape": lambda: replaced(b"<i2", b"|O8"),
    "floats": lambda: file_of(valid_entries().astype(np.float32)),
    "records": lambda: file_of(np.zeros(valid_entries().shape, [("a", "i4")])),
    "strings": lambda: file_of(valid_entries().astype(str)),
    "dates": lambda: file_of(valid_entries().astype("M8[s]")),
    "unsigned integers": lambda: file_of(valid_entries().astype(np.uint32)),
    "bytes": lambda: file_of(valid_entries().astype(np.int8)),
    "64-bit integers": lambda: file_of(valid_entries().astype(np.int64)),
    "big-endian integers": lambda: file_of(valid_entries().astype(">i4")),
    "one axis": lambda: file_of(valid_entries()[0]),
    "three axes": lambda: file_of(valid_entries()[np.newaxis]),
    "no axis": lambda: file_of(np.int32(1)),
    "two columns": lambda: file_of(np.concatenate([valid_entries()] * 2)),
    "no numbers": lambda: file_of(np.zeros((1, 0), np.int32)),
    "too few numbers": lambda: file_of(valid_entries()[:, :-1]),
    "too many numbers": lambda: file_of(np.zeros((1, 100_000), np.int32)),
    "distances longer than any game": lambda: file_of(np.full_like(valid_entries(), -(1 << 31), np.int32)),
    "shape of a trillion": lambda: replaced(b"(1, ", b"(99999999999, "),
    "shape with thousands of digits": lambda: replaced(b"(1, ", b"(" + b"9" * 5000 + b", "),
    "negative shape": lambda: replaced(b"(1, ", b"(-1, -"),
    "deep shape": lambda: replaced(b"'shape': (", b"'shape': " + b"(" * 5000),
    "shape that is code": lambda: replaced(b"'shape': (", b"'shape': __import__('os').abort() and ("),
    "unclosed header": lambda: replaced(b"}", b" "),
    "header with NUL": lambda: replaced(b"{", b"\0"),
    "header of 60,000 characters": lambda: replaced(b"}", b"}" + b" " * 60_000),
    "Fortran order": lambda: replaced(b"False", b"True "),
    "unknown version": lambda: file_of(valid_entries()).replace(b"NUMPY\x01", b"NUMPY\x07"),
    "wide header": lambda: file_of(valid_entries()).replace(b"NUMPY\x01", b"NUMPY\x02"),
    "wrong checksum": lambda: file_of(valid_entries(), bytes(cache.CHECKSUM_BYTES)),
    "no checksum": lambda: file_of(valid_entries(), b""),
    "short checksum": lambda: file_of(valid_entries())[:-1],
    "text at the end": lambda: file_of(valid_entries()) + b"text",
    "gigabytes of checksum": lambda: file_of(valid_entries()) + bytes(30_000_000),
    "truncated": lambda: file_of(valid_entries())[:1000],
    "another value": lambda: file_of(valid_entries() + np.int16(1), cache._checksum(valid_entries())),
    "another book": lambda: file_of(np.stack(nl.solve(nl.book("line-runner(end=40)")).entries)),
}


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The path of `BOOK` in a cache that has small books as well."""
    monkeypatch.setattr(cache, "_SOLUTIONS", {})
    monkeypatch.setattr(cache, "MIN_CACHED_POSITIONS", 0)
    monkeypatch.setattr(cache, "cache_folder", lambda: tmp_path)
    return cache._cache_path(nl.book(BOOK))


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_file_is_rejected_without_allocating(make: Callable[[], bytes], path: Path) -> None:
    path.write_bytes(make())
    tracemalloc.start()
    try:
        with pytest.raises((ValueError, SyntaxError, TokenError, RecursionError, MemoryError)):
            cache._load(nl.book(BOOK), path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < MAX_MEMORY_BYTES


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_hostile_file_is_replaced_by_a_new_solution(make: Callable[[], bytes], path: Path) -> None:
    book = nl.book(BOOK)
    path.write_bytes(make())
    solution = cache.cached_solution(book)
    assert np.array_equal(np.stack(solution.entries), valid_entries())
    assert cache._load(book, path).worth(book.start()) == solution.worth(book.start())


def test_hostile_file_is_removed_even_if_nothing_can_be_written(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(cache, "_save", fail)
    path.write_bytes(HOSTILE["another value"]())
    assert cache.cached_solution(nl.book(BOOK)).book == nl.book(BOOK)
    assert not path.exists()


def test_file_written_by_numpy_itself_is_read(path: Path) -> None:
    path.write_bytes(file_of(valid_entries()))
    assert np.array_equal(np.stack(cache._load(nl.book(BOOK), path).entries), valid_entries())
