"""Speed of the metrics: variants per second, cost relative to solving, and CPU time of the command.

All times in a table are from one run in one process, so their ratios are comparable across machines: the CPU time of
the fastest of several rounds, after a warm-up round. Creating the books is not timed.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from random import Random

from rich.table import Table

import numberline as nl
from numberline.lab.grid import iter_changes, search_axes
from numberline.lab.measure import measure_many
from numberline.lab.search import DEFAULT_MAX_CHANGES
from numberline.solver.batch import SolvedBatch, batch_key, group_into_batches, solve_batch
from numberline.solver.markov import PlayGraph
from tables import show

ROUNDS = 3
MIX_VARIANTS = 600
SLIP_25 = (math.inf, 0.25, math.inf, 0.25)
OWN_BOARDS = {
    "reach-the-edge": {"end": range(10, 25), "start": range(1, 10)},
    "number-reach": {"target": range(12, 60), "start": range(1, 9)},
    "flag-chase": {"end": range(8, 28), "flag": range(2, 7)},
    "number-line-sprint": {"end": range(7, 15), "start": range(2, 7)},
    "line-runner": {"end": range(12, 30)},
}
"""Variants about as large as the five books."""


def measures() -> Table:
    """Measure variants per second: solving only, with all metrics at one skill level, and with the skill curve."""
    table = Table(
        *("variants of", "count", "solved per s", "with all metrics", "target", "with the curve"),
        title="Solving and measuring on one core",
    )
    nl.solve(nl.book("line-runner(end=600)"))  # large enough to load the JIT compiler
    for name, places in OWN_BOARDS.items():
        books = _books(name, places)
        solving = _seconds(partial(_solved, books))
        metrics = _seconds(partial(measure_many, books, curve=False))
        everything = _seconds(partial(measure_many, books))
        rates = [f"{len(books) / seconds:,.0f}" for seconds in (solving, metrics, everything)]
        target = "800" if name in {"number-reach", "flag-chase", "reach-the-edge"} else ""
        table.add_row(name, str(len(books)), *rates[:2], target, rates[2])
    return table


def mixes() -> Table:
    """Measure variants per second in a random mix of those that `find` tries, with all metrics and the curve."""
    table = Table(
        *("book", "variants", "shapes", "solved per s", "measured per s", "target"),
        title="Random mixes of variants, measured on one core",
    )
    for name in nl.NAMES:
        book, random = nl.book(name), Random(1)
        changes = list(iter_changes(search_axes(book), DEFAULT_MAX_CHANGES))
        books = _valid_variants(book, random.sample(changes, MIX_VARIANTS))
        seconds = _seconds(partial(_solved, books)), _seconds(partial(measure_many, books))
        rates = [f"{len(books) / each:,.0f}" for each in seconds]
        table.add_row(name, str(len(books)), str(len(set(map(batch_key, books)))), *rates, "2,000")
    return table


def chains() -> Table:
    """Measure the Markov chain at a slip rate of 25%, relative to a compiled, warm solve of a million positions."""
    table = Table(
        *("variant", "positions", "solve, ms", "graph", "wins", "metrics", "all", "target"),
        title="Markov chain, relative to the solve",
    )
    for variant, target in (("line-runner(end=700)", 4), ("number-line-sprint(end=701)", 80)):
        book = nl.book(variant)
        solving = _seconds(partial(nl.solve, book))
        solution = nl.solve(book)
        building = _seconds(partial(_make_graph, solution))
        graph = _make_graph(solution)
        winning = _seconds(partial(graph.win_rates, [SLIP_25]))
        probabilities = graph.move_probabilities(SLIP_25)
        running = _seconds(partial(graph.statistics, probabilities))
        parts = [seconds / solving for seconds in (building, winning, running)]
        ratios = [f"{ratio:.1f}" for ratio in (*parts, sum(parts))]
        table.add_row(variant, f"{solution.table.size:,}", f"{solving * 1e3:.0f}", *ratios, str(target))
    return table


def commands() -> Table:
    """Measure the CPU time of `numberline measure`, relative to `numberline solve`, without numba."""
    table = Table("book", "solve, s", "measure, s", "ratio", "target", title="Commands, core installation only")
    for name in nl.NAMES:
        solving, measuring = (min(_spent(command, name) for _ in range(ROUNDS)) for command in ("solve", "measure"))
        table.add_row(name, f"{solving:.2f}", f"{measuring:.2f}", f"{measuring / solving:.1f}", "5")
    return table


def _spent(command: str, name: str) -> float:
    """Return the CPU time of a command in a new process."""
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


def _make_graph(solution: nl.Solution) -> PlayGraph:
    graph = PlayGraph([SolvedBatch.from_solution(solution)])
    assert len(graph.decisions) == 3  # noqa: S101 - computed on access
    return graph


def _books(name: str, places: dict[str, range]) -> list[nl.Book]:
    """Return the valid variants for all combinations of the settings in `places`."""
    values = product(*places.values())
    changes = [[f"{word}={value}" for word, value in zip(places, each, strict=True)] for each in values]
    return _valid_variants(nl.book(name), changes)


def _valid_variants(book: nl.Book, changes: Iterable[Sequence[str]]) -> list[nl.Book]:
    """Return the variants with these changed settings that are valid and for two players."""
    books = []
    for each in changes:
        with suppress(nl.BookError):
            books.append(book.vary(*each))
    return [varied for varied in books if varied.rules.players == 2]


def _seconds(call: Callable[[], object]) -> float:
    """Return the CPU time of the fastest of several calls, after a warm-up call."""
    times = []
    for _ in range(ROUNDS + 1):
        started = time.process_time()
        call()
        times.append(time.process_time() - started)
    return min(times[1:])


def main() -> None:
    show(measures())
    show(mixes())
    show(chains())
    show(commands())


if __name__ == "__main__":
    main()
