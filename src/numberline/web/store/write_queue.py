"""Write queue: one thread stores the events of all matches in batches, and acknowledges them afterwards."""

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
_Result = tuple[Future[Any], Any, Exception | None]

MAX_BATCH_EVENTS = 1000


class _WriteJob(NamedTuple):
    """An event to be stored, or another job, and its result."""

    event: Event | None
    work: Callable[[Store], Any] | None
    future: Future[Any]


class WriteQueue:
    """Stores the events of an event loop in a thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.batches = 0
        self.written = 0
        self._jobs: SimpleQueue[_WriteJob | None] = SimpleQueue()
        self._loop: AbstractEventLoop | None = None
        self._thread: Thread | None = None

    async def start(self) -> None:
        self._loop = get_running_loop()
        # A daemon, since everything that was acknowledged is on the disk if Python exits without `stop`.
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Store what is queued, and end the thread; further events are rejected."""
        thread, self._thread = self._thread, None
        if thread:
            self._jobs.put(None)
            await to_thread(thread.join)

    async def append(self, event: Event) -> bool:
        """Store an event durably; return False if its number or request is taken."""
        return bool(await self._submit(event, None))

    async def run(self, work: Callable[[Store], T]) -> T:
        """Run work in the thread after everything that was queued before, and return its result."""
        result: T = await self._submit(None, work)
        return result

    def _submit(self, event: Event | None, work: Callable[[Store], Any] | None) -> Future[Any]:
        if self._loop is None or self._thread is None:
            raise StoreError("This could not be saved because the server is stopping; try again in a moment")
        future = self._loop.create_future()
        self._jobs.put(_WriteJob(event, work, future))
        return future

    def _run(self) -> None:
        """Handle everything that is queued at once, until `stop`."""
        while (job := self._jobs.get()) is not None:
            jobs = [job]
            for _ in range(min(self._jobs.qsize(), MAX_BATCH_EVENTS - 1)):
                next_job = self._jobs.get()
                if next_job is None:
                    self._jobs.put(None)  # nothing is queued after `stop`, so this is the end of the queue again
                    break
                jobs.append(next_job)
            self._handle(jobs)

    def _handle(self, jobs: list[_WriteJob]) -> None:
        """Store consecutive events together, but never two with the same number: only one of them is stored."""
        batch: dict[tuple[str, int], _WriteJob] = {}
        for job in jobs:
            if job.event is None or job.event[:2] in batch:
                self._store_batch(batch)
                batch = {}
            if job.event is None:
                self._run_work(job)
            else:
                batch[job.event[:2]] = job
        self._store_batch(batch)

    def _store_batch(self, batch: dict[tuple[str, int], _WriteJob]) -> None:
        if not batch:
            return
        self.batches += 1
        record_batch(len(batch))
        try:
            stored = self.store.append([job.event for job in batch.values() if job.event])
        except Exception as error:  # noqa: BLE001 - any failure is reported to the waiters; the thread must survive
            self._resolve([(job.future, False, error) for job in batch.values()])
        else:
            self.written += len(stored)
            self._resolve([(job.future, key in stored, None) for key, job in batch.items()])

    def _run_work(self, job: _WriteJob) -> None:
        try:
            result = job.work(self.store) if job.work else None
        except Exception as error:  # noqa: BLE001 - as above
            self._resolve([(job.future, None, error)])
        else:
            self._resolve([(job.future, result, None)])

    def _resolve(self, results: list[_Result]) -> None:
        """Wake the event loop once for all results."""
        with suppress(RuntimeError):  # the loop is closed
            if self._loop:
                self._loop.call_soon_threadsafe(_set_results, results)


def _set_results(results: list[_Result]) -> None:
    for future, result, error in results:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:  # an exception object of its own for each waiter, since raising changes it
            own = StoreError(error.sentence, error.why) if isinstance(error, StoreError) else error
            own.__cause__ = error.__cause__
            future.set_exception(own)
