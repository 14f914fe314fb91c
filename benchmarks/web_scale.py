"""Throughput of several workers on one database, broadcast latency to many watchers, and disk space."""

from __future__ import annotations

import contextlib
import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
from rich.table import Table

sys.path.append(str(Path(__file__).parent.parent / "tests"))

from support.postgres_server import NAMED, Cluster, fresh_database, programs
from web_servers import load, ours, theirs, watch

GAMES = 1_000
RUNS = 3
WARM, SECONDS = 3, 10
VARIANT, END = "line-runner(reverse=true)", 20
WATCHERS, MOVES = 2_000, 50
PEER = "boardgame.io, in memory"


@contextlib.contextmanager
def postgres(folder: Path) -> Iterator[str]:
    """Yield the address of a durable PostgreSQL server: the configured one, or a temporary one."""
    if named := os.environ.get(NAMED):
        yield named
        return
    tempfile.tempdir = (
        str(folder) if os.getuid() else None
    )  # as root, PostgreSQL runs as another user, who can't access the folder
    cluster = Cluster(programs(), fsync="on", shared_buffers="128MB")
    try:
        yield cluster.address
    finally:
        cluster.remove()
        tempfile.tempdir = None


def shared(folder: Path) -> Table:
    """Measure durable moves per second: SQLite, PostgreSQL with one and two workers, and boardgame.io."""
    order = {"games": GAMES, "warm": WARM, "seconds": SECONDS, "rate": 0, "forward": False}
    runs: dict[str, list[dict[str, Any]]] = {}
    with postgres(folder) as address:
        for _ in range(RUNS):
            for name, database, workers in (
                ("SQLite, 1 process", "", 1),
                ("PostgreSQL, 1 worker", fresh_database(address), 1),
                ("PostgreSQL, 2 workers", fresh_database(address), 2),
            ):
                with ours(folder, database, workers) as (port, server):
                    asked = {"server": "numberline", "port": port, "pid": server.pid, "variant": VARIANT}
                    runs.setdefault(name, []).append(load(**asked, **order))
            with theirs(folder, END) as (port, lobby, server):
                asked = {"server": "boardgame.io", "port": port, "lobby": lobby, "pid": server.pid}
                runs.setdefault(PEER, []).append(load(**asked, **order))
    title = f"Durable moves per second, {GAMES:,} live games (goal: PostgreSQL at least half of SQLite)"
    table = Table("server", "moves per second", "vs SQLite", "p50", "p99", "CPU time", "client busy", title=title)
    first = _median(runs["SQLite, 1 process"], _rate)
    for name, side in runs.items():
        table.add_row(
            name,
            f"{_median(side, _rate):,.0f}",
            f"{_median(side, _rate) / first:.2f}",
            f"{_median(side, lambda run: run['p50']):.0f} ms",
            f"{_median(side, lambda run: run['p99']):.0f} ms",
            f"{_median(side, lambda run: run['spent'] / run['moves'] * 1e6):.0f} µs per move",
            f"{_median(side, lambda run: run['busy']):.0%}",
        )
    return table


def _rate(run: dict[str, Any]) -> float:
    return float(run["moves"] / run["seconds"])


def _median(runs: list[dict[str, Any]], figure: Callable[[dict[str, Any]], float]) -> float:
    return statistics.median(map(figure, runs))


def watched(folder: Path) -> Table:
    """Measure how long it takes until all watchers of one match have received a move."""
    title = f"{WATCHERS:,} sockets watching one match, {MOVES} consecutive moves"
    table = Table("run", "received", "p50", "p99", "longest", "CPU time", title=title)
    for run in range(1, RUNS + 1):
        with ours(folder) as (port, server):
            order = {"port": port, "pid": server.pid, "variant": VARIANT, "warm": 5, "moves": MOVES}
            said = watch(watchers=WATCHERS, **order)
        table.add_row(
            str(run),
            f"{said['told']:,} of {WATCHERS * MOVES:,}",
            *(f"{said[name]:.0f} ms" for name in ("p50", "p99", "most")),
            f"{said['spent'] / said['told'] * 1e6:.0f} µs per watcher",
        )
    return table


def stored(folder: Path) -> Table:
    """Measure the disk space per event in SQLite and PostgreSQL."""
    order = {"games": GAMES, "warm": 0, "seconds": SECONDS, "rate": 0, "forward": False, "variant": VARIANT}
    table = Table("database", "matches", "events", "bytes per event", title="Disk space")
    with ours(folder) as (port, _):
        load(server="numberline", port=port, **order)
    file = folder / f"bench-{port}.db"
    table.add_row("SQLite", *_sizes(_sqlite(file)))
    with postgres(folder) as address:
        database = fresh_database(address)
        with ours(folder, database) as (port, _):
            load(server="numberline", port=port, **order)
        table.add_row("PostgreSQL", *_sizes(_postgres(database)))
    return table


def _sizes(found: tuple[int, int, int]) -> tuple[str, str, str]:
    matches, events, size = found
    return f"{matches:,}", f"{events:,}", f"{size / events:.0f}"


def _sqlite(file: Path) -> tuple[int, int, int]:
    import sqlite3

    with contextlib.closing(sqlite3.connect(file)) as opened:
        matches = opened.execute("SELECT count(*) FROM match").fetchone()[0]
        events = opened.execute("SELECT count(*) FROM event").fetchone()[0]
    return matches, events, file.stat().st_size


def _postgres(address: str) -> tuple[int, int, int]:
    with psycopg.connect(address) as opened:
        found = opened.execute(
            "SELECT (SELECT count(*) FROM match), (SELECT count(*) FROM event), pg_total_relation_size('event')"
        ).fetchone()
    return found or (0, 0, 0)
