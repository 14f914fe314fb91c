"""Match service: creating, joining, leaving and playing matches."""

from __future__ import annotations

import hashlib
import logging
import secrets
import time
from collections import Counter
from random import Random
from typing import Any, NamedTuple

from numberline.bots.bot import bot_display_name
from numberline.errors import NumberlineError
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.game.notation import format_record
from numberline.progress.document import Game
from numberline.progress.events import GameFinished, MatchFinished
from numberline.progress.ladder import stored_steps
from numberline.solver.cache import cached_solution
from numberline.text import MAX_NAME_CHARS, join_and, normalize_name
from numberline.views.game_over import RetryView, ending_view, game_finished
from numberline.views.match import to_json
from numberline.views.review import review_view
from numberline.web.ops.metrics import record_ack
from numberline.web.ops.rate_limit import CURRENT_CLIENT
from numberline.web.protocol import messages
from numberline.web.protocol.errors import ApiError, not_found, stale
from numberline.web.protocol.events import TOO_BIG_MESSAGE, VALUES, Ack, Answer, Frame, answer
from numberline.web.rooms.match_state import JOIN, REMATCH, TIMEOUT, MatchState, parse_start, parse_start_position
from numberline.web.rooms.registry import RoomRegistry
from numberline.web.rooms.room import Room, Subscriber
from numberline.web.rooms.solver_pool import SolverPool, charge_for_view
from numberline.web.store.store import MatchRow, SeatRow

_log = logging.getLogger(__name__)


class CreatedMatch(NamedTuple):
    """Result of `MatchService.create`."""

    match: str
    seat: int
    """First seat owned by the client that created the match, or 0."""
    invites: dict[int, str]
    """Invitation for each free seat."""


class MatchService:
    """Service for all client operations on matches.

    It doesn't depend on a web framework and must be used from a single event loop.
    """

    def __init__(self, registry: RoomRegistry) -> None:
        self.registry = registry
        self.subscriber_counts: Counter[tuple[type[Subscriber], str]] = Counter()
        """Number of subscribers by type and match."""
        self._clock = registry.clock
        self._broadcaster = registry.broadcaster
        self._pool = registry.solver_pool

    # Matches and seats

    async def create(self, request: messages.CreateMatchRequest, token: str) -> CreatedMatch:
        registry = self.registry
        if len(registry.rooms) >= 2 * registry.max_rooms:
            raise ApiError("busy", "Too many games are open at the moment. Try again in a few minutes.")
        CURRENT_CLIENT.get().charge(0, book_bytes=len((request.source or "").encode()))
        encoder = await self._pool.load(registry.book_encoder, request.variant, request.source)
        charge_for_view(encoder.book)
        for seat in request.seats:
            if isinstance(seat, messages.BotSeat):
                seat.bot = registry.bot_runner.validate_bot(seat.bot, encoder)
        row, seat_rows = new_match_rows(request, encoder.book, token, self._clock(), registry.rng)
        invites = {number: secrets.token_urlsafe(16) for number, seat in enumerate(request.seats, 1) if seat is None}
        for number, invite in invites.items():
            seat_rows[number - 1] = seat_rows[number - 1]._replace(invite_hash=hash_secret(invite))
        await registry.write(lambda store: store.create(row, seat_rows))
        registry.add_room(Room(MatchState(encoder.book, row, seat_rows), encoder))
        own_seat = next((seat.seat for seat in seat_rows if seat.token_hash), 0)
        CURRENT_CLIENT.get().add_seat(token)
        return CreatedMatch(row.id, own_seat, invites)

    async def claim(self, match_id: str, invite: str, name: str, token: str) -> int:
        """Claim the seat that an invitation offers, and return the seat; idempotent for the same token."""
        name, invite_hash, token_hash = validate_name(name), hash_secret(invite), hash_secret(token)
        with await self.registry.lock_room(match_id) as room:
            await self.registry.refresh(room)
            state = room.state
            seat = next((seat for seat in state.seats if seat.invite_hash == invite_hash), None)
            if seat is None:
                raise ApiError("not_found", "This invitation is not valid. Ask for a new link.")
            if seat.token_hash == token_hash:
                return seat.seat
            event = state.event(seat.seat, JOIN, "", self._clock())
            claimed = None
            if seat.seat not in state.taken_seats:
                claimed = await self.registry.write(
                    lambda store: store.claim(match_id, invite_hash, name, token_hash, event), room
                )
            if claimed is None:
                raise ApiError("seat_taken", "This invitation has already been used. You can watch the game.")
            state.fill_seat(SeatRow(claimed, name, None, token_hash, invite_hash, event.at))
            self.registry.apply_and_broadcast(room, event)
            room.refresh_seats()
            CURRENT_CLIENT.get().add_seat(token)
            return claimed

    async def seats_of(self, match_id: str, token: str) -> tuple[int, ...]:
        return (await self.registry.get_synced_room(match_id)).state.seats_of(hash_secret(token))

    async def join(self, match_id: str, subscriber: Subscriber, token: str = "") -> None:
        """Add a subscriber with the seats that `token` owns, and send it a snapshot.

        The caller must call `leave` afterwards, even if this fails.
        """
        self.subscriber_counts[type(subscriber), match_id] += 1
        with await self.registry.lock_room(match_id) as room:
            await self.registry.refresh(room)
            room.add(subscriber, hash_secret(token))
            if subscriber.you:
                CURRENT_CLIENT.get().add_seat(token)
            try:
                seq, frame = await self._broadcaster.snapshot_frame(room, subscriber.you)
            except BaseException:
                room.remove(subscriber)
                raise
            room.send_snapshot(subscriber, seq, frame)
            room.broadcast_presence()

    def leave(self, match_id: str, subscriber: Subscriber) -> None:
        """Remove a subscriber; the player keeps their seats."""
        self.subscriber_counts[type(subscriber), match_id] -= 1
        if not self.subscriber_counts[type(subscriber), match_id]:
            del self.subscriber_counts[type(subscriber), match_id]
        if room := self.registry.rooms.get(match_id):
            room.remove(subscriber)
            room.broadcast_presence()

    async def delete(self, match_id: str, token: str) -> None:
        """Delete a match; raise `ApiError` unless `token` belongs to one of its players."""
        with await self.registry.lock_room(match_id) as room:
            if not room.state.seats_of(hash_secret(token)):
                raise not_found()
            await self.registry.delete_room(room)

    # Queries

    async def snapshot(self, match_id: str, token: str = "") -> Frame:
        """Return the snapshot that a subscriber with `token` would receive."""
        room = await self.registry.get_synced_room(match_id)
        return (await self._broadcaster.snapshot_frame(room, room.state.seats_of(hash_secret(token))))[1]

    async def snapshots(self, match_ids: list[str], token: str) -> list[bytes]:
        """Return the snapshots of several matches, with `null` for each one that doesn't exist or is damaged."""
        CURRENT_CLIENT.get().charge(len(match_ids) - 1)
        found = []
        for match_id in match_ids:
            try:
                found.append(bytes(await self.snapshot(match_id, token)))
            except ApiError as error:
                if error.code not in {"not_found", "damaged"}:
                    raise
                found.append(b"null")
        return found

    async def record(self, match_id: str) -> str:
        """Return all rounds of a match in record format."""
        state = (await self.registry.get_synced_room(match_id)).state
        rounds = (*state.finished_rounds, state.match)
        return "\n".join(format_record(_with_player_names(state, match)) for match in rounds)

    async def review(self, match_id: str) -> dict[str, Any]:
        """Return the review of the latest round that has moves, with values only if the players may see them."""
        room = await self.registry.get_synced_room(match_id)
        state = room.state
        match = state.match if state.match.length or not state.finished_rounds else state.finished_rounds[-1]
        over = match is not state.match or state.outcome is not None
        values_visible = state.assist == "on" or (state.assist == "after" and over)
        uses_solver = values_visible and room.encoder.is_solvable
        named = _with_player_names(state, match)
        view = await review_match(self._pool, named, solved=uses_solver, match_id=match_id)
        if values_visible:
            return view
        until = " until the game is over" if state.assist == "after" else ""
        return {**view, "sentence": f"The players chose to hide how good each move was{until}."}

    async def finished_game(self, event: MatchFinished, token: str) -> GameFinished:
        """Return the progress event for a round; raise `ApiError` unless it is over and `token` owns a single seat."""
        room = await self.registry.get_synced_room(event.match)
        state, you = room.state, room.state.seats_of(hash_secret(token))
        if len(you) != 1 or not state.outcome:
            raise ApiError("not_allowed", "Only finished games in which you have one seat count for your progress.")
        match = _with_player_names(state, state.match)
        others = [seat for seat in state.seats if seat.seat != you[0]]
        bot = next((seat.bot for seat in others if seat.bot), None) or ""
        solves = state.values_visible and room.encoder.is_solvable and room.encoder.supports_review
        book = match.book if solves else None
        opponent, practice = join_and([match.names[seat.seat - 1] for seat in others]), state.start is not None
        game = Game(f"{event.match}-{state.round}", opponent=opponent, practice=practice, day=event.day)
        first = match.first if bot and not state.row.settings.get("tossed") else 0
        facts = {"bot": bot, "first": first, "helped": event.helped, "step": ""}
        step, played = stored_steps().get(event.step), (match.book.source, match.book.variant, bot, you[0])
        if step and played == (None, step.variant, step.character, 1) and match.first == step.first:
            facts["step"] = step.id
        return await self._pool.solve(book, _game_finished, book, match, you[0], game, facts, match=event.match)

    async def retry(self, match_id: str, token: str, message: messages.RetryRequest) -> dict[str, Any]:
        """Judge a new attempt at the decisive move; return a comment and the move to play ("" to allow a retry)."""
        retry = (await self.ending(match_id, token, helped=True))["retry"]
        if retry is None:
            raise ApiError("not_allowed", "This game has no move to try again.")
        move, said = RetryView(**retry).judge(message.move, tried=message.tried)
        return {"move": move, "said": said}

    async def ending(self, match_id: str, token: str, *, helped: bool) -> dict[str, Any]:
        """Return a summary of the finished round for the player with `token`, or for a watcher."""
        room = await self.registry.get_synced_room(match_id)
        state, you = room.state, room.state.seats_of(hash_secret(token))
        if state.outcome is None:
            raise ApiError("not_allowed", "This round is not over yet. Finish it first.")
        # After a timeout, the clock decided the game, not a move.
        known = state.values_visible and not state.timeouts
        match, bots = state.match, any(seat.bot for seat in state.seats)
        seat, practice = you[0] if len(you) == 1 else 0, state.start is not None
        facts = {"you": seat, "against_bots": bots, "helped": helped, "practice": practice}
        book = match.book if known and room.encoder.is_solvable else None
        return await self._pool.solve(book, _ending, book, match, facts, match=match_id)

    async def position(self, match_id: str, text: str) -> bytes:
        """Return a position in the match's variant as JSON, with values if the players may see them."""
        room = await self.registry.get_synced_room(match_id)
        position = parse_start_position(room.encoder.book, text)
        key = (VALUES, position, "")
        evaluations = await self._broadcaster.evaluations(room, [key]) if room.state.values_visible else None
        values = evaluations[key] if evaluations else b"null"
        return b'{"position":%s,"values":%s}' % (await self._broadcaster.encode_position(room, position), values)

    # Messages

    async def act(
        self, match_id: str, you: tuple[int, ...], message: messages.ClientMessage, subscriber: Subscriber | None = None
    ) -> Ack | Answer:
        """Handle a message from the client that owns the seats `you`; set the latest `seq` on any `ApiError` raised.

        Returns an `Answer` to an `AskMessage`, and an `Ack` for any other message.
        After a stale message, a new snapshot is sent to `subscriber` or, if None, to all subscribers with these seats.
        """
        started = time.perf_counter()
        room: Room | None = None
        try:
            if isinstance(message, messages.AskMessage):
                room = await self.registry.get_synced_room(match_id)
                return await self._answer(room, message)
            with await self.registry.lock_room(match_id) as room:
                seq = await self._act(room, you, message)
        except ApiError as error:
            if room := room or self.registry.rooms.get(match_id):
                error.seq = room.state.seq
                if error.code == "stale":
                    self.registry.spawn(self._send_snapshot(room, you, subscriber))
            raise
        except Exception:  # noqa: BLE001 - every message gets a reply
            _log.exception("a message could not be handled")
            if room:
                room.in_sync = False
            raise ApiError("busy", "Something went wrong here. Try again in a moment.") from None
        record_ack(message.kind, time.perf_counter() - started)
        return Ack(message.request, seq)

    async def _act(self, room: Room, you: tuple[int, ...], message: messages.ActionMessage) -> int:
        """Return the `seq` of a message's event; store the event unless the same request was stored before."""
        registry, state, now = self.registry, room.state, self._clock()
        if state.is_out_of_time(now):
            await registry.commit(room, state.event(state.match.turn, TIMEOUT, "", now))
        seq = state.find_request(you, message.request)
        if seq is None and message.seq != state.seq:
            await registry.refresh(room)
            seq = state.find_request(you, message.request)
        if seq is not None:
            return seq
        if message.seq != state.seq:
            raise stale()
        new_id = _new_match_id() if isinstance(message, messages.OfferMessage) and message.what == REMATCH else ""
        event = state.validate_message(you, message, now, new_id)
        if not (new_id and event.what.endswith(new_id)):
            return await registry.commit(room, event)
        row, seats = _rematch_rows(state, new_id, now)
        await registry.write(lambda store: store.create(row, seats))
        try:
            return await registry.commit(room, event)
        except ApiError as error:
            if error.code == "stale":  # certainly not stored, so no client knows about the new match
                await registry.write(lambda store: store.delete(new_id))
            raise

    async def _answer(self, room: Room, message: messages.AskMessage) -> Answer:
        state = room.state
        if message.seq != state.seq:
            raise stale()
        if not state.values_visible:
            until = "until the game is over" if state.assist == "after" else "in this match"
            raise ApiError("not_allowed", f"The players chose to play without hints {until}.")
        if not room.encoder.is_solvable:
            raise ApiError("too_many_positions", TOO_BIG_MESSAGE)
        match = state.match
        if state.outcome is None:
            match = Match(state.book, names=match.names, start=match.position)
        try:
            text, move = await self._pool.solve(state.book, answer, message.what, match, match=state.row.id)
        except ApiError:
            raise
        except NumberlineError as error:
            raise ApiError("not_allowed", f"Can't answer that now: {error}.") from None
        return Answer(message.request, message.what, text, move)

    async def _send_snapshot(self, room: Room, you: tuple[int, ...], only: Subscriber | None) -> None:
        async with room.lock:
            seq, frame = await self._broadcaster.snapshot_frame(room, you)
            for subscriber in tuple(room.subscribers):
                if subscriber is only or (only is None and subscriber.you == you):
                    room.send_snapshot(subscriber, seq, frame)


async def review_match(pool: SolverPool, match: Match, *, solved: bool, match_id: str = "") -> dict[str, Any]:
    """Return the review of a game as JSON, with values if `solved`."""
    if solved:
        return await pool.solve(match.book, _review, match, match.book, match=match_id)
    return await pool.view(_review, match, None)


def _review(match: Match, book: Book | None) -> dict[str, Any]:
    view: dict[str, Any] = to_json(review_view(match, cached_solution(book) if book else None))
    return view


def _with_player_names(state: MatchState, match: Match) -> Match:
    """Return a copy of `match` in which the placeholders are replaced by the names that the page shows."""
    named = match.copy()
    names = state.book.player_names([seat.name or ("Computer" if seat.bot else "") for seat in state.seats])
    labels = [state.book.label(player).removeprefix("P") for player in state.book.players]
    labelled = zip(names, labels, strict=True)
    named.names = tuple(f"{name} {label}" if names.count(name) > 1 else name for name, label in labelled)
    return named


def hash_secret(secret: str) -> str:
    """Return the hash stored for a token or invitation; several tokens separated by spaces become several hashes."""
    return " ".join(hashlib.sha256(part.encode()).hexdigest() for part in secret.split(" ") if part)


def _new_match_id() -> str:
    return secrets.token_urlsafe(12)


def new_match_rows(
    request: messages.CreateMatchRequest, book: Book, token: str, now: float, rng: Random
) -> tuple[MatchRow, list[SeatRow]]:
    """Return the rows of a new match, without invitations; raise `ApiError` if the request is invalid."""
    players = book.rules.players
    if len(request.seats) != players:
        raise ApiError("bad_message", f"{book.title} has {players} seats, but the request has {len(request.seats)}.")
    first = rng.choice(book.players) if request.first == "toss" else request.first
    if first not in book.players:
        raise ApiError("bad_message", f"first: expected a player from 1 to {players}, or toss.")
    if request.start is not None:
        first = parse_start(book, request.start).turn
    settings = {
        "assist": request.assist,
        "clock": request.clock.model_dump() if request.clock else None,
        "tossed": request.first == "toss" and request.start is None,
        "start": request.start,
    }
    seats = [_seat_row(number, seat, token, now) for number, seat in enumerate(request.seats, 1)]
    match_id, score = _new_match_id(), [0] * players
    row = MatchRow(match_id, book.variant, book.source, first, request.rounds, settings, None, now, None, score)
    return row, seats


def _seat_row(number: int, seat: messages.PersonSeat | messages.BotSeat | None, token: str, now: float) -> SeatRow:
    if seat is None:
        return SeatRow(number, "", None, None, None, None)
    if isinstance(seat, messages.BotSeat):
        return SeatRow(number, bot_display_name(seat.bot), seat.bot, None, None, now)
    return SeatRow(number, validate_name(seat.name), None, hash_secret(token), None, now)


def _rematch_rows(state: MatchState, new_id: str, now: float) -> tuple[MatchRow, list[SeatRow]]:
    """Return the rows of a rematch; the first turn passes to the next player, unless the starting position is given."""
    row = state.row
    first = row.first if state.start else (row.first + row.rounds - 1) % state.book.rules.players + 1
    unplayed = row._replace(settings={**row.settings, "tossed": False}, ended=None, score=[0] * len(row.score))
    return unplayed._replace(id=new_id, first=first, rematch_of=row.id, created=now), state.seats


def validate_name(name: str) -> str:
    """Return the normalized form of a player's name; raise `ApiError` if it is too long."""
    name = normalize_name(name)
    if len(name) > MAX_NAME_CHARS:
        raise ApiError("bad_message", f"A name can have up to {MAX_NAME_CHARS} letters. Choose a shorter one.")
    return name


def _game_finished(book: Book | None, match: Match, you: int, game: Game, facts: dict[str, Any]) -> GameFinished:
    return game_finished(match, you, cached_solution(book) if book else None, game, **facts)


def _ending(book: Book | None, match: Match, facts: dict[str, Any]) -> dict[str, Any]:
    view: dict[str, Any] = to_json(ending_view(match, cached_solution(book) if book else None, **facts))
    return view
