from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest

from numberline.web.ops import rate_limit
from numberline.web.ops.rate_limit import BOOK_BYTES_RATE, Quota, Rate, RateLimiter
from numberline.web.server import create_server
from support.web_server import setup_in

NEAR, FAR = "127.0.0.1", "203.0.113.5"


def answers(folder: Path, peer: str, forwarded: Sequence[str], proxies: tuple[str, ...] = ()) -> list[int]:
    """Return the status of requests from an address, each with a forwarded address."""

    async def run() -> list[int]:
        server = create_server(setup_in(folder, public_url="https://games.example.org", proxies=proxies))
        server.config.load()
        transport = httpx.ASGITransport(app=server.config.loaded_app, client=(peer, 1))
        async with httpx.AsyncClient(transport=transport, base_url="https://games.example.org") as client:
            found = [
                (await client.get("/api/server", headers={"x-forwarded-for": each} if each else {})).status_code
                for each in forwarded
            ]
        await server.gateway.notify_shutdown()
        await server.gateway.close()
        return found

    return asyncio.run(run())


@pytest.fixture(autouse=True)
def _two_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Allow each client two requests."""
    monkeypatch.setattr(rate_limit, "ADDRESS_RATE", Rate(2, 0.000001))


@pytest.mark.parametrize(("peer", "proxies"), [(NEAR, ()), (FAR, (FAR,)), (FAR, ("203.0.113.0/24",))])
def test_clients_behind_a_trusted_proxy_are_counted_separately(
    tmp_path: Path, peer: str, proxies: tuple[str, ...]
) -> None:
    asked = ["192.0.2.1"] * 3 + ["192.0.2.2"] * 2
    assert answers(tmp_path, peer, asked, proxies) == [200, 200, 429, 200, 200]


def test_forged_address_before_the_proxy_is_ignored(tmp_path: Path) -> None:
    asked = [f"198.51.100.{number}, 192.0.2.1" for number in range(3)]
    assert answers(tmp_path, NEAR, asked) == [200, 200, 429]


def test_forwarded_address_of_an_unknown_client_is_ignored(tmp_path: Path) -> None:
    assert answers(tmp_path, FAR, ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) == [200, 200, 429]


def test_proxy_without_forwarded_address_is_counted_itself(tmp_path: Path) -> None:
    assert answers(tmp_path, NEAR, ["", "", ""]) == [200, 200, 429]


def test_quota_is_shared_by_clients_and_released() -> None:
    quota = Quota(per_client=2, total=3)
    assert [quota.take(client) for client in ("a", "a", "a", "b", "c")] == [True, True, False, True, False]
    quota.release("a")
    assert [quota.take(client) for client in ("c", "c")] == [True, False]


@pytest.mark.parametrize(
    ("address", "client"),
    [("192.0.2.1", "192.0.2.1"), ("2001:db8::5", "2001:db8::/64"), ("127.0.0.1", ""), ("10.1.2.3", ""), ("::1", "")],
)
def test_connections_are_counted_by_client(tmp_path: Path, address: str, client: str) -> None:
    assert setup_in(tmp_path, proxies=("10.0.0.0/8",)).quota_client(address) == client


def test_proxy_counts_only_towards_the_total() -> None:
    quota = Quota(per_client=1, total=3)
    assert [quota.take("") for _ in range(4)] == [True, True, True, False]


def test_books_are_limited_to_bytes_per_day() -> None:
    now = [0.0]
    limits, size = RateLimiter(lambda: now[0]), 50_000
    count = int(BOOK_BYTES_RATE.burst) // size
    assert [limits.wait("192.0.2.1", "", 0, size) for _ in range(count)] == [0.0] * count
    assert limits.wait("192.0.2.1", "", 0, size) > 0
    assert limits.wait("192.0.2.2", "", 0, size) == 0
    now[0] += 86_400
    assert limits.wait("192.0.2.1", "", 0, size) == 0
