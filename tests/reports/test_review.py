"""`numberline review --html` and `--plot`: pages and pictures in files."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

import numberline as nl
from cli.test_review import LOST_WIN, at_random, played, written
from numberline.explain.review import review
from numberline.reports.review import review_page
from support.commands import numberline
from support.variants import EVERY


def test_review_writes_a_chart(tmp_path: Path) -> None:
    picture = tmp_path / "game.svg"
    ran = numberline("review", written(tmp_path, played("flag-chase", "3", "2", "2")), "--plot", str(picture))
    assert (ran.code, ran.err, ran.out) == (0, f"Wrote the chart to {picture}.\n", "")
    assert "is winning" in picture.read_text()


def test_a_picture_shows_one_game(tmp_path: Path) -> None:
    match = played("flag-chase", "3", names=("$x^$", "Bob"))
    file = written(tmp_path, match, match)
    ran = numberline("review", file, "--plot", str(tmp_path / "game.svg"))
    assert "--plot draws only one game" in ran.err
    assert ran.code == 2
    assert numberline("review", file, "--game", "2", "--plot", str(tmp_path / "game.svg")).code == 0


class Page(HTMLParser):
    """Elements of a page; every opened tag must be closed."""

    VOID = ("meta", "rect", "line", "circle")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [str(value) for name, value in attrs if name in {"src", "href", "action"}]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in self.VOID:
            assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def test_the_page_is_one_file_that_needs_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    file = written(tmp_path, played("reach-the-edge", *LOST_WIN), played("flag-chase", "3", "2", "2"))
    ran = numberline("review", file, "--html", str(target))
    assert (ran.code, ran.err) == (0, f"Wrote the page to {target}.\n")
    parsed = Page(target.read_text())
    assert parsed.open == parsed.links == []
    assert not {"script", "link", "img"} & set(parsed.tags)
    assert not re.search(r"url\(|@import|https?:", target.read_text())
    assert "On Ann's fourth move, 3 was better than 1: it could have won." in parsed.text
    assert parsed.tags.count("article") == 2


def test_names_are_escaped_in_the_page(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    match = played("flag-chase", "3", "2", "2", names=("<script>alert('x')</script>", "\"'><b>&amp;"))
    assert numberline("review", written(tmp_path, match), "--html", str(target)).code == 0
    parsed = Page(target.read_text())
    assert "script" not in parsed.tags
    assert parsed.open == []
    assert "<script>alert('x')</script>" in parsed.text


def test_a_page_of_a_game_without_moves_is_written_too(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    assert numberline("review", written(tmp_path, played("flag-chase")), "--html", str(target)).code == 0
    assert "There are no moves yet." in Page(target.read_text()).text


@pytest.mark.parametrize("variant", [variant for variant in EVERY if nl.book(variant).rules.players == 2])
def test_a_page_has_a_row_for_every_move(variant: str) -> None:
    match = at_random(variant, 1)
    found = review(nl.solve(match.book), match)
    assert Page(review_page([found])).tags.count("tr") == len(match.plies) + 1


def test_the_page_of_a_very_long_game_has_a_chart_of_few_bars() -> None:
    match = at_random("line-runner(end=1500, steps=1)", 1, most=2_000)
    found = review(nl.solve(match.book), match)
    assert Page(review_page([found])).tags.count("g") <= 400
