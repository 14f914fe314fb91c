"""docs/patterns.md: the page is what its tool prints."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numberline as nl

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "patterns.md").read_text()


def test_patterns_page_is_up_to_date() -> None:
    command = [sys.executable, str(ROOT / "tools" / "patterns.py"), "--print"]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
    assert printed == PAGE


def test_patterns_page_has_all_books_and_ten_textbook_games() -> None:
    books, textbook = PAGE.split("## The five books")[1].split("## Textbook games")
    assert all(f"### {nl.book(name).title}\n" in books for name in nl.NAMES)
    assert textbook.count("\n### ") == 10
    assert PAGE.count("```text\n") == 15
