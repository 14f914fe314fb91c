"""What answers first: pages and files at once, strangers never, and the rest as soon as the house is open."""

from __future__ import annotations

import asyncio
import gc
import math
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, cast

from numberline.text import pluralize
from numberline.web.ops.config import ServerConfig
from numberline.web.ops.rate_limit import RateLimiter, request_cost
from numberline.web.ops.security import (
    LOOPBACK_HOSTS,
    SAFE_METHODS,
    headers_of,
    is_token,
    request_token,
    security_headers,
)
from numberline.web.routes.health import HealthChecks
from numberline.web.routes.static_site import HEALTH_PATHS, HttpResponse, Send, StaticSite, error_response

if TYPE_CHECKING:
    from numberline.web.app import WebApp

BODY_TIMEOUT_S = 20
"""How long the body of a request may take."""
LOAD_DELAY_S = 0.1
"""So many seconds the first page has before everything else is loaded; whoever asks for more has it begun at once."""
GC_THRESHOLDS = (20_000, 20, 20)
"""How often it is looked for what can be thrown away: nearly all that a move makes stays, or is gone by itself."""
MAX_BODY_BYTES_BY_PATH = {"/api/review": 4_000_000}
MAX_BODY_BYTES = 400_000
"""Bytes; the body of no request is longer, but for those listed."""
MAX_DISCARDED_BYTES = 20_000_000
"""So much of a longer one is read and thrown away: who is cut off while sending never hears the answer."""

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]


class Gateway:
    """Answers for pages and files itself, turns strangers away, and passes on the rest once the house is open."""

    def __init__(self, setup: ServerConfig, opened: Callable[[ServerConfig], WebApp]) -> None:
        self.setup = setup
        self.origin_policy = setup.origin_policy()
        self.rate_limiter = RateLimiter(trusted=frozenset() if setup.public_url else frozenset(LOOPBACK_HOSTS))
        self.static_site = StaticSite()
        self.health_checks = HealthChecks(metrics=setup.metrics)
        self.startup_error: BaseException | None = None
        self.stop: Callable[[], None] = lambda: None
        """What to call when the house can't be opened."""
        self._opened = opened
        self._opening: asyncio.Task[WebApp] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers a request, as ASGI has it."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await self._socket(scope, receive, send)
        else:
            await self._request(scope, receive, send)

    async def web_app(self) -> WebApp:
        """What answers for matches, once it is open."""
        self.start_loading()
        return await asyncio.shield(cast("asyncio.Task[WebApp]", self._opening))

    def start_loading(self) -> None:
        """Begins to open the house, beside everything else, unless that has begun."""
        if self._opening is None:
            self._opening = asyncio.create_task(self._open())
            self._opening.add_done_callback(self._noticed)

    async def _open(self) -> WebApp:
        house = await asyncio.to_thread(self._opened, self.setup)
        await house.start()
        if not gc.isenabled():  # it was switched off for the start: what is loaded by now stays
            gc.freeze()
            gc.set_threshold(*GC_THRESHOLDS)
            gc.enable()
        return house

    def _noticed(self, opening: asyncio.Task[WebApp]) -> None:
        if not opening.cancelled() and opening.exception():
            self.startup_error = opening.exception()
            self.stop()

    async def notify_shutdown(self) -> None:
        """Tells everybody at a table that the server stops."""
        if self._opening and self._opening.done() and not self.startup_error:
            await self._opening.result().notify_shutdown()

    async def close(self) -> None:
        """Finishes what is being written, and closes the database."""
        if self._opening is None:
            return
        await asyncio.wait([self._opening])
        if not self._opening.cancelled() and not self._opening.exception():
            await self._opening.result().stop()

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                asyncio.get_running_loop().call_later(LOAD_DELAY_S, self.start_loading)
                await send({"type": "lifespan.startup.complete"})
            else:
                await self.close()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = self._turned(scope, headers_of(scope))
        if reply is None:
            await (await self.web_app()).socket(scope, receive, send)
            return
        headers = [(b"content-type", reply.content_type.encode()), *reply.headers, *security_headers("/api")]
        await send({"type": "websocket.http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": reply.body})

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]

        async def protected(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *security_headers(path)]
            await send(message)

        head = scope["method"] == "HEAD"
        reply = self._own(scope, path)
        if reply is None and path in HEALTH_PATHS:
            reply = await self.health_checks.reply(scope, headers_of(scope), self.web_app)
        if reply is None:
            received = await _whole(receive, headers_of(scope), MAX_BODY_BYTES_BY_PATH.get(path, MAX_BODY_BYTES))
            if received is not None:
                read = head and not path.startswith("/api/bot/")  # what never ends has no head of its own
                await self._passed_on(dict(scope, method="GET" if read else scope["method"]), received, protected)
                return
            reply = error_response(
                413, "too_large", "That is too long for this server; send less.", (b"connection", b"close")
            )
        await reply.send(protected, head=head)

    async def _passed_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            house = await self.web_app()
        except Exception:  # noqa: BLE001 - the server ends with it, and says why where it was started
            await error_response(503, "cannot_save", "The server can't open its database, and stops.").send(send)
            return
        with suppress(Exception):  # it is answered and noted by now
            await house.app(scope, receive, send)

    def _own(self, scope: Scope, path: str) -> HttpResponse | None:
        """The answer to what needs no house: a stranger's request, a page, a file."""
        headers = headers_of(scope)
        turned = self._turned(scope, headers)
        if turned:
            return turned
        reply = self.static_site.reply(path, headers)
        if reply and scope["method"] not in SAFE_METHODS:
            return error_response(405, "bad_message", "A page can only be read.", (b"allow", b"GET, HEAD"))
        return reply

    def _turned(self, scope: Scope, headers: dict[bytes, bytes]) -> HttpResponse | None:
        """The answer to somebody who may not ask, or asks too much."""
        turned = self.origin_policy.rejection(scope)
        if turned:
            return error_response(*turned)
        path, token = scope["path"], request_token(headers)
        if not path.startswith("/api"):
            return None
        address = (scope.get("client") or ("",))[0]
        cost = request_cost(scope.get("method", "GET"), path)
        wait = math.ceil(self.rate_limiter.wait(address, token if is_token(token) else "", cost))
        if not wait:
            return None
        sentence = f"That was too much at once; try again in {pluralize(wait, 'second')}."
        return error_response(429, "slow_down", sentence, (b"retry-after", str(wait).encode()))


async def _whole(receive: Receive, headers: dict[bytes, bytes], largest: int) -> Receive | None:
    """Where the body of a request can be had, once all of it is here; None where it is too long or too slow."""
    told = headers.get(b"content-length", b"0")
    if not told.isdigit() or len(told) > 12 or int(told) > MAX_DISCARDED_BYTES:
        return None
    body, size, more = bytearray(), 0, True
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while more and size <= MAX_DISCARDED_BYTES:
                message = await receive()
                part = message.get("body", b"")
                size += len(part)
                body += part if size <= largest else b""
                more = message.get("more_body", False)
    except TimeoutError:
        return None
    waiting = [{"type": "http.request", "body": bytes(body), "more_body": False}]

    async def received() -> dict[str, Any]:
        return waiting.pop() if waiting else await receive()

    return received if size <= largest else None
