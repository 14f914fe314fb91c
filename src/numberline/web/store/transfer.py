"""Export and import of matches as one JSON object per line; every match is replayed before it is imported."""

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
from numberline.web.protocol.events import MAX_POSITIONS, BookCache
from numberline.web.protocol.messages import Assist, ClockRequest
from numberline.web.rooms.bot_runner import BotRunner
from numberline.web.rooms.match_state import JOIN, REPLAY_ERRORS, MatchState, parse_start
from numberline.web.store.store import Event, MatchRow, SeatRow, Store, StoreError
from numberline.web.store.tables import EVENT, MATCH, SEAT

MATCHES_PER_BATCH = 100
MAX_LINE_BYTES = 16_000_000
MAX_NAME_LENGTH = 200  # longer than the server accepts now, because earlier versions accepted longer names
MAX_INTEGER = 1 << 53
_MATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class StoredMatch(NamedTuple):
    """A match with its seats and events."""

    match: MatchRow
    seats: list[SeatRow]
    events: list[Event]


class TransferStats(NamedTuple):
    """Numbers of matches and events transferred so far, and of matches that were already stored."""

    matches: int = 0
    events: int = 0
    already_stored: int = 0


class MatchSettings(NamedTuple):
    """Validated form of `MatchRow.settings`."""

    assist: Assist
    clock: ClockRequest | None
    tossed: bool
    start: str | None


_STORED_MATCH_ADAPTER, _SETTINGS_ADAPTER = TypeAdapter(StoredMatch), TypeAdapter(MatchSettings)

ProgressCallback = Callable[[TransferStats], None]


def export_matches(store: Store, file: IO[bytes], on_progress: ProgressCallback) -> TransferStats:
    """Write a consistent snapshot of all matches to `file`."""
    stats = TransferStats()
    for page in _read_pages(store):
        file.writelines(map(encode_match, page))
        stats = TransferStats(stats.matches + len(page), stats.events + sum(len(stored.events) for stored in page))
        on_progress(stats)
    return stats


def import_matches(store: Store, file: IO[bytes], on_progress: ProgressCallback) -> TransferStats:
    """Import all matches in `file`, or none if a match can't be replayed or conflicts with a stored one."""

    def work(connection: Connection) -> TransferStats:
        _disable_timeouts(connection)
        file.seek(0)  # the transaction may be retried
        reader, stats = ImportReader(), TransferStats()
        while page := list(islice(reader.read(file), MATCHES_PER_BATCH)):
            already_stored = _insert_new(connection, page)
            stats = TransferStats(
                stats.matches + len(page),
                stats.events + sum(len(stored.events) for _, stored in page),
                stats.already_stored + already_stored,
            )
            on_progress(stats)
        return stats

    return store.write_transaction(work)


def encode_match(stored: StoredMatch) -> bytes:
    """Encode a match as one line of an export."""
    events = [event._asdict() for event in stored.events]
    for event in events:
        del event["match"]
    line = {"match": stored.match._asdict(), "seats": [seat._asdict() for seat in stored.seats], "events": events}
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class ImportReader:
    """Reader that validates an export by replaying every match."""

    def __init__(self) -> None:
        self.line_number = 0
        self._book_cache = BookCache()
        self._bot_runner = BotRunner(ThreadPoolExecutor(1), Random(0))
        self._valid_bots: set[tuple[str, str | None, str]] = set()

    def read(self, file: IO[bytes]) -> Iterator[tuple[int, StoredMatch]]:
        """Yield matches with their line numbers; raise `StoreError` at the first invalid line."""
        while line := file.readline(MAX_LINE_BYTES + 1):
            self.line_number += 1
            if not line.strip():
                continue
            if len(line) > MAX_LINE_BYTES:
                reject_line(self.line_number, "the line is too long")
            try:
                stored = _decode_match(line)
                self._replay(stored)
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                reject_line(
                    self.line_number, f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}".removeprefix(": ")
                )
            except REPLAY_ERRORS:
                reject_line(self.line_number, "the match cannot be replayed from the start")
            yield self.line_number, stored

    def _replay(self, stored: StoredMatch) -> None:
        """Replay the events of a match; raise one of `REPLAY_ERRORS` if anything is invalid."""
        row, seats, events = stored
        encoder = self._book_cache.encoder(row.variant, row.source)
        _require(_MATCH_ID.fullmatch(row.id), 1 <= row.rounds <= 99, row.first in encoder.book.players)
        _require(
            all(map(math.isfinite, _timestamps(stored))), [seat.seat for seat in seats] == list(encoder.book.players)
        )
        settings = _SETTINGS_ADAPTER.validate_python(
            {name: row.settings.get(name) for name in MatchSettings._fields}, strict=True
        )
        if settings.start is not None:
            parse_start(encoder.book, settings.start)
        for seat in seats:
            bot = (row.variant, row.source, seat.bot or "")
            if seat.bot and bot not in self._valid_bots:
                _require(self._bot_runner.validate_bot(seat.bot, encoder, MAX_POSITIONS) == seat.bot)
                self._valid_bots.add(bot)
            _require(len(seat.name) <= MAX_NAME_LENGTH, seat.name == normalize_name(seat.name))
        state = MatchState(encoder.book, row, seats)
        state.taken_seats -= {event.seat for event in events if event.what == JOIN}
        for number, event in enumerate(events, 1):
            _require(event.seq == number, event.request, event.request not in state.requests)
            _require(event.seat in encoder.book.players, abs(event.spent_ms) < MAX_INTEGER)
            plies = state.apply(event)
            _require(not plies or plies[0].player == event.seat)
        _require(row.ended is None or row.score == state.score)


def reject_line(number: int, why: str) -> NoReturn:
    """Raise `StoreError` for a line that can't be imported."""
    raise StoreError(f"cannot import line {number}: {why}; nothing was imported")


def _require(*conditions: object) -> None:
    """Raise `ValueError` unless all conditions are true."""
    if not all(conditions):
        raise ValueError


def _timestamps(stored: StoredMatch) -> list[float]:
    optional = [stored.match.created, stored.match.ended, *(seat.claimed for seat in stored.seats)]
    return [*(at for at in optional if at is not None), *(event.at for event in stored.events)]


def _decode_match(line: bytes) -> StoredMatch:
    data: dict[str, Any] = json.loads(line, parse_constant=_require)  # rejects NaN and Infinity
    json.dumps(data, ensure_ascii=False).encode()  # rejects lone surrogates, which can't be stored
    for event in data["events"]:
        event["match"] = data["match"]["id"]
    return _STORED_MATCH_ADAPTER.validate_python(data, strict=True)


def _read_pages(store: Store) -> Iterator[list[StoredMatch]]:
    last: str | None = ""
    with store.read_transaction() as connection:
        _disable_timeouts(connection)
        while last is not None:
            rows = select(MATCH).where(MATCH.c.id > last).order_by(MATCH.c.id).limit(MATCHES_PER_BATCH)
            page = _with_seats_and_events(connection, [MatchRow._make(row) for row in connection.execute(rows)])
            last = page[-1].match.id if page else None
            if page:
                yield page


def _with_seats_and_events(connection: Connection, rows: Sequence[MatchRow]) -> list[StoredMatch]:
    names = [row.id for row in rows]
    seats, events = defaultdict(list), defaultdict(list)
    for row in connection.execute(select(SEAT).where(SEAT.c.match.in_(names)).order_by(SEAT.c.match, SEAT.c.seat)):
        seats[row[0]].append(SeatRow._make(row[1:]))
    for row in connection.execute(select(EVENT).where(EVENT.c.match.in_(names)).order_by(EVENT.c.match, EVENT.c.seq)):
        events[row[0]].append(Event._make(row))
    return [StoredMatch(row, seats[row.id], events[row.id]) for row in rows]


def _insert_new(connection: Connection, page: Iterable[tuple[int, StoredMatch]]) -> int:
    """Insert the matches that are not stored yet, and return how many were already stored."""
    new: dict[str, StoredMatch] = {}
    page = list(page)
    names = [stored.match.id for _, stored in page]
    rows = connection.execute(select(MATCH).where(MATCH.c.id.in_(names)))
    existing = {
        stored.match.id: stored for stored in _with_seats_and_events(connection, [MatchRow._make(row) for row in rows])
    }
    for number, match in page:
        known = existing.setdefault(match.match.id, match)
        if known is match:
            new[match.match.id] = match
        elif known != match:
            reject_line(number, "the match is already stored with different data")
    if new:
        connection.execute(insert(MATCH), [match.match._asdict() for match in new.values()])
        seats = [{"match": name, **seat._asdict()} for name, match in new.items() for seat in match.seats]
        connection.execute(insert(SEAT), seats)
        events = [event._asdict() for match in new.values() for event in match.events]
        if events:
            connection.execute(insert(EVENT), events)
    return len(page) - len(new)


def _disable_timeouts(connection: Connection) -> None:
    """Disable the statement and idle timeouts for a transaction that covers the whole database."""
    if connection.dialect.name == "postgresql":
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {setting} = 0")
