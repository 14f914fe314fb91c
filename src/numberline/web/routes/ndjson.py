"""One table for programs, line by line: whoever holds a seat hears what happens there, and plays by plain requests."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Security
from fastapi.responses import StreamingResponse
from fastapi.security import HTTPBearer
from starlette.types import Receive, Scope, Send

from numberline.web.ops.http_connection import current_abort
from numberline.web.protocol.commands import ClientMessage
from numberline.web.protocol.decode import MAX_SEQ, MESSAGE_FIELDS, goodbye_frame
from numberline.web.protocol.errors import ApiError, not_found
from numberline.web.protocol.schemas import AckResponse, ActionRequest, MatchId, MoveRequest, error_responses
from numberline.web.rooms.service import MatchService
from numberline.web.routes.matches import RequestIdentity

MAX_UNREAD_LINES = 64
"""So many lines wait for a reader that does not read; with the next one it is cut off."""
MAX_READERS_PER_MATCH = 1_000
"""So many programs can follow one match."""
KEEPALIVE_INTERVAL_S = 7.0
"""After so many seconds in which nothing has happened a blank line says that the connection is alive."""
MAX_KEEPALIVES_AFTER_END = 9
"""So many blank lines after the end of a match nobody will offer a rematch any more."""
_GOODBYE, _PRESENCE = b'{"kind":"goodbye"', b'{"kind":"presence"'
_LINES: Final = "application/x-ndjson"
_SEAT = [Security(HTTPBearer(scheme_name="seat", description="The token that came with a seat", auto_error=False))]
"""Only said here; `RequestIdentity` sees to it."""
_STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {_LINES: {"schema": {"type": "string"}}}}}


class NdjsonSubscriber:
    """One program that follows a match: lines wait here until they are sent, never more than `MOST_UNREAD`."""

    def __init__(self, abort: Callable[[], None]) -> None:
        self.you: tuple[int, ...] = ()
        self._abort = abort
        self._unread: asyncio.Queue[bytes] = asyncio.Queue(MAX_UNREAD_LINES)

    def send(self, frame: bytes) -> None:
        """Puts a frame in the queue, but for who comes and goes; a reader with too many waiting is cut off."""
        if frame.startswith(_PRESENCE):
            return
        try:
            self._unread.put_nowait(frame)
        except asyncio.QueueFull:
            self._abort()

    async def lines(self, parting: Callable[[int], str]) -> AsyncIterator[bytes]:
        """The frames, one a line, until a goodbye; `parting` says it after so many blank lines, or nothing yet."""
        blanks = 0
        while True:
            try:
                async with asyncio.timeout(KEEPALIVE_INTERVAL_S):
                    frame = await self._unread.get()
            except TimeoutError:
                frame = b""
            yield frame + b"\n"
            if frame.startswith(_GOODBYE):
                return
            blanks = 0 if frame else blanks + 1
            if self._unread.empty() and (said := parting(blanks)):
                self.send(goodbye_frame(said))


class NdjsonResponse(StreamingResponse):
    """The answer to a program that follows a match; it lasts until either side ends it."""

    media_type = _LINES

    def __init__(self, service: MatchService, crowd: Counter[str], match: str, token: str, since: int) -> None:
        super().__init__((), headers={"X-Accel-Buffering": "no"})  # a proxy passes on each line at once
        self._service = service
        self._crowd = crowd
        self._match = match
        self._asked = token, since

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Comes to the table, which may be refused, and stays."""
        if self._crowd[self._match] >= MAX_READERS_PER_MATCH:
            raise ApiError("busy", "There are too many people at this table; try again later.")
        reader = NdjsonSubscriber(current_abort())
        self._crowd[self._match] += 1
        try:
            await self._service.join(self._match, reader, *self._asked)
            self.body_iterator = reader.lines(self._parting)
            await super().__call__(scope, receive, send)
        finally:
            self._service.leave(self._match, reader)
            self._crowd[self._match] -= 1
            if not self._crowd[self._match]:
                del self._crowd[self._match]

    def _parting(self, blanks: int) -> str:
        live = self._service.registry.get_cached(self._match)
        if live is None:
            return "This game is not here any more."
        if live.state.rematch:
            return "There is a new game; go on there."
        return "The match is over." if live.state.ended and blanks >= MAX_KEEPALIVES_AFTER_END else ""


def ndjson_routes(service: MatchService) -> APIRouter:
    """The paths."""
    router = APIRouter(prefix="/api/bot")
    crowd: Counter[str] = Counter()

    @router.get(
        "/matches/{match}",
        response_class=StreamingResponse,
        dependencies=_SEAT,
        responses=_STREAM | error_responses(404, 409, 503),
    )
    async def follow(
        match: MatchId, request: Request, since: Annotated[int, Query(ge=0, le=MAX_SEQ)] = 0
    ) -> StreamingResponse:
        """A match line by line: first the whole table, then all that happens; a blank line when nothing does."""
        return NdjsonResponse(service, crowd, match, RequestIdentity(request).token, since)

    @router.post(
        "/matches/{match}/move", dependencies=_SEAT, responses=error_responses(401, 403, 404, 409, 413, 422, 503)
    )
    async def move(match: MatchId, asked: MoveRequest, request: Request) -> AckResponse:
        """Plays a move; once it is answered it is stored, and asking again with the same request does no harm."""
        message = ClientMessage("move", asked.request, asked.seq, asked.move)
        return await _acted(service, match, RequestIdentity(request).token, message)

    @router.post(
        "/matches/{match}/act", dependencies=_SEAT, responses=error_responses(401, 403, 404, 409, 413, 422, 503)
    )
    async def act(match: MatchId, asked: ActionRequest, request: Request) -> AckResponse:
        """Anything that a player does: a move, an offer and the answer to one, the next round, resigning."""
        fields = {name: value for name in ("move", "what") if (value := getattr(asked, name)) is not None}
        if fields.keys() != MESSAGE_FIELDS[asked.kind].keys():
            wanted = ", ".join(("kind", "request", "seq", *MESSAGE_FIELDS[asked.kind]))
            raise ApiError("bad_message", f"A message of the kind {asked.kind} has {wanted}.")
        message = ClientMessage(asked.kind, asked.request, asked.seq, **fields)
        return await _acted(service, match, RequestIdentity(request).token, message)

    return router


async def _acted(service: MatchService, match: str, token: str, message: ClientMessage) -> AckResponse:
    """The number of the event that a message has led to; raises what is said against it."""
    if not token:
        raise ApiError("no_token", "Only those who play can do that; send the token of your seat, as a Bearer token.")
    you = await service.seats_of(match, token)
    if not you:
        raise not_found()
    answer = json.loads(await service.act(match, you, message))
    if answer["kind"] == "error":
        raise ApiError(answer["code"], answer["sentence"])
    return AckResponse(seq=answer["seq"])
