"""docs/puzzles.md: the statistics keep their promises, and the page is what its tool prints."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import numberline as nl

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "puzzles.md").read_text()


def printed(*arguments: str) -> str:
    command = [sys.executable, str(ROOT / "tools" / "puzzles.py"), "--print", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=500, check=True).stdout


def rows(page: str, title: str) -> dict[str, list[int]]:
    """Return the numbers of a table by the title of the book."""
    lines = page.split(f"\n| {title} |")[1].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    cells = [re.split(r" ?\| ?", line.strip("| ")) for line in lines]
    return {first: [int(each.removesuffix("%")) for each in rest] for first, *rest in cells}


def check(page: str, title: str) -> None:
    facts = rows(page, title)
    assert [*facts] == [nl.book(name).title for name in nl.NAMES]
    for own, _, _, _, hard_warm_ups, give_aways, twins, easy_draws in facts.values():
        assert own >= 50
        assert (hard_warm_ups, give_aways, twins, easy_draws) == (0, 0, 0, 0)


def test_few_puzzles_of_each_book_keep_the_promises() -> None:
    check(printed("10"), "10 puzzles")


def test_page_keeps_the_promises_and_solve_rates_fall_with_stars() -> None:
    check(PAGE, "1,000 puzzles")
    for easy, medium, hard, easy_slip, medium_slip, hard_slip in rows(PAGE, "solved").values():
        assert easy > medium > hard
        assert easy_slip > medium_slip > hard_slip


@pytest.mark.soak
def test_puzzles_page_is_up_to_date() -> None:
    assert printed() == PAGE
