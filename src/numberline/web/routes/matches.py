"""Matches over HTTP: made, joined by invitation, read, and deleted by those who play them."""

from __future__ import annotations

import io
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse

from numberline.web.ops.config import ServerConfig
from numberline.web.ops.security import is_token, request_token
from numberline.web.protocol.commands import ClockSpec, MatchSpec, SeatSpec
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.schemas import (
    BotModel,
    ClaimSeatRequest,
    ClaimSeatResponse,
    CreateMatchRequest,
    CreateMatchResponse,
    InviteResponse,
    JsonObject,
    MatchId,
    PersonModel,
    QrCodeRequest,
    ServerInfo,
    error_responses,
)
from numberline.web.rooms.service import MatchService

COOKIE_MAX_AGE_S = 365 * 24 * 3600
_LOCAL = "Links reach only this machine. To let others play, start it with: numberline web --host 0.0.0.0"
_OPEN = "Links work for everybody who can reach this address."
_SVG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}}
_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class RequestIdentity:
    """Who makes a request: a browser, known by its cookie, or a program, known by its token."""

    def __init__(self, request: Request) -> None:
        headers = request.headers
        found = request_token(dict(request.scope["headers"]))
        self.browser = "origin" in headers or "sec-fetch-site" in headers
        self.token = found if is_token(found) else ""
        """What was brought along; nothing where nothing was."""

    def ensure_token(self, setup: ServerConfig, response: Response) -> str:
        """The token for a new seat: the one that was brought, or a new one, which a browser gets as a cookie."""
        if not self.token:
            self.token = secrets.token_urlsafe(32)
            if self.browser:
                secure = setup.public_url.startswith("https:")
                response.set_cookie(
                    "player", self.token, COOKIE_MAX_AGE_S, httponly=True, samesite="strict", secure=secure
                )
        return self.token

    @property
    def response_token(self) -> str | None:
        """The token as it is answered: a page never sees it."""
        return None if self.browser else self.token


def match_routes(service: MatchService, setup: ServerConfig) -> APIRouter:
    """The paths."""
    router = APIRouter(prefix="/api")

    @router.post("/matches", status_code=201, responses=error_responses(403, 413, 422, 503))
    async def create(wanted: CreateMatchRequest, request: Request, response: Response) -> CreateMatchResponse:
        """A new match, its seats for whoever asks, for programs, and by invitation for others."""
        visitor = RequestIdentity(request)
        made = await service.create(_order(wanted), visitor.ensure_token(setup, response))
        base = setup.base_url(request.headers.get("host", ""), request.url.scheme, request.scope["root_path"])
        invites = [
            InviteResponse(seat=seat, url=f"{base}/play/{made.match}#{key}") for seat, key in made.invites.items()
        ]
        return CreateMatchResponse(match=made.match, seat=made.seat, token=visitor.response_token, invites=invites)

    @router.post("/matches/{match}/seats", responses=error_responses(403, 404, 409, 413, 503))
    async def claim(match: MatchId, asked: ClaimSeatRequest, request: Request, response: Response) -> ClaimSeatResponse:
        """The seat that an invitation gives."""
        visitor = RequestIdentity(request)
        seat = await service.claim(match, asked.invite, asked.name, visitor.ensure_token(setup, response))
        return ClaimSeatResponse(seat=seat, token=visitor.response_token)

    @router.get("/matches/{match}", responses=error_responses(404, 503))
    async def table(match: MatchId, request: Request) -> JsonObject:
        """The whole table, as over the WebSocket."""
        return await service.state(match, RequestIdentity(request).token)

    @router.get("/matches/{match}/record", response_class=Response, responses=_TEXT | error_responses(404))
    async def record(match: MatchId) -> Response:
        """Every round of a match as a record file."""
        return PlainTextResponse(await service.record(match))

    @router.get("/matches/{match}/review", responses=error_responses(403, 404, 422))
    async def review(match: MatchId) -> JsonObject:
        """A match looked back at, where its players allow that."""
        return await service.review(match)

    @router.get("/matches/{match}/positions", responses=error_responses(404, 422))
    async def positions(match: MatchId, p: Annotated[str, Query(min_length=1, max_length=500)]) -> JsonObject:
        """A position of the match's book, with what it is worth where that may be seen."""
        return await service.position(match, p)

    @router.delete("/matches/{match}", status_code=204, responses=error_responses(403, 404, 503))
    async def delete(match: MatchId, request: Request) -> Response:
        """Nothing is left of a match; asked for by somebody who plays it."""
        await service.delete(match, RequestIdentity(request).token)
        return Response(status_code=204)

    return router


def server_routes(setup: ServerConfig) -> APIRouter:
    """The paths that tell of the server itself."""
    router = APIRouter(prefix="/api")

    @router.get("/server", responses=error_responses())
    async def server(request: Request) -> ServerInfo:
        """What links begin with, and whom they reach."""
        base = setup.base_url(request.headers.get("host", ""), request.url.scheme, request.scope["root_path"])
        sentence = _LOCAL if setup.local_only else _OPEN
        return ServerInfo(public_url=base, local_only=setup.local_only, sentence=sentence)

    @router.post("/qr", response_class=Response, responses=_SVG | error_responses(403, 413))
    async def qr(asked: QrCodeRequest, request: Request) -> Response:
        """A link to this server as a picture for cameras."""
        base = setup.base_url(request.headers.get("host", ""), request.url.scheme, request.scope["root_path"])
        if not asked.url.startswith(f"{base}/"):
            raise ApiError("not_allowed", f"Only links that begin with {base}/ are made into pictures here.")
        import segno

        drawn = io.BytesIO()
        segno.make(asked.url, micro=False).save(drawn, kind="svg", scale=4, border=2, light="#fff", xmldecl=False)
        return Response(drawn.getvalue(), media_type="image/svg+xml")

    return router


def _order(wanted: CreateMatchRequest) -> MatchSpec:
    return MatchSpec(
        variant=wanted.variant,
        seats=tuple(map(_seat, wanted.seats)),
        source=wanted.source,
        first=wanted.first,
        rounds=wanted.rounds,
        clock=ClockSpec(wanted.clock.seconds, wanted.clock.increment) if wanted.clock else None,
        assist=wanted.assist,
        start=wanted.start,
    )


def _seat(wanted: PersonModel | BotModel | None) -> SeatSpec | None:
    if wanted is None:
        return None
    return SeatSpec(bot=wanted.bot) if isinstance(wanted, BotModel) else SeatSpec(wanted.name)
