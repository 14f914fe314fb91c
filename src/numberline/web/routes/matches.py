"""HTTP endpoints for creating, joining, reading and deleting matches, and the bot API with its NDJSON stream."""

from __future__ import annotations

import asyncio
import io
import secrets
from collections.abc import AsyncIterator, Callable
from functools import partial
from typing import Annotated, Any, Final, cast
from urllib.parse import urlsplit

from fastapi import APIRouter, Query, Request, Response, Security
from fastapi.responses import PlainTextResponse, StreamingResponse
from fastapi.security import HTTPBearer
from starlette.types import Receive, Scope, Send

from numberline.web.ops.config import ServerConfig
from numberline.web.ops.http_connection import current_abort
from numberline.web.ops.security import LOOPBACK_HOSTS, PLAYER_COOKIES, request_token
from numberline.web.protocol import messages
from numberline.web.protocol.errors import ApiError, not_found
from numberline.web.protocol.events import Ack, Frame, Goodbye, encode_event, load_book
from numberline.web.protocol.messages import JsonObject, MatchId, error_responses
from numberline.web.rooms.service import MatchService
from numberline.web.rooms.solver_pool import charge_for_view

COOKIE_MAX_AGE_S = 365 * 24 * 3600
MAX_UNREAD_LINES = 64
MAX_READERS_PER_MATCH = 1_000
KEEPALIVE_INTERVAL_S = 7.0
MAX_KEEPALIVES_AFTER_END = 9
_MATCH_IDS = "^[A-Za-z0-9_-]{1,64}(,[A-Za-z0-9_-]{1,64}){0,19}$"
_MEDIA_TYPE: Final = "application/x-ndjson"
# For the OpenAPI schema only; `RequestIdentity` reads the token.
_BEARER = [Security(HTTPBearer(scheme_name="seat", description="The token received with a seat", auto_error=False))]
_LOCAL_ONLY = "Links work only on this computer. To play with others, run: numberline web --host 0.0.0.0"
_REACHABLE = "Links work for everyone who can reach this address."


def _content(media_type: str, schema_type: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media_type: {"schema": {"type": schema_type}}}}}


_SVG, _TEXT = _content("image/svg+xml", "string"), _content("text/plain", "string")
_PNG = _content("image/png", "string")
_JSON, _STREAM = _content("application/json", "object"), _content(_MEDIA_TYPE, "string")
_ACT_ERRORS = error_responses(401, 403, 404, 409, 413, 422, 503)


class RequestIdentity:
    """Identity of a client: browsers send a cookie, other programs send a token."""

    def __init__(self, request: Request) -> None:
        self._headers = dict(request.scope["headers"])
        self.token = request_token(self._headers)
        self.is_browser = "origin" in request.headers or "sec-fetch-site" in request.headers

    def ensure_token(self, config: ServerConfig, response: Response) -> str:
        """Return the client's token; create one if needed, and set it as a cookie for a browser."""
        secure = config.public_url.startswith("https:")
        cookie = PLAYER_COOKIES[0 if secure else 1]
        self.token = request_token(self._headers, (cookie,))
        if not self.token:
            self.token = secrets.token_urlsafe(32)
            if self.is_browser:
                response.set_cookie(
                    cookie, self.token, COOKIE_MAX_AGE_S, httponly=True, samesite="strict", secure=secure
                )
        return self.token

    @property
    def response_token(self) -> str | None:
        """Token to include in the response body; None for a browser, so that scripts never see it."""
        return None if self.is_browser else self.token


def _base_url(config: ServerConfig, request: Request) -> str:
    return config.base_url(request.headers.get("host", ""), request.url.scheme, request.scope["root_path"])


def match_routes(service: MatchService, config: ServerConfig) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.post("/matches", status_code=201, responses=error_responses(403, 413, 422, 503))
    async def create(
        body: messages.CreateMatchRequest, request: Request, response: Response
    ) -> messages.CreateMatchResponse:
        """Create a match with seats for the client and for bots, and invitations for all other seats."""
        client = RequestIdentity(request)
        created = await service.create(body, client.ensure_token(config, response))
        base = _base_url(config, request)
        invites = [
            messages.InviteResponse(seat=seat, url=f"{base}/play/{created.match}#{invite}")
            for seat, invite in created.invites.items()
        ]
        return messages.CreateMatchResponse(
            match=created.match, seat=created.seat, token=client.response_token, invites=invites
        )

    @router.post("/matches/{match}/seats", responses=error_responses(403, 404, 409, 413, 503))
    async def claim(
        match: MatchId, body: messages.ClaimSeatRequest, request: Request, response: Response
    ) -> messages.ClaimSeatResponse:
        """Claim the seat that an invitation offers."""
        client = RequestIdentity(request)
        seat = await service.claim(match, body.invite, body.name, client.ensure_token(config, response))
        return messages.ClaimSeatResponse(seat=seat, token=client.response_token)

    @router.get("/matches", response_class=Response, responses=_JSON | error_responses(422, 503))
    async def snapshots(ids: Annotated[str, Query(pattern=_MATCH_IDS)], request: Request) -> Response:
        """Return the snapshots of up to 20 matches, given as `ids=A,B`; null for a missing or damaged match."""
        frames = await service.snapshots(ids.split(","), RequestIdentity(request).token)
        return Response(b'{"matches":[%s]}' % b",".join(frames), media_type="application/json")

    @router.get("/matches/{match}", response_class=Response, responses=_JSON | error_responses(404, 503))
    async def snapshot(match: MatchId, request: Request) -> Response:
        """Return the same snapshot that the WebSocket sends."""
        frame = await service.snapshot(match, RequestIdentity(request).token)
        return Response(frame, media_type="application/json")

    @router.get("/matches/{match}/record", response_class=Response, responses=_TEXT | error_responses(404))
    async def record(match: MatchId) -> Response:
        """Return all rounds of a match as a record file."""
        return PlainTextResponse(await service.record(match))

    @router.get("/matches/{match}/review", responses=error_responses(403, 404, 422))
    async def review(match: MatchId) -> JsonObject:
        """Return the review of a match, with values only if the players may see them."""
        return await service.review(match)

    @router.get("/matches/{match}/positions", response_class=Response, responses=_JSON | error_responses(404, 422))
    async def positions(match: MatchId, p: Annotated[str, Query(min_length=1, max_length=500)]) -> Response:
        """Return a position in the match's variant, with values if the players may see them."""
        return Response(await service.position(match, p), media_type="application/json")

    @router.delete("/matches/{match}", status_code=204, responses=error_responses(403, 404, 503))
    async def delete(match: MatchId, request: Request) -> Response:
        """Delete a match and all its stored data; only its players can do this."""
        await service.delete(match, RequestIdentity(request).token)
        return Response(status_code=204)

    return router


def server_routes(service: MatchService, config: ServerConfig) -> APIRouter:
    router = APIRouter(prefix="/api")
    pool = service.registry.solver_pool

    @router.get("/preview.png", response_class=Response, responses=_PNG | error_responses(404, 422))
    async def preview(
        match: Annotated[str, Query(max_length=64)] = "", book: Annotated[str, Query(max_length=500)] = ""
    ) -> Response:
        """Return the preview image for links to a match or to pages about a variant; by default, the site's image."""
        from numberline.web.preview import render_preview  # loaded late: it needs an image library

        if match:
            shown = (await service.registry.get_synced_room(match)).encoder.book
        else:
            shown = await pool.load(partial(load_book, offered_books=dict(config.books)), book or "line-runner", None)
        image = await pool.view(partial(render_preview, titled=bool(match or book)), charge_for_view(shown))
        return Response(image, media_type="image/png", headers={"Cache-Control": "public, max-age=86400"})

    @router.get("/server", responses=error_responses())
    async def server(request: Request) -> messages.ServerInfo:
        """Return the base URL of links to this server, and who can reach it."""
        base = _base_url(config, request)
        local_only = config.local_only or urlsplit(base).hostname in LOOPBACK_HOSTS
        sentence = _LOCAL_ONLY if local_only else _REACHABLE
        return messages.ServerInfo(public_url=base, local_only=local_only, sentence=sentence)

    @router.post("/qr", response_class=Response, responses=_SVG | error_responses(403, 413))
    async def qr(body: messages.QrCodeRequest, request: Request) -> Response:
        """Return a link to this server as a QR code."""
        base = _base_url(config, request)
        if not body.url.startswith(f"{base}/"):
            raise ApiError("not_allowed", f"QR codes are available only for links that begin with {base}/.")
        import segno

        image = io.BytesIO()
        segno.make(body.url, micro=False).save(image, kind="svg", scale=4, border=2, light="#fff", xmldecl=False)
        return Response(image.getvalue(), media_type="image/svg+xml")

    return router


# The bot API


class NdjsonSubscriber:
    """A program that follows a match; it is disconnected if more than `MAX_UNREAD_LINES` lines are unread."""

    def __init__(self, abort: Callable[[], None]) -> None:
        self.you: tuple[int, ...] = ()
        self._abort = abort
        self._unread: asyncio.Queue[Frame] = asyncio.Queue(MAX_UNREAD_LINES)

    def send(self, frame: Frame) -> None:
        """Queue a frame; drop presence frames, which are not part of the bot API."""
        if frame.kind == "presence":
            return
        try:
            self._unread.put_nowait(frame)
        except asyncio.QueueFull:
            self._abort()

    async def lines(self, farewell: Callable[[int], str]) -> AsyncIterator[bytes]:
        """Yield one line per frame, and blank lines as keepalives, until a goodbye frame.

        `farewell` is called with the number of consecutive keepalives; it returns a goodbye sentence or "".
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
    """NDJSON stream of a match that lasts until either side closes it."""

    media_type = _MEDIA_TYPE

    def __init__(self, service: MatchService, match_id: str, token: str) -> None:
        super().__init__((), headers={"X-Accel-Buffering": "no"})  # a proxy must pass on each line immediately
        self._service = service
        self._match_id = match_id
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._service.subscriber_counts[NdjsonSubscriber, self._match_id] >= MAX_READERS_PER_MATCH:
            raise ApiError("busy", "Too many programs are following this match; try again later.")
        subscriber = NdjsonSubscriber(current_abort())
        try:
            await self._service.join(self._match_id, subscriber, self._token)
            self.body_iterator = subscriber.lines(self._farewell)
            await super().__call__(scope, receive, send)
        finally:
            self._service.leave(self._match_id, subscriber)

    def _farewell(self, keepalives: int) -> str:
        room = self._service.registry.rooms.get(self._match_id)
        if room is None:
            return "This match no longer exists."
        if room.state.rematch:
            return "The match continues as a rematch."
        return "The match is over." if room.state.ended and keepalives >= MAX_KEEPALIVES_AFTER_END else ""


def bot_routes(service: MatchService) -> APIRouter:
    router = APIRouter(prefix="/api/bot", dependencies=_BEARER)

    @router.get("/matches/{match}", response_class=Response, responses=_STREAM | error_responses(404, 409, 503))
    async def follow(match: MatchId, request: Request) -> StreamingResponse:
        """Stream a match as NDJSON: a snapshot, then every event; blank lines keep the connection alive."""
        return NdjsonResponse(service, match, RequestIdentity(request).token)

    @router.post("/matches/{match}/move", responses=_ACT_ERRORS)
    async def move(match: MatchId, message: messages.MoveMessage, request: Request) -> messages.AckResponse:
        """Play a move. The response is sent once the move is stored; repeating a request has no further effect."""
        return await _act(service, match, RequestIdentity(request).token, message)

    @router.post("/matches/{match}/act", responses=_ACT_ERRORS)
    async def act(match: MatchId, message: messages.ActionBody, request: Request) -> messages.AckResponse:
        """Perform any player action: move, resign, make or answer an offer, or start the next round."""
        return await _act(service, match, RequestIdentity(request).token, message)

    return router


async def _act(
    service: MatchService, match_id: str, token: str, message: messages.ActionMessage
) -> messages.AckResponse:
    if not token:
        raise ApiError("no_token", "Only a player can do that; send your seat's token as a Bearer token.")
    you = await service.seats_of(match_id, token)
    if not you:
        raise not_found()
    ack = cast("Ack", await service.act(match_id, you, message))
    return messages.AckResponse(seq=ack.seq)
