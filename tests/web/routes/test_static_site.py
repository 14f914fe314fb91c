from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from numberline.web.routes.static_site import StaticSite
from support.web_server import visited

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
    return StaticSite().reply(path, {}, base_url).body.decode()


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


def test_matches_are_not_indexed_but_their_pages_can_be_read() -> None:
    robots = StaticSite().reply("/robots.txt", {}).body.decode()
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
