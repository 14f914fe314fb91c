from __future__ import annotations

import asyncio
from collections.abc import MutableMapping
from typing import Any
from unittest.mock import Mock, create_autospec

from numberline.web.ops.http_connection import CURRENT_CONNECTION
from numberline.web.ops.websocket_connection import (
    CLOSE_GOING_AWAY,
    MAX_QUEUED_BYTES,
    MAX_QUEUED_FRAMES,
    SocketSubscriber,
    WebSocketConnection,
)


def slow_connection() -> Any:
    """Return a connection whose client does not read."""
    connection = create_autospec(WebSocketConnection, instance=True)
    connection.is_writable = False
    return connection


async def never_called(_: MutableMapping[str, Any]) -> None:
    raise AssertionError


def test_subscriber_limits_the_number_of_queued_frames() -> None:
    async def run() -> None:
        connection = slow_connection()
        CURRENT_CONNECTION.set(connection)
        subscriber = SocketSubscriber(never_called)
        for _ in range(MAX_QUEUED_FRAMES):
            subscriber.send(b"x")
        await asyncio.sleep(0)
        connection.abort.assert_not_called()
        subscriber.send(b"x")
        connection.abort.assert_called_once()
        assert subscriber.overflowed

    asyncio.run(run())


def test_subscriber_limits_queued_bytes_after_the_first_frame() -> None:
    async def run() -> None:
        connection = slow_connection()
        CURRENT_CONNECTION.set(connection)
        subscriber = SocketSubscriber(never_called)
        subscriber.send(b"x" * 2 * MAX_QUEUED_BYTES)
        subscriber.send(b"x" * MAX_QUEUED_BYTES)
        connection.abort.assert_not_called()
        subscriber.send(b"x")
        connection.abort.assert_called_once()

    asyncio.run(run())


def test_subscriber_writes_queued_frames_once_the_client_reads() -> None:
    async def run() -> None:
        connection = slow_connection()
        CURRENT_CONNECTION.set(connection)
        subscriber = SocketSubscriber(never_called)
        subscriber.send(b"a")
        subscriber.send(b"b")
        await asyncio.sleep(0)
        connection.write_texts.assert_not_called()
        written: list[bytes] = []
        connection.write_texts.side_effect = written.extend
        connection.is_writable = True
        connection.on_writable()
        assert written == [b"a", b"b"]

    asyncio.run(run())


def test_connection_tells_its_subscriber_when_it_is_writable() -> None:
    connection = WebSocketConnection.__new__(WebSocketConnection)
    connection.on_writable = Mock()
    connection.writable = asyncio.Event()
    connection.pause_writing()
    assert not connection.is_writable
    connection.on_writable.assert_not_called()
    connection.resume_writing()
    assert connection.is_writable
    connection.on_writable.assert_called_once()


def test_subscriber_without_our_connection_sends_over_asgi() -> None:
    async def run() -> list[Any]:
        sent: list[Any] = []

        async def send(message: MutableMapping[str, Any]) -> None:
            sent.append(message)

        subscriber = SocketSubscriber(send)
        subscriber.send(b"a")
        subscriber.send("é".encode())
        subscriber.close(1008)
        subscriber.send(b"too late")
        await subscriber.wait_closed()
        return sent

    assert asyncio.run(run()) == [
        {"type": "websocket.send", "text": "a"},
        {"type": "websocket.send", "text": "é"},
        {"type": "websocket.close", "code": 1008},
    ]


def test_slow_subscriber_without_our_connection_cancels_its_handler() -> None:
    async def handle() -> int:
        async def send(_: MutableMapping[str, Any]) -> None:
            await asyncio.Event().wait()

        subscriber = SocketSubscriber(send)
        try:
            while True:
                subscriber.send(b"x")
                await asyncio.sleep(0)
        except asyncio.CancelledError:
            assert subscriber.overflowed
            return subscriber.closing

    assert asyncio.run(handle()) == CLOSE_GOING_AWAY
