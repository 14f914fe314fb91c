"""Playing at a table in the browser: beginning a match, sitting down by link, pressing keys."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from playwright.sync_api import Locator, Page, expect

import numberline as nl
from support.browser import Visitors

GAMES = {
    "flag-chase": "2 1 3",
    "line-runner(end=8)": "2 1 3 1 3",
    "number-line-sprint": "L1 R1 L2 L1 L2",
    "number-reach": "+1 +1 *2 *2 *2",
    "reach-the-edge": "2 1 3 1 3 1 3",
}
"""A short whole game of each book."""
BEGIN = "(order) => void import('/static/js/new-match.js').then((module) => module.createMatch(order))"
"""Navigate as the pages do, without waiting, because it leads to another page."""


def begins(visitors: Visitors, variant: str, seats: Sequence[object], **more: Any) -> Page:
    """A user who has created a match and is on its page."""
    page = visitors.comes("/healthz")
    order = {"variant": variant, "first": 1, "rounds": 1, "seats": seats, "clock": None, "assist": "after", **more}
    page.evaluate(BEGIN, order)
    page.wait_for_url("**/play/*")
    expect(page.get_by_role("heading", level=1)).not_to_have_text("A game")
    return page


def joins(visitors: Visitors, host: Page, name: str) -> Page:
    """A user who joins a match by its invitation link."""
    page = visitors.comes(link(host))
    page.get_by_role("textbox", name="Your name").fill(name)
    page.get_by_role("button", name="Join").click()
    expect(seat(page, name)).to_contain_text("you")
    return page


def friends(visitors: Visitors, variant: str, **more: Any) -> list[Page]:
    """Ann and Ben in separate browsers, in one match."""
    ann = begins(visitors, variant, [{"name": "Ann"}, None], **more)
    ben = joins(visitors, ann, "Ben")
    return [ann, ben]


def link(host: Page) -> str:
    """The link for the friend."""
    return host.get_by_role("textbox", name="The link for your friend").input_value()


def seat(page: Page, name: str) -> Locator:
    """The card of a seat, by the name on it."""
    return page.locator(".seat").filter(has_text=name)


def key(page: Page, move: str) -> Locator:
    """The key of a move, which shows an operation as on paper."""
    shown = re.escape(move.replace("*", "\N{MULTIPLICATION SIGN}"))
    return page.get_by_role("group", name="Your moves").get_by_role("button", name=re.compile(rf"^{shown}(:|$)"))


def plays(page: Page, move: str) -> None:
    """Presses the key of a move as soon as it can be pressed, and waits for it to stand in the list."""
    expect(key(page, move)).to_be_enabled()
    before = played(page).count()
    key(page, move).click()
    expect(played(page)).to_have_count(before + 1)


def played(page: Page) -> Locator:
    """The moves in the list."""
    return page.get_by_role("region", name="Moves").locator("tbody").get_by_role("row")


def play_all(pages: Sequence[Page], variant: str, moves: str) -> int:
    """Play these moves in turn and return the winner."""
    match = nl.Match(nl.book(variant))
    for move in moves.split():
        plays(pages[match.turn - 1], move)
        match.play(move)
    return match.outcome.winner if match.outcome else 0
