"""Invitations: how they are sent, and what happens when they are opened in unusual ways."""

from __future__ import annotations

import json

import pytest
from playwright.sync_api import expect

from support.browser import Visitors
from support.browser_matches import begins, link

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
