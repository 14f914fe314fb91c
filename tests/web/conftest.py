"""Fixtures of browser tests: a server per session, a browser per file, users per test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

DATABASES = ["file", pytest.param("postgres", marks=pytest.mark.postgres)]
"""Everything that is kept is kept alike in both."""

WIDTHS = [1280, pytest.param(320, marks=pytest.mark.soak)]
"""Widths of browser windows: a desktop and, in longer runs, a small phone."""

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from support.browser import Serving, Visitors, Window


@pytest.fixture(params=DATABASES)
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty database, of each kind in turn."""
    if request.param == "postgres":
        from support.postgres_server import empty_database

        return empty_database()
    return "sqlite://" if request.param == "memory" else f"sqlite:///{tmp_path / 'tables.db'}"


@pytest.fixture(scope="session")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running server with a fresh database."""
    from support.browser import Serving

    server = Serving(tmp_path_factory.mktemp("serving"))
    yield server
    server.stop()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """A browser for the tests of one file; other files may need the event loop that it occupies."""
    from support.browser import opened_browser

    with opened_browser() as opened:
        yield opened


@pytest.fixture(scope="module")
def idle() -> list[Window]:
    """Return the unused browser contexts."""
    return []


@pytest.fixture(params=WIDTHS)
def visitors(
    request: pytest.FixtureRequest, browser: Browser, serving: Serving, idle: list[Window]
) -> Iterator[Visitors]:
    """Yield an empty group of users; any error on their pages fails the test."""
    from support.browser import Visitors

    people = Visitors(browser, serving, idle, {"width": request.param, "height": 800})
    yield people
    people.leave()
