"""The queues for slow work: fair, bounded, priced, and ended by a deadline."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import numberline as nl
from numberline.errors import IllegalMove
from numberline.explain.puzzle import puzzle_variants
from numberline.web.ops.rate_limit import CURRENT_CLIENT, Client, RateLimiter
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import MAX_SOLVER_WORK, is_solvable, solver_work
from numberline.web.rooms import solver_pool
from numberline.web.rooms.solver_pool import MAX_WAITING_PER_CLIENT, FairQueue, SolverPool, WorkerProcess
from support.solver_jobs import limit, raise_illegal, search_forever, spin

MEDIUM = "line-runner(end=60)"


@contextmanager
def client(address: str, limiter: RateLimiter | None = None) -> Iterator[None]:
    token = CURRENT_CLIENT.set(Client(address, "", limiter))
    try:
        yield
    finally:
        CURRENT_CLIENT.reset(token)


def with_pool(scene: Callable[[SolverPool], Awaitable[None]]) -> None:
    async def run() -> None:
        pool = SolverPool(1)
        try:
            await scene(pool)
        finally:
            pool.close()

    asyncio.run(run())


def call_here(function: Callable[..., Any], *arguments: Any) -> Any:
    return function(*arguments)


def order_of(jobs: list[tuple[str, str]], slots: int = 1) -> list[tuple[str, str]]:
    """Return the order in which jobs of these clients and matches run; they arrive while one of `a` is running."""

    async def run() -> list[tuple[str, str]]:
        queue, signal, done = FairQueue([call_here] * slots), threading.Event(), list[tuple[str, str]]()
        with client("a"):
            tasks: list[asyncio.Task[Any]] = [asyncio.create_task(queue.run(signal.wait, 10))]
        await asyncio.sleep(0)
        for name, match in jobs:
            with client(name):
                tasks.append(asyncio.create_task(queue.run(done.append, (name, match), match=match)))
        await asyncio.sleep(0)
        if slots > 1:
            await asyncio.wait(tasks[-1:])
        signal.set()
        await asyncio.gather(*tasks)
        queue.close()
        return done

    return asyncio.run(run())


def test_client_with_many_jobs_does_not_delay_another() -> None:
    assert order_of([("a", "1")] * 5 + [("b", "2")])[0] == ("b", "2")


def test_matches_of_a_client_take_turns() -> None:
    done = order_of([("a", "1"), ("a", "1"), ("a", "1"), ("a", "2")])
    assert ("a", "2") in done[:2]


def test_client_uses_at_most_one_slot() -> None:
    assert order_of([("a", "1"), ("b", "2")], slots=2) == [("b", "2"), ("a", "1")]


def test_full_queue_rejects_the_client_who_filled_it() -> None:
    async def run() -> None:
        queue, signal = FairQueue([call_here]), threading.Event()
        with client("a"):
            tasks: list[asyncio.Task[Any]] = [
                asyncio.create_task(queue.run(signal.wait, 10)) for _ in range(MAX_WAITING_PER_CLIENT + 1)
            ]
            await asyncio.sleep(0)
            with pytest.raises(ApiError, match="busy") as raised:
                await queue.run(int)
        assert raised.value.code == "slow_down"
        with client("b"):
            tasks.append(asyncio.create_task(queue.run(int)))
        signal.set()
        await asyncio.gather(*tasks)
        queue.close()

    asyncio.run(run())


def test_job_of_a_client_who_left_is_not_run() -> None:
    async def run() -> None:
        queue, signal, done = FairQueue([call_here]), threading.Event(), list[int]()
        running = asyncio.create_task(queue.run(signal.wait, 10))
        left = asyncio.create_task(queue.run(done.append, 1))
        await asyncio.sleep(0)
        left.cancel()
        signal.set()
        await running
        await queue.run(done.append, 2)
        assert done == [2]
        queue.close()

    asyncio.run(run())


# Worker processes


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_deadline_kills_the_worker_and_the_next_job_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = WorkerProcess()
    with pytest.raises(IllegalMove, match="you can't play 7"):
        worker(raise_illegal, "7")  # the process has started and imported its jobs, however busy the machine is
    with monkeypatch.context() as short:
        short.setattr(solver_pool, "JOB_TIMEOUT_S", 2.0)
        with pytest.raises(ApiError, match="too big to solve here"):
            worker(spin, tmp_path / "pid")
    assert not _is_running(int((tmp_path / "pid").read_text()))
    assert worker(len, "abc") == 3
    worker.kill()


def test_closed_queue_starts_nothing() -> None:
    async def run() -> None:
        queue, signal = FairQueue([call_here]), threading.Event()
        running = asyncio.create_task(queue.run(signal.wait, 10))
        await asyncio.sleep(0)
        queue.close()
        late = asyncio.create_task(queue.run(int, "5"))
        await asyncio.sleep(0)
        signal.set()
        assert await running
        await asyncio.sleep(0.01)
        assert not late.done()
        late.cancel()

    asyncio.run(run())


def test_close_ends_a_running_job(tmp_path: Path) -> None:
    path = tmp_path / "pid"

    async def run() -> None:
        pool = SolverPool(1)
        job = asyncio.create_task(pool.search(search_forever, path))
        await asyncio.to_thread(_wait_for_text, path)
        pool.close()
        with pytest.raises(ApiError):
            await job

    asyncio.run(run())
    assert not _is_running(int(path.read_text()))


def _wait_for_text(path: Path) -> None:
    while not path.exists() or not path.read_text():
        time.sleep(0.01)


def test_shipped_books_are_solved_here_and_others_in_a_process() -> None:
    async def scene(pool: SolverPool) -> None:
        for variant in ("line-runner", puzzle_variants(nl.book("line-runner"))[0].variant):
            assert await pool.solve(nl.book(variant), os.getpid) == os.getpid()
        assert await pool.solve(nl.book(MEDIUM), os.getpid) != os.getpid()

    with_pool(scene)


def test_shipped_books_never_wait_for_others() -> None:
    async def scene(pool: SolverPool) -> None:
        other = asyncio.create_task(pool.solve(nl.book("flag-chase(end=9)"), time.sleep, 60))
        await asyncio.sleep(0)
        assert await pool.solve(nl.book("flag-chase"), int) == 0
        assert await pool.solve(None, int) == 0
        assert not other.done()
        other.cancel()

    with_pool(scene)


# Prices


def test_solving_is_priced_by_positions_and_moves() -> None:
    charged: list[float] = []

    class Limiter(RateLimiter):
        def wait(self, address: str, token: str, cost: float, book_bytes: int = 0) -> float:
            charged.append(cost)
            return super().wait(address, token, cost, book_bytes)

    async def scene(pool: SolverPool) -> None:
        with client("192.0.2.1", Limiter()):
            for variant in ("line-runner", MEDIUM, "line-runner(end=200)"):
                await pool.solve(nl.book(variant), int)

    with_pool(scene)
    works = [solver_work(nl.book(variant)) for variant in (MEDIUM, "line-runner(end=200)")]
    assert charged == [2, *(2 + work // solver_pool.WORK_PER_POINT for work in works)]
    assert charged[1] < charged[2]


def test_client_without_points_is_told_when_to_return() -> None:
    async def scene(pool: SolverPool) -> None:
        limiter, book = RateLimiter(lambda: 0.0), nl.book(MEDIUM)
        while not limiter.wait("192.0.2.1", "", 1):
            pass
        with client("192.0.2.1", limiter), pytest.raises(ApiError, match="Too many requests") as raised:
            await pool.solve(book, int)
        assert raised.value.code == "slow_down"
        assert raised.value.retry_after_s >= 1

    with_pool(scene)


def test_book_with_too_much_work_is_never_solved() -> None:
    book = nl.book("reach-the-edge(end=2400, steps=1-100)")
    assert solver_work(book) > MAX_SOLVER_WORK
    assert not is_solvable(book)


def test_search_time_is_shared_by_those_who_wait() -> None:
    async def scene(pool: SolverPool) -> None:
        searches = []
        for number in range(8):
            with client(f"192.0.2.{number}"):
                searches.append(asyncio.create_task(pool.search(limit)))
                await asyncio.sleep(0)
        limits = await asyncio.gather(*searches)
        assert limits[0] == solver_pool.MAX_SEARCH_S
        assert limits[-1] < solver_pool.MAX_SEARCH_S / 4

    with_pool(scene)
