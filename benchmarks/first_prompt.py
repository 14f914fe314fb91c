"""Time to the first prompt, relative to starting Python and exiting.

Each row is the median of many starts, interleaved so that all rows see the same machine load. The board is drawn on a
(pseudo-)terminal, but not when reading from a pipe. Bytecode is cached, as in a normal installation, even if
PYTHONDONTWRITEBYTECODE is set.
"""

from __future__ import annotations

import os
import pty
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial

from rich.table import Table

from tables import show

STARTS = 21
PROMPT = b"Enter your move"
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
GAME = ("play", "flag-chase")
AGAINST = ("play", "reach-the-edge", "--vs", "perfect")


def bare() -> float:
    """Return the seconds to start Python and exit."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=ENVIRONMENT)
    return time.perf_counter() - began


def from_a_pipe(*arguments: str) -> float:
    """Return the seconds to the first prompt if moves are read from a pipe."""
    command = [sys.executable, "-m", "numberline", *arguments]
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=ENVIRONMENT) as game:
        waited = _until_prompt(game.stdout.fileno() if game.stdout else -1, began)
        game.kill()
    return waited


def on_a_terminal(*arguments: str) -> float:
    """Return the seconds to the first prompt on a pseudo-terminal, on which the board is drawn."""
    command = [sys.executable, "-m", "numberline", *arguments]
    ours, theirs = pty.openpty()
    began = time.perf_counter()
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=ENVIRONMENT) as game:
        os.close(theirs)
        waited = _until_prompt(ours, began)
        game.kill()
    os.close(ours)
    return waited


def _until_prompt(screen: int, began: float) -> float:
    seen = b""
    while PROMPT not in seen:
        read = os.read(screen, 65536)
        if not read:
            raise SystemExit(f"no prompt appeared; the game printed {seen!r}")
        seen += read
    return time.perf_counter() - began


def main() -> None:
    ways: dict[str, Callable[[], float]] = {
        "python -c pass": bare,
        f"{' '.join(GAME)}, from a pipe": partial(from_a_pipe, *GAME),
        f"{' '.join(GAME)}, on a terminal": partial(on_a_terminal, *GAME),
        f"{' '.join(AGAINST)}, from a pipe": partial(from_a_pipe, *AGAINST),
        f"{' '.join(AGAINST)}, on a terminal": partial(on_a_terminal, *AGAINST),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for start in range(STARTS + 1):
        for name, way in ways.items():
            taken = way()
            if start:  # the first start fills the file cache
                times[name].append(taken)
    base = statistics.median(times["python -c pass"])
    table = Table("start", "median", "relative to bare Python", title="First prompt (goal: 12, and 15 against perfect)")
    for name, taken_all in times.items():
        median = statistics.median(taken_all)
        table.add_row(name, f"{median * 1000:.0f} ms", f"{median / base:.1f}")
    show(table)


if __name__ == "__main__":
    main()
