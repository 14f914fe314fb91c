from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
import websockets
from starlette.applications import Starlette
from starlette.routing import Mount

from numberline.web.app import create_app
from numberline.web.gateway import Gateway
from numberline.web.ops.config import bind_socket
from support.web_server import receive_frame, send_frame, setup_in


def mounted(games: Gateway) -> Starlette:
    return Starlette(routes=[Mount("/games", games)], lifespan=games.lifespan)


async def play_a_game(base: str, ws_base: str) -> None:
    """Create a match, accept the invitation, and play over a WebSocket until the game is over."""
    async with httpx.AsyncClient(timeout=20) as client:
        order = {"variant": "line-runner", "seats": [{"name": "Ann"}, None]}
        made = (await client.post(f"{base}/api/matches", json=order)).json()
        link, _, invite = made["invites"][0]["url"].partition("#")
        assert link == f"{base}/play/{made['match']}"
        assert (await client.get(link)).status_code == 200
        seats = f"{base}/api/matches/{made['match']}/seats"
        claimed = (await client.post(seats, json={"invite": invite, "name": "Bob"})).json()
        path = f"{ws_base}/api/matches/{made['match']}/socket"
        async with websockets.connect(path) as first, websockets.connect(path) as second:
            await send_frame(first, kind="hello", token=made["token"])
            await send_frame(second, kind="hello", token=claimed["token"])
            state: dict[str, Any] = await receive_frame(first, "table")
            await receive_frame(second, "table")
            seq, position = state["seq"], state["position"]
            while position["choices"]:
                mover = first if position["turn"] == 1 else second
                await send_frame(mover, kind="move", request=f"r{seq}", seq=seq, move=position["choices"][-1]["move"])
                await receive_frame(mover, "ack")
                event = await receive_frame(first, "event")
                await receive_frame(second, "event")
                seq, position = event["seq"], event["position"]
        match = (await client.get(f"{base}/api/matches/{made['match']}")).json()["match"]
        assert match["outcome"]


@pytest.mark.parametrize(("http", "ws"), [("h11", "auto"), ("httptools", "websockets-sansio")])
def test_game_is_played_below_a_path_with_standard_protocols(tmp_path: Path, http: Any, ws: Any) -> None:
    async def run() -> None:
        listener = bind_socket("127.0.0.1", 0)
        port = listener.getsockname()[1]
        app = mounted(create_app(setup_in(tmp_path, port=port)))
        server = uvicorn.Server(uvicorn.Config(app, http=http, ws=ws, log_config=None))
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:  # noqa: ASYNC110 - uvicorn has no event for it
            await asyncio.sleep(0.01)
        await play_a_game(f"http://127.0.0.1:{port}/games", f"ws://127.0.0.1:{port}/games")
        server.should_exit = True
        await serving

    asyncio.run(run())


@pytest.mark.parametrize("prefix", ["", "/games"], ids=["removed by the proxy", "passed on"])
def test_public_url_can_have_a_path(tmp_path: Path, prefix: str) -> None:
    config = setup_in(tmp_path, public_url="https://example.org/games")

    async def run() -> None:
        app = create_app(config)
        async with app.lifespan():
            transport = httpx.ASGITransport(app=app)
            async with httpx.AsyncClient(transport=transport, base_url=f"https://example.org{prefix}") as client:
                for path in ("/", "/puzzles", "/nothing"):
                    page = (await client.get(path)).text
                    assert '<html data-base="/games" ' in page
                    assert 'href="/games/lessons"' in page
                    assert 'href="/lessons"' not in page
                assert (await client.get("/static/icon.svg", follow_redirects=True)).status_code == 200
                order = {"variant": "flag-chase", "seats": [{"name": "Ann"}, None]}
                made = (await client.post("/api/matches", json=order)).json()
                assert made["invites"][0]["url"].startswith(f"https://example.org/games/play/{made['match']}#")

    asyncio.run(run())


def test_pages_at_the_root_are_not_changed(tmp_path: Path) -> None:
    async def run() -> None:
        transport = httpx.ASGITransport(app=create_app(setup_in(tmp_path)))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            assert "data-base" not in (await client.get("/")).text

    asyncio.run(run())


def test_startup_fails_if_the_database_can_not_be_opened(tmp_path: Path) -> None:
    (tmp_path / "games.db").write_text("not a database", encoding="utf-8")

    async def run() -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "lifespan.startup"}

        async def send(message: Any) -> None:
            sent.append(message)

        await create_app(setup_in(tmp_path))({"type": "lifespan"}, receive, send)
        return sent

    (answer,) = asyncio.run(run())
    assert answer["type"] == "lifespan.startup.failed"
    assert "games.db" in json.dumps(answer)
