"""PostgreSQL, the database that several servers share: how it is reached, and what its failures mean."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, cast

from sqlalchemy import URL, Connection, Engine, QueuePool, bindparam, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from numberline.web.store.tables import StoreError, create_or_check_schema

CHANNEL = "numberline"
"""Where servers tell each other of what they have stored."""
MAX_PAYLOAD_BYTES = 7_900
"""Bytes; PostgreSQL takes less than 8,000."""
RETRYABLE_SQLSTATES = frozenset({"40P01", "40001"})
"""A deadlock, and a transaction that another one kept from its order: nothing was stored, and it is tried again."""
MISSING_DRIVER_MESSAGE = 'PostgreSQL needs one package more; install it with: pip install "numberline[postgres]"'
_EXAMPLE = "write postgresql://name:password@host/database"
_SETTINGS = ("statement_timeout = '15s'", "lock_timeout = '5s'", "idle_in_transaction_session_timeout = '30s'")
_CONNECT_OPTIONS = {
    "connect_timeout": "5",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
    "application_name": "numberline",
}
"""How long a silent network is waited for, unless the address says otherwise."""
_NOTIFY = select(func.pg_notify(CHANNEL, bindparam("hint")))


def is_postgres(address: str) -> bool:
    """Whether an address is one of a PostgreSQL.

    >>> is_postgres("postgresql://games.example.org/numberline"), is_postgres("games.db")
    (True, False)
    """
    return address.partition("://")[0].partition("+")[0] in {"postgresql", "postgres"} and "://" in address


def postgres_url(address: str) -> URL:
    """The address of a database with the driver that is used here, and with its patience."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise StoreError(f"The address of the database can't be read; {_EXAMPLE}") from None
    url = url.set(drivername="postgresql+psycopg")
    return url.update_query_dict({name: value for name, value in _CONNECT_OPTIONS.items() if name not in url.query})


def open_postgres(url: URL) -> Engine:
    """A way to the database with all its tables, which are made where they are missing."""
    try:
        # Few connections: one writes, the others read; and no prepared statements, which a pooler between would lose.
        engine = create_engine(
            url,
            hide_parameters=True,
            pool_size=4,
            max_overflow=4,
            pool_timeout=10,
            pool_pre_ping=True,  # a line that was cut meanwhile is not noticed
            connect_args={"prepare_threshold": None},
        )
    except ModuleNotFoundError:
        raise StoreError(MISSING_DRIVER_MESSAGE) from None
    event.listen(engine, "connect", _prepare)
    try:
        with engine.begin() as connection:
            create_or_check_schema(connection)
    except SQLAlchemyError as error:
        engine.dispose()
        raise StoreError(
            f"The database {describe_url(url)} can't be used ({error_text(error)});"
            f" see that PostgreSQL runs there, or {_EXAMPLE}"
        ) from None
    except BaseException:
        engine.dispose()
        raise
    return engine


def wait_for_connections(engine: Engine) -> bool:
    """Whether nobody reads any more, for which it waits a moment: a line that is still used can't be closed."""
    for _ in range(200):
        if not cast("QueuePool", engine.pool).checkedout():
            return True
        time.sleep(0.01)
    return False


def describe_url(url: URL) -> str:
    """A database in words, without its password."""
    port = f":{url.port}" if url.port else ""
    return f"{url.database or ''} {f'at {url.host}{port}' if url.host else 'on this machine'}".strip()


def error_text(error: BaseException) -> str:
    r"""What PostgreSQL itself has said, in one line, without a statement and what was in it.

    >>> error_text(OSError('connection to server at "127.0.0.1", port 1 failed: Connection refused\n\tIs it running?'))
    'connection refused'
    """
    source = getattr(error, "orig", None) or error
    told = getattr(getattr(source, "diag", None), "message_primary", None)
    if not told:
        lines = str(source).splitlines() or [type(source).__name__]
        told = next((line for line in lines if "FATAL: " in line), lines[0])
        for mark in ("FATAL: ", " failed: "):
            told = told.rpartition(mark)[2]
    told = told.strip()
    return f"{told[:1].lower()}{told[1:]}"


def is_retryable(error: BaseException, *, before_commit: bool) -> bool:
    """Whether nothing was stored for certain, and the same may well go well now."""
    if not isinstance(error, DBAPIError):
        return False
    if getattr(error.orig, "sqlstate", None) in RETRYABLE_SQLSTATES:
        return True
    return before_commit and error.connection_invalidated


def notify_servers(connection: Connection, sender: str, words: Iterable[str]) -> None:
    """Has all servers told, once the transaction is committed, in as few pieces as may be."""
    for hint in split_payloads(sender, words):
        connection.execute(_NOTIFY, {"hint": hint})


def split_payloads(sender: str, words: Iterable[str]) -> Iterator[str]:
    """The words, each once, in lines that begin with the sender and are not too long.

    >>> list(split_payloads("me", ["a", "b", "a"]))
    ['me a b']
    """
    line = sender
    for word in dict.fromkeys(words):
        if len(line) + len(word) >= MAX_PAYLOAD_BYTES:
            yield line
            line = sender
        line = f"{line} {word}"
    if line != sender:
        yield line


def _prepare(driver: Any, _record: Any) -> None:
    """No statement and no lock is waited for longer than people wait."""
    driver.autocommit = True
    for setting in _SETTINGS:
        driver.execute(f"SET {setting}")
    driver.autocommit = False
