"""What the tests in a browser have: a server for the session, a browser for the file, and visitors for the test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from browsing import Serving, Visitors


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running server with a fresh database."""
    from browsing import Serving

    server = Serving(tmp_path_factory.mktemp("serving"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of one file; other files may need the event loop that it occupies."""
    from browsing import opened_browser

    with opened_browser() as opened:
        yield opened


@pytest.fixture
def visitors(browser: Browser, serving: Serving) -> Iterator[Visitors]:
    """Nobody yet; whatever goes wrong on their pages makes the test fail."""
    from browsing import Visitors

    people = Visitors(browser, serving)
    yield people
    people.leave()
