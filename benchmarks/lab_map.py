"""Scaling of a sweep: two workers compared with one, and the share of the work done by the calling process.

The same sweep runs with one and two workers, in local processes and on a local Dask cluster, after a warm-up round. The
overhead of the caller (creating and sending shards, writing files) is its CPU time; the work inside the shards is
measured in a single process.
"""

from __future__ import annotations

import logging
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.table import Table

import numberline as nl
from numberline.lab.grid import parse_axis
from numberline.lab.sweep import run_sweep
from numberline.lab.sweep_store import SweepPlan, measure_to_parquet
from tables import show

SETTINGS = (
    "end=8..72",
    "flag=2..7",
    "steps=1-2;1-3;1-4;1,3;1,4;1,2,5;1,3,5;2-4",
    "repeat=free,banned",
    "stuck=passes,loses",
)
ROUNDS = 2


def plan() -> SweepPlan:
    """Return a sweep of 12,480 variants of Flag Chase."""
    return SweepPlan(nl.book("flag-chase"), [parse_axis(text) for text in SETTINGS], "metrics")


def shard_seconds() -> float:
    """Return the total CPU time of all shards."""
    sweep = plan()
    measure_to_parquet(sweep.shard(0))
    started = time.process_time()
    for number in range(len(sweep)):
        measure_to_parquet(sweep.shard(number))
    return time.process_time() - started


def sweep_seconds(workers: int | str) -> tuple[float, float]:
    """Return the wall time of the fastest sweep, and the caller's CPU time for it."""
    times = []
    for _ in range(ROUNDS + 1):
        with tempfile.TemporaryDirectory() as folder:
            clock, caller = time.perf_counter(), time.process_time()
            run_sweep(plan(), out=Path(folder) / "map", workers=workers)
            times.append((time.perf_counter() - clock, time.process_time() - caller))
    return min(times[1:])


@contextmanager
def dask(workers: int) -> Iterator[str]:
    """Start a local cluster with `workers` processes and yield its address."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.ERROR
    ) as cluster:
        yield cluster.scheduler_address


def main() -> None:
    work = shard_seconds()
    one, two = sweep_seconds(1)[0], sweep_seconds(2)
    with dask(1) as address:
        dask_one = sweep_seconds(address)[0]
    with dask(2) as address:
        dask_two = sweep_seconds(address)
    table = Table("workers", "one (s)", "two (s)", "speed-up", "outside the shards", title="Sweep of Flag Chase")
    for name, alone, (together, caller) in (("processes", one, two), ("Dask", dask_one, dask_two)):
        share = caller / (caller + work)
        table.add_row(name, f"{alone:.1f}", f"{together:.1f}", f"{alone / together:.2f} times", f"{share:.0%}")
    show(table, f"{plan().grid.size:,} variants in {len(plan())} shards; {work:.1f} s of CPU time in the shards.")


if __name__ == "__main__":
    main()
