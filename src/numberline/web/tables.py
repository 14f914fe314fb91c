"""All tables of a server in memory: what is asked for is stored first, then it happens; and what happens by itself."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from random import Random
from typing import Any, TypeVar

from numberline.match import RESIGN, legal_move
from numberline.rules.errors import MoveError, NumberlineError
from numberline.web.gathering import Announcer, Gathering
from numberline.web.held import Held
from numberline.web.logbook import happened, happened_again, place_of
from numberline.web.making import book_of
from numberline.web.refusals import Refusal, cannot_save, not_found, stale
from numberline.web.seating import Programs
from numberline.web.shown import Library
from numberline.web.store import Event, Store, StoreError
from numberline.web.table import DAMAGE, JOIN, MOST_EVENTS, NEXT, TIMEOUT, LiveTable
from numberline.web.telling import Happened
from numberline.web.writer import Writer

T = TypeVar("T")
MOST_LIVE = 10_000
"""So many tables are held in memory; of more, those that nobody sits at are read again when somebody comes."""
IDLE = 600.0
"""After so many seconds a table that nobody sits at leaves the memory."""
SWEEP = 15.0
"""How often, in seconds, it is seen to what was left undone."""
MOST_ALONE = 500
"""A match of programs among themselves is given up after so many events."""
DAY = 86_400


class Tables:
    """The matches that somebody plays or has played lately; the others are in the store."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        *,
        clock: Callable[[], float],
        most_positions: int,
        rng: Random,
        keep: float | None,
        most_live: int,
    ) -> None:
        self.store = store
        self.writer = writer
        self.clock = clock
        self.keep = keep
        """How many days a match stays after its end; None for ever."""
        self.most_positions = most_positions
        self.stopping = False
        self.most_live = most_live
        self._lives: OrderedDict[str, Gathering] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Gathering]] = {}
        self.library = Library(book_of)
        self._tasks: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.Task[None] | None = None
        self._solver = ThreadPoolExecutor(1, thread_name_prefix="solver")
        self.programs = Programs(self._solver, Random(rng.getrandbits(64)))
        self.announcer = Announcer(self._solver, most_positions, clock, self.spawn)

    # Life

    async def start(self) -> None:
        """Takes up what was left: turns of programs, and clocks."""
        self.spawn(self._adopt())
        self._sweeper = asyncio.get_running_loop().create_task(self._sweep())

    async def stop(self) -> None:
        """Everything that was begun is stored; then all are told to come back in a moment."""
        self.stopping = True
        if self._sweeper:
            self._sweeper.cancel()
        for live in self._lives.values():
            if live.timer:
                live.timer.cancel()
                live.timer = None
            if live.moving:
                live.moving.cancel()
        for live in tuple(self._lives.values()):
            async with live.lock:
                live.part("The server is stopping. Your game is saved; the page comes back by itself.")
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.programs.close()
        self._solver.shutdown(wait=False, cancel_futures=True)

    async def quiet(self) -> None:
        """Waits until no program is about to move and everything is told."""
        await asyncio.sleep(0)
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)

    # Memory

    async def live(self, match: str) -> Gathering:
        """The table of a match, from memory or from the store."""
        while (live := self._lives.get(match)) is None:
            if self.stopping:
                raise Refusal("cannot_save", "The server is stopping. Try again in a moment.")
            task = self._loading.get(match)
            if task is None:
                task = self._loading[match] = asyncio.get_running_loop().create_task(self._load(match))
                task.add_done_callback(lambda _: self._loading.pop(match, None))
            await asyncio.shield(task)
        self._lives.move_to_end(match)
        live.used = time.monotonic()
        return live

    def held(self, match: str) -> Held:
        """The table of a match for one at a time, with everything that is stored of it."""
        return Held(self, match)

    @property
    def held_now(self) -> int:
        """How many tables are in memory."""
        return len(self._lives)

    def at_hand(self, match: str) -> Gathering | None:
        """The table of a match, if it is in memory."""
        return self._lives.get(match)

    def lives(self) -> tuple[Gathering, ...]:
        """All tables in memory."""
        return tuple(self._lives.values())

    async def _load(self, match: str) -> Gathering:
        try:
            found = await asyncio.to_thread(self.store.find, match)
            if found is None:
                raise not_found()
            row, seats, events = found
            shown = self.library.shown(row.variant, row.source)
            table = LiveTable(shown.book, row, seats, events, shown.moves)
            if [seat.seat for seat in seats if isinstance(seat.name, str)] != list(shown.book.players):
                raise ValueError("others sit here than play")
        except StoreError as error:
            raise cannot_save(error) from None
        except Refusal:
            raise
        except DAMAGE as damage:
            place = place_of(damage.__traceback__)
            happened_again("damaged", "a match can't be opened", error=type(damage).__name__, place=place)
            raise Refusal("damaged", "This game is damaged and can't be opened. Begin a new one.") from damage
        return self.take_in(Gathering(table, shown))

    def take_in(self, live: Gathering) -> Gathering:
        """Holds a table in memory, and goes on with what waits there."""
        self._lives[live.table.row.id] = live
        if len(self._lives) > self.most_live:
            oldest = next((name for name, each in self._lives.items() if each.idle and each is not live), None)
            if oldest:
                del self._lives[oldest]
        self._go_on(live)
        return live

    async def catch_up(self, live: Gathering) -> None:
        """Applies what is stored and not applied yet, after something went wrong."""
        if live.sound:
            return
        table = live.table
        await self.learn(live, await self._read(lambda store: store.events_since(table.row.id, table.seq)))
        live.sound = True

    async def refresh(self, live: Gathering) -> None:
        """Makes sure that what other servers have stored is applied, for somebody who may have seen it there."""
        table = live.table
        if self.store.shared:
            events = await self._read(lambda store: store.events_since(table.row.id, table.seq))
            await self.learn(live, events, here=False)

    async def fresh(self, match: str) -> Gathering:
        """The table of a match to be looked at, with what other servers have stored."""
        live = await self.live(match)
        if self.store.shared:
            async with live.lock:
                await self.refresh(live)
        return live

    async def learn(self, live: Gathering, events: Sequence[Event], *, here: bool = True) -> None:
        """Applies stored events; those of another server, not stored `here`, are gone on with there."""
        table = live.table
        events = [event for event in events if event.seq > table.seq]
        if any(event.what == JOIN for event in events):
            found = await self._read(lambda store: store.find(table.row.id))
            for seat in found[1] if found else ():
                table.joined(seat)
            for token_hash in set(live.listeners.values()) - {""}:
                live.reseat(token_hash)
        for event in events:
            self.happen(live, event, here=here)

    async def _read(self, work: Callable[[Store], T]) -> T:
        """What is read after all that is written here; where others write too, at once."""
        if not self.store.shared:
            return await self.write(work)
        try:
            return await asyncio.to_thread(work, self.store)
        except StoreError as error:
            raise cannot_save(error) from None

    async def _recover(self, live: Gathering) -> None:
        with suppress(Refusal):
            async with live.lock:
                await self.catch_up(live)

    async def commit(self, live: Gathering, event: Event) -> int:
        """Stores an event and applies it; its number."""
        try:
            stored = await self.writer.append(event)
        except StoreError as error:
            live.sound = False
            raise cannot_save(error) from None
        except BaseException:  # whoever asked is gone; whether it was stored is seen to later
            live.sound = False
            self.spawn(self._recover(live))
            raise
        if not stored:
            live.sound = False
            await self.catch_up(live)
            done = live.table.requests.get(event.request)
            if done is None or event.request.startswith("server-"):
                raise stale()
            return done
        self.happen(live, event)
        return event.seq

    def happen(self, live: Gathering, event: Event, *, here: bool = True) -> None:
        """Applies a stored event and has everybody told; `here` where it was stored by this server."""
        table = live.table
        number = table.match.length + 1
        plies = table.apply(event)
        live.used = time.monotonic()
        if live.listeners:
            plain = bool(plies) and event.what not in {RESIGN, TIMEOUT}
            if plain:
                now = self.clock()
                self.announcer.announce(
                    live, Happened(event, number, plies, table.outcome, table.clock(now), table.tells)
                )
            if not plain or table.outcome:
                self.announcer.announce(live)
        self._go_on(live, here=here)

    def _go_on(self, live: Gathering, *, here: bool = True) -> None:
        """Sees to what has to happen by itself: the clock; and a program's turn and the end, unless others do."""
        table = live.table
        if self.stopping or live.gone:
            return
        if live.timer:
            live.timer.cancel()
            live.timer = None
        if table.running:
            left = table.left(self.clock())[table.running - 1] / 1000
            live.timer = asyncio.get_running_loop().call_later(left + 0.01, self._time, live)
        if not here:
            return
        if live.moving is None and self._next_step(live):
            live.moving = self.spawn(self._move(live))
        if table.ended and table.row.ended is None:
            table.row = table.row._replace(ended=table.at, score=list(table.score))
            self.spawn(self._end(live))

    def _next_step(self, live: Gathering) -> str | None:
        """The program that is to move, or the next round where only programs play."""
        table = live.table
        if table.outcome is None or table.ended:
            return table.bot
        return NEXT if len(table.taken) == len(table.seats) and not table.people else None

    async def _move(self, live: Gathering) -> None:
        """Lets programs play until a person is to move."""
        try:
            while not (live.gone or self.stopping) and (step := self._next_step(live)):
                await self._move_once(live, step)
        except Refusal:
            happened("bot_waits", "a program's move could not be stored; it is tried again", level=logging.WARNING)
        finally:
            live.moving = None

    async def _move_once(self, live: Gathering, step: str) -> None:
        table = live.table
        seq, turn, position = table.seq, table.match.turn, table.match.position
        what = step if step == NEXT else await self._chosen(live, step)
        async with live.lock:
            if not live.sound:
                await self.catch_up(live)
            if table.seq != seq or live.gone:
                return
            now = self.clock()
            if table.flagged(now):
                what = TIMEOUT
            elif what not in {NEXT, RESIGN}:
                try:
                    what = str(legal_move(table.book, position, what))
                except MoveError:
                    what = RESIGN
            await self.commit(live, table.event(turn, what, "", now))

    async def _chosen(self, live: Gathering, bot: str) -> str:
        """A bot's move; it resigns where it can't give any, or where the game has no end."""
        table = live.table
        if table.seq >= (MOST_EVENTS if table.people else MOST_ALONE):
            return RESIGN
        try:
            return await self.programs.choose(live.shown, bot, table.match.position)
        except NumberlineError:
            return RESIGN

    def _time(self, live: Gathering) -> None:
        live.timer = None
        self.spawn(self._flag(live))

    async def _flag(self, live: Gathering) -> None:
        """Ends the game of somebody who has run out of time."""
        async with live.lock:
            table, now = live.table, self.clock()
            if not live.gone and table.flagged(now):
                with suppress(Refusal):
                    await self.commit(live, table.event(table.match.turn, TIMEOUT, "", now))
            else:
                self._go_on(live)

    async def _end(self, live: Gathering) -> None:
        row = live.table.row
        try:
            await self.writer.run(lambda store: store.end(row.id, row.ended or row.created, row.score))
        except StoreError:
            live.table.row = row._replace(ended=None)  # the next sweep tries again

    def drop(self, live: Gathering) -> None:
        """Nobody gets to this table any more."""
        live.gone = True
        self._lives.pop(live.table.row.id, None)
        if live.timer:
            live.timer.cancel()
            live.timer = None

    async def write(self, work: Callable[[Store], T], live: Gathering | None = None) -> T:
        """What other work with the store gives back; where it fails, the table of it is not trusted."""
        try:
            return await self.writer.run(work)
        except StoreError as error:
            if live:
                live.sound = False
            raise cannot_save(error) from None

    # Now and then

    async def _adopt(self) -> None:
        """Takes in the matches in which a program or a clock is waiting."""
        with suppress(StoreError):
            await self.adopt(await asyncio.to_thread(self.store.live_matches))

    async def adopt(self, matches: Iterable[str]) -> None:
        """Takes in those of these matches in which a program or a clock is waiting."""
        for match in matches:
            if self.at_hand(match):
                continue
            with suppress(Refusal):
                live = await self.live(match)
                if live.idle:
                    self._lives.pop(match, None)

    async def _sweep(self) -> None:
        forgotten = 0.0
        while True:
            await asyncio.sleep(SWEEP)
            self._forget_idle()
            for live in tuple(self._lives.values()):
                if not live.sound:
                    self.spawn(self._recover(live))
                elif live.moving is None:
                    self._go_on(live)
            if self.keep is not None and time.monotonic() - forgotten > 3600:
                forgotten = time.monotonic()
                with suppress(StoreError):
                    gone = await self.forget(self.clock() - self.keep * DAY)
                    if gone:
                        happened("forgotten", "matches that were over or left long ago were deleted", matches=gone)

    async def forget(self, before: float) -> int:
        """How many matches were removed: those that ended before that time, and those that were left before it.

        One that is open stays, or what is played there next would be lost; and between two of them moves are stored.
        """
        gone = await self.writer.run(lambda store: store.forget_before(before))
        for match in await self.writer.run(lambda store: store.idle_before(before)):
            if match not in self._lives and match not in self._loading:
                await self.writer.run(partial(Store.delete, match=match))
                gone += 1
        return gone

    def _forget_idle(self) -> None:
        before = time.monotonic() - IDLE
        for match, live in tuple(self._lives.items()):
            if live.idle and live.used < before and live.sound:
                del self._lives[match]

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Has something done besides."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
