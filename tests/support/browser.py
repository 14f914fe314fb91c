"""Pages in a real browser: a server, users with a browser context each, and the errors that their pages report."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]  # it has no types
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Page,
    ViewportSize,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).parents[2]
FLAGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--disable-quic",
)
TIMEOUT_MS = 10_000
REPORT_CSP_ERRORS = (
    "addEventListener('securitypolicyviolation', (e) => console.error('forbidden', e.violatedDirective))"
)
"""Violations of the content security policy are reported as errors."""


class Serving:
    """A running `numberline web` with its own database, which can be killed and restarted on the same port."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.url = self._started(0)

    @property
    def port(self) -> int:
        """The port it is reached at."""
        return int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """Kill it without a chance to finish anything."""
        self.process.kill()
        self._ended()

    def stop(self) -> None:
        """Stop it as Ctrl-C does."""
        self.process.terminate()
        self._ended()

    def again(self) -> None:
        """Restart it on the same port and database."""
        self._started(self.port)

    def _started(self, port: int) -> str:
        command = [sys.executable, "-m", "numberline", "web", "--no-browser", "--port", str(port)]
        with (self.folder / "errors").open("a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(
                [*command, "--db", str(self.folder / "matches.db")], stdout=subprocess.PIPE, stderr=errors, text=True
            )
        assert self.process.stdout
        line = self.process.stdout.readline()
        opened = re.search(r"http://[^/]*", line)
        assert opened, f"the server did not start: {line}{(self.folder / 'errors').read_text(encoding='utf-8')}"
        return opened[0]

    def _ended(self) -> None:
        assert self.process.stdout
        self.process.stdout.close()
        self.process.wait(30)


@cache
def browser_path() -> str:
    """Return the path of Chromium; fail the test with what to install if there is none."""
    ran = subprocess.run(
        [sys.executable, ROOT / "tools" / "browser.py"], capture_output=True, text=True, timeout=900, check=False
    )
    if ran.returncode:
        pytest.fail(ran.stderr.strip().splitlines()[-1], pytrace=False)
    return ran.stdout.strip()


@contextmanager
def opened_browser() -> Iterator[Browser]:
    """Yield a running browser."""
    path = browser_path()
    expect.set_options(timeout=TIMEOUT_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS])
        yield browser
        browser.close()


class Window:
    """A browser context that is reused, because opening one takes longer than playing a game in it."""

    def __init__(self, browser: Browser, url: str) -> None:
        self.url = url
        self.report: Callable[[str], None] = ignored
        """Called with every error on its pages."""
        self.context = browser.new_context(base_url=url, reduced_motion="reduce")
        self.context.set_default_timeout(TIMEOUT_MS)
        self.context.add_init_script(REPORT_CSP_ERRORS)
        self.context.on("request", lambda request: self._on_request(request.url))
        self.context.on(
            "console", lambda message: self._on_console(message.type, f"{message.text} {message.location['url']}")
        )
        self.context.on("weberror", lambda error: self._on_console("error", str(error.error)))
        self.page = self.context.new_page()
        self._tools = self.context.new_cdp_session(self.page)

    def cleared(self) -> bool:
        """Remove all data of the last user but cached files; return False, and close it, if that fails."""
        self.context.cookies()  # waits until all earlier errors are reported
        self.report = ignored
        self.page.unroute_all()
        for page in self.context.pages:
            if page != self.page:
                page.close()
        try:
            self.page.goto("/healthz")  # an address elsewhere, or none, would be a new process
        except Error:  # the page was navigating already
            self.context.close()
            return False
        self.page.evaluate("sessionStorage.clear()")
        self._tools.send("Storage.clearDataForOrigin", {"origin": self.url, "storageTypes": "cookies,local_storage"})
        self.context.set_offline(offline=False)
        self.page.emulate_media(color_scheme="light", reduced_motion="reduce", forced_colors="none")
        return True

    def _on_request(self, url: str) -> None:
        if not url.startswith((f"{self.url}/", "data:", "blob:")):
            self.report(f"asked for {url}")

    def _on_console(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"}:
            self.report(text)


def ignored(_: str) -> None:
    """Ignore a message."""


class Visitors:
    """Users with a browser context each; any error on their pages makes the test fail."""

    def __init__(self, browser: Browser, serving: Serving, idle: list[Window], size: ViewportSize) -> None:
        self.browser = browser
        self.size = size
        """Size of the windows."""
        self.serving = serving
        self.idle = idle
        """Unused browser contexts."""
        self.complaints: list[str] = []
        self.excused: list[str] = []
        self.windows: list[Window] = []
        self.closing: list[Window] = []
        """Contexts that can't be reused."""

    def excuse(self, *parts: str) -> None:
        """Expect errors that contain one of these texts."""
        self.excused += parts

    def comes(self, path: str = "/", *, first: bool = False) -> Page:
        """Open a page as a new user; with `first`, in a context without any stored data."""
        window = Window(self.browser, self.serving.url) if first or not self.idle else self.idle.pop()
        window.report = self.complaints.append
        (self.closing if first else self.windows).append(window)
        window.page.set_viewport_size(self.size)
        window.page.goto(path)
        return window.page

    def tab(self, context: BrowserContext, path: str) -> Page:
        """Open another page of the same user."""
        page = context.new_page()
        page.goto(path)
        return page

    def leave(self) -> None:
        """Close all pages, and check that no error was reported."""
        self.idle += [window for window in self.windows if window.cleared()]
        for window in self.closing:
            window.context.close()
        if self.faults():
            pytest.fail("\n".join(self.faults()), pytrace=False)

    def faults(self) -> list[str]:
        """Return the reported errors that no test expects."""
        return [error for error in self.complaints if not any(part in error for part in self.excused)]


WIDE = """async () => {
  const over = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
  for (let frame = 0; frame < 120 && over() > 0; frame++) await new Promise(requestAnimationFrame);
  return over();
}"""


def wide(page: Page) -> int:
    """Return by how many pixels a page is wider than its window, once its board had time to fold."""
    return int(page.evaluate(WIDE))


def shut_out(page: Page) -> list[str]:
    """Return the accessibility violations: each rule of axe with the first element that breaks it."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(Axe().axe_script)
    found = page.evaluate("axe.run({ resultTypes: ['violations'] })")["violations"]
    return [f"{each['id']}: {each['help']} at {each['nodes'][0]['html']}" for each in found]
