"""The tables of the database, and how its file is opened: by one process, and never another program's file."""

from __future__ import annotations

import os
from pathlib import Path
from sqlite3 import Connection as Driver
from sqlite3 import sqlite_version, sqlite_version_info
from typing import Any

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
from numberline.files import open_for_reading, os_error_reason, resolve, try_lock

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
    sqlite_with_rowid=False,  # the events of a match lie side by side, and a row is written to two trees, not three
)

APPLICATION_ID = 0x4E4C696E
"""What the file says it belongs to (`NLin`)."""
SCHEMA_VERSION = 1
"""Which tables the database has: the number of the newest file in `migrations/versions`."""
_MARK = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
_HEADER = b"SQLite format 3\0"
_OTHERWISE = "name another file with --db"

_LOCKS: set[int] = set()


class StoreError(NumberlineError):
    """Something that could not be kept or read; the text says what, and what to do.

    Why, in the database's own words, is for those who look after the server; `sentence` is for everybody.
    """

    def __init__(self, sentence: str, why: str = "") -> None:
        super().__init__(f"{sentence} ({why})" if why else sentence)
        self.sentence = sentence
        self.why = why


def sqlite_path(address: str) -> Path | None:
    """The file that is meant by `sqlite:///…` or a plain path; None for a database in memory only."""
    if "://" not in address:
        return resolve(Path(address).expanduser())
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise StoreError("The address of the database can't be read; write a path, or sqlite:/// and a path") from None
    if url.get_backend_name() != "sqlite":
        raise StoreError(f"{url.get_backend_name()} databases can't be used; write a path, or sqlite:/// and a path")
    if url.database in {None, "", ":memory:"}:
        return None
    return resolve(Path(str(url.database)).expanduser())


def open_engine(path: Path | None) -> Engine:
    """A way to the database with all its tables, which are made where there are none."""
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
        raise StoreError(f"{path} can't be used as a database ({error.orig}); {_OTHERWISE}") from error
    return engine


def unchecked_engine(path: Path | None) -> Engine:
    """A way to the database, whatever it holds."""
    if sqlite_version_info < (3, 35):
        raise StoreError(f"SQLite {sqlite_version} is too old, 3.35 is needed; use a newer Python")
    if path is None:
        shared = {"check_same_thread": False}
        engine = create_engine("sqlite://", poolclass=StaticPool, connect_args=shared, hide_parameters=True)
    else:
        engine = create_engine(URL.create("sqlite", database=str(path)), hide_parameters=True)
    event.listen(engine, "connect", _prepare)
    event.listen(engine, "begin", _begin)
    return engine


def create_or_check_schema(connection: Connection) -> None:
    """Makes the tables of an empty database; raises where there are those of an older or a newer Numberline."""
    if connection.dialect.name == "postgresql":  # of several who begin at once, one makes the tables
        connection.execute(select(func.pg_advisory_xact_lock(APPLICATION_ID)))
    version = schema_version(connection)
    if version is None:
        METADATA.create_all(connection)
        set_schema_version(connection, SCHEMA_VERSION)
    elif version != SCHEMA_VERSION:
        raise StoreError(version_mismatch_message(connection.engine.url, version))


def version_mismatch_message(url: URL, version: int) -> str:
    """What is said of a database that an older or a newer Numberline has made; the address may hold a password."""
    file = url.database if url.get_backend_name() == "sqlite" else None
    where, same = file or "The database", f"'{file}'" if file else "and the same address"
    if version > SCHEMA_VERSION:
        return f"{where} was made by a newer Numberline; install that one, or {_OTHERWISE}"
    return f"{where} was made by an older Numberline; upgrade it with: numberline web --migrate --db {same}"


def schema_version(connection: Connection) -> int | None:
    """Which tables a database has; None where it has none yet."""
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one()) or None
    if inspect(connection).has_table(_MARK.name):
        return int(connection.scalar(select(_MARK.c.version_num)) or 0) or None
    return None


def set_schema_version(connection: Connection, version: int) -> None:
    """Notes which tables a database has: SQLite has a place for that, elsewhere it is Alembic's."""
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.exec_driver_sql(f"PRAGMA user_version = {version}")
        return
    _MARK.create(connection, checkfirst=True)
    connection.execute(delete(_MARK))
    connection.execute(insert(_MARK).values(version_num=f"{version:04}"))


# What only SQLite knows stands between here and the lock.


def _prepare(driver: Driver, _record: Any) -> None:
    """Leaves the beginning of a transaction to `_init_worker`; what is deleted is overwritten too."""
    driver.isolation_level = None
    for setting in ("busy_timeout = 10000", "synchronous = FULL", "secure_delete = ON", "cache_size = -16000"):
        driver.execute(f"PRAGMA {setting}")


def _write_ahead(driver: Driver, _record: Any) -> None:
    """Has readers and the writer not wait for each other; not before the tables are in the file itself."""
    driver.execute("PRAGMA journal_mode = WAL")
    # A page that many moves have changed is carried over once, and fewer moves meet the moment when that is done.
    driver.execute("PRAGMA wal_autocheckpoint = 10000")


def _begin(connection: Connection) -> None:
    """Reading, too, is one transaction, so that a match, its seats and its events are of one moment."""
    connection.exec_driver_sql("BEGIN")


def checkpoint_wal(engine: Engine) -> bool:
    """Whether all that was written ahead is in the database itself, on the disk, and nowhere else."""
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        busy, ahead, carried = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").one()
    return not busy and ahead == carried


def check_file_signature(path: Path) -> None:
    """Raises for a file that is no database, another program's or a newer Numberline's; it is only read."""
    try:
        with open_for_reading(path) as file:
            header = file.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"{path} can't be read ({os_error_reason(error)}); {_OTHERWISE}") from error
    if not header:
        return
    program, version = header[68:72], int.from_bytes(header[60:64])
    if not header.startswith(_HEADER) or program != APPLICATION_ID.to_bytes(4):
        raise StoreError(f"{path} is no database of Numberline's, so it was left as it is; {_OTHERWISE}")
    if version > SCHEMA_VERSION:
        raise StoreError(f"{path} was made by a newer Numberline; install that one, or {_OTHERWISE}")


class FileLock:
    """Keeps all other processes from a database; the system lets go of it when the process dies, however it dies."""

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(path.with_name(f"{path.name}.lock"), os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StoreError(f"{path} can't be written ({os_error_reason(error)}); {_OTHERWISE}") from error
        try:
            is_free = try_lock(self._file)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
            self._path, self._was = path, path.stat()
        except OSError as error:
            os.close(self._file)
            raise StoreError(f"{path} can't be opened ({os_error_reason(error)}); {_OTHERWISE}") from error
        if not is_free:
            os.close(self._file)
            raise StoreError(f"{path} is in use by another numberline web; stop that one first, or {_OTHERWISE}")
        _LOCKS.add(self._file)

    def require_file(self) -> None:
        """Raises where the file is no longer the one that was opened: what is written to that one is lost."""
        try:
            is_there = os.path.samestat(self._path.stat(), self._was)
        except OSError:
            is_there = False
        if not is_there:
            raise OSError(f"{self._path} was removed or replaced while the server ran; start the server again")

    def release(self) -> None:
        """Others may have the database now."""
        _LOCKS.discard(self._file)
        os.close(self._file)


if hasattr(os, "register_at_fork"):

    def _let_go() -> None:
        """A forked child, a bot's perhaps, must not keep the database from the next server when this one dies."""
        while _LOCKS:
            os.close(_LOCKS.pop())

    os.register_at_fork(after_in_child=_let_go)
