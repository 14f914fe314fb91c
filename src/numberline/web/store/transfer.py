"""Export and import of matches as one JSON object per line; every match is replayed before it is imported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from random import Random
from typing import IO, Any, NamedTuple, NoReturn

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Connection, select

from numberline.text import normalize_name
from numberline.web.protocol.errors import invalid_field_sentence
from numberline.web.protocol.events import book_encoder_cache
from numberline.web.protocol.messages import Assist, ClockRequest
from numberline.web.rooms.bot_runner import BotRunner
from numberline.web.rooms.match_state import JOIN, REPLAY_ERRORS, MatchState, parse_start
from numberline.web.rooms.solver_pool import SolverPool
from numberline.web.store.store import Store, StoredMatch, StoreError, insert_matches, read_matches
from numberline.web.store.tables import MATCH

MATCHES_PER_BATCH = 100
MAX_KNOWN_BOTS = 1_000
MAX_LINE_BYTES = 16_000_000
MAX_NAME_LENGTH = 200  # longer than the server accepts now, because earlier versions accepted longer names
MAX_INTEGER = 1 << 53
_MATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class TransferStats(NamedTuple):
    """Numbers of matches and events transferred so far, and of matches that were already stored."""

    matches: int = 0
    events: int = 0
    already_stored: int = 0

    def add(self, page: Sequence[StoredMatch], already_stored: int = 0) -> TransferStats:
        """Return the totals with another page of matches added."""
        events = sum(len(stored.events) for stored in page)
        return TransferStats(self.matches + len(page), self.events + events, self.already_stored + already_stored)


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
        stats = stats.add(page)
        on_progress(stats)
    return stats


def import_matches(store: Store, file: IO[bytes], on_progress: ProgressCallback) -> TransferStats:
    """Import all matches in `file`, or none if a match can't be replayed or conflicts with a stored one."""

    def work(connection: Connection) -> TransferStats:
        _disable_timeouts(connection)
        file.seek(0)  # the transaction may be retried
        matches, stats = ImportReader().read(file), TransferStats()
        while page := list(islice(matches, MATCHES_PER_BATCH)):
            already_stored = _insert_new(connection, page)
            stats = stats.add([stored for _, stored in page], already_stored)
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
        self._book_encoder = book_encoder_cache()
        self._validate_bot = lru_cache(MAX_KNOWN_BOTS)(BotRunner(SolverPool(), Random(0)).validate_bot)

    def read(self, file: IO[bytes]) -> Iterator[tuple[int, StoredMatch]]:
        """Yield matches with their line numbers; raise `StoreError` at the first invalid line."""
        for number, line in enumerate(iter(lambda: file.readline(MAX_LINE_BYTES + 1), b""), 1):
            if not line.strip():
                continue
            if len(line) > MAX_LINE_BYTES:
                reject_line(number, "the line is too long")
            try:
                stored = _decode_match(line)
                self._replay(stored)
            except ValidationError as error:
                first = error.errors()[0]
                reject_line(number, invalid_field_sentence(first["loc"], first["msg"]).removesuffix("."))
            except REPLAY_ERRORS:
                reject_line(number, "the match cannot be replayed from the start")
            yield number, stored

    def _replay(self, stored: StoredMatch) -> None:
        """Replay the events of a match; raise one of `REPLAY_ERRORS` if anything is invalid."""
        row, seats, events = stored
        encoder = self._book_encoder(row.variant, row.source)
        _require(_MATCH_ID.fullmatch(row.id), 1 <= row.rounds <= 99, row.first in encoder.book.players)
        _require([seat.seat for seat in seats] == list(encoder.book.players))
        given = {name: row.settings.get(name) for name in MatchSettings._fields}
        settings = _SETTINGS_ADAPTER.validate_python(given, strict=True)
        if settings.start is not None:
            parse_start(encoder.book, settings.start)
        for seat in seats:
            if seat.bot:
                _require(self._validate_bot(seat.bot, encoder) == seat.bot)
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


def _decode_match(line: bytes) -> StoredMatch:
    data: dict[str, Any] = json.loads(line)
    json.dumps(data, ensure_ascii=False, allow_nan=False).encode()  # rejects NaN, infinity and lone surrogates
    for event in data["events"]:
        event["match"] = data["match"]["id"]
    return _STORED_MATCH_ADAPTER.validate_python(data, strict=True)


def _read_pages(store: Store) -> Iterator[list[StoredMatch]]:
    rows = select(MATCH).order_by(MATCH.c.id).limit(MATCHES_PER_BATCH)
    last = ""
    with store.read_transaction() as connection:
        _disable_timeouts(connection)
        while page := read_matches(connection, rows.where(MATCH.c.id > last)):
            yield page
            last = page[-1].match.id


def _insert_new(connection: Connection, page: Sequence[tuple[int, StoredMatch]]) -> int:
    """Insert the matches that are not stored yet, and return how many were already stored."""
    same_ids = select(MATCH).where(MATCH.c.id.in_([stored.match.id for _, stored in page]))
    existing = {stored.match.id: stored for stored in read_matches(connection, same_ids)}
    new = []
    for number, match in page:
        known = existing.setdefault(match.match.id, match)
        if known is match:
            new.append(match)
        elif known != match:
            reject_line(number, "the match is already stored with different data")
    insert_matches(connection, new)
    return len(page) - len(new)


def _disable_timeouts(connection: Connection) -> None:
    """Disable the statement and idle timeouts for a transaction that covers the whole database."""
    if connection.dialect.name == "postgresql":
        for setting in ("statement_timeout", "idle_in_transaction_session_timeout"):
            connection.exec_driver_sql(f"SET LOCAL {setting} = 0")
