"""PostgreSQL connections, error messages, and LISTEN/NOTIFY between servers that share a database."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from threading import Event as ThreadEvent
from threading import Thread
from typing import Any

from sqlalchemy import URL, Engine, QueuePool, bindparam, create_engine, event, func, make_url, select
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError

from numberline.errors import MissingExtra
from numberline.web.store.tables import StoreError, create_or_check_schema

CHANNEL = "numberline"
MAX_PAYLOAD_BYTES = 7_900  # PostgreSQL's limit is 8,000
RETRYABLE_SQLSTATES = frozenset({"40P01", "40001"})  # deadlock and serialization failure: nothing was stored
MAX_RECONNECT_DELAY_S = 8.0
_EXAMPLE = "use postgresql://name:password@host/database"
_POLL_TIMEOUT_S = 0.5
_SETTINGS = ("statement_timeout = '15s'", "lock_timeout = '5s'", "idle_in_transaction_session_timeout = '30s'")
# Default timeouts for an unresponsive network; the address can override them.
_CONNECT_OPTIONS = {
    "connect_timeout": "5",
    "keepalives_idle": "15",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "20000",
    "application_name": "numberline",
}
# PostgreSQL delivers the notification when the transaction commits.
NOTIFY = select(func.pg_notify(CHANNEL, bindparam("payload")))


def is_postgres(address: str) -> bool:
    """Return whether `address` refers to a PostgreSQL database.

    >>> is_postgres("postgresql://games.example.org/numberline"), is_postgres("games.db")
    (True, False)
    """
    return address.partition("://")[0].partition("+")[0] in {"postgresql", "postgres"} and "://" in address


def postgres_url(address: str) -> URL:
    """Return the URL of a database, with the psycopg driver and any missing timeouts added."""
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise StoreError(f"invalid database address; {_EXAMPLE}") from None
    url = url.set(drivername="postgresql+psycopg")
    return url.update_query_dict({name: value for name, value in _CONNECT_OPTIONS.items() if name not in url.query})


def unchecked_postgres_engine(address: str) -> Engine:
    """Return an engine without checking the schema version."""
    try:
        # One connection writes and a few read. Prepared statements would not work with a connection pooler.
        return create_engine(
            postgres_url(address),
            hide_parameters=True,
            pool_size=4,
            max_overflow=4,
            pool_timeout=10,
            pool_pre_ping=True,  # replaces connections that were lost while idle
            connect_args={"prepare_threshold": None},
        )
    except ModuleNotFoundError:
        raise MissingExtra("PostgreSQL support", "postgres") from None


def open_postgres(address: str) -> Engine:
    """Open a database; create the tables if it is empty."""
    engine = unchecked_postgres_engine(address)
    event.listen(engine, "connect", _prepare)
    try:
        with engine.begin() as connection:
            create_or_check_schema(connection)
    except SQLAlchemyError as error:
        engine.dispose()
        problem = f"cannot use the database {describe_url(engine.url)} ({error_text(error)})"
        raise StoreError(f"{problem}; check that PostgreSQL is running there, or {_EXAMPLE}") from None
    except BaseException:
        engine.dispose()
        raise
    return engine


def wait_for_connections(engine: Engine) -> None:
    """Wait until no connection is in use, but no longer than about two seconds.

    A connection that another thread returns after the engine was disposed of would never be closed.
    """
    for _ in range(200):
        if not isinstance(engine.pool, QueuePool) or not engine.pool.checkedout():
            return
        time.sleep(0.01)


def describe_url(url: URL) -> str:
    """Return a database's name and host, without its user name or password."""
    port = f":{url.port}" if url.port else ""
    return f"{url.database or ''} {f'at {url.host}{port}' if url.host else 'on this machine'}".strip()


def error_text(error: BaseException) -> str:
    r"""Return the database's error message on one line, without the statement or its data.

    >>> error_text(OSError('connection to server at "127.0.0.1", port 1 failed: Connection refused\n\tIs it running?'))
    'connection refused'
    """
    source = getattr(error, "orig", None) or error
    message = getattr(getattr(source, "diag", None), "message_primary", None)
    if not message:
        lines = str(source).splitlines() or [type(source).__name__]
        message = next((line for line in lines if "FATAL: " in line), lines[0])
        for mark in ("FATAL: ", " failed: "):
            message = message.rpartition(mark)[2]
    message = message.strip()
    return f"{message[:1].lower()}{message[1:]}"


def is_retryable(error: BaseException, *, before_commit: bool) -> bool:
    """Return whether the transaction can be retried because it is certain that nothing was stored."""
    if not isinstance(error, DBAPIError):
        return False
    if getattr(error.orig, "sqlstate", None) in RETRYABLE_SQLSTATES:
        return True
    return before_commit and error.connection_invalidated


def split_payloads(sender: str, words: Iterable[str]) -> Iterator[str]:
    """Split `words` into payloads that start with `sender`; each distinct word appears once.

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
    """Set the timeouts of a new connection."""
    driver.autocommit = True
    for setting in _SETTINGS:
        driver.execute(f"SET {setting}")
    driver.autocommit = False


class NotificationListener(Thread):
    """Best-effort listener for notifications from other servers: a thread with its own connection.

    The thread calls `on_notification` with the sender and the words of each notification, and with an empty sender and
    no words after each new connection, because earlier notifications may have been missed.
    """

    def __init__(self, address: str, on_notification: Callable[[str, Sequence[str]], None]) -> None:
        super().__init__(name="notifications", daemon=True)
        self._address = postgres_url(address).set(drivername="postgresql").render_as_string(hide_password=False)
        self._on_notification = on_notification
        self._stopping = ThreadEvent()
        self.listening = ThreadEvent()

    def stop(self) -> None:
        """Stop listening; the thread exits within a second."""
        self._stopping.set()

    def run(self) -> None:
        import psycopg

        delay_s = _POLL_TIMEOUT_S
        while not self._stopping.is_set():
            try:
                with psycopg.connect(self._address, autocommit=True) as connection:
                    connection.execute(f"LISTEN {CHANNEL}")
                    delay_s = _POLL_TIMEOUT_S
                    self.listening.set()
                    self._on_notification("", ())
                    while not self._stopping.is_set():
                        for notification in connection.notifies(timeout=_POLL_TIMEOUT_S):
                            sender, _, words = notification.payload.partition(" ")
                            self._on_notification(sender, words.split())
                            if self._stopping.is_set():
                                break
            except (psycopg.Error, OSError):
                self.listening.clear()
                self._stopping.wait(delay_s)
                delay_s = min(delay_s * 2, MAX_RECONNECT_DELAY_S)
