"""How a server follows what others do at the same tables: it looks when it gets a hint, and every few seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from numberline.web.protocol.errors import ApiError
from numberline.web.rooms.registry import SWEEP_INTERVAL_S, RoomRegistry
from numberline.web.rooms.room import DELETED_MESSAGE, Room
from numberline.web.store.pg_listener import NotificationListener
from numberline.web.store.store import Event, StoreError

POLL_INTERVAL_S = 5.0
"""So often, in seconds, all tables in memory are compared with what is stored, since a hint can be lost."""
PRESENCE_INTERVAL_S = 1.0
"""So often, in seconds, others are told who has come and gone here."""
PRESENCE_REFRESH_S = 15.0
"""So often, in seconds, they are told again of all who are here."""
PRESENCE_TIMEOUT_S = 40.0
"""After so many seconds without a word those at another server are taken to be gone."""
ORPHAN_WINDOW_S = 60.0
"""A turn that others have left undone is looked for in the matches of the last so many seconds."""
_PRESENCE_PREFIX = "*"
"""Begins a word that says who is at a table: `*match=1.2=3` for seats 1 and 2, and three who watch."""


class ClusterSync:
    """Keeps the tables in memory level with a database that others write to as well."""

    def __init__(self, tables: RoomRegistry, address: str) -> None:
        self._registry = tables
        self._store = tables.store
        self.listener = NotificationListener(address, self._heard)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._awake = asyncio.Event()
        self._hinted: set[str] = set()
        self._all = False
        self._shown: dict[str, str] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begins to follow."""
        self._loop = asyncio.get_running_loop()
        self.listener.start()
        self._tasks = [self._loop.create_task(work()) for work in (self._follow, self._present, self._adopt)]

    async def stop(self) -> None:
        """Follows no more."""
        self.listener.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # What others have stored

    def _heard(self, sender: str, words: Sequence[str]) -> None:
        """Passes on, from the thread that listens, what others have said."""
        if sender != self._store.name and self._loop:
            with suppress(RuntimeError):  # the loop is closed: nobody follows any more
                self._loop.call_soon_threadsafe(self._take, sender, words)

    def _take(self, sender: str, words: Sequence[str]) -> None:
        self._all = self._all or not sender
        for word in words:
            if word.startswith(_PRESENCE_PREFIX):
                self._meet(sender, word)
            elif self._registry.get_cached(word):
                self._hinted.add(word)
        if self._hinted or self._all:
            self._awake.set()

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        looked = loop.time()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(looked + POLL_INTERVAL_S):
                    await self._awake.wait()
            hinted = [live for name in self._hinted if (live := self._registry.get_cached(name))]
            if self._all or loop.time() >= looked + POLL_INTERVAL_S:
                hinted, looked = list(self._registry.rooms()), loop.time()
            self._all = False
            self._hinted.clear()
            self._awake.clear()
            with suppress(StoreError):  # the next look will do
                await self._look(hinted)

    async def _look(self, lives: Sequence[Room]) -> None:
        """Reads what is new at these tables, all together, and lets it happen there."""
        known = {live.state.row.id: live.state.seq for live in lives}
        for match, events in (await asyncio.to_thread(self._store.new_events, known)).items():
            live = self._registry.get_cached(match)
            if live:
                self._registry.spawn(self._learn(live, events))

    async def _learn(self, live: Room, events: list[Event] | None) -> None:
        with suppress(ApiError):
            async with live.lock:
                if live.deleted:
                    return
                if events is not None:
                    await self._registry.apply_stored_events(live, events, local=False)
                    return
                # What was stored here in the moment of the deletion goes too.
                await self._registry.write(lambda store: store.delete(live.state.row.id))
                self._registry.remove_room(live)
                live.close_all(DELETED_MESSAGE)

    async def _adopt(self) -> None:
        """Goes on where another server has stopped in the middle: a program's turn, a clock."""
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            now = self._registry.clock()
            with suppress(StoreError):
                left = await asyncio.to_thread(
                    self._store.unfinished_between, now - ORPHAN_WINDOW_S, now - SWEEP_INTERVAL_S
                )
                await self._registry.adopt(left)

    # Who is where

    async def _present(self) -> None:
        """Tells the others who is at the tables here: at once what has changed, and all now and then."""
        loop = asyncio.get_running_loop()
        reminded = loop.time()
        while True:
            await asyncio.sleep(PRESENCE_INTERVAL_S)
            here = {live.state.row.id: live.local_presence() for live in self._registry.rooms() if live.subscribers}
            gone = dict.fromkeys(self._shown.keys() - here.keys(), "=0")
            again = loop.time() - reminded > PRESENCE_REFRESH_S
            if again:
                reminded = loop.time()
                self._miss(loop.time() - PRESENCE_TIMEOUT_S)
            told = [
                f"{_PRESENCE_PREFIX}{match}={said}"
                for match, said in (here | gone).items()
                if again or said != self._shown.get(match)
            ]
            if told:
                with suppress(StoreError):
                    await self._registry.writer.run(lambda store, words=told: store.notify(words))  # type: ignore[misc]  # bound now
                    self._shown = here

    def _meet(self, sender: str, word: str) -> None:
        match, _, said = word.removeprefix(_PRESENCE_PREFIX).partition("=")
        live = self._registry.get_cached(match)
        if live is None or not live.subscribers:
            return
        if sender not in live.remote_presence and said != "=0":
            self._shown.pop(match, None)  # whoever is new there has not heard who is here
        with suppress(ValueError):  # a word of another version's
            live.update_remote_presence(sender, said, asyncio.get_running_loop().time())

    def _miss(self, before: float) -> None:
        for live in self._registry.rooms():
            live.expire_remote_presence(before)
