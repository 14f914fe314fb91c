"""The uvicorn server of `numberline web`."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import uvicorn

from numberline.startup import SIGINT_EXIT_CODE
from numberline.web.gateway import Gateway
from numberline.web.ops.config import ServerConfig
from numberline.web.ops.http_connection import HttpConnection, NewConnections

SHUTDOWN_TIMEOUT_S = 2
EXIT_TIMEOUT_S = 4.5
MAX_REQUEST_HEAD_BYTES = 64_000
MAX_WEBSOCKET_MESSAGE_BYTES = 64_000
PING_INTERVAL_S, PING_TIMEOUT_S = 8.0, 6.0  # a disconnected player is shown as away after at most their sum


class Server(uvicorn.Server):
    """Uvicorn server that tells clients to reconnect on shutdown.

    After a signal, the process exits within `EXIT_TIMEOUT_S` seconds; after a second signal, it exits immediately.
    """

    def __init__(self, config: uvicorn.Config, gateway: Gateway, on_started: Callable[[], None]) -> None:
        super().__init__(config)
        self.gateway = gateway
        self.interrupted = False
        self.deadline: threading.Timer | None = None
        """Timer that ends the process after a signal."""
        self._on_started = on_started
        gateway.on_loaded = self._on_loaded

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.gateway.start_loading()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        try:
            await self.gateway.notify_shutdown()
            await super().shutdown(sockets)
        finally:
            await self.gateway.close()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle SIGINT and SIGTERM; unlike uvicorn, don't raise them again on exit."""
        is_main = threading.current_thread() is threading.main_thread()
        numbers = (signal.SIGINT, signal.SIGTERM) if is_main else ()
        previous = {number: signal.signal(number, self._on_signal) for number in numbers}
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _on_loaded(self) -> None:
        if self.gateway.startup_error:
            self.should_exit = True
        elif not self.should_exit:
            self._on_started()

    def _on_signal(self, number: int, _: FrameType | None) -> None:
        if self.should_exit:
            os._exit(128 + number)  # every acknowledged move is on disk
        self.should_exit = True
        self.interrupted = number == signal.SIGINT
        # A thread that is solving or waiting for the disk would keep the process alive.
        self.deadline = threading.Timer(EXIT_TIMEOUT_S, os._exit, [SIGINT_EXIT_CODE if self.interrupted else 0])
        self.deadline.daemon = True
        self.deadline.start()


def serve(config: ServerConfig, listener: socket.socket, on_started: Callable[[], None], *, exits: bool = True) -> bool:
    """Serve until a signal arrives and return whether it was SIGINT; raise the startup error if startup fails.

    Unless `exits` is true, the process continues after the server has stopped.
    """
    _raise_file_limit()
    server = create_server(config, on_started)
    try:
        server.run([listener])
    finally:
        for process in multiprocessing.active_children():
            process.kill()
    if server.gateway.startup_error:
        raise server.gateway.startup_error
    if server.deadline and not exits:
        server.deadline.cancel()
    return server.interrupted


def create_server(config: ServerConfig, on_started: Callable[[], None] = lambda: None) -> Server:
    """Return a server that calls `on_started` once it is listening and its database is open."""

    def admit(address: str) -> Callable[[], None] | None:
        client = config.quota_client(address)
        return partial(connections.release, client) if connections.take(client) else None

    connections = config.connection_quota()
    limits = {"admit": staticmethod(admit), "new_connections": NewConnections()}
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # our own handlers log errors without personal data
    gateway = Gateway(config)
    uvicorn_config = uvicorn.Config(
        gateway,
        http=type("LimitedHttpConnection", (HttpConnection,), limits),
        ws=_websocket_connection,  # type: ignore[arg-type]  # uvicorn only calls it
        h11_max_incomplete_event_size=MAX_REQUEST_HEAD_BYTES,
        ws_max_size=MAX_WEBSOCKET_MESSAGE_BYTES,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_INTERVAL_S,
        ws_ping_timeout=PING_TIMEOUT_S,
        forwarded_allow_ips=["127.0.0.1", "::1", *config.proxies],
        access_log=False,
        log_config=None,
        server_header=False,
        timeout_graceful_shutdown=SHUTDOWN_TIMEOUT_S,
    )
    return Server(uvicorn_config, gateway, on_started)


def _raise_file_limit() -> None:
    """Raise the limit on open files to the system's maximum."""
    if os.name != "nt":
        import resource

        _, maximum = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (maximum, maximum))


def _websocket_connection(**arguments: Any) -> asyncio.Protocol:
    """Return a `WebSocketConnection`, imported on first use so that the first page is not delayed."""
    from numberline.web.ops.websocket_connection import WebSocketConnection

    return WebSocketConnection(**arguments)
