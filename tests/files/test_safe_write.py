"""Files are written completely or not at all, and errors name the requested file."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from faults.test_full_disk import failing, full
from numberline.files.safe_read import read_text
from numberline.files.safe_write import (
    AppendOnlyFile,
    FileLocked,
    is_stream,
    locked,
    open_atomic,
    open_atomic_all,
    quarantine,
    write_atomic,
)


def test_full_disk_error_names_the_file_and_keeps_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    write_atomic(file, "old")
    with full(), pytest.raises(OSError, match="File too large") as raised:
        write_atomic(file, "new, and longer")
    assert raised.value.filename == str(file)
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]
    assert file.read_text() == "old"


def test_error_elsewhere_does_not_name_the_file_being_written(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError) as raised, open_atomic(tmp_path / "games.txt"):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")
    assert raised.value.filename is None


def test_a_disk_that_knows_no_locks_is_written_to_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def has_none(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", has_none)
    write_atomic(tmp_path / "one.txt", "one")
    with locked(tmp_path / "one.txt"), closing(AppendOnlyFile(tmp_path / "two.txt")) as ledger:
        ledger.add(b"two\n")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one.txt": "one", "two.txt": "two\n"}


def test_a_file_with_the_longest_name_there_is_can_be_held(tmp_path: Path) -> None:
    file = tmp_path / ("ü" * 127 + "x")
    with locked(file), pytest.raises(FileLocked), locked(file):
        pass
    assert list(tmp_path.iterdir()) == []


def test_append_to_a_full_disk_leaves_complete_lines(tmp_path: Path) -> None:
    with closing(AppendOnlyFile(tmp_path / "games")) as ledger:
        with full(10), pytest.raises(OSError, match="File too large"):
            ledger.add(b"one\ntwo\nthree\n")
        ledger.add(b"four\n")
    assert (tmp_path / "games").read_bytes() == b"one\ntwo\nfour\n"


def test_append_to_a_full_disk_leaves_no_empty_file(tmp_path: Path) -> None:
    with closing(AppendOnlyFile(tmp_path / "games")) as ledger, full(2), pytest.raises(OSError, match="File too large"):
        ledger.add(b"one\n")
    assert list(tmp_path.iterdir()) == []


def test_append_keeps_an_empty_file_that_was_there(tmp_path: Path) -> None:
    (tmp_path / "games").touch()
    AppendOnlyFile(tmp_path / "games").close()
    assert (tmp_path / "games").exists()


def folders_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every sync of a directory fail."""

    def fails(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails)


def test_a_folder_that_fails_costs_neither_of_two_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders_fail(monkeypatch)
    rows, card = tmp_path / "rows", tmp_path / "card"
    with pytest.raises(OSError, match="was written, but may not survive"), open_atomic_all(rows, card) as files:
        files[0].writelines([b"rows"])
    assert (rows.read_text(), card.read_text()) == ("rows", "")


def test_unwritable_directory_error_names_the_requested_file(tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "games.txt"
    with pytest.raises(FileNotFoundError) as raised:
        write_atomic(file, "new")
    assert raised.value.filename == str(file)


def test_error_of_another_file_names_that_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised, open_atomic(tmp_path / "games.txt"):
        (tmp_path / "other.txt").read_text()
    assert raised.value.filename == str(tmp_path / "other.txt")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "games.txt")
    write_atomic(tmp_path / "link.txt", "new")
    assert (tmp_path / "games.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()


def test_content_is_synced_before_the_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    replace = Path.replace

    def noted(path: Path, target: Path) -> Path:
        done.append("replace")
        return replace(path, target)

    monkeypatch.setattr(os, "fsync", lambda _: done.append("fsync"))
    monkeypatch.setattr(Path, "replace", noted)
    write_atomic(tmp_path / "games.txt", "new")
    assert done == ["fsync", "replace", "fsync"]


def test_failing_disk_keeps_the_old_file_and_no_leftovers(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    write_atomic(file, "old")
    with failing(), pytest.raises(OSError, match="Input/output error") as raised:
        write_atomic(file, "new")
    assert raised.value.filename == str(file)
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]
    assert file.read_text() == "old"


def test_directory_sync_error_says_the_file_is_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.txt"
    write_atomic(file, "old")
    folders_fail(monkeypatch)
    with pytest.raises(OSError, match=r"was written, but may not survive a power failure \(input/output") as raised:
        write_atomic(file, "new")
    assert raised.value.filename == str(file)
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]
    assert file.read_text() == "new"


def test_files_of_a_group_are_synced_before_any_rename(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows, page = tmp_path / "rows.csv", tmp_path / "rows.csv.md"
    for file in (rows, page):
        write_atomic(file, "old")
    synced: list[int] = []

    def fails_at_the_second(handle: int) -> None:
        synced.append(handle)
        if len(synced) == 2:
            raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "fsync", fails_at_the_second)
    with pytest.raises(OSError, match="Input/output error") as raised, open_atomic_all(rows, page) as files:
        files[1].write(b"new")
    assert raised.value.filename == str(page)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"rows.csv": "old", "rows.csv.md": "old"}


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_is_as_private_as_the_umask_says(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        write_atomic(tmp_path / "games.txt", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "games.txt").stat().st_mode) == 0o666 & ~umask


def test_replaced_file_keeps_its_mode(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("old")
    file.chmod(0o640)
    write_atomic(file, "new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_a_write_protected_file_is_not_replaced(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    file.write_text("old")
    file.chmod(0o444)
    with pytest.raises(PermissionError, match="write-protected"):
        write_atomic(file, "new")
    assert file.read_text() == "old"


def test_a_name_may_be_as_long_as_the_disk_allows(tmp_path: Path) -> None:
    file = tmp_path / ("n" * 251 + ".txt")
    write_atomic(file, "new")
    assert file.read_text() == "new"


def test_pipe_without_reader_is_rejected_and_stays(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match=r"[Nn]o such device") as raised:
        write_atomic(tmp_path / "pipe", "new")
    assert raised.value.filename == str(tmp_path / "pipe")
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


def test_a_device_is_written_to_and_stays() -> None:
    write_atomic(Path("/dev/null"), "new")
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)


def test_a_pipe_in_place_of_a_file_keeps_no_reader_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="is not a file"):
        read_text(tmp_path / "pipe", 100)


def test_process_substitution_is_read() -> None:
    ends = os.pipe()
    os.write(ends[1], b"text")
    os.close(ends[1])
    assert read_text(Path(f"/dev/fd/{ends[0]}"), 100) == "text"
    os.close(ends[0])


def test_temporary_file_is_removed_if_its_process_is_dead(tmp_path: Path) -> None:
    (tmp_path / ".numberline.0123456789abcdef").write_text("half")
    with open_atomic(tmp_path / "one.txt") as file:
        file.write(b"one")
        write_atomic(tmp_path / "two.txt", "two")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"one.txt": "one", "two.txt": "two"}


def test_file_with_a_similar_name_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / ".numberline.notes").write_text("mine")
    write_atomic(tmp_path / "one.txt", "one")
    assert (tmp_path / ".numberline.notes").read_text() == "mine"


def test_a_second_damaged_file_is_set_aside_beside_the_first(tmp_path: Path) -> None:
    file = tmp_path / "levels.json"
    for content in ("first", "second"):
        file.write_text(content)
        quarantine(file)
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "levels.damaged": "first",
        "levels.damaged-2": "second",
    }


def test_a_file_is_held_by_one_at_a_time(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    with locked(file), pytest.raises(FileLocked, match="is in use by another process"), locked(file):
        pass
    with locked(file):
        pass
    assert list(tmp_path.iterdir()) == []


def ledger(path: Path, *added: bytes) -> list[bytes]:
    """Append lines and return the file's lines."""
    with closing(AppendOnlyFile(path)) as file:
        for content in added:
            file.add(content)
        return list(file.lines(100))


def test_lines_are_added_after_those_that_are_there(tmp_path: Path) -> None:
    ledger(tmp_path / "games", b"1\n", b"2\n")
    assert ledger(tmp_path / "games", b"3") == [b"1\n", b"2\n", b"3"]


def test_lines_are_added_by_one_program_at_a_time(tmp_path: Path) -> None:
    with closing(AppendOnlyFile(tmp_path / "games")), pytest.raises(FileLocked, match="is in use by another process"):
        AppendOnlyFile(tmp_path / "games")
    assert ledger(tmp_path / "games") == []


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (os.mkfifo, "is not a file"),
        (Path.mkdir, "is a directory"),
        (lambda path: path.symlink_to("/dev/null"), "is not a file"),
        (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
        (lambda path: path.touch(0o444), "is write-protected"),
    ],
    ids=["pipe", "directory", "device", "circle", "write-protected"],
)
def test_append_to_a_special_file_is_rejected(place: Callable[[Path], object], said: str, tmp_path: Path) -> None:
    place(tmp_path / "games")
    before = (tmp_path / "games").lstat()
    with pytest.raises(OSError, match=said) as raised:
        AppendOnlyFile(tmp_path / "games")
    assert raised.value.filename == str(tmp_path / "games")
    assert os.path.samestat((tmp_path / "games").lstat(), before)


def test_lines_are_added_to_what_a_link_leads_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "games")
    ledger(tmp_path / "link", b"1\n")
    assert (tmp_path / "games").read_bytes() == b"1\n"
    assert (tmp_path / "link").is_symlink()


def test_invalid_file_name_is_rejected_and_is_not_a_stream() -> None:
    assert not is_stream(Path("a\0b"))
    for write in (lambda path: write_atomic(path, "new"), AppendOnlyFile):
        with pytest.raises(OSError, match="is not a valid file name"):
            write(Path("a\0b"))
