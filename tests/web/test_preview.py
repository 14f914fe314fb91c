from __future__ import annotations

import io
from pathlib import Path

import httpx
import pytest
from hypothesis import given, settings
from PIL import Image

from numberline.game.book import Book
from numberline.game.loader import NAMES, book
from numberline.palette import PALETTE
from numberline.web.preview import render_preview
from support.variants import books
from support.web_server import visited


def pixels(png: bytes) -> Image.Image:
    with Image.open(io.BytesIO(png)) as image:
        assert image.format == "PNG"
        return image.convert("RGB")


@settings(max_examples=6)
@given(books())
def test_preview_of_any_variant_has_the_size_for_links(variant: Book) -> None:
    assert pixels(render_preview(variant)).size == (1200, 630)


@pytest.mark.parametrize("name", NAMES)
def test_preview_shows_flags_and_the_moves_of_the_first_player(name: str) -> None:
    data = pixels(render_preview(book(name))).tobytes()
    shown = {data[at : at + 3].hex() for at in range(0, len(data), 3)}
    assert {PALETTE[color].light[1:] for color in ("loss", "one", "strip")} <= shown


def test_preview_leaves_the_margins_free() -> None:
    image = pixels(render_preview(book("line-runner(end=5000, players=3)")))
    paper = Image.new("RGB", image.size, PALETTE["paper"].light)
    for edge in ((0, 0, 30, 630), (1170, 0, 1200, 630), (0, 0, 1200, 20), (0, 610, 1200, 630)):
        assert image.crop(edge).tobytes() == paper.crop(edge).tobytes()


def test_preview_of_a_match_shows_its_variant_but_no_names(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        order = {"variant": "flag-chase", "seats": [{"name": "Ann"}, None]}
        match = (await client.post("/api/matches", json=order)).json()["match"]
        shown = await client.get("/api/preview.png", params={"match": match})
        assert shown.headers["content-type"] == "image/png"
        assert shown.headers.get_list("cache-control") == ["public, max-age=86400"]
        assert shown.content == (await client.get("/api/preview.png", params={"book": "flag-chase"})).content
        assert shown.content != (await client.get("/api/preview.png")).content

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    ("query", "status"), [({"match": "nothing"}, 404), ({"book": "line-walker"}, 422), ({"match": "a/b"}, 404)]
)
def test_preview_of_something_unknown_is_rejected(tmp_path: Path, query: dict[str, str], status: int) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.get("/api/preview.png", params=query)).status_code == status

    visited(tmp_path, visit)
