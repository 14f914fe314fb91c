"""Pages of the lab in a real browser: they fit a phone, and everybody can read them, by day and by night."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.sync_api import Browser, Page

import numberline as nl
from browsing import opened_browser
from numberline.analysis.landscape import landscape
from numberline.lab.comparing import compare
from numberline.lab.measuring import measure
from numberline.lab.summary import differences
from numberline.reports.map import Heat, map_page
from numberline.reports.measure import Exhibit, comparison_page, measure_page

pytestmark = pytest.mark.browser

VARIANTS = ("reach-the-edge", "line-runner", 'number-reach(operations="+1 *2 -1")', "number-reach(players=3)")
PHONE = 390


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with opened_browser() as opened:
        yield opened


def exhibit(variant: str) -> Exhibit:
    book = nl.book(variant)
    return Exhibit(book, measure(book), landscape(nl.solve(book)))


def page_of(name: str) -> str:
    """A page of the lab: of a variant, of two, or of a map."""
    if name == "map":
        cells = [[(row + column) / 40 for column in range(24)] for row in range(17)]
        names = [str(number) for number in range(24)]
        heat = Heat(
            "end", "start", names[:17], names, cells, lambda figure: f"{100 * figure:.0f}", (0.45, 0.55), "Note."
        )
        return map_page("A map", ["A sentence."], heat=heat, titles=names[:6], rows=[names[:6]])
    if name == "two":
        one, other = exhibit("flag-chase"), exhibit("flag-chase(end=12)")
        books = [one.book, other.book]
        return comparison_page(one, other, differences(compare(*map(nl.solve, books)), books))
    return measure_page(exhibit(name))


def shown(browser: Browser, html: str, width: int, scheme: Literal["light", "dark"] = "light") -> Page:
    page = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=scheme).new_page()
    page.set_content(html)
    return page


@pytest.mark.parametrize("name", [*VARIANTS, "two", "map"])
def test_nothing_stands_out_of_a_phone(browser: Browser, name: str) -> None:
    page = shown(browser, page_of(name), PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [VARIANTS[0], "two", "map"])
def test_everybody_can_read_it(browser: Browser, name: str, scheme: Literal["light", "dark"]) -> None:
    page = shown(browser, page_of(name), 1000, scheme)
    found = Axe().run(page).response["violations"]
    assert [(fault["id"], fault["nodes"][0]["html"]) for fault in found] == []
    page.context.close()
