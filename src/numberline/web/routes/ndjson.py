"""The bot API of a match: events as NDJSON lines, and actions as plain requests."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from fastapi import APIRouter, Request, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPBearer
from starlette.types import Receive, Scope, Send

from numberline.web.ops.http_connection import current_abort
from numberline.web.protocol.errors import ApiError, not_found
from numberline.web.protocol.events import Frame, Goodbye, encode_event
from numberline.web.protocol.messages import (
    AckResponse,
    ActionBody,
    ActionMessage,
    MatchId,
    MoveMessage,
    error_responses,
)
from numberline.web.rooms.service import MatchService
from numberline.web.routes.matches import RequestIdentity

MAX_UNREAD_LINES = 64
MAX_READERS_PER_MATCH = 1_000
KEEPALIVE_INTERVAL_S = 7.0
MAX_KEEPALIVES_AFTER_END = 9
_MEDIA_TYPE: Final = "application/x-ndjson"
_STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {_MEDIA_TYPE: {"schema": {"type": "string"}}}}}
# For the OpenAPI schema only; `RequestIdentity` reads the token.
_BEARER = [Security(HTTPBearer(scheme_name="seat", description="The token that came with a seat", auto_error=False))]


class NdjsonSubscriber:
    """A program that follows a match; its connection is closed when more than `MAX_UNREAD_LINES` wait."""

    def __init__(self, abort: Callable[[], None]) -> None:
        self.you: tuple[int, ...] = ()
        self._abort = abort
        self._unread: asyncio.Queue[Frame] = asyncio.Queue(MAX_UNREAD_LINES)

    def send(self, frame: Frame) -> None:
        """Queue a frame; presence is not part of the bot API."""
        if frame.kind == "presence":
            return
        try:
            self._unread.put_nowait(frame)
        except asyncio.QueueFull:
            self._abort()

    async def lines(self, farewell: Callable[[int], str]) -> AsyncIterator[bytes]:
        """Yield one line per frame, and a blank line while nothing happens, until a goodbye.

        `farewell` is called with the number of blank lines so far, and returns a last sentence when it is time.
        """
        keepalives = 0
        while True:
            try:
                async with asyncio.timeout(KEEPALIVE_INTERVAL_S):
                    frame = await self._unread.get()
            except TimeoutError:
                keepalives += 1
                yield b"\n"
            else:
                keepalives = 0
                yield frame + b"\n"
                if frame.kind == "goodbye":
                    return
            if self._unread.empty() and (sentence := farewell(keepalives)):
                self.send(encode_event(Goodbye(sentence)))


class NdjsonResponse(StreamingResponse):
    """The stream of a match; it lasts until either side closes it."""

    media_type = _MEDIA_TYPE

    def __init__(self, service: MatchService, readers_per_match: Counter[str], match_id: str, token: str) -> None:
        super().__init__((), headers={"X-Accel-Buffering": "no"})  # a proxy must pass on each line immediately
        self._service = service
        self._readers_per_match = readers_per_match
        self._match_id = match_id
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._readers_per_match[self._match_id] >= MAX_READERS_PER_MATCH:
            raise ApiError("busy", "Too many programs follow this match; try again later.")
        subscriber = NdjsonSubscriber(current_abort())
        self._readers_per_match[self._match_id] += 1
        try:
            await self._service.join(self._match_id, subscriber, self._token)
            self.body_iterator = subscriber.lines(self._farewell)
            await super().__call__(scope, receive, send)
        finally:
            self._service.leave(self._match_id, subscriber)
            self._readers_per_match[self._match_id] -= 1
            if not self._readers_per_match[self._match_id]:
                del self._readers_per_match[self._match_id]

    def _farewell(self, keepalives: int) -> str:
        room = self._service.registry.rooms.get(self._match_id)
        if room is None:
            return "This match no longer exists."
        if room.state.rematch:
            return "The match continues as a rematch."
        return "The match is over." if room.state.ended and keepalives >= MAX_KEEPALIVES_AFTER_END else ""


def ndjson_routes(service: MatchService) -> APIRouter:
    router = APIRouter(prefix="/api/bot")
    readers_per_match: Counter[str] = Counter()

    @router.get(
        "/matches/{match}",
        response_class=StreamingResponse,
        dependencies=_BEARER,
        responses=_STREAM | error_responses(404, 409, 503),
    )
    async def follow(match: MatchId, request: Request) -> StreamingResponse:
        """Stream a match as lines: first a snapshot, then every event; blank lines keep the connection alive."""
        return NdjsonResponse(service, readers_per_match, match, RequestIdentity(request).token)

    @router.post(
        "/matches/{match}/move", dependencies=_BEARER, responses=error_responses(401, 403, 404, 409, 413, 422, 503)
    )
    async def move(match: MatchId, message: MoveMessage, request: Request) -> AckResponse:
        """Play a move. The response is sent once the move is stored; a repeated request is played once."""
        return await _act(service, match, RequestIdentity(request).token, message)

    @router.post(
        "/matches/{match}/act", dependencies=_BEARER, responses=error_responses(401, 403, 404, 409, 413, 422, 503)
    )
    async def act(match: MatchId, message: ActionBody, request: Request) -> AckResponse:
        """Do anything that a player can do: move, resign, make and answer offers, start the next round."""
        return await _act(service, match, RequestIdentity(request).token, message)

    return router


async def _act(service: MatchService, match_id: str, token: str, message: ActionMessage) -> AckResponse:
    if not token:
        raise ApiError("no_token", "Only a player can do that; send the token of your seat as a Bearer token.")
    you = await service.seats_of(match_id, token)
    if not you:
        raise not_found()
    return AckResponse(seq=(await service.act(match_id, you, message)).seq)
