"""The page on how Numberline is built tells the truth: its picture, its rooms, and the ways through the code."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def ran(*arguments: str | Path) -> str:
    """What a program of the project prints."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, check=True, text=True, timeout=60).stdout


def test_the_picture_is_drawn_from_the_code_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("grimp", reason="the picture of the rooms needs the extra dev")
    drawn = tmp_path / "architecture.svg"
    ran(ROOT / "tools" / "rooms.py", drawn)
    assert drawn.read_text() == (ROOT / "docs" / "architecture.svg").read_text()  # else: make picture


def test_contributors_find_every_room_in_its_order() -> None:
    [contract] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    table = re.findall(r"^\| `([a-z]+)(?:/|\.py)` \|", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE)
    assert [room for room in table if room != "books"] == contract["layers"][::-1]
