"""The HTTP API conforms to its OpenAPI schema: Schemathesis sends valid and invalid data to every path."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable

from numberline.web.ops.config import bind_socket
from numberline.web.server import create_server
from support.web_server import setup_in

FINE = ["2xx", "400", "401", "403", "404", "409", "413", "422"]
"""Statuses for valid data; some errors can't be expressed in a schema."""
REFUSED = ["400", "401", "403", "404", "405", "409", "413", "415", "422", "429"]
"""Statuses for invalid data; 413 if it is too long to be read."""


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Run a server in a thread and return its address."""
    at = bind_socket("127.0.0.1", 0)
    port = at.getsockname()[1]
    server = create_server(setup_in(tmp_path_factory.mktemp("schema"), port=port))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve([at])))
    thread.start()
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def described(url: str) -> Any:
    """Load the OpenAPI schema of the server."""
    checks = {
        "positive_data_acceptance": {"expected-statuses": FINE},
        "negative_data_rejection": {"expected-statuses": REFUSED},
    }
    config = schemathesis.Config.from_dict({"checks": checks})
    return schemathesis.openapi.from_url(f"{url}/api/openapi.json", config=config)


def ask(described: Any, examples: int) -> list[str]:
    """Return the failures of each path for this many valid and invalid examples."""
    wrong = []
    for found in described.get_all_operations():
        operation = found.ok()
        for mode in schemathesis.GenerationMode:

            @settings(max_examples=examples, suppress_health_check=list(HealthCheck), deadline=None, database=None)
            @given(case=operation.as_strategy(generation_mode=mode))
            def asked(case: schemathesis.Case[Any]) -> None:
                case.call_and_validate()

            try:
                asked()
            except Unsatisfiable:
                pass  # nothing can be wrong with a path that takes nothing
            except BaseExceptionGroup as failures:
                wrong += [f"{operation.label}: {failure}" for failure in failures.exceptions]
    return wrong


def test_every_path_conforms_to_the_schema(described: Any) -> None:
    assert ask(described, 5) == []


@pytest.mark.soak
def test_every_path_conforms_to_the_schema_at_length(described: Any) -> None:
    assert ask(described, 1_000) == []
