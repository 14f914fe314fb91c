"""One thread writes for all tables: whatever waits is stored together, and only then acknowledged."""

from __future__ import annotations

from asyncio import AbstractEventLoop, Future, get_running_loop, to_thread
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, TypeVar

from numberline.web.ops.metrics import record_batch
from numberline.web.store.store import Event, Store, StoreError

T = TypeVar("T")

MAX_BATCH_EVENTS = 1000
"""So many events at most are stored together, so that nobody waits for more than these."""


class _WriteJob(NamedTuple):
    """An event to be stored, or some other work, and who waits for it."""

    event: Event | None
    work: Callable[[Store], Any] | None
    waiting: Future[Any]


class WriteQueue:
    """Takes events from a running event loop and keeps them in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.batches = 0
        """How many transactions there were for events."""
        self.written = 0
        """How many events were stored."""
        self._jobs: SimpleQueue[_WriteJob | None] = SimpleQueue()
        self._loop: AbstractEventLoop | None = None
        self._thread: Thread | None = None

    async def start(self) -> None:
        """The thread runs; from now on there can be events."""
        self._loop = get_running_loop()
        # Not waited for when Python ends without `stop`: what it has acknowledged is on the disk.
        self._thread = Thread(target=self._write, name="writer", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """What waits is stored and acknowledged, then the thread ends; further events are refused."""
        thread, self._thread = self._thread, None
        if thread:
            self._jobs.put(None)
            await to_thread(thread.join)

    async def append(self, event: Event) -> bool:
        """Whether the event is stored now, durably; False where another one has its number or request."""
        return bool(await self._asked(event, None))

    async def run(self, work: Callable[[Store], T]) -> T:
        """What the work gives back, done by the same thread after all that was asked for before."""
        result: T = await self._asked(None, work)
        return result

    def _asked(self, event: Event | None, work: Callable[[Store], Any] | None) -> Future[Any]:
        """What will be known once the thread has done it."""
        if self._loop is None or self._thread is None:
            raise StoreError("This could not be saved, since the server is stopping; try again in a moment")
        waiting = self._loop.create_future()
        self._jobs.put(_WriteJob(event, work, waiting))
        return waiting

    def _write(self) -> None:
        """Takes all that is there, without waiting for more, until it is told to stop."""
        while (job := self._jobs.get()) is not None:
            jobs = [job]
            for _ in range(min(self._jobs.qsize(), MAX_BATCH_EVENTS - 1)):
                following = self._jobs.get()
                if following is None:
                    self._jobs.put(None)  # after `stop` nobody asks for more, so it is the last one again
                    break
                jobs.append(following)
            self._do(jobs)

    def _do(self, jobs: list[_WriteJob]) -> None:
        """Stores runs of events together, never two for one number: only one may be told that it is stored."""
        batch: dict[tuple[str, int], _WriteJob] = {}
        for job in jobs:
            if job.event is None:
                self._store(batch)
                batch = {}
                self._work(job)
                continue
            key = job.event[:2]
            if key in batch:
                self._store(batch)
                batch = {}
            batch[key] = job
        self._store(batch)

    def _store(self, batch: dict[tuple[str, int], _WriteJob]) -> None:
        """One transaction, and then the answers to all who wait for it."""
        if not batch:
            return
        self.batches += 1
        record_batch(len(batch))
        try:
            stored = self.store.append([job.event for job in batch.values() if job.event])
        except Exception as error:  # noqa: BLE001  # whatever it is, those who wait hear of it, and the thread goes on
            self._answer([(job.waiting, False, error) for job in batch.values()])
        else:
            self.written += len(stored)
            self._answer([(job.waiting, key in stored, None) for key, job in batch.items()])

    def _work(self, job: _WriteJob) -> None:
        """Anything else, and then the answer to the one who waits for it."""
        try:
            result = job.work(self.store) if job.work else None
        except Exception as error:  # noqa: BLE001  # as above
            self._answer([(job.waiting, None, error)])
        else:
            self._answer([(job.waiting, result, None)])

    def _answer(self, answers: list[tuple[Future[Any], Any, Exception | None]]) -> None:
        """Wakes the event loop once for all of them."""
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            if self._loop:
                self._loop.call_soon_threadsafe(_settle, answers)


def _settle(answers: list[tuple[Future[Any], Any, Exception | None]]) -> None:
    """Tells everybody who still waits; each is given an error of its own."""
    for waiting, result, error in answers:
        if waiting.done():
            continue
        if error is None:
            waiting.set_result(result)
        else:
            own = StoreError(error.sentence, error.why) if isinstance(error, StoreError) else error
            own.__cause__ = error.__cause__
            waiting.set_exception(own)
