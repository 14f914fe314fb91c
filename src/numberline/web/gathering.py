"""Those who are gathered round one table, and how they are all told the same, in order."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Executor
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from numberline.rules.errors import NumberlineError
from numberline.web.frames import goodbye_frame
from numberline.web.shown import Shown, Truth
from numberline.web.table import LiveTable
from numberline.web.telling import (
    Happened,
    Snapshot,
    for_seats,
    snapshot,
    told_event,
    told_presence,
    told_table,
    truths_of_event,
    truths_of_table,
)

T = TypeVar("T")
PATIENCE = 1.0
"""So many seconds a table waits for a solution; what moves are worth is told later where it takes longer."""
CROWD, CROWDED = 50, 1.0
"""Where more than so many listen, who comes and goes is told once in so many seconds: it would take all time."""
Truths = tuple[dict[Truth, bytes] | None, bytes]
"""What is known, and where the game was decided."""


class Listener(Protocol):
    """Somebody who is connected; `you` are the seats that they have, none for a watcher."""

    you: tuple[int, ...]

    def send(self, frame: bytes) -> None:
        """Takes a frame without ever waiting; a full queue closes itself."""


class Elsewhere(NamedTuple):
    """Who is at a table at another server: their seats, how many watch, and when that was said."""

    seats: tuple[int, ...]
    watching: int
    at: float


class Gathering:
    """A table and those around it."""

    def __init__(self, table: LiveTable, shown: Shown) -> None:
        self.table = table
        self.shown = shown
        self.lock = asyncio.Lock()
        self.listeners: dict[Listener, str] = {}
        """Who listens, each with what is known of the token."""
        self.told: dict[Listener, int] = {}
        """Up to which event each has been told."""
        self.pending: deque[Happened | None] = deque()
        """What is still to be told: moves, and None for the whole table."""
        self.telling = False
        self.greeting = False
        """Whether it will be told who is there."""
        self.sound = True
        """Whether all stored events are applied, as far as is known."""
        self.gone = False
        self.moving: asyncio.Task[None] | None = None
        """A program that is about to move."""
        self.timer: asyncio.TimerHandle | None = None
        self.turning = b""
        """Where the present round was decided."""
        self.turning_round = 0
        self.used = time.monotonic()
        self.elsewhere: dict[str, Elsewhere] = {}
        """Who is at this table at other servers, by their names."""

    @property
    def idle(self) -> bool:
        """Whether nobody would miss it in memory."""
        return not (self.listeners or self.lock.locked() or self.moving or self.timer or self.telling)

    def add(self, listener: Listener, token_hash: str) -> None:
        """Somebody comes, and gets the seats of this token."""
        listener.you = self.table.seats_of(token_hash) if token_hash else ()
        self.listeners[listener] = token_hash
        self.told[listener] = self.table.seq

    def remove(self, listener: Listener) -> None:
        """Somebody is gone."""
        self.listeners.pop(listener, None)
        self.told.pop(listener, None)

    def show(self, listener: Listener, seq: int, frame: bytes) -> None:
        """Sends the whole table to one of them."""
        if listener in self.listeners:
            self.told[listener] = max(self.told[listener], seq)
            listener.send(frame)

    def reseat(self, token_hash: str) -> None:
        """Gives those who listen with this token the seats that they have now."""
        for listener, known in self.listeners.items():
            if known == token_hash:
                listener.you = self.table.seats_of(token_hash)
        self.greet()

    def present(self) -> list[bool]:
        """For each seat, whether somebody is there."""
        there = {seat for listener in self.listeners for seat in listener.you}
        there.update(seat for others in self.elsewhere.values() for seat in others.seats)
        return [bool(seat.bot) or seat.seat in there for seat in self.table.seats]

    def watching(self) -> int:
        """How many watch."""
        return self._watchers() + sum(others.watching for others in self.elsewhere.values())

    def _watchers(self) -> int:
        return sum(1 for listener in self.listeners if not listener.you)

    def here(self) -> str:
        """Who is here, as other servers are told: `1.2=3` for seats 1 and 2, and three who watch."""
        seats = sorted({seat for listener in self.listeners for seat in listener.you})
        return f"{'.'.join(map(str, seats))}={self._watchers()}"

    def meet(self, server: str, said: str, now: float) -> None:
        """Takes in who is at another server, as that has said."""
        seats, _, watching = said.partition("=")
        others = Elsewhere(tuple(map(int, seats.split("."))) if seats else (), int(watching), now)
        before = self.present(), self.watching()
        if others.seats or others.watching:
            self.elsewhere[server] = others
        else:
            self.elsewhere.pop(server, None)
        if before != (self.present(), self.watching()):
            self.greet()

    def miss(self, before: float) -> None:
        """Forgets the servers that have said nothing since that time."""
        for server, others in tuple(self.elsewhere.items()):
            if others.at < before:
                self.meet(server, "=0", before)

    def greet(self) -> None:
        """Tells everybody who is there, once for all who come or go in the same moment."""
        if not self.greeting and self.listeners:
            self.greeting = True
            loop = asyncio.get_running_loop()
            if len(self.listeners) > CROWD:
                loop.call_later(CROWDED, self._greet)
            else:
                loop.call_soon(self._greet)

    def _greet(self) -> None:
        self.greeting = False
        frame = told_presence(self.present(), self.watching())
        for listener in tuple(self.listeners):
            listener.send(frame)

    def part(self, sentence: str) -> None:
        """Sends everybody away."""
        frame = goodbye_frame(sentence)
        for listener in tuple(self.listeners):
            listener.send(frame)
        self.listeners.clear()
        self.told.clear()


class Announcer:
    """Tells listeners what has happened, with what it is worth where that may be seen."""

    def __init__(
        self,
        solver: Executor,
        most_positions: int,
        clock: Callable[[], float],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
    ) -> None:
        self._solver = solver
        self.most_positions = most_positions
        self._clock = clock
        self._spawn = spawn

    def think(self, work: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        """What comes of work that needs a solution: it is done in the one thread that solves."""
        return asyncio.get_running_loop().run_in_executor(self._solver, work, *arguments)

    def announce(self, live: Gathering, what: Happened | None = None) -> None:
        """Has a move or the whole table told to everybody, after whatever runs now; so an answer goes first."""
        if not live.listeners or (what is None and live.pending and live.pending[-1] is None):
            return  # nobody is there, or the whole table is about to be told as it will be then
        live.pending.append(what)
        if not live.telling:
            live.telling = True
            asyncio.get_running_loop().call_soon(self._tell, live)

    async def table(self, live: Gathering, you: tuple[int, ...]) -> tuple[int, bytes]:
        """The number of events so far, and the frame of the whole table for somebody in these seats."""
        if "whole" not in vars(live.shown):  # finding the words for a very large book takes a second
            await asyncio.to_thread(getattr, live.shown, "whole")
        seen = self._snapshot(live)
        told = await self._truths(live, seen.tells, truths_of_table(seen), over=seen.match["outcome"] is not None)
        return seen.seq, for_seats(seen.seq, you, told_table(seen, live.shown, *told))

    async def truths(self, live: Gathering, wanted: Iterable[Truth]) -> dict[Truth, bytes] | None:
        """All of these, once they are worked out; None where that can't be, or takes too long for now."""
        shown = live.shown
        if shown.size > self.most_positions:
            return None
        found, missing = shown.truths(wanted)
        if not missing:
            return found
        fresh = [truth for truth in missing if truth not in shown.working]
        if fresh:
            shown.work(fresh, self.think(shown.work_out, fresh))
        works = {shown.working[truth] for truth in missing}
        _, late = await asyncio.wait(works, timeout=PATIENCE)
        if late:
            next(iter(late)).add_done_callback(partial(self._worked_out, live))
            return None
        try:
            for work in works:
                found |= work.result()
        except NumberlineError:
            return None  # a position from which too much follows: it is shown without its worth
        return found

    def _worked_out(self, live: Gathering, work: asyncio.Future[dict[Truth, bytes]]) -> None:
        """Tells what is known by now; what can't be known would only be worked out again, and again."""
        if not work.cancelled() and work.exception() is None:
            self.announce(live)

    def _snapshot(self, live: Gathering) -> Snapshot:
        return snapshot(live.table, live.shown, self._clock(), live.present(), live.watching())

    async def _truths(self, live: Gathering, tells: bool, wanted: Iterable[Truth], *, over: bool) -> Truths:  # noqa: FBT001 - as seen in a snapshot
        if not tells:
            return None, b""
        known = await self.truths(live, wanted)
        if known is None or not over or not live.shown.reviews:
            return known, b""
        table = live.table
        if table.timeouts:  # the clock has decided it
            return known, b""
        if live.turning_round != table.round and table.outcome:
            round_, match = table.round, table.match
            try:
                work = self.think(live.shown.turning, match)
                if not (await asyncio.wait([work], timeout=PATIENCE))[0]:
                    return known, b""
                live.turning, live.turning_round = work.result(), round_
            except NumberlineError:
                return known, b""
        return known, live.turning if live.turning_round == table.round else b""

    def _tell(self, live: Gathering) -> None:
        """Tells what waits as long as everything is at hand; what has to be worked out is waited for elsewhere."""
        while live.pending and live.listeners:
            what = live.pending.popleft()
            if what is None or what.outcome:
                self._spawn(self._tell_later(live, what))
                return
            found, missing = live.shown.truths(truths_of_event(what) if self._may(live, what) else ())
            if missing:
                self._spawn(self._tell_later(live, what))
                return
            self._send(live, what, told_event(what, live.shown, found, b""))
        live.pending.clear()
        live.telling = False

    def _may(self, live: Gathering, what: Happened) -> bool:
        return what.tells and live.shown.size <= self.most_positions

    async def _tell_later(self, live: Gathering, what: Happened | None) -> None:
        try:
            if what is None:
                seen = self._snapshot(live)
                over = seen.match["outcome"] is not None
                told = await self._truths(live, seen.tells, truths_of_table(seen), over=over)
                frame = told_table(seen, live.shown, *told)
                for listener in tuple(live.listeners):
                    if live.told[listener] <= seen.seq:
                        live.told[listener] = seen.seq
                        listener.send(for_seats(seen.seq, listener.you, frame))
            else:
                told = await self._truths(live, what.tells, truths_of_event(what), over=what.outcome is not None)
                self._send(live, what, told_event(what, live.shown, *told))
        finally:
            self._tell(live)

    def _send(self, live: Gathering, what: Happened, frame: bytes) -> None:
        seq = what.event.seq
        for listener in tuple(live.listeners):
            if live.told[listener] < seq:
                live.told[listener] = seq
                listener.send(frame)
