"""How fast variants are measured: many a second, against the solve of a million positions, and at the prompt.

All times of a table are from one run in one process, so that their ratios hold on any machine: the processor time of
the quickest of several rounds, after one to warm up. Books are made before the clock starts.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np
from rich.table import Table

import numberline as nl
from numberline.bots.policy_bots import Skill
from numberline.lab.measure import measure_many
from numberline.lab.skills import fill_skill_probabilities
from numberline.solver.batch import group_into_batches, solve_batch
from numberline.solver.markov import PlayGraph
from tables import show

ROUNDS = 3
OWN_BOARDS = {
    "reach-the-edge": {"end": range(10, 25), "start": range(1, 10)},
    "number-reach": {"target": range(12, 60), "start": range(1, 9)},
    "flag-chase": {"end": range(8, 28), "flag": range(2, 7)},
    "number-line-sprint": {"end": range(7, 15), "start": range(2, 7)},
    "line-runner": {"end": range(12, 30)},
}
"""Variants about as large as the five books."""


def measures() -> Table:
    """Variants a second, solved and measured: all metrics at one skill, and the whole curve besides."""
    table = Table(
        *("variants of", "how many", "solved, a second", "with all metrics", "wanted", "with the curve"),
        title="Solving and measuring on one core",
    )
    nl.solve(nl.book("line-runner(end=600)"))  # large enough that the compiler is loaded
    for name, places in OWN_BOARDS.items():
        books = _books(name, places)
        solving = _seconds(partial(_solved, books))
        metrics = _seconds(partial(measure_many, books, curve=False))
        everything = _seconds(partial(measure_many, books))
        rates = [f"{len(books) / seconds:,.0f}" for seconds in (solving, metrics, everything)]
        wanted = "800" if name in {"number-reach", "flag-chase", "reach-the-edge"} else ""
        table.add_row(name, str(len(books)), *rates[:2], wanted, rates[2])
    return table


def chains() -> Table:
    """How many times the compiled, warm solve of a million positions the chain takes, at slip 25 %."""
    table = Table(
        *("variant", "positions", "solve, ms", "rows", "wins", "metrics", "all", "wanted"),
        title="The chain, in times of the solve",
    )
    for variant, wanted in (("line-runner(end=700)", 4), ("number-line-sprint(end=701)", 80)):
        book = nl.book(variant)
        solving = _seconds(partial(nl.solve, book))
        solution = nl.solve(book)
        laying = _seconds(partial(_laid_out, solution))
        field = _laid_out(solution)
        chance = np.zeros(len(field.indices))
        winning = _seconds(partial(_won, field, chance))
        running = _seconds(partial(field.statistics, chance))
        parts = [seconds / solving for seconds in (laying, winning, running)]
        ratios = [f"{ratio:.1f}" for ratio in (*parts, sum(parts))]
        table.add_row(variant, f"{solution.table.size:,}", f"{solving * 1e3:.0f}", *ratios, str(wanted))
    return table


def commands() -> Table:
    """The command on a book's own board against `numberline solve`, by processor time, as if numba were not there."""
    table = Table("book", "solve, s", "measure, s", "times", "wanted", title="The command, core install only")
    for name in nl.NAMES:
        solving, measuring = (min(_spent(command, name) for _ in range(ROUNDS)) for command in ("solve", "measure"))
        table.add_row(name, f"{solving:.2f}", f"{measuring:.2f}", f"{measuring / solving:.1f}", "5")
    return table


def _spent(command: str, name: str) -> float:
    """Seconds of the processor that a fresh process takes for a command."""
    code = (
        "import sys; sys.modules['numba'] = None; sys.argv = ['numberline', *sys.argv[1:]];"
        "from numberline.cli import run; run()"
    )
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", code, command, name], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _solved(books: list[nl.Book]) -> None:
    for group in group_into_batches(books):
        solve_batch([books[index] for index in group])


def _laid_out(solution: nl.Solution) -> PlayGraph:
    """The rows that can be reached, in order, with what every move of them is worth."""
    solution.__dict__.pop("reachable", None)  # it is worked out once, and belongs to this
    field = PlayGraph.from_solution(solution)
    assert len(field.decision_stats) == 3  # noqa: S101 - worked out when it is asked for
    return field


def _won(field: PlayGraph, chance: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    field.win_rates(fill_skill_probabilities(field, Skill(slip_rate=Fraction(1, 4)), chance))


def _books(name: str, places: dict[str, range]) -> list[nl.Book]:
    """The variants with these places, but for those that are none."""
    books = []
    for values in product(*places.values()):
        try:
            books.append(nl.book(name).vary(*(f"{word}={value}" for word, value in zip(places, values, strict=True))))
        except nl.BookError:
            continue
    return books


def _seconds(call: Callable[[], object]) -> float:
    """Seconds of the processor for the quickest of some calls, after one to warm up."""
    times = []
    for _ in range(ROUNDS + 1):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times[1:])


def main() -> None:
    """Prints the tables."""
    show(measures())
    show(chains())
    show(commands())


if __name__ == "__main__":
    main()
