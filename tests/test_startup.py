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


STUCK = """
import ctypes, os, signal, sys, threading, time
from numberline import startup
startup.STUCK_AFTER_S = 0.5
signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
lock, mutex = ctypes.CDLL(None).pthread_mutex_lock, ctypes.create_string_buffer(100)
with startup.exit_if_stuck():
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    if len(sys.argv) > 1:
        lock(mutex), lock(mutex)
    time.sleep(20)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.parametrize(("arguments", "code"), [((), 1), (("stuck",), 143)])
def test_signal_ends_a_call_that_never_returns(arguments: tuple[str, ...], code: int) -> None:
    ran = subprocess.run([sys.executable, "-c", STUCK, *arguments], timeout=15, check=False)
    assert ran.returncode == code
