"""Work spread out over workers: processes here, or the machines of a Dask cluster."""

from __future__ import annotations

import os
import re
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager
from typing import Any, TypeVar

from numberline.errors import NumberlineError, int_option
from numberline.text import quote

Item = TypeVar("Item")
Result = TypeVar("Result")

MAX_WORKERS = 1_000
"""So many processes are more than any machine has use for."""
CONNECT_TIMEOUT_S = 5.0
"""Seconds that a scheduler, or the first of its workers, may take to answer."""
PARENT_POLL_INTERVAL_S = 0.5
"""Every so many seconds a process looks whether the one that started it is still there."""
MAX_WORKER_DEATHS = 3
"""So many times in a row a worker may be killed before anything more is done."""
WORKERS_SYNTAX = (
    "expected a number of processes such as 2, or the address of a Dask scheduler such as tcp://10.0.0.5:8786"
)


class ClusterError(NumberlineError):
    """Workers that can't be had, or that are lost; the text says what would do."""


def parse_workers(given: int | str) -> int | str:
    """What the value of an option means: a number of processes, or the address of a scheduler.

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
    raise ClusterError(f"{quote(text)} names no workers; {WORKERS_SYNTAX}")


def cpu_count() -> int:
    """How many processes can work at once here."""
    import joblib

    count: int = joblib.cpu_count()
    return count


def map_unordered(
    function: Callable[[Item], Result], pieces: Iterable[Item], *, workers: int | str = 1
) -> Iterator[tuple[int, Result]]:
    """What the function makes of each piece, with the piece's number from 0, each as soon as it is done.

    The function has to be one of a module, and what it takes and gives must be able to travel. With 1 worker all is
    done in this process, with more in processes beside it, and with an address on a cluster. A piece whose worker was
    killed is done again by another one.
    """
    if isinstance(workers, int) and workers <= 1:
        return ((number, function(piece)) for number, piece in enumerate(pieces))
    if isinstance(workers, int):
        return _in_processes(function, pieces, workers)
    return _on_cluster(function, pieces, workers)


class _Numbered:
    """A function of a module that also says for which piece it was called."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        self.function = function

    def __call__(self, number: int, piece: Any) -> tuple[int, Any]:
        return number, self.function(piece)


def _init_worker(parent: int) -> None:
    """What a process does before its first piece: it leaves Ctrl-C to the one that started it, and ends with it."""
    import signal
    import threading

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_exit_with_parent, args=(parent,), daemon=True).start()


def _exit_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(PARENT_POLL_INTERVAL_S)
    os._exit(1)


def _in_processes(function: Callable[[Any], Any], pieces: Iterable[Any], workers: int) -> Iterator[tuple[int, Any]]:
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    waiting = enumerate(pieces)
    sent: dict[int, Any] = {}
    deaths = 0
    begun = {"initializer": _init_worker, "initargs": (os.getpid(),)}
    while True:
        again = list(sent.items())
        try:
            with closing(_joblib(function, _sending(again, waiting, sent), workers, "loky", **begun)) as results:
                for number, result in results:
                    deaths = 0
                    del sent[number]
                    yield number, result
        except TerminatedWorkerError:
            deaths += 1
            if deaths == MAX_WORKER_DEATHS:
                raise ClusterError(
                    f"a process that worked was ended {MAX_WORKER_DEATHS} times in a row; give the work more memory, "
                    "or spread it over fewer processes"
                ) from None
        except GeneratorExit:
            get_reusable_executor().shutdown(wait=False, kill_workers=True)
            raise
        else:
            return


def _sending(again: list[tuple[int, Any]], waiting: Iterator[tuple[int, Any]], sent: dict[int, Any]) -> Iterator[Any]:
    """The pieces on their way to the workers: first those that were lost; each is kept until it is done."""
    yield from again
    for number, piece in waiting:
        sent[number] = piece
        yield number, piece


def _joblib(
    function: Callable[[Any], Any], pieces: Iterable[Any], workers: int, backend: Any, **options: Any
) -> Generator[Any]:
    from joblib import Parallel, delayed

    way = {"batch_size": 1, "pre_dispatch": "2*n_jobs", "return_as": "generator_unordered"}
    parallel = Parallel(n_jobs=workers, backend=backend, **way, **options)
    numbered = delayed(_Numbered(function))
    results: Generator[Any] = parallel(numbered(number, piece) for number, piece in pieces)
    try:
        for result in results:  # noqa: UP028 - `yield from` would close it outside the `finally`
            yield result
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that some pieces were still in work is what closing is about
            results.close()


# On a cluster


def _on_cluster(function: Callable[[Any], Any], pieces: Iterable[Any], address: str) -> Iterator[tuple[int, Any]]:
    from concurrent.futures import CancelledError

    with _client(address) as client:
        from distributed import KilledWorker

        try:
            with closing(_joblib(function, enumerate(pieces), -1, _dask(client))) as results:
                yield from results
        except KilledWorker:
            raise ClusterError(
                f"the workers of {address} were killed over the same piece of work; give them more memory"
            ) from None
        except CancelledError:
            raise ClusterError(
                f"the scheduler at {address} was lost; start it and give the same command again"
            ) from None


@contextmanager
def _client(address: str) -> Iterator[Any]:
    """A line to the scheduler at an address."""
    import logging

    try:
        from distributed import Client
    except ImportError:
        wanted = 'install it with: pip install "numberline[cluster]"'
        raise ClusterError(f"{address} is a cluster, which needs Dask; {wanted}") from None
    # What goes wrong is said in one sentence by whoever meets it.
    for name in ("distributed", "distributed.client", "asyncio", "tornado", "tornado.application"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=CONNECT_TIMEOUT_S, set_as_default=False)
    except (OSError, ValueError, TimeoutError):
        wanted = "start one with: dask scheduler"
        raise ClusterError(
            f"no Dask scheduler answers at {address} within {CONNECT_TIMEOUT_S:.0f} seconds; {wanted}"
        ) from None
    try:
        if not client.nthreads():
            try:
                client.wait_for_workers(1, timeout=CONNECT_TIMEOUT_S)
            except TimeoutError:
                wanted = f"start one with: dask worker {address}"
                raise ClusterError(f"the scheduler at {address} has no workers; {wanted}") from None
        yield client
    finally:
        client.close(timeout=CONNECT_TIMEOUT_S)


def _dask(client: Any) -> Any:
    """Joblib's way to Dask, which here also hears of pieces that no worker could finish."""
    from joblib._dask import DaskDistributedBackend

    class Hearing(DaskDistributedBackend):  # type: ignore[misc] # joblib has no types
        def effective_n_jobs(self, n_jobs: int) -> int:
            found: int = super().effective_n_jobs(n_jobs)
            return max(2, found)  # where there is a single worker, joblib would do the work itself

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            future.add_done_callback(lambda done: done.exception() and callback(done.exception()))
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, BaseException):
                raise out
            return super().retrieve_result_callback(out)

    return Hearing(client=client)
