"""The page on how Numberline is built tells the truth: its picture, its rooms, and the ways through the code."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text()
WALKS = {"A typed move": "move", "A hint": "hint", "`solve`": "solve", "An arena game": "arena"}


def ran(*arguments: str | Path) -> str:
    """What a program of the project prints."""
    return subprocess.run([sys.executable, *arguments], capture_output=True, check=True, text=True, timeout=60).stdout


def test_the_picture_is_drawn_from_the_code_as_it_is(tmp_path: Path) -> None:
    pytest.importorskip("grimp", reason="the picture of the rooms needs the extra dev")
    drawn = tmp_path / "architecture.svg"
    ran(ROOT / "tools" / "rooms.py", drawn)
    assert drawn.read_text() == (ROOT / "docs" / "architecture.svg").read_text()  # else: make picture


@pytest.mark.parametrize("title", WALKS)
def test_a_walk_crosses_the_files_that_the_page_names(title: str) -> None:
    [(count, section)] = re.findall(rf"### {title}: (\d+) files\n(.*?)(?=\n##|\Z)", PAGE, flags=re.DOTALL)
    named = set(re.findall(r"`((?:[a-z_]+/)?[a-z_]+\.py)`", section))
    crossed = set(ran(ROOT / "tests" / "support" / "call_trace.py", WALKS[title]).split())
    assert named == crossed
    assert int(count) == len(crossed)


def test_contributors_find_every_room_in_its_order() -> None:
    [contract] = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    table = re.findall(r"^\| `([a-z]+)(?:/|\.py)` \|", (ROOT / "CONTRIBUTING.md").read_text(), flags=re.MULTILINE)
    assert [room for room in table if room != "books"] == contract["layers"][::-1]
