"""Speed and memory of the solver, also compared with a program in C and with OpenSpiel on the same games.

A rate is the number of positions divided by the time of `nl.solve`, which includes building the table: the best of
several runs in one process, after a warm-up run that loads numba and touches the memory. OpenSpiel is timed once. The
program in C (`retrograde.c`, one thread) must give the same results; both are timed in turns, by their CPU time.
`--quick` skips everything that takes minutes; `--growth` shows how the time grows with the number of positions.
"""

from __future__ import annotations

import math
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

import numberline as nl
from numberline.solver.index import max_positions
from tables import show

RUNS = 7
GROWTH = (250, 500, 1000, 2000, 4000)


def best_time(variant: str, runs: int = RUNS) -> float:
    """Return the seconds of the fastest of several runs, after a warm-up run."""
    book = nl.book(variant)
    times = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        nl.solve(book)
        times.append(time.perf_counter() - began)
    return min(times[1:] or times)


def rates(*, quick: bool) -> Table:
    """Measure positions per second for large variants."""
    table = Table("variant", "kernels", "positions", "seconds", "million per second", "goal", title="Large variants")
    fast = "compiled" if find_spec("numba") else "interpreted (no numba)"
    for variant, goal in (
        ("line-runner(end=2000)", 60),
        ("flag-chase(end=2000)", 60),
        ("number-line-sprint(end=2001)", 25),
        ("reach-the-edge(end=1000000)", 25),
    ):
        _add_rate(table, variant, fast, best_time(variant), goal)
    if not quick:
        _add_rate(table, "line-runner(end=2000)", "interpreted", interpreted_time("line-runner(end=2000)"), 0.25)
    return table


def compared_with_c() -> Table | str:
    """Compare with retrograde analysis (and, if no position can recur, a backward sweep) in C."""
    compiler = shutil.which("gcc")
    if not compiler:
        return "The comparison with C was skipped, because gcc is not installed."
    table = Table(
        "variant",
        "Numberline",
        "C: search",
        "ratio",
        "goal",
        "C: sweep",
        title="Million positions per second of CPU time",
    )
    with tempfile.TemporaryDirectory() as name:
        program = Path(name, "retrograde")
        source = Path(__file__).with_name("retrograde.c")
        subprocess.run([compiler, "-O3", "-march=native", "-o", program, source], check=True)
        for variant, goal in (
            ("line-runner(end=2000)", 1),
            ("flag-chase(end=2000)", 1),
            ("number-line-sprint(end=2001)", 0.5),
            ("reach-the-edge(end=1000000)", 0.5),
        ):
            ours, searched, swept = _times_in_turns(variant, program)
            size = max_positions(nl.book(variant)) / 1e6
            sweep = f"{size / swept:.0f}" if swept else ""
            row = (f"{size / ours:.0f}", f"{size / searched:.0f}", f"{searched / ours:.2f}", f"{goal:g}", sweep)
            table.add_row(variant, *row)
    return table


def _times_in_turns(variant: str, program: Path) -> tuple[float, float, float | None]:
    """Return the CPU seconds of `nl.solve`, of the search in C and of the sweep in C (None for cyclic games)."""
    book, end = nl.book(variant), variant.partition("end=")[2].removesuffix(")")
    methods = ["search", "sweep"] if book.name in {"line-runner", "flag-chase"} else ["search"]
    expected = nl.solve(book).entries[0]
    times: dict[str, list[float]] = {"ours": [], "search": [], "sweep": []}
    for _ in range(2 * RUNS):
        began = time.process_time()
        nl.solve(book)
        times["ours"].append(time.process_time() - began)
        for method in methods:
            output = program.with_name("entries")
            arguments = [book.name, end, method, "5", str(output)]
            ran = subprocess.run([program, *arguments], check=True, capture_output=True, text=True)
            times[method] += map(float, ran.stdout.split())
            if not np.array_equal(np.fromfile(output, expected.dtype), expected):
                raise SystemExit(f"{variant}: the {method} in C gives other results")
    return min(times["ours"]), min(times["search"]), min(times["sweep"], default=None)


def interpreted_time(variant: str) -> float:
    """Return the seconds to solve a variant in a process that can't import numba."""
    code = (
        "import sys; sys.modules['numba'] = None;"
        "import time, numberline as nl; nl.solve(nl.book('line-runner(end=99)'));"
        "book = nl.book(sys.argv[1]); began = time.perf_counter(); nl.solve(book); print(time.perf_counter() - began)"
    )
    return float(_printed(code, variant)[0])


def _printed(code: str, variant: str) -> list[str]:
    """Run code in a new process and return the words that it prints."""
    ran = subprocess.run([sys.executable, "-c", code, variant], check=True, capture_output=True, text=True)
    return ran.stdout.split()


def _add_rate(table: Table, variant: str, kernels: str, seconds: float, goal: float) -> None:
    size = max_positions(nl.book(variant))
    rate = size / seconds / 1e6
    table.add_row(variant, kernels, f"{size:,}", f"{seconds:.3f}", f"{rate:.2f}", f"{goal:g}")


def default_boards() -> Table:
    """Measure the first solve of each of the five books in a new process, which must not import NumPy."""
    table = Table("book", "milliseconds", "NumPy loaded", "goal", title="Default boards, first solve in a process")
    code = (
        "import sys, time, numberline as nl, numberline.solver.solution; book = nl.book(sys.argv[1]);"
        "began = time.perf_counter(); nl.solve(book); taken = time.perf_counter() - began;"
        "print(taken * 1000, 'numpy' in sys.modules)"
    )
    for name in nl.NAMES:
        printed = [_printed(code, name) for _ in range(RUNS)]
        table.add_row(name, f"{min(float(taken) for taken, _ in printed):.1f}", printed[0][1], "10, no")
    return table


def memory() -> Table:
    """Measure bytes per position: the growth of a new process's peak resident memory during the solve."""
    table = Table("variant", "peak", "goal", "solution", "with the table", title="Memory, bytes per position")
    code = (
        "import re, sys, numpy, numberline as nl; nl.solve(nl.book('line-runner(end=400)'));"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]);"
        "before = peak(); solution = nl.solve(nl.book(sys.argv[1])); after = peak();"
        "size = lambda columns: sum(column.itemsize for column in columns); table = solution.table;"
        "total = size([*solution.entries, *table.after, table.mover, table.winner]);"
        "print((after - before) * 1024 / table.size, size(solution.entries), total)"
    )
    for variant in (
        "line-runner(end=2000)",
        "flag-chase(end=4000)",
        "number-reach(target=1000000)",
        "number-line-sprint(end=2001)",
        "reach-the-edge(end=1000000)",
    ):
        peak, entries, total = _printed(code, variant)
        table.add_row(variant, f"{float(peak):.1f}", "20", entries, total)
    return table


def peers() -> Table:
    """Compare with OpenSpiel on the same games: its minimax solver, and value iteration on its states."""
    import pyspiel
    from open_spiel.python.algorithms.minimax_solver import MinimaxSolver

    import spiel_games

    sys.setrecursionlimit(1_000_000)
    best_time("line-runner(end=600)", runs=0)  # large enough to load numba, as for the rates
    table = Table("game", "Numberline, s", "OpenSpiel, s", "speed-up", "goal", title="Compared with OpenSpiel")
    began = time.perf_counter()
    MinimaxSolver("bench_line_runner(end=200)").solve()
    theirs = time.perf_counter() - began
    ours = best_time("line-runner(end=200)")
    table.add_row("Line Runner, end=200: MinimaxSolver", f"{ours:.4f}", f"{theirs:.2f}", f"{theirs / ours:,.0f}", "500")
    game = pyspiel.load_game("bench_reach_the_edge", {"end": 400})
    assert isinstance(game, spiel_games.ReachTheEdge)  # noqa: S101 - it must be ours
    began = time.perf_counter()
    iterate_values(game, threshold=0.01)
    theirs = time.perf_counter() - began
    ours = best_time("reach-the-edge(end=400)")
    table.add_row(
        "Reach the Edge, end=400: value iteration", f"{ours:.4f}", f"{theirs:.2f}", f"{theirs / ours:,.0f}", "2,000"
    )
    return table


def growth() -> Table:
    """Measure how the time grows with the length of the line."""
    table = Table("end", "positions", "seconds", "million per second", title="Line Runner with longer lines")
    for end in GROWTH:
        variant = f"line-runner(end={end})"
        size, seconds = max_positions(nl.book(variant)), best_time(variant, runs=3)
        table.add_row(str(end), f"{size:,}", f"{seconds:.3f}", f"{size / seconds / 1e6:.1f}")
    return table


def iterate_values(game: Any, threshold: float) -> dict[str, float]:
    """Return the value of every state for player 0 by value iteration; the game may have cycles."""
    from open_spiel.python.algorithms.get_all_states import get_all_states

    states = get_all_states(game, to_string=str)
    live = {key: state for key, state in states.items() if not state.is_terminal()}
    values = {key: float(state.returns()[0]) for key, state in states.items()}
    successors = {key: [str(state.child(action)) for action in state.legal_actions()] for key, state in live.items()}
    error = math.inf
    while error > threshold:
        error = 0.0
        for key, state in live.items():
            best = max if state.current_player() == 0 else min
            value = best(values[successor] for successor in successors[key])
            error = max(error, abs(values[key] - value))
            values[key] = value
    return values


def main() -> None:
    """Print the tables."""
    quick = "--quick" in sys.argv
    show(rates(quick=quick))
    show(compared_with_c())
    show(default_boards())
    show(memory())
    if "--growth" in sys.argv:
        show(growth())
    if not quick and find_spec("pyspiel"):
        show(peers())
    elif not quick:
        show('The comparison with OpenSpiel was skipped; to install it: pip install "numberline[bench]"')
    show(f"Peak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
