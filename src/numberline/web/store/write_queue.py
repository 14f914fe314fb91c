"""Write queue: a single thread stores the events of all matches in batches, then acknowledges them."""

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
    """An event to store or a function to run, and the future for its result."""

    event: Event | None
    work: Callable[[Store], Any] | None
    future: Future[Any]


class WriteQueue:
    """Queue through which an event loop passes writes to a single writer thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.batches = 0
        self.written = 0
        self._jobs: SimpleQueue[_WriteJob | None] = SimpleQueue()
        self._loop: AbstractEventLoop | None = None
        self._thread: Thread | None = None

    async def start(self) -> None:
        self._loop = get_running_loop()
        # A daemon thread is safe: everything acknowledged is on disk, even if Python exits without `stop`.
        self._thread = Thread(target=self._run, name="writer", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Process all queued jobs and end the thread; later jobs are rejected."""
        thread, self._thread = self._thread, None
        if thread:
            self._jobs.put(None)
            await to_thread(thread.join)

    async def append(self, event: Event) -> bool:
        """Store an event durably; return False if its `seq` or `request` is already taken."""
        return bool(await self._submit(event, None))

    async def run(self, work: Callable[[Store], T]) -> T:
        """Run `work` in the writer thread after all jobs queued earlier, and return its result."""
        result: T = await self._submit(None, work)
        return result

    def _submit(self, event: Event | None, work: Callable[[Store], Any] | None) -> Future[Any]:
        if self._loop is None or self._thread is None:
            raise StoreError("This could not be saved because the server is stopping; try again in a moment")
        future = self._loop.create_future()
        self._jobs.put(_WriteJob(event, work, future))
        return future

    def _run(self) -> None:
        """Process queued jobs in batches until `stop`."""
        while (job := self._jobs.get()) is not None:
            jobs = [job]
            for _ in range(min(self._jobs.qsize(), MAX_BATCH_EVENTS - 1)):
                next_job = self._jobs.get()
                if next_job is None:
                    self._jobs.put(None)  # put it back; nothing is queued after `stop`, so it is still last
                    break
                jobs.append(next_job)
            self._handle(jobs)

    def _handle(self, jobs: list[_WriteJob]) -> None:
        """Store consecutive events in one batch, but never two with the same match and `seq`."""
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
        except Exception as error:  # noqa: BLE001 - callers receive the error; the thread must survive
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
        """Set the results of all futures in a single callback on the event loop."""
        with suppress(RuntimeError):  # the loop is closed
            if self._loop:
                self._loop.call_soon_threadsafe(_set_results, results)


def _set_results(results: list[_Result]) -> None:
    for future, result, error in results:
        if future.done():
            continue
        if error is None:
            future.set_result(result)
        else:  # each caller gets a separate exception, because raising one modifies it
            own = StoreError(error.sentence, error.why) if isinstance(error, StoreError) else error
            own.__cause__ = error.__cause__
            future.set_exception(own)
