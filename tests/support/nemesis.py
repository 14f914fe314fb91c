"""Clients that race on a few matches over real sockets, faults that a nemesis causes meanwhile, and a check of it all.

Every client remembers what it sent and what was acknowledged; then its history is compared with the stored events.
"""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any, Protocol

import httpx
import websockets

import numberline as nl
from numberline.web.rooms.match_state import MatchState
from numberline.web.store.store import Store
from support.failing_disk import PATIENCE, Running
from support.web_players import GONE, SocketClient

VARIANT = "line-runner(end=30)"
UNSURE_STATUS = 500
"""From this status on, a request may or may not be stored; below, it is certainly not."""
UNSURE_CODES = ("busy", "cannot_save", "failed")


class Proxy:
    """A TCP proxy that can delay and cut the connections to a server."""

    def __init__(self, port: int) -> None:
        self.delay_s = 0.0
        self._target = port
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        self._server.close()
        self.cut()
        while self._tasks:
            await asyncio.wait(self._tasks)

    def cut(self) -> None:
        """Drop all connections."""
        for writer in self._writers:
            writer.transport.abort()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
        except OSError:
            writer.transport.abort()
            return
        for source, sink in ((reader, back), (there, writer)):
            self._writers.add(sink)
            task = asyncio.create_task(self._pump(source, sink))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _pump(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while data := await source.read(1 << 16):
                await asyncio.sleep(self.delay_s)
                sink.write(data)
                await sink.drain()
        self._writers.discard(sink)
        sink.transport.abort()


@dataclass
class Attempt:
    """A move that a client tried, and the reply."""

    request: str
    move: str
    started: float = field(default_factory=time.monotonic)
    ended: float = 0.0
    seq: int = 0
    """Its number, if it was acknowledged."""
    rejected: bool = False
    """Whether it was certainly not stored."""


@dataclass
class Arena:
    """A few matches, and the attempts of all clients."""

    proxy: Proxy
    rng: Random
    going: bool = True
    matches: list[tuple[str, str]] = field(default_factory=list)
    """The id of each match in play, and the token of both its seats."""
    attempts: dict[str, list[Attempt]] = field(default_factory=lambda: defaultdict(list))
    reached: dict[str, int] = field(default_factory=lambda: defaultdict(int))
    """The highest number acknowledged so far in each match."""
    numbers: count[int] = field(default_factory=count)
    faults: Counter[str] = field(default_factory=Counter)
    """How often each fault was caused."""

    @property
    def acknowledged(self) -> int:
        return sum(bool(attempt.seq) for attempts in self.attempts.values() for attempt in attempts)

    def attempt(self, match: str, board: dict[str, Any]) -> Attempt:
        """Return an attempt at a random legal move."""
        move = self.rng.choice([choice["move"] for choice in board["position"]["choices"] if choice["legal"]])
        made = Attempt(f"r{next(self.numbers)}", move)
        self.attempts[match].append(made)
        return made

    def acknowledge(self, match: str, attempt: Attempt, seq: int) -> None:
        attempt.ended, attempt.seq = time.monotonic(), seq
        self.reached[match] = max(self.reached[match], seq)

    async def open_match(self, client: httpx.AsyncClient, place: int) -> None:
        """Replace a match that is over, or create the first ones."""
        order = {"variant": VARIANT, "seats": [{"name": "Ann"}, {"name": "Bob"}]}
        answer = await client.post("/api/matches", json=order)
        if answer.is_success:
            made = answer.json()
            self.matches[place] = made["match"], made["token"]


async def play_over_http(arena: Arena, client: httpx.AsyncClient) -> None:
    """Read a match and try a move; repeat it with the same request if it is not clear whether it was stored."""
    place = arena.rng.randrange(len(arena.matches))
    match, token = arena.matches[place]
    known = arena.reached[match]
    answer = await client.get(f"/api/matches/{match}")
    if not answer.is_success:
        return
    board = answer.json()
    assert board["seq"] >= known, "an acknowledged move is not shown"
    if board["match"]["outcome"]:
        if arena.matches[place] == (match, token):
            await arena.open_match(client, place)
        return
    attempt = arena.attempt(match, board)
    body = {"kind": "move", "request": attempt.request, "seq": board["seq"], "move": attempt.move}
    is_unsure = False
    for _ in range(arena.rng.randrange(1, 4)):
        try:
            answer = await client.post(
                f"/api/bot/matches/{match}/move", json=body, headers={"Authorization": f"Bearer {token}"}
            )
        except httpx.TransportError:
            is_unsure = True
            continue
        if answer.is_success:
            arena.acknowledge(match, attempt, answer.json()["seq"])
            return
        is_unsure = is_unsure or answer.status_code >= UNSURE_STATUS
        if answer.status_code < UNSURE_STATUS:
            attempt.rejected = not is_unsure
            return


async def play_over_socket(arena: Arena) -> None:
    """Join a match and try some moves; the events must arrive without a gap."""
    match, token = arena.rng.choice(arena.matches)
    board: dict[str, Any] = {}
    known = arena.reached[match]

    def see(frame: dict[str, Any]) -> bool:
        if frame["kind"] in {"table", "event"}:
            board.update(frame)
            board["outcome"] = frame["match"]["outcome"] if frame["kind"] == "table" else frame["outcome"]
        return False

    address = f"ws://127.0.0.1:{arena.proxy.port}/api/matches/{match}/socket"
    async with websockets.connect(address, compression=None, open_timeout=PATIENCE, close_timeout=0.1) as socket:
        client = SocketClient(socket)
        await client.send(kind="hello", since=0, token=token)
        await client.receive(lambda frame: see(frame) or frame["kind"] == "table")
        assert board["seq"] >= known, "an acknowledged move is not shown"
        for _ in range(arena.rng.randrange(1, 30)):
            if board["outcome"] or not arena.going:
                return
            attempt = arena.attempt(match, board)
            await client.send(kind="move", request=attempt.request, seq=board["seq"], move=attempt.move)
            answer = await client.receive(lambda frame: see(frame) or frame.get("request") == attempt.request)  # noqa: B023 - used at once
            if answer["kind"] == "ack":
                arena.acknowledge(match, attempt, answer["seq"])
            elif answer["code"] not in UNSURE_CODES:
                attempt.rejected = True
            wanted = answer["seq"] or 0
            if board["seq"] < wanted:
                await client.receive(lambda frame: see(frame) or client.seq >= wanted)  # noqa: B023 - used at once


async def race(arena: Arena, client: httpx.AsyncClient) -> None:
    """Play until the arena stops, whatever happens to the connections."""
    while arena.going:
        with suppress(*GONE, httpx.TimeoutException, TimeoutError, websockets.InvalidHandshake):
            if arena.rng.random() < 0.5:
                await play_over_http(arena, client)
            else:
                await play_over_socket(arena)
            continue
        await asyncio.sleep(0.02)


class Nemesis:
    """Faults of the network and of the processes that serve."""

    def __init__(self, server: Running, proxy: Proxy, rng: Random, **environment: str) -> None:
        self.server = server
        self.proxy = proxy
        self.rng = rng
        self.environment = environment

    async def wait(self) -> None:
        await asyncio.sleep(self.rng.uniform(0.1, 0.5))

    def processes(self) -> list[int]:
        """The processes that answer: the workers, if there are any."""
        pid = self.server.process.pid
        with open(f"/proc/{pid}/task/{pid}/children") as file:  # noqa: PTH123 - not a real file
            children = file.read().split()
        workers = [int(child) for child in children if "spawn_main" in _command_line(child)]
        return workers if "--workers" in self.server.options else [pid]

    async def pause(self) -> None:
        for pid in self.processes()[:1]:
            os.kill(pid, signal.SIGSTOP)
            await self.wait()
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    async def kill(self) -> None:
        """Kill the server and start it again; a worker is started again by its supervisor."""
        if "--workers" in self.server.options:
            for pid in self.processes()[:1]:
                os.kill(pid, signal.SIGKILL)
        else:
            await asyncio.to_thread(self.server.again, **self.environment)

    async def restart(self) -> None:
        """Stop the server in good order, under load."""
        self.server.terminate()
        assert await asyncio.to_thread(self.server.ended) == 0
        await asyncio.to_thread(self.server.start, **self.environment)

    async def delay(self) -> None:
        self.proxy.delay_s = self.rng.uniform(0.01, 0.1)
        await self.wait()
        self.proxy.delay_s = 0.0

    async def cut(self) -> None:
        self.proxy.cut()


def _command_line(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/cmdline") as file:  # noqa: PTH123 - not a real file
            return file.read()
    except (FileNotFoundError, ProcessLookupError):
        return ""


class Fault(Protocol):
    """Function that causes a fault and ends it again."""

    __name__: str

    def __call__(self, nemesis: Nemesis, /) -> Awaitable[None]: ...


async def play_among_faults(
    server: Running, faults: Sequence[Fault], seconds: float, rng: Random, *, clients: int, **environment: str
) -> Arena:
    """Let clients race while each fault is caused once, and then random ones until `seconds` have passed."""
    proxy = Proxy(server.port)
    await proxy.start()
    arena, nemesis = Arena(proxy, rng), Nemesis(server, proxy, rng, **environment)
    until = time.monotonic() + seconds
    limits = httpx.Limits(max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{proxy.port}", timeout=PATIENCE, limits=limits) as client:
        for place in range(clients // 3):
            arena.matches.append(("", ""))
            await arena.open_match(client, place)
        racing = [asyncio.create_task(race(arena, client)) for _ in range(clients)]

        async def play(more: int) -> None:
            enough = arena.acknowledged + more
            while arena.acknowledged < enough:
                for task in racing:
                    assert not task.done() or task.result()  # raises what went wrong
                await asyncio.sleep(0.02)

        planned = list(faults)
        try:
            while planned or time.monotonic() < until:
                await play(rng.randrange(5, 20))
                fault = planned.pop() if planned else rng.choice(faults)
                await fault(nemesis)
                arena.faults[fault.__name__] += 1
            await play(20)  # everything works again
        finally:
            arena.going = False
            await asyncio.gather(*racing, return_exceptions=True)
            await proxy.stop()
    return arena


def check_histories(arena: Arena, database: str) -> None:
    """Compare what was acknowledged with the stored events: each acknowledged move once, in order, and legal."""
    with closing(Store(database)) as store:
        for match, attempts in arena.attempts.items():
            stored = store.find(match)
            assert stored, "a match is missing"
            state = MatchState(nl.book(stored.match.variant), stored.match, stored.seats)
            for number, event in enumerate(stored.events, 1):
                assert (event.seq, event.seat) == (number, state.match.turn)
                assert event.what in state.match.moves
                state.apply(event)
            by_request = {event.request.partition(":")[2]: event for event in stored.events}
            assert len(by_request) == len(stored.events)
            answered = [attempt for attempt in attempts if attempt.seq]
            for attempt in answered:
                event = by_request[attempt.request]
                assert (event.seq, event.what) == (attempt.seq, attempt.move)
            assert not [attempt for attempt in attempts if attempt.rejected and attempt.request in by_request]
            assert by_request.keys() <= {attempt.request for attempt in attempts}
            latest_start = 0.0
            for attempt in sorted(answered, key=lambda attempt: attempt.seq):  # nothing precedes what came before it
                assert attempt.ended >= latest_start
                latest_start = max(latest_start, attempt.started)
