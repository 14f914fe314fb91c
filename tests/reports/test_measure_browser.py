"""Pages of the lab in a real browser: they fit a phone and are accessible in light and dark colours."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Literal

import pytest
from playwright.sync_api import Page

import numberline as nl
from numberline.explain.queries import build_value_map
from numberline.lab.measure import measure
from numberline.lab.summary import compare, describe_differences
from numberline.reports.measure import MeasuredVariant, comparison_page, map_page, measure_page
from numberline.views.charts import HeatMap
from support.browser import opened_browser, shut_out

pytestmark = pytest.mark.browser

VARIANTS = ("reach-the-edge", "line-runner", 'number-reach(operations="+1 *2 -1")', "number-reach(players=3)")
PHONE = 390


@pytest.fixture(scope="module")
def page() -> Iterator[Page]:
    with opened_browser() as opened:
        yield opened.new_page()


def exhibit(variant: str) -> MeasuredVariant:
    book = nl.book(variant)
    return MeasuredVariant(book, measure(book), build_value_map(nl.solve(book)))


@cache
def page_of(name: str) -> str:
    """A page of the lab: of a variant, of two, or of a map."""
    if name == "map":
        cells = [[(row + column) / 40 for column in range(24)] for row in range(17)]
        names = [str(number) for number in range(24)]
        heat = HeatMap(
            "end", "start", names[:17], names, cells, lambda figure: f"{100 * figure:.0f}", (0.45, 0.55), "Note."
        )
        return map_page("A map", ["A sentence."], heat=heat, titles=names[:6], rows=[names[:6]])
    if name == "two":
        one, other = exhibit("flag-chase"), exhibit("flag-chase(end=12)")
        books = [one.book, other.book]
        return comparison_page(one, other, describe_differences(compare(*map(nl.solve, books)), books))
    return measure_page(exhibit(name))


def show(page: Page, name: str, width: int, scheme: Literal["light", "dark"] = "light") -> None:
    """Puts a page of the lab in the place of the one before."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme=scheme)
    page.set_content(page_of(name))


@pytest.mark.parametrize("name", [*VARIANTS, "two", "map"])
def test_nothing_stands_out_of_a_phone(page: Page, name: str) -> None:
    show(page, name, PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", [VARIANTS[0], "two", "map"])
def test_everybody_can_read_it(page: Page, name: str, scheme: Literal["light", "dark"]) -> None:
    show(page, name, 1000, scheme)
    assert shut_out(page) == []
