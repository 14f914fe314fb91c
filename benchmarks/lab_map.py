"""How a map spreads out: the share of the work that is left to the caller, and two workers against one.

The same map is made with one worker and with two, by processes of this machine and by a Dask cluster on it; every
worker has worked before the clock starts. What the caller does (cutting shards, sending, writing files) is its own
processor time; what is done in the shards is measured in one process.
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
from numberline.lab.sweep_shards import measure_to_parquet
from numberline.lab.sweep_store import SweepPlan
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
    """The map: 12,480 variants of Flag Chase."""
    return SweepPlan(nl.book("flag-chase"), [parse_axis(text) for text in SETTINGS], "metrics")


def inside() -> float:
    """The processor time of all shards together."""
    asked = plan()
    measure_to_parquet(asked.shard(0))
    began = time.process_time()
    for number in range(len(asked)):
        measure_to_parquet(asked.shard(number))
    return time.process_time() - began


def made(workers: int | str) -> tuple[float, float]:
    """The quickest time of a whole map on the clock, and the caller's processor time for it."""
    found = []
    for _ in range(ROUNDS + 1):
        with tempfile.TemporaryDirectory() as folder:
            clock, caller = time.perf_counter(), time.process_time()
            run_sweep(plan(), out=Path(folder) / "map", workers=workers)
            found.append((time.perf_counter() - clock, time.process_time() - caller))
    return min(found[1:])


@contextmanager
def dask(workers: int) -> Iterator[str]:
    """The address of a cluster of so many processes."""
    from distributed import LocalCluster

    with LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=logging.ERROR
    ) as cluster:
        yield cluster.scheduler_address


def main() -> None:
    """Prints the table."""
    work = inside()
    one, two = made(1)[0], made(2)
    with dask(1) as address:
        dask_one = made(address)[0]
    with dask(2) as address:
        dask_two = made(address)
    table = Table("workers", "one (s)", "two (s)", "two against one", "outside the shards", title="A map of Flag Chase")
    for name, alone, (together, caller) in (("processes", one, two), ("Dask", dask_one, dask_two)):
        share = caller / (caller + work)
        table.add_row(name, f"{alone:.1f}", f"{together:.1f}", f"{alone / together:.2f} times", f"{share:.0%}")
    show(table, f"{plan().grid.size:,} variants in {len(plan())} shards; {work:.1f} s of processor time in the shards.")


if __name__ == "__main__":
    main()
