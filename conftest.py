"""Collection of tests and examples: skips for missing extras, and more time for soak tests."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from importlib.util import find_spec

import pytest

from numberline.errors import MissingExtra

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
