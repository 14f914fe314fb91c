"""Write queue: a single thread stores the events of all matches in batches, then acknowledges them."""

from __future__ import annotations

from asyncio import Future, get_running_loop, to_thread
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from typing import Any, TypeVar

from numberline.web.ops.metrics import BATCH_EVENTS
from numberline.web.store.store import Event, Store, StoreError

T = TypeVar("T")
_Job = tuple[Event | Callable[[Store], Any], Future[Any]]
"""An event to store or a function to run, and the future for its result."""
_Result = tuple[Future[Any], Any, Exception | None]

MAX_BATCH_EVENTS = 1000


class WriteQueue:
    """Queue through which an event loop passes writes to a single writer thread."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.batches = 0
        self.written = 0
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._thread: Thread | None = None

    async def start(self) -> None:
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
        return bool(await self._submit(event))

    async def run(self, work: Callable[[Store], T]) -> T:
        """Run `work` in the writer thread after all jobs queued earlier, and return its result."""
        result: T = await self._submit(work)
        return result

    def _submit(self, task: Event | Callable[[Store], Any]) -> Future[Any]:
        if self._thread is None:
            raise StoreError("This could not be saved because the server is stopping; try again in a moment")
        future = get_running_loop().create_future()
        self._jobs.put((task, future))
        return future

    def _run(self) -> None:
        """Process queued jobs in batches until `stop`."""
        while (job := self._jobs.get()) is not None:
            jobs = [job]
            for _ in range(min(self._jobs.qsize(), MAX_BATCH_EVENTS - 1)):
                if (next_job := self._jobs.get()) is None:
                    self._jobs.put(None)  # put it back; nothing is queued after `stop`, so it is still last
                    break
                jobs.append(next_job)
            self._handle(jobs)

    def _handle(self, jobs: list[_Job]) -> None:
        """Process jobs in order; store consecutive events in one batch, but never two with the same match and `seq`."""
        batch: dict[tuple[str, int], tuple[Event, Future[Any]]] = {}
        for task, future in jobs:
            if not isinstance(task, Event) or task[:2] in batch:
                self._store_batch(batch)
                batch = {}
            if isinstance(task, Event):
                batch[task[:2]] = task, future
            else:
                self._run_work(task, future)
        self._store_batch(batch)

    def _store_batch(self, batch: dict[tuple[str, int], tuple[Event, Future[Any]]]) -> None:
        def work() -> list[bool]:
            stored = self.store.append([event for event, _ in batch.values()])
            self.written += len(stored)
            return [key in stored for key in batch]

        if batch:
            self.batches += 1
            BATCH_EVENTS.observe(len(batch))
            self._resolve([future for _, future in batch.values()], work)

    def _run_work(self, work: Callable[[Store], Any], future: Future[Any]) -> None:
        self._resolve([future], lambda: [work(self.store)])

    def _resolve(self, futures: list[Future[Any]], work: Callable[[], list[Any]]) -> None:
        """Run `work`, and pass its results or its error to the futures in a single callback on the event loop."""
        results: list[_Result]
        try:
            results = [(future, result, None) for future, result in zip(futures, work(), strict=True)]
        except Exception as error:  # noqa: BLE001 - callers receive the error; the thread must survive
            results = [(future, None, error) for future in futures]
        with suppress(RuntimeError):  # the loop is closed
            futures[0].get_loop().call_soon_threadsafe(_set_results, results)


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
