"""Everything that has happened at the tables: matches, who sits where, and each event, kept in one database."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from itertools import chain
from operator import itemgetter
from sqlite3 import Error as DriverError
from threading import RLock
from typing import Any, NamedTuple, TypeVar

from sqlalchemy import ColumnElement, Connection, bindparam, delete, insert, select, update
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect
from sqlalchemy.dialects.sqlite import insert as insert_or
from sqlalchemy.exc import SQLAlchemyError

from numberline.web.schema import (
    EVENT,
    MATCH,
    SEAT,
    FileLock,
    StoreError,
    carried_over,
    open_engine,
    read_address,
    refuse_strangers,
)

__all__ = ["Event", "MatchRow", "SeatRow", "Store", "StoreError"]

T = TypeVar("T")


class Event(NamedTuple):
    """One thing that has happened in a match: a move, an offer, a joined seat."""

    match: str
    seq: int
    """Its number in the match, from 1."""
    seat: int
    what: str
    request: str
    """The asker's own name for it, never empty; the server's own events have `server-` and their number."""
    spent_ms: int
    at: float
    """Seconds since 1970."""


class SeatRow(NamedTuple):
    """A seat of a match: who sits there, or how somebody may sit down."""

    seat: int
    name: str
    bot: str | None
    token_hash: str | None
    invite_hash: str | None
    claimed: float | None


class MatchRow(NamedTuple):
    """What was agreed on when a match was made, and how it ended."""

    id: str
    variant: str
    source: str | None
    """The text of a book of one's own."""
    first: int
    rounds: int
    settings: dict[str, Any]
    """assist, clock, tossed, start."""
    rematch_of: str | None
    created: float
    ended: float | None
    score: list[int]


_FAILURES = (SQLAlchemyError, DriverError, OSError)
_BY_NUMBER = itemgetter(0, 1)

_ADD_ONE = str(insert_or(EVENT).on_conflict_do_nothing().compile(dialect=sqlite_dialect()))
_ROW = f"({', '.join('?' * len(EVENT.c))})"
_ADD_EVENTS = insert_or(EVENT).on_conflict_do_nothing().returning(EVENT.c.match, EVENT.c.seq)
_EVENTS = select(EVENT).where(EVENT.c.match == bindparam("of"), EVENT.c.seq > bindparam("after")).order_by(EVENT.c.seq)
_SIT_DOWN = (
    update(SEAT)
    .where(SEAT.c.match == bindparam("of"), SEAT.c.invite_hash == bindparam("invite"), SEAT.c.token_hash.is_(None))
    .returning(SEAT.c.seat)
)


class Store:
    """The database at an address (`sqlite:///…`) or path; one process has it at a time, any of its threads may ask."""

    def __init__(self, url: str) -> None:
        self._path = read_address(url)
        self._file = None
        if self._path:
            refuse_strangers(self._path)
            self._file = FileLock(self._path)
        try:
            self._engine = open_engine(self._path)
        except BaseException:
            self._let_go()
            raise
        self._failed = False
        self._writing = RLock()
        # A database in memory has one connection, so nobody may read while another writes.
        self._reading = nullcontext() if self._path else self._writing

    def create(self, match: MatchRow, seats: Sequence[SeatRow]) -> None:
        """A new match is kept, with its seats."""

        def work(connection: Connection) -> None:
            connection.execute(insert(MATCH), match._asdict())
            if seats:
                connection.execute(insert(SEAT), [{"match": match.id, **seat._asdict()} for seat in seats])

        self._write(work, lambda _: self._has(match.id))

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

    def append(self, events: Sequence[Event]) -> set[tuple[str, int]]:
        """The (match, seq) of those that are stored now, durably; the others' number or request was there before."""
        if not events:
            return set()
        # In one order everywhere, or two writers could wait for each other.
        rows = sorted(events, key=_BY_NUMBER)

        def work(connection: Connection) -> set[tuple[str, int]]:
            # All in one step, so that Python's other threads are asked to stop once, and not for every row.
            add_all = _ADD_ONE.replace(_ROW, ", ".join([_ROW] * len(rows)))
            if connection.exec_driver_sql(add_all, tuple(chain.from_iterable(rows))).rowcount == len(rows):
                return {row[:2] for row in rows}
            connection.rollback()  # something was there before: now and then it is asked what that was
            return {(match, seq) for match, seq in connection.execute(_ADD_EVENTS, [row._asdict() for row in rows])}

        return self._write(work, self._has_one)

    def claim(self, match: str, invite_hash: str, name: str, token_hash: str, event: Event) -> int | None:
        """The seat that the invite gives, with the event that tells of it; None where no such seat is free."""

        def work(connection: Connection) -> int | None:
            taken = {"name": name, "token_hash": token_hash, "claimed": event.at}
            seat = connection.execute(_SIT_DOWN, {"of": match, "invite": invite_hash, **taken}).scalar_one_or_none()
            if seat is None:
                return None
            told = connection.execute(_ADD_EVENTS, [event._replace(seat=seat)._asdict()]).all()
            if not told:
                raise StoreError("The match went on in the same moment, so the seat is still free; try again")
            return int(seat)

        return self._write(work, lambda seat: seat is None or self._has_one({(match, event.seq)}))

    def end(self, match: str, at: float, score: Sequence[int]) -> None:
        """The match is over, with this score."""
        over = update(MATCH).where(MATCH.c.id == match).values(ended=at, score=list(score))
        self._write(lambda connection: connection.execute(over))

    def delete(self, match: str) -> None:
        """Nothing of the match is left: no name, no token, no event."""
        self._forget(MATCH.c.id == match)

    def forget_before(self, at: float) -> int:
        """How many matches were deleted, all that had ended before that time."""
        return self._forget(MATCH.c.ended < at)

    def live_matches(self) -> list[str]:
        """The names of the matches that have not ended, the oldest first."""
        with self._read() as connection:
            return list(connection.scalars(select(MATCH.c.id).where(MATCH.c.ended.is_(None)).order_by(MATCH.c.created)))

    def idle_before(self, at: float) -> list[str]:
        """The names of the matches that never ended, and in which nothing has happened since that time."""
        later = select(EVENT.c.seq).where(EVENT.c.match == MATCH.c.id, EVENT.c.at >= at)
        idle = select(MATCH.c.id).where(MATCH.c.ended.is_(None), MATCH.c.created < at, ~later.exists())
        with self._read() as connection:
            return list(connection.scalars(idle.order_by(MATCH.c.created)))

    def close(self) -> None:
        """The file is free for another process."""
        self._engine.dispose()
        self._let_go()

    def _let_go(self) -> None:
        if self._file:
            self._file.release()
        self._file = None

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        """A connection on which everything is of one moment, and on the disk: what a failed commit left is not."""
        try:
            if self._failed:
                with self._writing:
                    self._overcome_failure()
            with self._reading, self._engine.connect() as connection:
                yield connection
        except _FAILURES as error:
            raise StoreError(f"The match could not be read ({_reason(error)}); try again in a moment") from error

    def _write(self, work: Callable[[Connection], T], kept: Callable[[T], bool] = lambda _: False) -> T:
        """What the work gives back once it is durable; `kept` looks for it where a failed commit leaves that open."""
        with self._writing:
            results: list[T] = []
            try:
                self._overcome_failure()
                with self._engine.connect() as connection, self._renewed_on_failure(connection):
                    results.append(work(connection))
                    connection.commit()
            except _FAILURES as error:
                if not any(self._found_again(kept, result) for result in results):
                    raise StoreError(f"This could not be saved ({_reason(error)}); try again in a moment") from error
            return results[0]

    def _overcome_failure(self) -> None:
        """Makes sure, after a failure, that all that can be read is on the disk, before anything is built on it."""
        if self._failed and not carried_over(self._engine):
            raise OSError("the disk has failed")
        self._failed = False

    @contextmanager
    def _renewed_on_failure(self, connection: Connection) -> Iterator[None]:
        """A connection that has failed is used no more, except where it is all there is: a database in memory."""
        try:
            yield
        except _FAILURES:
            if self._path:
                self._failed = True
                connection.invalidate()
            raise

    def _found_again(self, kept: Callable[[T], bool], result: T) -> bool:
        """Whether work is stored, on the disk, although its commit failed."""
        try:
            self._overcome_failure()
            return kept(result)
        except (*_FAILURES, StoreError):
            return False

    def _has(self, match: str) -> bool:
        with self._read() as connection:
            return connection.scalar(select(MATCH.c.id).where(MATCH.c.id == match)) is not None

    def _has_one(self, keys: set[tuple[str, int]]) -> bool:
        """Whether any event of one transaction is there, for then all are; true of none at all."""
        for match, seq in keys:
            with self._read() as connection:
                there = select(EVENT.c.seq).where(EVENT.c.match == match, EVENT.c.seq == seq)
                return connection.scalar(there) is not None
        return True

    def _forget(self, which: ColumnElement[bool]) -> int:
        """How many matches were deleted; their bytes are gone from the files too."""
        gone = select(MATCH.c.id).where(which)

        def work(connection: Connection) -> int:
            connection.execute(delete(EVENT).where(EVENT.c.match.in_(gone)))
            connection.execute(delete(SEAT).where(SEAT.c.match.in_(gone)))
            return connection.execute(delete(MATCH).where(which)).rowcount

        count = self._write(work)
        if count and self._path:
            with suppress(*_FAILURES):  # they are deleted all the same
                carried_over(self._engine)
        return count


def _reason(error: Exception) -> str:
    """What the database itself said, without the statement and what was in it."""
    return str(getattr(error, "orig", None) or error)
