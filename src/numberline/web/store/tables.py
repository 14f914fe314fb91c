"""Database tables, row types, schema versions and SQLite files."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from sqlite3 import Connection as Driver
from sqlite3 import sqlite_version, sqlite_version_info
from types import UnionType
from typing import Annotated, Any, NamedTuple, get_args, get_type_hints

import sqlalchemy as sa
from sqlalchemy import URL, Connection, Engine, event
from sqlalchemy.exc import ArgumentError, DatabaseError

from numberline.errors import NumberlineError
from numberline.files.safe_read import open_for_reading, os_error_reason, resolve
from numberline.files.safe_write import try_lock

APPLICATION_ID = 0x4E4C696E  # "NLin", in the header of a SQLite file
SCHEMA_VERSION = 1  # the number of the newest file in `migrations/versions`
_VERSION_TABLE = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), primary_key=True))
_SQLITE_HEADER = b"SQLite format 3\0"
_OTHER_FILE = "choose another file with --db"
BUSY_TIMEOUT_MS = 2000

_LOCKS: set[int] = set()


Milliseconds = Annotated[int, sa.BigInteger]


class Event(NamedTuple):
    """One event of a match, such as a move, an offer or a player joining."""

    match: str
    seq: int
    """Event number within the match, counted from 1."""
    seat: int
    what: str
    request: str
    """Id that is unique within the match; `server-` followed by `seq` if the server created the event."""
    spent_ms: Milliseconds
    at: float
    """Seconds since 1970."""


class SeatRow(NamedTuple):
    """A seat in a match, with its player, bot or invitation."""

    seat: int
    name: str
    bot: str | None
    token_hash: str | None
    invite_hash: str | None
    claimed: float | None


class MatchRow(NamedTuple):
    """The settings of a match, and its result."""

    id: str
    variant: str
    source: str | None
    """TOML source of a custom book."""
    first: int
    rounds: int
    settings: dict[str, Any]
    """Keys: `assist`, `clock`, `tossed`, `start`."""
    rematch_of: str | None
    created: float
    ended: float | None
    score: list[int]


def _columns(row_type: type[tuple[Any, ...]], *primary_key: str) -> Iterator[sa.Column[Any]]:
    """Yield a column for each field of a row type; lists and dictionaries are stored as JSON."""
    types: dict[object, Any] = {str: sa.Text, int: sa.Integer, float: sa.Double, Milliseconds: sa.BigInteger}
    for name, hint in get_type_hints(row_type, include_extras=True).items():
        nullable = isinstance(hint, UnionType)
        kind = types.get(get_args(hint)[0] if nullable else hint, sa.JSON)
        yield sa.Column(name, kind, primary_key=name in primary_key, nullable=nullable, autoincrement=False)


METADATA = sa.MetaData()
MATCH = sa.Table("match", METADATA, *_columns(MatchRow, "id"), sa.Index("match_ended", "ended"))
SEAT = sa.Table("seat", METADATA, sa.Column("match", sa.Text, primary_key=True), *_columns(SeatRow, "seat"))
EVENT = sa.Table(
    "event",
    METADATA,
    *_columns(Event, "match", "seq"),
    sa.UniqueConstraint("match", "request"),
    sqlite_with_rowid=False,  # stores the events of a match together, and saves one of three B-tree writes per row
)


class StoredMatch(NamedTuple):
    """A match with its seats and events, both in order."""

    match: MatchRow
    seats: list[SeatRow]
    events: list[Event]


class StoreError(NumberlineError):
    """Failure to open, read or write the database.

    `sentence` is for players; `why` is the database's message for operators.
    """

    def __init__(self, sentence: str, why: str = "") -> None:
        super().__init__(f"{sentence} ({why})" if why else sentence)
        self.sentence = sentence
        self.why = why


def sqlite_path(address: str) -> Path | None:
    """Return the file that a `sqlite:///…` URL or a plain path refers to; None for an in-memory database."""
    if "://" not in address:
        return resolve(Path(address).expanduser())
    try:
        url = sa.make_url(address)
    except (ArgumentError, ValueError):
        raise StoreError("invalid database address; use a file path or sqlite:///path") from None
    if (backend := url.get_backend_name()) != "sqlite":
        raise StoreError(f"{backend} databases are not supported; use a file path, sqlite:///path or postgresql://")
    if url.database in {None, "", ":memory:"}:
        return None
    return resolve(Path(str(url.database)).expanduser())


def open_engine(path: Path | None) -> Engine:
    """Open a SQLite database; create the tables if it is empty."""
    engine = unchecked_engine(path)
    try:
        with engine.begin() as connection:
            create_or_check_schema(connection)
        if path:
            engine.dispose()
            event.listen(engine, "connect", _write_ahead)
            engine.connect().close()
    except StoreError:
        engine.dispose()
        raise
    except DatabaseError as error:
        engine.dispose()
        raise StoreError(f"cannot use {path} as a database ({error.orig}); {_OTHER_FILE}") from error
    return engine


def unchecked_engine(path: Path | None) -> Engine:
    """Return a SQLite engine without checking the schema version."""
    if sqlite_version_info < (3, 35):
        problem = f"SQLite {sqlite_version} is too old"
        raise StoreError(f"{problem}; install a newer Python that includes SQLite 3.35 or later")
    if path is None:
        shared = {"check_same_thread": False}
        engine = sa.create_engine("sqlite://", poolclass=sa.StaticPool, connect_args=shared, hide_parameters=True)
    else:
        # A write by one connection empties the page caches of all others, so the one used last is fastest.
        url = URL.create("sqlite", database=str(path))
        engine = sa.create_engine(url, pool_use_lifo=True, hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def create_or_check_schema(connection: Connection) -> None:
    """Create the tables of an empty database; raise `StoreError` if an existing schema has another version."""
    lock_schema(connection)
    version = schema_version(connection)
    if version is None:
        METADATA.create_all(connection)
        set_schema_version(connection, SCHEMA_VERSION)
    elif version != SCHEMA_VERSION:
        raise StoreError(version_mismatch_message(connection.engine.url, version))


def lock_schema(connection: Connection) -> None:
    """Wait until no other server is creating or upgrading the tables, then lock the schema for this transaction."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(APPLICATION_ID)))


def version_mismatch_message(url: URL, version: int) -> str:
    """Return the error message for a database with another schema version; it never contains a password."""
    file = url.database if url.get_backend_name() == "sqlite" else None
    name, option = file or "the database", f"'{file}'" if file else "ADDRESS"
    if version > SCHEMA_VERSION:
        return f"{name} was created by a newer version of Numberline; install that version, or choose another --db"
    upgrade = f"numberline web --migrate --db {option}"
    return f"{name} was created by an older version of Numberline; upgrade it with: {upgrade}"


def schema_version(connection: Connection) -> int | None:
    """Return the schema version; None if the tables have not been created."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one()) or None
    if sa.inspect(connection).has_table(_VERSION_TABLE.name):
        return int(connection.scalar(sa.select(_VERSION_TABLE.c.version_num)) or 0) or None
    return None


def set_schema_version(connection: Connection, version: int) -> None:
    """Store the schema version in the header of a SQLite file or in Alembic's table in PostgreSQL."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")
        return
    _VERSION_TABLE.create(connection, checkfirst=True)
    connection.execute(sa.delete(_VERSION_TABLE))
    connection.execute(sa.insert(_VERSION_TABLE).values(version_num=f"{version:04}"))


# SQLite


def _prepare(driver: Driver, _record: Any) -> None:
    """Configure a new connection so that only `_begin` starts transactions and deleted content is overwritten."""
    driver.isolation_level = None
    busy_timeout = f"busy_timeout = {BUSY_TIMEOUT_MS}"
    for setting in (busy_timeout, "synchronous = FULL", "secure_delete = ON", "cache_size = -1000"):
        driver.execute(f"PRAGMA {setting}")


def _write_ahead(driver: Driver, _record: Any) -> None:
    """Use a write-ahead log, so that readers and the writer don't block each other."""
    driver.execute("PRAGMA journal_mode = WAL")
    # With fewer checkpoints, a page changed by many moves is copied once, and fewer moves have to wait.
    driver.execute("PRAGMA wal_autocheckpoint = 10000")


def _begin(connection: Connection) -> None:
    """Start a transaction even for reads, so that a match, its seats and its events are consistent."""
    connection.exec_driver_sql("BEGIN")


def checkpoint_wal(engine: Engine) -> bool:
    """Move the write-ahead log into the database file without waiting for readers; return whether the log is empty."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("PRAGMA busy_timeout = 0")
        try:
            busy, logged, moved = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
        finally:
            connection.exec_driver_sql(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    return not busy and logged == moved


def is_damaged(path: Path, is_cancelled: Callable[[], bool]) -> bool:
    """Return whether SQLite finds damage in a database file; False if it is locked or the check is cancelled."""
    try:
        # Use a new connection: others may have cached the pages before they were damaged.
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as driver:
            driver.set_progress_handler(is_cancelled, 100_000)
            return driver.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]
    except sqlite3.OperationalError:  # locked or interrupted
        return False
    except sqlite3.DatabaseError:
        return True


def _check_file_signature(path: Path) -> None:
    """Raise `StoreError` if a file exists that is not a Numberline database or was created by a newer version."""
    try:
        with open_for_reading(path) as file:
            header = file.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot read {path} ({os_error_reason(error)}); {_OTHER_FILE}") from error
    if not header:
        return
    program, version = header[68:72], int.from_bytes(header[60:64])
    if not header.startswith(_SQLITE_HEADER) or program != APPLICATION_ID.to_bytes(4):
        raise StoreError(f"{path} is not a Numberline database and was not modified; {_OTHER_FILE}")
    if version > SCHEMA_VERSION:
        raise StoreError(f"{path} was created by a newer version of Numberline; install that version, or {_OTHER_FILE}")


class FileLock:
    """Exclusive lock on a database file; the operating system releases it if the process dies."""

    def __init__(self, path: Path) -> None:
        _check_file_signature(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"cannot write {path} ({os_error_reason(error)}); {_OTHER_FILE}") from error
        try:
            is_free = try_lock(self._file)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._path, self._stat = path, path.stat()
        except OSError as error:
            os.close(self._file)
            raise StoreError(f"cannot open {path} ({os_error_reason(error)}); {_OTHER_FILE}") from error
        if not is_free:
            os.close(self._file)
            raise StoreError(f"{path} is in use by another numberline web process; stop it first, or {_OTHER_FILE}")
        _LOCKS.add(self._file)

    def require_file(self) -> None:
        """Raise `OSError` if the file was removed or replaced, because further writes would be lost."""
        with suppress(OSError):
            if os.path.samestat(self._path.stat(), self._stat):
                return
        raise OSError(f"{self._path} was removed or replaced while the server was running; restart the server")

    def release(self) -> None:
        _LOCKS.discard(self._file)
        os.close(self._file)


if hasattr(os, "register_at_fork"):

    def _release_in_child() -> None:
        """Close the lock files in a forked child, which may outlive this process."""
        while _LOCKS:
            os.close(_LOCKS.pop())

    os.register_at_fork(after_in_child=_release_in_child)
