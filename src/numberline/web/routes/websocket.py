"""One table over a WebSocket: what is said there goes to the service, and what happens there comes back, in order."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from contextlib import suppress
from typing import Any

from numberline.errors import NumberlineError
from numberline.web.ops.rate_limit import FRAME_RATE, TokenBucket
from numberline.web.ops.security import headers_of, request_token
from numberline.web.ops.websocket_connection import CLOSE_GOING_AWAY, SocketSubscriber
from numberline.web.protocol.commands import ClientMessage
from numberline.web.protocol.decode import (
    MAX_FRAME_BYTES,
    Hello,
    InvalidFrame,
    decode_frame,
    error_frame,
    goodbye_frame,
)
from numberline.web.protocol.errors import ApiError
from numberline.web.rooms.service import MatchService

MAX_SOCKETS_PER_MATCH = 3_000
HELLO_TIMEOUT_S = 10
CLOSE_TIMEOUT_S = 5
INTERNAL_ERROR_MESSAGE = "Something went wrong here; nothing that was acknowledged is lost."
_PATH = re.compile(r"/api/matches/([A-Za-z0-9_-]{1,64})/socket")
_RUDE, _TOO_LONG, _RESTARTED, _LATER = 1008, 1009, 1012, 1013
_log = logging.getLogger("numberline.web")

Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class WebSocketRoutes:
    """All open sockets."""

    def __init__(self, service: MatchService) -> None:
        self._service = service
        self._wires: set[SocketSubscriber] = set()
        self._crowd: Counter[str] = Counter()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answers one WebSocket from its handshake to its end."""
        await receive()  # the handshake
        await send({"type": "websocket.accept"})
        wire = SocketSubscriber(send)
        self._wires.add(wire)
        try:
            await self._seated(scope, wire, receive)
        except asyncio.CancelledError:
            if not wire.overflowed:
                raise
        except ApiError as refused:
            wire.send(error_frame(refused.code, refused.sentence))
            wire.close(_RUDE)
        except TimeoutError:
            wire.send(goodbye_frame("Nobody said hello; open the page again."))
            wire.close(_RUDE)
        except Exception as error:  # noqa: BLE001 - one table's trouble is not the others'
            log_error(error, "socket")
            wire.send(goodbye_frame(INTERNAL_ERROR_MESSAGE))
            wire.close(CLOSE_GOING_AWAY)
        finally:
            self._wires.discard(wire)
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await wire.wait_closed()

    @property
    def open_count(self) -> int:
        """How many are open."""
        return len(self._wires)

    async def notify_shutdown(self) -> None:
        """Closes all of them, once what waits there is sent."""
        for wire in self._wires:
            wire.close(_RESTARTED)
        await asyncio.sleep(0)

    async def _seated(self, scope: Mapping[str, Any], wire: SocketSubscriber, receive: Receive) -> None:
        match = _match_in(scope["path"])
        async with asyncio.timeout(HELLO_TIMEOUT_S):
            hello = await self._greeting(wire, receive)
        if hello is None:
            return
        if self._crowd[match] >= MAX_SOCKETS_PER_MATCH:
            wire.send(goodbye_frame("There are too many people at this table; try again later."))
            wire.close(_LATER)
            return
        self._crowd[match] += 1
        try:
            token = hello.token or request_token(headers_of(scope))
            await self._service.join(match, wire, token, hello.since)
            await self._talk(match, wire, receive)
        finally:
            self._service.leave(match, wire)
            self._crowd[match] -= 1
            if not self._crowd[match]:
                del self._crowd[match]

    async def _greeting(self, wire: SocketSubscriber, receive: Receive) -> Hello | None:
        """The first frame that is a greeting; None where the connection ended before."""
        while (text := await _text(wire, receive)) is not None:
            try:
                hello = decode_frame(text)
            except InvalidFrame as bad:
                wire.send(error_frame(bad.code, bad.sentence, bad.request))
                continue
            if isinstance(hello, Hello):
                return hello
            wire.send(error_frame("bad_message", "Say hello first.", hello.request))
        return None

    async def _talk(self, match: str, wire: SocketSubscriber, receive: Receive) -> None:
        bucket = TokenBucket(FRAME_RATE, time.monotonic())
        while (text := await _text(wire, receive)) is not None:
            wait = bucket.take(1, time.monotonic())
            if wait:
                await asyncio.sleep(wait)  # whoever sends too fast is read more slowly
            try:
                message = decode_frame(text)
            except InvalidFrame as bad:
                wire.send(error_frame(bad.code, bad.sentence, bad.request))
                continue
            if isinstance(message, Hello):
                wire.send(error_frame("bad_message", "You have said hello already."))
            else:
                await self._act(match, wire, message)

    async def _act(self, match: str, wire: SocketSubscriber, message: ClientMessage) -> None:
        try:
            wire.send(await self._service.act(match, wire.you, message, wire))
        except ApiError as refused:
            wire.send(error_frame(refused.code, refused.sentence, message.request))
        except Exception as error:  # noqa: BLE001 - every request is answered
            log_error(error, message.kind)
            wire.send(error_frame("failed", INTERNAL_ERROR_MESSAGE, message.request))


async def _text(wire: SocketSubscriber, receive: Receive) -> str | None:
    """The next text frame; None at the end. What is no text or too long is answered here."""
    while True:
        message = await receive()
        if message["type"] == "websocket.disconnect":
            return None
        text = message.get("text")
        if text is None:
            wire.send(error_frame("bad_message", "A message is text, never binary."))
        elif len(text) > MAX_FRAME_BYTES or len(text.encode()) > MAX_FRAME_BYTES:
            wire.send(error_frame("too_large", f"A message has at most {MAX_FRAME_BYTES} bytes."))
            wire.close(_TOO_LONG)
            return None
        else:
            return str(text)


def _match_in(path: str) -> str:
    found = _PATH.fullmatch(path)
    if not found:
        raise ApiError("not_found", "There is no table at this address; use the link that you were given.")
    return found[1]


def log_error(error: BaseException, doing: str) -> None:
    """Writes down that something went wrong and where, but nothing that anybody typed."""
    trace, where = error.__traceback__, "?"
    while trace:
        where = f"{trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno}"
        trace = trace.tb_next
    kind = "" if isinstance(error, NumberlineError) else "a mistake of ours: "
    _log.error("%s%s at %s (%s)", kind, type(error).__name__, where, doing, extra={"event": "failed"})
