"""A full disk, or one that fails: the old file stays, no half one is left, and the file that was given is named."""

from __future__ import annotations

import errno
import io
import os
import resource
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import click
import pytest

import numberline as nl
from numberline.cli import _problems
from numberline.cli import numberline as command
from numberline.errors import NumberlineError
from numberline.files.safe_write import open_atomic
from numberline.game.notation import format_record
from numberline.solver import cache
from numberline.terminal import progress, records
from support.progress import answer, store

for needed in ("numpy", "pyarrow"):
    pytest.importorskip(needed)

OLD = {
    "csv": b"variant,position,fingerprint,",
    "html": b'<meta name="generator" content="numberline print"> Made by numberline',
    "json": b'{\n  "book": "flag-chase"}',
    "jsonl": b'{"variant":"flag-chase"}',
    "parquet": b"numberline.variant",
    "svg": b'<svg class="chart">',
}
"""By extension, a file that each of the commands overwrites."""
WRITERS = {
    "picture.svg": "solve flag-chase --plot FILE",
    "review.svg": "review RECORD --plot FILE",
    "review.html": "review RECORD --html FILE",
    "rows.jsonl": "export flag-chase --out FILE",
    "rows.csv": "export flag-chase --out FILE",
    "rows.parquet": "export flag-chase --out FILE",
    "map.csv": "map flag-chase end=4..5 --by winner --csv FILE",
    "map.html": "map flag-chase end=4..5 --by winner --html FILE",
    "map.svg": "map flag-chase end=4..5 steps=1-2;1-3 --by winner --plot FILE",
    "sheet.html": "print flag-chase --out FILE",
    "measure.html": "measure flag-chase --html FILE",
    "found.json": "find flag-chase --change end=4..6 --out FILE",
}
"""For each file the command that writes it."""
COMMANDS = [
    pytest.param(name, line, id=name, marks=[pytest.mark.soak] if line.startswith("find") else [])  # it compiles first
    for name, line in WRITERS.items()
]


@contextmanager
def full(room: int = 8) -> Iterator[None]:
    """No file can grow past a few bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@contextmanager
def failing() -> Iterator[None]:
    """Nothing that was written reaches the disk."""

    def fails(_: int) -> None:
        raise OSError(errno.EIO, "Input/output error")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", fails)
        yield


DISKS = {"full": full, "failing": failing}
WORDS = ("file too large", "input/output error")
Disk = Callable[[], AbstractContextManager[None]]


def said_by(line: str, **files: Path) -> str:
    """Return the error message of a failing command."""
    words = [str(files.get(word.lower(), word)) for word in line.split()]
    try:
        command.main(words, standalone_mode=False)
    except (click.ClickException, NumberlineError, OSError) as error:
        return _problems(error)[0][0]
    return ""


def played() -> nl.Match:
    match = nl.Match(nl.book("flag-chase"), names=("Ann", "Bob"))
    for move in ("3", "2", "2"):
        match.play(move)
    return match


@pytest.fixture
def record(tmp_path: Path) -> Path:
    file = tmp_path / "records" / "game.txt"
    file.parent.mkdir()
    file.write_text(format_record(played()))
    return file


@pytest.mark.parametrize("disk", DISKS.values(), ids=DISKS)
@pytest.mark.parametrize(("name", "line"), COMMANDS)
def test_full_disk_keeps_the_old_file_and_names_the_given_one(
    name: str, line: str, disk: Disk, tmp_path: Path, record: Path
) -> None:
    file = tmp_path / "out" / name
    file.parent.mkdir()
    file.write_bytes(old := OLD[file.suffix[1:]])
    with disk():
        said = said_by(line, file=file, record=record)
    assert said.startswith(f"{file}: ")
    assert said.endswith(WORDS)
    assert {path.name: path.read_bytes() for path in file.parent.iterdir()} == {name: old}
    assert not [path for path in map(os.path.realpath, Path("/proc/self/fd").iterdir()) if str(tmp_path) in path]


@pytest.mark.parametrize(("name", "line"), COMMANDS)
def test_on_a_disk_with_room_the_same_commands_write_their_files(
    name: str, line: str, tmp_path: Path, record: Path
) -> None:
    file = tmp_path / "out" / name
    file.parent.mkdir()
    assert said_by(line, file=file, record=record) == ""
    card = [f"{name}.md"] if line.startswith("export") else []  # says what the rows are
    assert sorted(path.name for path in file.parent.iterdir()) == [name, *card]
    assert file.stat().st_size > 100


@pytest.mark.parametrize("disk", DISKS.values(), ids=DISKS)
def test_map_without_room_names_its_file_and_resumes_later(disk: Disk, tmp_path: Path) -> None:
    folder = tmp_path / "map"
    with disk():
        said = said_by("map flag-chase end=4..5 --by winner --out FOLDER", folder=folder)
    assert said.startswith(f"{folder / '_map.json'}: ")
    assert said.endswith(WORDS)
    assert list(folder.iterdir()) == []
    assert said_by("map flag-chase end=4..5 --by winner --out FOLDER", folder=folder) == ""


@pytest.mark.parametrize("disk", DISKS.values(), ids=DISKS)
def test_game_goes_on_if_it_can_not_be_recorded(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "game.txt"
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"3\n2\n2\n")))
    with disk():
        assert said_by("play flag-chase --record FILE", file=file) == ""
    printed = capsys.readouterr().out
    assert printed.count("this game will no longer be recorded.") == 1
    assert f"{file}: " in printed
    assert "wins" in printed.splitlines()[-1]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("disk", DISKS.values(), ids=DISKS)
def test_progress_that_can_not_be_saved_is_unchanged(disk: Disk, capsys: pytest.CaptureFixture[str]) -> None:
    store(answer())
    before = progress.progress_file().read_bytes()
    with disk():
        assert store(answer()) is None
    said = capsys.readouterr().err
    assert said.startswith(f"{progress.progress_file()}: ")
    assert said.endswith("; could not save your progress.\n")
    assert [path.name for path in progress.progress_file().parent.iterdir()] == ["progress.json"]
    assert progress.progress_file().read_bytes() == before


@pytest.mark.parametrize("disk", DISKS.values(), ids=DISKS)
def test_finished_game_that_can_not_be_saved_leaves_no_file(disk: Disk) -> None:
    with disk(), pytest.raises(OSError, match=r"[Ii]nput/output|too large"):
        records.save_finished_game(played())
    assert list(records.finished_games_dir().iterdir()) == []


@pytest.mark.parametrize("disk", DISKS.values(), ids=DISKS)
def test_solution_that_can_not_be_cached_is_still_returned(
    disk: Disk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for setting, value in (("_SOLUTIONS", {}), ("MIN_CACHED_POSITIONS", 0), ("cache_folder", lambda: tmp_path)):
        monkeypatch.setattr(cache, setting, value)
    book = nl.book("line-runner(end=80)")
    with disk():
        assert cache.cached_solution(book).value(book.start()) == "win"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("line", [line for name, line in WRITERS.items() if name.endswith(("l", "csv"))])
def test_full_device_is_named(line: str, record: Path) -> None:
    said = said_by(line, file=Path("/dev/full"), record=record)
    assert said.startswith("/dev/full: ")


def _write_slowly(path: Path) -> None:
    with open_atomic(path) as file:
        for _ in range(100):
            file.write(bytes(1000))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may set up a small disk")
@pytest.mark.soak
@pytest.mark.parametrize("left", range(0, 60_000, 4096))
def test_disk_that_fills_up_midway_keeps_the_old_file(left: int, tmp_path: Path) -> None:
    import subprocess

    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], check=True)  # noqa: S607 - the system's
    try:
        (disk / "games.txt").write_bytes(b"old")
        room = os.statvfs(disk)
        (disk / "rest").write_bytes(bytes(room.f_bavail * room.f_bsize - left))
        with pytest.raises(OSError, match="No space") as raised:
            _write_slowly(disk / "games.txt")
        assert raised.value.filename == str(disk / "games.txt")
        assert (disk / "games.txt").read_bytes() == b"old"
        assert sorted(path.name for path in disk.iterdir()) == ["games.txt", "rest"]
    finally:
        subprocess.run(["umount", disk], check=True)  # noqa: S607 - the system's
