"""Take the browser screenshot in the README from a real game; run by `make picture`."""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import ViewportSize, sync_playwright

HERE = Path(__file__).parent
MOVES = ("2", "3", "3", "3", "1", "1")
"""A game of Line Runner for two players on one screen, with a mistake by each player."""
SIZE = ViewportSize(width=1180, height=790)


def take_screenshot(address: str, browser: str) -> bytes:
    """Return a PNG of the page after `MOVES`, with the value of each move and a hint."""
    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = opened.new_context(viewport=SIZE, device_scale_factor=1.5, reduced_motion="reduce").new_page()
        page.goto(f"{address}/new/line-runner?with=two")
        page.get_by_role("textbox").nth(0).fill("Ann")
        page.get_by_role("textbox").nth(1).fill("Ben")
        page.get_by_role("button", name="Play", exact=True).click()
        for number, move in enumerate(MOVES, 1):
            page.get_by_role("button", name=re.compile(rf"^{move}: ")).click()
            page.locator(".log tbody tr").nth(number - 1).wait_for()
        page.get_by_role("button", name="Values").click()
        page.get_by_role("button", name="Hint").click()
        page.locator("#advice").get_by_role("button").first.wait_for()
        page.locator("h1").click()
        picture = page.screenshot()
        opened.close()
    return picture


def main() -> None:
    """Write the picture to the file named on the command line."""
    found = subprocess.run([sys.executable, HERE / "browser.py"], stdout=subprocess.PIPE, text=True, check=True)  # noqa: S603 - our own
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "numberline", "web", "--no-browser", "--port", "0", "--db", f"{folder}/web.db"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own
            printed = re.search(r"http://[^/]*", server.stdout.readline() if server.stdout else "")
            try:
                Path(sys.argv[1]).write_bytes(take_screenshot(printed[0] if printed else "", found.stdout.strip()))
            finally:
                server.terminate()


if __name__ == "__main__":
    main()
