"""Imports of the command line: playing imports neither NumPy nor the heavy parts of rich."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = ("numpy", "rich.console", "rich.table", "rich.markdown", "pygments")


def loaded_after(code: str, typed: str = "", modules: tuple[str, ...] = HEAVY) -> set[str]:
    """Which of these modules a fresh interpreter has loaded once it has run the code."""
    report = f"import sys; print('LOADED', *[m for m in {modules!r} if m in sys.modules])"
    ran = subprocess.run(
        [sys.executable, "-c", f"{code}\n{report}"], input=typed, capture_output=True, text=True, timeout=60, check=True
    )
    return set(ran.stdout.rpartition("LOADED")[2].split())


def test_importing_numberline_loads_nothing_heavy() -> None:
    assert loaded_after("import numberline") == set()


@pytest.mark.parametrize("command", ["play", "rules", "check"])
def test_playing_loads_nothing_heavy(command: str) -> None:
    code = f"import sys; sys.argv = ['numberline', {command!r}, 'flag-chase']; from numberline.cli import run; run()"
    assert loaded_after(code, "3\n2\n2\n") == set()


def test_playing_without_bots_loads_no_solver() -> None:
    code = "import sys; sys.argv = ['numberline', 'play', 'flag-chase']; from numberline.cli import run; run()"
    rooms = ("rich", "numberline.solver", "numberline.bots", "numberline.explain.rules_text")
    assert loaded_after(code, "3\n2\n2\n", rooms) == set()
    assert "numberline.solver" in loaded_after(code, "hint\n3\n2\n2\n", rooms)


@pytest.mark.parametrize(
    ("arguments", "typed", "said"),
    [
        (["play", "flag-chase"], "3\n2\n2\n", "Player 1 wins the game!"),
        (["play", "flag-chase", "--vs", "level:1", "--assist", "--seed", "1"], "hint\nwhy\nresign\n", "wins the game!"),
        (["solve", "flag-chase"], "", "Player 1 wins in 3 turns"),
        (["arena", "random", "greedy", "--books", "flag-chase", "--games", "2", "--out", "games.jsonl"], "", "greedy"),
    ],
)
def test_plain_terminal_needs_no_unix_modules(arguments: list[str], typed: str, said: str, tmp_path: Path) -> None:
    blocked = (
        "import sys; sys.modules.update(dict.fromkeys(('readline', 'termios', 'tty', 'fcntl', 'resource', 'pwd')))"
    )
    code = f"{blocked}; sys.argv = ['numberline', *{arguments!r}]; from numberline.cli import main; main()"
    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=typed,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (ran.stderr, ran.returncode) == ("", 0)
    assert said in ran.stdout


def test_loaded_after_notices_a_heavy_import() -> None:
    assert loaded_after("import numpy") == {"numpy"}
