"""WebSocket endpoint of a match: decodes messages, calls the service and encodes the replies."""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial

from starlette.types import Receive, Scope, Send

from numberline.errors import NumberlineError
from numberline.web.ops.logging import error_location, log_event
from numberline.web.ops.metrics import record_rejection
from numberline.web.ops.rate_limit import FRAME_RATE, TokenBucket
from numberline.web.ops.security import request_token
from numberline.web.ops.websocket_connection import CLOSE_GOING_AWAY, SocketSubscriber
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import Goodbye, Rejected, encode_event
from numberline.web.protocol.messages import MAX_FRAME_BYTES, ClientMessage, Hello, decode_frame
from numberline.web.rooms.service import MatchService

MAX_SOCKETS_PER_MATCH = 3_000
HELLO_TIMEOUT_S = 10
CLOSE_TIMEOUT_S = 5
INTERNAL_ERROR_MESSAGE = "Something went wrong here. Every move that was confirmed is saved."
_PATH = re.compile(r"/api/matches/([A-Za-z0-9_-]{1,64})/socket")
_CLOSE_POLICY_VIOLATION, _CLOSE_TOO_LARGE, _CLOSE_RESTART, _CLOSE_TRY_LATER = 1008, 1009, 1012, 1013

NextMessage = Callable[[], Awaitable[Hello | ClientMessage | None]]


class WebSocketRoutes:
    """WebSocket endpoint that keeps track of all open connections."""

    def __init__(self, service: MatchService) -> None:
        self._service = service
        self.subscribers: set[SocketSubscriber] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one WebSocket from the handshake until it is closed."""
        await receive()  # the handshake
        await send({"type": "websocket.accept"})
        subscriber = SocketSubscriber(send)
        self.subscribers.add(subscriber)
        try:
            await self._serve(scope, subscriber, receive)
        except asyncio.CancelledError:
            if not subscriber.overflowed:
                raise
        except ApiError as error:
            _send_error(subscriber, error)
            subscriber.close(_CLOSE_POLICY_VIOLATION)
        except TimeoutError:
            subscriber.send(encode_event(Goodbye("The connection timed out. Reload the page.")))
            subscriber.close(_CLOSE_POLICY_VIOLATION)
        except Exception as error:  # noqa: BLE001 - one client's failure must not reach the others
            log_error(error, "socket")
            subscriber.send(encode_event(Goodbye(INTERNAL_ERROR_MESSAGE)))
            subscriber.close(CLOSE_GOING_AWAY)
        finally:
            self.subscribers.discard(subscriber)
            with suppress(TimeoutError):
                async with asyncio.timeout(CLOSE_TIMEOUT_S):
                    await subscriber.wait_closed()

    async def notify_shutdown(self) -> None:
        """Close every socket, once its queued frames are sent, with a code that tells the client to reconnect."""
        for subscriber in self.subscribers:
            subscriber.close(_CLOSE_RESTART)
        await asyncio.sleep(0)

    async def _serve(self, scope: Scope, subscriber: SocketSubscriber, receive: Receive) -> None:
        found = _PATH.fullmatch(scope["path"])
        if not found:
            raise ApiError("not_found", "There is no game at this address. Check the link.")
        match_id = found[1]
        next_message = partial(_receive_message, subscriber, receive, TokenBucket(FRAME_RATE, time.monotonic()))
        async with asyncio.timeout(HELLO_TIMEOUT_S):
            hello = await _receive_hello(subscriber, next_message)
        if hello is None:
            return
        if self._service.subscriber_counts[SocketSubscriber, match_id] >= MAX_SOCKETS_PER_MATCH:
            subscriber.send(encode_event(Goodbye("Too many people are watching this game. Try again later.")))
            subscriber.close(_CLOSE_TRY_LATER)
            return
        try:
            await self._service.join(match_id, subscriber, hello.token or request_token(dict(scope["headers"])))
            await self._handle_messages(match_id, subscriber, next_message)
        finally:
            self._service.leave(match_id, subscriber)

    async def _handle_messages(self, match_id: str, subscriber: SocketSubscriber, next_message: NextMessage) -> None:
        while (message := await next_message()) is not None:
            if isinstance(message, Hello):
                _send_error(subscriber, ApiError("bad_message", "A hello message is only valid as the first message."))
                continue
            try:
                reply = await self._service.act(match_id, subscriber.you, message, subscriber)
            except ApiError as error:
                _send_error(subscriber, error, message.request)
            else:
                subscriber.send(encode_event(reply))


async def _receive_hello(subscriber: SocketSubscriber, next_message: NextMessage) -> Hello | None:
    """Return the client's hello message; None if the connection is closed first."""
    while (message := await next_message()) is not None:
        if isinstance(message, Hello):
            return message
        _send_error(subscriber, ApiError("bad_message", "The first message must be a hello message."), message.request)
    return None


async def _receive_message(
    subscriber: SocketSubscriber, receive: Receive, bucket: TokenBucket
) -> Hello | ClientMessage | None:
    """Return a client's next valid message, or None if the connection is closed; throttle a client that is too fast."""
    while (frame := await receive())["type"] != "websocket.disconnect":
        text = frame.get("text")
        if text is None:
            _send_error(subscriber, ApiError("bad_message", "A message must be text, not binary."))
            continue
        if len(text) > MAX_FRAME_BYTES or len(text.encode()) > MAX_FRAME_BYTES:
            _send_error(subscriber, ApiError("too_large", f"A message can be at most {MAX_FRAME_BYTES} bytes long."))
            subscriber.close(_CLOSE_TOO_LARGE)
            break
        while wait_s := bucket.take(1, time.monotonic()):  # noqa: ASYNC110 - only time refills it
            await asyncio.sleep(wait_s)
        try:
            return decode_frame(text)
        except ApiError as error:
            _send_error(subscriber, error, error.request)
    return None


def _send_error(subscriber: SocketSubscriber, error: ApiError, request: str | None = None) -> None:
    record_rejection(error.code)
    subscriber.send(encode_event(Rejected(request, error.code, error.sentence, error.seq)))


def log_error(error: BaseException, doing: str) -> None:
    """Log the type and location of an error, without any user data."""
    prefix = "" if isinstance(error, NumberlineError) else "internal error: "
    place = error_location(error.__traceback__)
    log_event("failed", f"{prefix}{type(error).__name__} at {place} ({doing})", level=logging.ERROR)
