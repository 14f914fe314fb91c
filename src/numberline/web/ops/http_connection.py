"""Per-connection limits.

The classes extend uvicorn's protocols only through the methods of `asyncio.Protocol`, and never read attributes that
uvicorn defines. If another ASGI server runs the application, `CURRENT_CONNECTION` is None, and these limits don't
apply.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import cast

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_TIMEOUT_S = 30
MAX_UNSENT_BYTES = 4_000_000
# New connections are handled in slices of about this length. The pause after each slice is three times as long, because
# the application needs about that much time to answer their requests.
NEW_CONNECTIONS_SLICE_S, NEW_CONNECTIONS_PAUSE = 0.004, 3

CURRENT_CONNECTION: ContextVar[Connection | None] = ContextVar("connection", default=None)


class Connection(asyncio.Protocol):
    """Mixin that sets `CURRENT_CONNECTION` for the application task, which uvicorn starts in `data_received`."""

    raw_transport: asyncio.Transport
    on_lost: Callable[[], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.raw_transport = cast("asyncio.Transport", transport)
        super().connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.on_lost:
            self.on_lost()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.raw_transport.get_write_buffer_size() > MAX_UNSENT_BYTES:  # the client sends but never reads
            self.abort()
            return
        token = CURRENT_CONNECTION.set(self)
        try:
            super().data_received(data)
        finally:
            CURRENT_CONNECTION.reset(token)

    def abort(self) -> None:
        """Drop the connection without waiting for the client to read pending data."""
        self.raw_transport.abort()


class NewConnections:
    """Queue for the first request of each new connection, handled in short slices so that moves aren't delayed."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()
        self._scheduled = False

    def add(self, handle: Callable[[], None]) -> None:
        self._waiting.append(handle)
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_soon(self._run)

    def _run(self) -> None:
        started, used_s = time.perf_counter(), 0.0
        while self._waiting and used_s < NEW_CONNECTIONS_SLICE_S:
            self._waiting.popleft()()
            used_s = time.perf_counter() - started
        self._scheduled = bool(self._waiting)
        if self._waiting:
            asyncio.get_running_loop().call_later(used_s * NEW_CONNECTIONS_PAUSE, self._run)


class HttpConnection(Connection, H11Protocol):
    """HTTP connection that is dropped if the request headers arrive too slowly; h11 limits their size."""

    _open_requests = 0
    _head_timer: asyncio.TimerHandle | None = None
    admit: Callable[[str], Callable[[], None] | None] | None = None
    """Function that takes a client's address and returns the `on_lost` callback, or None to reject the connection."""
    new_connections: NewConnections | None = None
    _first_data = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._start_head_timer()
        if self.admit:
            self.on_lost = self.admit((transport.get_extra_info("peername") or ("",))[0])
            if not self.on_lost:
                self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.stop_head_timer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._open_requests:
            self._start_head_timer()
        if self.new_connections is None or self.raw_transport.is_closing():
            super().data_received(data)
            return
        if not self._first_data:
            self.raw_transport.pause_reading()
            self.new_connections.add(self._handle_first_data)
        self._first_data += data

    def _handle_first_data(self) -> None:
        data, self._first_data, self.new_connections = self._first_data, b"", None
        if not self.raw_transport.is_closing():
            self.raw_transport.resume_reading()
            super().data_received(data)

    @contextmanager
    def request(self) -> Iterator[None]:
        """Stop the header timer while the application handles a request."""
        self._open_requests += 1
        self.stop_head_timer()
        try:
            yield
        finally:
            self._open_requests -= 1

    def stop_head_timer(self) -> None:
        if self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None

    def _start_head_timer(self) -> None:
        if self._head_timer is None:
            self._head_timer = asyncio.get_running_loop().call_later(HEAD_TIMEOUT_S, self.abort)


def current_abort() -> Callable[[], None]:
    """Return a function that drops the current connection or, if there is none, cancels the current task."""
    connection, task = CURRENT_CONNECTION.get(), asyncio.current_task()

    def abort() -> None:
        if connection:
            connection.abort()
        elif task:
            task.cancel()

    return abort
