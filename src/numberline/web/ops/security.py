"""Host and origin checks, client tokens, and security headers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any
from urllib.parse import urlsplit

from numberline.web.protocol.errors import ApiError

_FORWARDED_HEADERS = (b"x-forwarded-for", b"forwarded", b"x-real-ip")
SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
_CONTENT_POLICY = (
    b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    b"form-action 'self'; base-uri 'none'; frame-ancestors "
)
# Cookies that contain a player's token. With HTTPS, the first is set, because neither other subdomains nor plain HTTP
# can overwrite it. Seats that were claimed with the second are still recognized.
PLAYER_COOKIES = ("__Host-player", "player")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,100}")
_COMMON_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
)
# Browsers ignore this header, and complain about it, on a page from plain HTTP on another machine.
_OPENER_POLICY = (b"cross-origin-opener-policy", b"same-origin")


def request_token(headers: Mapping[bytes, bytes], cookies: Iterable[str] = PLAYER_COOKIES) -> str:
    """Return the bearer token or, if the request has none, the tokens in `cookies`, separated by spaces; "" if none."""
    scheme, _, bearer = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if scheme.lower() == "bearer":
        return bearer.strip() if _TOKEN.fullmatch(bearer.strip()) else ""
    parts = (part.strip().partition("=") for part in headers.get(b"cookie", b"").decode("latin-1").split(";"))
    values = {name: value for name, _, value in parts}
    return " ".join(values[name] for name in cookies if _TOKEN.fullmatch(values.get(name, "")))


class OriginPolicy:
    """Allowed hosts and origins: localhost, the configured names and, with `any_address`, any IP address."""

    def __init__(self, public_url: str = "", hosts: Iterable[str] = (), *, any_address: bool = False) -> None:
        public = urlsplit(public_url)
        self.public_origin = f"{public.scheme}://{public.netloc}".lower() if public_url else ""
        self.public_host = (public.hostname or "").lower()
        self.hosts = {host.lower() for host in (*LOOPBACK_HOSTS, *hosts, self.public_host) if host}
        self.any_address = any_address

    def rejection(self, scope: Mapping[str, Any]) -> ApiError | None:
        """Return an error if a request or WebSocket handshake is not allowed, otherwise None."""
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1").lower()
        name = _host_name(host)
        # An address, unlike a name, is safe from DNS rebinding.
        if name not in self.hosts and not (self.any_address and parse_ip(name)):
            return ApiError("bad_message", "Unknown host name; use the address the server printed at startup.")
        is_safe = scope["type"] == "http" and scope["method"] in SAFE_METHODS
        if is_safe or not self._is_cross_origin(headers, host):
            return None
        sentence = "This request came from a page on another site; open Numberline itself and try again."
        return ApiError("wrong_origin", sentence)

    def _is_cross_origin(self, headers: Mapping[bytes, bytes], host: str) -> bool:
        """Return whether a page on another site sent the request, judging by two headers that only browsers send."""
        origin = headers.get(b"origin")
        if origin is None:
            return headers.get(b"sec-fetch-site", b"none") not in {b"same-origin", b"none"}
        found = origin.decode("latin-1").lower()
        is_public = _host_name(host) == self.public_host and self.public_origin.startswith("https:")
        own_schemes = ("https",) if is_public else ("http", "https")
        return found not in {self.public_origin or f"http://{host}", *(f"{scheme}://{host}" for scheme in own_schemes)}


def _host_name(host: str) -> str:
    """Return the host name in a `Host` header, without the port; an empty string if it is invalid."""
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_loopback_request(scope: Mapping[str, Any], headers: Mapping[bytes, bytes]) -> bool:
    """Return whether the request comes directly from this machine, not through a local proxy."""
    ip = parse_ip((scope.get("client") or ("",))[0])
    host = _host_name(headers.get(b"host", b"").decode("latin-1").lower())
    is_direct = host in LOOPBACK_HOSTS and not any(name in headers for name in _FORWARDED_HEADERS)
    return ip is not None and ip.is_loopback and is_direct


@lru_cache(10_000)
def parse_ip(host: str) -> IPv4Address | IPv6Address | None:
    """Return `host` as an IP address, or None if it is not one."""
    try:
        return ip_address(host)
    except ValueError:
        return None


def security_headers(path: str, scheme: str = "http", host: str = "") -> list[tuple[bytes, bytes]]:
    """Return the security and cache headers for a response at `path`."""
    policy = _CONTENT_POLICY + (b"*" if path.startswith("/embed/") else b"'none'")
    caching = b"no-store" if path.startswith(("/play/", "/api/matches", "/api/bot")) else b"no-cache"
    opener = [_OPENER_POLICY] if scheme == "https" or _host_name(host) in LOOPBACK_HOSTS else []
    return [*_COMMON_HEADERS, *opener, (b"content-security-policy", policy), (b"cache-control", caching)]
