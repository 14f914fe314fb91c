"""Pages and static files. No framework is imported here, so the first page can be served immediately."""

from __future__ import annotations

import json
import mimetypes
import re
import zlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from html import escape
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

WEB_DIR = Path(__file__).parents[1]
# Template names by path pattern.
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
# The navigation link marked as current on each page; all other pages mark the link to the home page.
NAV_LINKS = {"puzzles": "/puzzles", "lessons": "/lessons", "lesson": "/lessons", "variants": "/variants"}
# Search engines must not list matches, but messengers read their pages; those pages have a tag for search engines.
ROBOTS_TXT = b"User-agent: *\nDisallow: /api/\nAllow: /api/preview.png\n"
MAX_FILE_NAME_LENGTH = 100
_BLOCK = re.compile(r"{% block (\w+) %}(.*?){% endblock %}", re.DOTALL)
# Never matches a path that leads outside the folder.
_FILE_NAME = re.compile(r"(?:[A-Za-z0-9_-]+/)*[A-Za-z0-9_-][A-Za-z0-9_.-]*")
_MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class HttpResponse(NamedTuple):
    """A complete HTTP response."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()

    async def send(self, send: Send, *, head: bool = False) -> None:
        """Send the response, without its body if `head` is true."""
        size = str(len(self.body)).encode()
        headers = [(b"content-type", self.content_type.encode()), (b"content-length", size), *self.headers]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": b"" if head else self.body})


def error_response(status: int, code: str, sentence: str, *headers: tuple[bytes, bytes]) -> HttpResponse:
    from numberline.web.ops.metrics import record_rejection  # loaded late: pages don't need it

    record_rejection(code)
    body = json.dumps({"code": code, "sentence": sentence}, ensure_ascii=False).encode()
    return HttpResponse(status, "application/json", body, headers)


class _StaticFile(NamedTuple):
    modified_ns: int
    content: bytes
    gzipped: bytes
    etag: bytes


class StaticSite:
    """Pages and static files; files are cached until they change on disk."""

    def __init__(self) -> None:
        self._files: dict[Path, _StaticFile] = {}

    def reply(self, path: str, headers: Mapping[bytes, bytes], base_url: str = "") -> HttpResponse:
        """Return the page or file at `path`; pages contain their own address and that of a picture below `base_url`."""
        if path == "/robots.txt":
            return HttpResponse(200, "text/plain; charset=utf-8", ROBOTS_TXT)
        if path == "/favicon.ico":
            path = "/static/icon.svg"
        if path.startswith("/static/"):
            return self._file_response(path.removeprefix("/static/"), headers)
        page = next((name for pattern, name in PAGE_TEMPLATES.items() if re.fullmatch(pattern, path)), None)
        return _render_page(page, base_url, path) if page else _render_page("lost", base_url)._replace(status=404)

    def _file_response(self, name: str, headers: Mapping[bytes, bytes]) -> HttpResponse:
        path = WEB_DIR / "static" / name
        if len(name) > MAX_FILE_NAME_LENGTH or not _FILE_NAME.fullmatch(name) or not path.is_file():
            return HttpResponse(404, "text/plain; charset=utf-8", b"File not found.\n")
        file = self._read(path)
        media_type = _MEDIA_TYPES.get(path.suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        cache_headers = ((b"etag", file.etag), (b"vary", b"accept-encoding"))
        if file.etag in headers.get(b"if-none-match", b""):
            return HttpResponse(304, media_type, b"", cache_headers)
        if b"gzip" in headers.get(b"accept-encoding", b""):
            return HttpResponse(200, media_type, file.gzipped, (*cache_headers, (b"content-encoding", b"gzip")))
        return HttpResponse(200, media_type, file.content, cache_headers)

    def _read(self, path: Path) -> _StaticFile:
        modified_ns = path.stat().st_mtime_ns
        file = self._files.get(path)
        if file is None or file.modified_ns != modified_ns:
            import hashlib  # loaded late: pages don't need it

            content = path.read_bytes()
            etag = b'W/"' + hashlib.blake2b(content, digest_size=12).hexdigest().encode() + b'"'
            file = self._files[path] = _StaticFile(modified_ns, content, zlib.compress(content, wbits=31), etag)
        return file


def _render_page(name: str, base_url: str, path: str = "/") -> HttpResponse:
    """Return the page for a template; if the template extends the layout, insert its blocks into the layout."""
    text = _read_template(name)
    subject = "" if name == "review" else "/".join(path.split("/")[2:])
    if text.startswith('{% extends "layout.html" %}'):
        blocks: dict[str, str] = dict(_BLOCK.findall(text))
        link = f'<a href="{NAV_LINKS.get(name, "/")}"'
        layout = _read_template("layout").replace(link, f'{link} aria-current="page"', 1)
        if (title := _book_title(subject)) and "title" in blocks:
            blocks["title"] = f"{title} · {blocks['title']}"
        text = _BLOCK.sub(lambda block: blocks.get(block[1]) or block[2], layout)
        query = f"?{'match' if name == 'play' else 'book'}={quote(subject, safe='')}" if subject else ""
        text = text.replace("{{ url }}", escape(f"{base_url}{quote(path)}"))
        text = text.replace("{{ image }}", escape(f"{base_url}/api/preview.png{query}"))
    return HttpResponse(200, "text/html; charset=utf-8", text.encode())


def _book_title(variant: str) -> str:
    """Return the title of a built-in book, or an empty string."""
    if not variant:
        return ""
    from numberline.game.loader import NAMES, book  # loaded late: the home page doesn't need it

    name = variant.partition("(")[0]
    return book(name).title if name in NAMES else ""


def _read_template(name: str) -> str:
    return (WEB_DIR / "templates" / f"{name}.html").read_text("utf-8")
