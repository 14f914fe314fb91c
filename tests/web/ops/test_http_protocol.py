"""Nobody has the server keep more than it can answer: heads, queues, pings and pieces of messages have bounds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import repeat
from typing import Any
from unittest.mock import Mock

import pytest
import uvicorn
from uvicorn.server import ServerState
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from numberline.web.ops.http_protocol import HEAD_TIMEOUT_S, MAX_HEAD_BYTES, MAX_PIPELINED_REQUESTS, BoundedHttpProtocol
from numberline.web.ops.websocket_protocol import FastWebSocketProtocol
from numberline.web.routes.static_site import StaticSite

ASKED = b"GET / HTTP/1.1\r\nHost: localhost\r\n"
SENT = b"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
ENOUGH = 2 * MAX_HEAD_BYTES // 1000


def connected(try_it: Callable[[BoundedHttpProtocol], None]) -> None:
    """Lets something be tried with a connection behind which nobody answers."""

    async def run() -> None:
        async def silence(_: Any, _receive: Any, _send: Any) -> None:
            await asyncio.Event().wait()

        config = uvicorn.Config(silence, interface="asgi3", log_config=None)
        config.load()
        line = BoundedHttpProtocol(config, ServerState(), {})
        transport = Mock(asyncio.Transport)
        transport.is_closing = lambda: transport.close.called or transport.abort.called
        transport.get_extra_info.return_value = None
        line.connection_made(transport)
        try_it(line)
        line.connection_lost(None)

    asyncio.run(run())


def ended(line: BoundedHttpProtocol) -> bool:
    return line.transport.is_closing()


@pytest.mark.parametrize(
    ("begun", "more"),
    [
        (b"GET /", b"a" * 1000),
        (ASKED + b"X: ", b"a" * 1000),
        (ASKED, b"X: a\r\n" * 170),
        (SENT + b"1;", b"a" * 1000),
        (SENT + b"0\r\n", b"X: a\r\n" * 170),
    ],
    ids=["address", "header", "headers", "chunk", "trailers"],
)
def test_a_request_whose_head_does_not_end_is_refused_in_a_sentence(begun: bytes, more: bytes) -> None:
    def tried(line: BoundedHttpProtocol) -> None:
        line.data_received(begun)
        assert not ended(line)
        for part in repeat(more, ENOUGH):
            if not ended(line):
                line.data_received(part)
        assert ended(line)
        assert line.transport.write.call_args[0][0].endswith(b"The head of the request is too long.")  # type: ignore[attr-defined]  # a mock

    connected(tried)


def test_a_long_body_is_no_long_head() -> None:
    def tried(line: BoundedHttpProtocol) -> None:
        line.data_received(SENT)
        for part in repeat(b"3e8\r\n" + b"a" * 1000 + b"\r\n", ENOUGH):
            line.data_received(part)
        assert not ended(line)

    connected(tried)


def test_who_asks_ever_more_without_waiting_for_an_answer_is_cut_off() -> None:
    def tried(line: BoundedHttpProtocol) -> None:
        line.data_received((ASKED + b"\r\n") * (MAX_PIPELINED_REQUESTS + 1))
        assert not ended(line)
        line.data_received((ASKED + b"\r\n") * 1000)
        assert ended(line)
        assert len(line.pipeline) == MAX_PIPELINED_REQUESTS

    connected(tried)


@pytest.mark.parametrize("begun", [b"", ASKED], ids=["nothing", "half a head"])
def test_who_comes_and_does_not_ask_is_sent_away_in_the_end(begun: bytes) -> None:
    def tried(line: BoundedHttpProtocol) -> None:
        line.loop = Mock(wraps=line.loop)
        line.connection_made(line.transport)
        if begun:
            line.data_received(begun)
        (seconds, late), _ = line.loop.call_later.call_args
        late()
        assert seconds == HEAD_TIMEOUT_S
        assert line.transport.is_closing()

    connected(tried)


def test_who_has_asked_more_than_is_read_yet_is_not_sent_away() -> None:
    def tried(line: BoundedHttpProtocol) -> None:
        line.flow.pause_reading()
        line._too_late()
        assert not line.transport.is_closing()

    connected(tried)


def line_of(*, read: bool) -> Any:
    """A WebSocket whose other end reads what it is sent, or does not."""
    line = FastWebSocketProtocol.__new__(FastWebSocketProtocol)
    line.conn = Mock(ServerProtocol)
    line.conn.data_to_send.return_value = [b"pong"]
    line.transport = Mock(asyncio.Transport)
    line.writable = asyncio.Event()
    line.frames = []
    if read:
        line.writable.set()
    return line


@pytest.mark.parametrize("read", [True, False])
def test_a_ping_is_answered_to_those_who_read(read: bool) -> None:  # noqa: FBT001 - from the list above
    line = line_of(read=read)
    line.handle_ping()
    assert line.transport.write.called == read
    line.conn.data_to_send.assert_called_once()


def test_pieces_of_a_message_with_nothing_in_them_are_not_kept() -> None:
    line = line_of(read=True)
    for _ in range(3):
        line.handle_cont(Frame(Opcode.CONT, b"", fin=False))
    line.handle_cont(Frame(Opcode.CONT, b"a", fin=False))
    assert line.frames == [b"a"]


@pytest.mark.parametrize("name", ["a" * 300, "a/" * 3000 + "a"])
def test_a_file_whose_name_no_system_takes_is_not_there(name: str) -> None:
    reply = StaticSite().reply(f"/static/{name}", {})
    assert reply
    assert reply.status == 404
