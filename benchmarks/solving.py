"""How fast every position is answered, in what memory, and against OpenSpiel's solvers on the same games.

A rate is positions of the table over the time inside `nl.solve`, table included; the best of several runs in one
process, after one that loads the compiler and touches the memory. Peers are timed once (they are slow) in that process.
`--quick` leaves out what takes minutes, `--growth` adds a table of longer and longer lines.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from importlib.util import find_spec

from rich.table import Table

import numberline as nl
from numberline.solver.index import max_positions
from tables import show

RUNS = 7
GROWTH = (250, 500, 1000, 2000, 4000)


def best_time(variant: str, runs: int = RUNS) -> float:
    """Seconds of the quickest of some runs, after one to warm up."""
    book = nl.book(variant)
    times = []
    for _ in range(runs + 1):
        began = time.perf_counter()
        nl.solve(book)
        times.append(time.perf_counter() - began)
    return min(times[1:] or times)


def rates(*, quick: bool) -> Table:
    """Positions a second on large variants."""
    table = Table("variant", "loops", "positions", "seconds", "million a second", "wanted", title="Large variants")
    fast = "compiled" if find_spec("numba") else "plain (no numba)"
    for variant, wanted in (
        ("line-runner(end=2000)", 15),
        ("number-line-sprint(end=2001)", 12),
        ("reach-the-edge(end=1000000)", 15),
    ):
        _add_rate(table, variant, fast, best_time(variant), wanted)
    if not quick:
        _add_rate(table, "line-runner(end=2000)", "plain", plain_time("line-runner(end=2000)"), 0.25)
    return table


def plain_time(variant: str) -> float:
    """Seconds in a process that can't load numba."""
    code = (
        "import sys; sys.modules['numba'] = None;"
        "import time, numberline as nl; nl.solve(nl.book('line-runner(end=99)'));"
        "book = nl.book(sys.argv[1]); began = time.perf_counter(); nl.solve(book); print(time.perf_counter() - began)"
    )
    return float(_printed(code, variant)[0])


def _printed(code: str, variant: str) -> list[str]:
    """What a fresh process prints."""
    ran = subprocess.run([sys.executable, "-c", code, variant], check=True, capture_output=True, text=True)
    return ran.stdout.split()


def _add_rate(table: Table, variant: str, loops: str, seconds: float, wanted: float) -> None:
    size = max_positions(nl.book(variant))
    rate = size / seconds / 1e6
    table.add_row(variant, loops, f"{size:,}", f"{seconds:.3f}", f"{rate:.2f}", f"{wanted:g}")


def own_boards() -> Table:
    """Milliseconds for the five books as they are, in a fresh interpreter that must not load NumPy."""
    table = Table(
        "book", "milliseconds", "NumPy loaded", "wanted", title="A book's own board, first solve of a process"
    )
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
    """Bytes a position at the peak, by how much the largest memory of a fresh process grows while it solves."""
    table = Table("variant", "peak", "answers", "with the table", "wanted", title="Memory, bytes a position")
    code = (
        "import re, sys, numpy, numberline as nl; nl.solve(nl.book('line-runner(end=400)'));"
        "peak = lambda: int(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]);"
        "before = peak(); solution = nl.solve(nl.book(sys.argv[1]));"
        "size = lambda columns: sum(column.itemsize for column in columns); table = solution.table;"
        "kept = size([*solution.entries, *table.after, table.mover, table.winner]);"
        "print((peak() - before) * 1024 / table.size, size(solution.entries), kept)"
    )
    for variant in ("line-runner(end=2000)", "reach-the-edge(end=1000000)"):
        peak, answers, kept = _printed(code, variant)
        table.add_row(variant, f"{float(peak):.1f}", answers, kept, "45 at the peak, answers 2 or 4")
    return table


def peers() -> Table:
    """The same games in OpenSpiel, solved by its own algorithms."""
    import pyspiel
    from open_spiel.python.algorithms import value_iteration
    from open_spiel.python.algorithms.minimax_solver import MinimaxSolver

    import spiel_games

    sys.setrecursionlimit(1_000_000)
    best_time("line-runner(end=600)", runs=0)  # large enough that the compiler is loaded, as for the rates
    table = Table("game", "ours, seconds", "theirs, seconds", "times faster", "wanted", title="Against OpenSpiel")
    began = time.perf_counter()
    MinimaxSolver("bench_line_runner(end=200)").solve()
    theirs = time.perf_counter() - began
    ours = best_time("line-runner(end=200)")
    table.add_row("Line Runner, end=200: MinimaxSolver", f"{ours:.4f}", f"{theirs:.2f}", f"{theirs / ours:,.0f}", "500")
    game = pyspiel.load_game("bench_reach_the_edge", {"end": 400})
    assert isinstance(game, spiel_games.ReachTheEdge)  # noqa: S101 - it must be the one written here
    began = time.perf_counter()
    value_iteration.value_iteration(game, -1, 0.01, cyclic_game=True)
    theirs = time.perf_counter() - began
    ours = best_time("reach-the-edge(end=400)")
    table.add_row(
        "Reach the Edge, end=400: value_iteration", f"{ours:.4f}", f"{theirs:.2f}", f"{theirs / ours:,.0f}", "2,000"
    )
    return table


def growth() -> Table:
    """Measure how the time grows with the length of the line."""
    table = Table("end", "positions", "seconds", "million a second", title="Line Runner, longer and longer")
    for end in GROWTH:
        variant = f"line-runner(end={end})"
        size, seconds = max_positions(nl.book(variant)), best_time(variant, runs=3)
        table.add_row(str(end), f"{size:,}", f"{seconds:.3f}", f"{size / seconds / 1e6:.1f}")
    return table


def main() -> None:
    """Prints the tables."""
    quick = "--quick" in sys.argv
    show(rates(quick=quick))
    show(own_boards())
    show(memory())
    if "--growth" in sys.argv:
        show(growth())
    if not quick and find_spec("pyspiel"):
        show(peers())
    elif not quick:
        show('The comparison needs OpenSpiel: pip install "numberline[bench]"')
    show(f"Largest memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    main()
