"""Saved solutions that somebody made to do harm: refused by what their headers say, before anything is unpacked."""

from __future__ import annotations

import io
import json
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import numberline as nl
from numberline.solver import cache
from numberline.solver.cache import SolutionFileError, load, save

BOOK = "flag-chase"
MOST_MEMORY = 20_000_000
"""Bytes; whatever a small file claims, reading it takes no more."""


def parts(**others: Any) -> dict[str, Any]:
    """What a sound file holds, with other arrays in place of some; the checksum is right."""
    solution = nl.solve(nl.book(BOOK))
    about = {"format": cache.FORMAT_VERSION, "variant": BOOK, "source": None, "numbering": "walk"}
    sound = {"about": np.array(json.dumps(about)), "column0": np.asarray(solution.entries[0], np.int32)}
    made = {name: array for name, array in {**sound, **others}.items() if array is not None}
    columns = [array for name, array in made.items() if name.startswith("column")]
    if "checksum" not in others:
        try:
            made["checksum"] = np.array(cache._checksum(str(made["about"]), columns))
        except (KeyError, ValueError, BufferError):
            made["checksum"] = np.array("0" * 32)
    return made


def about(**others: Any) -> dict[str, Any]:
    """A sound file that says other things about itself."""
    said = {"format": cache.FORMAT_VERSION, "variant": BOOK, "source": None, "numbering": "walk", **others}
    return parts(about=np.array(json.dumps(said)))


def zipped(arrays: dict[str, Any], **options: Any) -> bytes:
    """The arrays as NumPy would write them."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", **options) as archive:
        for name, array in arrays.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, np.asanyarray(array), allow_pickle=True)
            archive.writestr(f"{name}.npy", member.getvalue())
    return content.getvalue()


def replaced(old: bytes, new: bytes) -> bytes:
    """A sound file with something else in it, the sums of its parts being right."""
    content = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(zipped(parts()))) as sound, zipfile.ZipFile(content, "w") as archive:
        for name in sound.namelist():
            archive.writestr(name, sound.read(name).replace(old, new))
    return content.getvalue()


def listed(offset: int, form: str, value: int) -> bytes:
    """A sound file whose list says something else about every part."""
    content = bytearray(zipped(parts()))
    at = content.find(b"PK\x01\x02")
    while at >= 0:
        struct.pack_into(form, content, at + offset, value)
        at = content.find(b"PK\x01\x02", at + 4)
    return bytes(content)


def encrypted() -> bytes:
    content = bytearray(listed(8, "<H", 1))
    at = content.find(b"PK\x03\x04")
    while at >= 0:
        struct.pack_into("<H", content, at + 6, 1)
        at = content.find(b"PK\x03\x04", at + 4)
    return bytes(content)


def with_end(offset: int, form: str, value: int) -> bytes:
    """A sound file with something else in its last 22 bytes."""
    content = bytearray(zipped(parts()))
    struct.pack_into(form, content, len(content) - 22 + offset, value)
    return bytes(content)


def many_parts() -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(3_000):
            archive.writestr(f"column{number}.npy", b"")
    return content.getvalue()


def large_file_end() -> bytes:
    """A file whose list says, as large files do, that it is far longer than the file."""
    sound = zipped(parts())
    end = struct.pack("<4sQ2H2L4Q", b"PK\x06\x06", 44, 45, 45, 0, 0, 3, 3, 6 << 30, 0)
    locator = struct.pack("<4sLQL", b"PK\x06\x07", 0, len(sound) - 22, 1)
    return sound[:-22] + end + locator + sound[-22:]


ZEROS = np.zeros(20_000_000, np.int32)
HOSTILE: dict[str, Callable[[], bytes]] = {
    "a bomb": lambda: zipped(parts(column0=ZEROS), compression=zipfile.ZIP_DEFLATED, compresslevel=1),
    "a squeezed one": lambda: zipped(parts(), compression=zipfile.ZIP_DEFLATED),
    "squeezed in another way": lambda: zipped(parts(), compression=zipfile.ZIP_BZIP2),
    "claims six gigabytes": lambda: listed(24, "<L", 0xFFFFFFF0),
    "claims that they are stored": lambda: listed(20, "<Q", 0xFFFFFFF0FFFFFFF0),
    "an unknown way of squeezing": lambda: listed(10, "<H", 98),
    "encrypted": encrypted,
    "encrypted in the list only": lambda: listed(8, "<H", 1),
    "parts beyond the end": lambda: listed(42, "<L", 0x7FFFFFFF),
    "all parts in one place": lambda: listed(42, "<L", 0),
    "a list before the beginning": lambda: with_end(16, "<L", 0xFFFFFF00),
    "a list of gigabytes": lambda: with_end(12, "<L", 0xFFFFFF00),
    "a list of gigabytes in a large file": large_file_end,
    "thousands of columns": many_parts,
    "objects": lambda: zipped(parts(column0=np.array([{"a": 1}], object))),
    "an object that says what it is of": lambda: zipped(parts(about=np.array({"a": 1}, object))),
    "fractions": lambda: zipped(parts(column0=np.zeros(19))),
    "records": lambda: zipped(parts(column0=np.zeros(19, [("a", "i4")]))),
    "texts in a column": lambda: zipped(parts(column0=np.array(["x"] * 19))),
    "moments": lambda: zipped(parts(column0=np.zeros(19, "M8[s]"))),
    "whole numbers without a sign": lambda: zipped(parts(column0=np.zeros(19, np.uint32))),
    "a table": lambda: zipped(parts(column0=np.zeros((19, 19), np.int32))),
    "a single number": lambda: zipped(parts(column0=np.int32(1))),
    "no numbers": lambda: zipped(parts(column0=np.zeros(0, np.int32))),
    "too many numbers": lambda: zipped(parts(column0=np.zeros(100_000, np.int32))),
    "numbers past all turns": lambda: zipped(
        parts(column0=np.full_like(np.asarray(nl.solve(nl.book(BOOK)).entries[0], np.int32), -(1 << 31)))
    ),
    "a shape of a trillion": lambda: replaced(b"(", b"(99999999999"),
    "a shape with digits": lambda: replaced(b"'shape': (", b"'shape': (" + b"9" * 5000),
    "a deep shape": lambda: replaced(b"'shape': (", b"'shape': " + b"(" * 5000),
    "a shape that is code": lambda: replaced(b"'shape': (", b"'shape': __import__('os').abort() and ("),
    "another order": lambda: replaced(b"False", b"True "),
    "a header of another version": lambda: replaced(b"NUMPY\x01", b"NUMPY\x03"),
    "no column": lambda: zipped(parts(column0=None)),
    "no checksum": lambda: zipped(parts(checksum=None)),
    "a wrong checksum": lambda: zipped(parts(checksum=np.array("0" * 32))),
    "a checksum that is a number": lambda: zipped(parts(checksum=np.array(5))),
    "a checksum of megabytes": lambda: zipped(parts(checksum=np.array("0" * 3_000_000))),
    "nothing about itself": lambda: zipped(parts(about=None)),
    "a number about itself": lambda: zipped(parts(about=np.array(5))),
    "two texts about itself": lambda: zipped(parts(about=np.array(["{}", "{}"]))),
    "no JSON": lambda: zipped(parts(about=np.array("{"))),
    "deep JSON": lambda: zipped(parts(about=np.array("[" * 100_000))),
    "JSON with digits": lambda: zipped(parts(about=np.array("9" * 5000))),
    "a list about itself": lambda: zipped(parts(about=np.array("[]"))),
    "characters that are none": lambda: replaced(b"{\0\0\0", b"\xff\xff\xff\xff"),
    "a format that is a text": lambda: zipped(about(format="\x1b[2J" * 1000)),
    "a later format": lambda: zipped(about(format=99)),
    "a variant that is a number": lambda: zipped(about(variant=5)),
    "a variant that is a path": lambda: zipped(about(variant="/dev/zero")),
    "a variant with NUL": lambda: zipped(about(variant="a\0b.toml")),
    "a variant with digits": lambda: zipped(about(variant=f"flag-chase(end={'9' * 5000})")),
    "a variant of a billion places": lambda: zipped(about(variant="flag-chase(end=1000000000)", numbering="box")),
    "a variant too large to be walked": lambda: zipped(about(variant="line-runner(end=1000000)")),
    "a source that is a number": lambda: zipped(about(source=5)),
    "a deep source": lambda: zipped(about(source="x = " + "[" * 100_000)),
    "a numbering that is none": lambda: zipped(about(numbering=["walk"])),
    "another numbering": lambda: zipped(about(numbering="box")),
    "another book": lambda: zipped(about(variant="line-runner(end=9)")),
    "a single array": lambda: b"\x93NUMPY\x01\x00" + bytes(200),
    "nothing in it": lambda: zipped({}),
    "words at the end": lambda: zipped(parts()) + b"words",
}


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_solution_is_refused_in_one_sentence_and_takes_no_memory(
    make: Callable[[], bytes], tmp_path: Path
) -> None:
    path = tmp_path / "solution.npz"
    path.write_bytes(make())
    tracemalloc.start()
    try:
        with pytest.raises(SolutionFileError) as caught:
            load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(caught.value).startswith(str(path))
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 600
    assert peak < MOST_MEMORY


def test_a_file_made_by_numpy_itself_is_read(tmp_path: Path) -> None:
    (tmp_path / "solution.npz").write_bytes(zipped(parts()))
    assert load(tmp_path / "solution.npz").book == nl.book(BOOK)


@pytest.mark.parametrize("name", ["a bomb", "encrypted", "objects", "a shape of a trillion", "deep JSON"])
def test_a_hostile_cached_solution_is_worked_out_anew(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = nl.book(BOOK)
    for setting, value in (("_KEPT", {}), ("MIN_CACHED_POSITIONS", 0), ("cache_folder", lambda: tmp_path)):
        monkeypatch.setattr(cache, setting, value)
    path = cache._cache_path(book)
    path.write_bytes(HOSTILE[name]())
    assert cache.cached_solution(book).value(book.start()) == "win"
    assert load(path).book == book


def test_a_cached_solution_of_another_book_is_worked_out_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book(BOOK)
    for setting, value in (("_KEPT", {}), ("MIN_CACHED_POSITIONS", 0), ("cache_folder", lambda: tmp_path)):
        monkeypatch.setattr(cache, setting, value)
    save(nl.solve(nl.book("line-runner")), cache._cache_path(book))
    assert cache.cached_solution(book).book == book
