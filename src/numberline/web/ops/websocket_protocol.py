"""One reader at the other end of a WebSocket: frames go out together, and what comes is read with little ado."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, apply_mask  # type: ignore[attr-defined]  # the quickest that there is
from websockets.http11 import Request
from websockets.protocol import State

if TYPE_CHECKING:
    from numberline.web.protocol.events import Frame as EventFrame

MAX_QUEUED_FRAMES = 64
"""So many frames wait for a reader that does not read; with the next one it is cut off."""
MAX_QUEUED_BYTES = 2_000_000
"""The same for so many bytes, besides the frame that waits the longest."""
MAX_UNREAD_MESSAGES = 8
"""So many messages are taken before they are answered; then the other end has to wait."""
PROTOCOL_EXTENSION = "numberline.line"
"""The extension of ASGI under which the application finds its `FastWebSocketProtocol`."""
CLOSE_GOING_AWAY = 1001
"""The code of a connection whose other end is not there any more."""
_WHOLE_TEXT, _CONTROL = 0x81, (0x88, 0x89, 0x8A)
_MASKED, _SHORT, _HEAD = 0x80, 126, 6


class FrameReader:
    """What has come and was not taken yet; asyncio's own queue is four times as large and serves many takers."""

    __slots__ = ("_came", "_taker")

    def __init__(self) -> None:
        self._came: list[Any] = []
        self._taker: asyncio.Future[None] | None = None

    def __len__(self) -> int:
        return len(self._came)

    def empty(self) -> bool:
        """Whether nothing is there."""
        return not self._came

    def put_nowait(self, message: Any) -> None:
        """Adds a message, and wakes whoever waits for it."""
        self._came.append(message)
        if self._taker and not self._taker.done():
            self._taker.set_result(None)

    async def get(self) -> Any:
        """The next message."""
        while not self._came:
            self._taker = asyncio.get_running_loop().create_future()
            await self._taker
        return self._came.pop(0)


class FastWebSocketProtocol(WebSocketsSansIOProtocol):
    """The protocol of a WebSocket, quick where it matters.

    A short message that came in one piece, as nearly all do, is read here; anything else is left to `websockets`.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.queue = FrameReader()  # type: ignore[assignment]  # it does all that is asked of one here
        self.subscriber: SocketSubscriber | None = None
        self._between = True
        """Whether every frame so far came in one piece, so that the next bytes begin one."""

    def handle_connect(self, event: Request) -> None:
        """Lets the application find this line."""
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"][PROTOCOL_EXTENSION] = self  # type: ignore[assignment]  # our own

    def data_received(self, data: bytes) -> None:
        """Reads what has come."""
        if not self.handshake_complete:
            self._between = not self.handshake_initiated
        elif self._between and self._read_whole(data):
            return
        super().data_received(data)

    def _read_whole(self, data: bytes) -> bool:
        """Whether this was one short text, and has been read."""
        size = len(data) - _HEAD
        self._between = 0 <= size < _SHORT and data[1] == _MASKED | size and data[0] in {_WHOLE_TEXT, *_CONTROL}
        if not self._between or data[0] != _WHOLE_TEXT or self.close_sent or self.conn.state is not State.OPEN:
            return False
        try:
            text = apply_mask(data[_HEAD:], data[2:_HEAD]).decode()
        except UnicodeDecodeError:
            return False
        self.queue.put_nowait({"type": "websocket.receive", "text": text})
        if len(self.queue) > MAX_UNREAD_MESSAGES and not self.read_paused:  # type: ignore[arg-type]  # an Inbox
            self.read_paused = True
            self.transport.pause_reading()
        return True

    def write(self, texts: Sequence[bytes]) -> None:
        """Sends texts, each in a frame of its own, together."""
        if not (self.close_sent or self.disconnected):
            self.transport.write(b"".join([part for text in texts for part in (frame_header(len(text)), text)]))

    def handle_ping(self) -> None:
        """Answers, unless the other end does not read its answers: they would be kept without end."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def handle_cont(self, event: Frame) -> None:
        """Takes a piece of a message; empty ones, which no size limits, are not kept."""
        if event.data or event.fin:
            super().handle_cont(event)

    def resume_writing(self) -> None:
        """Goes on with what waits, now that the other end has read something."""
        super().resume_writing()
        if self.subscriber:
            self.subscriber.flush()

    def forget_handshake(self) -> None:
        """Lets go of what nobody asks for any more: it is as much as a whole game."""
        self.request = self.response = None  # type: ignore[assignment]  # only the handshake needs them
        self.scope["headers"] = []


class SocketSubscriber:
    """One reader: frames wait here until they are sent, and never more than `MAX_QUEUED_FRAMES` of them."""

    __slots__ = ("_due", "_line", "_waiting", "closing", "you")

    def __init__(self, line: FastWebSocketProtocol) -> None:
        self.you: tuple[int, ...] = ()
        self.closing = 0
        """The code with which it ends; 0 while it goes on."""
        self._line = line
        self._waiting: list[bytes] = []
        self._due = False
        line.subscriber = self

    def send(self, frame: EventFrame) -> None:
        """Puts a frame in the queue; a reader with too many of them waiting is cut off."""
        if self.closing:
            return
        self._waiting.append(frame.data)
        if len(self._waiting) > MAX_QUEUED_FRAMES or sum(map(len, self._waiting[1:])) > MAX_QUEUED_BYTES:
            self.closing = CLOSE_GOING_AWAY
            self._waiting.clear()
            self._line.transport.abort()
        elif not self._due:
            self._due = True
            self._line.loop.call_soon(self.flush)

    def flush(self) -> None:
        """Sends what waits, unless the other end doesn't read."""
        self._due = False
        if self._waiting and self._line.writable.is_set():
            self._line.write(self._waiting)
            self._waiting.clear()

    def close(self, code: int) -> None:
        """Ends it: nothing more is heard, and whoever listens here sends what waits and says so."""
        if not self.closing:
            self.closing = code
            self._line.queue.put_nowait({"type": "websocket.disconnect", "code": code})


def frame_header(size: int) -> bytes:
    r"""What comes before a text of this many bytes in its frame.

    >>> frame_header(5), frame_header(300), frame_header(70_000)
    (b'\x81\x05', b'\x81~\x01,', b'\x81\x7f\x00\x00\x00\x00\x00\x01\x11p')
    """
    if size < _SHORT:
        return bytes((_WHOLE_TEXT, size))
    if size < 1 << 16:
        return b"\x81\x7e" + size.to_bytes(2)
    return b"\x81\x7f" + size.to_bytes(8)
