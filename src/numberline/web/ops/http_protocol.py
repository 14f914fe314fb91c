"""The protocol of a request, with bounds: heads that never end, a queue without end, and readers that do not read."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

MAX_HEAD_BYTES = 64_000
"""So many bytes may come that belong to no body before a head is whole; with more the connection ends."""
HEAD_TIMEOUT_S = 30
"""How long the head of a request may take, the first of a connection included."""
MAX_PIPELINED_REQUESTS = 100
"""So many requests wait for the answer to the one before; with the next one the connection is cut off."""


class BoundedHttpProtocol(HttpToolsProtocol):
    """Takes no more than can be answered, and tells the application how to drop the connection at once."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._unread = 0
        """The bytes since the last that were a whole head, or of a body."""
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as it is there
        """Somebody has come, and should ask something."""
        super().connection_made(transport)
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nobody is there any more."""
        self._wait_no_longer()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Reads what has come."""
        self._unread += len(data)
        super().data_received(data)
        if self._unread > MAX_HEAD_BYTES and not self.transport.is_closing():
            self.send_400_response("The head of the request is too long.")

    def on_message_begin(self) -> None:
        """A request begins."""
        if len(self.pipeline) >= MAX_PIPELINED_REQUESTS:
            self.transport.abort()
            raise OverflowError("too many requests at once")  # the parser stops at it
        super().on_message_begin()
        self.scope["extensions"] = {"numberline.abort": self.transport.abort}  # type: ignore[dict-item]  # our own
        if self._late is None:
            self._wait()

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._unread = 0
        self._wait_no_longer()
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Some of a body is here; how much of it is taken is the application's business."""
        self._unread = 0
        super().on_body(body)

    def _wait(self) -> None:
        self._late = self.loop.call_later(HEAD_TIMEOUT_S, self._too_late)

    def _too_late(self) -> None:
        """Hangs up, unless it is this server that does not read on: an answer is on its way."""
        if self.flow.read_paused:
            self._wait()
        else:
            self.transport.abort()

    def _wait_no_longer(self) -> None:
        if self._late:
            self._late.cancel()
            self._late = None
