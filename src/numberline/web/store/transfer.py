"""Matches on their way from one database to another: one on each line of a file, and each played again on arrival."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from random import Random
from typing import IO, Any, NamedTuple, NoReturn

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, insert, select

from numberline.text import normalize_name
from numberline.web.protocol.book_encoder import MAX_POSITIONS, BookCache
from numberline.web.protocol.messages import Assist, ClockRequest
from numberline.web.rooms.bot_runner import BotRunner
from numberline.web.rooms.match_factory import load_book, parse_start
from numberline.web.rooms.match_state import JOIN, REPLAY_ERRORS, MatchState
from numberline.web.store.store import Event, MatchRow, SeatRow, Store, StoreError
from numberline.web.store.tables import EVENT, MATCH, SEAT

MATCHES_PER_BATCH = 100
"""So many matches are read or written together."""
MAX_LINE_BYTES = 16_000_000
MAX_NAME_LENGTH = 200
"""More than anybody can put in, so that what an older Numberline has allowed can be moved."""
MAX_INTEGER = 1 << 53
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class StoredMatch(NamedTuple):
    """All that is stored of a match."""

    match: MatchRow
    seats: list[SeatRow]
    events: list[Event]


class TransferStats(NamedTuple):
    """How much was moved so far, and how many matches of it were there before."""

    matches: int = 0
    events: int = 0
    already_stored: int = 0


class MatchSettings(NamedTuple):
    """What the settings of a match say."""

    assist: Assist
    clock: ClockRequest | None
    tossed: bool
    start: str | None


_STORED_MATCH_ADAPTER, _SETTINGS_ADAPTER = TypeAdapter(StoredMatch), TypeAdapter(MatchSettings)

ProgressCallback = Callable[[TransferStats], None]
"""Called now and then with how much was moved."""


def export_matches(store: Store, file: IO[bytes], tell: ProgressCallback) -> TransferStats:
    """Writes all matches of a store, as they are in one moment, to a file."""
    moved = TransferStats()
    for page in _pages(store):
        file.writelines(map(encode_match, page))
        moved = TransferStats(moved.matches + len(page), moved.events + sum(len(kept.events) for kept in page))
        tell(moved)
    return moved


def import_matches(store: Store, file: IO[bytes], tell: ProgressCallback) -> TransferStats:
    """Stores all matches of a file, or none of them where one can't be played again or is another one here."""

    def work(connection: Connection) -> TransferStats:
        _be_patient(connection)
        file.seek(0)  # the work may be begun again
        arrival, moved = ImportReader(), TransferStats()
        while page := list(islice(arrival.read(file), MATCHES_PER_BATCH)):
            known = _stored(connection, page)
            matches, events = moved.matches + len(page), moved.events + sum(len(kept.events) for _, kept in page)
            moved = TransferStats(matches, events, moved.already_stored + known)
            tell(moved)
        return moved

    return store.write_transaction(work)


def encode_match(kept: StoredMatch) -> bytes:
    """A match as it is written, in one line."""
    told = [event._asdict() for event in kept.events]
    for event in told:
        del event["match"]
    line = {"match": kept.match._asdict(), "seats": [seat._asdict() for seat in kept.seats], "events": told}
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class ImportReader:
    """Reads the lines of a file, and plays each match again before it is believed."""

    def __init__(self) -> None:
        self.number = 0
        """Of the line that was read last."""
        self._library = BookCache(load_book)
        self._programs = BotRunner(ThreadPoolExecutor(1), Random(0))
        self._seated: set[tuple[str, str | None, str]] = set()

    def read(self, file: IO[bytes]) -> Iterator[tuple[int, StoredMatch]]:
        """The matches with the numbers of their lines; raises a sentence for the first that is damaged."""
        while line := file.readline(MAX_LINE_BYTES + 1):
            self.number += 1
            if not line.strip():
                continue
            if len(line) > MAX_LINE_BYTES:
                reject_line(self.number, "it is too long for a match")
            try:
                kept = _read(line)
                self._replay(kept)
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                reject_line(self.number, f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}".removeprefix(": "))
            except REPLAY_ERRORS:
                reject_line(self.number, "it is no match that can be played again from its beginning")
            yield self.number, kept

    def _replay(self, kept: StoredMatch) -> None:
        """Raises one of many errors for what can't have happened."""
        row, seats, events = kept
        shown = self._library.encoder(row.variant, row.source)
        _need(_NAME.fullmatch(row.id), 1 <= row.rounds <= 99, row.first in shown.book.players)
        _need(all(map(math.isfinite, _times(kept))), [seat.seat for seat in seats] == list(shown.book.players))
        agreed = _SETTINGS_ADAPTER.validate_python(
            {name: row.settings.get(name) for name in MatchSettings._fields}, strict=True
        )
        if agreed.start is not None:
            parse_start(shown.book, agreed.start)
        for seat in seats:
            sitting = (row.variant, row.source, seat.bot or "")
            if seat.bot and sitting not in self._seated:
                _need(self._programs.validate_bot(seat.bot, shown, MAX_POSITIONS) == seat.bot)
                self._seated.add(sitting)
            _need(len(seat.name) <= MAX_NAME_LENGTH, seat.name == normalize_name(seat.name))
        table = MatchState(shown.book, row, seats)
        table.taken_seats -= {event.seat for event in events if event.what == JOIN}
        for number, event in enumerate(events, 1):
            _need(event.seq == number, event.request, event.request not in table.requests)
            _need(event.seat in shown.book.players, abs(event.spent_ms) < MAX_INTEGER)
            plies = table.apply(event)
            _need(not plies or plies[0].player == event.seat)
        _need(row.ended is None or row.score == table.score)


def reject_line(number: int, why: str) -> NoReturn:
    """Says of a line why nothing was imported."""
    raise StoreError(f"Line {number} can't be imported: {why}; so nothing of the file was")


def _need(*conditions: object) -> None:
    """Raises where one of these is not so."""
    if not all(conditions):
        raise ValueError


def _times(kept: StoredMatch) -> list[float]:
    """All moments that are noted in a match."""
    noted = [kept.match.created, kept.match.ended, *(seat.claimed for seat in kept.seats)]
    return [*(at for at in noted if at is not None), *(event.at for event in kept.events)]


def _read(line: bytes) -> StoredMatch:
    data: dict[str, Any] = json.loads(line, parse_constant=_need)  # NaN is none of our numbers
    json.dumps(data, ensure_ascii=False).encode()  # halves of letters can be written in JSON, and stored nowhere
    for event in data["events"]:
        event["match"] = data["match"]["id"]
    return _STORED_MATCH_ADAPTER.validate_python(data, strict=True)


def _pages(store: Store) -> Iterator[list[StoredMatch]]:
    """All matches, so many at a time."""
    last: str | None = ""
    with store.read_transaction() as connection:
        _be_patient(connection)
        while last is not None:
            rows = select(MATCH).where(MATCH.c.id > last).order_by(MATCH.c.id).limit(MATCHES_PER_BATCH)
            page = _found(connection, [MatchRow._make(row) for row in connection.execute(rows)])
            last = page[-1].match.id if page else None
            if page:
                yield page


def _found(connection: Connection, rows: Sequence[MatchRow]) -> list[StoredMatch]:
    """Matches with their seats and events."""
    names = [row.id for row in rows]
    seats, events = defaultdict(list), defaultdict(list)
    for row in connection.execute(select(SEAT).where(SEAT.c.match.in_(names)).order_by(SEAT.c.match, SEAT.c.seat)):
        seats[row[0]].append(SeatRow._make(row[1:]))
    for row in connection.execute(select(EVENT).where(EVENT.c.match.in_(names)).order_by(EVENT.c.match, EVENT.c.seq)):
        events[row[0]].append(Event._make(row))
    return [StoredMatch(row, seats[row.id], events[row.id]) for row in rows]


def _stored(connection: Connection, page: Iterable[tuple[int, StoredMatch]]) -> int:
    """How many of the matches were there already; the others are now, unless the transaction fails."""
    fresh: dict[str, StoredMatch] = {}
    page = list(page)
    names = [kept.match.id for _, kept in page]
    rows = connection.execute(select(MATCH).where(MATCH.c.id.in_(names)))
    there = {kept.match.id: kept for kept in _found(connection, [MatchRow._make(row) for row in rows])}
    for number, kept in page:
        known = there.setdefault(kept.match.id, kept)
        if known is kept:
            fresh[kept.match.id] = kept
        elif known != kept:
            reject_line(number, "this match is here already, and has gone on differently")
    if fresh:
        connection.execute(insert(MATCH), [kept.match._asdict() for kept in fresh.values()])
        seats = [{"match": name, **seat._asdict()} for name, kept in fresh.items() for seat in kept.seats]
        connection.execute(insert(SEAT), seats)
        told = [event._asdict() for kept in fresh.values() for event in kept.events]
        if told:
            connection.execute(insert(EVENT), told)
    return len(page) - len(fresh)


def _be_patient(connection: Connection) -> None:
    """Lets a whole database take its time."""
    if connection.dialect.name == "postgresql":
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {setting} = 0")
