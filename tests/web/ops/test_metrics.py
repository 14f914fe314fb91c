from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from numberline.web import gateway
from numberline.web.app import WebApp
from numberline.web.rooms import registry
from numberline.web.store.store import Store
from numberline.web.store.tables import set_schema_version
from support.web_server import Site, opened_site, receive_frame, send_frame, visited


async def figures(client: httpx.AsyncClient) -> dict[str, float]:
    """The figures of this process, each by its name and the word that it is counted by."""
    families = text_string_to_metric_families((await client.get("/metrics")).text)
    found = {}
    for sample in (sample for family in families for sample in family.samples):
        words = [word for label, word in sorted(sample.labels.items()) if label != "worker"]
        found[" ".join([sample.name, *words])] = sample.value
    return found


def at_a_site(scene: Callable[[Site], Awaitable[None]], folder: Path, **changed: Any) -> None:
    async def run() -> None:
        async with opened_site(folder, **changed) as site:
            await scene(site)

    asyncio.run(run())


def test_metrics_count_and_time_moves_and_rejections(tmp_path: Path) -> None:
    async def scene(site: Site) -> None:
        made = await site.match({"name": "Ann"}, {"name": "Bob"})
        before = await figures(site.client)
        async with site.socket(made["match"]) as line:
            await send_frame(line, kind="hello", token=made["token"], since=0)
            table = await receive_frame(line, "table")
            move = table["position"]["choices"][0]["move"]
            await send_frame(line, kind="move", request="r", seq=0, move=move)
            await receive_frame(line, "ack")
            await send_frame(line, kind="move", request="s", seq=0, move=move)
            await receive_frame(line, "error")
            after = await figures(site.client)
        grown = {name: after[name] - before.get(name, 0) for name in after}
        assert grown["numberline_moves_total"] == grown["numberline_acknowledged_total move"] == 1
        assert grown["numberline_refused_total stale"] == 1
        assert grown["numberline_acknowledgement_seconds_count"] == grown["numberline_batch_events_count"] == 1
        assert grown["numberline_batch_events_sum"] == grown["numberline_batch_events_bucket 1.0"] == 1
        assert after["numberline_open_sockets"] == after["numberline_live_tables"] == 1

    at_a_site(scene, tmp_path)


def test_metrics_count_rejected_requests_by_code(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        before = await figures(client)
        await client.get("/api/matches/nothing")
        await client.get("/", headers={"host": "elsewhere"})
        after = await figures(client)
        for code in ("not_found", "bad_message"):
            name = f"numberline_refused_total {code}"
            assert after[name] == before.get(name, 0) + 1

    visited(tmp_path, visit)


def test_metrics_count_database_failures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    async def visit(client: httpx.AsyncClient) -> None:
        before = (await figures(client)).get("numberline_refused_total cannot_save", 0)
        monkeypatch.setattr(Store, "_require_durable", full)
        made = await client.post("/api/matches", json={"variant": "flag-chase", "seats": [{"name": ""}, None]})
        assert made.status_code == 503
        assert (await figures(client))["numberline_refused_total cannot_save"] == before + 1

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    ("changed", "headers", "status"),
    [
        ({}, {}, 200),
        ({}, {"x-forwarded-for": "192.0.2.9"}, 404),
        ({}, {"x-forwarded-for": "127.0.0.1"}, 404),
        ({}, {"forwarded": "for=192.0.2.9"}, 404),
        ({"metrics": True}, {"x-forwarded-for": "192.0.2.9"}, 200),
        ({"public_url": "https://games.example.org"}, {"host": "games.example.org"}, 404),
        ({"public_url": "https://games.example.org"}, {}, 200),
    ],
)
def test_metrics_are_private_unless_exposed(
    tmp_path: Path, changed: dict[str, Any], headers: dict[str, str], status: int
) -> None:
    async def scene(site: Site) -> None:
        assert (await site.client.get("/metrics", headers=headers)).status_code == status

    at_a_site(scene, tmp_path, **changed)


def test_server_is_alive_but_not_ready_without_its_database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.get("/readyz")).json() == {"ok": True}
        monkeypatch.setattr(WebApp, "health_error", lambda _: "The database can't be read.")
        ready = await client.get("/readyz")
        assert (ready.status_code, ready.json()["sentence"]) == (503, "The database can't be read.")
        assert (await client.get("/healthz")).json() == {"ok": True}

    visited(tmp_path, visit)


def test_server_is_not_ready_after_the_database_was_upgraded(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        transport: Any = client._transport
        house = await transport.app.web_app()
        house.store.write_transaction(lambda connection: set_schema_version(connection, 99))
        ready = await client.get("/readyz")
        assert ready.status_code == 503
        assert "newer version of Numberline" in ready.json()["sentence"]

    visited(tmp_path, visit)


def test_server_is_not_ready_on_a_damaged_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "FILE_CHECK_INTERVAL_S", 0.01)
    order = {"variant": "flag-chase", "seats": [{"name": "Ann"}, {"name": "Bob"}]}

    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.post("/api/matches", json=order)).status_code == 201
        with (tmp_path / "games.db").open("r+b") as file:
            file.write(bytes(8192))
        damaged = "The database file is damaged; restore a backup."
        while damaged not in (ready := await client.get("/readyz")).text:  # noqa: ASYNC110 - the server signals nothing
            await asyncio.sleep(0.01)  # the next check finds it; on a busy machine, one can take too long
        assert ready.status_code == 503
        refused = await client.post("/api/matches", json=order)
        assert (refused.status_code, refused.json()["code"]) == (503, "cannot_save")

    visited(tmp_path, visit)


def test_server_is_not_ready_if_the_database_can_not_be_opened(tmp_path: Path) -> None:
    (tmp_path / "games.db").write_text("no database", encoding="utf-8")

    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.get("/healthz")).status_code == 200
        assert (await client.get("/readyz")).status_code == 503

    visited(tmp_path, visit)


def test_readiness_checks_share_one_query_with_a_timeout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    release, asked = threading.Event(), []

    def silent(house: WebApp) -> str:
        asked.append(house)
        release.wait(20)
        return ""

    async def visit(client: httpx.AsyncClient) -> None:
        await client.get("/readyz")
        monkeypatch.setattr(WebApp, "health_error", silent)
        monkeypatch.setattr(gateway, "READY_TIMEOUT_S", 0.5)
        answers = await asyncio.gather(*(client.get("/readyz") for _ in range(3)))
        release.set()
        assert [answer.status_code for answer in answers] == [503] * 3
        assert len(asked) == 1

    visited(tmp_path, visit)


def test_health_endpoints_are_read_only(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answers = [await client.post(path) for path in ("/healthz", "/readyz", "/metrics")]
        assert [answer.status_code for answer in answers] == [405] * 3

    visited(tmp_path, visit)
