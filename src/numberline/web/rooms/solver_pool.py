"""Queues for work that takes time: solving, searching, and reading and describing books.

Clients take turns in each queue, and so do the matches of a client. Shipped books and small variants
take milliseconds and are solved in threads, all others in worker processes, which are killed if a job takes too long.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cache, partial
from multiprocessing.connection import Connection
from threading import Lock
from typing import Any, NamedTuple, TypeVar

from numberline.errors import NumberlineError
from numberline.explain.puzzle import puzzle_variants
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as find_book
from numberline.parallel import init_worker
from numberline.web.ops.rate_limit import CURRENT_CLIENT
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import MAX_QUICK_MOVES, TOO_BIG_MESSAGE, solver_work

T = TypeVar("T")
JOB_TIMEOUT_S = 10.0
START_TIMEOUT_S = 60.0
MAX_SEARCH_S, MIN_SEARCH_S = 1.0, 0.2
MAX_WAITING, MAX_WAITING_PER_CLIENT = 4_000, 2_000  # after a restart, a whole school may reconnect
MAX_QUICK_WORK = 20_000  # solved in milliseconds
WORK_PER_POINT, MAX_PRICE = 25_000, 200
SOURCE_CHARS_PER_POINT, MOVES_PER_POINT = 1_000, 10


class WorkerProcess:
    """Process that runs one function at a time; it starts on first use and is killed if a function takes too long."""

    _process: multiprocessing.process.BaseProcess | None = None
    _connection: Connection

    def __init__(self) -> None:
        self._lock = Lock()  # `kill` can be called while the process starts

    def __call__(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return the function's result; raise `ApiError` if it takes too long or the process dies."""
        with suppress(OSError, EOFError):
            if self._process is None:
                self._start()
            self._connection.send((function, arguments))
            if self._connection.poll(JOB_TIMEOUT_S):
                result, error = self._connection.recv()
                if error:
                    raise error
                return result  # type: ignore[no-any-return] # unpickled
        self.kill()
        raise ApiError("too_many_positions", TOO_BIG_MESSAGE)

    def kill(self) -> None:
        with self._lock:
            process, self._process = self._process, None
        if process:
            process.kill()
            process.join()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        with self._lock:
            self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
            self._process.start()
        theirs.close()
        if self._connection.poll(START_TIMEOUT_S):
            self._connection.recv()


def _serve(connection: Connection) -> None:
    """Run the functions that the parent sends until it closes the connection or dies."""
    init_worker()
    sys.modules["numba"] = None  # type: ignore[assignment]  # compiling kernels would exceed a job's time limit
    if hasattr(os, "nice"):
        os.nice(10)  # moves are more urgent
    reply: tuple[Any, NumberlineError | None] = None, None
    with suppress(EOFError):
        while True:
            connection.send(reply)
            function, arguments = connection.recv()
            try:
                reply = function(*arguments), None
            except NumberlineError as error:
                reply = None, error


class _Job(NamedTuple):
    client: str
    match: str
    call: tuple[Any, ...]
    """Arguments to call the slot with: a function and its arguments."""
    started: asyncio.Future[asyncio.Future[Any]]
    """Future that is resolved when the job starts; its result is the future of the job's result."""


class FairQueue:
    """Queue of jobs that share a few slots.

    The client that has used the least time is next; among its jobs, the match that has used the least time is next.
    Used time is forgotten when the queue is empty.
    """

    def __init__(self, slots: Sequence[Callable[..., Any]]) -> None:
        self.waiting: list[_Job] = []
        self._idle = list(slots)
        self._threads = ThreadPoolExecutor(len(slots), thread_name_prefix="solver")
        self._running: set[str] = set()
        self._used_s: defaultdict[str, float] = defaultdict(float)
        self._closed = False

    async def run(self, function: Callable[..., T], *arguments: Any, match: str = "") -> T:
        """Return the function's result; raise `ApiError` if too many jobs are waiting."""
        address = CURRENT_CLIENT.get().limited_address
        client = address or match
        mine = sum(job.client == client for job in self.waiting)
        if address and (mine >= MAX_WAITING_PER_CLIENT or len(self.waiting) >= MAX_WAITING):
            raise ApiError("slow_down", "The server is busy. Try again in a few seconds.")
        job = _Job(client, match, (function, *arguments), asyncio.get_running_loop().create_future())
        self.waiting.append(job)
        self._start_jobs()
        result: T = await asyncio.shield(await job.started)  # a slot is in use until its job is done
        return result

    def close(self) -> None:
        """Cancel the waiting jobs and start no others; a job requested later waits until its caller is cancelled."""
        self._closed = True
        for job in self.waiting:
            job.started.cancel()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _start_jobs(self) -> None:
        """Start the next jobs; each client uses at most one slot, so that no client can block the others."""
        self.waiting = [job for job in self.waiting if not (self._closed or job.started.done())]
        while self._idle and (ready := [job for job in self.waiting if job.client not in self._running]):
            job = min(ready, key=lambda job: (self._used_s[job.client], self._used_s[job.match]))
            self.waiting.remove(job)
            self._running.add(job.client)
            slot, started = self._idle.pop(), time.perf_counter()
            job.started.set_result(asyncio.get_running_loop().run_in_executor(self._threads, slot, *job.call))
            job.started.result().add_done_callback(partial(self._finish, job, slot, started))

    def _finish(self, job: _Job, slot: Callable[..., Any], started: float, done: asyncio.Future[Any]) -> None:
        for user in {job.client, job.match}:
            self._used_s[user] += time.perf_counter() - started
        self._idle.append(slot)
        self._running.discard(job.client)
        with suppress(asyncio.CancelledError):
            done.exception()  # retrieved even if the client has left
        if not (self.waiting or self._running):
            self._used_s.clear()
        self._start_jobs()


class SolverPool:
    """The queues of a server: one for shipped books, one for views and small variants, and one for everything else."""

    def __init__(self, processes: int = 2) -> None:
        self._workers = [WorkerProcess() for _ in range(processes)]
        self._shipped, self._large = FairQueue([_call]), FairQueue(self._workers)
        self._views = FairQueue([_call, _call])

    async def solve(
        self, book: Book | None, function: Callable[..., T], *arguments: Any, match: str = "", charge: bool = True
    ) -> T:
        """Run a function that needs the solution of `book` or, if `book` is None, only solutions of shipped books.

        The function and its arguments must be picklable. Raises `ApiError` if the client exceeds its rate limit, too
        many jobs are waiting, or the function takes too long.
        """
        work = 0 if book is None or book in _shipped_books() else solver_work(book)
        if charge:
            CURRENT_CLIENT.get().charge(min(MAX_PRICE, 2 + work // WORK_PER_POINT))
        queue = self._shipped if not work else self._views if work <= MAX_QUICK_WORK else self._large
        return await queue.run(function, *arguments, match=match)

    async def search(self, function: Callable[..., T], *arguments: Any, match: str = "") -> T:
        """Run a search in a worker process; its last argument is a time limit, which is shorter if jobs are waiting."""
        limit_s = max(MIN_SEARCH_S, MAX_SEARCH_S / (1 + len(self._large.waiting)))
        return await self._large.run(function, *arguments, limit_s, match=match)

    async def load(self, load: Callable[[str, str | None], T], variant: str, source: str | None) -> T:
        """Read a book with `load`; raise `ApiError` if the client exceeds its rate limit."""
        CURRENT_CLIENT.get().charge(len(source or "") // SOURCE_CHARS_PER_POINT)
        return await self.view(load, variant, source)

    async def view(self, function: Callable[..., T], *arguments: Any) -> T:
        """Run a function that reads or describes a book but doesn't need its solution.

        If the first argument is a book with many moves, the function runs in a worker process and must be picklable.
        """
        is_slow = isinstance(arguments[0], Book) and len(arguments[0].choices) > MAX_QUICK_MOVES
        return await (self._large if is_slow else self._views).run(function, *arguments)

    def close(self) -> None:
        for queue in (self._shipped, self._large, self._views):
            queue.close()
        for worker in self._workers:
            worker.kill()


def charge_for_view(book: Book) -> Book:
    """Charge the client for a view of `book`, in proportion to the number of moves, and return the book."""
    CURRENT_CLIENT.get().charge(len(book.choices) // MOVES_PER_POINT)
    return book


def _call(function: Callable[..., T], *arguments: Any) -> T:
    return function(*arguments)


@cache
def _shipped_books() -> frozenset[Book]:
    """Return the built-in books and the variants of them that are used for puzzles."""
    return frozenset(each for name in NAMES for each in (find_book(name), *puzzle_variants(find_book(name))))
