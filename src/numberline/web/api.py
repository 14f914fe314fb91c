"""Matches over HTTP: made, joined by invitation, read, and deleted by those who play them."""

from __future__ import annotations

import io
import secrets
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import PlainTextResponse

from numberline.web.guard import is_token, token_in
from numberline.web.models import (
    BotModel,
    ClaimModel,
    CreatedModel,
    InviteModel,
    LinkModel,
    MatchId,
    MatchModel,
    Part,
    PersonModel,
    SeatModel,
    ServerAbout,
    problems,
)
from numberline.web.orders import ClockOrder, MatchOrder, SeatOrder
from numberline.web.refusals import Refusal
from numberline.web.service import Service
from numberline.web.setup import Setup

YEAR = 365 * 24 * 3600
_LOCAL = "Links reach only this machine. To let others play, start it with: numberline web --host 0.0.0.0"
_OPEN = "Links work for everybody who can reach this address."
_SVG: dict[int | str, dict[str, Any]] = {200: {"content": {"image/svg+xml": {"schema": {"type": "string"}}}}}
_TEXT: dict[int | str, dict[str, Any]] = {200: {"content": {"text/plain": {"schema": {"type": "string"}}}}}


class Visitor:
    """Who makes a request: a browser, known by its cookie, or a program, known by its token."""

    def __init__(self, request: Request) -> None:
        headers = request.headers
        found = token_in(dict(request.scope["headers"]))
        self.browser = "origin" in headers or "sec-fetch-site" in headers
        self.token = found if is_token(found) else ""
        """What was brought along; nothing where nothing was."""

    def seated(self, setup: Setup, response: Response) -> str:
        """The token for a new seat: the one that was brought, or a new one, which a browser gets as a cookie."""
        if not self.token:
            self.token = secrets.token_urlsafe(32)
            if self.browser:
                secure = setup.public_url.startswith("https:")
                response.set_cookie("player", self.token, YEAR, httponly=True, samesite="strict", secure=secure)
        return self.token

    @property
    def told(self) -> str | None:
        """The token as it is answered: a page never sees it."""
        return None if self.browser else self.token


def matches(service: Service, setup: Setup) -> APIRouter:
    """The paths."""
    router = APIRouter(prefix="/api")

    @router.post("/matches", status_code=201, responses=problems(403, 413, 422, 503))
    async def create(wanted: MatchModel, request: Request, response: Response) -> CreatedModel:
        """A new match, its seats for whoever asks, for programs, and by invitation for others."""
        visitor = Visitor(request)
        made = await service.create(_order(wanted), visitor.seated(setup, response))
        base = setup.base(request.headers.get("host", ""), request.url.scheme)
        invites = [InviteModel(seat=seat, url=f"{base}/play/{made.match}#{key}") for seat, key in made.invites.items()]
        return CreatedModel(match=made.match, seat=made.seat, token=visitor.told, invites=invites)

    @router.post("/matches/{match}/seats", responses=problems(403, 404, 409, 413, 503))
    async def claim(match: MatchId, asked: ClaimModel, request: Request, response: Response) -> SeatModel:
        """The seat that an invitation gives."""
        visitor = Visitor(request)
        seat = await service.claim(match, asked.invite, asked.name, visitor.seated(setup, response))
        return SeatModel(seat=seat, token=visitor.told)

    @router.get("/matches/{match}", responses=problems(404, 503))
    async def table(match: MatchId, request: Request) -> Part:
        """The whole table, as over the WebSocket."""
        return await service.table(match, Visitor(request).token)

    @router.get("/matches/{match}/record", response_class=Response, responses=_TEXT | problems(404))
    async def record(match: MatchId) -> Response:
        """Every round of a match as a record file."""
        return PlainTextResponse(await service.record(match))

    @router.get("/matches/{match}/review", responses=problems(403, 404, 422))
    async def review(match: MatchId) -> Part:
        """A match looked back at, where its players allow that."""
        return await service.review(match)

    @router.get("/matches/{match}/positions", responses=problems(404, 422))
    async def positions(match: MatchId, p: Annotated[str, Query(min_length=1, max_length=500)]) -> Part:
        """A position of the match's book, with what it is worth where that may be seen."""
        return await service.position(match, p)

    @router.delete("/matches/{match}", status_code=204, responses=problems(403, 404, 503))
    async def delete(match: MatchId, request: Request) -> Response:
        """Nothing is left of a match; asked for by somebody who plays it."""
        await service.delete(match, Visitor(request).token)
        return Response(status_code=204)

    return router


def about(setup: Setup) -> APIRouter:
    """The paths that tell of the server itself."""
    router = APIRouter(prefix="/api")

    @router.get("/server", responses=problems())
    async def server(request: Request) -> ServerAbout:
        """What links begin with, and whom they reach."""
        base = setup.base(request.headers.get("host", ""), request.url.scheme)
        sentence = _LOCAL if setup.local_only else _OPEN
        return ServerAbout(public_url=base, local_only=setup.local_only, sentence=sentence)

    @router.post("/qr", response_class=Response, responses=_SVG | problems(403, 413))
    async def qr(asked: LinkModel, request: Request) -> Response:
        """A link to this server as a picture for cameras."""
        base = setup.base(request.headers.get("host", ""), request.url.scheme)
        if not asked.url.startswith(f"{base}/"):
            raise Refusal("not_allowed", f"Only links that begin with {base}/ are made into pictures here.")
        import segno

        drawn = io.BytesIO()
        segno.make(asked.url, micro=False).save(drawn, kind="svg", scale=4, border=2, light="#fff", xmldecl=False)
        return Response(drawn.getvalue(), media_type="image/svg+xml")

    return router


def _order(wanted: MatchModel) -> MatchOrder:
    return MatchOrder(
        variant=wanted.variant,
        seats=tuple(map(_seat, wanted.seats)),
        source=wanted.source,
        first=wanted.first,
        rounds=wanted.rounds,
        clock=ClockOrder(wanted.clock.seconds, wanted.clock.increment) if wanted.clock else None,
        assist=wanted.assist,
        start=wanted.start,
    )


def _seat(wanted: PersonModel | BotModel | None) -> SeatOrder | None:
    if wanted is None:
        return None
    return SeatOrder(bot=wanted.bot) if isinstance(wanted, BotModel) else SeatOrder(wanted.name)
