"""One thread writes for all tables: whatever waits is stored together, and only then acknowledged."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from numberline.web.store import Event, Store

T = TypeVar("T")


class Writer:
    """Takes events from a running event loop and keeps them in a store."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.batches = 0
        self.written = 0

    async def start(self) -> None:
        """The thread runs."""
        raise NotImplementedError

    async def stop(self) -> None:
        """What waits is stored, then the thread ends."""
        raise NotImplementedError

    async def append(self, event: Event) -> bool:
        """Whether the event is stored now, durably; False where another one has its number or request."""
        raise NotImplementedError

    async def run(self, work: Callable[[Store], T]) -> T:
        """What the work gives back, done by the same thread between two batches."""
        raise NotImplementedError
