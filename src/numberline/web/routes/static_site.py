"""Pages and static files. No framework is imported here, so the first page can be served immediately."""

from __future__ import annotations

import json
import mimetypes
import re
import zlib
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import cache, lru_cache
from html import escape
from pathlib import Path
from posixpath import dirname, normpath
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
# Navigation link to mark as current, by template; on all other pages, it is the link to the home page.
NAV_LINKS = {"puzzles": "/puzzles", "lessons": "/lessons", "lesson": "/lessons", "variants": "/variants"}
# Messaging apps must be able to read the pages of matches; a `noindex` tag hides these pages from search engines.
ROBOTS_TXT = b"User-agent: *\nDisallow: /api/\nAllow: /api/preview.png\n"
_STATIC_DIR = WEB_DIR / "static"
_IMMUTABLE = (b"cache-control", b"public, max-age=31536000, immutable")
_VERSION_LENGTH = 16
_BLOCK = re.compile(r"{% block (\w+) %}(.*?){% endblock %}", re.DOTALL)
_ROOT_LINK = re.compile(r'\b(href|src|action)="/')
_MODULE_SCRIPT = re.compile(r'<script type="module" src="/static/([^"]*)"')
_IMPORT = re.compile(rb'^import\b[^;"]*"(\.[^"]*)"', re.MULTILINE)
_MEDIA_TYPES = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]


class HttpResponse(NamedTuple):
    """A complete HTTP response."""

    status: int
    content_type: str
    body: bytes
    headers: tuple[tuple[bytes, bytes], ...] = ()

    def compressed(self, request_headers: Mapping[bytes, bytes]) -> HttpResponse:
        """Return the response with a gzip-encoded body if the client accepts it."""
        headers = (*self.headers, (b"vary", b"accept-encoding"))
        if b"gzip" not in request_headers.get(b"accept-encoding", b""):
            return self._replace(headers=headers)
        return self._replace(body=_gzip(self.body), headers=(*headers, (b"content-encoding", b"gzip")))

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


def site_response(
    path: str, headers: Mapping[bytes, bytes], base_url: str = "", root_path: str = "", game: str = ""
) -> HttpResponse:
    """Return the page or file at `path`; `base_url` is for the absolute URLs of a page and its preview image.

    `game` is the title of the book of the page's match, if it is known.
    """
    if path == "/robots.txt":
        return HttpResponse(200, "text/plain; charset=utf-8", ROBOTS_TXT)
    if path == "/favicon.ico":
        path = "/static/icon.svg"
    if path.startswith("/static/"):
        return _file_response(path.removeprefix("/static/"), root_path).compressed(headers)
    page = next((name for pattern, name in PAGE_TEMPLATES.items() if re.fullmatch(pattern, path)), None)
    text = _render_page(page or "lost", base_url, path if page else "/", game)
    body = rebase_page(text, root_path) if root_path else text
    return HttpResponse(200 if page else 404, "text/html; charset=utf-8", body.encode()).compressed(headers)


def rebase_page(html: str, base_path: str) -> str:
    """Prefix the root-relative links of a page with `base_path`, and set `data-base` for its scripts.

    >>> rebase_page('<html lang="en"><a href="/puzzles">', "/games")
    '<html data-base="/games" lang="en"><a href="/games/puzzles">'
    """
    prefix = quote(base_path)
    html = _ROOT_LINK.sub(rf'\1="{prefix}/', html)
    return html.replace("<html ", f'<html data-base="{prefix}" ', 1)


# Static files


def _file_response(path: str, root_path: str) -> HttpResponse:
    """Return a static file; redirect to the current version if `path` contains another version or none."""
    version, _, name = path.partition("/")
    if version == static_version() and name in _static_files():
        kind = _MEDIA_TYPES.get(Path(name).suffix) or mimetypes.guess_type(name)[0] or "application/octet-stream"
        return HttpResponse(200, kind, _static_files()[name], (_IMMUTABLE,))
    name = name if len(version) == _VERSION_LENGTH else path
    if name not in _static_files():
        return HttpResponse(404, "text/plain; charset=utf-8", b"File not found.\n")
    location = f"{quote(root_path)}/static/{static_version()}/{name}"
    return HttpResponse(302, "text/plain; charset=utf-8", b"", ((b"location", location.encode()),))


@cache
def _static_files() -> dict[str, bytes]:
    """Return all static files by name. They are read once, so that the files served as one version never change."""
    paths = sorted(path for path in _STATIC_DIR.rglob("*") if path.is_file())
    return {path.relative_to(_STATIC_DIR).as_posix(): path.read_bytes() for path in paths}


@cache
def static_version() -> str:
    """Return a hash of all static files, which is part of their URLs."""
    import hashlib  # slow to import

    return hashlib.blake2b(repr(_static_files()).encode(), digest_size=_VERSION_LENGTH // 2).hexdigest()


@lru_cache(256)
def _gzip(content: bytes) -> bytes:
    return zlib.compress(content, wbits=31)


@cache
def _imported_modules(script: str) -> list[str]:
    """Return the modules that a script imports when it starts, directly or indirectly."""
    names = [script]
    for name in names:  # the list grows
        for target in _IMPORT.findall(_static_files()[name]):
            imported = normpath(f"{dirname(name)}/{target.decode()}")
            names += [imported] if imported not in names else []
    return names[1:]


# Pages


def _render_page(name: str, base_url: str, path: str, game: str) -> str:
    """Return the page for a template; if the template extends the layout, insert its blocks into the layout."""
    text = _read_template(name)
    subject = "" if name == "review" else "/".join(path.split("/")[2:])
    if text.startswith('{% extends "layout.html" %}'):
        blocks: dict[str, str] = dict(_BLOCK.findall(text))
        link = f'<a href="{NAV_LINKS.get(name, "/")}"'
        layout = _read_template("layout").replace(link, f'{link} aria-current="page"', 1)
        if title := game or (subject and name != "play" and _book_title(subject)):
            blocks["title"] = f"{escape(title)} · {blocks['title']}"
        text = _BLOCK.sub(lambda block: blocks.get(block[1]) or block[2], layout)
        query = f"?{'match' if name == 'play' else 'book'}={quote(subject, safe='')}" if subject else ""
        text = text.replace("{{ url }}", escape(f"{base_url}{quote(path)}"))
        text = text.replace("{{ image }}", escape(f"{base_url}/api/preview.png{query}"))
    modules = dict.fromkeys(module for script in _MODULE_SCRIPT.findall(text) for module in _imported_modules(script))
    preloads = "".join(f'<link rel="modulepreload" href="/static/{name}">\n' for name in modules)
    text = text.replace("</head>", f"{preloads}</head>", 1)
    return text.replace('"/static/', f'"/static/{static_version()}/')


def _book_title(variant: str) -> str:
    """Return the title of the built-in book that a variant belongs to, or an empty string if there is none."""
    from numberline.game.loader import NAMES, book  # loaded late: the home page doesn't need it

    name = variant.partition("(")[0]
    return book(name).title if name in NAMES else ""


def _read_template(name: str) -> str:
    return (WEB_DIR / "templates" / f"{name}.html").read_text("utf-8")
