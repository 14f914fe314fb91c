"""Nothing jumps: in whole games, every key and the board keep their places, and no hop is clipped."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from support.browser import Visitors, shut_out, wide
from support.browser_matches import begins, friends, joins, key, played, plays

pytestmark = pytest.mark.browser

SIZES: tuple[ViewportSize, ...] = (
    {"width": 320, "height": 568},
    {"width": 768, "height": 1024},
    {"width": 1280, "height": 800},
)
PHONES: tuple[ViewportSize, ...] = ({"width": 390, "height": 844}, {"width": 667, "height": 375})
BOOKS = ("flag-chase", "line-runner", "number-line-sprint", "number-reach", "reach-the-edge")
BOTH = [{"name": "Ann"}, {"name": "Ben"}]

PLAY = """async (seed) => {
  const boxes = {};
  const clipped = new Set();
  const note = (name, { x, y, width, height }) => {
    (boxes[name] ??= new Set()).add([x, y, width, height].map(Math.round).join());
  };
  const board = document.getElementById("board");
  const measure = () => {
    const keys = [...document.querySelectorAll("#keys:not([hidden]) .key:not(.extra)")];
    for (const key of keys) note(key.dataset.move, key.getBoundingClientRect());
    const around = board.getBoundingClientRect();
    note("board", around);
    note("rows", { x: board.querySelectorAll(".row").length, y: 0, width: 0, height: 0 });
    const { x, y } = document.getElementById("tools").getBoundingClientRect();
    if (!over()) note("tools", { x, y, width: 0, height: 0 });
    for (const part of board.querySelectorAll(".arc, .label, .hop .tip")) {
      const box = part.getBoundingClientRect();
      if (!box.width) continue; // not drawn
      if (box.left < around.left - 0.5 || box.right > around.right + 0.5 || box.top < around.top - 0.5)
        clipped.add(part.dataset.move ?? part.parentElement.dataset.move);
    }
  };
  const frame = () => new Promise(requestAnimationFrame);
  const plies = () => document.querySelectorAll("#log tbody tr").length;
  const over = () => !document.getElementById("over").hidden;
  for (let n = 0; !over() && n < 400; n++) {
    const legal = [...document.querySelectorAll("#keys .key:not([aria-disabled])")];
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const before = plies();
    measure();
    legal[Math.floor(seed / 65536) % legal.length].click();
    do {
      await frame();
      measure();
    } while (plies() === before || (!over() && !document.querySelector("#keys .key:not([aria-disabled])")));
  }
  await frame();
  measure();
  const jumps = Object.fromEntries(
    Object.entries(boxes).filter(([, seen]) => seen.size > 1).map(([name, seen]) => [name, [...seen]]),
  );
  return { jumps, clipped: [...clipped], measured: Object.keys(boxes), over: over() };
}"""
"""Play random moves to the end of the game; measure every key, the board and the tools in every frame."""


def check(result: dict[str, Any], keys: int) -> None:
    assert result["over"]
    assert result["jumps"] == {}
    assert result["clipped"] == []
    assert len(result["measured"]) == keys + len(["board", "rows", "tools"])


def ready(page: Page, size: ViewportSize) -> int:
    """Set the size of the window, wait for the board, and return the number of keys."""
    page.set_viewport_size(size)
    expect(page.locator("#board .pin").first).to_be_attached()
    page.evaluate("scrollTo(0, 0)")
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.locator("#keys .key").count()


@pytest.mark.parametrize("variant", BOOKS)
def test_keys_and_board_stay_in_place(variant: str, visitors: Visitors) -> None:
    page = begins(visitors, variant, BOTH, rounds=len(SIZES))
    for size in SIZES:
        keys = ready(page, size)
        check(page.evaluate(PLAY, size["width"]), keys)
        if size is not SIZES[-1]:
            page.get_by_role("button", name="Next round").click()
            expect(page.locator("#over")).to_be_hidden()


LENGTHEN = """() => {
  const boxes = () =>
    JSON.stringify([...document.querySelectorAll("#board, #keys .key")].map((each) => each.getBoundingClientRect()));
  const before = boxes();
  const long = "Bartholomew is out of the game, because nobody can go past the end of the line.";
  for (const each of document.querySelectorAll(".seat .name, .seat .about, #turn, #said, .key .where"))
    each.textContent = long;
  return boxes() === before;
}"""
"""Make every text that changes during a game longer than it ever is; return whether the board and keys stay."""


def test_longest_texts_move_nothing(visitors: Visitors) -> None:
    page = begins(visitors, "number-reach", [{"name": "Ann"}, {"bot": "random"}])
    for size in (*SIZES, *PHONES):
        ready(page, size)
        assert page.evaluate(LENGTHEN), f"at {size}"


@pytest.mark.soak
@pytest.mark.parametrize("variant", [*BOOKS, "number-line-sprint(tokens=3, players=3)"])
def test_keys_stay_in_place_against_the_computer(variant: str, visitors: Visitors) -> None:
    seats = [{"name": "Ann"}, {"bot": "random"}, {"bot": "random"}]
    for game in range(20):
        page = begins(visitors, variant, seats[: 3 if "players=3" in variant else 2], assist="on")
        keys = ready(page, (*SIZES, *PHONES)[game % 5])
        check(page.evaluate(PLAY, game), keys)
        visitors.leave()
        visitors.windows.clear()


@pytest.mark.parametrize("size", PHONES, ids=["portrait", "landscape"])
def test_phone_shows_board_and_keys_together(size: ViewportSize, visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", BOTH)
    ready(page, size)
    board = page.locator("#board").bounding_box()
    keys = page.locator("#keys").bounding_box()
    assert board
    assert keys
    assert board["y"] >= 0
    assert keys["y"] + keys["height"] <= size["height"]
    beside = board["x"] + board["width"] <= keys["x"] and board["y"] + board["height"] <= size["height"]
    assert beside or board["y"] + board["height"] <= keys["y"]


CUT_KEYS = """() => [...document.querySelectorAll("#keys .key, #now")].flatMap((key) => {
  const box = key.getBoundingClientRect();
  const outside = (part, { left, right, top, bottom }) =>
    part.left < left || part.right > right || part.top < top - 3 || part.bottom > bottom + 3; // glyphs have space
  const range = document.createRange();
  return [...key.children]
    .filter((part) => !part.matches(".said, .wall-only") && part.offsetWidth)
    .filter((part) => {
      range.selectNodeContents(part);
      return outside(range.getBoundingClientRect(), box) || outside(box, new DOMRect(0, 0, innerWidth, innerHeight));
    })
    .map((part) => part.textContent);
})"""
LONG_NAMES = [{"name": "Bartholomew Montgomery"}, {"name": "Wilhelmina Featherstone"}, {"name": "Maximilian"}]


@pytest.mark.parametrize(
    "variant",
    [
        "number-line-sprint(tokens=3, players=3)",
        pytest.param("flag-chase(tokens=2, reverse=on, skip=on)", marks=pytest.mark.soak),
        pytest.param("number-line-sprint(repeat=banned)", marks=pytest.mark.soak),
        pytest.param("number-reach(operations=+1000 *200 -50 /2, target=190)", marks=pytest.mark.soak),
    ],
)
def test_phone_cuts_no_text_on_keys(variant: str, visitors: Visitors) -> None:
    page = begins(visitors, variant, LONG_NAMES[: 3 if "players=3" in variant else 2])
    for size in (SIZES[0], *PHONES):
        ready(page, size)
        page.reload()
        for _ in range(2):
            expect(page.locator("#keys .key:not([aria-disabled])").first).to_be_visible()
            assert page.evaluate(CUT_KEYS) == [], f"at {size}"
            plies = played(page).count()
            page.locator("#keys .key:not([aria-disabled])").first.click()
            expect(played(page)).not_to_have_count(plies)
            if page.locator("#over").is_visible():
                return


PHONE = PHONES[0]
SCROLLED_PX = 221
PLACES = """() => [scrollY, document.getElementById("board").getBoundingClientRect().y]"""


@pytest.mark.parametrize("variant", ["flag-chase", "line-runner"])
def test_scrolled_page_stays_in_place_for_a_whole_game(variant: str, visitors: Visitors) -> None:
    page = begins(visitors, variant, [{"name": "Ann"}, {"bot": "random"}], assist="on")
    ready(page, PHONE)
    page.evaluate("(y) => scrollTo(0, y)", SCROLLED_PX)
    before = page.evaluate(PLACES)
    assert before[0] == SCROLLED_PX
    page.keyboard.press("h")
    expect(page.locator("#advice")).to_be_in_viewport(ratio=1)
    assert page.evaluate(PLACES) == before, "after a hint"
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#advice")).to_be_hidden()
    while page.locator("#over").is_hidden():
        page.locator("#keys .key:not([aria-disabled])").last.click()
        expect(page.locator("#over:not([hidden]), #keys:not([hidden]) .key:not([aria-disabled])").first).to_be_visible()
        assert page.evaluate(PLACES) == before
    expect(page.locator("#over")).to_contain_text(re.compile("Rematch"))
    expect(page.locator("#over")).to_be_in_viewport(ratio=1)
    assert page.evaluate(PLACES) == before, "at the end"


KEY_PLACES = """() => [...document.querySelectorAll("#puzzle :is(.key, .cell)")]
  .map((each) => Object.values(each.getBoundingClientRect().toJSON()).map(Math.round).join())"""


def answers(page: Page, *, right: bool) -> str:
    """Return a move that is or isn't the answer to the puzzle on the page, which is one of today's."""
    return str(page.evaluate(FIND_ANSWER, right))


FIND_ANSWER = """async (right) => {
  const { today } = await import("/static/js/progress.js");
  const { puzzles } = await (await fetch(`/api/puzzles?day=${today()}`)).json();
  const n = [...document.querySelectorAll("#today button")].findIndex((each) => each.ariaCurrent);
  const { variant, theme, position } = puzzles[n];
  for (const { move } of position.choices.filter(({ legal }) => legal)) {
    const asked = { variant, position: position.position, theme, move, tries: 1 };
    const headers = { "Content-Type": "application/json" };
    const reply = await fetch("/api/puzzles/answer", { method: "POST", headers, body: JSON.stringify(asked) });
    if ((await reply.json()).right === right) return move;
  }
}"""


def opens_puzzles_of_the_day(visitors: Visitors) -> Page:
    """Open the puzzles of a day whose fifth asks for places to mark and whose others ask for a move."""
    page = visitors.comes(first=True)
    page.clock.set_fixed_time("2026-11-18T12:00")
    page.goto("/puzzles")
    page.set_viewport_size(PHONE)
    return page


def test_keys_of_a_puzzle_stay_in_place_between_tries(visitors: Visitors) -> None:
    page = opens_puzzles_of_the_day(visitors)
    for n in range(4):
        page.locator("#today button").nth(n).click()
        expect(page.locator("#which")).to_contain_text(f"Today's {n + 1} of 5")
        page.evaluate("scrollTo(0, 0)")
        before = page.evaluate(KEY_PLACES)
        assert before
        hint = page.get_by_role("button", name="Hint")
        if hint.count():
            hint.evaluate("(button) => button.click()")
            expect(page.locator(".reply")).to_be_in_viewport(ratio=1)
            assert page.evaluate(KEY_PLACES) == before, f"puzzle {n + 1} after a hint"
        page.locator(f'#puzzle .key[data-move="{answers(page, right=False)}"]').click()
        expect(page.locator(".reply")).to_contain_text("Not this one. Try once more.")
        expect(page.locator(".reply")).to_be_in_viewport(ratio=1)
        assert page.evaluate(KEY_PLACES) == before, f"puzzle {n + 1} after a wrong answer"
        assert page.evaluate("scrollY") == 0


def test_places_to_mark_stay_in_place_and_need_a_mark(visitors: Visitors) -> None:
    page = opens_puzzles_of_the_day(visitors)
    page.locator("#today button").nth(4).click()
    check = page.get_by_role("button", name="Check")
    expect(check).to_be_disabled()
    page.locator("#puzzle button.cell").first.click()
    check.scroll_into_view_if_needed()
    before = page.evaluate(KEY_PLACES)
    check.click()
    expect(page.locator(".reply")).to_be_in_viewport(ratio=1)
    if page.get_by_text("Try once more.").count():
        assert page.evaluate(KEY_PLACES) == before


def test_focus_ring_is_only_for_the_keyboard(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"bot": "random"}], first=2)
    focused = page.locator(".key:focus")
    expect(focused).to_have_css("outline-style", "none")
    expect(page.locator("#board.pointing")).to_have_count(0)
    page.keyboard.press("ArrowRight")
    expect(focused).to_have_css("outline-style", "solid")


def test_drag_slides_the_board_and_plays_nothing(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", BOTH)
    ready(page, SIZES[0])
    frame = page.locator("#board .overview .frame")
    before = float(frame.get_attribute("x") or "nan")
    box = page.locator('#board .touch[data-move="3"]').bounding_box()
    assert box
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] - 60, box["y"] + 5, steps=4)
    page.mouse.up()
    assert float(frame.get_attribute("x") or "nan") > before
    expect(played(page)).to_have_count(0)
    plays(page, "3")
    assert page.evaluate("document.querySelector('#board .window').classList.contains('more-right')")


def test_wall_view_shows_goal_teams_board_and_large_keys(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", BOTH)
    page.set_viewport_size(SIZES[2])
    page.goto(f"{page.url}?view=wall")
    expect(key(page, "2")).to_be_visible()
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page.get_by_role("region", name="Moves")).to_be_hidden()
    keys = page.locator("#keys .key").first.bounding_box()
    ruler = page.locator("#board .ruler").bounding_box()
    assert keys
    assert ruler
    assert keys["height"] >= 96
    assert ruler["width"] > 0.8 * SIZES[2]["width"]
    expect(page.locator("#goal")).to_contain_text("Be the first to")
    expect(page.locator(".seat.p2 .shape")).to_be_visible()
    expect(page.locator("#mover.p1 .shape")).to_be_visible()
    assert shut_out(page) == []
    happened = page.locator("#happened")
    key(page, "2").click()
    expect(happened).to_have_text("Ann just played 2.")
    page.get_by_role("button", name="Take back").click()
    expect(happened).to_be_empty()
    page.set_viewport_size(SIZES[0])
    assert page.evaluate("document.documentElement.scrollWidth") == SIZES[0]["width"]
    page.keyboard.press("Escape")
    expect(page.get_by_role("navigation")).to_be_visible()
    assert "view=" not in page.url


def test_leaving_the_wall_view_returns_to_its_button(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", BOTH)
    page.set_viewport_size({"width": 900, "height": 500})
    plays(page, "2")
    wall = page.get_by_role("button", name="Wall view", exact=True)
    wall.scroll_into_view_if_needed()
    page.keyboard.press(",")
    expect(page.locator("#back")).to_be_visible()
    wall.focus()
    before = page.evaluate("scrollY")
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Leave wall view")).to_be_focused()
    page.keyboard.press(",")
    assert page.evaluate("document.documentElement.scrollHeight") == 500, "the wall view isn't scrolled"
    page.keyboard.press("Enter")
    expect(wall).to_be_focused()
    assert page.evaluate("scrollY") == before
    expect(page.locator("#back")).to_be_visible()


LONG = [{"name": "The Flying Elephants of Class"}, {"name": "Die Blitzschnellen Seepferdch."}]
FITS = """() => {
  const box = (id) => document.getElementById(id).getBoundingClientRect();
  const key = document.querySelector("#keys .key").getBoundingClientRect();
  const number = document.querySelector("#board .row .number").getBoundingClientRect();
  return {
    scrolls: document.documentElement.scrollHeight > innerHeight,
    low: key.height < 96,
    small: number.height < innerHeight / 45,
    below: Math.max(box("keys").bottom, box("leave-wall").bottom) > innerHeight,
  };
}"""


@pytest.mark.parametrize(
    ("variant", "seats", "start"),
    [
        pytest.param("line-runner(end=300)", LONG, "1 98,180", id="long", marks=pytest.mark.soak),
        pytest.param("line-runner(tokens=3)", LONG, None, id="tokens", marks=pytest.mark.soak),
        pytest.param("line-runner(players=3)", [*LONG, {"name": "Wolfgang Amadeus Mozart School"}], None, id="players"),
    ],
)
def test_wall_view_fits_its_screen(
    variant: str, seats: list[dict[str, str]], start: str | None, visitors: Visitors
) -> None:
    page = begins(visitors, variant, seats, rounds=3, start=start)
    page.goto(f"{page.url}?view=wall")
    for width, height in ((1280, 720), (1920, 1080), (1024, 768)):
        ready(page, {"width": width, "height": height})
        wrong = [name for name, is_wrong in page.evaluate(FITS).items() if is_wrong]
        assert wrong == [], f"at {width} x {height}"


APART = """(ids) => {
  const [upper, lower] = ids.map((id) => document.getElementById(id).getBoundingClientRect());
  return upper.height > 0 && lower.height > 0 && upper.bottom <= lower.top + 1;
}"""


def test_wall_view_covers_nothing(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", [LONG[0], None], rounds=3)
    page.goto(f"{page.url}?view=wall")
    ready(page, {"width": 1024, "height": 768})
    expect(page.locator("#wait")).to_be_visible()
    assert page.evaluate(APART, ["wait", "board"])
    page = begins(visitors, "flag-chase", LONG, rounds=3)
    page.goto(f"{page.url}?view=wall")
    ready(page, {"width": 1024, "height": 768})
    for move in ("3", "1", "2"):
        key(page, move).click()
    expect(page.get_by_role("button", name="Next round")).to_be_in_viewport(ratio=1)
    assert page.evaluate(APART, ["board", "over"])
    assert page.evaluate(APART, ["over", "leave-wall"])


BOARD_BOX = """() => {
  const { x, y, width, height } = document.getElementById("board").getBoundingClientRect();
  return [x, y, width, height];
}"""


@pytest.mark.parametrize(("size", "view"), [(SIZES[2], "?view=wall"), (PHONES[1], "")], ids=["wall", "landscape"])
def test_result_is_in_view_and_moves_nothing(size: ViewportSize, view: str, visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", BOTH)
    page.goto(f"{page.url}{view}")
    ready(page, size)
    before = page.evaluate(BOARD_BOX)
    for move in ("3", "1", "2"):
        expect(key(page, move)).to_be_enabled()
        key(page, move).click()
    over = page.locator("#over")
    expect(over.get_by_role("button", name="Rematch")).to_be_in_viewport(ratio=1)
    expect(over.get_by_role("heading")).to_be_in_viewport(ratio=1)
    assert page.evaluate(BOARD_BOX) == before


@pytest.mark.parametrize(
    "scrolled", [pytest.param(0, id="top", marks=pytest.mark.soak), pytest.param(9999, id="bottom")]
)
def test_result_is_in_view_on_a_long_line(scrolled: int, visitors: Visitors) -> None:
    page = begins(visitors, "line-runner(end=60, steps=10,20,30)", BOTH)
    ready(page, SIZES[0])
    for move in ("30", "20"):
        plays(page, move)
    page.evaluate("(y) => scrollTo(0, y)", scrolled)
    plays(page, "30")
    expect(page.locator("#over").get_by_role("heading")).to_be_in_viewport(ratio=1)


def test_better_move_is_shown_in_view_after_a_loss(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", BOTH)
    ready(page, SIZES[0])
    for move in ("1", "3", "1", "2"):
        plays(page, move)
    page.get_by_role("button", name="Show me").click()
    expect(page.locator("#board .label.pointed").first).to_be_in_viewport(ratio=1)


def test_waiting_for_a_friend_and_the_banner_move_nothing(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, None])
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(key(page, "2")).to_be_in_viewport(ratio=1)
    before = page.evaluate(BOARD_BOX)
    joins(visitors, page, "Ben")
    expect(page.locator("#wait")).to_be_hidden()
    assert page.evaluate(BOARD_BOX) == before
    page.locator("#banner").evaluate("(banner) => { banner.hidden = false; banner.textContent = 'No answer'; }")
    assert page.evaluate(BOARD_BOX) == before


def test_rematch_stays_in_the_wall_view(visitors: Visitors) -> None:
    page = begins(visitors, "flag-chase", BOTH)
    page.goto(f"{page.url}?view=wall")
    first = page.url
    for move in ("3", "1", "2"):
        key(page, move).click()
    page.get_by_role("button", name="Rematch").click()
    page.wait_for_url(lambda url: url != first)
    assert page.url.endswith("?view=wall")
    expect(page.get_by_role("navigation")).to_be_hidden()


CUT_ARCS = """() => {
  const around = document.getElementById("board").getBoundingClientRect();
  return [...document.querySelectorAll("#board :is(.arc, .label, .ruler)")]
    .map((each) => each.getBoundingClientRect())
    .filter(({ top, bottom }) => top < around.top - 0.5 || bottom > around.bottom + 0.5).length;
}"""


@pytest.mark.parametrize("variant", BOOKS)
def test_wall_view_cuts_no_arc(variant: str, visitors: Visitors) -> None:
    page = begins(visitors, variant, BOTH)
    page.goto(f"{page.url}?view=wall")
    for size in (*SIZES, *reversed(PHONES)):
        ready(page, size)
        assert page.evaluate(CUT_ARCS) == 0, f"at {size}"
        assert wide(page) == 0, f"at {size}"
    page.get_by_role("button", name="Leave wall view").click()
    expect(page.locator(".key:focus")).to_have_count(1)


def test_first_player_is_named_before_the_computer_moves(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", [{"name": "Ann"}, {"bot": "random"}], first=2)
    expect(page.locator("#turn")).to_contain_text("starts this time.")
    assert page.locator("#log tbody tr").count() == 0
    expect(page.locator("#log tbody tr")).to_have_count(1)


RECORD_TIMERS = """() => {
  const { setTimeout } = window;
  window.waits = [];
  window.setTimeout = (run, ms, ...rest) => (window.waits.push(ms), setTimeout(run, ms, ...rest));
}"""


def test_turn_starts_with_a_pause_and_focus_on_the_keys(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    ann.evaluate(RECORD_TIMERS)
    ann.locator("h1").click()
    ann.keyboard.type("2")
    plays(ben, "1")
    expect(ann.locator(".key:focus")).to_have_count(1)
    assert 250 in ann.evaluate("window.waits"), "reduced motion keeps the pause"


HIDE = """() => {
  Object.defineProperty(document, "hidden", { get: () => true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_hidden_window_does_not_delay_events(visitors: Visitors) -> None:
    ann, ben = friends(visitors, "line-runner")
    ann.emulate_media(reduced_motion="no-preference")
    ann.evaluate("Element.prototype.animate = () => { window.on = true; return { finished: new Promise(() => {}) }; }")
    plays(ann, "2")
    plays(ben, "1")
    expect(played(ann)).to_have_count(1)  # the animation of her own move never ends
    ann.evaluate(HIDE)
    expect(played(ann)).to_have_count(2)


COVERED = """async () => {
  const { toast } = await import("/static/js/dom.js");
  toast("You can't play 2: Ben just did. You can't play 2: Ben just did.");
  const box = document.getElementById("toast").getBoundingClientRect();
  return [...document.querySelectorAll("a, button")]
    .map((each) => [each.textContent, each.getBoundingClientRect()])
    .filter(([, each]) => each.width && each.left < box.right && each.right > box.left)
    .filter(([, each]) => each.top < box.bottom && each.bottom > box.top)
    .map(([text]) => text);
}"""


def test_toast_covers_no_button(visitors: Visitors) -> None:
    page = begins(visitors, "line-runner", BOTH)
    for size in (*SIZES, *PHONES):
        ready(page, size)
        assert page.evaluate(COVERED) == []


def test_theme_can_follow_the_device_again(visitors: Visitors) -> None:
    page = visitors.comes("/")
    root = page.locator("html")
    page.get_by_role("button", name="Light or dark").click()
    expect(root).to_have_attribute("data-theme", "dark")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("combobox", name="Colours").select_option("like this device")
    expect(root).not_to_have_attribute("data-theme", "dark")
    page.reload()
    expect(root).not_to_have_attribute("data-theme", "dark")


NAMES = """() => [...document.querySelectorAll("button")]
  .filter((each) => each.offsetWidth)
  .map((each) => each.ariaLabel || each.textContent)"""


def test_buttons_have_unique_names(visitors: Visitors) -> None:
    page = visitors.comes("/")
    expect(page.get_by_role("group", name="Play Flag Chase with")).to_be_visible()
    names = page.evaluate(NAMES)
    assert len(names) > 10
    assert len(names) == len(set(names))


def test_buttons_of_a_lesson_stay_in_place_with_its_answers_in_view(visitors: Visitors) -> None:
    page = visitors.comes("/lessons/line-runner")
    walk = page.get_by_role("navigation", name="Steps of the lesson")
    step = page.locator("#step")
    for size in (SIZES[0], PHONES[1], SIZES[2]):
        page.set_viewport_size(size)
        page.goto("/lessons/line-runner#1")
        page.reload()
        expect(step.get_by_role("heading")).to_have_text("1. The goal")
        places = set()
        for _ in range(3):
            box = walk.get_by_role("button", name="Next").bounding_box()
            assert box
            places.add(box["y"])
            walk.get_by_role("button", name="Next").click()
        assert len(places) == 1, f"at {size}"
        if size is SIZES[0]:
            expect(step.locator(".key").first).to_be_in_viewport(ratio=1)
            box = step.locator(".key").first.bounding_box()
            assert box
            assert box["y"] + box["height"] <= places.pop(), "above the buttons"


def test_guide_is_in_view_on_a_small_phone_that_had_to_scroll(visitors: Visitors) -> None:
    visitors.size = SIZES[0]
    page = begins(visitors, "reach-the-edge", [{"name": "Ann"}, {"bot": "random"}])
    tip = page.locator("#tip")
    expect(tip.get_by_role("button", name="Got it")).to_be_visible()
    assert page.evaluate("scrollY") > 0
    expect(tip).to_be_in_viewport(ratio=1)
