"""Files are written whole or not at all, and what goes wrong names the file that was asked for."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from numberline.files import opened_whole, write_whole


def test_a_full_disk_names_the_file_that_was_asked_for_and_leaves_the_old_one(tmp_path: Path) -> None:
    file = tmp_path / "games.txt"
    write_whole(file, "old")
    with pytest.raises(OSError, match="No space") as raised, opened_whole(file):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert raised.value.filename == str(file)
    assert [path.name for path in tmp_path.iterdir()] == ["games.txt"]
    assert file.read_text() == "old"


def test_a_folder_that_can_not_be_written_to_names_the_file_that_was_asked_for(tmp_path: Path) -> None:
    file = tmp_path / "nowhere" / "games.txt"
    with pytest.raises(FileNotFoundError) as raised:
        write_whole(file, "new")
    assert raised.value.filename == str(file)


def test_what_goes_wrong_with_another_file_meanwhile_names_that_one(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as raised, opened_whole(tmp_path / "games.txt"):
        (tmp_path / "other.txt").read_text()
    assert raised.value.filename == str(tmp_path / "other.txt")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "link.txt").symlink_to(tmp_path / "games.txt")
    write_whole(tmp_path / "link.txt", "new")
    assert (tmp_path / "games.txt").read_text() == "new"
    assert (tmp_path / "link.txt").is_symlink()
