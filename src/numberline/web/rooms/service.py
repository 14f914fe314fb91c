"""The doors of all tables: how a match is made, who comes and goes, and the answer to everything that is asked."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import time
from collections.abc import Callable
from random import Random, SystemRandom
from typing import Any, TypeVar

from numberline.errors import NumberlineError
from numberline.game.match import RESIGN, Match
from numberline.game.notation import format_record
from numberline.views.match import to_json
from numberline.web.protocol.book_encoder import MAX_POSITIONS, VALUES, BookEncoder
from numberline.web.protocol.commands import ClientMessage, CreatedMatch, MatchSpec
from numberline.web.protocol.decode import encode_frame, error_frame
from numberline.web.protocol.errors import ApiError, not_found, stale
from numberline.web.rooms.match_factory import (
    hash_secret,
    new_match_id,
    new_match_rows,
    parse_start_position,
    rematch_of,
    validate_name,
)
from numberline.web.rooms.match_state import JOIN, TIMEOUT, MatchState
from numberline.web.rooms.registry import MAX_LIVE_ROOMS, RoomRegistry
from numberline.web.rooms.room import Room, Subscriber
from numberline.web.store.store import SeatRow, Store
from numberline.web.store.write_queue import WriteQueue

T = TypeVar("T")
LOG = logging.getLogger(__name__)
MAX_PENDING_SOLVES = 64
"""So many wait at most for something that has to be worked out, besides the tables themselves."""
VALUES_HIDDEN_MESSAGE = "The players have agreed not to see what each move was worth"


class MatchService:
    """Every match of a store, for any number of listeners; it knows no framework, and runs on one event loop."""

    def __init__(
        self,
        store: Store,
        writer: WriteQueue,
        *,
        clock: Callable[[], float] = time.time,
        most_positions: int = MAX_POSITIONS,
        rng: Random | None = None,
        keep: float | None = None,
        most_live: int = MAX_LIVE_ROOMS,
        on_ack: Callable[[str, float], None] = lambda _kind, _seconds: None,
    ) -> None:
        self._clock = clock
        self._on_ack = on_ack
        self._rng = rng or SystemRandom()
        self.registry = RoomRegistry(
            store,
            writer,
            clock=clock,
            most_positions=most_positions,
            rng=self._rng,
            keep=keep,
            most_live=most_live,
        )
        self._broadcaster = self.registry.broadcaster
        self._asked = 0
        """How many wait for something that has to be worked out."""
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        """Takes up what was left: turns of programs, and clocks."""
        await self.registry.start()

    async def stop(self) -> None:
        """Everything that was begun is stored; then all are told to come back in a moment."""
        await self.registry.stop()

    async def wait_idle(self) -> None:
        """Waits until no program is about to move and everything is told."""
        await self.registry.wait_idle()

    async def run_in_solver(self, work: Callable[..., T], *arguments: Any) -> T:
        """What comes of work that needs a solution: `cached_solution` is asked only in the one thread that solves.

        That thread is given one such work at a time, so that the tables never wait for more than one; raises `ApiError`
        where too many are waiting already.
        """
        if self._asked >= MAX_PENDING_SOLVES:
            raise ApiError("slow_down", "The server is busy. Try again in a few seconds.")
        self._asked += 1
        return await asyncio.shield(self._in_turn(work, *arguments))  # whoever leaves meanwhile still has the turn

    async def _in_turn(self, work: Callable[..., T], *arguments: Any) -> T:
        try:
            async with self._turn:
                return await self._broadcaster.run_in_solver(work, *arguments)
        finally:
            self._asked -= 1

    def encoder(self, variant: str, source: str | None = None) -> BookEncoder:
        """A book and what is sent of it; raises `ApiError` where there is none."""
        return self.registry.book_cache.encoder(variant, source)

    # Matches

    async def create(self, order: MatchSpec, token: str) -> CreatedMatch:
        """A new match: its name, the first seat of whoever made it, and the invitations to the free seats."""
        if self.registry.room_count >= 2 * self.registry.most_live:  # more than that are open at this moment
            raise ApiError("busy", "There are too many games here just now. Try again in a few minutes.")
        shown = self.encoder(order.variant, order.source)
        checked, most = self.registry.bot_runner.checked, self.registry.most_positions
        seats = tuple(
            seat._replace(bot=checked(seat.bot, shown, most)) if seat and seat.bot is not None else seat
            for seat in order.seats
        )
        row, rows = new_match_rows(order._replace(seats=seats), shown.book, token, self._clock(), self._rng)
        invites = {seat.seat: secrets.token_urlsafe(16) for seat in rows if not (seat.bot or seat.token_hash)}
        rows = [
            seat._replace(invite_hash=hash_secret(invites[seat.seat])) if seat.seat in invites else seat
            for seat in rows
        ]
        await self.registry.write(lambda store: store.create(row, rows))
        self.registry.add_room(Room(MatchState(shown.book, row, rows, moves=shown.moves), shown))
        own = next((seat.seat for seat in rows if seat.token_hash), 0)
        return CreatedMatch(row.id, own, invites)

    async def claim(self, match: str, invite: str, name: str, token: str) -> int:
        """The seat that an invitation gives; the same again for whoever has it already."""
        name, invite_hash, token_hash = validate_name(name), hash_secret(invite), hash_secret(token)
        async with self.registry.lock_room(match) as live:
            await self.registry.refresh(live)
            table = live.state
            seat = next((each for each in table.seats if each.invite_hash == invite_hash), None)
            if seat is None:
                raise ApiError("not_found", "This link leads to no free seat. Ask for a new one.")
            if seat.token_hash == token_hash:
                return seat.seat
            event = table.event(seat.seat, JOIN, "", self._clock())
            claimed = None
            if seat.seat not in table.taken_seats:
                claimed = await self.registry.write(
                    lambda store: store.claim(match, invite_hash, name, token_hash, event), live
                )
            if claimed is None:
                raise ApiError("seat_taken", "Somebody has taken this seat already. You can watch the game.")
            table.fill_seat(SeatRow(claimed, name, None, token_hash, invite_hash, event.at))
            self.registry.apply_and_broadcast(live, event)
            live.refresh_seats(token_hash)
            return claimed

    async def seats_of(self, match: str, token: str) -> tuple[int, ...]:
        """The seats of a match that somebody with this token has."""
        live = await self.registry.get_synced_room(match)
        return live.state.seats_of(hash_secret(token)) if token else ()

    async def join(self, match: str, listener: Subscriber, token: str = "", since: int = 0) -> None:
        """Brings somebody to the table, in the seats that the token gives; they are sent the whole table."""
        async with self.registry.lock_room(match) as live:
            await self.registry.refresh(live)
            live.add(listener, hash_secret(token) if token else "")
            try:
                seq, frame = await self._broadcaster.state(live, listener.you)
            except BaseException:
                live.remove(listener)
                raise
            live.send_snapshot(listener, seq, frame)
            live.broadcast_presence()

    def leave(self, match: str, listener: Subscriber) -> None:
        """Somebody has gone; the seat stays theirs."""
        live = self.registry.get_cached(match)
        if live:
            live.remove(listener)
            live.broadcast_presence()

    async def delete(self, match: str, token: str) -> None:
        """Nothing is left of a match; only somebody with a seat in it can do that."""
        async with self.registry.lock_room(match) as live:
            if not token or not live.state.seats_of(hash_secret(token)):
                raise not_found()
            await self.registry.write(lambda store: store.delete(match))
            self.registry.remove_room(live)
            live.close_all("This game was deleted by somebody who played it.")

    # A look at a match

    async def state(self, match: str, token: str = "") -> dict[str, Any]:
        """The whole table, as it is sent to whoever comes."""
        live = await self.registry.get_synced_room(match)
        you = live.state.seats_of(hash_secret(token)) if token else ()
        frame: dict[str, Any] = json.loads((await self._broadcaster.state(live, you))[1])
        return frame

    async def record(self, match: str) -> str:
        """All rounds of a match as records, with the players' names."""
        table = (await self.registry.get_synced_room(match)).state
        return "\n".join(
            format_record(with_player_names(table, played)) for played in (*table.finished_rounds, table.match)
        )

    async def review(self, match: str) -> dict[str, Any]:
        """The last round that was played, looked back at; what it was worth only where that may be seen."""
        live = await self.registry.get_synced_room(match)
        table = live.state
        played = table.match if table.match.length or not table.finished_rounds else table.finished_rounds[-1]
        over = played is not table.match or table.outcome is not None
        may = table.assist == "on" or (table.assist == "after" and over)
        view: dict[str, Any] = to_json(
            await self.run_in_solver(
                _reviewed, with_player_names(table, played), may and live.encoder.size <= self.registry.most_positions
            )
        )
        when = " before the game is over." if table.assist == "after" else "."
        return view if may else {**view, "sentence": VALUES_HIDDEN_MESSAGE + when}

    async def position(self, match: str, text: str) -> dict[str, Any]:
        """A position of the game, with what it is worth where that may be seen."""
        live = await self.registry.get_synced_room(match)
        position = parse_start_position(live.encoder.book, text)
        shown = json.loads(live.encoder.position(position))
        truth = (VALUES, position, "")
        truths = await self._broadcaster.evaluations(live, [truth]) if live.state.values_visible else None
        return {"position": shown, "values": json.loads(truths[truth]) if truths else None}

    # Messages

    async def act(
        self, match: str, you: tuple[int, ...], message: ClientMessage, listener: Subscriber | None = None
    ) -> bytes:
        """The answer to a message of somebody in these seats; what comes of it is told to all after that.

        A stale message is followed by a fresh table, for the listener, or for all in these seats.
        """
        started = time.perf_counter()
        live: Room | None = None
        try:
            if message.kind == "ask":
                live = await self.registry.get_synced_room(match)
                return await self._answer(live, message)
            async with self.registry.lock_room(match) as live:
                done = await self._act(live, you, message)
        except ApiError as refusal:
            live = live or self.registry.get_cached(match)
            if live and refusal.code == "stale":
                self.registry.spawn(self._refresh(live, you, listener))
            return error_frame(refusal.code, refusal.sentence, message.request, live.state.seq if live else None)
        except Exception:  # whatever it is, every message is answered
            LOG.exception("a message could not be answered")
            if live:
                live.in_sync = False
            return error_frame("busy", "Something went wrong here. Try again in a moment.", message.request)
        self._on_ack(message.kind, time.perf_counter() - started)
        return b'{"kind":"ack","request":%s,"seq":%d}' % (json.dumps(message.request).encode(), done)

    async def _act(self, live: Room, you: tuple[int, ...], message: ClientMessage) -> int:
        """The number of the event that a message has led to, now or before."""
        tables, table, now = self.registry, live.state, self._clock()
        if table.is_out_of_time(now):
            await tables.commit(live, table.event(table.match.turn, TIMEOUT, "", now))
        done = table.find_request(you, message.request)
        if done is not None:
            return done
        if message.seq != table.seq:
            await tables.refresh(live)
            done = table.find_request(you, message.request)
            if done is not None:
                return done
        if message.seq != table.seq:
            raise stale()
        new = new_match_id() if message.what == "rematch" else ""
        event = table.validate_message(you, message, now, new)
        if not (new and event.what.endswith(new)):
            return await tables.commit(live, event)
        row, seats = rematch_of(table, new, now)
        await tables.write(lambda store: store.create(row, seats))
        try:
            return await tables.commit(live, event)
        except ApiError as refusal:
            if refusal.code == "stale":  # it was not stored for certain, so nobody will hear of the new match
                await tables.write(lambda store: store.delete(new))
            raise

    async def _answer(self, live: Room, message: ClientMessage) -> bytes:
        table = live.state
        if message.seq != table.seq:
            raise stale()
        if not table.values_visible:
            when = "before the game is over" if table.assist == "after" else "in this match"
            raise ApiError("not_allowed", f"The players have agreed to play without hints {when}.")
        if live.encoder.size > self.registry.most_positions:
            raise ApiError("too_many_positions", "This variant has too many positions to say what a move is worth.")
        match = table.match
        if table.outcome is None:
            match = Match(table.book, names=match.names, start=match.position)
        try:
            text, move = await self.run_in_solver(live.encoder.answer, message.what, match)
        except ApiError:
            raise
        except NumberlineError as error:
            raise ApiError("not_allowed", f"There is no answer to that here: {error}.") from None
        return encode_frame(
            {"kind": "answer", "request": message.request, "what": message.what, "text": text, "move": move}
        )

    async def _refresh(self, live: Room, you: tuple[int, ...], listener: Subscriber | None) -> None:
        """Sends the whole table again to somebody whose page is behind."""
        async with live.lock:
            seq, frame = await self._broadcaster.state(live, you)
            for each in [each for each in live.subscribers if each is listener or (not listener and each.you == you)]:
                live.send_snapshot(each, seq, frame)


def with_player_names(table: MatchState, played: Match) -> Match:
    """A round of a match with the players' real names."""
    plies = played.plies
    names = [seat.name or table.book.player_name(seat.seat) for seat in table.seats]
    match = Match(table.book, names=names, start=plies[0].before if plies else played.position)
    for ply in plies:
        if ply.move == RESIGN:
            match.resign()
        else:
            match.play(ply.move)
    return match


def _reviewed(match: Match, may: bool) -> Any:  # noqa: FBT001 - it is called by a thread, without names
    from numberline.solver.cache import cached_solution
    from numberline.views.review import review_view

    return review_view(match, cached_solution(match.book) if may else None)
