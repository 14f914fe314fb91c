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

from numberline.errors import MoveError, NumberlineError
from numberline.game.match import RESIGN, parse_legal_move
from numberline.web.ops.logging import error_location, log_event, log_event_throttled
from numberline.web.protocol.book_encoder import BookCache
from numberline.web.protocol.encode import MovePlayed
from numberline.web.protocol.errors import ApiError, cannot_save, not_found, stale
from numberline.web.rooms.bot_runner import BotRunner
from numberline.web.rooms.match_factory import load_book
from numberline.web.rooms.match_state import JOIN, MAX_EVENTS, NEXT, REPLAY_ERRORS, TIMEOUT, MatchState
from numberline.web.rooms.room import Broadcaster, Room
from numberline.web.rooms.room_lock import RoomLock
from numberline.web.store.store import Event, Store, StoreError
from numberline.web.store.write_queue import WriteQueue

T = TypeVar("T")
MAX_LIVE_ROOMS = 10_000
"""So many tables are held in memory; of more, those that nobody sits at are read again when somebody comes."""
IDLE_TIMEOUT_S = 600.0
"""After so many seconds a table that nobody sits at leaves the memory."""
SWEEP_INTERVAL_S = 15.0
"""How often, in seconds, it is seen to what was left undone."""
MAX_BOT_MATCH_EVENTS = 500
"""A match of programs among themselves is given up after so many events."""
SECONDS_PER_DAY = 86_400


class RoomRegistry:
    """The matches that somebody plays or has played lately; the others are in the store."""

    def __init__(
        self,
        store: Store,
        writer: WriteQueue,
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
        self._rooms: OrderedDict[str, Room] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self.book_cache = BookCache(load_book)
        self._tasks: set[asyncio.Task[None]] = set()
        self._sweeper: asyncio.Task[None] | None = None
        self._solver = ThreadPoolExecutor(1, thread_name_prefix="solver")
        self.bot_runner = BotRunner(self._solver, Random(rng.getrandbits(64)))
        self.broadcaster = Broadcaster(self._solver, most_positions, clock, self.spawn)

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
        for live in self._rooms.values():
            if live.timer:
                live.timer.cancel()
                live.timer = None
            if live.bot_task:
                live.bot_task.cancel()
        for live in tuple(self._rooms.values()):
            async with live.lock:
                live.close_all("The server is stopping. Your game is saved; the page comes back by itself.")
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.bot_runner.close()
        self._solver.shutdown(wait=False, cancel_futures=True)

    async def wait_idle(self) -> None:
        """Waits until no program is about to move and everything is told."""
        await asyncio.sleep(0)
        while self._tasks:
            await asyncio.gather(*self._tasks, return_exceptions=True)
            await asyncio.sleep(0)

    # Memory

    async def get_room(self, match: str) -> Room:
        """The table of a match, from memory or from the store."""
        while (live := self._rooms.get(match)) is None:
            if self.stopping:
                raise ApiError("cannot_save", "The server is stopping. Try again in a moment.")
            task = self._loading.get(match)
            if task is None:
                task = self._loading[match] = asyncio.get_running_loop().create_task(self._load(match))
                task.add_done_callback(lambda _: self._loading.pop(match, None))
            await asyncio.shield(task)
        self._rooms.move_to_end(match)
        live.last_used = time.monotonic()
        return live

    def lock_room(self, match: str) -> RoomLock:
        """The table of a match for one at a time, with everything that is stored of it."""
        return RoomLock(self, match)

    @property
    def room_count(self) -> int:
        """How many tables are in memory."""
        return len(self._rooms)

    def get_cached(self, match: str) -> Room | None:
        """The table of a match, if it is in memory."""
        return self._rooms.get(match)

    def rooms(self) -> tuple[Room, ...]:
        """All tables in memory."""
        return tuple(self._rooms.values())

    async def _load(self, match: str) -> Room:
        try:
            found = await asyncio.to_thread(self.store.find, match)
            if found is None:
                raise not_found()
            row, seats, events = found
            shown = self.book_cache.encoder(row.variant, row.source)
            table = MatchState(shown.book, row, seats, events, shown.moves)
            if [seat.seat for seat in seats if isinstance(seat.name, str)] != list(shown.book.players):
                raise ValueError("others sit here than play")
        except StoreError as error:
            raise cannot_save(error) from None
        except ApiError:
            raise
        except REPLAY_ERRORS as damage:
            place = error_location(damage.__traceback__)
            log_event_throttled("damaged", "a match can't be opened", error=type(damage).__name__, place=place)
            raise ApiError("damaged", "This game is damaged and can't be opened. Begin a new one.") from damage
        return self.add_room(Room(table, shown))

    def add_room(self, live: Room) -> Room:
        """Holds a table in memory, and goes on with what waits there."""
        self._rooms[live.state.row.id] = live
        if len(self._rooms) > self.most_live:
            oldest = next((name for name, each in self._rooms.items() if each.idle and each is not live), None)
            if oldest:
                del self._rooms[oldest]
        self._go_on(live)
        return live

    async def catch_up(self, live: Room) -> None:
        """Applies what is stored and not applied yet, after something went wrong."""
        if live.in_sync:
            return
        table = live.state
        await self.apply_stored_events(
            live, await self._read(lambda store: store.events_since(table.row.id, table.seq))
        )
        live.in_sync = True

    async def refresh(self, live: Room) -> None:
        """Makes sure that what other servers have stored is applied, for somebody who may have seen it there."""
        table = live.state
        if self.store.shared:
            events = await self._read(lambda store: store.events_since(table.row.id, table.seq))
            await self.apply_stored_events(live, events, here=False)

    async def get_synced_room(self, match: str) -> Room:
        """The table of a match to be looked at, with what other servers have stored."""
        live = await self.get_room(match)
        if self.store.shared:
            async with live.lock:
                await self.refresh(live)
        return live

    async def apply_stored_events(self, live: Room, events: Sequence[Event], *, here: bool = True) -> None:
        """Applies stored events; those of another server, not stored `here`, are gone on with there."""
        table = live.state
        events = [event for event in events if event.seq > table.seq]
        if any(event.what == JOIN for event in events):
            found = await self._read(lambda store: store.find(table.row.id))
            for seat in found[1] if found else ():
                table.fill_seat(seat)
            for token_hash in set(live.subscribers.values()) - {""}:
                live.refresh_seats(token_hash)
        for event in events:
            self.apply_and_broadcast(live, event, here=here)

    async def _read(self, work: Callable[[Store], T]) -> T:
        """What is read after all that is written here; where others write too, at once."""
        if not self.store.shared:
            return await self.write(work)
        try:
            return await asyncio.to_thread(work, self.store)
        except StoreError as error:
            raise cannot_save(error) from None

    async def _recover(self, live: Room) -> None:
        with suppress(ApiError):
            async with live.lock:
                await self.catch_up(live)

    async def commit(self, live: Room, event: Event) -> int:
        """Stores an event and applies it; its number."""
        try:
            stored = await self.writer.append(event)
        except StoreError as error:
            live.in_sync = False
            raise cannot_save(error) from None
        except BaseException:  # whoever asked is gone; whether it was stored is seen to later
            live.in_sync = False
            self.spawn(self._recover(live))
            raise
        if not stored:
            live.in_sync = False
            await self.catch_up(live)
            done = live.state.requests.get(event.request)
            if done is None or event.request.startswith("server-"):
                raise stale()
            return done
        self.apply_and_broadcast(live, event)
        return event.seq

    def apply_and_broadcast(self, live: Room, event: Event, *, here: bool = True) -> None:
        """Applies a stored event and has everybody told; `here` where it was stored by this server."""
        table = live.state
        number = table.match.length + 1
        plies = table.apply(event)
        live.last_used = time.monotonic()
        if live.subscribers:
            plain = bool(plies) and event.what not in {RESIGN, TIMEOUT}
            if plain:
                now = self.clock()
                self.broadcaster.broadcast(
                    live, MovePlayed(event, number, plies, table.outcome, table.clock(now), table.values_visible)
                )
            if not plain or table.outcome:
                self.broadcaster.broadcast(live)
        self._go_on(live, here=here)

    def _go_on(self, live: Room, *, here: bool = True) -> None:
        """Sees to what has to happen by itself: the clock; and a program's turn and the end, unless others do."""
        table = live.state
        if self.stopping or live.deleted:
            return
        if live.timer:
            live.timer.cancel()
            live.timer = None
        if table.running_player:
            left = table.remaining_ms(self.clock())[table.running_player - 1] / 1000
            live.timer = asyncio.get_running_loop().call_later(left + 0.01, self._time, live)
        if not here:
            return
        if live.bot_task is None and self._next_step(live):
            live.bot_task = self.spawn(self._move(live))
        if table.ended and table.row.ended is None:
            table.row = table.row._replace(ended=table.at, score=list(table.score))
            self.spawn(self._end(live))

    def _next_step(self, live: Room) -> str | None:
        """The program that is to move, or the next round where only programs play."""
        table = live.state
        if table.outcome is None or table.ended:
            return table.bot
        return NEXT if len(table.taken_seats) == len(table.seats) and not table.human_seats else None

    async def _move(self, live: Room) -> None:
        """Lets programs play until a person is to move."""
        try:
            while not (live.deleted or self.stopping) and (step := self._next_step(live)):
                await self._move_once(live, step)
        except ApiError:
            log_event("bot_waits", "a program's move could not be stored; it is tried again", level=logging.WARNING)
        finally:
            live.bot_task = None

    async def _move_once(self, live: Room, step: str) -> None:
        table = live.state
        seq, turn, position = table.seq, table.match.turn, table.match.position
        what = step if step == NEXT else await self._chosen(live, step)
        async with live.lock:
            if not live.in_sync:
                await self.catch_up(live)
            if table.seq != seq or live.deleted:
                return
            now = self.clock()
            if table.is_out_of_time(now):
                what = TIMEOUT
            elif what not in {NEXT, RESIGN}:
                try:
                    what = str(parse_legal_move(table.book, position, what))
                except MoveError:
                    what = RESIGN
            await self.commit(live, table.event(turn, what, "", now))

    async def _chosen(self, live: Room, bot: str) -> str:
        """A bot's move; it resigns where it can't give any, or where the game has no end."""
        table = live.state
        if table.seq >= (MAX_EVENTS if table.human_seats else MAX_BOT_MATCH_EVENTS):
            return RESIGN
        try:
            return await self.bot_runner.choose(live.encoder, bot, table.match.position)
        except NumberlineError:
            return RESIGN

    def _time(self, live: Room) -> None:
        live.timer = None
        self.spawn(self._flag(live))

    async def _flag(self, live: Room) -> None:
        """Ends the game of somebody who has run out of time."""
        async with live.lock:
            table, now = live.state, self.clock()
            if not live.deleted and table.is_out_of_time(now):
                with suppress(ApiError):
                    await self.commit(live, table.event(table.match.turn, TIMEOUT, "", now))
            else:
                self._go_on(live)

    async def _end(self, live: Room) -> None:
        row = live.state.row
        try:
            await self.writer.run(lambda store: store.end(row.id, row.ended or row.created, row.score))
        except StoreError:
            live.state.row = row._replace(ended=None)  # the next sweep tries again

    def remove_room(self, live: Room) -> None:
        """Nobody gets to this table any more."""
        live.deleted = True
        self._rooms.pop(live.state.row.id, None)
        if live.timer:
            live.timer.cancel()
            live.timer = None

    async def write(self, work: Callable[[Store], T], live: Room | None = None) -> T:
        """What other work with the store gives back; where it fails, the table of it is not trusted."""
        try:
            return await self.writer.run(work)
        except StoreError as error:
            if live:
                live.in_sync = False
            raise cannot_save(error) from None

    # Now and then

    async def _adopt(self) -> None:
        """Takes in the matches in which a program or a clock is waiting."""
        with suppress(StoreError):
            await self.adopt(await asyncio.to_thread(self.store.unfinished_matches))

    async def adopt(self, matches: Iterable[str]) -> None:
        """Takes in those of these matches in which a program or a clock is waiting."""
        for match in matches:
            if self.get_cached(match):
                continue
            with suppress(ApiError):
                live = await self.get_room(match)
                if live.idle:
                    self._rooms.pop(match, None)

    async def _sweep(self) -> None:
        forgotten = 0.0
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            self._forget_idle()
            for live in tuple(self._rooms.values()):
                if not live.in_sync:
                    self.spawn(self._recover(live))
                elif live.bot_task is None:
                    self._go_on(live)
            if self.keep is not None and time.monotonic() - forgotten > 3600:
                forgotten = time.monotonic()
                with suppress(StoreError):
                    gone = await self.delete_expired(self.clock() - self.keep * SECONDS_PER_DAY)
                    if gone:
                        log_event("forgotten", "matches that were over or left long ago were deleted", matches=gone)

    async def delete_expired(self, before: float) -> int:
        """How many matches were removed: those that ended before that time, and those that were left before it.

        One that is open stays, or what is played there next would be lost; and between two of them moves are stored.
        """
        gone = await self.writer.run(lambda store: store.delete_ended_before(before))
        for match in await self.writer.run(lambda store: store.idle_before(before)):
            if match not in self._rooms and match not in self._loading:
                await self.writer.run(partial(Store.delete, match=match))
                gone += 1
        return gone

    def _forget_idle(self) -> None:
        before = time.monotonic() - IDLE_TIMEOUT_S
        for match, live in tuple(self._rooms.items()):
            if live.idle and live.last_used < before and live.in_sync:
                del self._rooms[match]

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Has something done besides."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task
