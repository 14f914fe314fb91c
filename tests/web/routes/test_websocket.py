"""The WebSocket of a match: every request gets a reply, in order, and no frame can break it."""

from __future__ import annotations

import asyncio
import json
import random
import socket as network
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import websockets

from numberline.web import server
from numberline.web.ops.rate_limit import Rate, TokenBucket
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.messages import MESSAGE_KINDS, AskMessage, Hello, MoveMessage, decode_frame
from support.web_server import Site, opened_site, receive_frame, send_frame, watcher_leaves

ANN, BOB = {"name": "Ann"}, {"name": "Bob"}


def at_a_site(folder: Path, play: Callable[[Site], Awaitable[None]]) -> None:
    async def run() -> None:
        async with opened_site(folder) as site:
            await play(site)

    asyncio.run(run())


def test_socket_sends_ack_before_event(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player, site.socket(made["match"]) as watcher:
            await send_frame(player, kind="hello", token=made["token"], since=0)
            assert (await receive_frame(player, "table"))["you"] == [1, 2]
            await send_frame(watcher, kind="hello", since=0)
            assert (await receive_frame(watcher, "table"))["you"] == []
            await send_frame(player, kind="move", request="a", seq=0, move="3")
            frames = [json.loads(await player.recv()) for _ in range(4)]
            kinds = [frame["kind"] for frame in frames if frame["kind"] != "presence"]
            assert kinds[:2] == ["ack", "event"]
            assert (await receive_frame(watcher, "event"))["what"] == "3"

    at_a_site(tmp_path, play)


def test_socket_accepts_the_player_cookie(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        cookie = {"Cookie": f"other=1; player={made['token']}"}
        async with site.socket(made["match"], additional_headers=cookie) as player:
            await send_frame(player, kind="hello", since=0)
            assert (await receive_frame(player, "table"))["you"] == [1, 2]

    at_a_site(tmp_path, play)


def test_socket_rejects_watchers_and_illegal_moves(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player, site.socket(made["match"]) as watcher:
            await send_frame(watcher, kind="hello")
            await send_frame(watcher, kind="move", request="w", seq=0, move="3")
            assert (await receive_frame(watcher, "error"))["request"] == "w"
            await send_frame(player, kind="hello", token=made["token"])
            await send_frame(player, kind="move", request="p", seq=0, move="9")
            refused = await receive_frame(player, "error")
            assert (refused["code"], refused["request"]) == ("illegal_move", "p")
            assert "9" in refused["sentence"]

    at_a_site(tmp_path, play)


def test_socket_of_unknown_match_is_closed(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        async with site.socket("nothing") as lost:
            await send_frame(lost, kind="hello")
            assert (await receive_frame(lost, "error"))["code"] == "not_found"
            with pytest.raises(websockets.ConnectionClosed):
                await lost.recv()

    at_a_site(tmp_path, play)


def test_oversized_frame_closes_the_socket(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player:
            await player.send("x" * 4097)
            assert (await receive_frame(player, "error"))["code"] == "too_large"
            with pytest.raises(websockets.ConnectionClosed) as closed:
                await player.recv()
            assert closed.value.rcvd
            assert closed.value.rcvd.code == 1009

    at_a_site(tmp_path, play)


def test_binary_frame_is_rejected(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as player:
            await player.send(b"{}")
            assert (await receive_frame(player, "error"))["code"] == "bad_message"

    at_a_site(tmp_path, play)


def test_missing_hello_times_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.routes.websocket.HELLO_TIMEOUT_S", 0.05)

    async def play(site: Site) -> None:
        async with site.socket("anything") as silent:
            assert await receive_frame(silent, "goodbye")

    at_a_site(tmp_path, play)


def test_server_shutdown_sends_goodbye(tmp_path: Path) -> None:
    async def run() -> None:
        async with opened_site(tmp_path) as site:
            made = await site.match(ANN, BOB)
            player = await site.socket(made["match"])
            await send_frame(player, kind="hello", token=made["token"])
            await receive_frame(player, "table")
        assert await receive_frame(player, "goodbye")
        await player.close()

    asyncio.run(run())


def test_stalled_socket_reader_is_disconnected(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        with network.socket() as paused:
            paused.setsockopt(network.SOL_SOCKET, network.SO_RCVBUF, 2048)
            await asyncio.to_thread(_seated, paused, site.port, made["match"])
            assert await watcher_leaves(site, made)

    at_a_site(tmp_path, play)


def test_fragmented_and_coalesced_frames_are_read(tmp_path: Path) -> None:
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
            await asyncio.sleep(0)  # so that each is sent in its own packet, if the system allows it
        writer.write(_masked(asked[5]))
        came = await asyncio.wait_for(reader.readuntil(b'"request":"r5"'), 20)
        assert [n for n in range(6) if came.count(b'"request":"r%d"' % n) != 1] == []
        writer.close()

    at_a_site(tmp_path, play)


def test_invalid_utf8_closes_the_socket(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", site.port)
        writer.write(_handshake("anything"))
        await reader.readuntil(b"\r\n\r\n")
        writer.write(_masked(b"\xff\xfe"))
        assert await asyncio.wait_for(reader.read(), 20) == b"\x88\x02\x03\xef"  # 1007
        writer.close()

    at_a_site(tmp_path, play)


def _seated(paused: network.socket, port: int, match: str) -> None:
    """Send hello, and read nothing more."""
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
    """Return a short text frame as a client sends it."""
    return bytes([0x81, 0x80 | len(text), 0, 0, 0, 0]) + text


# Invalid frames


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
def test_decode_rejects_invalid_frames(text: str) -> None:
    with pytest.raises(ApiError) as refused:
        decode_frame(text)
    assert refused.value.sentence.endswith(".")


def test_invalid_frame_keeps_its_request_id() -> None:
    with pytest.raises(ApiError) as refused:
        decode_frame('{"kind":"move","request":"a7","seq":"x","move":"3"}')
    assert refused.value.request == "a7"


def test_decode_accepts_valid_frames() -> None:
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
    """Return a frame that may be invalid in several ways."""
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
    """Return how many hostile frames are rejected; raise any other error."""
    rng = random.Random(1)
    refused = 0
    for _ in range(count):
        try:
            decode_frame(hostile(rng))
        except ApiError:
            refused += 1
    return refused


def test_decode_survives_hostile_frames() -> None:
    assert 5_000 < read_all(20_000) < 20_000


@pytest.mark.soak
def test_decode_survives_a_million_hostile_frames() -> None:
    assert read_all(1_000_000) < 1_000_000


def answered_at_a_table(folder: Path, count: int) -> None:
    """Send hostile frames to a real match, and wait for the reply to each."""

    async def play(site: Site) -> None:
        rng = random.Random(2)
        made = await site.match(ANN, BOB, variant="line-runner")
        async with site.socket(made["match"]) as player:
            await send_frame(player, kind="hello", token=made["token"])
            await receive_frame(player, "table")
            for _ in range(count):
                await player.send(hostile(rng))
                while json.loads(await asyncio.wait_for(player.recv(), 20))["kind"] not in {"ack", "answer", "error"}:
                    pass
        assert (await site.client.get("/healthz")).json() == {"ok": True}

    at_a_site(folder, play)


def test_socket_replies_to_every_hostile_frame(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.routes.websocket.FRAME_RATE", Rate(10_000, 10_000))
    answered_at_a_table(tmp_path, 500)


@pytest.mark.soak
def test_socket_replies_to_50000_hostile_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.routes.websocket.FRAME_RATE", Rate(10_000, 10_000))
    answered_at_a_table(tmp_path, 50_000)


def test_throttled_frames_are_charged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[float] = []

    class Bucket(TokenBucket):
        def take(self, cost: float, now: float) -> float:
            wait_s = super().take(cost, now)
            taken.append(wait_s)
            return wait_s

    monkeypatch.setattr("numberline.web.routes.websocket.TokenBucket", Bucket)
    monkeypatch.setattr("numberline.web.routes.websocket.FRAME_RATE", Rate(2, 50))
    answered_at_a_table(tmp_path, 6)
    assert sum(wait_s == 0 for wait_s in taken) == 7  # the hello message and every other frame


def test_vanished_player_is_soon_shown_as_away(tmp_path: Path) -> None:
    assert server.PING_INTERVAL_S + server.PING_TIMEOUT_S <= 15

    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as watcher, site.socket(made["match"], close_timeout=0) as player:
            await send_frame(watcher, kind="hello")
            await send_frame(player, kind="hello", token=made["token"])
            while not all((await receive_frame(watcher, "presence"))["seats"]):
                pass  # the player is about to come
            player.transport.pause_reading()  # as if the network were gone: pings are not answered
            while all((await receive_frame(watcher, "presence"))["seats"]):
                pass

    with patch.multiple(server, PING_INTERVAL_S=0.1, PING_TIMEOUT_S=0.1):
        at_a_site(tmp_path, play)
