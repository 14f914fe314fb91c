"""Parallel map over worker processes on this machine or the workers of a Dask cluster."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import os
import pickle
import re
import signal
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from numberline.errors import MissingExtra, NumberlineError, int_option
from numberline.text import quote

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_WORKERS = 1_000
CONNECT_TIMEOUT_S = 5.0
MAX_WORKER_DEATHS = 3
ITEMS_PER_WORKER = 2  # one running and one queued, so that no worker sits idle
WORKERS_SYNTAX = (
    "expected a number of processes such as 2, or the address of a Dask scheduler such as tcp://10.0.0.5:8786"
)


class ClusterError(NumberlineError):
    """Invalid `workers`, a task that can't be sent to them, or workers that can't be reached or keep crashing."""


def parse_workers(given: int | str) -> int | str:
    """Parse a number of processes or the address of a Dask scheduler.

    >>> parse_workers("2"), parse_workers("tcp://10.0.0.5:8786")
    (2, 'tcp://10.0.0.5:8786')
    """
    if not isinstance(given, str):
        return int_option("workers", given, maximum=MAX_WORKERS, error=ClusterError)
    text = given.strip()
    if re.fullmatch(r"[0-9]{1,4}", text) and 1 <= int(text) <= MAX_WORKERS:
        return int(text)
    if re.fullmatch(r"(tcp|tls)://[^\s/:]+:[0-9]{1,5}|(tcp|tls)://\[[0-9a-fA-F:]+\]:[0-9]{1,5}", text):
        return text
    raise ClusterError(f"invalid workers value {quote(text)}; {WORKERS_SYNTAX}")


def cpu_count() -> int:
    """Return the number of CPUs available to this process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def map_unordered(
    function: Callable[[Item], Result], items: Iterable[Item], *, workers: int | str = 1
) -> Generator[tuple[int, Result]]:
    """Apply `function` to every item and yield each item's index and result as soon as the result is available.

    If `workers` is 1, everything runs in this process. A larger number is the number of child processes to use, and an
    address is that of a Dask scheduler; in both cases, the function, items and results must be picklable. If a worker
    dies, its items are processed by other workers.
    """
    if isinstance(workers, int) and workers <= 1:
        return ((index, function(item)) for index, item in enumerate(items))
    if isinstance(workers, int):
        return _map_in_processes(function, items, workers)
    return _map_on_cluster(function, items, workers)


def _run_on(
    executor: concurrent.futures.Executor, function: Callable[[Any], Any], tasks: Iterator[tuple[int, Any]], limit: int
) -> Generator[tuple[int, Any]]:
    """Apply `function` to numbered tasks, at most `limit` at a time, and yield each task's number and result."""
    futures: dict[concurrent.futures.Future[Any], int] = {}
    while True:
        for number, task in islice(tasks, limit - len(futures)):
            futures[executor.submit(function, task)] = number
        if not futures:
            return
        for future in concurrent.futures.wait(futures, return_when="FIRST_COMPLETED").done:
            yield futures.pop(future), future.result()


def _map_in_processes(
    function: Callable[[Item], Result], items: Iterable[Item], workers: int
) -> Generator[tuple[int, Result]]:
    pending: dict[int, bytes] = {}

    def new_tasks() -> Iterator[tuple[int, bytes]]:
        for number, item in enumerate(items):
            pending[number] = _pickle(function, item)
            yield number, pending[number]

    new, deaths = new_tasks(), 0
    while deaths < MAX_WORKER_DEATHS:
        with _process_pool(workers) as pool:
            try:
                for number, result in _run_on(pool, _call, chain([*pending.items()], new), ITEMS_PER_WORKER * workers):
                    deaths = 0
                    del pending[number]
                    yield number, result
            except BrokenProcessPool:
                deaths += 1
            else:
                return
    reason = f"worker processes were killed {MAX_WORKER_DEATHS} times in a row, probably because they ran out of memory"
    raise ClusterError(f"{reason}; use fewer workers")


def _pickle(function: Callable[[Item], Result], item: Item) -> bytes:
    try:
        return pickle.dumps((function, item))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        reason = f"the task can't be sent to another process ({error})"
        raise ClusterError(f"{reason}; define its functions and classes at module level") from None


def _call(task: bytes) -> Any:
    function, item = pickle.loads(task)  # noqa: S301 - pickled by the parent process
    return function(item)


@contextmanager
def _process_pool(workers: int) -> Iterator[concurrent.futures.ProcessPoolExecutor]:
    """Yield a process pool whose workers exit as soon as the `with` block ends or this process dies."""
    context = multiprocessing.get_context("spawn")
    read_end, write_end = context.Pipe(duplex=False)
    pool = concurrent.futures.ProcessPoolExecutor(workers, context, init_worker, (read_end,))
    try:
        yield pool
    finally:
        write_end.close()
        pool.shutdown(cancel_futures=True)
        read_end.close()


def init_worker(parent: Connection | None = None) -> None:
    """Ignore Ctrl-C, which the parent process handles; exit when it dies or closes its end of the pipe `parent`."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: Connection | None) -> None:
    process = multiprocessing.parent_process()
    # Nothing is ever sent through the pipe, so it becomes readable only when the parent closes its end or dies.
    wait([*([parent] if parent else []), *([process.sentinel] if process else [])])
    os._exit(1)


def _map_on_cluster(
    function: Callable[[Item], Result], items: Iterable[Item], address: str
) -> Generator[tuple[int, Result]]:
    with _dask_client(address) as client:
        from distributed import KilledWorker

        limit = ITEMS_PER_WORKER * max(1, sum(client.nthreads().values()))
        try:
            yield from _run_on(client.get_executor(pure=False), function, enumerate(items), limit)
        except KilledWorker:
            reason = f"the same task killed several workers of the cluster at {address}"
            raise ClusterError(f"{reason}; give the workers more memory") from None
        except concurrent.futures.CancelledError:
            reason = f"lost the connection to the scheduler at {address}"
            raise ClusterError(f"{reason}; restart the scheduler and run the same command again") from None


@contextmanager
def _dask_client(address: str) -> Iterator[Any]:
    import logging

    try:
        from distributed import Client
    except ImportError:
        raise MissingExtra("Dask", "cluster") from None
    # Dask logs every lost connection, but the errors raised here already report it.
    for name in ("distributed", "distributed.client", "asyncio", "tornado", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError):
        reason = f"no Dask scheduler answered at {address} within {CONNECT_TIMEOUT_S:.0f} seconds"
        raise ClusterError(f"{reason}; start one with: dask scheduler") from None
    try:
        try:
            client.wait_for_workers(1, timeout=CONNECT_TIMEOUT_S)
        except TimeoutError:
            reason = f"the scheduler at {address} has no workers"
            raise ClusterError(f"{reason}; start one with: dask worker {address}") from None
        yield client
    finally:
        client.close(timeout=CONNECT_TIMEOUT_S)
