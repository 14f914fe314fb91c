"""Games in a real browser: two people by link play each game to its end, and agree on all that can be agreed on."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from support.browser import Visitors
from support.browser_matches import GAMES, begins, friends, joins, key, link, play_all, played, plays

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("variant", GAMES)
def test_two_friends_finish_a_game_by_link(variant: str, visitors: Visitors) -> None:
    ann, ben = friends(visitors, variant)
    winner = play_all([ann, ben], variant, GAMES[variant])
    expect(ann.get_by_role("heading", name="You win!" if winner == 1 else "Ben wins.")).to_be_visible()
    expect(ben.get_by_role("heading", name="You win!" if winner == 2 else "Ann wins.")).to_be_visible()
    expect(played(ben)).to_have_count(len(GAMES[variant].split()))


def test_accepted_takeback_removes_the_move(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    plays(ann, "2")
    ann.get_by_role("button", name="Ask to take back").click()
    expect(ben.get_by_text("Ann wants to take back a move.").filter(visible=True).first).to_be_visible()
    ben.get_by_role("button", name="Accept").click()
    expect(played(ann)).to_have_count(0)
    expect(played(ben)).to_have_count(0)
    plays(ann, "3")


def test_declined_takeback_keeps_the_move(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    plays(ann, "2")
    ann.get_by_role("button", name="Ask to take back").click()
    ben.get_by_role("button", name="Decline").click()
    expect(ann.get_by_text("Ben declined the takeback.").filter(visible=True).first).to_be_visible()
    plays(ben, "1")
    expect(played(ann)).to_have_count(2)


def test_rematch_starts_when_both_agree_and_keeps_the_seats(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "flag-chase")
    before = ann.url
    play_all([ann, ben], "flag-chase", GAMES["flag-chase"])
    ann.get_by_role("button", name="Rematch").click()
    expect(ann.locator("#status")).to_contain_text("You asked to play again.")
    expect(ann.get_by_role("button", name="Rematch")).to_be_focused()
    expect(ann.get_by_role("button", name="Rematch")).to_be_disabled()
    ben.get_by_role("button", name="Accept").click()
    for page in (ann, ben):
        page.wait_for_url(lambda url: "/play/" in url and url != before)
    expect(ann.locator(".seat").filter(has_text="Ann")).to_contain_text("you")
    expect(ben.locator(".seat").filter(has_text="Ben")).to_contain_text("you")
    assert ann.url == ben.url


def test_declined_rematch_is_shown(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "flag-chase")
    play_all([ann, ben], "flag-chase", GAMES["flag-chase"])
    ann.get_by_role("button", name="Rematch").click()
    ben.get_by_role("button", name="Decline").click()
    expect(ann.locator("#toast")).to_have_text("Ben declined a rematch.")
    expect(ann.locator("#toast")).to_be_visible()


def test_two_tabs_share_one_seat(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    other = visitors.tab(ann.context, ann.url)
    plays(ann, "2")
    expect(played(other)).to_have_count(1)
    plays(ben, "1")
    plays(other, "3")
    expect(played(ann)).to_have_count(3)


def test_move_is_listed_while_its_token_animates(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    ann.evaluate("Element.prototype.animate = () => { window.on = true; return { finished: new Promise(() => {}) }; }")
    ann.emulate_media(reduced_motion="no-preference")
    key(ann, "2").click()
    expect(played(ann)).to_have_count(1)
    expect(ann.locator("#keys .pending")).to_have_count(0)
    assert ann.evaluate("window.on")
    expect(played(ben)).to_have_count(1)


def sent(page: Page) -> list[dict[str, Any]]:
    """Every frame that the server sends to a page from now on."""
    frames: list[dict[str, Any]] = []

    def keep(text: str | bytes) -> None:
        frames.append(json.loads(text))

    page.on("websocket", lambda line: line.on("framereceived", keep))
    return frames


def test_watcher_gets_no_values_and_no_keys(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner", assist="off")
    watcher = visitors.comes("about:blank", first=True)
    frames = sent(watcher)
    watcher.goto(ann.url)
    plays(ann, "2")
    plays(ben, "1")
    expect(played(watcher)).to_have_count(2)
    expect(key(watcher, "3")).to_have_attribute("aria-disabled", "true")
    expect(watcher.get_by_role("button", name="Values")).to_have_count(0)
    assert {frame["kind"] for frame in frames} >= {"table", "event"}
    assert all(frame.get("values") is None for frame in frames)
    assert all(not {"mark", "point", "turning"} & frame.keys() for frame in frames)
    assert all(not {"marks", "series", "turning"} & frame.get("match", {}).keys() for frame in frames)


def focus_on(page: Page, name: str) -> None:
    """Presses Tab until the focus is on something of this name."""
    focused_label = "document.activeElement.ariaLabel || document.activeElement.textContent.trim()"
    for _ in range(80):
        page.keyboard.press("Tab")
        if page.evaluate(focused_label) == name:
            return
    pytest.fail(f"Tab never came to {name}")


def test_whole_game_by_keyboard(visitors: Visitors) -> None:
    page = visitors.comes("/")
    expect(page.get_by_role("group", name="Play Flag Chase with")).to_be_visible()
    focus_on(page, "Two here: Line Runner")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Name of Player A")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url("**/play/*")
    expect(page.get_by_role("heading", level=1)).to_have_text("Line Runner")
    expect(key(page, "1")).to_be_focused()
    for number, move in enumerate("2131313131313", 1):
        page.keyboard.type(move)
        expect(played(page)).to_have_count(number)
    expect(page.get_by_role("heading", name="wins!")).to_be_visible()
    focus_on(page, "Rematch")
    page.keyboard.press("Enter")
    expect(played(page)).to_have_count(0)


REDRAWN = """async () => {
  const { button, element, replaceChildren } = await import("/static/js/dom.js");
  const host = document.body.appendChild(element("div"));
  const buttons = (...texts) => texts.map((text) => button("", text, () => {}));
  const focused = () => document.activeElement.textContent;
  replaceChildren(host, buttons("Rematch", "Review"));
  const [rematch] = host.children;
  rematch.focus();
  replaceChildren(host, buttons("Rematch", "Review"));
  const stays = host.children[0] === rematch;
  replaceChildren(host, buttons("Show me", "Rematch", "Review"));
  const moved = focused();
  replaceChildren(host, buttons("Show me", "Go to the new game"));
  return [stays, moved, focused()];
}"""


def test_redrawn_buttons_keep_the_press_and_the_focus(visitors: Visitors) -> None:
    page = visitors.comes("/")
    assert page.evaluate(REDRAWN) == [True, "Rematch", "Go to the new game"]


def test_arrow_keys_move_focus_and_enter_plays(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}])
    key(page, "1").focus()
    page.keyboard.press("ArrowRight")
    expect(key(page, "2")).to_be_focused()
    page.keyboard.press("Enter")
    expect(played(page)).to_have_count(1)
    page.keyboard.press(",")
    expect(page.get_by_text("Looking back").first).to_be_visible()


def test_focus_stays_on_a_move_in_the_list(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}])
    plays(page, "2")
    first = page.get_by_role("button", name="Ann: 2")
    first.focus()
    page.keyboard.press("Enter")
    expect(first).to_be_focused()
    page.keyboard.type("1")
    expect(played(page)).to_have_count(2)
    expect(first).to_be_focused()
    for left in (1, 0):
        page.keyboard.press("u")
        expect(played(page)).to_have_count(left)
    expect(page.locator(".key:focus")).to_have_count(1)


@pytest.mark.parametrize("held", ["2", "Enter"])
def test_held_key_plays_one_move(held: str, visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"name": "Ben"}])
    key(page, "2").focus()
    for _ in range(2):
        page.keyboard.down(held)  # the second one is a repetition
        expect(played(page)).to_have_count(1)
        expect(key(page, "2")).to_be_enabled()
    page.keyboard.up(held)
    page.keyboard.press("1")
    expect(page.get_by_role("button", name="Ben: 1")).to_be_visible()


def test_keyboard_focus_moves_to_the_result(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, {"name": "Ben"}], rounds=3)
    for number, move in enumerate(GAMES["flag-chase"].split(), 1):
        key(page, move).focus()
        page.keyboard.press("Enter")
        expect(played(page)).to_have_count(number)
    expect(page.locator("#over")).to_be_focused()
    expect(page.get_by_role("group", name="Ann wins!")).to_be_visible()
    expect(page.locator("#status")).to_contain_text("Ann wins!")
    expect(page.get_by_role("button", name="Next round")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(played(page)).to_have_count(0)
    expect(page.locator(".key:focus")).to_have_count(1)


def test_resignation_is_shown_and_play_can_continue(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    plays(ann, "2")
    ben.get_by_role("button", name="Resign").click()
    ben.get_by_role("dialog").get_by_role("button", name="Resign").click()
    for page, said in ((ann, "Ben resigned."), (ben, "You resigned.")):
        expect(page.locator("#status")).to_contain_text(said)
        expect(page.get_by_role("link", name="Play on from move")).to_be_visible()


OPACITIES = """(hops) =>
  Object.fromEntries(hops.map((hop) => [hop.dataset.move, Number(getComputedStyle(hop).opacity)]))"""


def test_loser_can_try_the_decisive_move_again(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": "Ann"}, {"bot": "perfect"}], assist="on")
    before = page.url
    for count in (2, 4):
        key(page, "1").click()
        expect(played(page)).to_have_count(count)
    over = page.locator("#over")
    expect(over.get_by_role("heading")).to_have_text(re.compile("! Perfect wins\\.$"))
    expect(over.get_by_role("img", name="0 of 3 stars")).to_be_visible()
    expect(over).to_contain_text("On your first move, 3 was better than 1: it could have won.")
    page.get_by_role("button", name="Show me").click()
    expect(page.get_by_text("Next came 1. Better: 2 or 3.")).to_be_visible()
    assert page.locator("#board .hop").evaluate_all(OPACITIES) == {"1": 0.22, "2": 1, "3": 1}
    page.get_by_role("button", name="Back to the game").click()
    page.get_by_role("button", name="Try that move again").click()
    page.wait_for_url(lambda url: "/play/" in url and url != before)
    expect(page.get_by_text("You played 1 here. Find something better.").first).to_be_visible()
    key(page, "1").click()
    expect(page.get_by_text("Not 1. Try once more.").first).to_be_visible()
    expect(played(page)).to_have_count(0)
    page.reload()  # it doesn't give another try
    key(page, "1").click()
    expect(page.get_by_text("Not 1 either. 3 is better, so I'll play it for you.").first).to_be_visible()
    expect(played(page)).to_have_count(2)
    key(page, "2").click()
    expect(over.get_by_role("heading")).to_have_text("You win, with some help!")
    expect(over).to_contain_text("This was practice, so it gives no stars.")
    expect(page.get_by_role("button", name="Show me")).to_have_count(0)
    expect(page.get_by_role("button", name="Again from the same place")).to_be_visible()
    page.get_by_role("button", name="New game").click()
    expect(page.get_by_text("Perfect starts this time.").first).to_be_attached()


MARKUP = "<img src=x onerror=alert(1)>"
HOSTILE = ((MARKUP, "{1}"), ("{2} & <b>", "\N{SLIGHTLY SMILING FACE}" * 40))


@pytest.mark.parametrize("names", HOSTILE, ids=["markup", "placeholder"])
def test_hostile_names_are_shown_as_text(names: tuple[str, str], visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [{"name": name} for name in names])
    play_all([page, page], "flag-chase", GAMES["flag-chase"])
    expect(page.locator(".seat .name")).to_have_text(names)
    expect(page.get_by_role("heading", name=f"{names[0]} wins!", exact=True)).to_be_visible()
    assert page.locator("main img[src=x]").count() == 0


def test_hostile_name_of_a_friend_is_shown_as_text(visitors: Visitors) -> None:
    ann = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    joins(visitors, ann, MARKUP)
    expect(ann.locator(".seat .name").nth(1)).to_have_text(MARKUP)


def test_bidi_controls_in_names_are_escaped(visitors: Visitors) -> None:
    ann = begins(visitors, "flag-chase", [{"name": "Ann"}, None])
    ben = visitors.comes(link(ann))
    ben.get_by_role("textbox", name="Your name").fill("\u202eevil")
    ben.get_by_role("button", name="Join").click()
    expect(ann.locator(".seat .name").nth(1)).to_have_text("\\u202eevil")


def test_players_take_turns_to_start_against_a_character(visitors: Visitors) -> None:
    page = visitors.comes("/new/number-reach")
    page.get_by_text("Easy", exact=False).first.click()
    expect(page.get_by_text("The rabbit hops first and thinks later.")).to_be_visible()
    page.get_by_role("button", name="Play").click()
    page.wait_for_url("**/play/*")
    expect(page.get_by_text("Rabbit starts this time.").first).to_be_attached()
    page.get_by_role("button", name="Resign").click()
    with page.expect_response("**/api/progress"):
        page.get_by_role("dialog").get_by_role("button", name="Resign").click()
    expect(page.get_by_role("heading", name="Rabbit wins.")).to_be_visible()
    again = visitors.tab(page.context, "/new/number-reach?level=easy")
    again.get_by_role("button", name="Play").click()
    again.wait_for_url("**/play/*")
    expect(again.get_by_text("You start this time.").first).to_be_attached()
