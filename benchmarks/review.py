"""Time to review a very long game with `numberline review`; the limit is two seconds."""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.table import Table

import numberline as nl
from numberline.game.notation import format_record
from tables import show

PLIES = 10_000
RUNS = 5
LIMIT = 2.0
VARIANTS = {
    'number-reach(operations="+1 -1 *2")': "few positions, repeated many times",
    'number-reach(target=30000, operations="+1 +2")': "no repeated positions",
}
"""Variants in which a game can last `PLIES` plies."""


def long_game(variant: str) -> nl.Match:
    """Return a random unfinished game of `PLIES` plies."""
    rng = random.Random(1)
    book = nl.book(variant)
    match = nl.Match(book, 1, ("Ann", "Bob"))
    for _ in range(PLIES):
        open_ended = [move for move in match.moves if not book.outcome(book.after(match.position, move))]
        match.play(rng.choice(open_ended))
    return match


def seconds(*arguments: str) -> float:
    """Return the seconds that `numberline review` takes in a new process."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-m", "numberline", "review", *arguments], check=True, capture_output=True)
    return time.perf_counter() - began


def main() -> None:
    table = Table("game", "numberline review", "median", "limit", title=f"Review of a game of {PLIES:,} plies")
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "long.txt"
        for variant, about in VARIANTS.items():
            record.write_text(format_record(long_game(variant)))
            for options in ((), ("--json",), ("--html", str(Path(folder) / "page.html"))):
                median = statistics.median(seconds(str(record), *options) for _ in range(RUNS))
                table.add_row(about, f"FILE {options[0] if options else ''}", f"{median:.2f} s", f"{LIMIT:.0f} s")
    show(table)


if __name__ == "__main__":
    main()
