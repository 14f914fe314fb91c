"""Sending side of a WebSocket: a bounded queue, so that a slow client never delays a broadcast."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable
from contextlib import suppress

from starlette.types import Send
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.exceptions import InvalidState

from numberline.web.ops.http_connection import CURRENT_CONNECTION, Connection, HttpConnection, current_abort

MAX_QUEUED_FRAMES = 64
MAX_QUEUED_BYTES = 2_000_000
CLOSE_NORMAL, CLOSE_GOING_AWAY = 1000, 1001


class WebSocketConnection(Connection, WebSocketsSansIOProtocol):
    """WebSocket connection that can write several text frames in one call.

    With plain ASGI, each frame is sent and awaited separately, which needs a task per connection and takes about 10% of
    the CPU time of a move.
    """

    is_writable = True
    on_writable: Callable[[], None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        upgraded = CURRENT_CONNECTION.get()
        if isinstance(upgraded, HttpConnection):
            upgraded.stop_head_timer()
            self.on_lost = upgraded.on_lost
        super().connection_made(transport)

    def write_texts(self, texts: Iterable[bytes]) -> None:
        """Write each payload as a separate text frame."""
        if not self.raw_transport.is_closing():
            self.raw_transport.write(b"".join([part for text in texts for part in (frame_header(len(text)), text)]))

    def shutdown(self) -> None:
        """Close the connection on server shutdown, even if it is already closing (uvicorn before 0.52.1 would fail)."""
        try:
            super().shutdown()
        except InvalidState:
            self.raw_transport.close()

    def pause_writing(self) -> None:
        self.is_writable = False
        super().pause_writing()

    def resume_writing(self) -> None:
        self.is_writable = True
        super().resume_writing()
        if self.on_writable:
            self.on_writable()


class SocketSubscriber:
    """Outgoing frames of one WebSocket; created after the handshake, in the task that handles the connection.

    `send` never waits. If a client falls too far behind, `overflowed` is set, and the client is disconnected or, if
    another ASGI server runs the application, the task that handles the connection is cancelled.
    """

    __slots__ = ("_connection", "_drop", "_flush_scheduled", "_frames", "_loop", "_send", "_writer", "closing",
                 "overflowed", "you")  # fmt: skip

    def __init__(self, send: Send) -> None:
        self.you: tuple[int, ...] = ()
        self.closing = 0
        """WebSocket close code; 0 while the connection is open."""
        self.overflowed = False
        self._send = send
        self._frames: deque[bytes] = deque()
        self._loop = asyncio.get_running_loop()
        self._drop = current_abort()
        self._writer: asyncio.Task[None] | None = None
        self._flush_scheduled = False
        connection = CURRENT_CONNECTION.get()
        self._connection = connection if isinstance(connection, WebSocketConnection) else None
        if self._connection:
            self._connection.on_writable = self._flush

    def send(self, frame: bytes) -> None:
        """Queue a frame; disconnect the client if too much is queued."""
        if self.closing:
            return
        self._frames.append(frame)
        waiting_bytes = sum(map(len, self._frames)) - len(self._frames[0])
        if len(self._frames) > MAX_QUEUED_FRAMES or waiting_bytes > MAX_QUEUED_BYTES:
            self._abort()
        elif self._connection is None:
            self._start_writer()
        elif not self._flush_scheduled:
            self._flush_scheduled = True
            self._loop.call_soon(self._flush)

    def close(self, code: int) -> None:
        """Close the connection with `code` after sending the queued frames."""
        if not self.closing:
            self.closing = code
            self._start_writer()

    async def wait_closed(self) -> None:
        """Close the connection, if it is still open, and wait until all frames are sent."""
        self.close(CLOSE_NORMAL)
        if self._writer:
            await asyncio.wait([self._writer])

    def _flush(self) -> None:
        """Write the queued frames directly, unless the transport is not writable or `_write` is running."""
        self._flush_scheduled = False
        if self._connection and self._connection.is_writable and self._frames and not self._writer:
            self._connection.write_texts(self._frames)
            self._frames.clear()

    def _start_writer(self) -> None:
        if self._writer is None:
            self._writer = self._loop.create_task(self._write())

    async def _write(self) -> None:
        """Send the queued frames over ASGI, and the close frame if the connection is closing."""
        with suppress(OSError, RuntimeError):  # the client has disconnected
            while self._frames:
                await self._send({"type": "websocket.send", "text": self._frames.popleft().decode()})
            if self.closing:
                await self._send({"type": "websocket.close", "code": self.closing})
        self._writer = None

    def _abort(self) -> None:
        self.overflowed = True
        self.closing = CLOSE_GOING_AWAY
        self._frames.clear()
        if self._writer:
            self._writer.cancel()
        self._drop()


def frame_header(size: int) -> bytes:
    r"""Return the header of an unmasked text frame with a payload of `size` bytes (RFC 6455, section 5.2).

    >>> frame_header(5), frame_header(300), frame_header(70_000)
    (b'\x81\x05', b'\x81~\x01,', b'\x81\x7f\x00\x00\x00\x00\x00\x01\x11p')
    """
    if size < 126:
        return bytes((0x81, size))
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2)
    return b"\x81\x7f" + size.to_bytes(8)
