"""What every test has: a quiet environment, and where the transcripts are."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples on every run: a failure seen in CI is the failure seen at home.
settings.register_profile("numberline", derandomize=True, deadline=None)
settings.load_profile("numberline")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """No colour or width that happens to be set where the tests run, and folders of their own for what is kept."""
    home = tmp_path_factory.mktemp("home")
    for kind in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
