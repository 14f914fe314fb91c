"""A server of the test's own, in the test's own event loop, and those who talk to it."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import httpx
import uvicorn
import websockets

from numberline.web.app import WebApp
from numberline.web.gateway import Gateway
from numberline.web.ops.config import ServerConfig, bind_socket
from numberline.web.server import create_server

BROWSER = {"sec-fetch-site": "same-origin"}
"""Headers that only browsers send."""


def visited(folder: Path, visit: Callable[[httpx.AsyncClient], Awaitable[None]], **changed: Any) -> None:
    """Lets a client visit a site over no network at all."""

    async def run() -> None:
        front = Gateway(setup_in(folder, **changed), WebApp)
        transport = httpx.ASGITransport(app=front)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            try:
                await visit(client)
            finally:
                await front.notify_shutdown()
                await front.close()

    asyncio.run(run())


def setup_in(folder: Path, **changed: Any) -> ServerConfig:
    """A server whose database is in a folder of the test's."""
    return ServerConfig(f"sqlite:///{folder / 'games.db'}")._replace(**changed)


class Hurried:
    """What uvicorn takes for asyncio: it looks a hundred times a second whether it is to end, not ten times."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 10)


class Site:
    """A server that really listens."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.client = httpx.AsyncClient(base_url=self.url, timeout=20)

    async def match(self, *seats: object, variant: str = "flag-chase", **more: Any) -> dict[str, Any]:
        """Create a match and return the answer to its creator."""
        made = await self.client.post("/api/matches", json={"variant": variant, "seats": seats, **more})
        answer: dict[str, Any] = made.json()
        assert made.status_code == 201, answer
        return answer

    def socket(self, match: str, **more: Any) -> websockets.connect:
        """A connection to a table, which says nothing yet."""
        return websockets.connect(f"ws://127.0.0.1:{self.port}/api/matches/{match}/socket", compression=None, **more)


@asynccontextmanager
async def opened_site(folder: Path, **changed: Any) -> AsyncIterator[Site]:
    """A server on a free port, which stops with the block."""
    at = bind_socket("127.0.0.1", 0)
    at.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)  # whoever does not read is noticed soon
    setup = setup_in(folder, port=at.getsockname()[1], **changed)
    server = create_server(setup)
    with patch.object(uvicorn.server, "asyncio", Hurried()):
        serving = asyncio.create_task(server.serve([at]))
        site = Site(setup.port)
        try:
            yield site
        finally:
            await site.client.aclose()
            server.should_exit = True
            await serving


async def receive_frame(line: websockets.ClientConnection, kind: str) -> dict[str, Any]:
    """The next frame of a kind; others before it are passed over."""
    while True:
        frame: dict[str, Any] = json.loads(await asyncio.wait_for(line.recv(), 20))
        if frame["kind"] == kind:
            return frame


async def send_frame(line: websockets.ClientConnection, **frame: Any) -> None:
    """Sends a frame."""
    await line.send(json.dumps(frame))


async def watcher_leaves(site: Site, made: dict[str, Any]) -> bool:
    """Whether the one who watches a match is gone in the end, while whoever made it plays on.

    A move and its taking back send everybody the whole table, so a watcher who does not read has much to read soon.
    """
    async with site.socket(made["match"]) as player:
        await send_frame(player, kind="hello", token=made["token"])
        while (await receive_frame(player, "presence"))["watching"] == 0:
            pass  # it is about to come
        seq = 0
        for number in range(4_000):
            back = {"kind": "offer", "what": "takeback"}
            await send_frame(
                player, request=f"r{number}", seq=seq, **(back if number % 2 else {"kind": "move", "move": "3"})
            )
            while (frame := json.loads(await asyncio.wait_for(player.recv(), 20)))["kind"] != "ack":
                if frame["kind"] == "presence" and frame["watching"] == 0:
                    return True
            seq = frame["seq"]
    return False
