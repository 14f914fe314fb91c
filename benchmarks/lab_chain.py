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
from collections.abc import Callable
from functools import partial
from itertools import product

import numpy as np
from rich.table import Table

import numberline as nl
from numberline.lab.measure import measure_many
from numberline.solver.batch import SolvedBatch, group_into_batches, solve_batch
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


def chains() -> Table:
    """Measure the Markov chain at a slip rate of 25 %, relative to a compiled, warm solve of a million positions."""
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
        probabilities = np.zeros(len(graph.indices))
        winning = _seconds(partial(_win_rates, graph, probabilities))
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
    graph = PlayGraph(SolvedBatch.from_solution(solution))
    assert len(graph.decisions) == 3  # noqa: S101 - computed on access
    return graph


def _win_rates(graph: PlayGraph, probabilities: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    for player in (1, 2):
        graph.fill_skill_policy(player, math.inf, 0.25, probabilities)
    graph.win_rates(probabilities)


def _books(name: str, places: dict[str, range]) -> list[nl.Book]:
    """Return the valid variants for all combinations of the settings in `places`."""
    books = []
    for values in product(*places.values()):
        try:
            books.append(nl.book(name).vary(*(f"{word}={value}" for word, value in zip(places, values, strict=True))))
        except nl.BookError:
            continue
    return books


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
    show(chains())
    show(commands())


if __name__ == "__main__":
    main()
