"""Nothing jumps: in whole games, every key and the board stay where they are, and no hop is clipped."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page, ViewportSize, expect

from support.browser import Visitors
from support.browser_matches import GAMES, begins

pytestmark = pytest.mark.browser

SIZES: tuple[ViewportSize, ...] = (
    {"width": 320, "height": 568},
    {"width": 768, "height": 1024},
    {"width": 1280, "height": 800},
)
PHONES: tuple[ViewportSize, ...] = ({"width": 390, "height": 844}, {"width": 667, "height": 375})
BOTH = [{"name": "Ann"}, {"name": "Ben"}]

PLAY = """async (moves) => {
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
  let seed = moves.length ? 0 : 12345;
  for (let n = 0; !over() && n < 400; n++) {
    const legal = [...document.querySelectorAll("#keys .key:not([aria-disabled])")];
    seed = (seed * 1103515245 + 12345) % 2147483648;
    const key = moves.length
      ? legal.find((each) => each.dataset.move === moves[n])
      : legal[Math.floor(seed / 65536) % legal.length];
    const before = plies();
    measure();
    key.click();
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
"""Play the moves, or else random ones; measure every key and the board in every frame."""


def check(result: dict[str, Any], keys: int) -> None:
    assert result["over"]
    assert result["jumps"] == {}
    assert result["clipped"] == []
    assert len(result["measured"]) == keys + len(["board", "rows"])


def ready(page: Page, size: ViewportSize) -> int:
    """Set the size of the window, wait for the board, and return the number of keys."""
    page.set_viewport_size(size)
    expect(page.locator("#board .pin").first).to_be_attached()
    page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return page.locator("#keys .key").count()


@pytest.mark.parametrize("variant", GAMES)
def test_keys_and_board_stay_in_place(variant: str, visitors: Visitors) -> None:
    page = begins(visitors, variant.replace("(end=8)", ""), BOTH, rounds=len(SIZES))
    for size in SIZES:
        keys = ready(page, size)
        check(page.evaluate(PLAY, []), keys)
        if size is not SIZES[-1]:
            page.get_by_role("button", name="Next round").click()
            expect(page.locator("#over")).to_be_hidden()


@pytest.mark.soak
@pytest.mark.parametrize("variant", [*GAMES, "number-line-sprint(tokens=3, players=3)"])
def test_keys_stay_in_place_against_the_computer(variant: str, visitors: Visitors) -> None:
    seats = [{"name": "Ann"}, {"bot": "random"}, {"bot": "random"}]
    for game in range(20):
        page = begins(visitors, variant, seats[: 3 if "players=3" in variant else 2], assist="on")
        keys = ready(page, (*SIZES, *PHONES)[game % 5])
        check(page.evaluate(PLAY, []), keys)
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
    apart = board["x"] + board["width"] <= keys["x"] if size["width"] > size["height"] else True
    assert apart
    assert board["y"] + board["height"] <= (size["height"] if size["width"] > size["height"] else keys["y"])
