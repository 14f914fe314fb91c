"""A service with its own store, subscribers that record their messages, and matches to play."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

from numberline.web.protocol.commands import Assist, ClientMessage, ClockSpec, MatchSpec, SeatSpec
from numberline.web.rooms.service import MatchService
from numberline.web.store.store import Store
from numberline.web.store.sync import ClusterSync
from numberline.web.store.write_queue import WriteQueue

ANN, BOB, EVE = "ann" * 10, "bob" * 10, "eve" * 10
"""Tokens."""


class Clock:
    """A clock that stands still until it is advanced."""

    def __init__(self) -> None:
        self.now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


class Ear:
    """A listener that remembers every frame."""

    def __init__(self) -> None:
        self.you: tuple[int, ...] = ()
        self.raw: list[bytes] = []

    def send(self, frame: bytes) -> None:
        self.raw.append(frame)

    @property
    def frames(self) -> list[dict[str, Any]]:
        return [json.loads(frame) for frame in self.raw]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["kind"] == kind]

    @property
    def match(self) -> dict[str, Any]:
        """The match part of the table that came last."""
        part: dict[str, Any] = self.of("table")[-1]["match"]
        return part


class Evening:
    """A service that can be stopped and started again on the same store."""

    def __init__(self, kept: Path | str, most_positions: int = 1_000_000) -> None:
        """It is kept in a folder, or in the database at an address."""
        self.url = kept if isinstance(kept, str) else f"sqlite:///{kept / 'matches.db'}"
        self.clock = Clock()
        self.most_positions = most_positions
        self.asked = 0

    async def begin(self) -> None:
        self.store = Store(self.url)
        self.writer = WriteQueue(self.store)
        await self.writer.start()
        self.service = MatchService(
            self.store, self.writer, clock=self.clock, rng=Random(1), most_positions=self.most_positions
        )
        await self.service.start()
        self.cluster_sync = ClusterSync(self.service.registry, self.url) if self.store.shared else None
        if self.cluster_sync:
            await self.cluster_sync.start()
        await self.service.wait_idle()

    async def end(self) -> None:
        if self.cluster_sync:
            await self.cluster_sync.stop()
        await self.service.stop()
        await self.writer.stop()
        self.store.close()

    async def again(self) -> None:
        await self.end()
        await self.begin()

    async def friends(
        self,
        variant: str = "flag-chase",
        *,
        rounds: int = 1,
        assist: Assist = "off",
        clock: ClockSpec | None = None,
    ) -> str:
        """A match of Ann, the first player, and Bob, who joined by a link."""
        order = MatchSpec(variant, (SeatSpec("Ann"), None), rounds=rounds, assist=assist, clock=clock)
        made = await self.service.create(order, ANN)
        await self.service.claim(made.match, made.invites[2], "Bob", BOB)
        return made.match

    async def alone(self, bot: str = "random", variant: str = "flag-chase", **order: Any) -> str:
        """A match of Ann against a program."""
        made = await self.service.create(MatchSpec(variant, (SeatSpec("Ann"), SeatSpec(bot=bot)), **order), ANN)
        return made.match

    async def listening(self, match: str, token: str = "") -> Ear:
        ear = Ear()
        await self.service.join(match, ear, token, 0)
        await self.service.wait_idle()
        return ear

    async def seq(self, match: str) -> int:
        return int((await self.service.state(match))["seq"])

    async def say(
        self,
        match: str,
        seat: int | tuple[int, ...],
        kind: Any,
        text: str = "",
        *,
        seq: int | None = None,
        request: str = "",
    ) -> dict[str, Any]:
        """Return the answer to a message, after all broadcasts are delivered."""
        self.asked += 1
        fields = {"move" if kind == "move" else "what": text}
        at = await self.seq(match) if seq is None else seq
        message = ClientMessage(kind, request or f"request-{self.asked}", at, **fields)
        you = (seat,) if isinstance(seat, int) else seat
        answer: dict[str, Any] = json.loads(await self.service.act(match, you, message))
        await self.service.wait_idle()
        return answer

    async def moves(self, match: str, *moves: str) -> None:
        """Play moves, each for the player to move."""
        for move in moves:
            turn = (await self.service.state(match))["position"]["turn"]
            answer = await self.say(match, turn, "move", move)
            assert answer["kind"] == "ack", answer


def at_a_table(scene: Callable[[Evening], Awaitable[None]]) -> Callable[[Path], None]:
    """A test that plays a scene with a running service."""

    def test(tmp_path: Path) -> None:
        asyncio.run(_played(scene, Evening(tmp_path)))

    test.__name__ = getattr(scene, "__name__", "scene")
    return test


async def _played(scene: Callable[[Evening], Awaitable[None]], evening: Evening) -> None:
    await evening.begin()
    try:
        await scene(evening)
    finally:
        await evening.end()
