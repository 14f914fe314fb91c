"""What those ask who look after the server: whether it answers, whether it is ready, and how much it does."""

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
"""After so many seconds a database that does not answer is not ready."""
_FORWARDED = (b"x-forwarded-for", b"forwarded", b"x-real-ip")


class HealthChecks:
    """Answers without troubling the tables."""

    def __init__(self, *, metrics: bool) -> None:
        self._metrics = metrics
        self._asking: asyncio.Future[str] | None = None

    async def reply(
        self, scope: Mapping[str, Any], headers: Mapping[bytes, bytes], house: Callable[[], Awaitable[WebApp]]
    ) -> HttpResponse:
        """What is answered at one of the addresses; the house is waited for, but not long."""
        if scope["method"] not in SAFE_METHODS:
            return error_response(405, "bad_message", "This can only be read.", (b"allow", b"GET, HEAD"))
        if scope["path"] == "/healthz":
            return _fine()
        if scope["path"] == "/metrics" and not (self._metrics or _is_near(scope, headers)):
            return error_response(404, "not_found", "There is nothing at this address.")
        try:
            async with asyncio.timeout(READY_TIMEOUT_S):
                opened = await house()
        except Exception:  # noqa: BLE001 - why it can't be opened is said where it was started
            return _later("The server has not opened its database; ask again in a moment.")
        if scope["path"] == "/metrics":
            from numberline.web.ops.metrics import METRICS_CONTENT_TYPE, render_metrics

            return HttpResponse(200, METRICS_CONTENT_TYPE, render_metrics(opened))
        why = await self._trouble(opened)
        return _later(why) if why else _fine()

    async def _trouble(self, house: WebApp) -> str:
        """Why the database can't be used; it is asked once for all who want to know in the same moment."""
        if self._asking is None or self._asking.done():
            self._asking = asyncio.ensure_future(asyncio.to_thread(house.health_error))
        try:
            async with asyncio.timeout(READY_TIMEOUT_S):
                return await asyncio.shield(self._asking)
        except TimeoutError:
            return "The database does not answer."


def _fine() -> HttpResponse:
    return HttpResponse(200, "application/json", json.dumps({"ok": True}).encode())


def _later(sentence: str) -> HttpResponse:
    return error_response(503, "cannot_save", sentence)


def _is_near(scope: Mapping[str, Any], headers: Mapping[bytes, bytes]) -> bool:
    """Whether this machine itself asks, and not a proxy on it for somebody else."""
    try:
        near = ip_address((scope.get("client") or ("",))[0]).is_loopback
    except ValueError:
        return False
    return near and not any(name in headers for name in _FORWARDED)
