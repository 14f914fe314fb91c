"""Invitations: how they are sent, and what happens when they are opened in unusual ways."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from support.browser import Visitors
from support.browser_matches import begins, key, link, plays, seat

pytestmark = pytest.mark.browser

SHARE = "navigator.share = async (shared) => { window.shared = shared; if (window.refuse) throw new Error('no'); }"


def test_invitation_to_a_local_server_has_no_code_but_says_how_to_open_it(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    expect(page.locator("#wait")).to_contain_text("numberline web --host 0.0.0.0")
    expect(page.get_by_role("img", name="QR code")).to_have_count(0)


def test_invitation_to_an_open_server_has_a_code(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    reachable = {"public_url": "http://192.0.2.1", "local_only": False, "sentence": ""}
    page.route("**/api/server", lambda route: route.fulfill(body=json.dumps(reachable)))
    page.reload()
    expect(page.get_by_role("img", name="QR code")).to_be_visible()
    expect(page.locator("#wait")).not_to_contain_text("--host")


def test_invitation_opens_the_share_sheet_or_is_copied(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    page.add_init_script(SHARE)
    page.reload()
    page.get_by_role("button", name="Share").click()
    page.wait_for_function("window.shared")
    assert page.evaluate("shared") == {"title": "Flag Chase", "text": "Play Flag Chase with me!", "url": link(page)}
    page.evaluate("refuse = true")
    page.get_by_role("button", name="Share").click()
    expect(page.locator("#toast")).to_contain_text("copied")


def test_link_to_watch_says_who_can_open_it(visitors: Visitors) -> None:
    host = begins(visitors, "flag-chase", [{"name": "Ann"}, {"name": "Ben"}])
    host.get_by_role("button", name="Copy a link to watch").click()
    expect(host.locator("#toast")).to_contain_text("Links work only on this computer.")


def test_link_to_watch_promises_nothing_without_an_answer_of_the_server(visitors: Visitors) -> None:
    host = begins(visitors, "flag-chase", [{"name": "Ann"}, {"name": "Ben"}])
    host.route("**/api/server", lambda route: route.fulfill(body=""))
    host.get_by_role("button", name="Copy a link to watch").click()
    expect(host.locator("#toast")).to_have_text("Link copied.")


def test_host_who_opens_the_invitation_leaves_the_seat_free(visitors: Visitors) -> None:
    ann = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    invite = link(ann)
    again = visitors.tab(ann.context, invite)
    expect(again.locator("#toast")).to_have_text("This link is for your friend. You already have a seat.")
    expect(again.get_by_role("dialog")).to_have_count(0)
    expect(again.locator("#wait")).to_contain_text("Waiting for your friend")
    ben = visitors.comes(invite)
    ben.get_by_role("textbox", name="Your name").fill("Ben")
    ben.get_by_role("button", name="Join").click()
    expect(seat(ben, "Ben")).to_contain_text("you")


def test_watcher_can_open_the_invitation_in_the_same_tab(visitors: Visitors) -> None:
    ann = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    invite = link(ann)
    ben = visitors.comes(invite.partition("#")[0])
    expect(seat(ben, "Ann")).to_contain_text("playing")
    ben.evaluate("(url) => location.assign(url)", invite)
    ben.get_by_role("button", name="Join").click()
    expect(ben.locator(".seat.p2")).to_contain_text("you")
    assert "#" not in ben.url


def test_invitation_ends_with_the_game(visitors: Visitors) -> None:
    host = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    invitation = link(host)
    host.get_by_role("button", name="Resign…").click()
    host.get_by_role("button", name="Resign", exact=True).click()
    expect(host.locator("#wait")).to_be_hidden()
    late = visitors.comes(invitation)
    expect(late.locator("#toast")).to_have_text("This game is over. You can look at it here.")
    expect(late.get_by_role("dialog")).to_have_count(0)


def test_just_watch_can_be_undone(visitors: Visitors) -> None:
    ann = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    ben = visitors.comes(link(ann))
    ben.get_by_role("button", name="Just watch").click()
    expect(ben.locator("#wait")).to_contain_text("The seat is still free.")
    ben.get_by_role("button", name="Join the game").click()
    ben.get_by_role("textbox", name="Your name").fill("Ben")
    ben.get_by_role("button", name="Join", exact=True).click()
    expect(seat(ben, "Ben")).to_contain_text("you")
    expect(ben.locator("#wait")).to_be_hidden()


def test_players_who_left_a_game_of_three_are_marked(visitors: Visitors) -> None:
    players = [{"name": name} for name in ("Ann", "Ben", "Cem")]
    page = begins(visitors, "line-runner(players=3, overshoot=loses, end=4)", players, assist="off")
    page.get_by_role("button", name="Resign").click()
    expect(page.get_by_role("dialog")).to_contain_text("the others play on")
    page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(seat(page, "Ann")).to_contain_text("resigned")
    expect(seat(page, "Ben")).not_to_contain_text("resigned")
    for move in ("3", "2", "3"):
        plays(page, move)
    expect(seat(page, "Ben")).to_contain_text("out of the game")
    expect(key(page, "1")).to_have_count(0)


def test_example_of_an_own_book_is_one_tap_away(visitors: Visitors) -> None:
    page = visitors.comes("/variants")
    page.get_by_role("button", name="Try an example").click()
    expect(page.get_by_role("heading", name="Heron Pond")).to_be_visible()
    page.get_by_role("button", name="Computer: Heron Pond").click()
    page.get_by_role("radio", name="Owl").check()
    page.get_by_role("button", name="Play", exact=True).click()
    page.wait_for_url("**/play/*")
    expect(seat(page, "Owl")).to_contain_text("master")
