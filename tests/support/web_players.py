"""People at the tables of a real server, who remember what was acknowledged and see to it that it is kept."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Coroutine
from contextlib import suppress
from random import Random
from typing import Any, Self

import httpx
import websockets

from support.failing_disk import NAMES, PATIENCE, FaultyDisk, Running

GONE = (websockets.ConnectionClosed, websockets.InvalidMessage, ConnectionError, httpx.TransportError)
"""Errors of a connection to a killed server."""


def connected(server: Running, match: str, **more: Any) -> websockets.connect:
    """A connection to a table, which says nothing yet."""
    return websockets.connect(
        f"ws://127.0.0.1:{server.port}/api/matches/{match}/socket", compression=None, open_timeout=PATIENCE, **more
    )


class Person:
    """A player in a match who checks that no event is missing, repeated or early."""

    def __init__(self, socket: websockets.ClientConnection) -> None:
        self.socket = socket
        self.seq = 0
        self.heard: list[dict[str, Any]] = []
        self.watching = 0
        self._number = 0

    async def say(self, **frame: Any) -> None:
        await self.socket.send(json.dumps(frame))

    async def hear(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """The next frame that is wanted."""
        while True:
            frame: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            if frame["kind"] == "event":
                assert frame["seq"] == self.seq + 1
            if frame["kind"] in {"event", "table"}:
                self.seq = frame["seq"]
            self.watching = frame.get("watching", self.watching)
            self.heard.append({"kind": frame["kind"], "seq": frame.get("seq")})
            if wanted(frame):
                return frame

    async def asked(self, **frame: Any) -> dict[str, Any]:
        """The answer to a request."""
        await self.say(**frame)
        return await self.hear(lambda heard: heard.get("request") == frame["request"])

    async def told(self, seq: int) -> dict[str, Any]:
        """The event with this number."""
        return await self.hear(lambda frame: frame["kind"] == "event" and frame["seq"] == seq)

    async def last_words(self) -> list[str]:
        """The kinds of all frames up to the end of the connection."""
        with suppress(websockets.ConnectionClosed):
            await self.hear(lambda _: False)
        return [frame["kind"] for frame in self.heard]

    async def new_events(self) -> list[dict[str, Any]]:
        """The events that have come since this was asked last: all that were sent by now."""
        for _ in range(2):  # an event is told in the moment after the one in which it happens
            self._number += 1
            await self.asked(kind="ask", request=f"anything-{self._number}", seq=0, what="why")
        news = [frame for frame in self.heard if frame["kind"] == "event"]
        self.heard.clear()
        return news


async def arrived(server: Running, match: str, token: str = "") -> tuple[Person, dict[str, Any]]:
    """A player who has joined a match, and the match."""
    person = Person(await connected(server, match))
    server.sockets.append(person.socket)
    await person.say(kind="hello", since=0, **({"token": token} if token else {}))
    return person, await person.hear(lambda frame: frame["kind"] == "table")


class Game:
    """Two people at one table; what they did is kept here too."""

    def __init__(self, server: Running, match: str, tokens: list[str], rng: Random) -> None:
        self.server = server
        self.match = match
        self.tokens = tokens
        self.moves: list[str] = []
        """Those that were acknowledged."""
        self.pending: dict[str, Any] | None = None
        """A move that was sent and not acknowledged."""
        self.over = False
        self.people: list[Person] = []
        self.position: dict[str, Any] = {}
        self._rng = rng

    @classmethod
    async def made(cls, server: Running, rng: Random, variant: str = "line-runner(end=20)", **more: Any) -> Self:
        """A new game: one makes it, the other comes by the link."""
        seats = [{"name": NAMES[0]}, None]
        made = await admitted(server, {"variant": variant, "seats": seats, **more})
        match, invite = made["match"], made["invites"][0]["url"].partition("#")[2]
        server.secrets |= {match, invite, made["token"]}
        claim = {"invite": invite, "name": NAMES[1]}
        claimed = await answered(server.http.post(f"/api/matches/{match}/seats", json=claim))
        server.secrets.add(claimed["token"])
        game = cls(server, match, [made["token"], claimed["token"]], rng)
        await game.connect()
        return game

    async def connect(self) -> None:
        """Both come to the table, and see on it all that was acknowledged."""
        come = await asyncio.gather(*(arrived(self.server, self.match, token) for token in self.tokens))
        self.people = [person for person, _ in come]
        for _, table in come:
            self._compare(table)

    @property
    def seq(self) -> int:
        """How many events there must be: somebody sat down, and the moves."""
        return 1 + len(self.moves)

    async def step(self) -> dict[str, Any]:
        """The answer to the next move, or again to the one that was not acknowledged; both hear of what is stored."""
        if self.pending is None:
            turn = self.position["turn"]
            move = self._rng.choice([choice["move"] for choice in self.position["choices"] if choice["legal"]])
            self.pending = {"kind": "move", "request": f"move-{self.seq}", "seq": self.seq, "move": move, "turn": turn}
        frame = {name: value for name, value in self.pending.items() if name != "turn"}
        mover: Person = self.people[self.pending["turn"] - 1]
        answer = await mover.asked(**frame)
        if answer["kind"] == "ack":
            assert answer["seq"] == self.seq + 1
            self.moves.append(frame["move"])
            self.pending = None
            for person in self.people:
                if person.seq < self.seq:
                    event = await person.told(self.seq)
                    self._see(event["position"], event["outcome"])
        return answer

    async def finish(self) -> None:
        """Plays to the end."""
        while not self.over:
            answer = await self.step()
            assert answer["kind"] == "ack", answer

    async def check(self) -> dict[str, Any]:
        """The table as anybody can read it, in which nothing acknowledged is missing and nothing is there twice."""
        table = await answered(self.server.http.get(f"/api/matches/{self.match}"))
        self._compare(table)
        return table

    async def record(self) -> list[str]:
        """The moves in the record."""
        record = await self.server.http.get(f"/api/matches/{self.match}/record")
        return re.findall(r"^\d+\. (\S+)$", record.text, re.MULTILINE)

    async def settle(self) -> None:
        """Sends what was not acknowledged again, twice: it is stored once."""
        if self.pending is None:
            return
        again = self.pending
        assert (await self.step())["kind"] == "ack"
        frame = {name: value for name, value in again.items() if name != "turn"}
        answer = await self.people[again["turn"] - 1].asked(**frame)
        assert (answer["kind"], answer["seq"]) == ("ack", self.seq)

    def _compare(self, table: dict[str, Any]) -> None:
        stored = [ply["move"] for ply in table["match"]["log"]]
        unsure = [*self.moves, self.pending["move"]] if self.pending else self.moves
        assert stored in (self.moves, unsure)
        assert table["seq"] == 1 + len(stored)
        self._see(table["position"], table["match"]["outcome"])

    def _see(self, position: dict[str, Any], outcome: dict[str, Any] | None) -> None:
        self.position = position
        self.over = outcome is not None


async def admitted(server: Running, order: dict[str, Any]) -> dict[str, Any]:
    """Create a match; retry if the server reports too many at once."""
    response = await server.http.post("/api/matches", json=order)
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        await asyncio.sleep(int(response.headers["retry-after"]))
        return await admitted(server, order)
    answer: dict[str, Any] = response.json()
    assert response.is_success, answer
    return answer


async def answered(request: Coroutine[Any, Any, httpx.Response]) -> dict[str, Any]:
    """Return the answer to a request that must succeed."""
    response = await request
    answer: dict[str, Any] = response.json()
    assert response.is_success, answer
    return answer


class Load:
    """Many games at once, each of which goes on as soon as its last move is acknowledged."""

    def __init__(self, server: Running, rng: Random) -> None:
        self.server = server
        self.games: list[Game] = []
        self.rng = rng

    async def begin(self, games: int) -> None:
        """Create matches until at least this many are in play."""
        missing = range(games - len(self.games))
        self.games += await asyncio.gather(*(Game.made(self.server, self.rng) for _ in missing))

    async def play(self, acknowledged: int, then: Callable[[], None]) -> None:
        """Play until the server is gone; call `then` after `acknowledged` moves were acknowledged."""
        left = acknowledged

        async def play_on(number: int) -> None:
            nonlocal left
            while True:
                if self.games[number].over:
                    game = await Game.made(self.server, self.rng)
                    self.games.append(self.games[number])
                    self.games[number] = game
                answer = await self.games[number].step()
                if answer["kind"] == "error":
                    assert answer["code"] == "cannot_save"  # it is tried again with the same request
                    continue
                left -= 1
                if left == 0:
                    then()

        async def play_while_there(number: int) -> None:
            try:
                await play_on(number)
            except GONE:
                return

        await asyncio.gather(*map(play_while_there, range(len(self.games))))

    async def play_through(self, disk: FaultyDisk, acknowledged: int, refused: int) -> None:
        """Play until enough moves are acknowledged, then on a broken disk until enough are rejected; then repair it."""
        while acknowledged > 0:
            acknowledged -= await self._round("ack")
        disk.break_down()
        while refused > 0:
            refused -= await self._round("error")
        disk.work_again()

    async def _round(self, wanted: str) -> int:
        """How many of the games, each with one move, were answered so."""
        answers = await asyncio.gather(*(game.step() for game in self.games if not game.over))
        assert {answer.get("code", "cannot_save") for answer in answers} == {"cannot_save"}
        return sum(answer["kind"] == wanted for answer in answers)

    async def take_up(self) -> None:
        """Everybody comes back; nothing is missing, and what was not acknowledged is sent again."""
        await asyncio.gather(*(game.connect() for game in self.games if not (game.over and game.pending is None)))
        await asyncio.gather(*(game.check() for game in self.games))
        await asyncio.gather(*(game.settle() for game in self.games))

    async def finish(self) -> None:
        """All games are played to the end."""
        await asyncio.gather(*(game.finish() for game in self.games))
        tables = await asyncio.gather(*(game.check() for game in self.games))
        assert all(table["match"]["outcome"] for table in tables)
        assert await asyncio.gather(*(game.record() for game in self.games)) == [game.moves for game in self.games]
