"""A table over a WebSocket: every request is answered, in order, and nothing that is sent there can break it."""

from __future__ import annotations

import asyncio
import json
import random
import socket as network
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import Mock, create_autospec

import pytest
import websockets

from numberline.web.ops.rate_limit import Rate
from numberline.web.ops.websocket_protocol import (
    MAX_QUEUED_BYTES,
    MAX_QUEUED_FRAMES,
    FastWebSocketProtocol,
    SocketSubscriber,
)
from numberline.web.protocol.events import Frame
from numberline.web.protocol.messages import (
    MESSAGE_KINDS,
    AskMessage,
    Hello,
    InvalidFrame,
    MoveMessage,
    decode_frame,
)
from support.web_server import Site, heard, opened_site, said, watcher_leaves

ANN, BOB = {"name": "Ann"}, {"name": "Bob"}


def at_a_site(folder: Path, play: Callable[[Site], Awaitable[None]]) -> None:
    async def run() -> None:
        async with opened_site(folder) as site:
            await play(site)

    asyncio.run(run())


def test_a_move_is_acknowledged_first_and_then_told_to_all(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player, site.socket(made["match"]) as watcher:
            await said(player, kind="hello", token=made["token"], since=0)
            assert (await heard(player, "table"))["you"] == [1, 2]
            await said(watcher, kind="hello", since=0)
            assert (await heard(watcher, "table"))["you"] == []
            await said(player, kind="move", request="a", seq=0, move="3")
            frames = [json.loads(await player.recv()) for _ in range(4)]
            told = [frame["kind"] for frame in frames if frame["kind"] != "presence"]
            assert told[:2] == ["ack", "event"]
            assert (await heard(watcher, "event"))["what"] == "3"

    at_a_site(tmp_path, play)


def test_a_browser_is_known_by_its_cookie(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        cookie = {"Cookie": f"other=1; player={made['token']}"}
        async with site.socket(made["match"], additional_headers=cookie) as player:
            await said(player, kind="hello", since=0)
            assert (await heard(player, "table"))["you"] == [1, 2]

    at_a_site(tmp_path, play)


def test_a_watcher_may_not_move_and_a_refused_move_has_the_engines_sentence(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player, site.socket(made["match"]) as watcher:
            await said(watcher, kind="hello")
            await said(watcher, kind="move", request="w", seq=0, move="3")
            assert (await heard(watcher, "error"))["request"] == "w"
            await said(player, kind="hello", token=made["token"])
            await said(player, kind="move", request="p", seq=0, move="9")
            refused = await heard(player, "error")
            assert (refused["code"], refused["request"]) == ("illegal_move", "p")
            assert "9" in refused["sentence"]

    at_a_site(tmp_path, play)


def test_a_table_that_is_not_there_is_said_to_be_so_and_the_line_is_closed(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        async with site.socket("nothing") as lost:
            await said(lost, kind="hello")
            assert (await heard(lost, "error"))["code"] == "not_found"
            with pytest.raises(websockets.ConnectionClosed):
                await lost.recv()

    at_a_site(tmp_path, play)


def test_a_frame_that_is_too_long_is_answered_and_the_line_is_closed(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player:
            await player.send("x" * 4097)
            assert (await heard(player, "error"))["code"] == "too_large"
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await player.recv()
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 1009

    at_a_site(tmp_path, play)


def test_a_binary_frame_is_refused_in_a_sentence(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player:
            await player.send(b"{}")
            assert (await heard(player, "error"))["code"] == "bad_message"

    at_a_site(tmp_path, play)


def test_who_says_no_hello_is_sent_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.routes.websocket.HELLO_TIMEOUT_S", 0.05)

    async def play(site: Site) -> None:
        async with site.socket("anything") as silent:
            assert await heard(silent, "goodbye")

    at_a_site(tmp_path, play)


def test_when_the_server_stops_everybody_is_told(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened_site(tmp_path) as site:
            made = await site.match(ANN, BOB)
            player = await site.socket(made["match"])
            await said(player, kind="hello", token=made["token"])
            await heard(player, "table")
        assert await heard(player, "goodbye")
        await player.close()

    asyncio.run(run())


def test_only_so_many_frames_wait_for_somebody_who_does_not_read() -> None:
    async def run() -> None:
        line = create_autospec(FastWebSocketProtocol, instance=True, loop=asyncio.get_running_loop(), transport=Mock())
        wire = SocketSubscriber(line)
        for _ in range(MAX_QUEUED_FRAMES):
            wire.send(Frame("event", b"x"))
        line.transport.abort.assert_not_called()
        wire.send(Frame("event", b"x"))
        line.transport.abort.assert_called_once()

    asyncio.run(run())


def test_only_so_many_bytes_wait_for_somebody_who_does_not_read_but_one_frame_may_be_long() -> None:
    async def run() -> None:
        line = create_autospec(FastWebSocketProtocol, instance=True, loop=asyncio.get_running_loop(), transport=Mock())
        wire = SocketSubscriber(line)
        wire.send(Frame("table", b"x" * 2 * MAX_QUEUED_BYTES))
        wire.send(Frame("table", b"x" * MAX_QUEUED_BYTES))
        line.transport.abort.assert_not_called()
        wire.send(Frame("event", b"x"))
        line.transport.abort.assert_called_once()

    asyncio.run(run())


def test_a_reader_that_does_not_read_is_cut_off_and_the_game_goes_on(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        with network.socket() as paused:
            paused.setsockopt(network.SOL_SOCKET, network.SO_RCVBUF, 2048)
            await asyncio.to_thread(_seated, paused, site.port, made["match"])
            assert await watcher_leaves(site, made)

    at_a_site(tmp_path, play)


def test_frames_are_heard_however_they_come(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        asked = [json.dumps({"kind": "move", "request": f"r{n}", "seq": 99, "move": "1"}).encode() for n in range(6)]
        whole, ping = _masked(asked[0]), bytes([0x89, 0x80, 0, 0, 0, 0])
        parts = bytes([0x01, 0x83, 0, 0, 0, 0]) + asked[1][:3], ping, bytes([0x80]) + _masked(asked[1][3:])[1:]
        together = _masked(asked[2]) + ping + _masked(asked[3])
        slowly = [bytes([byte]) for byte in _masked(asked[4])]
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        for piece in (_handshake(made["match"]), _masked(b'{"kind":"hello"}'), whole, ping, *parts, together, *slowly):
            writer.write(piece)
            await asyncio.sleep(0)  # each in a packet of its own, as far as the system lets it be
        writer.write(_masked(asked[5]))
        came = await asyncio.wait_for(reader.readuntil(b'"request":"r5"'), 20)
        assert [n for n in range(6) if came.count(b'"request":"r%d"' % n) != 1] == []
        writer.close()

    at_a_site(tmp_path, play)


def test_bytes_that_are_no_text_end_the_line(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(_handshake("anything"))
        await reader.readuntil(b"\r\n\r\n")
        writer.write(_masked(b"\xff\xfe"))
        assert await asyncio.wait_for(reader.read(), 20) == b"\x88\x02\x03\xef"  # 1007
        writer.close()

    at_a_site(tmp_path, play)


def _seated(paused: network.socket, port: int, match: str) -> None:
    """Says hello, and reads nothing more."""
    paused.connect(("127.0.0.1", port))
    paused.sendall(_handshake(match))
    assert paused.recv(12) == b"HTTP/1.1 101"
    paused.sendall(_masked(b'{"kind":"hello"}'))


def _handshake(match: str) -> bytes:
    return (
        f"GET /api/matches/{match}/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    ).encode()


def _masked(text: bytes) -> bytes:
    """A short text frame as clients send it."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


# Frames that nobody's page sends


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        "{",
        '{"kind":"move","request":"a","seq":1.0,"move":"3"}',
        '{"kind":"move","request":"a","seq":true,"move":"3"}',
        '{"kind":"move","request":"a","seq":NaN,"move":"3"}',
        '{"kind":"move","request":"a","seq":-1,"move":"3"}',
        '{"kind":"move","request":"a","seq":' + "9" * 4000 + ',"move":"3"}',
        '{"kind":"move","request":"a","seq":1,"move":"3","seat":1}',
        '{"kind":"move","kind":"move","request":"a","seq":1,"move":"3"}',
        '{"kind":"move","request":"a","seq":1,"move":"\\ud800"}',
        '{"kind":"move","request":"\\ud800","seq":1,"move":"3"}',
        '{"kind":"move","request":"","seq":1,"move":"3"}',
        '{"kind":"move","request":"' + "a" * 65 + '","seq":1,"move":"3"}',
        '{"kind":"offer","request":"a","seq":1,"what":"money"}',
        '{"kind":["move"],"request":"a","seq":1,"move":"3"}',
        '{"kind":"hello","token":5}',
        '{"kind":"hello","since":"0"}',
        '{"kind":"hello","name":"Ann"}',
        "[" * 4000,
        '{"a":' * 800 + "1" + "}" * 800,
    ],
)
def test_a_frame_that_says_nothing_is_refused(text: str) -> None:
    with pytest.raises(InvalidFrame) as refused:
        decode_frame(text)
    assert refused.value.sentence.endswith(".")


def test_what_could_be_read_of_a_bad_frame_is_what_it_calls_itself() -> None:
    with pytest.raises(InvalidFrame) as refused:
        decode_frame('{"kind":"move","request":"a7","seq":"x","move":"3"}')
    assert refused.value.request == "a7"


def test_good_frames_are_read() -> None:
    assert decode_frame('{"kind":"hello","since":3}') == Hello(kind="hello", since=3)
    assert decode_frame('{"kind":"move","request":"a","seq":1,"move":"R2"}') == MoveMessage(
        kind="move", request="a", seq=1, move="R2"
    )
    assert decode_frame('{"kind":"ask","request":"a","seq":1,"what":"why"}') == AskMessage(
        kind="ask", request="a", seq=1, what="why"
    )


VALUES: list[Any] = [
    None,
    True,
    0,
    1,
    -1,
    1.5,
    10**30,
    "",
    "3",
    "R2",
    "takeback",
    "hint",
    "\ud800",
    "\u202e",
    "x" * 70,
    [],
    [[]],
    {},
    {"kind": "move"},
    float("nan"),
]


def hostile(rng: random.Random) -> str:
    """Something like a frame, with whatever may be wrong with it."""
    frame: dict[str, Any] = {
        "kind": rng.choice([*MESSAGE_KINDS, "", 7]),
        "request": f"r{rng.randrange(10**6)}",
        "seq": rng.randrange(4),
    }
    frame |= rng.choice([{}, {"move": "3"}, {"what": "takeback"}, {"what": "hint"}])
    for _ in range(rng.randrange(3)):
        frame[rng.choice([*frame, "since", "token", "extra", "seat"])] = rng.choice(VALUES)
    if rng.random() < 0.3:
        del frame[rng.choice([*frame])]
    text = json.dumps(frame)
    if rng.random() < 0.3:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", "\\", '"', "{", "\0", "é", "[" * 50, text]) + text[at + rng.randrange(3) :]
    return text[:4000]


def read_all(count: int) -> int:
    """How many of so many hostile frames are refused; anything but a refusal is raised."""
    rng = random.Random(1)
    refused = 0
    for _ in range(count):
        try:
            decode_frame(hostile(rng))
        except InvalidFrame:
            refused += 1
    return refused


def test_twenty_thousand_hostile_frames_are_each_read_or_refused() -> None:
    assert 5_000 < read_all(20_000) < 20_000


@pytest.mark.soak
def test_a_million_hostile_frames_are_each_read_or_refused() -> None:
    assert read_all(1_000_000) < 1_000_000


def answered_at_a_table(folder: Path, count: int) -> None:
    """Sends hostile frames to a real table, each of which is answered before the next."""

    async def play(site: Site) -> None:
        rng = random.Random(2)
        made = await site.match(ANN, BOB, variant="line-runner")
        async with site.socket(made["match"]) as player:
            await said(player, kind="hello", token=made["token"])
            await heard(player, "table")
            for _ in range(count):
                await player.send(hostile(rng))
                while json.loads(await asyncio.wait_for(player.recv(), 20))["kind"] not in {"ack", "answer", "error"}:
                    pass
        assert (await site.client.get("/healthz")).json() == {"ok": True}

    at_a_site(folder, play)


def test_every_hostile_frame_at_a_table_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.routes.websocket.FRAME_RATE", Rate(10_000, 10_000))
    answered_at_a_table(tmp_path, 500)


@pytest.mark.soak
def test_every_one_of_very_many_hostile_frames_at_a_table_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numberline.web.routes.websocket.FRAME_RATE", Rate(10_000, 10_000))
    answered_at_a_table(tmp_path, 50_000)
