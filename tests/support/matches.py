"""A match service on a fresh store, subscribers that record their frames, and matches to play."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any

from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import Frame, Rejected, encode_event
from numberline.web.protocol.messages import (
    Assist,
    BotSeat,
    ClientMessage,
    ClockRequest,
    CreateMatchRequest,
    Hello,
    PersonSeat,
    decode_frame,
)
from numberline.web.rooms.registry import RoomRegistry
from numberline.web.rooms.service import MatchService
from numberline.web.store.store import Store
from numberline.web.store.sync import ClusterSync
from numberline.web.store.write_queue import WriteQueue

ANN, BOB, EVE = "ann" * 10, "bob" * 10, "eve" * 10
"""Tokens."""


def person(name: str) -> PersonSeat:
    return PersonSeat(name=name)


def bot(name: str) -> BotSeat:
    return BotSeat(bot=name)


def clock_request(seconds: int, increment: int = 0) -> ClockRequest:
    return ClockRequest(seconds=seconds, increment=increment)


def match_request(variant: str, seats: Iterable[PersonSeat | BotSeat | None], **more: Any) -> CreateMatchRequest:
    return CreateMatchRequest(variant=variant, seats=list(seats), **more)


def message(kind: str, request: str, seq: int, text: str = "") -> Any:
    """Return the message with this text in the field that its kind has."""
    fields = {} if kind in {"resign", "next"} else {"move" if kind == "move" else "what": text}
    decoded = decode_frame(json.dumps({"kind": kind, "request": request, "seq": seq, **fields}))
    assert not isinstance(decoded, Hello)
    return decoded


class Clock:
    """A clock that only moves when a test sets it."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class FrameRecorder:
    """A subscriber that records every frame."""

    def __init__(self) -> None:
        self.you: tuple[int, ...] = ()
        self.raw: list[bytes] = []

    def send(self, frame: Frame) -> None:
        self.raw.append(frame)

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [json.loads(frame) for frame in self.raw]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["kind"] == kind]

    @property
    def match(self) -> dict[str, Any]:
        """The match of the latest snapshot."""
        part: dict[str, Any] = self.of("table")[-1]["match"]
        return part


class ServiceHarness:
    """A match service that can be restarted on the same store."""

    def __init__(self, location: Path | str) -> None:
        """Store the matches in a folder, or in the database with this URL."""
        self.url = location if isinstance(location, str) else f"sqlite:///{location / 'matches.db'}"
        self.clock = Clock()
        self.request_count = 0

    async def start(self) -> None:
        self.store = Store(self.url)
        self.writer = WriteQueue(self.store)
        await self.writer.start()
        registry = RoomRegistry(self.store, self.writer, clock=self.clock, rng=Random(1))
        self.service = MatchService(registry)
        await self.service.registry.start()
        self.cluster_sync = ClusterSync(self.service.registry, self.url) if self.store.shared else None
        if self.cluster_sync:
            await self.cluster_sync.start()
        await self.wait_idle()

    async def stop(self) -> None:
        if self.cluster_sync:
            await self.cluster_sync.stop()
        await self.service.registry.stop()
        await self.writer.stop()
        self.store.close()

    async def wait_idle(self) -> None:
        """Wait until all background tasks, such as bot turns and broadcasts, are done."""
        tasks = self.service.registry._tasks
        await asyncio.sleep(0)
        while tasks:
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(0)

    async def restart(self) -> None:
        await self.stop()
        await self.start()

    async def friends(
        self,
        variant: str = "flag-chase",
        *,
        rounds: int = 1,
        assist: Assist = "off",
        clock: ClockRequest | None = None,
    ) -> str:
        """Create a match of Ann, the first player, and Bob, who joins by a link."""
        order = match_request(variant, (person("Ann"), None), rounds=rounds, assist=assist, clock=clock)
        made = await self.service.create(order, ANN)
        await self.service.claim(made.match, made.invites[2], "Bob", BOB)
        return made.match

    async def against_bot(self, opponent: str = "random", variant: str = "flag-chase", **order: Any) -> str:
        """Create a match of Ann against a bot."""
        made = await self.service.create(match_request(variant, (person("Ann"), bot(opponent)), **order), ANN)
        return made.match

    async def subscribe(self, match: str, token: str = "") -> FrameRecorder:
        recorder = FrameRecorder()
        await self.service.join(match, recorder, token)
        await self.wait_idle()
        return recorder

    async def state(self, match: str, token: str = "") -> dict[str, Any]:
        """Return the snapshot that a client with this token gets."""
        snapshot: dict[str, Any] = json.loads(await self.service.snapshot(match, token))
        return snapshot

    async def seq(self, match: str) -> int:
        return int((await self.state(match))["seq"])

    async def act(self, match: str, you: tuple[int, ...], message: ClientMessage) -> dict[str, Any]:
        """Return the reply to a message, or the error, as a client gets it."""
        try:
            frame = encode_event(await self.service.act(match, you, message))
        except ApiError as error:
            frame = encode_event(Rejected(message.request, error.code, error.sentence, error.seq))
        reply: dict[str, Any] = json.loads(frame)
        return reply

    async def send(
        self,
        match: str,
        seat: int | tuple[int, ...],
        kind: Any,
        text: str = "",
        *,
        seq: int | None = None,
        request: str = "",
    ) -> dict[str, Any]:
        """Send a message, wait for its broadcasts, and return the reply."""
        self.request_count += 1
        at = await self.seq(match) if seq is None else seq
        you = (seat,) if isinstance(seat, int) else seat
        answer = await self.act(match, you, message(kind, request or f"request-{self.request_count}", at, text))
        await self.wait_idle()
        return answer

    async def moves(self, match: str, *moves: str) -> None:
        """Play moves, each for the player to move."""
        for move in moves:
            turn = (await self.state(match))["position"]["turn"]
            answer = await self.send(match, turn, "move", move)
            assert answer["kind"] == "ack", answer


def with_service(scene: Callable[[ServiceHarness], Awaitable[None]]) -> Callable[[Path], None]:
    """Turn a scene with a running service into a test."""

    def test(tmp_path: Path) -> None:
        asyncio.run(_played(scene, ServiceHarness(tmp_path)))

    test.__name__ = getattr(scene, "__name__", "scene")
    return test


async def _played(scene: Callable[[ServiceHarness], Awaitable[None]], harness: ServiceHarness) -> None:
    await harness.start()
    try:
        await scene(harness)
    finally:
        await harness.stop()
