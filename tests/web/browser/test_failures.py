"""What goes wrong around a game in a real browser: pages loaded again, servers that die, links that lead nowhere."""

from __future__ import annotations

import signal

import pytest
from playwright.sync_api import expect

from support.browser import Visitors
from support.browser_matches import begins, friends, joins, key, link, played, plays, seat

pytestmark = pytest.mark.browser

SERVER_GONE = ("WebSocket connection to", "ERR_")
"""Console message of a browser whose server is gone."""


def test_reload_during_a_move_keeps_seat_and_move(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    process = visitors.serving.process
    process.send_signal(signal.SIGSTOP)
    try:
        key(ann, "2").click()
        expect(key(ann, "3")).to_have_attribute("aria-disabled", "true")
        ann.evaluate("setTimeout(() => location.reload(), 0)")
    finally:
        process.send_signal(signal.SIGCONT)
    expect(played(ann)).to_have_count(1)
    expect(seat(ann, "Ann")).to_contain_text("you")
    plays(ben, "1")
    plays(ann, "3")


def test_game_resumes_after_its_server_was_killed(visitors: Visitors) -> None:
    visitors.excuse(*SERVER_GONE)
    ann, ben = friends(visitors, "line-runner")
    plays(ann, "2")
    plays(ben, "1")
    expect(played(ann)).to_have_count(2)  # it is Ann's turn on her page, too
    visitors.serving.kill()
    try:
        key(ann, "3").click()
        expect(ann.get_by_role("alert").filter(visible=True)).to_contain_text("nothing is lost")
    finally:
        visitors.serving.again()
    expect(played(ann)).to_have_count(3, timeout=20_000)
    expect(played(ben)).to_have_count(3, timeout=20_000)
    expect(ann.get_by_role("alert").filter(visible=True)).to_have_count(0)
    plays(ben, "1")


def test_move_made_offline_is_played_once_after_reconnecting(visitors: Visitors) -> None:
    visitors.excuse(*SERVER_GONE)
    ann, ben = friends(visitors, "line-runner")
    ann.context.set_offline(True)
    key(ann, "2").click()
    expect(ann.get_by_role("alert").filter(visible=True)).to_contain_text("nothing is lost")
    ann.context.set_offline(False)
    expect(played(ben)).to_have_count(1)
    expect(ann.get_by_role("alert").filter(visible=True)).to_have_count(0)
    plays(ben, "1")
    expect(played(ann)).to_have_count(2)


def test_unknown_match_link_says_so(visitors: Visitors) -> None:
    visitors.excuse("status of 404", "WebSocket connection to")
    page = visitors.comes("/play/there-is-none")
    expect(page.get_by_role("main")).to_contain_text("This game doesn't exist")


def test_deleted_game_says_so_to_its_players(visitors: Visitors) -> None:
    visitors.excuse("status of 404", "WebSocket connection to")
    ann, ben = friends(visitors, "flag-chase")
    ann.evaluate("fetch(location.pathname.replace('/play', '/api/matches'), { method: 'DELETE' })")
    for page in (ann, ben):
        expect(page.get_by_role("heading", level=1)).to_have_text("No game here")
        expect(page.get_by_role("alert").filter(visible=True)).to_have_count(0)


def test_late_joiner_is_told_the_seat_is_taken_and_watches(visitors: Visitors) -> None:
    visitors.excuse("status of 409")
    ann = begins(visitors, "line-runner", [{"name": "Ann"}, None])
    late = visitors.comes(link(ann))
    late.get_by_role("textbox", name="Your name").fill("Cleo")
    joins(visitors, ann, "Ben")
    late.get_by_role("button", name="Join").click()
    expect(late.get_by_role("status").first).to_contain_text("already been used")
    expect(seat(late, "Ben")).to_be_visible()


def test_used_link_says_the_seat_is_taken(visitors: Visitors) -> None:
    ann = begins(visitors, "line-runner", [{"name": "Ann"}, None])
    used = link(ann)
    joins(visitors, ann, "Ben")
    late = visitors.comes(used)
    expect(late.get_by_role("status").first).to_contain_text("This seat is taken")


def test_home_page_says_that_a_friend_is_awaited(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, None], first=2)
    page.goto("/")
    waiting = page.get_by_role("region", name="Games waiting for you").get_by_role("link")
    expect(waiting).to_contain_text("Flag Chase against a friend")
    expect(waiting).to_contain_text("Your friend isn't here yet.")


def test_home_page_offers_open_games(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}])
    plays(page, "2")
    game = page.url
    page.goto("/")
    expect(page.get_by_role("heading", name="Games waiting for you")).to_be_visible()
    page.get_by_role("link", name="Line Runner: Ann and Ben").click()
    page.wait_for_url(game)
    expect(played(page)).to_have_count(1)
