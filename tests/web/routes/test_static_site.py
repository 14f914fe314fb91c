from __future__ import annotations

import asyncio
import gzip
import re
from html import unescape
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from numberline.web.routes.static_site import site_response, static_version
from support.web_server import opened_site, visited

BASE_URL = "https://games.example.org/play-here"
LINKS = (
    "/",
    "/new/line-runner",
    "/play/abc",
    "/review/abc",
    "/puzzles",
    "/lessons/flag-chase",
    "/rules/line-runner(end=30)",
)


def page(path: str, base_url: str = BASE_URL) -> str:
    return site_response(path, {}, base_url).body.decode()


def metadata(text: str) -> dict[str, str]:
    """The metadata of a page, by name."""
    found = re.findall(r'<meta (?:name|property)="([^"]*)" content="([^"]*)">', text)
    return {name: unescape(content) for name, content in found}


@pytest.mark.parametrize("path", LINKS)
def test_pages_have_a_title_a_description_and_a_picture(path: str) -> None:
    found = metadata(page(path))
    assert found["og:title"].endswith("Numberline")
    assert found["og:description"] == found["description"]
    assert found["og:description"].endswith(".")
    assert found["og:url"] == BASE_URL + quote(path)
    assert found["og:image"].startswith(f"{BASE_URL}/api/preview.png")
    assert found["twitter:card"] == "summary_large_image"
    assert "{{" not in page(path)


def test_picture_of_a_page_shows_its_match_or_variant() -> None:
    assert metadata(page("/play/abc"))["og:image"] == f"{BASE_URL}/api/preview.png?match=abc"
    assert metadata(page("/rules/a(b=1, c)"))["og:image"] == f"{BASE_URL}/api/preview.png?book=a%28b%3D1%2C%20c%29"
    assert metadata(page("/review/abc"))["og:image"] == f"{BASE_URL}/api/preview.png"


def test_title_names_the_book() -> None:
    assert metadata(page("/rules/reach-the-edge(end=30)"))["og:title"] == "Reach the Edge · Rules · Numberline"
    assert metadata(page("/rules/line-walker"))["og:title"] == "Rules · Numberline"


def test_title_of_a_match_page_names_the_game_but_no_player(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        seats = [{"name": "Ann"}, None]
        made = (await client.post("/api/matches", json={"variant": "flag-chase", "seats": seats})).json()
        text = (await client.get(f"/play/{made['match']}")).text
        assert metadata(text)["og:title"] == "Flag Chase · A game on a number line · Numberline"
        assert "Ann" not in text

    visited(tmp_path, visit)


def test_matches_are_not_indexed_but_their_pages_can_be_read() -> None:
    robots = site_response("/robots.txt", {}).body.decode()
    assert "/play/" not in robots
    assert metadata(page("/play/abc"))["robots"] == "noindex"


@pytest.mark.parametrize("base_url", ['http://localhost"><script>', "http://a&b"])
def test_base_url_and_path_are_escaped(base_url: str) -> None:
    text = page('/rules/"><script>', base_url)
    assert "<script>" not in text
    assert metadata(text)["og:image"].startswith(f"{base_url}/api/preview.png")


def test_pictures_have_the_public_url(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        found = metadata((await client.get("/play/abc")).text)
        assert found["og:image"] == "https://games.example.org/api/preview.png?match=abc"

    visited(tmp_path, visit, public_url="https://games.example.org")


def test_files_are_cached_forever_below_the_version_of_their_folder() -> None:
    file = site_response(f"/static/{static_version()}/css/base.css", {})
    assert (file.status, dict(file.headers)[b"cache-control"]) == (200, b"public, max-age=31536000, immutable")


@pytest.mark.parametrize("path", ["/static/css/base.css", "/static/0123456789abcdef/css/base.css"])
@pytest.mark.parametrize("root_path", ["", "/games"])
def test_other_addresses_of_files_are_redirected(path: str, root_path: str) -> None:
    reply = site_response(path, {}, root_path=root_path)
    location = dict(reply.headers)[b"location"].decode()
    assert (reply.status, location) == (302, f"{root_path}/static/{static_version()}/css/base.css")
    assert site_response(location.removeprefix(root_path), {}).status == 200


@pytest.mark.parametrize("path", ["/", "/play/abc", "/embed/line-runner"])
def test_pages_preload_every_module_that_they_start_with(path: str) -> None:
    text = page(path)
    loaded = set(re.findall(r'<(?:script type="module" src|link rel="modulepreload" href)="/([^"]*)"', text))
    for name in loaded:
        source = site_response(f"/{name}", {}).body.decode()
        for target in re.findall(r'^(?:import .*|\} )from "(\./|\.\./)([^"]*)"', source, re.MULTILINE):
            folder = Path(name).parent if target[0] == "./" else Path(name).parents[1]
            assert str(folder / target[1]) in loaded
    assert len(loaded) > 5


@pytest.mark.parametrize("path", ["/", f"/static/{static_version()}/css/base.css"])
def test_pages_and_files_are_compressed_for_clients_that_accept_it(path: str) -> None:
    plain, packed = site_response(path, {}), site_response(path, {b"accept-encoding": b"br, gzip"})
    assert (b"content-encoding", b"gzip") in packed.headers
    assert (b"vary", b"accept-encoding") in packed.headers
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body) / 2


def test_data_is_compressed_but_streams_are_not(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened_site(tmp_path) as site:
            books = await site.client.get("/api/books")
            assert books.headers["content-encoding"] == "gzip"
            assert books.json()["books"]
            made = await site.match({"name": "Ann"}, {"name": "Ben"})
            async with site.client.stream("GET", f"/api/bot/matches/{made['match']}") as stream:
                assert "content-encoding" not in stream.headers

    asyncio.run(run())


def test_example_book_on_the_page_is_the_one_in_the_docs() -> None:
    shown = site_response(f"/static/{static_version()}/example-book.toml", {}).body.decode()
    documented = (Path(__file__).parents[3] / "docs" / "example-book.toml").read_text("utf-8")
    assert shown.splitlines()[1:] == documented.splitlines()[1:]  # the first line says how to play it
