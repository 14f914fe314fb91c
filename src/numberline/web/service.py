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

from numberline.match import RESIGN, Match
from numberline.notation import write_record
from numberline.rules.errors import NumberlineError
from numberline.views.table import plain
from numberline.web.frames import encoded, error_frame
from numberline.web.gathering import Gathering, Listener
from numberline.web.making import checked_name, hashed, new_id, position_of, rematch_of, rows_of
from numberline.web.orders import Created, MatchOrder, Message
from numberline.web.refusals import Refusal, not_found, stale
from numberline.web.shown import MOST_POSITIONS, VALUES, Shown
from numberline.web.store import SeatRow, Store
from numberline.web.table import JOIN, TIMEOUT, LiveTable
from numberline.web.tables import MOST_LIVE, Tables
from numberline.web.writer import Writer

T = TypeVar("T")
LOG = logging.getLogger(__name__)
MOST_ASKED = 64
"""So many wait at most for something that has to be worked out, besides the tables themselves."""
HIDDEN = "The players have agreed not to see what each move was worth"


class Service:
    """Every match of a store, for any number of listeners; it knows no framework, and runs on one event loop."""

    def __init__(
        self,
        store: Store,
        writer: Writer,
        *,
        clock: Callable[[], float] = time.time,
        most_positions: int = MOST_POSITIONS,
        rng: Random | None = None,
        keep: float | None = None,
        most_live: int = MOST_LIVE,
    ) -> None:
        self._clock = clock
        self._rng = rng or SystemRandom()
        self.tables = Tables(
            store,
            writer,
            clock=clock,
            most_positions=most_positions,
            rng=self._rng,
            keep=keep,
            most_live=most_live,
        )
        self._announcer = self.tables.announcer
        self._asked = 0
        """How many wait for something that has to be worked out."""
        self._turn = asyncio.Lock()

    async def start(self) -> None:
        """Takes up what was left: turns of programs, and clocks."""
        await self.tables.start()

    async def stop(self) -> None:
        """Everything that was begun is stored; then all are told to come back in a moment."""
        await self.tables.stop()

    async def quiet(self) -> None:
        """Waits until no program is about to move and everything is told."""
        await self.tables.quiet()

    async def think(self, work: Callable[..., T], *arguments: Any) -> T:
        """What comes of work that needs a solution: `solution_of` is asked only in the one thread that solves.

        That thread is given one such work at a time, so that the tables never wait for more than one; raises `Refusal`
        where too many are waiting already.
        """
        if self._asked >= MOST_ASKED:
            raise Refusal("slow_down", "The server is busy. Try again in a few seconds.")
        self._asked += 1
        return await asyncio.shield(self._in_turn(work, *arguments))  # whoever leaves meanwhile still has the turn

    async def _in_turn(self, work: Callable[..., T], *arguments: Any) -> T:
        try:
            async with self._turn:
                return await self._announcer.think(work, *arguments)
        finally:
            self._asked -= 1

    def shown(self, variant: str, source: str | None = None) -> Shown:
        """A book and what is sent of it; raises `Refusal` where there is none."""
        return self.tables.library.shown(variant, source)

    # Matches

    async def create(self, order: MatchOrder, token: str) -> Created:
        """A new match: its name, the first seat of whoever made it, and the invitations to the free seats."""
        if self.tables.held_now >= 2 * self.tables.most_live:  # more than that are open at this moment
            raise Refusal("busy", "There are too many games here just now. Try again in a few minutes.")
        shown = self.shown(order.variant, order.source)
        checked, most = self.tables.programs.checked, self.tables.most_positions
        seats = tuple(
            seat._replace(bot=checked(seat.bot, shown, most)) if seat and seat.bot is not None else seat
            for seat in order.seats
        )
        row, rows = rows_of(order._replace(seats=seats), shown.book, token, self._clock(), self._rng)
        invites = {seat.seat: secrets.token_urlsafe(16) for seat in rows if not (seat.bot or seat.token_hash)}
        rows = [
            seat._replace(invite_hash=hashed(invites[seat.seat])) if seat.seat in invites else seat for seat in rows
        ]
        await self.tables.write(lambda store: store.create(row, rows))
        self.tables.take_in(Gathering(LiveTable(shown.book, row, rows, moves=shown.moves), shown))
        own = next((seat.seat for seat in rows if seat.token_hash), 0)
        return Created(row.id, own, invites)

    async def claim(self, match: str, invite: str, name: str, token: str) -> int:
        """The seat that an invitation gives; the same again for whoever has it already."""
        name, invite_hash, token_hash = checked_name(name), hashed(invite), hashed(token)
        async with self.tables.held(match) as live:
            await self.tables.refresh(live)
            table = live.table
            seat = next((each for each in table.seats if each.invite_hash == invite_hash), None)
            if seat is None:
                raise Refusal("not_found", "This link leads to no free seat. Ask for a new one.")
            if seat.token_hash == token_hash:
                return seat.seat
            event = table.event(seat.seat, JOIN, "", self._clock())
            claimed = None
            if seat.seat not in table.taken:
                claimed = await self.tables.write(
                    lambda store: store.claim(match, invite_hash, name, token_hash, event), live
                )
            if claimed is None:
                raise Refusal("seat_taken", "Somebody has taken this seat already. You can watch the game.")
            table.joined(SeatRow(claimed, name, None, token_hash, invite_hash, event.at))
            self.tables.happen(live, event)
            live.reseat(token_hash)
            return claimed

    async def seats_of(self, match: str, token: str) -> tuple[int, ...]:
        """The seats of a match that somebody with this token has."""
        live = await self.tables.fresh(match)
        return live.table.seats_of(hashed(token)) if token else ()

    async def join(self, match: str, listener: Listener, token: str = "", since: int = 0) -> None:
        """Brings somebody to the table, in the seats that the token gives; they are sent the whole table."""
        async with self.tables.held(match) as live:
            await self.tables.refresh(live)
            live.add(listener, hashed(token) if token else "")
            try:
                seq, frame = await self._announcer.table(live, listener.you)
            except BaseException:
                live.remove(listener)
                raise
            live.show(listener, seq, frame)
            live.greet()

    def leave(self, match: str, listener: Listener) -> None:
        """Somebody has gone; the seat stays theirs."""
        live = self.tables.at_hand(match)
        if live:
            live.remove(listener)
            live.greet()

    async def delete(self, match: str, token: str) -> None:
        """Nothing is left of a match; only somebody with a seat in it can do that."""
        async with self.tables.held(match) as live:
            if not token or not live.table.seats_of(hashed(token)):
                raise not_found()
            await self.tables.write(lambda store: store.delete(match))
            self.tables.drop(live)
            live.part("This game was deleted by somebody who played it.")

    # A look at a match

    async def table(self, match: str, token: str = "") -> dict[str, Any]:
        """The whole table, as it is sent to whoever comes."""
        live = await self.tables.fresh(match)
        you = live.table.seats_of(hashed(token)) if token else ()
        frame: dict[str, Any] = json.loads((await self._announcer.table(live, you))[1])
        return frame

    async def record(self, match: str) -> str:
        """All rounds of a match as records, with the players' names."""
        table = (await self.tables.fresh(match)).table
        return "\n".join(write_record(named(table, played)) for played in (*table.finished, table.match))

    async def review(self, match: str) -> dict[str, Any]:
        """The last round that was played, looked back at; what it was worth only where that may be seen."""
        live = await self.tables.fresh(match)
        table = live.table
        played = table.match if table.match.length or not table.finished else table.finished[-1]
        over = played is not table.match or table.outcome is not None
        may = table.assist == "on" or (table.assist == "after" and over)
        view: dict[str, Any] = plain(
            await self.think(_reviewed, named(table, played), may and live.shown.size <= self.tables.most_positions)
        )
        when = " before the game is over." if table.assist == "after" else "."
        return view if may else {**view, "sentence": HIDDEN + when}

    async def position(self, match: str, text: str) -> dict[str, Any]:
        """A position of the game, with what it is worth where that may be seen."""
        live = await self.tables.fresh(match)
        position = position_of(live.shown.book, text)
        shown = json.loads(live.shown.position(position))
        truth = (VALUES, position, "")
        truths = await self._announcer.truths(live, [truth]) if live.table.tells else None
        return {"position": shown, "values": json.loads(truths[truth]) if truths else None}

    # Messages

    async def act(self, match: str, you: tuple[int, ...], message: Message, listener: Listener | None = None) -> bytes:
        """The answer to a message of somebody in these seats; what comes of it is told to all after that.

        A stale message is followed by a fresh table, for the listener, or for all in these seats.
        """
        live: Gathering | None = None
        try:
            if message.kind == "ask":
                live = await self.tables.fresh(match)
                return await self._answer(live, message)
            async with self.tables.held(match) as live:
                done = await self._act(live, you, message)
        except Refusal as refusal:
            live = live or self.tables.at_hand(match)
            if live and refusal.code == "stale":
                self.tables.spawn(self._refresh(live, you, listener))
            return error_frame(refusal.code, refusal.sentence, message.request, live.table.seq if live else None)
        except Exception:  # whatever it is, every message is answered
            LOG.exception("a message could not be answered")
            if live:
                live.sound = False
            return error_frame("busy", "Something went wrong here. Try again in a moment.", message.request)
        return b'{"kind":"ack","request":%s,"seq":%d}' % (json.dumps(message.request).encode(), done)

    async def _act(self, live: Gathering, you: tuple[int, ...], message: Message) -> int:
        """The number of the event that a message has led to, now or before."""
        tables, table, now = self.tables, live.table, self._clock()
        if table.flagged(now):
            await tables.commit(live, table.event(table.match.turn, TIMEOUT, "", now))
        done = table.known(you, message.request)
        if done is not None:
            return done
        if message.seq != table.seq:
            await tables.refresh(live)
            done = table.known(you, message.request)
            if done is not None:
                return done
        if message.seq != table.seq:
            raise stale()
        new = new_id() if message.what == "rematch" else ""
        event = table.check(you, message, now, new)
        if not (new and event.what.endswith(new)):
            return await tables.commit(live, event)
        row, seats = rematch_of(table, new, now)
        await tables.write(lambda store: store.create(row, seats))
        try:
            return await tables.commit(live, event)
        except Refusal as refusal:
            if refusal.code == "stale":  # it was not stored for certain, so nobody will hear of the new match
                await tables.write(lambda store: store.delete(new))
            raise

    async def _answer(self, live: Gathering, message: Message) -> bytes:
        table = live.table
        if message.seq != table.seq:
            raise stale()
        if not table.tells:
            when = "before the game is over" if table.assist == "after" else "in this match"
            raise Refusal("not_allowed", f"The players have agreed to play without hints {when}.")
        if live.shown.size > self.tables.most_positions:
            raise Refusal("too_many_positions", "This variant has too many positions to say what a move is worth.")
        match = table.match
        if table.outcome is None:
            match = Match(table.book, names=match.names, start=match.position)
        try:
            text, move = await self.think(live.shown.answer, message.what, match)
        except Refusal:
            raise
        except NumberlineError as error:
            raise Refusal("not_allowed", f"There is no answer to that here: {error}.") from None
        return encoded({"kind": "answer", "request": message.request, "what": message.what, "text": text, "move": move})

    async def _refresh(self, live: Gathering, you: tuple[int, ...], listener: Listener | None) -> None:
        """Sends the whole table again to somebody whose page is behind."""
        async with live.lock:
            seq, frame = await self._announcer.table(live, you)
            for each in [each for each in live.listeners if each is listener or (not listener and each.you == you)]:
                live.show(each, seq, frame)


def named(table: LiveTable, played: Match) -> Match:
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
    from numberline.solver.store import solution_of
    from numberline.views.review import review_view

    return review_view(match, solution_of(match.book) if may else None)
