"""Rooms: the state and subscribers of a match, and ordered broadcasts to them."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, Self, TypeVar

from numberline.characters import AUTO
from numberline.errors import NumberlineError
from numberline.game.notation import format_position
from numberline.game.position import Position
from numberline.progress.rules import next_level
from numberline.views.match import to_json
from numberline.web.protocol import events
from numberline.web.protocol.events import BookEncoder, EvaluationKey, Evaluations, Frame, MovePlayed
from numberline.web.rooms.match_state import MatchState, timeout_reason
from numberline.web.rooms.solver_pool import SolverPool

T = TypeVar("T")
# If solving takes longer, the event is sent without values, and a snapshot with values follows.
SOLVE_TIMEOUT_S = 1.0
# In rooms with more subscribers, presence updates are delayed and combined; otherwise they would cost more than moves.
CROWD_SIZE, CROWD_PRESENCE_DELAY_S = 50, 1.0


def _next_levels(bots: list[str | None]) -> dict[str, int] | None:
    """Return the bot's next level by match result; None unless a person plays against an `auto` or `level` bot."""
    kind, _, level = (bots[0] or bots[1] or "").partition(":")
    if kind not in {AUTO, "level"} or len(bots) != 2 or all(bots):
        return None
    before = int(level)
    return {"won": next_level(before, won=True), "drawn": before, "lost": next_level(before, won=False)}


class Subscriber(Protocol):
    """A connected client; `you` contains its seats and is empty for a watcher."""

    you: tuple[int, ...]

    def send(self, frame: Frame) -> None:
        """Queue a frame without waiting; close the connection if the queue is full."""


class RemotePresence(NamedTuple):
    """Clients of the same match on another server, as last reported."""

    seats: tuple[int, ...]
    watcher_count: int
    reported_at: float


class Room:
    """In-memory state of a match, and its subscribers; when used as a context manager, it releases its lock on exit."""

    def __init__(self, state: MatchState, encoder: BookEncoder) -> None:
        self.state = state
        self.encoder = encoder
        self.lock = asyncio.Lock()
        self.subscribers: dict[Subscriber, str] = {}
        """Token hash of each subscriber."""
        self.sent_seq: dict[Subscriber, int] = {}
        """Number of the last event sent to each subscriber."""
        self.pending: deque[MovePlayed | None] = deque()
        """Queued broadcasts; None stands for a snapshot."""
        self.broadcasting = False
        self.in_sync = True
        """Whether all stored events are known to be applied."""
        self.deleted = False
        self.bot_task: asyncio.Task[None] | None = None
        self.timer: asyncio.TimerHandle | None = None
        self.turning_point = b""
        self.turning_point_round = 0
        self.last_used = time.monotonic()
        self.remote_presence: dict[str, RemotePresence] = {}
        self._presence_scheduled = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.lock.release()

    @property
    def idle(self) -> bool:
        """Whether the room can be evicted."""
        return not (self.subscribers or self.lock.locked() or self.bot_task or self.timer or self.broadcasting)

    def cancel_timer(self) -> None:
        if self.timer:
            self.timer.cancel()
            self.timer = None

    def add(self, subscriber: Subscriber, token_hash: str) -> None:
        subscriber.you = self.state.seats_of(token_hash)
        self.subscribers[subscriber] = token_hash
        self.sent_seq[subscriber] = self.state.seq

    def remove(self, subscriber: Subscriber) -> None:
        self.subscribers.pop(subscriber, None)
        self.sent_seq.pop(subscriber, None)

    def send_snapshot(self, subscriber: Subscriber, seq: int, frame: Frame) -> None:
        if subscriber in self.subscribers:
            self.sent_seq[subscriber] = max(self.sent_seq[subscriber], seq)
            subscriber.send(frame)

    def snapshot(self, now: float) -> events.Snapshot:
        state = self.state
        match, row, plies, taken = state.match, state.row, state.match.plies, state.taken_seats
        start = plies[0].before if plies else match.position
        match_json = {
            "id": row.id,
            "variant": state.book.variant,
            "own_book": row.source is not None,
            "practice": state.start is not None,
            "seats": [
                {"player": seat.seat, "name": seat.name, "bot": seat.bot, "taken": seat.seat in taken, "present": here}
                for seat, here in zip(state.seats, self.seat_presence(), strict=True)
            ],
            "first": match.first,
            "start": format_position(start),
            "tossed": bool(row.settings.get("tossed")),
            "round": state.round,
            "rounds": row.rounds,
            "score": list(state.score),
            "outcome": to_json(state.outcome),
            "undo": state.outcome is None and any(ply.chosen for ply in plies),
            "resign": state.outcome is None,
            "offers": [{"what": offer.what, "seat": offer.seat} for offer in state.offers],
            "clock": state.clock_json(now),
            "assist": state.assist,
            "rematch": state.rematch,
            "ended": state.ended,
            "next_levels": _next_levels([seat.bot for seat in state.seats]),
            "watching": self.watcher_count(),
        }
        reasons = {length + 1: timeout_reason(plies[length].player) for length in state.timeouts}
        outcome, visible = state.outcome, state.values_visible
        return events.Snapshot(state.seq, match_json, start, plies, reasons, match.position, outcome, visible)

    # Presence

    def refresh_seats(self) -> None:
        """Update the seats of all subscribers after a player has joined, and broadcast presence."""
        for subscriber, token_hash in self.subscribers.items():
            subscriber.you = self.state.seats_of(token_hash)
        self.broadcast_presence()

    def seat_presence(self) -> list[bool]:
        """Return the connection status of each seat; bots always count as connected."""
        present = {seat for subscriber in self.subscribers for seat in subscriber.you}
        present.update(seat for remote in self.remote_presence.values() for seat in remote.seats)
        return [bool(seat.bot) or seat.seat in present for seat in self.state.seats]

    def watcher_count(self) -> int:
        return self._local_watcher_count() + sum(remote.watcher_count for remote in self.remote_presence.values())

    def _local_watcher_count(self) -> int:
        return sum(1 for subscriber in self.subscribers if not subscriber.you)

    def local_presence(self) -> str:
        """Return local presence in the format sent to other servers: `1.2=3` means seats 1 and 2 and three watchers."""
        seats = sorted({seat for subscriber in self.subscribers for seat in subscriber.you})
        return f"{'.'.join(map(str, seats))}={self._local_watcher_count()}"

    def update_remote_presence(self, server: str, report: str, now: float) -> None:
        """Store the presence reported by another server, and broadcast any change."""
        seats, _, watchers = report.partition("=")
        remote = RemotePresence(tuple(map(int, seats.split("."))) if seats else (), int(watchers), now)
        before = self.seat_presence(), self.watcher_count()
        if remote.seats or remote.watcher_count:
            self.remote_presence[server] = remote
        else:
            self.remote_presence.pop(server, None)
        if before != (self.seat_presence(), self.watcher_count()):
            self.broadcast_presence()

    def expire_remote_presence(self, before: float) -> None:
        """Remove the presence of servers whose last report was received earlier than `before`."""
        for server, remote in tuple(self.remote_presence.items()):
            if remote.reported_at < before:
                self.update_remote_presence(server, "=0", before)

    def broadcast_presence(self) -> None:
        """Schedule a presence event; it combines all changes made before it is sent."""
        if not self._presence_scheduled and self.subscribers:
            self._presence_scheduled = True
            loop = asyncio.get_running_loop()
            if len(self.subscribers) > CROWD_SIZE:
                loop.call_later(CROWD_PRESENCE_DELAY_S, self._send_presence)
            else:
                loop.call_soon(self._send_presence)

    def _send_presence(self) -> None:
        self._presence_scheduled = False
        self._send_all(events.Presence(self.seat_presence(), self.watcher_count()))

    def close_all(self, sentence: str) -> None:
        """Send a goodbye with `sentence` to all subscribers, and remove them."""
        self._send_all(events.Goodbye(sentence))
        self.subscribers.clear()
        self.sent_seq.clear()

    def _send_all(self, event: events.Presence | events.Goodbye) -> None:
        frame = events.encode_event(event)
        for subscriber in tuple(self.subscribers):
            subscriber.send(frame)


@dataclass(frozen=True)
class Broadcaster:
    """Ordered delivery of moves and snapshots to the subscribers of rooms, with values if they are visible."""

    solver_pool: SolverPool
    clock: Callable[[], float]
    spawn: Callable[[Coroutine[Any, Any, None]], object]

    def _solve(self, room: Room, work: Callable[..., T], *arguments: Any) -> asyncio.Future[T]:
        solve = self.solver_pool.solve(room.encoder.book, work, *arguments, match=room.state.row.id, charge=False)
        return asyncio.ensure_future(solve)

    async def encode_position(self, room: Room, position: Position) -> bytes:
        """Return the encoded view of a position; if it is slow to encode, encode it outside the event loop."""
        encoder = room.encoder
        if encoder.is_slow(position):
            await self.solver_pool.view(getattr, encoder, "book_json")
            encoder.position(position, await self.solver_pool.view(events.encode_position, encoder.book, position))
        return encoder.position(position)

    def broadcast(self, room: Room, move: MovePlayed | None = None) -> None:
        """Queue a move or snapshot; it is sent after the current callback so that the mover's ack comes first."""
        if not room.subscribers or (move is None and room.pending and room.pending[-1] is None):
            return  # a pending snapshot is created when it is sent, so it will include this change
        room.pending.append(move)
        if not room.broadcasting:
            room.broadcasting = True
            asyncio.get_running_loop().call_soon(self._send_pending, room)

    async def snapshot_frame(self, room: Room, you: tuple[int, ...]) -> tuple[int, Frame]:
        """Return the current `seq` and the snapshot for a client whose seats are `you`."""
        seq, body = await self._encode_snapshot(room)
        return seq, events.address_snapshot(seq, you, body)

    async def _encode_snapshot(self, room: Room) -> tuple[int, bytes]:
        await self.encode_position(room, room.state.match.position)
        snapshot = room.snapshot(self.clock())
        evaluations, turning_point = await self._evaluate(room, snapshot)
        return snapshot.seq, events.encode_snapshot(snapshot, room.encoder, evaluations, turning_point)

    async def evaluations(self, room: Room, keys: Sequence[EvaluationKey]) -> Evaluations | None:
        """Return the evaluations for `keys`; None if the book is too large or the solver takes too long."""
        encoder = room.encoder
        if not encoder.is_solvable:
            return None
        found, missing = encoder.cached_evaluations(keys)
        if not missing:
            return found
        if new_keys := [key for key in missing if key not in encoder.in_progress]:
            encoder.register_evaluation(new_keys, self._solve(room, events.evaluate, encoder.book, new_keys))
        futures = {encoder.in_progress[key] for key in missing}
        _, late = await asyncio.wait(futures, timeout=SOLVE_TIMEOUT_S)
        if late:
            next(iter(late)).add_done_callback(partial(self._broadcast_late_values, room))
            return None
        try:
            for future in futures:
                found |= future.result()
        except NumberlineError:
            return None  # for example, too many positions are reachable
        return found

    def _broadcast_late_values(self, room: Room, future: asyncio.Future[Evaluations]) -> None:
        if not future.cancelled() and future.exception() is None:  # a failed evaluation would be retried forever
            self.broadcast(room)

    async def _evaluate(self, room: Room, event: MovePlayed | events.Snapshot) -> tuple[Evaluations | None, bytes]:
        """Return an event's evaluations and, if the round is over, the round's encoded turning point."""
        if not event.values_visible:
            return None, b""
        evaluations = await self.evaluations(room, event.evaluation_keys)
        state = room.state
        # After a timeout, there is no turning point: the clock decided the game, not a move.
        if evaluations is None or not event.outcome or state.timeouts or not room.encoder.supports_review:
            return evaluations, b""
        if room.turning_point_round != state.round and state.outcome:
            round_number = state.round
            future = self._solve(room, events.encode_turning_point, state.match)
            with suppress(NumberlineError):
                if (await asyncio.wait([future], timeout=SOLVE_TIMEOUT_S))[0]:
                    room.turning_point, room.turning_point_round = future.result(), round_number
        return evaluations, room.turning_point if room.turning_point_round == state.round else b""

    def _send_pending(self, room: Room) -> None:
        """Send pending broadcasts in order until one can't be encoded immediately; a task sends the remaining ones."""
        while room.pending and room.subscribers:
            move = room.pending.popleft()
            if move is None or move.outcome:
                self.spawn(self._send_evaluated(room, move))
                return
            shows_values = move.values_visible and room.encoder.is_solvable
            evaluations, missing = room.encoder.cached_evaluations(move.evaluation_keys if shows_values else ())
            if missing or room.encoder.is_slow(move.plies[-1].after):
                self.spawn(self._send_evaluated(room, move))
                return
            self._send_move(room, move.seq, events.encode_move(move, room.encoder, evaluations, b""))
        room.pending.clear()
        room.broadcasting = False

    async def _send_evaluated(self, room: Room, move: MovePlayed | None) -> None:
        try:
            if move is None:
                seq, body = await self._encode_snapshot(room)
                for subscriber in tuple(room.subscribers):
                    if room.sent_seq[subscriber] <= seq:
                        room.sent_seq[subscriber] = seq
                        subscriber.send(events.address_snapshot(seq, subscriber.you, body))
            else:
                await self.encode_position(room, move.plies[-1].after)
                evaluations, turning_point = await self._evaluate(room, move)
                self._send_move(room, move.seq, events.encode_move(move, room.encoder, evaluations, turning_point))
        finally:
            self._send_pending(room)

    def _send_move(self, room: Room, seq: int, frame: Frame) -> None:
        for subscriber in tuple(room.subscribers):
            if room.sent_seq[subscriber] < seq:
                room.sent_seq[subscriber] = seq
                subscriber.send(frame)
