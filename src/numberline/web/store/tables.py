"""Database tables and their rows, schema versions, and SQLite files."""

from __future__ import annotations

import os
from pathlib import Path
from sqlite3 import Connection as Driver
from sqlite3 import sqlite_version, sqlite_version_info
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    URL,
    BigInteger,
    Column,
    Connection,
    Double,
    Engine,
    Index,
    Integer,
    MetaData,
    StaticPool,
    String,
    Table,
    Text,
    UniqueConstraint,
    create_engine,
    delete,
    event,
    func,
    insert,
    inspect,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, DatabaseError

from numberline.errors import NumberlineError
from numberline.files.safe_read import open_for_reading, os_error_reason, resolve
from numberline.files.safe_write import try_lock

METADATA = MetaData()

MATCH = Table(
    "match",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("variant", Text, nullable=False),
    Column("source", Text),
    Column("first", Integer, nullable=False),
    Column("rounds", Integer, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("rematch_of", Text),
    Column("created", Double, nullable=False),
    Column("ended", Double),
    Column("score", JSON, nullable=False),
    Index("match_ended", "ended"),
)

SEAT = Table(
    "seat",
    METADATA,
    Column("match", Text, primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("bot", Text),
    Column("token_hash", Text),
    Column("invite_hash", Text),
    Column("claimed", Double),
)

EVENT = Table(
    "event",
    METADATA,
    Column("match", Text, primary_key=True),
    Column("seq", Integer, primary_key=True, autoincrement=False),
    Column("seat", Integer, nullable=False),
    Column("what", Text, nullable=False),
    Column("request", Text, nullable=False),
    Column("spent_ms", BigInteger, nullable=False),
    Column("at", Double, nullable=False),
    UniqueConstraint("match", "request"),
    sqlite_with_rowid=False,  # clusters the events of a match, and saves one of three b-tree writes per row
)

APPLICATION_ID = 0x4E4C696E  # "NLin", in the header of a SQLite file
SCHEMA_VERSION = 1  # the number of the newest file in `migrations/versions`
_VERSION_TABLE = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
_SQLITE_HEADER = b"SQLite format 3\0"
_OTHER_FILE = "choose another file with --db"

_LOCKS: set[int] = set()


class Event(NamedTuple):
    """One event of a match: a move, an offer, a joined seat."""

    match: str
    seq: int
    """Its number in the match, from 1."""
    seat: int
    what: str
    request: str
    """The client's id for it, never empty; the server's own events have `server-` and their number."""
    spent_ms: int
    at: float
    """Seconds since 1970."""


class SeatRow(NamedTuple):
    """A seat of a match: its player, bot, or invitation."""

    seat: int
    name: str
    bot: str | None
    token_hash: str | None
    invite_hash: str | None
    claimed: float | None


class MatchRow(NamedTuple):
    """The conditions of a match, and how it ended."""

    id: str
    variant: str
    source: str | None
    """The TOML text of a custom book."""
    first: int
    rounds: int
    settings: dict[str, Any]
    """assist, clock, tossed, start."""
    rematch_of: str | None
    created: float
    ended: float | None
    score: list[int]


class StoreError(NumberlineError):
    """A failed read or write of the database.

    `sentence` is for players; `why`, the message of the database, is for operators.
    """

    def __init__(self, sentence: str, why: str = "") -> None:
        super().__init__(f"{sentence} ({why})" if why else sentence)
        self.sentence = sentence
        self.why = why


def sqlite_path(address: str) -> Path | None:
    """Return the file of `sqlite:///…` or a plain path; None for a database in memory."""
    if "://" not in address:
        return resolve(Path(address).expanduser())
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise StoreError("invalid database address; use a path, or sqlite:/// and a path") from None
    if url.get_backend_name() != "sqlite":
        raise StoreError(
            f"{url.get_backend_name()} databases are not supported; use a path, sqlite:/// and a path, or postgresql://"
        )
    if url.database in {None, "", ":memory:"}:
        return None
    return resolve(Path(str(url.database)).expanduser())


def open_engine(path: Path | None) -> Engine:
    """Open a SQLite database; create the tables of a new one."""
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
    """Return an engine without checking what the database contains."""
    if sqlite_version_info < (3, 35):
        raise StoreError(
            f"SQLite {sqlite_version} is too old; 3.35 or newer is required, which comes with a newer Python"
        )
    if path is None:
        shared = {"check_same_thread": False}
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args=shared, hide_parameters=True)
    else:
        engine = create_engine(URL.create("sqlite", database=str(path)), hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def create_or_check_schema(connection: Connection) -> None:
    """Create the tables of an empty database; raise if they are those of another version of Numberline."""
    if connection.dialect.name == "postgresql":  # of several servers that start together, one creates the tables
        connection.execute(select(func.pg_advisory_xact_lock(APPLICATION_ID)))
    version = schema_version(connection)
    if version is None:
        METADATA.create_all(connection)
        set_schema_version(connection, SCHEMA_VERSION)
    elif version != SCHEMA_VERSION:
        raise StoreError(version_mismatch_message(connection.engine.url, version))


def version_mismatch_message(url: URL, version: int) -> str:
    """Return the message for a database of another version of Numberline, without the password in its address."""
    file = url.database if url.get_backend_name() == "sqlite" else None
    name, option = file or "the database", f"'{file}'" if file else "and the same address"
    if version > SCHEMA_VERSION:
        return f"{name} was created by a newer Numberline; install that version, or {_OTHER_FILE}"
    return f"{name} was created by an older Numberline; upgrade it with: numberline web --migrate --db {option}"


def schema_version(connection: Connection) -> int | None:
    """Return the version of the tables; None if there are none."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one()) or None
    if inspect(connection).has_table(_VERSION_TABLE.name):
        return int(connection.scalar(select(_VERSION_TABLE.c.version_num)) or 0) or None
    return None


def set_schema_version(connection: Connection, version: int) -> None:
    """Store the version of the tables: in the header of a SQLite file, otherwise in Alembic's table."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")
        return
    _VERSION_TABLE.create(connection, checkfirst=True)
    connection.execute(delete(_VERSION_TABLE))
    connection.execute(insert(_VERSION_TABLE).values(version_num=f"{version:04}"))


# SQLite


def _prepare(driver: Driver, _record: Any) -> None:
    """Configure a connection: `_begin` starts transactions, and deleted content is overwritten."""
    driver.isolation_level = None
    for setting in ("busy_timeout = 10000", "synchronous = FULL", "secure_delete = ON", "cache_size = -16000"):
        driver.execute(f"PRAGMA {setting}")


def _write_ahead(driver: Driver, _record: Any) -> None:
    """Use a write-ahead log, so that readers and the writer don't block each other."""
    driver.execute("PRAGMA journal_mode = WAL")
    # Fewer checkpoints: a page that many moves have changed is copied once, and fewer moves are delayed by one.
    driver.execute("PRAGMA wal_autocheckpoint = 10000")


def _begin(connection: Connection) -> None:
    """Start a transaction for reads, too, so that a match, its seats and its events are consistent."""
    connection.exec_driver_sql("BEGIN")


def checkpoint_wal(engine: Engine) -> bool:
    """Move the write-ahead log into the database file, and return whether all of it was moved."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        busy, logged, moved = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    return not busy and logged == moved


def check_file_signature(path: Path) -> None:
    """Raise, without writing, if a file is not a Numberline database or one of a newer version."""
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
        raise StoreError(f"{path} is not a Numberline database; it was not modified; {_OTHER_FILE}")
    if version > SCHEMA_VERSION:
        raise StoreError(f"{path} was created by a newer Numberline; install that version, or {_OTHER_FILE}")


class FileLock:
    """Lock that keeps other processes from a database; the system releases it when the process dies."""

    def __init__(self, path: Path) -> None:
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
            raise StoreError(f"{path} is in use by another numberline web; stop that one first, or {_OTHER_FILE}")
        _LOCKS.add(self._file)

    def require_file(self) -> None:
        """Raise if the file is no longer the one that was opened: further writes would be lost."""
        try:
            is_there = os.path.samestat(self._path.stat(), self._stat)
        except OSError:
            is_there = False
        if not is_there:
            raise OSError(f"{self._path} was removed or replaced while the server was running; restart the server")

    def release(self) -> None:
        _LOCKS.discard(self._file)
        os.close(self._file)


if hasattr(os, "register_at_fork"):

    def _release_in_child() -> None:
        """Close the locks in a forked process, which may outlive this one."""
        while _LOCKS:
            os.close(_LOCKS.pop())

    os.register_at_fork(after_in_child=_release_in_child)
