"""Fixtures for all tests: a clean environment."""

from __future__ import annotations

import hashlib
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

import numberline

# A shell without job control starts background commands with SIGINT ignored, which the tested processes would inherit.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# The same examples on every run: a failure seen in CI is the failure seen at home. `make soak` draws new and more ones.
settings.register_profile("numberline", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("soak", deadline=None, max_examples=300)
settings.load_profile("numberline")


@pytest.fixture(scope="session")
def compiled_folder(pytestconfig: pytest.Config) -> Path:
    """Directory of compiled kernels, which take a minute to make and are kept until a source of the solver changes."""
    sources = sorted(Path(numberline.__file__).parent.joinpath("solver").glob("*.py"))
    digest = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    folder = pytestconfig.rootpath / ".pytest_cache" / "compiled" / digest
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def plain_environment(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory, compiled_folder: Path
) -> None:
    """Unset colours and widths, and use empty directories for data, configuration and caches."""
    home = tmp_path_factory.mktemp("home")
    for kind in ("DATA", "CONFIG", "CACHE", "STATE"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(home / kind.lower()))
    (home / "cache" / "numberline").mkdir(parents=True)
    (home / "cache" / "numberline" / "compiled").symlink_to(compiled_folder)
    inherited = [path for path in (os.environ.get("PYTHONPATH"),) if path]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*inherited, str(Path(__file__).parent)]))  # for `support`
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
