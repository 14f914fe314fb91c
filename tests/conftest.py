"""What every test has: a quiet environment, and where the transcripts are."""

from __future__ import annotations

import pytest
from hypothesis import settings

# The same examples on every run: a failure seen in CI is the failure seen at home.
settings.register_profile("numberline", derandomize=True, deadline=None)
settings.load_profile("numberline")


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No colour or width that happens to be set where the tests run."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
