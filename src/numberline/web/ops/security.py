"""Who may ask: requests from our own pages and from programs, never from a stranger's page; and what answers forbid."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from ipaddress import ip_address
from typing import Any, NamedTuple
from urllib.parse import urlsplit

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
LOOPBACK_HOSTS = ("localhost", "127.0.0.1", "::1")
"""The names by which a machine calls itself."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors "
)
_TOKEN = re.compile(r"[A-Za-z0-9_-]{16,100}")
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=(), usb=()"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
_POLICIES = {"none": f"{_POLICY}'none'".encode(), "all": f"{_POLICY}*".encode()}


class Rejection(NamedTuple):
    """A request that is turned away: with which status, code and sentence."""

    status: int
    code: str
    sentence: str


CROSS_ORIGIN_REJECTION = Rejection(
    403, "wrong_origin", "This came from a page of another site; open the table itself and try there."
)


def headers_of(scope: Mapping[str, Any]) -> dict[bytes, bytes]:
    """The headers of a request by name in small letters."""
    return dict(scope["headers"])


def is_token(text: str) -> bool:
    """Whether a text could be a token."""
    return _TOKEN.fullmatch(text) is not None


def request_token(headers: Mapping[bytes, bytes]) -> str:
    """What a request proves its seats with: a program's `Authorization`, a browser's cookie, or nothing."""
    scheme, _, bearer = headers.get(b"authorization", b"").decode("latin-1").partition(" ")
    if scheme.lower() == "bearer":
        return bearer.strip()
    for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
        name, _, value = part.strip().partition("=")
        if name == "player":
            return value
    return ""


class OriginPolicy:
    """Knows the names that this server answers to: its own, those that were told, and any address where it is open."""

    def __init__(self, public_url: str = "", hosts: Iterable[str] = (), *, any_address: bool = False) -> None:
        public = urlsplit(public_url)
        self.public_origin = f"{public.scheme}://{public.netloc}".lower() if public_url else ""
        self.hosts = {host.lower() for host in (*LOOPBACK_HOSTS, *hosts, public.hostname or "") if host}
        self.any_address = any_address

    def rejection(self, scope: Mapping[str, Any]) -> Rejection | None:
        """Why a request or a handshake is turned away; None where it may pass."""
        headers = headers_of(scope)
        host = headers.get(b"host", b"").decode("latin-1").lower()
        if not self._serves(host):
            return Rejection(
                400, "bad_message", "This server does not go by that name; use the address that it printed."
            )
        if scope["type"] == "http" and scope["method"] in SAFE_METHODS:
            return None
        return CROSS_ORIGIN_REJECTION if self._foreign(headers, host) else None

    def _foreign(self, headers: Mapping[bytes, bytes], host: str) -> bool:
        """Whether a page of another site sent this; programs send neither of the two headers."""
        origin = headers.get(b"origin")
        if origin is None:
            return headers.get(b"sec-fetch-site", b"none") not in {b"same-origin", b"none"}
        found = origin.decode("latin-1").lower()
        return found not in {f"http://{host}", f"https://{host}", self.public_origin or f"http://{host}"}

    def _serves(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name in self.hosts or (self.any_address and is_ip_address(name))


def is_ip_address(name: str) -> bool:
    """Whether a host is written as an address; nobody can make such a name lead elsewhere."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def security_headers(path: str) -> list[tuple[bytes, bytes]]:
    """The headers that every answer has: what a page may load, who may frame it, and what may be kept."""
    framed = path.startswith("/embed/")
    kept = b"no-store" if path.startswith(("/play/", "/api/matches", "/api/bot")) else b"no-cache"
    policy = _POLICIES["all" if framed else "none"]
    return [*_ALWAYS, (b"content-security-policy", policy), (b"cache-control", kept)]
