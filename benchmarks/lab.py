"""How fast many variants are solved in shared tables, against one at a time.

All times of a table are from one run in one process, so that their ratios hold on any machine: the processor time of
the quickest of several rounds, after one to warm up. Books are made before the clock starts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import product
from typing import Any

from rich.table import Table

import numberline as nl
from numberline.solver.batch import SolvedBatch, group_into_batches, solve_batch
from numberline.solver.fingerprint import fingerprints
from numberline.solver.retrograde import warm_up_jit
from tables import show

ROUNDS = 5
ALONE = 30
"""So many variants of a line are solved one at a time."""

OWN_BOARDS = {
    "reach-the-edge": {"end": range(10, 25), "start": range(1, 10)},
    "number-reach": {"target": range(12, 60), "start": range(1, 9)},
    "number-line-sprint": {"end": range(7, 15), "start": range(2, 7)},
    "flag-chase": {"end": range(8, 28), "flag": range(2, 7)},
    "line-runner": {"end": range(12, 30)},
}
"""Variants about as large as the five books."""
LARGE = {"line-runner": {"end": range(48, 66)}, "number-line-sprint": {"end": range(41, 53)}}
"""Variants in which more than 3,000 positions can be reached."""


def batch() -> Table:
    """Variants in shared tables against one at a time, before and after the compiler is loaded."""
    table = Table(
        *("variants of", "count", "positions", "together", "alone", "compiled", "times", "compiled", "wanted", "print"),
        title="Many variants in one table: milliseconds each, times faster, milliseconds for a fingerprint",
    )
    lines = [(name, _books(name, places), 10) for name, places in OWN_BOARDS.items()]
    lines += [(name, _books(name, places), 3) for name, places in LARGE.items()]
    as_it_comes = [_alone(books) for _, books, _ in lines]
    warm_up_jit(1 << 62)
    for (name, books, wanted), alone in zip(lines, as_it_comes, strict=True):
        compiled, together = _alone(books), _seconds(list, _together, books) / len(books)
        solved = list(_together(books))
        positions = sum(int(family.position_counts().sum()) for family in solved) / len(books)
        prints = _seconds(list, map, fingerprints, solved) / len(books)
        milliseconds = [f"{seconds * 1e3:.3f}" for seconds in (together, alone, compiled, prints)]
        ratios = [f"{alone / together:.1f}", f"{compiled / together:.1f}", str(wanted)]
        table.add_row(name, str(len(books)), f"{positions:,.0f}", *milliseconds[:3], *ratios, milliseconds[3])
    return table


def _books(name: str, places: dict[str, range]) -> list[nl.Book]:
    """The variants with these places, but for those that are none."""
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
    """Seconds for one variant, where each is solved in a table of its own."""
    some = books[:: max(1, len(books) // ALONE)]
    return _seconds(list, map, nl.solve, some) / len(some)


def _seconds(call: Callable[..., Any], make: Callable[..., Any], *given: object) -> float:
    """Seconds of the processor for the quickest of some rounds of `call(make(…))`, after one to warm up."""
    times = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        call(make(*given))
        times.append(time.process_time() - began)
    return min(times[1:])


def main() -> None:
    """Prints the tables."""
    show(batch())


if __name__ == "__main__":
    main()
