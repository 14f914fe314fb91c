"""Speed of solving many variants in shared tables, relative to solving them one at a time.

All times in a table are from one run in one process, so their ratios are comparable across machines: the CPU time of
the fastest of several rounds, after a warm-up round. Creating the books is not timed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from rich.table import Table

import numberline as nl
from numberline.lab.fingerprint import fingerprints
from numberline.solver.batch import SolvedBatch, group_into_batches, solve_batch
from numberline.solver.retrograde import warm_up_jit
from tables import show

ROUNDS = 5
SINGLE_VARIANTS = 30

OWN_BOARDS = {
    "reach-the-edge": {"end": range(10, 25), "start": range(1, 10)},
    "number-reach": {"target": range(12, 60), "start": range(1, 9)},
    "number-line-sprint": {"end": range(7, 15), "start": range(2, 7)},
    "flag-chase": {"end": range(8, 28), "flag": range(2, 7)},
    "line-runner": {"end": range(12, 30)},
}
"""Variants about as large as the five books."""
LARGE = {"line-runner": {"end": range(48, 66)}, "number-line-sprint": {"end": range(41, 53)}}
"""Variants with more than 3,000 reachable positions."""


def batch() -> Table:
    """Compare solving in shared tables with solving one at a time, interpreted and compiled."""
    table = Table(
        *("variants of", "count", "positions", "together", "alone", "compiled", "ratio", "compiled", "target", "hash"),
        title="Shared tables: milliseconds per variant, speed-up, milliseconds per fingerprint",
    )
    lines = [(name, _books(name, places), 10) for name, places in OWN_BOARDS.items()]
    lines += [(name, _books(name, places), 3) for name, places in LARGE.items()]
    interpreted = [_alone(books) for _, books, _ in lines]
    warm_up_jit(1 << 62)
    for (name, books, target), alone in zip(lines, interpreted, strict=True):
        compiled, together = _alone(books), _seconds(list, _together, books) / len(books)
        solved = list(_together(books))
        positions = sum(int(batch.position_counts().sum()) for batch in solved) / len(books)
        prints = _seconds(list, map, fingerprints, solved) / len(books)
        milliseconds = [f"{seconds * 1e3:.3f}" for seconds in (together, alone, compiled, prints)]
        ratios = [f"{alone / together:.1f}", f"{compiled / together:.1f}", str(target)]
        table.add_row(name, str(len(books)), f"{positions:,.0f}", *milliseconds[:3], *ratios, milliseconds[3])
    return table


def _books(name: str, places: dict[str, range]) -> list[nl.Book]:
    """Return the valid variants for all combinations of the settings in `places`."""
    books = []
    for values in product(*places.values()):
        try:
            books.append(nl.book(name).vary(*(f"{word}={value}" for word, value in zip(places, values, strict=True))))
        except nl.BookError:
            continue
    return books


def _together(books: Sequence[nl.Book]) -> Iterator[SolvedBatch]:
    return (solve_batch([books[index] for index in group]) for group in group_into_batches(books))


def _alone(books: Sequence[nl.Book]) -> float:
    """Return the seconds per variant if each one is solved separately."""
    some = books[:: max(1, len(books) // SINGLE_VARIANTS)]
    return _seconds(list, map, nl.solve, some) / len(some)


def _seconds(call: Callable[..., Any], make: Callable[..., Any], *given: object) -> float:
    """Return the CPU time of the fastest of several calls of `call(make(*given))`, after a warm-up call."""
    times = []
    for _ in range(ROUNDS + 1):
        started = time.process_time()
        call(make(*given))
        times.append(time.process_time() - started)
    return min(times[1:])


def main() -> None:
    show(batch())


if __name__ == "__main__":
    main()
