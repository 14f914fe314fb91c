"""Synchronization between servers that share a database: new events and presence."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from functools import partial

from numberline.web.protocol.errors import ApiError
from numberline.web.rooms.registry import SWEEP_INTERVAL_S, RoomRegistry
from numberline.web.rooms.room import Room
from numberline.web.store.postgres import NotificationListener
from numberline.web.store.store import Event, Store, StoreError

POLL_INTERVAL_S = 5.0  # a notification can be lost, so all rooms are checked against the database
PRESENCE_INTERVAL_S = 1.0
PRESENCE_REFRESH_S = 15.0
PRESENCE_TIMEOUT_S = 40.0
ORPHAN_WINDOW_S = 60.0
# Prefix of a word that reports presence in a room: `*match=1.2=3` means seats 1 and 2 and three watchers.
_PRESENCE_PREFIX = "*"
_ABSENT = "=0"


class ClusterSync:
    """Synchronization of in-memory rooms with a database that other servers also write to."""

    def __init__(self, registry: RoomRegistry, address: str) -> None:
        self._registry = registry
        self._store = registry.store
        self.listener = NotificationListener(address, self._on_notification)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._wakeup = asyncio.Event()
        self._changed: set[str] = set()
        self._poll_all = False
        self._announced: dict[str, str] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        self._loop = asyncio.get_running_loop()
        self.listener.start()
        loops = (self._follow_events, self._announce_presence, self._resume_orphans)
        self._tasks = [self._loop.create_task(loop()) for loop in loops]

    async def stop(self) -> None:
        self.listener.stop()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    # Events

    def _on_notification(self, sender: str, words: Sequence[str]) -> None:
        """Pass a notification from the listener's thread to the event loop."""
        if sender != self._store.name and self._loop:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._handle_notification, sender, words)

    def _handle_notification(self, sender: str, words: Sequence[str]) -> None:
        self._poll_all = self._poll_all or not sender
        for word in words:
            if word.startswith(_PRESENCE_PREFIX):
                self._update_presence(sender, word)
            elif self._registry.rooms.get(word):
                self._changed.add(word)
        if self._changed or self._poll_all:
            self._wakeup.set()

    async def _follow_events(self) -> None:
        loop = asyncio.get_running_loop()
        polled_at = loop.time()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(polled_at + POLL_INTERVAL_S):
                    await self._wakeup.wait()
            rooms = [room for match_id in self._changed if (room := self._registry.rooms.get(match_id))]
            if self._poll_all or loop.time() >= polled_at + POLL_INTERVAL_S:
                rooms, polled_at = list(self._registry.rooms.values()), loop.time()
            self._poll_all = False
            self._changed.clear()
            self._wakeup.clear()
            known = {room.state.row.id: room.state.seq for room in rooms}
            with suppress(StoreError):  # the next poll retries
                for match_id, events in (await asyncio.to_thread(self._store.new_events, known)).items():
                    if changed := self._registry.rooms.get(match_id):
                        self._registry.spawn(self._apply(changed, events))

    async def _apply(self, room: Room, events: list[Event] | None) -> None:
        """Apply events stored by another server; None means that the match was deleted."""
        with suppress(ApiError):
            async with room.lock:
                if not room.deleted and events is not None:
                    await self._registry.apply_stored_events(room, events, local=False)
                elif not room.deleted:  # this server may have stored an event while another was deleting the match
                    await self._registry.delete_room(room)

    async def _resume_orphans(self) -> None:
        """Take over bot turns and clocks that another server left unattended."""
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            now = self._registry.clock()
            await self._registry.resume_matches(now - ORPHAN_WINDOW_S, now - SWEEP_INTERVAL_S)

    # Presence

    async def _announce_presence(self) -> None:
        """Report local presence to the other servers: changes every second, everything every `PRESENCE_REFRESH_S`."""
        loop = asyncio.get_running_loop()
        refreshed_at = loop.time()
        while True:
            await asyncio.sleep(PRESENCE_INTERVAL_S)
            rooms = self._registry.rooms
            present = {match_id: room.local_presence() for match_id, room in rooms.items() if room.subscribers}
            absent = dict.fromkeys(self._announced.keys() - present.keys(), _ABSENT)
            if refresh := loop.time() - refreshed_at > PRESENCE_REFRESH_S:
                refreshed_at = loop.time()
                for room in rooms.values():
                    room.expire_remote_presence(loop.time() - PRESENCE_TIMEOUT_S)
            words = [
                f"{_PRESENCE_PREFIX}{match_id}={presence}"
                for match_id, presence in (present | absent).items()
                if refresh or presence != self._announced.get(match_id)
            ]
            if words:
                with suppress(StoreError):
                    await self._registry.writer.run(partial(Store.notify, words=words))
                    self._announced = present

    def _update_presence(self, sender: str, word: str) -> None:
        match_id, _, presence = word.removeprefix(_PRESENCE_PREFIX).partition("=")
        room = self._registry.rooms.get(match_id)
        if room is None or not room.subscribers:
            return
        if sender not in room.remote_presence and presence != _ABSENT:
            self._announced.pop(match_id, None)  # the sender is new to the room, so announce our presence to it again
        with suppress(ValueError):  # sent by a different version of Numberline
            room.update_remote_presence(sender, presence, asyncio.get_running_loop().time())
