from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import uvicorn
from uvicorn.server import ServerState

from numberline.web import gateway
from numberline.web.ops import http_connection
from numberline.web.ops.http_connection import CURRENT_CONNECTION, MAX_UNSENT_BYTES, HttpConnection, NewConnections
from numberline.web.routes.static_site import site_response
from numberline.web.server import MAX_REQUEST_HEAD_BYTES, create_server
from support.web_server import opened_site, setup_in

HEAD = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
CHUNKED = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
PARTS = 3 * MAX_REQUEST_HEAD_BYTES // 1000


def with_connection(scenario: Callable[[HttpConnection, Mock], None]) -> None:
    """Run a scenario with a connection to an application that never answers."""

    async def run() -> None:
        async def silent_app(_: Any, _receive: Any, _send: Any) -> None:
            await asyncio.Event().wait()

        config = uvicorn.Config(
            silent_app,
            interface="asgi3",
            log_config=None,
            h11_max_incomplete_event_size=create_server(setup_in(Path())).config.h11_max_incomplete_event_size,
        )
        config.load()
        connection = HttpConnection(config, ServerState(), {})
        transport = Mock(asyncio.Transport)
        transport.is_closing = lambda: transport.close.called or transport.abort.called
        transport.get_extra_info.return_value = None
        transport.get_write_buffer_size.return_value = 0
        connection.connection_made(transport)
        scenario(connection, transport)
        connection.connection_lost(None)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (b"GET /", b"a" * 1000),
        (HEAD + b"X: ", b"a" * 1000),
        (HEAD, b"X: a\r\n" * 170),
        (CHUNKED + b"1;", b"a" * 1000),
        (CHUNKED + b"0\r\n", b"X: a\r\n" * 170),
    ],
    ids=["address", "header", "headers", "chunk", "trailers"],
)
def test_endless_request_head_is_rejected(start: bytes, more: bytes) -> None:
    def scenario(connection: HttpConnection, transport: Mock) -> None:
        connection.data_received(start)
        assert not transport.is_closing()
        for part in repeat(more, PARTS):
            if not transport.is_closing():
                connection.data_received(part)
        assert transport.is_closing()

    with_connection(scenario)


def test_long_body_is_not_a_long_head() -> None:
    def scenario(connection: HttpConnection, transport: Mock) -> None:
        connection.data_received(CHUNKED)
        for part in repeat(b"3e8\r\n" + b"a" * 1000 + b"\r\n", PARTS):
            connection.data_received(part)
        assert not transport.is_closing()

    with_connection(scenario)


def test_pipelined_requests_are_read_one_at_a_time() -> None:
    def scenario(connection: HttpConnection, transport: Mock) -> None:
        connection.data_received((HEAD + b"\r\n") * 100)
        transport.pause_reading.assert_called_once()
        assert not transport.is_closing()

    with_connection(scenario)


def test_client_that_never_reads_is_disconnected() -> None:
    def scenario(connection: HttpConnection, transport: Mock) -> None:
        transport.get_write_buffer_size.return_value = MAX_UNSENT_BYTES
        connection.data_received(HEAD)
        transport.abort.assert_not_called()
        transport.get_write_buffer_size.return_value = MAX_UNSENT_BYTES + 1
        connection.data_received(HEAD)
        transport.abort.assert_called_once()

    with_connection(scenario)


@pytest.mark.parametrize("head", [b"", HEAD], ids=["nothing", "half a head"])
@pytest.mark.parametrize("requests_before", [0, 1])
def test_slow_request_head_is_disconnected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: bytes, requests_before: int
) -> None:
    async def run() -> None:
        async with opened_site(tmp_path) as site:
            await site.client.get("/readyz")
            monkeypatch.setattr(http_connection, "HEAD_TIMEOUT_S", 0.3)
            reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
            for _ in range(requests_before):
                writer.write(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
                assert b'{"ok": true}' in await reader.read(10_000)
            writer.write(head)
            with suppress(ConnectionResetError):
                assert await asyncio.wait_for(reader.read(), 10) == b""
            writer.close()

    asyncio.run(run())


def test_request_in_progress_is_not_disconnected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with opened_site(tmp_path) as site:
            match = (await site.match({"name": "Ann"}, {"name": "Bob"}))["match"]
            monkeypatch.setattr(http_connection, "HEAD_TIMEOUT_S", 0.5)
            async with site.client.stream("GET", f"/api/bot/matches/{match}") as stream, site.socket(match) as socket:
                await asyncio.sleep(1)
                await socket.send('{"kind": "hello"}')
                assert "table" in str(await socket.recv())
                assert "table" in await anext(stream.aiter_lines())

    asyncio.run(run())


def test_no_current_connection_outside_a_request() -> None:
    assert CURRENT_CONNECTION.get() is None


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000 + "a"])
def test_file_with_a_name_too_long_for_the_system_is_missing(name: str) -> None:
    reply = site_response(f"/static/{name}", {})
    assert reply
    assert reply.status == 404


def test_connections_of_an_address_are_limited(tmp_path: Path) -> None:
    config = setup_in(tmp_path, max_connections=80, proxies=("10.0.0.0/8",))
    server = create_server(config)
    server.config.load()

    def connect(address: str) -> tuple[HttpConnection, Mock]:
        create: Any = server.config.http_protocol_class
        connection = create(config=server.config, server_state=ServerState(), app_state={})
        transport = Mock(asyncio.Transport)
        transport.get_extra_info.side_effect = lambda name: (address, 1) if name == "peername" else None
        connection.connection_made(transport)
        return connection, transport

    async def run() -> None:
        opened = [connect(address) for address in ["192.0.2.1"] * 3 + ["2001:db8::1", "2001:db8::2", "2001:db8::3"]]
        assert [transport.abort.called for _, transport in opened] == [False, False, True, False, False, True]
        proxied = [connect("10.0.0.1") for _ in range(77)]
        assert [transport.abort.called for _, transport in proxied] == [False] * 76 + [True]
        opened[0][0].connection_lost(None)
        assert not connect("192.0.2.1")[1].abort.called

    asyncio.run(run())


def test_upgraded_connection_is_counted_until_it_is_closed(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened_site(tmp_path, max_connections=8) as site:
            made = await site.match({"name": "Ann"}, None)
            await site.client.aclose()
            for _ in range(10):  # more than the limit, one after the other
                async with site.socket(made["match"]):
                    pass

    asyncio.run(run())


@pytest.mark.parametrize(("slice_s", "order"), [(0.0, "a move b c"), (60.0, "a b c move")])
def test_new_connections_let_moves_pass_after_a_slice_of_time(
    slice_s: float, order: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http_connection, "NEW_CONNECTIONS_SLICE_S", max(slice_s, 1e-9))
    handled: list[str] = []

    async def run() -> None:
        done, queue = asyncio.Event(), NewConnections()
        for name in "abc":
            queue.add(partial(handled.append, name))
        asyncio.get_running_loop().call_soon(handled.append, "move")
        queue.add(done.set)
        await done.wait()

    asyncio.run(run())
    assert handled == order.split()


def test_first_data_of_a_connection_waits_for_its_turn() -> None:
    def scenario(connection: HttpConnection, transport: Mock) -> None:
        queue = Mock(NewConnections)
        connection.new_connections = queue
        for part in (HEAD, b"\r", b"\n"):
            connection.data_received(part)
        transport.pause_reading.assert_called_once_with()
        assert connection.scope is None
        (handle,) = queue.add.call_args.args
        handle()
        transport.resume_reading.assert_called_once_with()
        assert connection.scope["path"] == "/"

    with_connection(scenario)


def test_connection_that_closes_while_it_waits_is_not_handled() -> None:
    def scenario(connection: HttpConnection, transport: Mock) -> None:
        queue = Mock(NewConnections)
        connection.new_connections = queue
        connection.data_received(HEAD + b"\r\n")
        transport.abort()
        queue.add.call_args.args[0]()
        assert connection.scope is None

    with_connection(scenario)


def test_socket_over_the_limit_is_refused_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "REFUSAL_DELAY_S", (60.0, 60.0))
    app = gateway.Gateway(setup_in(tmp_path, max_connections=30))  # none for an address, and three wait
    scope = {"type": "websocket", "path": "/api/matches/a/socket", "headers": [(b"host", b"localhost")]}

    async def run() -> None:
        left, sent = asyncio.Event(), list[Any]()

        async def receive() -> dict[str, Any]:
            await left.wait()
            return {"type": "websocket.disconnect"}

        async def send(message: Any) -> None:
            sent.append(message)

        waiting = [asyncio.create_task(app({**scope, "client": ("192.0.2.1", 1)}, receive, send)) for _ in range(3)]
        await asyncio.sleep(0)
        await app({**scope, "client": ("192.0.2.1", 1)}, receive, send)
        assert [message.get("status") for message in sent] == [429, None]
        assert not any(task.done() for task in waiting)
        left.set()
        await asyncio.gather(*waiting)

    asyncio.run(run())
