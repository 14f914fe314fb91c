"""Outermost ASGI application: pages, static files, health checks, host and origin checks, rate and size limits.

It imports nothing heavy, so the first page can be served while the rest of the server is still starting.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager, nullcontext, suppress
from random import uniform
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from numberline.web.ops import security
from numberline.web.ops.config import ServerConfig
from numberline.web.ops.http_connection import CURRENT_CONNECTION, HttpConnection
from numberline.web.ops.rate_limit import CURRENT_CLIENT, Client, Quota, RateLimiter, client_address, request_cost
from numberline.web.protocol.errors import HTTP_STATUS, ApiError
from numberline.web.routes.static_site import HttpResponse, Send, error_response, site_response

if TYPE_CHECKING:
    from numberline.web.app import WebApp

BODY_TIMEOUT_S = 20
# Nearly all objects created by a move stay alive or are freed by reference counting, so the GC rarely needs to run.
GC_THRESHOLDS = (20_000, 20, 20)
MAX_BODY_BYTES_BY_PATH = {"/api/review": 1_100_000}
MAX_BODY_BYTES = 400_000
# The size of all larger bodies in memory is limited, per client and in total.
SMALL_BODY_BYTES = 64_000
MAX_CLIENT_BODY_BYTES, MAX_TOTAL_BODY_BYTES = 8_000_000, 64_000_000
# Up to this much of an oversized body is read, so that the client receives the error instead of a connection reset.
MAX_DISCARDED_BYTES = 20_000_000
BODY_REJECTED_MESSAGE = "The request body is too large or too slow, or too many large requests are being sent at once."
HEALTH_PATHS = ("/healthz", "/readyz", "/metrics")
READY_TIMEOUT_S = 5.0
# A WebSocket over the limit is rejected after a random delay: clients reconnect as soon as they are rejected, and
# should not all do so at the same moment.
REFUSAL_DELAY_S = 3.0, 7.0

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]


class Gateway:
    """ASGI application that loads the `WebApp` at startup or on the first request that needs it."""

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.origin_policy = config.origin_policy()
        self.rate_limiter = RateLimiter(trusted=() if config.public_url else security.LOOPBACK_HOSTS)
        self._sockets = config.connection_quota()
        self._delayed = Quota(config.max_connections // 10, config.max_connections // 2)
        self._bodies = Quota(MAX_CLIENT_BODY_BYTES, MAX_TOTAL_BODY_BYTES)
        self.startup_error: BaseException | None = None
        self.on_loaded: Callable[[], None] | None = None
        """Called once loading has succeeded or failed; if set, lifespan startup doesn't wait for the database."""
        self._public_path = urlsplit(config.public_url).path.rstrip("/")
        self._loading: asyncio.Task[WebApp] | None = None
        self._app: WebApp | None = None
        """The loaded application; None before its startup is complete and after shutdown."""
        self._notified = False
        self._database_check: asyncio.Future[str] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
            return
        scope, path = self._relocate(scope)
        if scope["type"] == "websocket":
            await self._handle_websocket(dict(scope, path=path, root_path=""), receive, send)
            return
        connection = CURRENT_CONNECTION.get()
        with connection.request() if isinstance(connection, HttpConnection) else nullcontext():
            await self._handle_request(scope, path, receive, send)

    # Startup and shutdown

    @asynccontextmanager
    async def lifespan(self, _app: object = None) -> AsyncIterator[None]:
        """Open all resources and close them on exit; used as the lifespan of an application that mounts this one."""
        await self.web_app()
        try:
            yield
        finally:
            await self.close()

    async def web_app(self) -> WebApp:
        """Wait until the `WebApp` is loaded, and return it."""
        self.start_loading()
        return await asyncio.shield(cast("asyncio.Task[WebApp]", self._loading))

    def start_loading(self) -> None:
        """Start loading the `WebApp` in the background, unless loading has already started."""
        if self._loading is None:
            self._loading = asyncio.create_task(self._load())
            self._loading.add_done_callback(self._on_loaded)

    async def notify_shutdown(self) -> None:
        """Wait briefly for pending writes, then tell clients to reconnect."""
        if self._app and not self._notified:
            self._notified = True
            await self._app.notify_shutdown()

    async def close(self) -> None:
        """Finish pending writes and close the database; further calls have no effect."""
        if self._loading:
            await asyncio.wait([self._loading])
        try:
            await self.notify_shutdown()
        finally:
            app, self._app = self._app, None
            if app:
                await app.stop()

    async def _load(self) -> WebApp:
        app = await asyncio.to_thread(_open_app, self.config)
        await app.start()
        if not gc.isenabled():  # the CLI disables it for a fast start; everything loaded so far stays alive
            gc.freeze()
            gc.set_threshold(*GC_THRESHOLDS)
            gc.enable()
        self._app = app
        return app

    def _on_loaded(self, loading: asyncio.Task[WebApp]) -> None:
        if not loading.cancelled():
            self.startup_error = loading.exception()
        if self.on_loaded:
            self.on_loaded()

    async def _run_lifespan(self, receive: Receive, send: Send) -> None:
        await receive()
        if not self.on_loaded:
            try:
                await self.web_app()
            except Exception as error:  # noqa: BLE001 - the server prints it and stops
                await send({"type": "lifespan.startup.failed", "message": str(error)})
                return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.close()
        await send({"type": "lifespan.shutdown.complete"})

    # Requests

    def _relocate(self, scope: Scope) -> tuple[Scope, str]:
        """Return the scope with the public root path, and the request path relative to that root.

        A proxy may either keep or strip the path of `--public-url`.
        """
        root = scope.get("root_path", "").rstrip("/")
        path = _remove_prefix(scope["path"], root)
        if self._public_path:
            root, path = self._public_path, _remove_prefix(path, self._public_path)
        return dict(scope, root_path=root, path=root + path), path

    async def _handle_websocket(self, scope: Scope, receive: Receive, send: Send) -> None:
        reply = self._rejection(scope, scope["path"], dict(scope["headers"]))
        client = self.config.quota_client((scope.get("client") or ("",))[0])
        if reply is None and self._sockets.take(client):
            try:
                await (await self.web_app()).socket(scope, receive, send)
            finally:
                self._sockets.release(client)
            return
        reply = reply or error_response(429, "slow_down", "Too many connections are open; close some and try again.")
        if reply.status == 429 and self._delayed.take(client):
            try:
                await _wait_disconnected(receive, uniform(*REFUSAL_DELAY_S))
            finally:
                self._delayed.release(client)
        headers = [(b"content-type", reply.content_type.encode()), *reply.headers, *security.security_headers("/api")]
        await send({"type": "websocket.http.response.start", "status": reply.status, "headers": headers})
        await send({"type": "websocket.http.response.body", "body": reply.body})

    async def _handle_request(self, scope: Scope, path: str, receive: Receive, send: Send) -> None:
        is_head = scope["method"] == "HEAD"
        headers = dict(scope["headers"])
        scheme = "https" if self.config.public_url.startswith("https:") else scope["scheme"]
        added = security.security_headers(path, scheme, headers.get(b"host", b"").decode("latin-1"))

        async def send_protected(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                given = dict(message["headers"])
                message["headers"] = [*message["headers"], *(header for header in added if header[0] not in given)]
            await send(message)

        reply = self._rejection(scope, path, headers)
        if reply is None and not path.startswith("/api"):
            reply = await self._page_reply(scope, path, headers)
        if reply is None:
            receive_body = await self._read_body(receive, headers, MAX_BODY_BYTES_BY_PATH.get(path, MAX_BODY_BYTES))
            if receive_body is not None:
                if is_head and not path.startswith("/api/bot/"):  # an endless stream has no Content-Length
                    scope["method"] = "GET"
                await self._pass_on(scope, receive_body, send_protected)
                return
            reply = error_response(413, "too_large", BODY_REJECTED_MESSAGE, (b"connection", b"close"))
        await reply.send(send_protected, head=is_head)

    async def _read_body(self, receive: Receive, headers: dict[bytes, bytes], max_bytes: int) -> Receive | None:
        """Return a `receive` callable for the complete body, or None if it is too large, too slow or over the quota."""
        length = headers.get(b"content-length", b"%d" % max_bytes if b"transfer-encoding" in headers else b"0")
        if not length.isdigit() or len(length) > 12 or int(length) > MAX_DISCARDED_BYTES:
            return None
        client, size = CURRENT_CLIENT.get().address, min(int(length), max_bytes)
        reserved = size if size > SMALL_BODY_BYTES else 0
        if not self._bodies.take(client, reserved):
            return None
        try:
            return await _receive_body(receive, max_bytes)
        finally:
            self._bodies.release(client, reserved)

    async def _pass_on(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            app = await self.web_app()
        except Exception:  # noqa: BLE001 - the CLI prints the reason
            sentence = "The server can't open its database and is shutting down."
            await error_response(503, "cannot_save", sentence).send(send)
            return
        with suppress(Exception):  # already answered and logged
            is_stream = _remove_prefix(scope["path"], scope["root_path"]).startswith("/api/bot/")
            await (app.app if is_stream else app.compressed)(scope, receive, send)

    async def _page_reply(self, scope: Scope, path: str, headers: dict[bytes, bytes]) -> HttpResponse:
        """Return a page, a file or the result of a health check."""
        if scope["method"] not in security.SAFE_METHODS:
            return error_response(405, "bad_message", "Only GET and HEAD are allowed here.", (b"allow", b"GET, HEAD"))
        if path in HEALTH_PATHS:
            return await self._health_reply(scope, path, headers)
        host, root_path = headers.get(b"host", b"").decode("latin-1"), scope["root_path"]
        # Only a match in memory is looked up: pages aren't rate-limited, so they must not read the database.
        room = self._app.service.registry.rooms.get(path.rpartition("/")[2]) if self._app else None
        game = room.encoder.book.title if room else ""
        return site_response(path, headers, self.config.base_url(host, scope["scheme"], root_path), root_path, game)

    async def _health_reply(self, scope: Scope, path: str, headers: dict[bytes, bytes]) -> HttpResponse:
        if path == "/metrics" and not (self.config.metrics or security.is_loopback_request(scope, headers)):
            return error_response(404, "not_found", "There is nothing at this address.")
        if path != "/healthz":
            try:
                async with asyncio.timeout(READY_TIMEOUT_S):
                    app = await self.web_app()
            except Exception:  # noqa: BLE001 - the server reports the reason when it stops
                sentence = "The server has not opened its database yet; try again in a moment."
                return error_response(503, "cannot_save", sentence)
            if path == "/metrics":
                from numberline.web.ops.metrics import METRICS_CONTENT_TYPE, render_metrics

                app.update_gauges()
                return HttpResponse(200, METRICS_CONTENT_TYPE, render_metrics())
            if problem := await self._check_database(app):
                return error_response(503, "cannot_save", problem)
        return HttpResponse(200, "application/json", b'{"ok": true}')

    async def _check_database(self, app: WebApp) -> str:
        """Return the reason the database can't be used, or an empty string; concurrent callers share one check."""
        if self._database_check is None or self._database_check.done():
            self._database_check = asyncio.ensure_future(asyncio.to_thread(app.health_error))
        try:
            async with asyncio.timeout(READY_TIMEOUT_S):
                return await asyncio.shield(self._database_check)
        except TimeoutError:
            return "The database is not responding."

    def _rejection(self, scope: Scope, path: str, headers: dict[bytes, bytes]) -> HttpResponse | None:
        """Return an error response if the request is not allowed or exceeds the rate limit, otherwise None."""
        rejection = self.origin_policy.rejection(scope)
        if rejection:
            return error_response(HTTP_STATUS[rejection.code], rejection.code, rejection.sentence)
        if not path.startswith("/api"):
            return None
        address = client_address((scope.get("client") or ("",))[0])
        client = Client(address, security.request_token(headers).partition(" ")[0], self.rate_limiter)
        CURRENT_CLIENT.set(client)  # every request has its own context
        try:
            client.charge(request_cost(scope.get("method", "GET"), path))
        except ApiError as error:
            return error_response(429, error.code, error.sentence, (b"retry-after", b"%d" % error.retry_after_s))
        return None


def _open_app(config: ServerConfig) -> WebApp:
    from numberline.web.app import WebApp  # slow to import, so loaded in the background

    return WebApp(config)


def _remove_prefix(path: str, prefix: str) -> str:
    """Return `path` relative to `prefix`, or unchanged if it is not below `prefix`."""
    return path.removeprefix(prefix) or "/" if f"{path}/".startswith(f"{prefix}/") else path


async def _wait_disconnected(receive: Receive, timeout_s: float) -> None:
    """Wait until the client of a WebSocket disconnects, but no longer than `timeout_s`."""
    with suppress(TimeoutError):
        async with asyncio.timeout(timeout_s):
            while (await receive())["type"] != "websocket.disconnect":
                pass


async def _receive_body(receive: Receive, max_bytes: int) -> Receive | None:
    body, size, more = bytearray(), 0, True
    try:
        async with asyncio.timeout(BODY_TIMEOUT_S):
            while more and size <= MAX_DISCARDED_BYTES:
                message = await receive()
                part = message.get("body", b"")
                size += len(part)
                body += part if size <= max_bytes else b""
                more = message.get("more_body", False)
    except TimeoutError:
        return None
    messages: list[MutableMapping[str, Any]] = [{"type": "http.request", "body": bytes(body), "more_body": False}]

    async def receive_body() -> MutableMapping[str, Any]:
        return messages.pop() if messages else await receive()

    return receive_body if size <= max_bytes else None
