from __future__ import annotations

import asyncio
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Event as Signal

import pytest

from numberline.web.store.store import Event, Store, StoreError
from numberline.web.store.write_queue import WriteQueue
from support.stores import a_match, an_event, some_seats


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(str(tmp_path / "tables.db"))) as opened:
        yield opened


def with_writer(store: Store, use: Callable[[WriteQueue], Awaitable[object]]) -> WriteQueue:
    """The writer that was used, stopped."""
    writer = WriteQueue(store)

    async def main() -> None:
        await writer.start()
        await use(writer)
        await writer.stop()

    asyncio.run(main())
    return writer


def answers_to(store: Store, events: list[Event]) -> list[bool | BaseException]:
    """Return the answers to concurrent appends of these events."""
    answers: list[bool | BaseException] = []

    async def ask(writer: WriteQueue) -> None:
        answers.extend(await asyncio.gather(*map(writer.append, events), return_exceptions=True))

    with_writer(store, ask)
    return answers


def test_append_returns_after_the_event_is_stored(store: Store) -> None:
    async def use(writer: WriteQueue) -> None:
        assert await writer.append(an_event())
        assert store.events_since("m", 0) == [an_event()]

    assert with_writer(store, use).written == 1


def test_queued_events_are_stored_in_one_transaction(store: Store) -> None:
    async def use(writer: WriteQueue) -> None:
        started, go_on = Signal(), Signal()

        def block(_: Store) -> bool:
            started.set()
            return go_on.wait()

        held = asyncio.ensure_future(writer.run(block))
        await asyncio.to_thread(started.wait)  # the writer is busy before the first event is queued
        waiting = [asyncio.ensure_future(writer.append(an_event(f"m{number}"))) for number in range(300)]
        await asyncio.sleep(0)
        go_on.set()
        assert await held
        assert all(await asyncio.gather(*waiting))

    writer = with_writer(store, use)
    assert (writer.written, writer.batches) == (300, 1)


def test_first_of_two_events_with_one_number_is_stored(store: Store) -> None:
    events = [an_event(request="a"), an_event(request="b"), an_event(request="a"), an_event(seq=2)]
    assert answers_to(store, events) == [True, False, False, True]
    assert [event.request for event in store.events_since("m", 0)] == ["a", "request-2"]


def test_second_event_is_stored_if_the_first_is_rejected(store: Store) -> None:
    store.append([an_event(request="a")])
    assert answers_to(store, [an_event(seq=2, request="a"), an_event(seq=2, request="b")]) == [False, True]


def test_run_returns_the_result_in_queue_order(store: Store) -> None:
    async def use(writer: WriteQueue) -> None:
        _, found = await asyncio.gather(writer.append(an_event()), writer.run(lambda kept: kept.events_since("m", 0)))
        assert found == [an_event()]

    with_writer(store, use)


def test_failed_work_is_reported_and_the_queue_continues(store: Store) -> None:
    def divide(_: Store) -> float:
        return 1 / 0

    async def use(writer: WriteQueue) -> None:
        with pytest.raises(ZeroDivisionError):
            await writer.run(divide)
        assert await writer.append(an_event())

    with_writer(store, use)


def test_failed_batch_is_reported_to_every_waiter(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> set[tuple[str, int]]:
        raise StoreError("This could not be saved (disk I/O error); try again in a moment")

    with monkeypatch.context() as failing:
        failing.setattr(store, "append", fail)
        answers = answers_to(store, [an_event(), an_event("other")])
    assert [str(answer) for answer in answers] == [
        "This could not be saved (disk I/O error); try again in a moment"
    ] * 2
    assert len({id(answer) for answer in answers}) == 2
    assert answers_to(store, [an_event()]) == [True]


def test_stop_stores_the_queue_and_rejects_later_events(store: Store) -> None:
    writer = WriteQueue(store)

    async def main() -> list[bool]:
        with pytest.raises(StoreError, match="could not be saved"):
            await writer.append(an_event("early"))
        await writer.start()
        waiting = [asyncio.ensure_future(writer.append(an_event(f"m{number}"))) for number in range(3000)]
        await asyncio.sleep(0)
        await writer.stop()
        await writer.stop()
        with pytest.raises(StoreError, match="could not be saved"):
            await writer.append(an_event("late"))
        return await asyncio.gather(*waiting)

    assert asyncio.run(main()) == [True] * 3000
    assert writer.written == 3000


def test_cancelled_waiter_does_not_affect_others(store: Store) -> None:
    async def use(writer: WriteQueue) -> None:
        go_on = Signal()
        held = asyncio.ensure_future(writer.run(lambda _: go_on.wait()))
        gone, other = (asyncio.ensure_future(writer.append(an_event(name))) for name in ("gone", "other"))
        await asyncio.sleep(0)
        gone.cancel()
        go_on.set()
        assert await other
        await held

    with_writer(store, use)
    assert store.events_since("gone", 0) == [an_event("gone")]


def test_one_of_200_queued_claims_wins(store: Store) -> None:
    store.create(a_match(), some_seats())
    seats: list[int | None] = []

    async def use(writer: WriteQueue) -> None:
        def claim(number: int) -> Callable[[Store], int | None]:
            return lambda kept: kept.claim("m", "invite", "", f"token {number}", an_event(request=f"r{number}"))

        seats.extend(await asyncio.gather(*(writer.run(claim(number)) for number in range(200))))

    with_writer(store, use)
    assert [seat for seat in seats if seat] == [2]


# A process of its own that stores events and tells which were acknowledged


@contextmanager
def playing(path: Path, matches: int, **environment: str) -> Iterator[subprocess.Popen[str]]:
    """A process that plays some matches as fast as it can, until it is killed."""
    command = [sys.executable, "-m", "support.stores", str(path), str(matches)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | environment) as process:
        try:
            yield process
        finally:
            process.kill()


def read_acks(process: subprocess.Popen[str], lines: int | None = None) -> list[tuple[str, int]]:
    """Return the events acknowledged in the first lines, or in all; an incomplete line does not count."""
    assert process.stdout
    acks = [process.stdout.readline() for _ in range(lines)] if lines else process.stdout.readlines()
    return [(match, int(seq)) for match, seq in (line.split() for line in acks if line.endswith("\n"))]


def kill_at_random(path: Path, kills: int, seed: int) -> None:
    """Nothing that was acknowledged is missing after any of the kills, and no number is left out."""
    rng = random.Random(seed)
    acknowledged: set[tuple[str, int]] = set()
    for _ in range(kills):
        with playing(path, 20) as process:
            acknowledged.update(read_acks(process, rng.randrange(1, 400)))
            process.kill()
            acknowledged.update(read_acks(process))
        with closing(Store(str(path))) as store:
            kept = {f"m{number}": store.events_since(f"m{number}", 0) for number in range(20)}
        for match, events in kept.items():
            assert events == [an_event(match, seq) for seq in range(1, len(events) + 1)]
        assert acknowledged <= {event[:2] for events in kept.values() for event in events}
    assert acknowledged


def test_nothing_acknowledged_is_lost_by_random_kills(tmp_path: Path) -> None:
    kill_at_random(tmp_path / "tables.db", kills=5, seed=5)


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_by_fifty_kills(tmp_path: Path) -> None:
    kill_at_random(tmp_path / "tables.db", kills=50, seed=50)


def test_second_process_is_rejected_until_the_first_is_killed(tmp_path: Path) -> None:
    path = tmp_path / "tables.db"
    with playing(path, 1) as process:
        read_acks(process, 1)
        with pytest.raises(StoreError, match="in use by another numberline web"):
            Store(str(path))
        process.kill()
        process.wait()
        with closing(Store(str(path))) as store:
            assert store.events_since("m0", 0)[0] == an_event("m0")


FAILING_DISK = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
static int sync_with(const char *name, int file) {
  if (access(getenv("FAILING"), F_OK) == 0) { errno = EIO; return -1; }
  return ((int (*)(int)) dlsym(RTLD_NEXT, name))(file);
}
int fsync(int file) { return sync_with("fsync", file); }
int fdatasync(int file) { return sync_with("fdatasync", file); }
"""


@pytest.fixture
def failing_disk(tmp_path: Path) -> Path:
    """A library with which syncing fails as long as the file that FAILING names is there."""
    compiler = shutil.which("gcc")
    if sys.platform != "linux" or not compiler:
        pytest.skip("a failing disk is made with gcc, on Linux")
    (tmp_path / "disk.c").write_text(FAILING_DISK)
    library = tmp_path / "disk.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, tmp_path / "disk.c", "-ldl"], check=True)
    return library


def test_nothing_is_acknowledged_while_the_disk_fails(tmp_path: Path, failing_disk: Path) -> None:
    path, switch = tmp_path / "tables.db", tmp_path / "failing"
    with playing(path, 5, LD_PRELOAD=str(failing_disk), FAILING=str(switch)) as process:
        acks = read_acks(process, 50)
        switch.touch()
        while acks[-1][1] > 0:
            acks += read_acks(process, 1)
        while_failing = read_acks(process, 50)
        switch.unlink()
        while acks[-1][1] < 0:
            acks += read_acks(process, 1)
        acks += read_acks(process, 50)
        process.kill()
        acks += read_acks(process)
    assert all(seq < 0 for _, seq in while_failing)
    with closing(Store(str(path))) as store:
        kept = {f"m{number}": store.events_since(f"m{number}", 0) for number in range(5)}
    assert {(match, seq) for match, seq in acks if seq > 0} <= {event[:2] for found in kept.values() for event in found}
    for match, events in kept.items():
        assert events == [an_event(match, seq) for seq in range(1, len(events) + 1)]
