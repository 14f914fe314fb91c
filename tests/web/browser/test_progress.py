"""A player's progress in a real browser: a won game, games that wait, ladder steps, and the way to another device."""

from __future__ import annotations

import json
import re
from typing import Literal

import pytest
from playwright.sync_api import Page, expect

from support.browser import Visitors, shut_out
from support.browser_matches import begins, key, played, plays

pytestmark = pytest.mark.browser

COMPUTER = [{"name": "Ada"}, {"bot": "auto:3"}]


def stored(page: Page) -> dict[str, object]:
    content: dict[str, object] = json.loads(page.evaluate("localStorage['numberline.progress']"))
    return content


def test_won_game_counts_and_moves_to_another_device(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase(flag=3)", COMPUTER, assist="on")
    plays(page, "3")
    expect(page.get_by_text("★★★")).to_be_visible()
    expect(page.get_by_text("The chameleon gets a little stronger.")).to_be_visible()
    page.reload()  # counts once
    expect(page.get_by_role("heading", name="You win!")).to_be_visible()
    page.goto("/")
    game = page.get_by_role("list", name="Your last games").get_by_role("link")
    expect(game).to_have_count(1)
    expect(game).to_have_text(re.compile("^Flag Chase against Chameleon: you won ★★★"))
    expect(page.locator(".small-board .mark.p1:not(.flag)")).to_have_count(1)
    assert shut_out(page) == []
    assert stored(page)["levels"] == {"flag-chase": 4}

    page.evaluate("navigator.clipboard.writeText = (text) => { window.copied = text; return Promise.resolve(); }")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_text("Copied. Paste it on the other device.").first).to_be_attached()
    other = visitors.comes("/")
    other.get_by_text("Paste from another device").click()
    field = other.get_by_role("textbox", name="The copied text")
    field.fill("hello")
    visitors.excuse("400")
    other.get_by_role("button", name="Add it").click()
    expect(other.get_by_text("This isn't copied progress")).to_be_visible()
    field.fill(page.evaluate("window.copied"))
    other.get_by_role("button", name="Add it").click()
    link = other.get_by_role("list", name="Your last games").get_by_role("link")
    expect(link).to_have_count(1)
    assert stored(other) == stored(page)
    link.click()
    expect(other.get_by_text("Ada won after 1 turn.")).to_be_visible()


def test_hint_costs_a_star_and_several_games_wait(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", COMPUTER, assist="on")
    page.evaluate(
        "(order) => import('/static/js/new-match.js').then((module) => void module.createMatch(order))",
        {"variant": "flag-chase(flag=3)", "first": 1, "rounds": 1, "seats": COMPUTER, "clock": None, "assist": "on"},
    )
    expect(page.get_by_text("Be the first to reach exactly tile 3.")).to_be_visible()
    page.goto("/")
    waiting = page.get_by_role("region", name="Games waiting for you").get_by_role("link")
    expect(waiting).to_have_count(2)
    expect(waiting.first).to_contain_text("It's your turn.")
    page.get_by_role("button", name="Remove Flag Chase").last.click()
    expect(waiting).to_have_count(1)
    expect(waiting.first).to_be_focused()
    expect(page.locator("#status")).to_have_text(re.compile("^Removed: Flag Chase against Chameleon"))
    waiting.first.click()
    page.get_by_role("button", name="Hint").click()
    plays(page, "3")
    expect(page.get_by_text("★★☆")).to_be_visible()
    page.goto("/")
    expect(page.get_by_role("link", name="you won")).to_be_visible()
    expect(waiting).to_have_count(0)
    assert stored(page)["levels"] == {}


WATCH = """() => {
  window.AudioContext = class {
    createOscillator() { (window.notes ??= []).push(1); throw new Error("silent"); }
  };
  window.fallen = [];
  const look = ([{ addedNodes }]) => window.fallen.push(...[...addedNodes].map((node) => node.className));
  new MutationObserver(look).observe(document.body, { childList: true });
}"""


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_win_is_celebrated_unless_motion_is_reduced(
    motion: Literal["no-preference", "reduce"], visitors: Visitors
) -> None:
    page = begins(visitors, "flag-chase(flag=3)", COMPUTER, assist="on")
    page.emulate_media(reduced_motion=motion)
    page.evaluate(WATCH)
    page.get_by_role("button", name="Sound").click()
    plays(page, "3")
    expect(page.locator("#board .flag.p1 .cloth.appears")).to_have_count(1)
    expect(page.locator(".stars .appears")).to_have_count(3)
    assert len(page.evaluate("window.notes")) == len(["sample", "move", "win"])
    assert page.evaluate("window.fallen.includes('strips')") == (motion == "no-preference")
    expect(page.locator(".strips")).to_have_count(0)
    expect(page.get_by_role("link", name="Play on from move")).to_have_count(0)


def test_won_ladder_step_has_stars_and_leads_to_the_next(visitors: Visitors) -> None:
    page = visitors.comes("/")
    ladder = page.get_by_role("region", name="Ladder")
    expect(ladder.get_by_role("button")).to_have_count(5)
    ladder.get_by_role("button", name="Play Flag Chase: first steps").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Flag Chase, step 1: first steps")
    page.wait_for_url("**/play/*")
    plays(page, "1")
    expect(played(page)).to_have_count(2)
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_role("button", name="Next step")).to_have_count(0)
    lost = page.url
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: "/play/" in url and url != lost)
    plays(page, "3")  # the same player starts again
    expect(played(page)).to_have_count(2)
    with page.expect_response("**/api/progress"):
        key(page, "2").click()
    expect(page.get_by_role("button", name="Next step: Flag Chase: no copying")).to_be_visible()
    assert stored(page)["ladder"] == {"flag-chase-1": 3}
    page.goto("/")
    expect(ladder).to_contain_text("Step 2 of 12, 3 stars")
    expect(ladder.get_by_role("button", name="Play Flag Chase: no copying")).to_be_visible()
