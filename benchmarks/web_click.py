"""Click latency, timed by the page itself: from the click until the acknowledged move is drawn."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Literal

from playwright.sync_api import Page, sync_playwright

BROWSER = Path(__file__).parent.parent / "tools" / "browser.py"
VARIANT = "line-runner(reverse=true)"
PATIENCE = 15_000
"""Timeout of browser operations in milliseconds."""

MAKE = """async (variant) => {
  const seats = [{ name: "Ann" }, { name: "Bob" }];
  const body = JSON.stringify({ variant, first: 1, rounds: 1, seats, clock: null, assist: "on" });
  const answer = await fetch("/api/matches", { method: "POST", headers: { "Content-Type": "application/json" }, body });
  return (await answer.json()).match;
}"""
"""Creates a match for two players on one screen and returns the match or its id."""

WATCH = """() => {
  const rows = () => document.querySelectorAll("#log tbody tr").length;
  window.waits = [];
  let pressed = null;
  let before = 0;
  document.addEventListener("click", (event) => {
    pressed = event.timeStamp;
    before = rows();
  }, true);
  const drawn = () => {
    if (pressed === null || rows() <= before || document.querySelector("#keys .pending")) return;
    const from = pressed;
    pressed = null;
    const channel = new MessageChannel();
    channel.port1.onmessage = () => window.waits.push(performance.now() - from);
    requestAnimationFrame(() => channel.port2.postMessage(null));
  };
  const seen = { childList: true, subtree: true, attributes: true };
  new MutationObserver(drawn).observe(document.getElementById("table").parentElement, seen);
}"""
"""Measures from each click to the first frame in which the move is in the log and no button is pending."""


def click_to_answer(url: str, clicks: int, motion: Literal["no-preference", "reduce"]) -> list[float]:
    """Return the milliseconds of each click in a match of two players on one screen."""
    browser = subprocess.run([sys.executable, str(BROWSER)], capture_output=True, text=True, check=True).stdout.strip()
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_context(reduced_motion=motion).new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(url)
        made = page.evaluate(MAKE, VARIANT)
        page.goto(f"{url}/play/{made if isinstance(made, str) else made['id']}")
        page.wait_for_selector("#keys button:not([aria-disabled])")
        page.evaluate(WATCH)
        for done in range(clicks):
            _press(page, done)
        times: list[float] = page.evaluate("window.waits")
        chromium.close()
    return times


def _press(page: Page, done: int) -> None:
    """Step back if possible, otherwise two forward, so that the game never ends."""
    back = '#keys button[data-move="back"]:not([aria-disabled])'
    page.click(back if page.locator(back).count() else '#keys button[data-move="2"]')
    page.wait_for_function("(done) => window.waits.length > done", arg=done)
