"""Jobs for the tests of `parallel`, in a module that every worker can import, and a real Dask cluster."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def doubled(number: int) -> int:
    return 2 * number


def three_is_refused(number: int) -> int:
    if number == 3:
        raise ValueError("three")
    return number


def killed_once(piece: tuple[int, str]) -> int:
    """Return the number; the first worker that gets 3 is killed, as on a failing machine."""
    number, mark = piece
    if number == 3 and not Path(mark).exists():
        Path(mark).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def killed_always(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def never_done(folder: str) -> None:
    """Create a file named after the process, and run until killed."""
    (Path(folder) / f"{os.getpid()}.pid").touch()
    time.sleep(1_000)


@contextmanager
def running(*arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a Dask process until the block ends."""
    paths = [str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, paths))}
    process = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]],
        env=environment,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(20)


@contextmanager
def scheduler(folder: Path) -> Iterator[str]:
    """Yield the address of a scheduler without workers."""
    scheduler_file = folder / "scheduler.json"
    options = ["--port", "0", "--no-dashboard", "--scheduler-file", str(scheduler_file)]
    with running("scheduler", *options, "--host", "127.0.0.1"):
        for _ in range(600):
            if scheduler_file.exists() and (text := scheduler_file.read_text()).strip():
                yield json.loads(text)["address"]
                return
            time.sleep(0.05)
        raise TimeoutError("the scheduler did not start")


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """Yield the address of a scheduler with two workers, which are restarted when killed."""
    options = ["--no-dashboard", "--nworkers", "2", "--nthreads", "1", "--local-directory", str(folder)]
    from distributed import Client

    with scheduler(folder) as address, running("worker", address, *options):
        with Client(address, set_as_default=False) as client:
            client.wait_for_workers(2, timeout=60)
        yield address
