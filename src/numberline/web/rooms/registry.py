"""Registry of rooms in memory: loading, eviction, committing events, and scheduling clocks and bots."""

from __future__ import annotations

import asyncio
import ctypes
import logging
import sys
import time
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import KW_ONLY, InitVar, dataclass, field
from functools import partial
from random import Random, SystemRandom
from types import MappingProxyType
from typing import Any, TypeVar

from numberline.game.match import RESIGN
from numberline.web.ops.logging import error_location, log_event, log_event_throttled
from numberline.web.protocol.errors import ApiError, cannot_save, not_found, stale
from numberline.web.protocol.events import MovePlayed, book_encoder_cache
from numberline.web.rooms.bot_runner import BotRunner, next_bot_step
from numberline.web.rooms.match_state import JOIN, REPLAY_ERRORS, TIMEOUT, MatchState
from numberline.web.rooms.room import Broadcaster, Room
from numberline.web.rooms.solver_pool import SolverPool
from numberline.web.store.store import Event, Store, StoreError
from numberline.web.store.write_queue import WriteQueue

T = TypeVar("T")
# Above this number, idle rooms are evicted; they are reloaded on demand.
MAX_LIVE_ROOMS = 10_000
IDLE_TIMEOUT_S = 600.0
SWEEP_INTERVAL_S = 15.0
FILE_CHECK_INTERVAL_S = 60.0
GOODBYE_TIMEOUT_S = 1.0
DELETE_EXPIRED_INTERVAL_S = 3600
# At most this much time before the server started counts against players' clocks: the server may have been down for
# a long time, or the system clock may have been changed.
MAX_DOWNTIME_S = 60.0
SECONDS_PER_DAY = 86_400
_C_LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None


def steady_clock() -> Callable[[], float]:
    """Return a clock that counts seconds since 1970 and ignores later changes to the system clock."""
    offset = time.time() - time.monotonic()
    return lambda: offset + time.monotonic()


@dataclass(eq=False)
class RoomRegistry:
    """Rooms of the matches currently in use; all other matches exist only in the store."""

    store: Store
    writer: WriteQueue
    _: KW_ONLY
    clock: Callable[[], float] = field(default_factory=steady_clock)
    rng: Random = field(default_factory=SystemRandom)
    keep_days: float | None = None
    max_rooms: int = MAX_LIVE_ROOMS
    solvers: int = 2
    offered_books: InitVar[Mapping[str, str]] = MappingProxyType({})

    def __post_init__(self, offered_books: Mapping[str, str]) -> None:
        self.stopping = False
        self.started_at = self.clock()
        self.book_encoder = book_encoder_cache(offered_books)
        self.rooms: OrderedDict[str, Room] = OrderedDict()
        self._loading: dict[str, asyncio.Task[Room]] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._maintenance: list[asyncio.Task[None]] = []
        self.solver_pool = SolverPool(self.solvers)
        self.bot_runner = BotRunner(self.solver_pool, Random(self.rng.getrandbits(64)))
        self.broadcaster = Broadcaster(self.solver_pool, self.clock, self.spawn)

    # Lifetime

    async def start(self) -> None:
        """Start the maintenance tasks, and resume matches with a bot to move or a running clock."""
        self.spawn(self.resume_matches())
        self._maintenance = [asyncio.create_task(work) for work in (self._sweep(), self._check_file())]

    async def stop(self) -> None:
        """Wait briefly for pending writes, tell clients to reconnect, and stop all tasks."""
        self.stopping = True
        for task in self._maintenance:
            task.cancel()
        for room in self.rooms.values():
            room.cancel_timer()
            if room.bot_task:
                room.bot_task.cancel()
        if goodbyes := [self.spawn(self._say_goodbye(room)) for room in self.rooms.values()]:
            await asyncio.wait(goodbyes, timeout=GOODBYE_TIMEOUT_S)  # a room may be waiting for the solver or the disk
        for task in tuple(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self.solver_pool.close()

    async def _say_goodbye(self, room: Room) -> None:
        async with room.lock:
            room.close_all("The server is restarting. Your game is saved, and this page will reconnect.")

    def spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a background task, and keep a reference to it until it is done."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    # Rooms

    async def get_room(self, match_id: str) -> Room:
        """Return the room of a match, loading it if necessary; raise `ApiError` if that is not possible."""
        self._require_running()
        while (room := self.rooms.get(match_id)) is None:
            task = self._loading.get(match_id)
            if task is None:
                task = self._loading[match_id] = asyncio.get_running_loop().create_task(self._load(match_id))
                task.add_done_callback(lambda _: self._loading.pop(match_id, None))
            await asyncio.shield(task)
            self._require_running()
        self.rooms.move_to_end(match_id)
        room.last_used = time.monotonic()
        return room

    async def get_synced_room(self, match_id: str) -> Room:
        """Return the room of a match for reading, after applying any events stored by other servers."""
        room = await self.get_room(match_id)
        if self.store.shared:
            async with room.lock:
                await self.refresh(room)
        return room

    async def lock_room(self, match_id: str) -> Room:
        """Lock the room of a match and apply any missing events; raise `ApiError` if the match is unavailable.

        `with await registry.lock_room(match_id) as room:` releases the lock at the end of the block.
        """
        while True:
            room = await self.get_room(match_id)
            await room.lock.acquire()
            try:
                self._require_running()
                await self.catch_up(room)
            except BaseException:
                room.lock.release()
                raise
            if self.rooms.get(match_id) is room:  # otherwise it was evicted while we waited for the lock
                return room
            room.lock.release()
            if room.deleted:
                raise not_found()

    def _require_running(self) -> None:
        if self.stopping:
            raise ApiError("cannot_save", "The server is restarting. Try again in a moment.")

    async def _load(self, match_id: str) -> Room:
        try:
            stored = await asyncio.to_thread(self.store.find, match_id)
            if stored is None:
                raise not_found()
            row, seats, events = stored
            encoder = await self.solver_pool.view(self.book_encoder, row.variant, row.source)
            state = MatchState(encoder.book, row, seats, events)
            if [seat.seat for seat in seats if isinstance(seat.name, str)] != list(encoder.book.players):
                raise ValueError("the seats do not match the book")
        except StoreError as error:
            raise cannot_save(error) from None
        except ApiError:
            raise
        except REPLAY_ERRORS as error:
            place = error_location(error.__traceback__)
            log_event_throttled("damaged", "a match can't be opened", error=type(error).__name__, place=place)
            raise ApiError("damaged", "This game is damaged and can't be opened. Start a new one.") from error
        return self.add_room(Room(state, encoder))

    def add_room(self, room: Room) -> Room:
        self.rooms[room.state.row.id] = room
        room.state.resume_clock(self.clock(), self.started_at - MAX_DOWNTIME_S)
        if len(self.rooms) > self.max_rooms:
            oldest = next((name for name, other in self.rooms.items() if other.idle and other is not room), None)
            if oldest:
                del self.rooms[oldest]
        self._schedule_next(room)
        return room

    async def delete_room(self, room: Room) -> None:
        """Delete a match with all its stored data, and tell its subscribers."""
        match_id = room.state.row.id
        await self.write(lambda store: store.delete(match_id))
        room.deleted = True
        self.rooms.pop(match_id, None)
        room.cancel_timer()
        room.close_all("A player deleted this game.")

    # Stored events

    async def write(self, work: Callable[[Store], T], room: Room | None = None) -> T:
        """Run `work` in the write queue; if it fails, mark `room` as out of sync and raise `ApiError`."""
        try:
            return await self.writer.run(work)
        except StoreError as error:
            if room:
                room.in_sync = False
            raise cannot_save(error) from None

    async def _read(self, work: Callable[[Store], T]) -> T:
        if not self.store.shared:
            return await self.write(work)  # queued after the pending writes so that it sees them
        try:
            return await asyncio.to_thread(work, self.store)
        except StoreError as error:
            raise cannot_save(error) from None

    async def catch_up(self, room: Room) -> None:
        """Apply stored events that the room missed because of a failure."""
        if not room.in_sync:
            await self._apply_missing(room, local=True)
            room.in_sync = True

    async def refresh(self, room: Room) -> None:
        """Apply events stored by other servers."""
        if self.store.shared:
            await self._apply_missing(room, local=False)

    async def _apply_missing(self, room: Room, *, local: bool) -> None:
        state = room.state
        events = await self._read(lambda store: store.events_since(state.row.id, state.seq))
        await self.apply_stored_events(room, events, local=local)

    async def apply_stored_events(self, room: Room, events: Sequence[Event], *, local: bool = True) -> None:
        """Apply stored events; if not `local`, leave bot turns and the match's end to the server that stored them."""
        state = room.state
        events = [event for event in events if event.seq > state.seq]
        if any(event.what == JOIN for event in events):
            stored = await self._read(lambda store: store.find(state.row.id))
            for seat in stored[1] if stored else ():
                state.fill_seat(seat)
            room.refresh_seats()
        for event in events:
            self.apply_and_broadcast(room, event, local=local)

    async def commit(self, room: Room, event: Event) -> int:
        """Store an event, then apply and broadcast it; return its `seq`."""
        try:
            stored = await self.writer.append(event)
        except StoreError as error:
            room.in_sync = False
            raise cannot_save(error) from None
        except BaseException:  # cancelled: the event may or may not be stored
            room.in_sync = False
            self.spawn(self._recover(room))
            raise
        if not stored:
            room.in_sync = False
            await self.catch_up(room)
            seq = room.state.requests.get(event.request)
            if seq is None or event.request.startswith("server-"):
                raise stale()
            return seq
        self.apply_and_broadcast(room, event)
        return event.seq

    def apply_and_broadcast(self, room: Room, event: Event, *, local: bool = True) -> None:
        state = room.state
        number = state.match.length + 1
        plies = state.apply(event)
        state.resume_clock(self.clock(), self.started_at - MAX_DOWNTIME_S)
        room.last_used = time.monotonic()
        if room.subscribers:
            is_move = bool(plies) and event.what not in {RESIGN, TIMEOUT}
            if is_move:
                clock, visible = state.clock_json(self.clock()), state.values_visible
                move = MovePlayed(event.seq, event.seat, number, plies, state.outcome, clock, visible)
                self.broadcaster.broadcast(room, move)
            if not is_move or state.outcome:
                self.broadcaster.broadcast(room)
        self._schedule_next(room, local=local)

    async def _recover(self, room: Room) -> None:
        with suppress(ApiError):
            async with room.lock:
                await self.catch_up(room)

    # Clocks, bots and the end of a match

    def _schedule_next(self, room: Room, *, local: bool = True) -> None:
        """Start the clock; if `local`, also let a bot take its turn, and store the result if the match is over."""
        state = room.state
        if self.stopping or room.deleted:
            return
        room.cancel_timer()
        if state.running_player:
            left_s = state.remaining_ms(self.clock())[state.running_player - 1] / 1000
            loop = asyncio.get_running_loop()
            room.timer = loop.call_later(left_s + 0.01, lambda: self.spawn(self._end_on_time(room)))
        if not local:
            return
        if room.bot_task is None and next_bot_step(state):
            room.bot_task = self.spawn(self.bot_runner.play_turns(room, self))
        if state.ended and state.row.ended is None:
            state.row = state.row._replace(ended=state.updated_at, score=list(state.score))
            self.spawn(self._store_end(room))

    async def _end_on_time(self, room: Room) -> None:
        room.timer = None
        async with room.lock:
            state, now = room.state, self.clock()
            if not room.deleted and state.is_out_of_time(now):
                with suppress(ApiError):
                    await self.commit(room, state.event(state.match.turn, TIMEOUT, "", now))
            else:
                self._schedule_next(room)

    async def _store_end(self, room: Room) -> None:
        row = room.state.row
        try:
            await self.writer.run(lambda store: store.end(row.id, row.ended or row.created, row.score))
        except StoreError:
            room.state.row = row._replace(ended=None)  # the next sweep retries

    # Maintenance

    async def resume_matches(self, after: float | None = None, before: float | None = None) -> None:
        """Resume matches with a bot to move or a running clock, if their last event is between `after` and `before`."""
        with suppress(StoreError):
            for match_id in await asyncio.to_thread(self.store.unfinished_matches, after, before):
                if match_id in self.rooms:
                    continue
                with suppress(ApiError):
                    if (await self.get_room(match_id)).idle:
                        self.rooms.pop(match_id, None)

    async def _sweep(self) -> None:
        """Evict idle rooms, retry failed work, and delete expired matches."""
        deleted_at = 0.0
        while True:
            await asyncio.sleep(SWEEP_INTERVAL_S)
            self._evict_idle()
            await asyncio.to_thread(_release_free_memory)
            for room in tuple(self.rooms.values()):
                if not room.in_sync:
                    self.spawn(self._recover(room))
                elif room.bot_task is None:
                    self._schedule_next(room)
            if self.store.checkpoint_due:
                await self.writer.run(Store.checkpoint)
            if self.keep_days is not None and time.monotonic() - deleted_at > DELETE_EXPIRED_INTERVAL_S:
                deleted_at = time.monotonic()
                with suppress(StoreError):
                    await self._delete_expired(self.keep_days * SECONDS_PER_DAY)

    async def _check_file(self) -> None:
        """Check the database file periodically, spending at most 2% of the time on it."""
        while True:
            started = time.monotonic()
            if await asyncio.to_thread(self.store.check_file):
                log_event("damaged_file", "the database file is damaged; restore a backup", level=logging.ERROR)
            await asyncio.sleep(max(FILE_CHECK_INTERVAL_S, 50 * (time.monotonic() - started)))

    async def _delete_expired(self, keep_s: float) -> None:
        """Delete expired matches, unless the newest event is so old that the server's clock may be wrong."""
        gap_s, running_s = 0.0, self.clock() - self.started_at
        if running_s < keep_s / 3:
            newest = await asyncio.to_thread(self.store.newest_event_at, self.started_at)
            gap_s = self.started_at - (newest or self.started_at)
        if gap_s > keep_s / 3:
            sentence = "the clock is far ahead of the newest event; nothing is deleted yet"
            days, wait_days = gap_s / SECONDS_PER_DAY, (keep_s / 3 - running_s) / SECONDS_PER_DAY
            log_event("clock_ahead", sentence, level=logging.WARNING, days=round(days), wait_days=round(wait_days, 1))
        elif count := await self.delete_expired(self.clock() - keep_s):
            log_event("forgotten", "old matches were deleted", matches=count)

    async def delete_expired(self, before: float) -> int:
        """Delete the matches that ended or had their last event before `before`; return the number deleted.

        Matches without any move are deleted after a day. Unfinished matches that are in memory are kept. Each of the
        others is deleted in a separate transaction, so that moves can be stored in between.
        """
        count = await self.writer.run(lambda store: store.delete_ended_before(before))
        unmoved = await self.writer.run(lambda store: store.unmoved_matches(self.clock() - SECONDS_PER_DAY))
        for match_id in {*unmoved, *await self.writer.run(lambda store: store.unfinished_matches(before=before))}:
            if match_id not in self.rooms and match_id not in self._loading:
                await self.writer.run(partial(Store.delete, match=match_id))
                count += 1
        return count

    def _evict_idle(self) -> None:
        before = time.monotonic() - IDLE_TIMEOUT_S
        for match_id, room in tuple(self.rooms.items()):
            if room.idle and room.last_used < before and room.in_sync:
                del self.rooms[match_id]


def _release_free_memory() -> None:
    """Return free memory to the operating system; otherwise, glibc's `malloc` keeps it in one arena per thread."""
    if _C_LIBRARY and hasattr(_C_LIBRARY, "malloc_trim"):  # only glibc has it
        _C_LIBRARY.malloc_trim(0)
