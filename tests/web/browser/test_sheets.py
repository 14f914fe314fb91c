"""Sheets over a page and the guide of the first game."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from support.browser import Visitors, shut_out
from support.browser_matches import begins, joins, plays, seat

pytestmark = pytest.mark.browser
OWN_BOOK = Path(__file__).parents[3] / "docs" / "example-book.toml"


def open_sheet(page: Page, book: str) -> None:
    page.get_by_role("button", name=f"Computer: {book}").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_computer_sheet_starts_a_game_and_remembers_the_choice(visitors: Visitors) -> None:
    page = visitors.comes("/")
    open_sheet(page, "Flag Chase")
    expect(page.get_by_role("radio")).to_have_count(5)
    expect(page.get_by_role("radio", name="Chameleon")).to_be_checked()
    page.get_by_role("radio", name="Fox").check()
    expect(page.get_by_role("dialog")).to_contain_text("The fox sees most tricks coming.")
    page.get_by_label("Who starts?").select_option("You")
    page.get_by_role("textbox", name="Your name").fill("Ann")
    page.set_viewport_size({"width": 320, "height": 640})
    assert shut_out(page) == []
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    expect(seat(page, "Fox")).to_contain_text("hard")
    expect(page.locator("#turn")).to_have_text("You start this time. Your turn.")
    page.goto("/")
    open_sheet(page, "Line Runner")
    expect(page.get_by_role("radio", name="Fox")).to_be_checked()
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/*")
    expect(seat(page, "Ann")).to_contain_text("you")


def test_computer_sheet_can_be_closed(visitors: Visitors) -> None:
    page = visitors.comes("/")
    open_sheet(page, "Flag Chase")
    page.get_by_role("button", name="Not now").click()
    expect(page.get_by_role("button", name="Computer: Flag Chase")).to_be_enabled()
    expect(page.get_by_role("button", name="Computer: Flag Chase")).to_be_focused()
    assert page.url.endswith("/")


def test_names_of_two_players_here_are_used_and_remembered(visitors: Visitors) -> None:
    page = visitors.comes("/")
    page.get_by_role("button", name="Two here: Flag Chase").click()
    expect(page.get_by_role("textbox", name="Name of Player 1")).to_be_focused()
    page.keyboard.type("Ann")
    page.set_viewport_size({"width": 320, "height": 640})
    assert shut_out(page) == []
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    expect(page.locator("#turn")).to_contain_text("Ann")
    expect(seat(page, "Player 2")).to_be_visible()
    page.goto("/")
    page.get_by_role("button", name="Two here: Line Runner").click()
    expect(page.get_by_role("textbox", name="Name of Player A")).to_have_value("Ann")
    page.get_by_role("button", name="Not now").click()
    assert page.url.endswith("/")


def test_names_on_the_form_are_kept_and_distinct(visitors: Visitors) -> None:
    page = visitors.comes("/new/flag-chase?with=two&level=none")
    for seat_number in (1, 2):
        page.get_by_role("textbox", name=f"Name for Player {seat_number}").fill("Ann")
    expect(page.locator("#first span").first).to_have_text("Ann 1")
    for opponent in ("The computer", "Two of us here"):
        page.get_by_text(opponent, exact=True).click()
    page.get_by_role("button", name="Play").click()
    page.wait_for_url("**/play/*")
    expect(seat(page, "Ann 2")).to_be_visible()
    page.goto("/new/flag-chase?with=two")
    expect(page.get_by_role("textbox", name="Name for Player 2")).to_have_value("Ann")


def test_rules_of_the_variant_open_over_the_game(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner(end=30)", [{"name": "Ann"}, {"name": "Ben"}])
    page.get_by_role("link", name="All rules").click()
    expect(page.get_by_role("dialog")).to_contain_text("The line runs from 0 to 30.")
    assert shut_out(page) == []
    page.get_by_role("button", name="Back to the game").click()
    plays(page, "2")


def test_rules_in_a_game_name_each_player_once(visitors: Visitors) -> None:
    page = begins(visitors, "reach-the-edge", [{"name": "Player 2"}, {"name": "12345"}])
    page.get_by_role("link", name="All rules").click()
    expect(page.get_by_role("dialog")).to_contain_text("Player 2's goal is position 0 and 12345's is position 15.")


def test_rules_of_an_own_book_open_over_the_game(visitors: Visitors) -> None:
    source = OWN_BOOK.read_text(encoding="utf-8")
    host = begins(visitors, "my-book", [{"name": "Ann"}, None], source=source)
    watcher = visitors.comes(host.url)
    friend = joins(visitors, host, "Ben")
    for page in (host, watcher, friend):
        for rule in ("You can't repeat your opponent's step.", "just behind it.", "but then you lose the game."):
            expect(page.locator("#rule")).to_contain_text(rule)
        page.get_by_role("link", name="All rules").click()
        expect(page.get_by_role("dialog")).to_contain_text("You can go past your goal, but then you lose the game.")
        expect(page.get_by_role("link", name="Open as a page")).to_be_hidden()
        page.get_by_role("button", name="Back to the game").click()


def test_values_are_explained_at_first_use_and_are_words_on_a_phone(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, {"name": "Ben"}], assist="on")
    page.set_viewport_size({"width": 1280, "height": 800})
    values = page.get_by_role("button", name="Values")
    values.click()
    expect(page.get_by_role("dialog")).to_contain_text("What the signs mean")
    assert shut_out(page) == []
    page.get_by_role("dialog").get_by_role("button", name="Got it").click()
    chip = page.locator(".key .chip").first
    expect(chip.locator(".sign")).to_be_visible()
    expect(chip.locator(".word")).to_be_hidden()
    page.set_viewport_size({"width": 390, "height": 844})
    expect(chip.locator(".word")).to_have_text("loses")
    expect(chip.locator(".word")).to_be_visible()
    expect(chip.locator(".sign")).to_be_hidden()
    values.click()
    values.click()
    expect(values).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_tokens_are_letters_on_keys_and_pins(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner(tokens=2)", [{"name": "Ann"}, {"name": "Ben"}])
    expect(page.locator("#keys .what")).to_have_text(["a1", "a2", "a3", "b1", "b2", "b3"])
    assert sorted(page.locator("#board .pin .mark").all_text_contents()) == ["a", "a", "b", "b"]
    page.keyboard.type("b")
    expect(page.locator("#turn")).to_have_text("b …")
    page.keyboard.type("2")
    expect(page.locator("#log tbody")).to_contain_text("b2")


def test_help_is_offered_only_during_the_game(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, {"name": "Ben"}], assist="on")
    tools = page.locator("#tools")
    for move in ("3", "1", "2"):
        expect(tools.get_by_role("button", name="Why?")).to_be_visible()
        plays(page, move)
    expect(page.locator("#over")).to_be_visible()
    expect(tools).to_be_hidden()
    expect(page.locator("#log caption")).to_contain_text("A bar shows who can win")
    page.get_by_role("button", name="One move back").click()
    expect(tools.get_by_role("button", name="Values")).to_be_visible()


def test_first_game_is_guided(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}], assist="on")
    bubble = page.locator("#tip")
    expect(bubble).to_contain_text("Each arc shows where a move takes you.")
    plays(page, "1")
    expect(bubble).to_contain_text("1 is taken")
    page.get_by_role("button", name="Got it").click()
    expect(bubble).to_be_hidden()
    plays(page, "2")
    expect(bubble).to_contain_text("Look for the flag.")
    plays(page, "3")
    expect(bubble).to_contain_text("Need help?")
    plays(page, "3")
    expect(bubble).to_be_hidden()
    page.reload()
    expect(page.locator("#turn")).to_contain_text("your turn")
    expect(bubble).to_be_hidden()
