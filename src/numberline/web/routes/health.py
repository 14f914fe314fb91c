"""Liveness, readiness and metrics endpoints."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any

from numberline.web.ops.security import SAFE_METHODS
from numberline.web.routes.static_site import HttpResponse, error_response

if TYPE_CHECKING:
    from numberline.web.app import WebApp

READY_TIMEOUT_S = 5.0
_FORWARDED_HEADERS = (b"x-forwarded-for", b"forwarded", b"x-real-ip")


class HealthChecks:
    """Answers health checks; `metrics` exposes /metrics to other machines."""

    def __init__(self, *, metrics: bool) -> None:
        self._metrics = metrics
        self._database_check: asyncio.Future[str] | None = None

    async def reply(
        self, scope: Mapping[str, Any], headers: Mapping[bytes, bytes], get_app: Callable[[], Awaitable[WebApp]]
    ) -> HttpResponse:
        if scope["method"] not in SAFE_METHODS:
            return error_response(405, "bad_message", "Only GET and HEAD are allowed here.", (b"allow", b"GET, HEAD"))
        if scope["path"] == "/healthz":
            return _ok()
        if scope["path"] == "/metrics" and not (self._metrics or _is_loopback(scope, headers)):
            return error_response(404, "not_found", "There is nothing at this address.")
        try:
            async with asyncio.timeout(READY_TIMEOUT_S):
                app = await get_app()
        except Exception:  # noqa: BLE001 - the server reports the reason when it stops
            return _unavailable("The server has not opened its database yet; try again in a moment.")
        if scope["path"] == "/metrics":
            from numberline.web.ops.metrics import METRICS_CONTENT_TYPE, render_metrics

            return HttpResponse(200, METRICS_CONTENT_TYPE, render_metrics(app))
        problem = await self._check_database(app)
        return _unavailable(problem) if problem else _ok()

    async def _check_database(self, app: WebApp) -> str:
        """Return why the database can't be used, or nothing; concurrent callers share one check."""
        if self._database_check is None or self._database_check.done():
            self._database_check = asyncio.ensure_future(asyncio.to_thread(app.health_error))
        try:
            async with asyncio.timeout(READY_TIMEOUT_S):
                return await asyncio.shield(self._database_check)
        except TimeoutError:
            return "The database does not respond."


def _ok() -> HttpResponse:
    return HttpResponse(200, "application/json", json.dumps({"ok": True}).encode())


def _unavailable(sentence: str) -> HttpResponse:
    return error_response(503, "cannot_save", sentence)


def _is_loopback(scope: Mapping[str, Any], headers: Mapping[bytes, bytes]) -> bool:
    """Return whether the request comes from this machine, and not from another one through a proxy on it."""
    try:
        loopback = ip_address((scope.get("client") or ("",))[0]).is_loopback
    except ValueError:
        return False
    return loopback and not any(name in headers for name in _FORWARDED_HEADERS)
