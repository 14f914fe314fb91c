from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets

from numberline.web.ops.rate_limit import ADDRESS_RATE, SEAT_RATE, RateLimiter, client_address, request_cost
from numberline.web.ops.security import OriginPolicy
from numberline.web.routes.static_site import static_version
from support.web_server import opened_site, visited


def asked(method: str = "POST", host: str = "localhost:8000", kind: str = "http", **headers: str) -> dict[str, Any]:
    named = [(name.replace("_", "-").encode(), value.encode()) for name, value in {"host": host, **headers}.items()]
    return {"type": kind, "method": method, "headers": named, "path": "/api/matches"}


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1", "[::1]:8000", "LOCALHOST"])
def test_loopback_hosts_are_allowed(host: str) -> None:
    assert OriginPolicy().rejection(asked("GET", host)) is None


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "192.168.1.5:8000", "[", "a]b:x"])
def test_unknown_host_is_rejected(host: str) -> None:
    turned = OriginPolicy().rejection(asked("GET", host))
    assert turned
    assert turned.code == "bad_message"


def test_open_server_allows_any_address_but_no_unknown_name() -> None:
    guard = OriginPolicy(any_address=True)
    assert guard.rejection(asked("GET", "192.168.1.5:8000")) is None
    assert guard.rejection(asked("GET", "rebound.example:8000"))


def test_public_host_is_allowed() -> None:
    guard = OriginPolicy("https://games.example.org")
    assert guard.rejection(asked("POST", "games.example.org", origin="https://games.example.org")) is None


@pytest.mark.parametrize("host", ["games.example.org", "games.example.org:80", "GAMES.example.org"])
def test_http_page_is_rejected_if_the_public_url_is_https(host: str) -> None:
    guard = OriginPolicy("https://games.example.org")
    turned = guard.rejection(asked("POST", host, origin=f"http://{host.lower()}"))
    assert turned
    assert turned.code == "wrong_origin"


def test_server_with_a_public_url_is_used_directly_on_its_machine() -> None:
    guard = OriginPolicy("https://games.example.org")
    assert guard.rejection(asked("POST", "localhost:8000", origin="http://localhost:8000")) is None


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://localhost:9000", "http://localhost"])
def test_foreign_origin_is_rejected(origin: str) -> None:
    for kind in ("http", "websocket"):
        turned = OriginPolicy().rejection(asked(kind=kind, origin=origin))
        assert turned
        assert turned.code == "wrong_origin"


def test_cross_site_request_without_origin_is_rejected() -> None:
    assert OriginPolicy().rejection(asked(sec_fetch_site="cross-site"))


def test_own_pages_and_programs_are_allowed() -> None:
    assert OriginPolicy().rejection(asked(origin="http://localhost:8000")) is None
    assert OriginPolicy().rejection(asked()) is None


def test_foreign_page_gets_no_websocket(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened_site(tmp_path) as site:
            with pytest.raises(websockets.InvalidStatus) as refused:
                await site.socket("x", origin=websockets.Origin("http://evil.example"))
            assert refused.value.response.status_code == 403

    asyncio.run(run())


def test_every_response_has_security_headers(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        for path in ("/", "/api/books", "/nothing", "/static/css/base.css"):
            headers = (await client.get(path)).headers
            assert "script-src 'self'" in headers["content-security-policy"]
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "no-referrer"

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    ("public_url", "host", "sent"),
    [
        ("", "localhost:8000", True),
        ("http://games.lan", "games.lan", False),
        ("https://games.example.org", "games.example.org", True),
    ],
)
def test_opener_policy_is_sent_if_browsers_obey_it(tmp_path: Path, public_url: str, host: str, *, sent: bool) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        headers = (await client.get("/", headers={"host": host})).headers
        assert ("cross-origin-opener-policy" in headers) == sent

    visited(tmp_path, visit, public_url=public_url)


def test_only_the_embedded_board_can_be_framed(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        embedded = await client.get("/embed/line-runner")
        assert "frame-ancestors *" in embedded.headers["content-security-policy"]
        assert "set-cookie" not in embedded.headers

    visited(tmp_path, visit)


def test_pages_with_seats_are_not_cached(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.get("/play/x")).headers["cache-control"] == "no-store"
        assert (await client.get("/api/matches/x")).headers["cache-control"] == "no-store"

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static//etc/passwd",
        "/static/",
        f"/static/{static_version()}/../server.py",
        f"/static/{static_version()}//etc/passwd",
        f"/static/{static_version()}/",
    ],
)
def test_static_paths_stay_inside_their_folder(tmp_path: Path, path: str) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.get(path)).status_code == 404

    visited(tmp_path, visit)


def test_school_class_behind_one_address_is_not_limited() -> None:
    limits = RateLimiter(lambda: 0.0)
    for _ in range(40):
        pages = [limits.wait("10.0.0.1", "", request_cost("GET", "/api/books")) for _ in range(10)]
        made = limits.wait("10.0.0.1", "", request_cost("POST", "/api/matches"))
        joined = limits.wait("10.0.0.1", "", request_cost("POST", "/api/matches/x/seats"))
        assert [*pages, made, joined] == [0.0] * 12


def test_rate_limiter_returns_the_waiting_time() -> None:
    now = [0.0]
    limits = RateLimiter(lambda: now[0])
    while not (wait := limits.wait("10.0.0.1", "", 5)):
        pass
    assert wait == pytest.approx(5 / ADDRESS_RATE.per_second)
    now[0] += wait
    assert limits.wait("10.0.0.1", "", 5) == 0.0


def test_limited_seat_does_not_affect_other_seats() -> None:
    limits = RateLimiter(lambda: 0.0)
    for token in ("one", "two"):
        limits.add_seat(token)
    while not limits.wait("10.0.0.1", "one", 1):
        pass
    assert limits.wait("10.0.0.1", "two", SEAT_RATE.burst) == 0.0
    assert limits.wait("10.0.0.1", "", 1) == 0.0


def test_invented_tokens_share_the_limit_of_their_address() -> None:
    limits = RateLimiter(lambda: 0.0)
    waits = [limits.wait("10.0.0.1", f"token-{n}", 5) for n in range(int(ADDRESS_RATE.burst) // 5 + 1)]
    assert waits[-2:] == [0, pytest.approx(5 / ADDRESS_RATE.per_second)]


def test_ipv6_clients_are_counted_by_network() -> None:
    found = [client_address(f"2001:db8:0:{net}::{host}") for net, host in ((1, 1), (1, 2), (2, 1))]
    assert found == ["2001:db8:0:1::/64", "2001:db8:0:1::/64", "2001:db8:0:2::/64"]


@pytest.mark.parametrize("address", ["192.0.2.7", "::1", "", "testclient"])
def test_other_clients_are_counted_by_address(address: str) -> None:
    assert client_address(address) == address


def test_mapped_ipv4_client_is_counted_as_ipv4() -> None:
    assert client_address("::ffff:192.0.2.7") == "192.0.2.7"


def test_limited_request_is_answered_with_429_and_retry_after(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await client.post("/api/matches", json={"variant": "flag-chase", "seats": [{"name": "Ann"}, None]})
        client.headers["authorization"] = f"Bearer {made.json()['token']}"
        answers = [await client.get("/api/server") for _ in range(int(SEAT_RATE.burst) + 20)]
        slow = [answer for answer in answers if answer.status_code == 429]
        assert slow
        assert slow[0].json()["code"] == "slow_down"
        assert int(slow[0].headers["retry-after"]) >= 1

    visited(tmp_path, visit, public_url="http://localhost:8000")


def test_requests_that_change_data_cost_more() -> None:
    assert [request_cost(method, "/api/matches") for method in ("GET", "POST", "DELETE")] == [1, 5, 5]
