"""Matches over HTTP: create, join by invitation, read, delete."""

from __future__ import annotations

import io
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse

from numberline.web.ops.config import ServerConfig
from numberline.web.ops.security import is_token, request_token
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.messages import (
    ClaimSeatRequest,
    ClaimSeatResponse,
    CreateMatchRequest,
    CreateMatchResponse,
    InviteResponse,
    JsonObject,
    MatchId,
    QrCodeRequest,
    ServerInfo,
    error_responses,
)
from numberline.web.rooms.service import MatchService

COOKIE_MAX_AGE_S = 365 * 24 * 3600
_LOCAL_ONLY = "Links work only on this computer. To play with others, start it with: numberline web --host 0.0.0.0"
_REACHABLE = "Links work for everyone who can reach this address."


def _content(media_type: str, schema_type: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"content": {media_type: {"schema": {"type": schema_type}}}}}


_SVG, _TEXT = _content("image/svg+xml", "string"), _content("text/plain", "string")
_JSON = _content("application/json", "object")


class RequestIdentity:
    """The client of a request: a browser has a cookie, a program a token."""

    def __init__(self, request: Request) -> None:
        token = request_token(dict(request.scope["headers"]))
        self.is_browser = "origin" in request.headers or "sec-fetch-site" in request.headers
        self.token = token if is_token(token) else ""

    def ensure_token(self, config: ServerConfig, response: Response) -> str:
        """Return the client's token, or a new one, which a browser gets as a cookie."""
        if not self.token:
            self.token = secrets.token_urlsafe(32)
            if self.is_browser:
                secure = config.public_url.startswith("https:")
                response.set_cookie(
                    "player", self.token, COOKIE_MAX_AGE_S, httponly=True, samesite="strict", secure=secure
                )
        return self.token

    @property
    def response_token(self) -> str | None:
        """The token for the response body; a page's script never sees it."""
        return None if self.is_browser else self.token


def _base_url(config: ServerConfig, request: Request) -> str:
    return config.base_url(request.headers.get("host", ""), request.url.scheme, request.scope["root_path"])


def match_routes(service: MatchService, config: ServerConfig) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.post("/matches", status_code=201, responses=error_responses(403, 413, 422, 503))
    async def create(body: CreateMatchRequest, request: Request, response: Response) -> CreateMatchResponse:
        """Create a match with seats for the client, for bots, and by invitation for others."""
        client = RequestIdentity(request)
        created = await service.create(body, client.ensure_token(config, response))
        base = _base_url(config, request)
        invites = [
            InviteResponse(seat=seat, url=f"{base}/play/{created.match}#{invite}")
            for seat, invite in created.invites.items()
        ]
        return CreateMatchResponse(match=created.match, seat=created.seat, token=client.response_token, invites=invites)

    @router.post("/matches/{match}/seats", responses=error_responses(403, 404, 409, 413, 503))
    async def claim(match: MatchId, body: ClaimSeatRequest, request: Request, response: Response) -> ClaimSeatResponse:
        """Claim the seat of an invitation."""
        client = RequestIdentity(request)
        seat = await service.claim(match, body.invite, body.name, client.ensure_token(config, response))
        return ClaimSeatResponse(seat=seat, token=client.response_token)

    @router.get("/matches/{match}", response_class=Response, responses=_JSON | error_responses(404, 503))
    async def snapshot(match: MatchId, request: Request) -> Response:
        """Return the same snapshot as the WebSocket."""
        frame = await service.snapshot(match, RequestIdentity(request).token)
        return Response(frame, media_type="application/json")

    @router.get("/matches/{match}/record", response_class=Response, responses=_TEXT | error_responses(404))
    async def record(match: MatchId) -> Response:
        """Return all rounds of a match as a record file."""
        return PlainTextResponse(await service.record(match))

    @router.get("/matches/{match}/review", responses=error_responses(403, 404, 422))
    async def review(match: MatchId) -> JsonObject:
        """Return the review of a match, as far as its players allow it."""
        return await service.review(match)

    @router.get("/matches/{match}/positions", response_class=Response, responses=_JSON | error_responses(404, 422))
    async def positions(match: MatchId, p: Annotated[str, Query(min_length=1, max_length=500)]) -> Response:
        """Return a position of the match's book, with values if the players may see them."""
        return Response(await service.position(match, p), media_type="application/json")

    @router.delete("/matches/{match}", status_code=204, responses=error_responses(403, 404, 503))
    async def delete(match: MatchId, request: Request) -> Response:
        """Delete a match and everything stored of it; only its players can."""
        await service.delete(match, RequestIdentity(request).token)
        return Response(status_code=204)

    return router


def server_routes(config: ServerConfig) -> APIRouter:
    router = APIRouter(prefix="/api")

    @router.get("/server", responses=error_responses())
    async def server(request: Request) -> ServerInfo:
        """Return the address that links begin with, and who can reach it."""
        base = _base_url(config, request)
        sentence = _LOCAL_ONLY if config.local_only else _REACHABLE
        return ServerInfo(public_url=base, local_only=config.local_only, sentence=sentence)

    @router.post("/qr", response_class=Response, responses=_SVG | error_responses(403, 413))
    async def qr(body: QrCodeRequest, request: Request) -> Response:
        """Return the QR code of a link to this server."""
        base = _base_url(config, request)
        if not body.url.startswith(f"{base}/"):
            raise ApiError("not_allowed", f"QR codes are available only for links that begin with {base}/.")
        import segno

        image = io.BytesIO()
        segno.make(body.url, micro=False).save(image, kind="svg", scale=4, border=2, light="#fff", xmldecl=False)
        return Response(image.getvalue(), media_type="image/svg+xml")

    return router
