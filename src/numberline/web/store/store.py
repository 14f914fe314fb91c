"""Storage of matches, seats and events in SQLite or PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from itertools import chain, islice
from secrets import token_hex
from sqlite3 import SQLITE_BUSY
from sqlite3 import Error as DriverError
from threading import RLock
from typing import Any, TypeVar

from sqlalchemy import ARRAY, ColumnElement, Connection, Select, bindparam, delete, func, insert, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as insert_shared
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.dialects.sqlite import insert as insert_or
from sqlalchemy.exc import SQLAlchemyError

from numberline.web.store import postgres, tables
from numberline.web.store.tables import EVENT, MATCH, SEAT, Event, MatchRow, SeatRow, StoredMatch, StoreError

__all__ = ["Event", "MatchRow", "SeatRow", "Store", "StoreError", "StoredMatch"]

T = TypeVar("T")


_FAILURES = (SQLAlchemyError, DriverError, OSError)
_MAX_ATTEMPTS = 6
_MAX_KEYS_PER_STATEMENT = 1000

_INSERT_EVENT = str(insert_or(EVENT).on_conflict_do_nothing().compile(dialect=sqlite_dialect()))
_PLACEHOLDERS = f"({', '.join('?' * len(EVENT.c))})"
_INSERT_EVENTS = insert_or(EVENT).on_conflict_do_nothing().returning(EVENT.c.match, EVENT.c.seq)
# A single statement that inserts any number of events.
_COLUMNS = select(*(func.unnest(bindparam(column.name, type_=ARRAY(column.type))) for column in EVENT.c))
_INSERT_COLUMNS = insert_shared(EVENT).from_select(list(EVENT.c), _COLUMNS)
_INSERT_EVENTS_SHARED = _INSERT_COLUMNS.on_conflict_do_nothing().returning(EVENT.c.match, EVENT.c.seq)
_SELECT_BY_KEY = select(EVENT).where(tuple_(EVENT.c.match, EVENT.c.seq).in_(bindparam("keys", expanding=True)))
_LAST_SEQ = select(func.max(EVENT.c.seq)).where(EVENT.c.match == MATCH.c.id).scalar_subquery()
_NAMED = MATCH.c.id.in_(bindparam("names", expanding=True))
_SELECT_LAST_SEQ = select(MATCH.c.id, func.coalesce(_LAST_SEQ, 0)).where(_NAMED)
_LAST_AT = select(func.max(EVENT.c.at)).where(EVENT.c.match == MATCH.c.id).scalar_subquery()
_LAST_EVENT_AT = func.coalesce(_LAST_AT, MATCH.c.created)


class Store:
    """Thread-safe store for matches; `url` is a file path, `sqlite:///…` or `postgresql://…`.

    A SQLite file can be used by only one process at a time; a PostgreSQL database can be shared by any number.
    """

    def __init__(self, url: str) -> None:
        self.shared = postgres.is_postgres(url)
        """Whether other processes can store events, in which case rooms in memory may be out of date."""
        self.name = token_hex(4)
        """Sender name in notifications to other servers."""
        self._path = None if self.shared else tables.sqlite_path(url)
        self._file = tables.FileLock(self._path) if self._path else None
        try:
            self._engine = postgres.open_postgres(url) if self.shared else tables.open_engine(self._path)
        except BaseException:
            self._release_file()
            raise
        # A match, its seats and its events must be read from the same snapshot.
        isolation = {"isolation_level": "REPEATABLE READ"} if self.shared else {}
        self._reader = self._engine.execution_options(**isolation)
        self._closed = self._failed = False
        self.damaged = False
        """Whether the database file is known to be damaged, in which case nothing is written to it."""
        self.checkpoint_due = False
        """Whether deleted data is still in the write-ahead log."""
        self._write_lock = RLock()
        # An in-memory database has a single connection, which can't read while it writes.
        self._read_lock = nullcontext() if self._path or self.shared else self._write_lock

    def create(self, match: MatchRow, seats: Sequence[SeatRow]) -> None:
        """Store a new match with its seats."""
        insert_match = partial(insert_matches, matches=[StoredMatch(match, list(seats), [])])
        self.write_transaction(insert_match, lambda _: self.find(match.id) is not None)

    def find(self, match: str) -> StoredMatch | None:
        """Return a match; None if it does not exist."""
        with self.read_transaction() as connection:
            return next(iter(read_matches(connection, select(MATCH).where(MATCH.c.id == match))), None)

    def events_since(self, match: str, seq: int) -> list[Event]:
        """Return the events of a match that follow event number `seq`."""
        rows = select(EVENT).where(EVENT.c.match == match, EVENT.c.seq > seq).order_by(EVENT.c.seq)
        with self.read_transaction() as connection:
            return [Event._make(row) for row in connection.execute(rows)]

    def new_events(self, known: Mapping[str, int]) -> dict[str, list[Event] | None]:
        """Return new events by match id, given the last known `seq` of each match; None for a deleted match."""
        found: dict[str, list[Event] | None] = {}
        for match_ids in _split(known):
            with self.read_transaction() as connection:
                reached = dict(connection.execute(_SELECT_LAST_SEQ, {"names": match_ids}).all())
                found |= dict.fromkeys(match_id for match_id in match_ids if match_id not in reached)
                keys = [(name, seq) for name, last in reached.items() for seq in range(known[name] + 1, last + 1)]
                events = _read_events(connection, keys)
            for event in sorted(events):
                new = found.setdefault(event.match, [])
                if new is not None:
                    new.append(event)
        return found

    def append(self, events: Sequence[Event]) -> set[tuple[str, int]]:
        """Store events durably, skip those that conflict with stored ones, and return each new `(match, seq)`."""
        if not events:
            return set()
        ordered = sorted(events)  # using the same order in every transaction prevents deadlocks

        def work(connection: Connection) -> set[tuple[str, int]]:
            stored = self._insert(connection, ordered) if self.shared else self._insert_at_once(connection, ordered)
            self._notify(connection, sorted({match for match, _ in stored}))
            return stored

        return self.write_transaction(
            work, lambda stored: self._has_events(event for event in events if event[:2] in stored)
        )

    def claim(self, match: str, invite_hash: str, name: str, token_hash: str, event: Event) -> int | None:
        """Assign an invitation's seat to a player and store `event`; return the seat, or None if it is not free."""
        free_seat = (SEAT.c.match == match, SEAT.c.invite_hash == invite_hash, SEAT.c.token_hash.is_(None))
        values = {"name": name, "token_hash": token_hash, "claimed": event.at}

        def work(connection: Connection) -> int | None:
            seat = connection.scalar(update(SEAT).where(*free_seat).values(values).returning(SEAT.c.seat))
            if seat is None:
                return None
            if not self._insert(connection, [event._replace(seat=seat)]):
                raise StoreError("Another player moved at the same moment, so the seat was not claimed; try again")
            self._notify(connection, [match])
            return int(seat)

        return self.write_transaction(work, lambda seat: seat is None or self._has_events([event._replace(seat=seat)]))

    def end(self, match: str, at: float, score: Sequence[int]) -> None:
        """Store the end time and score of a match."""
        statement = update(MATCH).where(MATCH.c.id == match).values(ended=at, score=list(score))
        self.write_transaction(lambda connection: connection.execute(statement))

    def delete(self, match: str) -> None:
        """Delete a match with its seats and events."""
        self._delete_where(MATCH.c.id == match, [match])

    def delete_ended_before(self, at: float) -> int:
        """Delete the matches that ended before `at`, and return the number of deleted matches."""
        return self._delete_where(MATCH.c.ended < at)

    def unfinished_matches(self, after: float | None = None, before: float | None = None) -> list[str]:
        """Return the ids of unfinished matches whose last event is between `after` and `before`, oldest match first."""
        found = select(MATCH.c.id).where(MATCH.c.ended.is_(None)).order_by(MATCH.c.created)
        if after is not None:
            found = found.where(after <= _LAST_EVENT_AT)
        if before is not None:
            found = found.where(MATCH.c.created < before, before > _LAST_EVENT_AT)
        with self.read_transaction() as connection:
            return list(connection.scalars(found))

    def unmoved_matches(self, before: float) -> list[str]:
        """Return the ids of matches created before `before` in which nothing has happened except players joining."""
        moved = select(EVENT.c.seq).where(EVENT.c.match == MATCH.c.id, EVENT.c.what != "join").exists()
        with self.read_transaction() as connection:
            return list(connection.scalars(select(MATCH.c.id).where(MATCH.c.created < before, ~moved)))

    def newest_event_at(self, until: float) -> float | None:
        """Return the time of the newest event that is not later than `until`, or None."""
        with self.read_transaction() as connection:
            newest: float | None = connection.scalar(select(func.max(EVENT.c.at)).where(until >= EVENT.c.at))
        return newest

    def notify(self, words: Sequence[str]) -> None:
        """Send words, such as match ids, to the other servers that share the database."""
        self.write_transaction(lambda connection: self._notify(connection, words))

    def check_file(self) -> bool:
        """Return whether the database file, if there is one, is damaged; the check may take seconds per gigabyte."""
        if self._path:
            self.damaged = tables.is_damaged(self._path, lambda: self._file is None)
        return self.damaged

    def close(self) -> None:
        self._closed = True  # the thread of a cancelled task may still be about to read
        postgres.wait_for_connections(self._engine)
        self._engine.dispose()
        self._release_file()

    def _release_file(self) -> None:
        if self._file:
            self._file.release()
        self._file = None

    def _require_file(self) -> None:
        """Raise `OSError` if the store is closed, or the file was removed or replaced."""
        if self._closed:
            raise OSError("the database is closed")
        if file := self._file:  # another thread may release it
            file.require_file()

    @contextmanager
    def read_transaction(self) -> Iterator[Connection]:
        """Open a connection to a consistent snapshot that contains only durable data, even after a failed commit."""
        try:
            self._require_file()
            if self._failed:
                with self._write_lock:
                    self._require_durable()
            with self._read_lock, self._reader.connect() as connection:
                yield connection
        except _FAILURES as error:
            raise StoreError("The match could not be read; try again in a moment", _reason(error)) from error

    def write_transaction(self, work: Callable[[Connection], T], is_stored: Callable[[T], bool] = lambda _: False) -> T:
        """Run `work`, commit, and return its result; raise `StoreError` if that fails. `work` may be run several times.

        A commit can fail even though everything was stored, so `is_stored` is then called with the result to find out.
        """
        with self._write_lock:
            for attempt in range(_MAX_ATTEMPTS):
                results: list[T] = []
                try:
                    self._require_file()
                    if self.damaged:
                        raise OSError("the database file is damaged; restore a backup")
                    self._require_durable()
                    with self._engine.connect() as connection, self._discard_on_failure(connection):
                        results.append(work(connection))
                        connection.commit()
                except _FAILURES as error:
                    if attempt < _MAX_ATTEMPTS - 1 and postgres.is_retryable(error, before_commit=not results):
                        continue
                    if not any(self._check_stored(is_stored, result) for result in results):
                        raise StoreError("This could not be saved; try again in a moment", _reason(error)) from error
                break
            return results[0]

    def _require_durable(self) -> None:
        """After a failed commit, ensure that all readable data is on disk; raise `OSError` if that fails."""
        if self._failed and not tables.checkpoint_wal(self._engine):
            raise OSError("the disk failed")
        self._failed = False

    @contextmanager
    def _discard_on_failure(self, connection: Connection) -> Iterator[None]:
        """Discard the connection on failure, except for an in-memory database, which has only this one."""
        try:
            yield
        except _FAILURES as error:
            self._failed = self._path is not None and not _is_locked(error)
            if self._path or self.shared:
                connection.invalidate()
            raise

    def _check_stored(self, is_stored: Callable[[T], bool], result: T) -> bool:
        """Return whether the work is stored even though its commit failed."""
        try:
            self._require_durable()
            return is_stored(result)
        except (*_FAILURES, StoreError):
            return False

    def _has_events(self, events: Iterable[Event]) -> bool:
        """Return whether exactly these events are stored, not different events with the same numbers."""
        wanted = {event[:2]: event for event in events}
        with self.read_transaction() as connection:
            return set(_read_events(connection, wanted)) == set(wanted.values())

    def _insert(self, connection: Connection, events: Sequence[Event]) -> set[tuple[str, int]]:
        """Insert events, skip those that conflict with stored ones, and return each new `(match, seq)`."""
        fields = Event._fields
        if self.shared:
            columns = dict(zip(fields, map(list, zip(*events, strict=True)), strict=True))
            rows = connection.execute(_INSERT_EVENTS_SHARED, columns)
        else:
            rows = connection.execute(_INSERT_EVENTS, [dict(zip(fields, event, strict=True)) for event in events])
        return {(match, seq) for match, seq in rows}

    def _insert_at_once(self, connection: Connection, events: Sequence[Event]) -> set[tuple[str, int]]:
        """Insert events in a single call to SQLite, which releases the GIL once instead of for every row."""
        statement = _INSERT_EVENT.replace(_PLACEHOLDERS, ", ".join([_PLACEHOLDERS] * len(events)))
        if connection.exec_driver_sql(statement, tuple(chain.from_iterable(events))).rowcount == len(events):
            return {event[:2] for event in events}
        connection.rollback()  # rare: a `seq` or `request` is taken; retry with RETURNING to find out which
        return self._insert(connection, events)

    def _notify(self, connection: Connection, words: Sequence[str]) -> None:
        if self.shared:
            for payload in postgres.split_payloads(self.name, words):
                connection.execute(postgres.NOTIFY, {"payload": payload})

    def _delete_where(self, condition: ColumnElement[bool], notified: Sequence[str] = ()) -> int:
        """Delete the matches that meet `condition`, including from the write-ahead log, and return their number."""
        match_ids = select(MATCH.c.id).where(condition)

        def work(connection: Connection) -> int:
            connection.execute(delete(EVENT).where(EVENT.c.match.in_(match_ids)))
            connection.execute(delete(SEAT).where(SEAT.c.match.in_(match_ids)))
            self._notify(connection, notified)
            return connection.execute(delete(MATCH).where(condition)).rowcount

        count = self.write_transaction(work)
        if count and self._path:
            self.checkpoint()
        return count

    def checkpoint(self) -> None:
        """Remove deleted data from the write-ahead log; if this fails, `checkpoint_due` stays true."""
        self.checkpoint_due = True
        with self._write_lock, suppress(*_FAILURES):  # the rows are deleted in any case
            self.checkpoint_due = not tables.checkpoint_wal(self._engine)


def _read_events(connection: Connection, keys: Iterable[tuple[str, int]]) -> list[Event]:
    """Return the stored events with these keys, in any order."""
    return [Event._make(row) for some in _split(keys) for row in connection.execute(_SELECT_BY_KEY, {"keys": some})]


def read_matches(connection: Connection, rows: Select[Any]) -> list[StoredMatch]:
    """Return the matches that `rows` selects, in the same order."""
    matches = [StoredMatch(MatchRow._make(row), [], []) for row in connection.execute(rows)]
    by_id = {stored.match.id: stored for stored in matches}
    for row in connection.execute(select(SEAT).where(SEAT.c.match.in_(by_id)).order_by(SEAT.c.match, SEAT.c.seat)):
        by_id[row[0]].seats.append(SeatRow._make(row[1:]))
    for row in connection.execute(select(EVENT).where(EVENT.c.match.in_(by_id)).order_by(EVENT.c.match, EVENT.c.seq)):
        by_id[row[0]].events.append(Event._make(row))
    return matches


def insert_matches(connection: Connection, matches: Sequence[StoredMatch]) -> None:
    """Insert new matches with their seats and events."""
    rows = {
        MATCH: [match._asdict() for match, _, _ in matches],
        SEAT: [{"match": match.id, **seat._asdict()} for match, seats, _ in matches for seat in seats],
        EVENT: [event._asdict() for _, _, events in matches for event in events],
    }
    for table, values in rows.items():
        if values:
            connection.execute(insert(table), values)


def _reason(error: Exception) -> str:
    """Return the database's error message, without the statement or its data."""
    source = getattr(error, "orig", None) or error
    return postgres.error_text(source) if hasattr(source, "sqlstate") else str(source)


def _is_locked(error: Exception) -> bool:
    """Return whether another program has locked the database, so that nothing was written."""
    return getattr(getattr(error, "orig", error), "sqlite_errorcode", 0) & 0xFF == SQLITE_BUSY


def _split(items: Iterable[T]) -> Iterator[list[T]]:
    """Split `items` into lists small enough for one statement."""
    remaining = iter(items)
    while some := list(islice(remaining, _MAX_KEYS_PER_STATEMENT)):
        yield some
