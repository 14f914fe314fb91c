"""Clients of a real server that remember which moves were acknowledged and check that they are stored."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from contextlib import suppress
from random import Random
from typing import Any, Self, TypeVar

import httpx
import websockets

from support.failing_disk import NAMES, PATIENCE, FaultyDisk, Running

T = TypeVar("T")
GONE = (websockets.ConnectionClosed, websockets.InvalidMessage, ConnectionError, httpx.TransportError)
"""Errors of a connection to a killed server."""


def connected(server: Running, match: str, **more: Any) -> websockets.connect:
    """Return a connection to a match that has sent nothing yet. Only PATIENCE limits how slow the server may be."""
    address = f"ws://127.0.0.1:{server.port}/api/matches/{match}/socket"
    return websockets.connect(address, compression=None, open_timeout=PATIENCE, ping_interval=None, **more)


class SocketClient:
    """A player in a match who checks that no event is missing, repeated or early."""

    def __init__(self, socket: websockets.ClientConnection) -> None:
        self.socket = socket
        self.seq = 0
        self.frames: list[dict[str, Any]] = []
        self.watching = 0
        self._number = 0

    async def send(self, **frame: Any) -> None:
        await self.socket.send(json.dumps(frame))

    async def receive(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next frame that is wanted."""
        while True:
            frame: dict[str, Any] = json.loads(await asyncio.wait_for(self.socket.recv(), PATIENCE))
            if frame["kind"] == "event":
                assert frame["seq"] == self.seq + 1
            if frame["kind"] in {"event", "table"}:
                self.seq = frame["seq"]
            self.watching = frame.get("watching", self.watching)
            self.frames.append({"kind": frame["kind"], "seq": frame.get("seq")})
            if wanted(frame):
                return frame

    async def request(self, **frame: Any) -> dict[str, Any]:
        """Send a request and return its answer."""
        await self.send(**frame)
        return await self.receive(lambda answer: answer.get("request") == frame["request"])

    async def event(self, seq: int) -> dict[str, Any]:
        """Wait for the event with this number."""
        return await self.receive(lambda frame: frame["kind"] == "event" and frame["seq"] == seq)

    async def kinds_until_close(self) -> list[str]:
        """Return the kinds of all frames until the connection is closed."""
        with suppress(websockets.ConnectionClosed):
            await self.receive(lambda _: False)
        return [frame["kind"] for frame in self.frames]

    async def new_events(self) -> list[dict[str, Any]]:
        """Return the events since the last call, including all that were sent by now."""
        for _ in range(2):  # an event is broadcast just after it is stored
            self._number += 1
            await self.request(kind="ask", request=f"anything-{self._number}", seq=0, what="why")
        news = [frame for frame in self.frames if frame["kind"] == "event"]
        self.frames.clear()
        return news


async def connect_client(server: Running, match: str, token: str = "") -> tuple[SocketClient, dict[str, Any]]:
    """A player who has joined a match, and the match."""
    person = SocketClient(await connected(server, match))
    server.sockets.append(person.socket)
    await person.send(kind="hello", since=0, **({"token": token} if token else {}))
    return person, await person.receive(lambda frame: frame["kind"] == "table")


class Game:
    """A match of two clients, with a copy of its moves."""

    def __init__(self, server: Running, match: str, tokens: list[str], rng: Random) -> None:
        self.server = server
        self.match = match
        self.tokens = tokens
        self.moves: list[str] = []
        """Those that were acknowledged."""
        self.pending: dict[str, Any] | None = None
        """A move that was sent and not acknowledged."""
        self.over = False
        self.people: list[SocketClient] = []
        self.position: dict[str, Any] = {}
        self._rng = rng

    @classmethod
    async def made(cls, server: Running, rng: Random, variant: str = "line-runner(end=20)", **more: Any) -> Self:
        """Create a game and join it by its link."""
        seats = [{"name": NAMES[0]}, None]
        order = {"variant": variant, "seats": seats, **more}
        made = await admitted(lambda: server.http.post("/api/matches", json=order))
        match, invite = made["match"], made["invites"][0]["url"].partition("#")[2]
        server.secrets |= {match, invite, made["token"]}
        claim = {"invite": invite, "name": NAMES[1]}
        claimed = await admitted(lambda: server.http.post(f"/api/matches/{match}/seats", json=claim))
        server.secrets.add(claimed["token"])
        game = cls(server, match, [made["token"], claimed["token"]], rng)
        await game.connect()
        return game

    async def connect(self) -> None:
        """Connect both clients, and check that they see every acknowledged move."""
        come = await asyncio.gather(*(connect_client(self.server, self.match, token) for token in self.tokens))
        self.people = [person for person, _ in come]
        for _, table in come:
            self._compare(table)

    @property
    def seq(self) -> int:
        """The number of events so far: one for the second player, and one for each move."""
        return 1 + len(self.moves)

    async def step(self) -> dict[str, Any]:
        """Send the next move, or an unacknowledged one again; return the answer once both clients have the event."""
        if self.pending is None:
            turn = self.position["turn"]
            move = self._rng.choice([choice["move"] for choice in self.position["choices"] if choice["legal"]])
            self.pending = {"kind": "move", "request": f"move-{self.seq}", "seq": self.seq, "move": move, "turn": turn}
        frame = {name: value for name, value in self.pending.items() if name != "turn"}
        mover: SocketClient = self.people[self.pending["turn"] - 1]
        answer = await mover.request(**frame)
        if answer["kind"] == "ack":
            assert answer["seq"] == self.seq + 1
            self.moves.append(frame["move"])
            self.pending = None
            for person in self.people:
                if person.seq < self.seq:
                    event = await person.event(self.seq)
                    self._see(event["position"], event["outcome"])
        return answer

    async def finish(self) -> None:
        """Play to the end."""
        while not self.over:
            answer = await self.step()
            assert answer["kind"] == "ack", answer

    async def check(self) -> dict[str, Any]:
        """Return the public snapshot, after checking that every acknowledged move is in it once."""
        table = await admitted(lambda: self.server.http.get(f"/api/matches/{self.match}"))
        self._compare(table)
        return table

    async def record(self) -> list[str]:
        """Return the moves in the record."""
        record = await self.server.http.get(f"/api/matches/{self.match}/record")
        return re.findall(r"^\d+\. (\S+)$", record.text, re.MULTILINE)

    async def settle(self) -> None:
        """Send an unacknowledged move again, twice: it is stored once."""
        if self.pending is None:
            return
        again = self.pending
        assert (await self.step())["kind"] == "ack"
        frame = {name: value for name, value in again.items() if name != "turn"}
        answer = await self.people[again["turn"] - 1].request(**frame)
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


async def admitted(request: Callable[[], Awaitable[httpx.Response]]) -> dict[str, Any]:
    """Return the answer to a request; repeat it if the server is too busy."""
    response = await request()
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        await asyncio.sleep(int(response.headers.get("retry-after", 1)))
        return await admitted(request)
    answer: dict[str, Any] = response.json()
    assert response.is_success, answer
    return answer


async def answered(request: Coroutine[Any, Any, httpx.Response]) -> dict[str, Any]:
    """Return the answer to a request that must succeed."""
    response = await request
    answer: dict[str, Any] = response.json()
    assert response.is_success, answer
    return answer


async def together(work: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Return the results of `work`, at most 50 of it at once: httpx is slow if a thousand requests wait for it."""
    free = asyncio.Semaphore(50)

    async def run(each: Coroutine[Any, Any, T]) -> T:
        async with free:
            return await each

    return await asyncio.gather(*map(run, work))


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
        """Play one move in each game and return how many got this kind of answer."""
        answers = await asyncio.gather(*(game.step() for game in self.games if not game.over))
        assert {answer.get("code", "cannot_save") for answer in answers} == {"cannot_save"}
        return sum(answer["kind"] == wanted for answer in answers)

    async def take_up(self) -> None:
        """Reconnect all clients, check that nothing is missing, and send unacknowledged moves again."""
        await together(game.connect() for game in self.games if not (game.over and game.pending is None))
        await together(game.check() for game in self.games)
        await together(game.settle() for game in self.games)

    async def finish(self) -> None:
        """Play all games to the end."""
        await together(game.finish() for game in self.games)
        tables = await together(game.check() for game in self.games)
        assert all(table["match"]["outcome"] for table in tables)
        assert await together(game.record() for game in self.games) == [game.moves for game in self.games]
