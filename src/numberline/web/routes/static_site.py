"""The pages before anything is fetched, and the files that they load; with no framework they are there at once."""

from __future__ import annotations

import json
import mimetypes
import re
import zlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from pathlib import Path
from typing import Any, NamedTuple

WEB_DIR = Path(__file__).parents[1]
PAGE_TEMPLATES = {
    r"/": "home",
    r"/new/.+": "new",
    r"/play/[^/]+": "play",
    r"/review(/[^/]+)?": "review",
    r"/puzzles": "puzzles",
    r"/lessons": "lessons",
    r"/lessons/.+": "lesson",
    r"/rules/.+": "rules",
    r"/variants(/.+)?": "variants",
    r"/embed/.+": "embed",
}
"""Which template an address shows."""
NAV_LINKS = {"puzzles": "/puzzles", "lessons": "/lessons", "lesson": "/lessons", "variants": "/variants"}
"""Which of the links at the top of a page leads to where one is; the first one for all others."""
HEALTH_PATHS = ("/healthz", "/readyz", "/metrics")
"""What is asked by those who look after the server."""
ROBOTS_TXT = b"User-agent: *\nDisallow: /play/\nDisallow: /api/\n"
_BLOCK = re.compile(r"{% block (\w+) %}(.*?){% endblock %}", re.DOTALL)
_FILE = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*")
"""What a static file can be called; nothing that leads out of its folder."""
MAX_FILE_NAME_LENGTH = 100
"""None of them has a longer name; the system can't look for every one."""
_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class HttpResponse(NamedTuple):
    """A whole answer."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()

    async def send(self, send: Send, *, head: bool = False) -> None:
        """Sends it; without its body where only its head was asked for."""
        size = str(len(self.body)).encode()
        headers = [(b"content-type", self.content_type.encode()), (b"content-length", size), *self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if head else self.body})


def error_response(status: int, code: str, sentence: str, *headers: tuple[bytes, bytes]) -> HttpResponse:
    """An error as programs and pages read it."""
    from numberline.web.ops.metrics import record_rejection  # loaded late: pages don't need it

    record_rejection(code)
    body = json.dumps({"code": code, "sentence": sentence}, ensure_ascii=False).encode()
    return HttpResponse(status, "application/json", body, headers)


class StaticSite:
    """The pages and files; what was read once is kept until the file changes."""

    def __init__(self) -> None:
        self._files: dict[Path, tuple[int, bytes, bytes, bytes]] = {}
        """When each file was changed, its content, the same packed, and the tag by which a browser knows it."""

    def reply(self, path: str, headers: Mapping[bytes, bytes]) -> HttpResponse | None:
        """What is at an address; None where it is not one of ours."""
        if path == "/robots.txt":
            return HttpResponse(200, "text/plain; charset=utf-8", ROBOTS_TXT)
        if path == "/favicon.ico":
            path = "/static/icon.svg"
        if path.startswith("/static/"):
            return self._file(path.removeprefix("/static/"), headers)
        if path.startswith("/api") or path in HEALTH_PATHS:
            return None
        page = next((name for pattern, name in PAGE_TEMPLATES.items() if re.fullmatch(pattern, path)), None)
        return self._page(page) if page else self._lost()

    def _page(self, name: str) -> HttpResponse:
        """A page: its own blocks in the layout of all pages, where it asks for that; it knows nothing but constants."""
        text = _template(name)
        if text.startswith('{% extends "layout.html" %}'):
            own: dict[str, str] = dict(_BLOCK.findall(text))
            link = f'<a href="{NAV_LINKS.get(name, "/")}"'
            layout = _template("layout").replace(link, f'{link} aria-current="page"', 1)
            text = _BLOCK.sub(lambda block: own.get(block[1]) or block[2], layout)
        return HttpResponse(200, "text/html; charset=utf-8", text.encode())

    def _lost(self) -> HttpResponse:
        """What is said where there is no page."""
        return self._page("lost")._replace(status=404)

    def _file(self, name: str, headers: Mapping[bytes, bytes]) -> HttpResponse:
        """A file that pages load, packed where that is understood; or word that the browser has it already."""
        path = WEB_DIR / "static" / name
        if len(name) > MAX_FILE_NAME_LENGTH or not _FILE.fullmatch(name) or not path.is_file():
            return HttpResponse(404, "text/plain; charset=utf-8", b"There is no such file.\n")
        changed = path.stat().st_mtime_ns
        if self._files.get(path, (0, b"", b"", b""))[0] != changed:
            import hashlib  # no page waits for it

            content = path.read_bytes()
            tag = b'W/"' + hashlib.blake2b(content, digest_size=12).hexdigest().encode() + b'"'
            self._files[path] = (changed, content, zlib.compress(content, wbits=31), tag)
        _, content, packed, tag = self._files[path]
        media = _TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        known = ((b"etag", tag), (b"vary", b"accept-encoding"))
        if tag in headers.get(b"if-none-match", b""):
            return HttpResponse(304, media, b"", known)
        if b"gzip" in headers.get(b"accept-encoding", b""):
            return HttpResponse(200, media, packed, (*known, (b"content-encoding", b"gzip")))
        return HttpResponse(200, media, content, known)


def _template(name: str) -> str:
    return (WEB_DIR / "templates" / f"{name}.html").read_text("utf-8")
