"""Every page in a real browser: colour schemes, widths, and requests to no other server."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, Response, expect

from numberline.game.loader import restore_book
from numberline.game.match import Match
from numberline.game.notation import format_record
from support.browser import ROOT, Visitors, shut_out, wide
from support.browser_matches import GAMES, begins, link, play_all, plays

pytestmark = pytest.mark.browser

PAGES = (
    "/",
    "/new/line-runner",
    "/review",
    "/puzzles",
    "/lessons",
    "/lessons/flag-chase",
    "/rules/line-runner",
    "/variants",
    "/variants/line-runner(end=30)",
    "/embed/line-runner",
)
OWN_BOOK = ROOT / "docs" / "example-book.toml"
WIDTHS = (320, 768, 1280)
LIGHTS = ("light", "dark")
MOST_BYTES = 100_000
"""Most bytes that a page loads before it is drawn."""
FIRST = {"document", "stylesheet", "script", "image", "font"}
"""Resource types that a browser loads before it draws; data is fetched after that."""


def settled(page: Page) -> None:
    """Waits until everything that a page fetches is on it."""
    page.wait_for_load_state("networkidle")
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def check_at(page: Page, width: int, light: str) -> None:
    """Checks a page in one width and light: nothing stands out of it, and nothing shuts anybody out."""
    page.set_viewport_size({"width": width, "height": 800})
    page.emulate_media(color_scheme="dark" if light == "dark" else "light")
    assert wide(page) == 0, f"{page.url} at {width} in {light} can be scrolled sideways"
    assert shut_out(page) == [], f"{page.url} at {width} in {light}"


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_accessible_in_both_widths_and_colour_schemes(path: str, visitors: Visitors) -> None:
    page = visitors.comes(path)
    settled(page)
    check_at(page, 320, "dark")
    check_at(page, 1280, "light")


def test_forced_colours_show_what_is_chosen(visitors: Visitors) -> None:
    page = visitors.comes("/new/line-runner")
    own = ("forced-color-adjust", "none")
    page.emulate_media(forced_colors="active")
    expect(page.locator(".pick input:checked + span").first).to_have_css(*own)
    page.goto("/")
    page.get_by_role("button", name="Computer: Flag Chase").click()
    expect(page.locator(".opponent input:not(:checked) + span").first).not_to_have_css(*own)
    expect(page.locator(".opponent input:checked + span")).to_have_css(*own)
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}], assist="on")
    page.emulate_media(forced_colors="active")
    plays(page, "2")
    page.keyboard.press("v")
    page.get_by_role("dialog").get_by_role("button", name="Got it").click()
    expect(page.get_by_role("button", name="Values", pressed=True)).to_have_css(*own)
    expect(page.locator("#log .here td").first).to_have_css(*own)


@pytest.mark.parametrize("variant", ["line-runner(end=200)", "number-line-sprint(tokens=2)", "number-reach"])
def test_game_with_values_is_accessible(variant: str, visitors: Visitors) -> None:
    page = begins(visitors, variant, [{"name": "Ann"}, {"name": "Ben"}], assist="on")
    page.get_by_role("button", name="Values").click()
    page.get_by_role("dialog").get_by_role("button", name="Got it").click()
    expect(page.get_by_role("button", name="Values")).to_have_attribute("aria-pressed", "true")
    check_at(page, 320, "dark")
    check_at(page, 1280, "light")


def test_waiting_game_is_accessible(visitors: Visitors) -> None:
    page = begins(visitors, "reach-the-edge", [{"name": "Ann"}, None])
    expect(page.locator("#wait small")).to_be_visible()
    check_at(page, 320, "light")
    friend = visitors.comes(link(page))
    expect(friend.get_by_role("dialog")).to_be_visible()
    check_at(friend, 320, "dark")


def test_finished_game_and_review_are_accessible(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, {"name": "Ben"}], assist="on")
    play_all([page, page], "flag-chase", GAMES["flag-chase"])
    expect(page.get_by_role("heading", name="wins!")).to_be_visible()
    check_at(page, 320, "light")
    page.get_by_role("link", name="Review").click()
    settled(page)
    check_at(page, 320, "dark")


UNCOVERED = """(selector) => {
  const box = document.querySelector(selector).getBoundingClientRect();
  return box.top >= 0 && box.bottom <= document.getElementById("walk").getBoundingClientRect().top;
}"""


def test_lesson_buttons_cover_no_text_on_a_phone(visitors: Visitors) -> None:
    page = visitors.comes("/lessons/line-runner")
    page.set_viewport_size({"width": 320, "height": 568})
    page.reload()
    expect(page.locator(".lesson-step .text")).to_be_visible()
    assert page.evaluate(UNCOVERED, ".lesson-step .text")
    while page.locator(".lesson-step.question").count() == 0:
        page.locator("#walk button").last.click()
    assert page.evaluate(UNCOVERED, ".lesson-step .question")
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".lesson-step .reply")).to_contain_text("The answer is 1.")
    assert page.evaluate(UNCOVERED, ".lesson-step .reply")


def test_lesson_paints_the_strip_and_ends_with_stars(visitors: Visitors) -> None:
    page = visitors.comes("/lessons/reach-the-edge")
    right = {"question": ["Yes", "No", "Yes"], "exercise": ["3", "3", "3", "3", "3"]}
    for _ in range(30):
        shown = page.locator(".lesson-step")
        kind = (shown.get_attribute("class") or "").split()[1]
        if kind == "end":
            break
        if kind == "question":
            expect(page.locator(".cell.asked")).to_have_count(1)
            painted = page.locator(".cell.good, .cell.trap").count()
            page.get_by_role("button", name=right[kind].pop(0), exact=True).click()
            expect(page.locator(".cell.good, .cell.trap")).to_have_count(painted + 1)
            if not painted:
                check_at(page, 320, "dark")
        elif kind == "exercise":
            page.keyboard.press(right[kind].pop(0))
            expect(page.locator(".reply b")).to_have_text("Right!")
        page.keyboard.press("ArrowRight")
    expect(page.get_by_role("img", name="3 stars")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("You got 8 of 8 right on the first try.")
    check_at(page, 320, "light")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_text("Owl").first).to_be_visible()


def test_daily_five_end_with_a_line_to_share(visitors: Visitors) -> None:
    page = visitors.comes("/puzzles")
    for number in range(1, 6):
        expect(page.locator("#which")).to_contain_text(f"Today's {number} of 5: ")
        page.keyboard.press("s")
        expect(page.locator(".reply b")).to_contain_text("Skipped. The answer: ")
        page.keyboard.press("n")
    expect(page.locator("#share")).to_contain_text("☆☆☆☆☆")
    expect(page.locator("#which")).to_contain_text("A puzzle for you: ")
    page.reload()
    expect(page.locator("#share")).to_contain_text("☆☆☆☆☆")


@pytest.mark.soak
@pytest.mark.parametrize("path", PAGES)
def test_every_page_is_accessible_in_any_width_and_theme(path: str, visitors: Visitors) -> None:
    page = visitors.comes(path)
    settled(page)
    for width in WIDTHS:
        for light in LIGHTS:
            check_at(page, width, light)


def weight(visitors: Visitors, path: str) -> int:
    """How many bytes a browser that has never been here loads before it draws a page."""
    page = visitors.comes("about:blank", first=True)
    loaded: list[Response] = []
    page.on("response", lambda response: loaded.append(response))  # noqa: PLW0108 - a method can't be marked as a handler
    page.goto(path, wait_until="load")
    return sum(each.request.sizes()["responseBodySize"] for each in loaded if each.request.resource_type in FIRST)


def test_home_page_is_small(visitors: Visitors) -> None:
    assert 1_000 < weight(visitors, "/") < MOST_BYTES


REQUESTS = """performance.getEntries().filter(({ entryType, transferSize }) =>
  entryType === "navigation" || (entryType === "resource" && transferSize > 0)).map(({ name }) => name)"""
"""The requests of a page that the browser's cache did not answer."""


def test_second_visit_of_the_home_page_takes_few_requests(visitors: Visitors) -> None:
    match = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}]).url.rsplit("/", 1)[1]
    page = visitors.comes("/", first=True)
    settled(page)
    page.evaluate("id => localStorage['numberline.matches'] = JSON.stringify(Array(3).fill(id))", match)
    assert any("/static/" in name for name in page.evaluate(REQUESTS))
    page.goto("/")
    settled(page)
    assert 1 < len(page.evaluate(REQUESTS)) <= 5, page.evaluate(REQUESTS)


def test_play_page_is_small(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}])
    assert 1_000 < weight(visitors, page.url) < MOST_BYTES


def test_embedded_board_sets_no_cookie(visitors: Visitors) -> None:
    page = visitors.comes("/embed/line-runner")
    settled(page)
    assert page.context.cookies() == []
    expect(page.get_by_role("img").first).to_be_visible()


@pytest.mark.parametrize("page", ["new", "rules", "variants", "lessons", "embed"])
def test_unknown_variant_is_rejected_on_the_page(page: str, visitors: Visitors) -> None:
    visitors.excuse("status of 422", "status of 404")
    shown = visitors.comes(f"/{page}/line-walker")
    expect(shown.get_by_role("main")).to_contain_text("There is no game called line-walker. Did you mean line-runner?")


def test_rules_of_a_huge_variant_are_readable(visitors: Visitors) -> None:
    page = visitors.comes("/rules/line-runner(end=100000, steps=1-100)")
    expect(page.locator("#rules")).to_contain_text("The line runs from 0 to 100,000.")
    expect(page.locator("#changes")).to_have_text("Here the line ends at 100,000, and you move by 1 to 100.")
    expect(page.get_by_role("link", name="Lesson", exact=True)).to_have_count(0)


def test_damaged_record_is_rejected_and_stays_in_the_field(visitors: Visitors) -> None:
    visitors.excuse("status of 422")
    page = visitors.comes("/review")
    typed = page.get_by_role("textbox", name="The record of one game")
    typed.fill("this is no record")
    page.get_by_role("button", name="Review").click()
    expect(page.get_by_role("alert").filter(visible=True)).to_contain_text(".")
    expect(typed).to_have_value("this is no record")


def test_custom_book_game_is_reviewed_and_continued(visitors: Visitors) -> None:
    book = OWN_BOOK.read_text(encoding="utf-8").replace("Heron Pond", "W" * 40)
    match = Match(restore_book("pond", book), names=("Ann", "Ben"))
    match.play("2")
    page = visitors.comes("/review")
    page.get_by_role("textbox", name="The record of one game").fill(format_record(match))
    page.get_by_role("button", name="Review").click()
    expect(page.locator(".board .hop").first).to_be_attached()
    page.get_by_role("link", name="Play on from here").click()
    page.get_by_role("group", name="Play on with").get_by_role("button", name="Two here").click()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    expect(page.get_by_role("heading", level=1)).to_have_text("W" * 40)
    page.set_viewport_size({"width": 360, "height": 700})
    assert wide(page) == 0, "a title of one long word is folded"


def test_each_problem_of_a_book_is_listed(visitors: Visitors) -> None:
    visitors.excuse("status of 422")
    page = visitors.comes("/variants")
    text = OWN_BOOK.read_text(encoding="utf-8")
    page.get_by_role("textbox", name="The book").fill(text.replace("overshoot", "overshot").replace("stops", "stop"))
    page.get_by_role("button", name="Check the book").click()
    expect(page.get_by_role("alert").get_by_role("listitem")).to_have_count(2)


def test_variant_form_keeps_what_was_chosen(visitors: Visitors) -> None:
    visitors.excuse("status of 422")
    page = visitors.comes("/variants/flag-chase")
    page.get_by_role("combobox", name="Flag").fill("20")
    expect(page.locator("#trouble")).to_contain_text("“Flag” can't be 20")
    page.get_by_role("spinbutton", name="End").fill("30")
    expect(page.locator("#address")).to_have_value("flag-chase(end=30, flag=20)")
    expect(page.locator("#trouble")).to_be_hidden()
    for title, variant in (("Line Runner", "line-runner"), ("Flag Chase", "flag-chase(end=30, flag=20)")):
        page.get_by_role("combobox", name="Start with").select_option(title)
        expect(page.locator("#address")).to_have_value(variant)


def test_variant_page_shows_who_wins_for_each_start(visitors: Visitors) -> None:
    page = visitors.comes("/variants/reach-the-edge")
    expect(page.locator("#verdict")).to_have_text(
        "With best play, Player 1 goes first and wins within 11 turns. "
        "If Player 2 goes first, Player 2 wins within 9 turns."
    )
