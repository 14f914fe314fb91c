"""A printed sheet in a real browser: the pages it has, and that nothing on them is cut off."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

import numberline as nl
from numberline.game.loader import book_from_toml
from numberline.reports.sheet import PAPERS, make_sheet, sheet_page
from reports.test_sheet import ODD
from support.browser import opened_browser

pytestmark = pytest.mark.browser

CROWDED = (
    "line-runner(players=6, end=4)",
    "line-runner(tokens=3, end=3)",
    "number-reach(target=100, players=3)",
    "number-reach(target=400, repeat=banned)",
    "line-runner(end=60, steps=1-20)",
    "flag-chase(end=30, skip=true, reverse=true)",
    "number-line-sprint(tokens=2, end=5)",
    "own",
)
"""Games that are hard to fit on a page: many players, tokens or moves, long lines, long titles."""

PROBLEMS = """(inside) => {
  const found = [], mm = 96 / 25.4;
  for (const each of document.querySelectorAll('article *')) {
    const main = each.closest('article').getBoundingClientRect();
    const box = each.getBoundingClientRect(), name = `${each.tagName}.${each.getAttribute('class') || ''}`;
    if (box.left < main.left - 1 || box.right > main.right + 1) found.push(`${name} is wider than the page`);
  }
  for (const each of document.querySelectorAll('svg.board, section, tr, figure, .line, .first, .example, .cuts')) {
    const high = each.getBoundingClientRect().height / mm;
    if (getComputedStyle(each).breakInside !== 'avoid') found.push(`${each.getAttribute('class')} can be split`);
    if (high > inside) found.push(`${each.getAttribute('class')} is ${high} mm high`);
  }
  for (const each of document.querySelectorAll('.spot b, .choices li, .cut, .last span, .number, .kind'))
    if (each.scrollWidth > each.clientWidth + 1 || each.scrollHeight > each.clientHeight + 1)
      found.push(`${each.textContent} does not fit in ${each.parentElement.className}`);
  for (const field of document.querySelectorAll('g[data-place]')) {
    const box = field.querySelector('.field').getBoundingClientRect();
    if (box.width < 17.7 * mm) found.push('a field is too small');
    const texts = [...field.querySelectorAll('text, .flag')].map((each) => each.getBoundingClientRect());
    for (const text of texts)
      if (text.left < box.left || text.right > box.right || text.top < box.top || text.bottom > box.bottom)
        found.push(`${field.textContent} stands out of its field`);
    for (const [number, one] of texts.entries())
      for (const two of texts.slice(number + 1))
        if (Math.min(one.right, two.right) > Math.max(one.left, two.left) + 1 &&
            Math.min(one.bottom, two.bottom) > Math.max(one.top, two.top) + 3)
          found.push(`${field.textContent}: one thing covers another`);
  }
  return found;
}"""


@pytest.fixture(scope="module")
def opened() -> Iterator[Page]:
    with opened_browser() as browser:
        yield browser.new_page()


@pytest.fixture
def tab(opened: Page) -> Page:
    """The one tab of these tests: whatever is put in it takes the place of what was there."""
    opened.emulate_media(media="print", color_scheme="light")
    return opened


def shown(tab: Page, variant: str, paper: str) -> list[tuple[float, float]]:
    """Puts the sheet of a variant in the tab; the sizes of the pages that are printed, in millimetres."""
    book = book_from_toml(ODD, "own", source_name="own") if variant == "own" else nl.book(variant)
    tab.set_content(sheet_page(make_sheet(nl.solve(book), paper)))
    printed = tab.pdf(prefer_css_page_size=True)
    boxes = re.findall(rb"/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]", printed)
    return [(float(wide) / 72 * 25.4, float(high) / 72 * 25.4) for wide, high in boxes]


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("name", nl.NAMES)
def test_a_sheet_of_each_game_has_few_pages_and_nothing_is_cut_off(tab: Page, name: str, paper: str) -> None:
    pages = shown(tab, name, paper)
    upright, sideways = (PAPERS[paper].width, PAPERS[paper].height), (PAPERS[paper].height, PAPERS[paper].width)
    longer = paper == "letter" and name in {"reach-the-edge", "line-runner"}
    expected = [upright, sideways, upright, upright, *[upright] * longer]
    assert pages == [pytest.approx(size, abs=0.5) for size in expected]
    assert tab.evaluate(PROBLEMS, PAPERS[paper].inner_height) == []


@pytest.mark.parametrize("variant", CROWDED)
def test_nothing_is_cut_off_where_there_is_much_to_print(tab: Page, variant: str) -> None:
    assert 4 <= len(shown(tab, variant, "letter")) <= 13  # the lower of the two
    assert tab.evaluate(PROBLEMS, PAPERS["letter"].inner_height) == []


@pytest.mark.parametrize("name", nl.NAMES)
def test_each_copy_of_a_worksheet_is_one_a4_page(tab: Page, name: str) -> None:
    tab.set_content(sheet_page(make_sheet(nl.solve(nl.book(name)), copies=5), ["worksheet"]))
    assert len(re.findall(rb"/MediaBox", tab.pdf(prefer_css_page_size=True))) == 5


def test_a_sheet_is_white_on_a_dark_screen_too(tab: Page) -> None:
    tab.emulate_media(media="screen", color_scheme="dark")
    shown(tab, "flag-chase", "a4")
    tab.emulate_media(media="screen", color_scheme="dark")
    ground = "getComputedStyle(document.querySelector('article')).backgroundColor"
    assert tab.evaluate(ground) == "rgb(255, 255, 255)"
