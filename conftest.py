"""Fixtures for all tests and examples: a clean environment, and skips for missing extras."""

from __future__ import annotations

import hashlib
import os
import signal
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest
from hypothesis import settings

import numberline
from numberline.errors import MissingExtra

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
    paths = (os.environ.get("PYTHONPATH"), str(Path(__file__).parent / "tests"))  # the latter for `support`
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)


EXTRAS = {
    "gymnasium": "envs",
    "pettingzoo": "envs",
    "pyspiel": "openspiel",
    "pyarrow": "data",
    "numba": "fast",
    "pexpect": "dev",
    "playwright": "dev",
    "schemathesis": "dev",
    "psycopg": "postgres",
    "alembic": "web",
    "fastapi": "web",
    "prometheus_client": "web",
    "segno": "web",
    "sqlalchemy": "web",
    "uvicorn": "web",
}


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Skip a file whose tests need an extra that is not installed, and name the extra."""
    report = yield
    call: pytest.CallInfo[object] | None = getattr(report, "call", None)
    for error in _causes(call.excinfo.value if call and call.excinfo else None):
        module = (error.name or "").partition(".")[0] if isinstance(error, ModuleNotFoundError) else ""
        reason = _not_installed(module) if module in EXTRAS else str(error) if isinstance(error, MissingExtra) else ""
        if reason:
            report.outcome, report.longrepr = "skipped", (str(collector.path), 0, f"Skipped: {reason}")
    return report


def _not_installed(module: str) -> str:
    return f'{module} is not installed; pip install "numberline[{EXTRAS[module]}]" installs it'


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and its causes, the last first."""
    while error:
        yield error
        error = error.__cause__ or error.__context__


SOAK_TIMEOUT_S = 1_800


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give soak tests more time, and skip the examples of environments without their extra."""
    for item in items:
        if item.get_closest_marker("soak"):
            item.add_marker(pytest.mark.timeout(SOAK_TIMEOUT_S))
        if item.path.name == "environments.md" and not find_spec("gymnasium"):
            item.add_marker(pytest.mark.skip(reason=_not_installed("gymnasium")))
