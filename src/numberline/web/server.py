"""The server itself: it listens, says goodbye before it closes, and ends at once when it is told twice."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

import uvicorn

from numberline.web.gateway import Gateway
from numberline.web.ops.config import ServerConfig

if TYPE_CHECKING:
    from numberline.web.app import WebApp

SHUTDOWN_TIMEOUT_S = 5
"""How long a stop waits for connections that don't close."""


class Server(uvicorn.Server):
    """A server that says goodbye before it closes, and ends at once when it is told twice."""

    def __init__(self, config: uvicorn.Config, front: Gateway, started: Callable[[], None]) -> None:
        super().__init__(config)
        self.gateway = front
        self.interrupted = False
        self._tell = started
        front.stop = self._stop

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begins to listen, and says so."""
        await super().startup(sockets)
        self._tell()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Tells everybody first, then closes."""
        await self.gateway.notify_shutdown()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hears Ctrl-C and a request to end while it serves."""
        main = threading.current_thread() is threading.main_thread()
        numbers = (signal.SIGINT, signal.SIGTERM) if main else ()
        before = {number: signal.signal(number, self._told) for number in numbers}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _stop(self) -> None:
        self.should_exit = True

    def _told(self, number: int, _: FrameType | None) -> None:
        if self.should_exit:
            os._exit(128 + number)  # whatever was acknowledged is on the disk
        self.should_exit = True
        self.interrupted = number == signal.SIGINT


def serve(setup: ServerConfig, at: socket.socket, started: Callable[[], None]) -> bool:
    """Serves until it is told to stop; whether that was by Ctrl-C. What keeps it from serving is raised."""
    _allow_files()
    server = create_server(setup, started)
    server.run([at])
    if server.gateway.startup_error:
        raise server.gateway.startup_error
    return server.interrupted


def create_server(setup: ServerConfig, started: Callable[[], None] = lambda: None) -> Server:
    """A server that calls `started` once it answers."""
    from numberline.web.ops.http_protocol import BoundedHttpProtocol

    def opened(setup: ServerConfig) -> WebApp:
        from numberline.web.app import open_app  # it takes longer to load than everything here

        return open_app(setup)

    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what goes wrong here is noted by ourselves
    front = Gateway(setup, opened)
    config = uvicorn.Config(
        front,
        http=BoundedHttpProtocol,
        ws=_sansio,  # type: ignore[arg-type]  # it is only called
        ws_max_size=64_000,
        ws_per_message_deflate=False,
        ws_ping_interval=45,
        ws_ping_timeout=20,
        forwarded_allow_ips=["127.0.0.1", "::1", *setup.proxies],  # nobody else is believed for whom they ask
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
    )
    return Server(config, front, started)


def _allow_files() -> None:
    """Lets as many people connect as the system allows at all."""
    if os.name != "nt":
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _sansio(**given: Any) -> asyncio.Protocol:
    """The protocol of a WebSocket, loaded with the first of them."""
    from numberline.web.ops.websocket_protocol import FastWebSocketProtocol

    return FastWebSocketProtocol(**given)
