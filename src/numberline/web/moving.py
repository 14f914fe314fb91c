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

from numberline.rules.errors import plain_name
from numberline.web.making import book_of, start_of
from numberline.web.orders import Assist, ClockOrder
from numberline.web.schema import EVENT, MATCH, SEAT
from numberline.web.seating import Programs
from numberline.web.shown import MOST_POSITIONS, Library
from numberline.web.store import Event, MatchRow, SeatRow, Store, StoreError
from numberline.web.table import DAMAGE, JOIN, LiveTable

AT_ONCE = 100
"""So many matches are read or written together."""
LONGEST_LINE = 16_000_000
MOST_LETTERS = 200
"""More than anybody can put in, so that what an older Numberline has allowed can be moved."""
LARGEST_NUMBER = 1 << 53
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Kept(NamedTuple):
    """All that is stored of a match."""

    match: MatchRow
    seats: list[SeatRow]
    events: list[Event]


class Moved(NamedTuple):
    """How much was moved so far, and how many matches of it were there before."""

    matches: int = 0
    events: int = 0
    known: int = 0


class Agreed(NamedTuple):
    """What the settings of a match say."""

    assist: Assist
    clock: ClockOrder | None
    tossed: bool
    start: str | None


_KEPT, _AGREED = TypeAdapter(Kept), TypeAdapter(Agreed)

Tell = Callable[[Moved], None]
"""Called now and then with how much was moved."""


def export(store: Store, file: IO[bytes], tell: Tell) -> Moved:
    """Writes all matches of a store, as they are in one moment, to a file."""
    moved = Moved()
    for page in _pages(store):
        file.writelines(map(as_line, page))
        moved = Moved(moved.matches + len(page), moved.events + sum(len(kept.events) for kept in page))
        tell(moved)
    return moved


def import_(store: Store, file: IO[bytes], tell: Tell) -> Moved:
    """Stores all matches of a file, or none of them where one can't be played again or is another one here."""

    def work(connection: Connection) -> Moved:
        _be_patient(connection)
        file.seek(0)  # the work may be begun again
        arrival, moved = Arrival(), Moved()
        while page := list(islice(arrival.read(file), AT_ONCE)):
            known = _stored(connection, page)
            matches, events = moved.matches + len(page), moved.events + sum(len(kept.events) for _, kept in page)
            moved = Moved(matches, events, moved.known + known)
            tell(moved)
        return moved

    return store.writing(work)


def as_line(kept: Kept) -> bytes:
    """A match as it is written, in one line."""
    told = [event._asdict() for event in kept.events]
    for event in told:
        del event["match"]
    line = {"match": kept.match._asdict(), "seats": [seat._asdict() for seat in kept.seats], "events": told}
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"


class Arrival:
    """Reads the lines of a file, and plays each match again before it is believed."""

    def __init__(self) -> None:
        self.number = 0
        """Of the line that was read last."""
        self._library = Library(book_of)
        self._programs = Programs(ThreadPoolExecutor(1), Random(0))
        self._seated: set[tuple[str, str | None, str]] = set()

    def read(self, file: IO[bytes]) -> Iterator[tuple[int, Kept]]:
        """The matches with the numbers of their lines; raises a sentence for the first that is damaged."""
        while line := file.readline(LONGEST_LINE + 1):
            self.number += 1
            if not line.strip():
                continue
            if len(line) > LONGEST_LINE:
                refuse(self.number, "it is too long for a match")
            try:
                kept = _read(line)
                self._replay(kept)
            except ValidationError as error:
                first = error.errors()[0]
                place = ".".join(map(str, first["loc"]))
                refuse(self.number, f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}".removeprefix(": "))
            except DAMAGE:
                refuse(self.number, "it is no match that can be played again from its beginning")
            yield self.number, kept

    def _replay(self, kept: Kept) -> None:
        """Raises one of many errors for what can't have happened."""
        row, seats, events = kept
        shown = self._library.shown(row.variant, row.source)
        _need(_NAME.fullmatch(row.id), 1 <= row.rounds <= 99, row.first in shown.book.players)
        _need(all(map(math.isfinite, _times(kept))), [seat.seat for seat in seats] == list(shown.book.players))
        agreed = _AGREED.validate_python({name: row.settings.get(name) for name in Agreed._fields}, strict=True)
        if agreed.start is not None:
            start_of(shown.book, agreed.start)
        for seat in seats:
            sitting = (row.variant, row.source, seat.bot or "")
            if seat.bot and sitting not in self._seated:
                _need(self._programs.checked(seat.bot, shown, MOST_POSITIONS) == seat.bot)
                self._seated.add(sitting)
            _need(len(seat.name) <= MOST_LETTERS, seat.name == plain_name(seat.name))
        table = LiveTable(shown.book, row, seats)
        table.taken -= {event.seat for event in events if event.what == JOIN}
        for number, event in enumerate(events, 1):
            _need(event.seq == number, event.request, event.request not in table.requests)
            _need(event.seat in shown.book.players, abs(event.spent_ms) < LARGEST_NUMBER)
            plies = table.apply(event)
            _need(not plies or plies[0].player == event.seat)
        _need(row.ended is None or row.score == table.score)


def refuse(number: int, why: str) -> NoReturn:
    """Says of a line why nothing was imported."""
    raise StoreError(f"Line {number} can't be imported: {why}; so nothing of the file was")


def _need(*conditions: object) -> None:
    """Raises where one of these is not so."""
    if not all(conditions):
        raise ValueError


def _times(kept: Kept) -> list[float]:
    """All moments that are noted in a match."""
    noted = [kept.match.created, kept.match.ended, *(seat.claimed for seat in kept.seats)]
    return [*(at for at in noted if at is not None), *(event.at for event in kept.events)]


def _read(line: bytes) -> Kept:
    data: dict[str, Any] = json.loads(line, parse_constant=_need)  # NaN is none of our numbers
    json.dumps(data, ensure_ascii=False).encode()  # halves of letters can be written in JSON, and stored nowhere
    for event in data["events"]:
        event["match"] = data["match"]["id"]
    return _KEPT.validate_python(data, strict=True)


def _pages(store: Store) -> Iterator[list[Kept]]:
    """All matches, so many at a time."""
    last: str | None = ""
    with store.reading() as connection:
        _be_patient(connection)
        while last is not None:
            rows = select(MATCH).where(MATCH.c.id > last).order_by(MATCH.c.id).limit(AT_ONCE)
            page = _found(connection, [MatchRow._make(row) for row in connection.execute(rows)])
            last = page[-1].match.id if page else None
            if page:
                yield page


def _found(connection: Connection, rows: Sequence[MatchRow]) -> list[Kept]:
    """Matches with their seats and events."""
    names = [row.id for row in rows]
    seats, events = defaultdict(list), defaultdict(list)
    for row in connection.execute(select(SEAT).where(SEAT.c.match.in_(names)).order_by(SEAT.c.match, SEAT.c.seat)):
        seats[row[0]].append(SeatRow._make(row[1:]))
    for row in connection.execute(select(EVENT).where(EVENT.c.match.in_(names)).order_by(EVENT.c.match, EVENT.c.seq)):
        events[row[0]].append(Event._make(row))
    return [Kept(row, seats[row.id], events[row.id]) for row in rows]


def _stored(connection: Connection, page: Iterable[tuple[int, Kept]]) -> int:
    """How many of the matches were there already; the others are now, unless the transaction fails."""
    fresh: dict[str, Kept] = {}
    page = list(page)
    names = [kept.match.id for _, kept in page]
    rows = connection.execute(select(MATCH).where(MATCH.c.id.in_(names)))
    there = {kept.match.id: kept for kept in _found(connection, [MatchRow._make(row) for row in rows])}
    for number, kept in page:
        known = there.setdefault(kept.match.id, kept)
        if known is kept:
            fresh[kept.match.id] = kept
        elif known != kept:
            refuse(number, "this match is here already, and has gone on differently")
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
