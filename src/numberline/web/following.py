"""How a server follows what others do at the same tables: it looks when it gets a hint, and every few seconds."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress

from numberline.web.gathering import Gathering
from numberline.web.hints import Hints
from numberline.web.refusals import Refusal
from numberline.web.store import Event, StoreError
from numberline.web.tables import SWEEP, Tables

LOOK = 5.0
"""So often, in seconds, all tables in memory are compared with what is stored, since a hint can be lost."""
SHOW = 1.0
"""So often, in seconds, others are told who has come and gone here."""
REMIND = 15.0
"""So often, in seconds, they are told again of all who are here."""
FORGET = 40.0
"""After so many seconds without a word those at another server are taken to be gone."""
ORPHANED = 60.0
"""A turn that others have left undone is looked for in the matches of the last so many seconds."""
_HERE = "*"
"""Begins a word that says who is at a table: `*match=1.2=3` for seats 1 and 2, and three who watch."""


class Follower:
    """Keeps the tables in memory level with a database that others write to as well."""

    def __init__(self, tables: Tables, address: str) -> None:
        self._tables = tables
        self._store = tables.store
        self.hints = Hints(address, self._heard)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._awake = asyncio.Event()
        self._hinted: set[str] = set()
        self._all = False
        self._shown: dict[str, str] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Begins to follow."""
        self._loop = asyncio.get_running_loop()
        self.hints.start()
        self._tasks = [self._loop.create_task(work()) for work in (self._follow, self._present, self._adopt)]

    async def stop(self) -> None:
        """Follows no more."""
        self.hints.stop()
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
            if word.startswith(_HERE):
                self._meet(sender, word)
            elif self._tables.at_hand(word):
                self._hinted.add(word)
        if self._hinted or self._all:
            self._awake.set()

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        looked = loop.time()
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout_at(looked + LOOK):
                    await self._awake.wait()
            hinted = [live for name in self._hinted if (live := self._tables.at_hand(name))]
            if self._all or loop.time() >= looked + LOOK:
                hinted, looked = list(self._tables.lives()), loop.time()
            self._all = False
            self._hinted.clear()
            self._awake.clear()
            with suppress(StoreError):  # the next look will do
                await self._look(hinted)

    async def _look(self, lives: Sequence[Gathering]) -> None:
        """Reads what is new at these tables, all together, and lets it happen there."""
        known = {live.table.row.id: live.table.seq for live in lives}
        for match, events in (await asyncio.to_thread(self._store.news, known)).items():
            live = self._tables.at_hand(match)
            if live:
                self._tables.spawn(self._learn(live, events))

    async def _learn(self, live: Gathering, events: list[Event] | None) -> None:
        with suppress(Refusal):
            async with live.lock:
                if live.gone:
                    return
                if events is not None:
                    await self._tables.learn(live, events, here=False)
                    return
                # What was stored here in the moment of the deletion goes too.
                await self._tables.write(lambda store: store.delete(live.table.row.id))
                self._tables.drop(live)
                live.part("This game was deleted by somebody who played it.")

    async def _adopt(self) -> None:
        """Goes on where another server has stopped in the middle: a program's turn, a clock."""
        while True:
            await asyncio.sleep(SWEEP)
            now = self._tables.clock()
            with suppress(StoreError):
                left = await asyncio.to_thread(self._store.left_between, now - ORPHANED, now - SWEEP)
                await self._tables.adopt(left)

    # Who is where

    async def _present(self) -> None:
        """Tells the others who is at the tables here: at once what has changed, and all now and then."""
        loop = asyncio.get_running_loop()
        reminded = loop.time()
        while True:
            await asyncio.sleep(SHOW)
            here = {live.table.row.id: live.here() for live in self._tables.lives() if live.listeners}
            gone = dict.fromkeys(self._shown.keys() - here.keys(), "=0")
            again = loop.time() - reminded > REMIND
            if again:
                reminded = loop.time()
                self._miss(loop.time() - FORGET)
            told = [
                f"{_HERE}{match}={said}"
                for match, said in (here | gone).items()
                if again or said != self._shown.get(match)
            ]
            if told:
                with suppress(StoreError):
                    await self._tables.writer.run(lambda store, words=told: store.tell(words))  # type: ignore[misc]  # bound now
                    self._shown = here

    def _meet(self, sender: str, word: str) -> None:
        match, _, said = word.removeprefix(_HERE).partition("=")
        live = self._tables.at_hand(match)
        if live is None or not live.listeners:
            return
        if sender not in live.elsewhere and said != "=0":
            self._shown.pop(match, None)  # whoever is new there has not heard who is here
        with suppress(ValueError):  # a word of another version's
            live.meet(sender, said, asyncio.get_running_loop().time())

    def _miss(self, before: float) -> None:
        for live in self._tables.lives():
            live.miss(before)
