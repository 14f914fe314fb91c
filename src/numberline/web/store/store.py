"""Everything that has happened at the tables: matches, who sits where, and each event, kept in one database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import chain, islice
from operator import itemgetter
from secrets import token_hex
from sqlite3 import Error as DriverError
from threading import RLock
from typing import TypeVar

from sqlalchemy import ARRAY, ColumnElement, Connection, bindparam, delete, func, insert, select, tuple_, update
from sqlalchemy.dialects.postgresql import insert as insert_shared
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.dialects.sqlite import insert as insert_or
from sqlalchemy.exc import SQLAlchemyError

from numberline.web.store.postgres import (
    error_text,
    is_postgres,
    is_retryable,
    notify_servers,
    open_postgres,
    postgres_url,
    wait_for_connections,
)
from numberline.web.store.records import Event, MatchRow, SeatRow
from numberline.web.store.tables import (
    EVENT,
    MATCH,
    SEAT,
    FileLock,
    StoreError,
    check_file_signature,
    checkpoint_wal,
    open_engine,
    sqlite_path,
)

__all__ = ["Event", "MatchRow", "SeatRow", "Store", "StoreError"]

T = TypeVar("T")


_FAILURES = (SQLAlchemyError, DriverError, OSError)
_BY_NUMBER = itemgetter(0, 1)
_TRIES = 6
"""So often a transaction is begun that others keep from its end."""
_AT_ONCE = 1000
"""So many matches or events are asked for in one statement."""

_ADD_ONE = str(insert_or(EVENT).on_conflict_do_nothing().compile(dialect=sqlite_dialect()))
_ROW = f"({', '.join('?' * len(EVENT.c))})"
_ADD_EVENTS = insert_or(EVENT).on_conflict_do_nothing().returning(EVENT.c.match, EVENT.c.seq)
_COLUMNS = select(*(func.unnest(bindparam(column.name, type_=ARRAY(column.type))) for column in EVENT.c))
# The same in one short statement, however many there are.
_ADD_SHARED = (
    insert_shared(EVENT)
    .from_select(list(EVENT.c), _COLUMNS)
    .on_conflict_do_nothing()
    .returning(EVENT.c.match, EVENT.c.seq)
)
_THESE = select(EVENT).where(tuple_(EVENT.c.match, EVENT.c.seq).in_(bindparam("keys", expanding=True)))
_LAST = select(func.max(EVENT.c.seq)).where(EVENT.c.match == MATCH.c.id).scalar_subquery()
_REACHED = select(MATCH.c.id, func.coalesce(_LAST, 0)).where(MATCH.c.id.in_(bindparam("names", expanding=True)))
_LATEST = select(func.max(EVENT.c.at)).where(EVENT.c.match == MATCH.c.id).scalar_subquery()
_EVENTS = select(EVENT).where(EVENT.c.match == bindparam("of"), EVENT.c.seq > bindparam("after")).order_by(EVENT.c.seq)
_SIT_DOWN = (
    update(SEAT)
    .where(SEAT.c.match == bindparam("of"), SEAT.c.invite_hash == bindparam("invite"), SEAT.c.token_hash.is_(None))
    .returning(SEAT.c.seat)
)


class Store:
    """The database at an address (`sqlite:///…`, `postgresql://…`) or path; any thread may ask.

    A file is had by one process at a time; a PostgreSQL is shared by as many as like to.
    """

    def __init__(self, url: str) -> None:
        self.shared = is_postgres(url)
        """Whether other processes may store events too, so that what is in memory can be behind."""
        self.name = token_hex(4)
        """What this one is called among those that share the database."""
        self._path = None if self.shared else sqlite_path(url)
        self._file = None
        if self._path:
            check_file_signature(self._path)
            self._file = FileLock(self._path)
        try:
            self._engine = open_postgres(postgres_url(url)) if self.shared else open_engine(self._path)
        except BaseException:
            self._let_go()
            raise
        # A match, its seats and its events are read as of one moment.
        self._reader = (
            self._engine.execution_options(isolation_level="REPEATABLE READ") if self.shared else self._engine
        )
        self._failed = False
        self._writing = RLock()
        # A database in memory has one connection, so nobody may read while another writes.
        self._reading = nullcontext() if self._path or self.shared else self._writing

    def create(self, match: MatchRow, seats: Sequence[SeatRow]) -> None:
        """A new match is kept, with its seats."""

        def work(connection: Connection) -> None:
            connection.execute(insert(MATCH), match._asdict())
            if seats:
                connection.execute(insert(SEAT), [{"match": match.id, **seat._asdict()} for seat in seats])

        self._write(work, lambda _: self._has_match(match.id))

    def find(self, match: str) -> tuple[MatchRow, list[SeatRow], list[Event]] | None:
        """A match with its seats and events in order; None where there is none of that name."""
        with self._read() as connection:
            found = connection.execute(select(MATCH).where(MATCH.c.id == match)).one_or_none()
            if found is None:
                return None
            rows = connection.execute(select(SEAT).where(SEAT.c.match == match).order_by(SEAT.c.seat))
            seats = [SeatRow._make(row[1:]) for row in rows]
            events = [Event._make(row) for row in connection.execute(_EVENTS, {"of": match, "after": 0})]
        return MatchRow._make(found), seats, events

    def events_since(self, match: str, seq: int) -> list[Event]:
        """The events of a match after the one with this number."""
        with self._read() as connection:
            return [Event._make(row) for row in connection.execute(_EVENTS, {"of": match, "after": seq})]

    def new_events(self, known: Mapping[str, int]) -> dict[str, list[Event] | None]:
        """The events after the known number of each match, where there are any; None for a match that is gone."""
        found: dict[str, list[Event] | None] = {}
        for names in _parts(known):
            with self._read() as connection:
                reached = dict(connection.execute(_REACHED, {"names": names}).all())
                found |= dict.fromkeys(name for name in names if name not in reached)
                keys = [(name, seq) for name, last in reached.items() for seq in range(known[name] + 1, last + 1)]
                rows: list[Event] = []
                for some in _parts(keys):
                    rows += map(Event._make, connection.execute(_THESE, {"keys": some}))
            for event in sorted(rows, key=_BY_NUMBER):
                behind = found.setdefault(event.match, [])
                if behind is not None:
                    behind.append(event)
        return found

    def append(self, events: Sequence[Event]) -> set[tuple[str, int]]:
        """The (match, seq) of those that are stored now, durably; the others' number or request was there before."""
        if not events:
            return set()
        ordered = sorted(events, key=_BY_NUMBER)  # everywhere, or two writers could wait for each other

        def work(connection: Connection) -> set[tuple[str, int]]:
            stored = self._added(connection, ordered) if self.shared else self._added_at_once(connection, ordered)
            self._tell(connection, sorted({match for match, _ in stored}))
            return stored

        return self._write(work, lambda stored: self._has(event for event in events if event[:2] in stored))

    def claim(self, match: str, invite_hash: str, name: str, token_hash: str, event: Event) -> int | None:
        """The seat that the invite gives, with the event that tells of it; None where no such seat is free."""

        def work(connection: Connection) -> int | None:
            taken = {"name": name, "token_hash": token_hash, "claimed": event.at}
            seat = connection.execute(_SIT_DOWN, {"of": match, "invite": invite_hash, **taken}).scalar_one_or_none()
            if seat is None:
                return None
            if not self._added(connection, [event._replace(seat=seat)]):
                raise StoreError("The match went on in the same moment, so the seat is still free; try again")
            self._tell(connection, [match])
            return int(seat)

        return self._write(work, lambda seat: seat is None or self._has([event._replace(seat=seat)]))

    def end(self, match: str, at: float, score: Sequence[int]) -> None:
        """The match is over, with this score."""
        over = update(MATCH).where(MATCH.c.id == match).values(ended=at, score=list(score))
        self._write(lambda connection: connection.execute(over))

    def delete(self, match: str) -> None:
        """Nothing of the match is left: no name, no token, no event."""
        self._forget(MATCH.c.id == match, [match])

    def delete_ended_before(self, at: float) -> int:
        """How many matches were deleted, all that had ended before that time."""
        return self._forget(MATCH.c.ended < at)

    def unfinished_matches(self) -> list[str]:
        """The names of the matches that have not ended, the oldest first."""
        with self._read() as connection:
            return list(connection.scalars(select(MATCH.c.id).where(MATCH.c.ended.is_(None)).order_by(MATCH.c.created)))

    def idle_before(self, at: float) -> list[str]:
        """The names of the matches that never ended, and in which nothing has happened since that time."""
        later = select(EVENT.c.seq).where(EVENT.c.match == MATCH.c.id, EVENT.c.at >= at)
        idle = select(MATCH.c.id).where(MATCH.c.ended.is_(None), MATCH.c.created < at, ~later.exists())
        with self._read() as connection:
            return list(connection.scalars(idle.order_by(MATCH.c.created)))

    def unfinished_between(self, after: float, before: float) -> list[str]:
        """The names of the matches that have not ended, and in which something happened last between these times."""
        last = func.coalesce(_LATEST, MATCH.c.created)
        left = select(MATCH.c.id).where(MATCH.c.ended.is_(None), last >= after, last < before)
        with self._read() as connection:
            return list(connection.scalars(left.order_by(MATCH.c.created)))

    def notify(self, words: Sequence[str]) -> None:
        """Tells all others who share the database something that is not stored."""
        self._write(lambda connection: self._tell(connection, words))

    def read_transaction(self) -> AbstractContextManager[Connection]:
        """A connection on which everything is of one moment."""
        return self._read()

    def write_transaction(self, work: Callable[[Connection], T]) -> T:
        """What the work gives back once all of it is stored; where it fails, nothing is; it may be begun again."""
        return self._write(work)

    def close(self) -> None:
        """The file is free for another process."""
        if self.shared:
            wait_for_connections(self._engine)
        self._engine.dispose()
        self._let_go()

    def _let_go(self) -> None:
        if self._file:
            self._file.release()
        self._file = None

    def _need_file(self) -> None:
        """Raises OSError where the file has gone in which everything is kept."""
        file = self._file  # another thread may let go of it
        if file:
            file.require_file()

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """A connection on which everything is of one moment, and on the disk: what a failed commit left is not."""
        try:
            self._need_file()
            if self._failed:
                with self._writing:
                    self._overcome_failure()
            with self._reading, self._reader.connect() as connection:
                yield connection
        except _FAILURES as error:
            raise StoreError("The match could not be read; try again in a moment", _reason(error)) from error

    def _write(self, work: Callable[[Connection], T], kept: Callable[[T], bool] = lambda _: False) -> T:
        """What the work gives back once it is durable; `kept` looks for it where a failed commit leaves that open."""
        with self._writing:
            for tried in range(_TRIES):
                results: list[T] = []
                try:
                    self._need_file()
                    self._overcome_failure()
                    with self._engine.connect() as connection, self._renewed_on_failure(connection):
                        results.append(work(connection))
                        connection.commit()
                except _FAILURES as error:
                    if tried < _TRIES - 1 and is_retryable(error, before_commit=not results):
                        continue
                    if not any(self._found_again(kept, result) for result in results):
                        raise StoreError("This could not be saved; try again in a moment", _reason(error)) from error
                break
            return results[0]

    def _overcome_failure(self) -> None:
        """Makes sure, after a failure, that all that can be read is on the disk, before anything is built on it."""
        if self._failed and not checkpoint_wal(self._engine):
            raise OSError("the disk has failed")
        self._failed = False

    @contextmanager
    def _renewed_on_failure(self, connection: Connection) -> Iterator[None]:
        """A connection that has failed is used no more, except where it is all there is: a database in memory."""
        try:
            yield
        except _FAILURES:
            self._failed = self._path is not None
            if self._path or self.shared:
                connection.invalidate()
            raise

    def _found_again(self, kept: Callable[[T], bool], result: T) -> bool:
        """Whether work is stored, on the disk, although its commit failed."""
        try:
            self._overcome_failure()
            return kept(result)
        except (*_FAILURES, StoreError):
            return False

    def _has_match(self, match: str) -> bool:
        with self._read() as connection:
            return connection.scalar(select(MATCH.c.id).where(MATCH.c.id == match)) is not None

    def _has(self, events: Iterable[Event]) -> bool:
        """Whether all of these are there, and not others under their numbers, which somebody else has stored."""
        wanted = {event[:2]: event for event in events}
        with self._read() as connection:
            return (
                all(
                    wanted.pop(event[:2]) == event
                    for keys in _parts(list(wanted))
                    for event in map(Event._make, connection.execute(_THESE, {"keys": keys}))
                )
                and not wanted
            )

    def _added(self, connection: Connection, events: Sequence[Event]) -> set[tuple[str, int]]:
        """The (match, seq) of those whose number and request were free."""
        fields = Event._fields
        if self.shared:
            columns = dict(zip(fields, map(list, zip(*events, strict=True)), strict=True))
            rows = connection.execute(_ADD_SHARED, columns)
        else:
            rows = connection.execute(_ADD_EVENTS, [dict(zip(fields, event, strict=True)) for event in events])
        return {(match, seq) for match, seq in rows}

    def _added_at_once(self, connection: Connection, events: Sequence[Event]) -> set[tuple[str, int]]:
        """The same in one step, so that Python's other threads are asked to stop once, and not for every row."""
        add_all = _ADD_ONE.replace(_ROW, ", ".join([_ROW] * len(events)))
        if connection.exec_driver_sql(add_all, tuple(chain.from_iterable(events))).rowcount == len(events):
            return {event[:2] for event in events}
        connection.rollback()  # something was there before: now and then it is asked what that was
        return self._added(connection, events)

    def _tell(self, connection: Connection, words: Sequence[str]) -> None:
        """Gives all others who share the database a hint, which they have once this is committed."""
        if self.shared and words:
            notify_servers(connection, self.name, words)

    def _forget(self, which: ColumnElement[bool], told: Sequence[str] = ()) -> int:
        """How many matches were deleted; their bytes are gone from the files too."""
        gone = select(MATCH.c.id).where(which)

        def work(connection: Connection) -> int:
            connection.execute(delete(EVENT).where(EVENT.c.match.in_(gone)))
            connection.execute(delete(SEAT).where(SEAT.c.match.in_(gone)))
            self._tell(connection, told)
            return connection.execute(delete(MATCH).where(which)).rowcount

        count = self._write(work)
        if count and self._path:
            with suppress(*_FAILURES):  # they are deleted all the same
                checkpoint_wal(self._engine)
        return count


def _reason(error: Exception) -> str:
    """What the database itself said, without the statement and what was in it."""
    source = getattr(error, "orig", None) or error
    return error_text(source) if hasattr(source, "sqlstate") else str(source)


def _parts(items: Iterable[T]) -> Iterator[list[T]]:
    """The items, as many at a time as one statement takes."""
    rest = iter(items)
    while some := list(islice(rest, _AT_ONCE)):
        yield some
