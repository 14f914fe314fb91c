"""A server in the event loop of the test, and its clients."""

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

from numberline.web.gateway import Gateway
from numberline.web.ops.config import ServerConfig, bind_socket
from numberline.web.server import create_server

BROWSER = {"sec-fetch-site": "same-origin"}
"""Headers that only browsers send."""


def visited(folder: Path, visit: Callable[[httpx.AsyncClient], Awaitable[None]], **changed: Any) -> None:
    """Run a scene with a client of the application, without a network."""

    async def run() -> None:
        front = Gateway(setup_in(folder, **changed))
        transport = httpx.ASGITransport(app=front)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost:8000") as client:
            try:
                await visit(client)
            finally:
                await front.notify_shutdown()
                await front.close()

    asyncio.run(run())


def setup_in(folder: Path, **changed: Any) -> ServerConfig:
    """Return the configuration of a server with its database in this folder."""
    return ServerConfig(f"sqlite:///{folder / 'games.db'}")._replace(**changed)


class FastPollingAsyncio:
    """Replacement of asyncio in uvicorn that polls for shutdown a hundred times per second instead of ten."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / 10)


class Site:
    """A running server on a real port."""

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
        """Return a connection to a match that has sent nothing yet."""
        return websockets.connect(f"ws://127.0.0.1:{self.port}/api/matches/{match}/socket", compression=None, **more)


@asynccontextmanager
async def opened_site(folder: Path, **changed: Any) -> AsyncIterator[Site]:
    """Yield a server on a free port; it stops with the block."""
    at = bind_socket("127.0.0.1", 0)
    at.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 8192)  # a client that does not read is noticed soon
    setup = setup_in(folder, port=at.getsockname()[1], **changed)
    server = create_server(setup)
    with patch.object(uvicorn.server, "asyncio", FastPollingAsyncio()):
        serving = asyncio.create_task(server.serve([at]))
        site = Site(setup.port)
        try:
            yield site
        finally:
            await site.client.aclose()
            server.should_exit = True
            await serving


async def receive_frame(line: websockets.ClientConnection, kind: str) -> dict[str, Any]:
    """Return the next frame of a kind, skipping others."""
    while True:
        frame: dict[str, Any] = json.loads(await asyncio.wait_for(line.recv(), 20))
        if frame["kind"] == kind:
            return frame


async def send_frame(line: websockets.ClientConnection, **frame: Any) -> None:
    await line.send(json.dumps(frame))


async def watcher_leaves(site: Site, made: dict[str, Any]) -> bool:
    """Return whether a watcher who reads nothing is disconnected while the match goes on.

    Each move and its undo send a whole snapshot to every subscriber, which soon fills the watcher's buffer.
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
