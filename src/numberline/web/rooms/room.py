"""Those who are gathered round one table, and how they are all told the same, in order."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Iterable
from concurrent.futures import Executor
from functools import partial
from typing import Any, NamedTuple, Protocol, TypeVar

from numberline.errors import NumberlineError
from numberline.web.protocol.book_encoder import BookEncoder, EvaluationKey
from numberline.web.protocol.decode import goodbye_frame
from numberline.web.protocol.encode import (
    MovePlayed,
    Snapshot,
    address_snapshot,
    encode_move,
    encode_presence,
    encode_snapshot,
    move_evaluation_keys,
    snapshot,
    snapshot_evaluation_keys,
)
from numberline.web.rooms.match_state import MatchState

T = TypeVar("T")
SOLVE_TIMEOUT_S = 1.0
"""So many seconds a table waits for a solution; what moves are worth is told later where it takes longer."""
CROWD_SIZE, CROWD_PRESENCE_DELAY_S = 50, 1.0
"""Where more than so many listen, who comes and goes is told once in so many seconds: it would take all time."""
Evaluations = tuple[dict[EvaluationKey, bytes] | None, bytes]
"""What is known, and where the game was decided."""


class Subscriber(Protocol):
    """Somebody who is connected; `you` are the seats that they have, none for a watcher."""

    you: tuple[int, ...]

    def send(self, frame: bytes) -> None:
        """Takes a frame without ever waiting; a full queue closes itself."""


class RemotePresence(NamedTuple):
    """Who is at a table at another server: their seats, how many watch, and when that was said."""

    seats: tuple[int, ...]
    watcher_count: int
    at: float


class Room:
    """A table and those around it."""

    def __init__(self, table: MatchState, shown: BookEncoder) -> None:
        self.state = table
        self.encoder = shown
        self.lock = asyncio.Lock()
        self.subscribers: dict[Subscriber, str] = {}
        """Who listens, each with what is known of the token."""
        self.sent_seq: dict[Subscriber, int] = {}
        """Up to which event each has been told."""
        self.pending: deque[MovePlayed | None] = deque()
        """What is still to be told: moves, and None for the whole table."""
        self.broadcasting = False
        self.presence_scheduled = False
        """Whether it will be told who is there."""
        self.in_sync = True
        """Whether all stored events are applied, as far as is known."""
        self.deleted = False
        self.bot_task: asyncio.Task[None] | None = None
        """A program that is about to move."""
        self.timer: asyncio.TimerHandle | None = None
        self.turning_point = b""
        """Where the present round was decided."""
        self.turning_point_round = 0
        self.last_used = time.monotonic()
        self.remote_presence: dict[str, RemotePresence] = {}
        """Who is at this table at other servers, by their names."""

    @property
    def idle(self) -> bool:
        """Whether nobody would miss it in memory."""
        return not (self.subscribers or self.lock.locked() or self.bot_task or self.timer or self.broadcasting)

    def add(self, listener: Subscriber, token_hash: str) -> None:
        """Somebody comes, and gets the seats of this token."""
        listener.you = self.state.seats_of(token_hash) if token_hash else ()
        self.subscribers[listener] = token_hash
        self.sent_seq[listener] = self.state.seq

    def remove(self, listener: Subscriber) -> None:
        """Somebody is gone."""
        self.subscribers.pop(listener, None)
        self.sent_seq.pop(listener, None)

    def send_snapshot(self, listener: Subscriber, seq: int, frame: bytes) -> None:
        """Sends the whole table to one of them."""
        if listener in self.subscribers:
            self.sent_seq[listener] = max(self.sent_seq[listener], seq)
            listener.send(frame)

    def refresh_seats(self, token_hash: str) -> None:
        """Gives those who listen with this token the seats that they have now."""
        for listener, known in self.subscribers.items():
            if known == token_hash:
                listener.you = self.state.seats_of(token_hash)
        self.broadcast_presence()

    def seat_presence(self) -> list[bool]:
        """For each seat, whether somebody is there."""
        there = {seat for listener in self.subscribers for seat in listener.you}
        there.update(seat for others in self.remote_presence.values() for seat in others.seats)
        return [bool(seat.bot) or seat.seat in there for seat in self.state.seats]

    def watcher_count(self) -> int:
        """How many watch."""
        return self._watchers() + sum(others.watcher_count for others in self.remote_presence.values())

    def _watchers(self) -> int:
        return sum(1 for listener in self.subscribers if not listener.you)

    def here(self) -> str:
        """Who is here, as other servers are told: `1.2=3` for seats 1 and 2, and three who watch."""
        seats = sorted({seat for listener in self.subscribers for seat in listener.you})
        return f"{'.'.join(map(str, seats))}={self._watchers()}"

    def update_remote_presence(self, server: str, said: str, now: float) -> None:
        """Takes in who is at another server, as that has said."""
        seats, _, watching = said.partition("=")
        others = RemotePresence(tuple(map(int, seats.split("."))) if seats else (), int(watching), now)
        before = self.seat_presence(), self.watcher_count()
        if others.seats or others.watcher_count:
            self.remote_presence[server] = others
        else:
            self.remote_presence.pop(server, None)
        if before != (self.seat_presence(), self.watcher_count()):
            self.broadcast_presence()

    def expire_remote_presence(self, before: float) -> None:
        """Forgets the servers that have said nothing since that time."""
        for server, others in tuple(self.remote_presence.items()):
            if others.at < before:
                self.update_remote_presence(server, "=0", before)

    def broadcast_presence(self) -> None:
        """Tells everybody who is there, once for all who come or go in the same moment."""
        if not self.presence_scheduled and self.subscribers:
            self.presence_scheduled = True
            loop = asyncio.get_running_loop()
            if len(self.subscribers) > CROWD_SIZE:
                loop.call_later(CROWD_PRESENCE_DELAY_S, self._send_presence)
            else:
                loop.call_soon(self._send_presence)

    def _send_presence(self) -> None:
        self.presence_scheduled = False
        frame = encode_presence(self.seat_presence(), self.watcher_count())
        for listener in tuple(self.subscribers):
            listener.send(frame)

    def close_all(self, sentence: str) -> None:
        """Sends everybody away."""
        frame = goodbye_frame(sentence)
        for listener in tuple(self.subscribers):
            listener.send(frame)
        self.subscribers.clear()
        self.sent_seq.clear()


class Broadcaster:
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

    def run_in_solver(self, work: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        """What comes of work that needs a solution: it is done in the one thread that solves."""
        return asyncio.get_running_loop().run_in_executor(self._solver, work, *arguments)

    def broadcast(self, live: Room, what: MovePlayed | None = None) -> None:
        """Has a move or the whole table told to everybody, after whatever runs now; so an answer goes first."""
        if not live.subscribers or (what is None and live.pending and live.pending[-1] is None):
            return  # nobody is there, or the whole table is about to be told as it will be then
        live.pending.append(what)
        if not live.broadcasting:
            live.broadcasting = True
            asyncio.get_running_loop().call_soon(self._tell, live)

    async def state(self, live: Room, you: tuple[int, ...]) -> tuple[int, bytes]:
        """The number of events so far, and the frame of the whole table for somebody in these seats."""
        if "whole" not in vars(live.encoder):  # finding the words for a very large book takes a second
            await asyncio.to_thread(getattr, live.encoder, "whole")
        seen = self._snapshot(live)
        told = await self._truths(
            live, seen.values_visible, snapshot_evaluation_keys(seen), over=seen.match["outcome"] is not None
        )
        return seen.seq, address_snapshot(seen.seq, you, encode_snapshot(seen, live.encoder, *told))

    async def evaluations(self, live: Room, wanted: Iterable[EvaluationKey]) -> dict[EvaluationKey, bytes] | None:
        """All of these, once they are worked out; None where that can't be, or takes too long for now."""
        shown = live.encoder
        if shown.size > self.most_positions:
            return None
        found, missing = shown.evaluations(wanted)
        if not missing:
            return found
        fresh = [truth for truth in missing if truth not in shown.in_progress]
        if fresh:
            shown.register_evaluation(fresh, self.run_in_solver(shown.evaluate, fresh))
        works = {shown.in_progress[truth] for truth in missing}
        _, late = await asyncio.wait(works, timeout=SOLVE_TIMEOUT_S)
        if late:
            next(iter(late)).add_done_callback(partial(self._worked_out, live))
            return None
        try:
            for work in works:
                found |= work.result()
        except NumberlineError:
            return None  # a position from which too much follows: it is shown without its worth
        return found

    def _worked_out(self, live: Room, work: asyncio.Future[dict[EvaluationKey, bytes]]) -> None:
        """Tells what is known by now; what can't be known would only be worked out again, and again."""
        if not work.cancelled() and work.exception() is None:
            self.broadcast(live)

    def _snapshot(self, live: Room) -> Snapshot:
        return snapshot(live.state, live.encoder, self._clock(), live.seat_presence(), live.watcher_count())

    async def _truths(self, live: Room, tells: bool, wanted: Iterable[EvaluationKey], *, over: bool) -> Evaluations:  # noqa: FBT001 - as seen in a snapshot
        if not tells:
            return None, b""
        known = await self.evaluations(live, wanted)
        if known is None or not over or not live.encoder.supports_review:
            return known, b""
        table = live.state
        if table.timeouts:  # the clock has decided it
            return known, b""
        if live.turning_point_round != table.round and table.outcome:
            round_, match = table.round, table.match
            try:
                work = self.run_in_solver(live.encoder.turning_point, match)
                if not (await asyncio.wait([work], timeout=SOLVE_TIMEOUT_S))[0]:
                    return known, b""
                live.turning_point, live.turning_point_round = work.result(), round_
            except NumberlineError:
                return known, b""
        return known, live.turning_point if live.turning_point_round == table.round else b""

    def _tell(self, live: Room) -> None:
        """Tells what waits as long as everything is at hand; what has to be worked out is waited for elsewhere."""
        while live.pending and live.subscribers:
            what = live.pending.popleft()
            if what is None or what.outcome:
                self._spawn(self._tell_later(live, what))
                return
            found, missing = live.encoder.evaluations(move_evaluation_keys(what) if self._may(live, what) else ())
            if missing:
                self._spawn(self._tell_later(live, what))
                return
            self._send(live, what, encode_move(what, live.encoder, found, b""))
        live.pending.clear()
        live.broadcasting = False

    def _may(self, live: Room, what: MovePlayed) -> bool:
        return what.values_visible and live.encoder.size <= self.most_positions

    async def _tell_later(self, live: Room, what: MovePlayed | None) -> None:
        try:
            if what is None:
                seen = self._snapshot(live)
                over = seen.match["outcome"] is not None
                told = await self._truths(live, seen.values_visible, snapshot_evaluation_keys(seen), over=over)
                frame = encode_snapshot(seen, live.encoder, *told)
                for listener in tuple(live.subscribers):
                    if live.sent_seq[listener] <= seen.seq:
                        live.sent_seq[listener] = seen.seq
                        listener.send(address_snapshot(seen.seq, listener.you, frame))
            else:
                told = await self._truths(
                    live, what.values_visible, move_evaluation_keys(what), over=what.outcome is not None
                )
                self._send(live, what, encode_move(what, live.encoder, *told))
        finally:
            self._tell(live)

    def _send(self, live: Room, what: MovePlayed, frame: bytes) -> None:
        seq = what.event.seq
        for listener in tuple(live.subscribers):
            if live.sent_seq[listener] < seq:
                live.sent_seq[listener] = seq
                listener.send(frame)
