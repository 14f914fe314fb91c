"""Load tests of the web server: throughput compared with boardgame.io, latency, memory, start-up and click latency.

The server and the client are separate processes; each game uses two WebSockets, one per player. Numberline stores every
move in SQLite before it replies; boardgame.io, running the same game on the same machine, stores moves only in memory.
The same Node client plays on both servers, which alternate and are restarted for every run; rows are medians. No game
ends while it is measured, because players move back as well as forward. All files are inside the virtual environment.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.table import Table

from tables import show
from web_click import click_to_answer
from web_scale import shared, stored, watched
from web_servers import (
    ENVIRONMENT,
    free_port,
    holding,
    kilobytes,
    load,
    our_command,
    ours,
    theirs,
    wait_for,
    without_node,
)

GAMES = 1_000
RUNS = 5
WARM, SECONDS = 3, 10
BOARDS = {
    "the book's line, 0 to 20": ("line-runner(reverse=true)", 20, False),
    "a line to 1,000, forward only": ("line-runner(end=1000, reverse=true)", 1_000, True),
}
"""For each row: the variant, the end of its line, and whether games only move forward (few repeated positions)."""
RATE = 500
HELD, PLIES = 5_000, 10
STARTS = 15
CLICKS = 60


def throughput(folder: Path) -> list[Table]:
    """Measure moves per second in many games, each of which sends its next move once the last one is acknowledged."""
    tables = []
    for name, (variant, end, forward) in BOARDS.items():
        order = {"games": GAMES, "warm": WARM, "seconds": SECONDS, "rate": 0, "forward": forward}
        runs: dict[str, list[dict[str, Any]]] = {"numberline, durable": [], "boardgame.io, in memory": []}
        for _ in range(RUNS):
            with ours(folder) as (port, server):
                asked = {"server": "numberline", "port": port, "pid": server.pid, "variant": variant}
                runs["numberline, durable"].append(load(**asked, **order))
            with theirs(folder, end) as (port, lobby, server):
                asked = {"server": "boardgame.io", "port": port, "lobby": lobby, "pid": server.pid}
                runs["boardgame.io, in memory"].append(load(**asked, **order))
        title = f"Moves per second, {GAMES:,} live games on {name} (goal: 1.5 times boardgame.io)"
        table = Table("server", "moves per second", "ratio", "p50", "p99", "CPU time", "client busy", title=title)
        rates = {who: _median(side, lambda run: run["moves"] / run["seconds"]) for who, side in runs.items()}
        for who, side in runs.items():
            table.add_row(
                who,
                f"{rates[who]:,.0f}",
                f"{rates[who] / rates['boardgame.io, in memory']:.2f}",
                f"{_median(side, lambda run: run['p50']):.0f} ms",
                f"{_median(side, lambda run: run['p99']):.0f} ms",
                f"{_median(side, _processor):.0f} µs per move",
                f"{_median(side, lambda run: run['busy']):.0%}",
            )
        tables.append(table)
    return tables


def _processor(run: dict[str, Any]) -> float:
    """Return the server's CPU time per move in microseconds, or NaN if the system does not report it."""
    return float("nan" if run["spent"] is None else run["spent"] / run["moves"] * 1e6)


def _median(runs: list[dict[str, Any]], figure: Callable[[dict[str, Any]], float]) -> float:
    return statistics.median(map(figure, runs))


def fsync(folder: Path) -> float:
    """Return the median milliseconds to write and fsync a page the size of one in SQLite's log."""
    times = []
    with (folder / "fsync.bin").open("wb", buffering=0) as log:
        for _ in range(300):
            page = os.urandom(4_152)
            began = time.perf_counter()
            log.write(page)
            os.fsync(log.fileno())
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def waiting(folder: Path) -> Table:
    """Measure acknowledgement latency while moves arrive at a fixed rate (open loop)."""
    title = f"Acknowledgement latency at {RATE} moves per second, {GAMES:,} games, open loop"
    table = Table("run", "moves", "p50", "p99", "longest", "fsync, median", "goal: p99 up to", title=title)
    variant = BOARDS["the book's line, 0 to 20"][0]
    for run in range(1, 4):
        disk = fsync(folder)
        with ours(folder) as (port, _):
            order = {"games": GAMES, "warm": WARM, "seconds": SECONDS, "rate": RATE, "variant": variant}
            said = load(server="numberline", port=port, **order)
        disk = statistics.mean((disk, fsync(folder)))
        figures = (said["p50"], said["p99"], said["most"], disk, 10 * disk + 3)
        table.add_row(str(run), f"{said['moves']:,}", *(f"{figure:.2f} ms" for figure in figures))
    return table


def held(folder: Path) -> Table | str:
    """Measure the memory of a running game with both players connected."""
    if not Path("/proc/self/status").exists():
        return "Memory was not measured: this system has no /proc."
    most = (resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 200) // 2
    games = min(HELD, most)
    title = f"Memory with both players connected and {PLIES} plies played (goal: up to 64 KB per game)"
    table = Table("games", "before", "with the games", "per game", "to create", "to connect", title=title)
    with ours(folder) as (port, server):
        order = {"server": "numberline", "port": port, "variant": BOARDS["the book's line, 0 to 20"][0], "rate": 0}
        with holding(games=10, opening=PLIES, **order):
            pass  # warm-up: load everything that the first game needs
        before = kilobytes(server.pid)
        with holding(games=games, opening=PLIES, **order) as said:
            after = kilobytes(server.pid)
    table.add_row(
        f"{games:,}",
        f"{before / 1024:.0f} MB",
        f"{after / 1024:.0f} MB",
        f"{(after - before) / games:.1f} KB",
        f"{said['create']:.0f} s, rate-limited {said['slowed']} times",
        f"{said['connect']:.0f} s",
    )
    return table


def bare() -> float:
    """Return the seconds to start Python and exit."""
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "pass"], check=True, env=ENVIRONMENT)
    return time.perf_counter() - began


def until(path: str, folder: Path) -> float:
    """Return the seconds from starting `numberline web` with a new database until `path` responds."""
    port = free_port()
    log = folder / f"start-{port}.log"
    with log.open("wb") as said:
        began = time.perf_counter()
        with subprocess.Popen(our_command(port, folder), env=ENVIRONMENT, stdout=said, stderr=said) as server:
            wait_for(server, port, path, log)
            waited = time.perf_counter() - began
            server.terminate()
    return waited


def cold_start(folder: Path) -> Table:
    """Measure the start-up time relative to starting Python and exiting; runs are interleaved."""
    ways: dict[str, Callable[[], float]] = {
        "python -c pass": bare,
        "numberline web, until /readyz responds": lambda: until("/readyz", folder),
        "numberline web, until the home page responds": lambda: until("/", folder),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for start in range(STARTS + 1):
        for name, way in ways.items():
            taken = way()
            if start:  # the first start writes bytecode and fills the file cache
                times[name].append(taken)
    base = statistics.median(times["python -c pass"])
    table = Table("start", "median", "relative to bare Python", title="Cold start (goal: up to 12)")
    for name, taken_all in times.items():
        median = statistics.median(taken_all)
        table.add_row(name, f"{median * 1000:.0f} ms", f"{median / base:.1f}")
    return table


def clicks(folder: Path) -> Table:
    """Measure the time from a click until the acknowledged move is drawn, as timed by the page."""
    title = f"From click to drawn move, {CLICKS} clicks (goal: median under 50 ms)"
    table = Table("motion preference", "median", "p90", title=title)
    with ours(folder) as (port, _):
        url = f"http://127.0.0.1:{port}"
        moving, still = click_to_answer(url, CLICKS, "no-preference"), click_to_answer(url, CLICKS, "reduce")
    for name, times in {"default": moving, "reduced motion": still}.items():
        nine = sorted(times)[len(times) * 9 // 10]
        table.add_row(name, f"{statistics.median(times):.0f} ms", f"{nine:.0f} ms")
    return table


def main() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    missing = without_node()
    with tempfile.TemporaryDirectory(dir=sys.prefix, prefix="bench-") as name:
        folder = Path(name)
        show(cold_start(folder), clicks(folder))
        if missing:
            show(f"Throughput, latency and memory were not measured: {missing}.")
            return
        show(waiting(folder))
        show(held(folder))
        show(*throughput(folder))
        show(shared(folder), watched(folder), stored(folder))


if __name__ == "__main__":
    main()
