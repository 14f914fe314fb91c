"""An honest player among attackers: acknowledgements, bot replies and memory while one client uses its full allowance.

The server believes the `X-Forwarded-For` header of this machine, so the attacker and the player have different
addresses. The attacker is a separate process that repeats its requests as often as the server lets it; the player
makes a move every few milliseconds and starts games against two bots. Memory is that of the server and its workers.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import websockets
from rich.table import Table

from tables import show
from web_servers import INSTALLED, free_port, our_command, running

SECONDS = 15.0
MOVE_INTERVAL_S = 0.03
MEMORY_LIMIT_MB = 1_000
MOVES = ("3", "1", "back", "back", "1", "1")  # the last four are repeated, so that the game never ends
MAX_RATIO, MAX_REPLY_S = 5.0, 2.0
PLAYER, ATTACKER = "192.0.2.1", "198.51.100.1"
HUGE = "number-line-sprint(end={}, steps=1-100, players={}, tokens=3)"
Attack = Callable[["Client", int], Awaitable[object]]


class Client:
    """HTTP client with a separate address."""

    def __init__(self, port: int, address: str) -> None:
        self.port = port
        self.opened: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.headers = {"x-forwarded-for": address}
        limits = httpx.Limits(max_connections=None)
        self.http = httpx.AsyncClient(
            base_url=f"http://localhost:{port}", headers=self.headers, timeout=60, limits=limits
        )

    async def match(self, variant: str, *seats: object, **more: object) -> dict[str, Any]:
        made = await self.http.post("/api/matches", json={"variant": variant, "seats": seats, "assist": "off", **more})
        answer: dict[str, Any] = made.json()
        return answer

    def socket(self, match: str) -> websockets.connect:
        url = f"ws://localhost:{self.port}/api/matches/{match}/socket"
        return websockets.connect(url, compression=None, additional_headers=self.headers, max_size=None)


# Attacks: one request each, called with increasing numbers


async def solve(client: Client, number: int) -> object:
    variant = f"reach-the-edge(end={1_100 + number % 300}, steps=1-40)"  # close to the largest that is solved
    return await client.http.get("/api/puzzles", params={"book": variant})


async def search(client: Client, number: int) -> object:
    bot = {"bot": "mcts:2000"}
    return await client.match(HUGE.format(1_000_000 + number, 2), bot, bot, rounds=99)


async def view(client: Client, number: int) -> object:
    return await client.http.get(f"/api/books/{HUGE.format(1_000_000 + number, 6)}")


async def parse(client: Client, number: int) -> object:
    source = "".join(f"k{number}-{key} = 1\n" for key in range(3_000))
    return await client.http.post("/api/books", json={"source": source[:49_000]})


async def half_bodies(client: Client, _: int) -> object:
    async def half() -> AsyncIterator[bytes]:
        yield b'{"record": "' + b"x" * 1_000_000
        await asyncio.sleep(60)
        yield b'"}'

    headers = {"content-length": "1090000", "content-type": "application/json"}
    return await client.http.post("/api/review", content=half(), headers=headers)


async def sockets(client: Client, number: int) -> object:
    if not number:
        client.opened.set_result((await client.match("line-runner", {"name": "A"}, None))["match"])
    with contextlib.suppress(OSError, websockets.WebSocketException):
        async with client.socket(await client.opened) as line:
            await line.send('{"kind": "hello"}')
            await line.wait_closed()
    await asyncio.sleep(1)
    return None


async def store(client: Client, number: int) -> object:
    rules = '[rules]\nline=[0,4]\nstart=0\ngoal=4\nmoves="forward"\nsteps="1-2"\n'
    source = f'title="{number}"\nabout="{"x" * 49_000}"\n{rules}'
    return await client.match("my-book", {"name": "A"}, None, source=source)


ATTACKS: dict[str, tuple[Attack, int]] = {
    "1 solving": (solve, 40),
    "2 tree search": (search, 20),
    "3 views of huge books": (view, 60),
    "4 books with 3,000 unknown keys": (parse, 20),
    "5 half-sent bodies": (half_bodies, 250),
    "5 sockets": (sockets, 1_500),
    "5 stored books": (store, 20),
}
"""Each attack and the number of requests it makes at the same time."""


async def attack(name: str, port: int) -> None:
    """Attack until killed."""
    client, numbers = Client(port, ATTACKER), count()
    request, at_once = ATTACKS[name]

    async def repeat() -> None:
        while True:
            with contextlib.suppress(httpx.HTTPError):
                answer = await request(client, next(numbers))
                status = getattr(answer, "status_code", 0)
                if status == httpx.codes.TOO_MANY_REQUESTS or (isinstance(answer, dict) and "code" in answer):
                    await asyncio.sleep(0.5)

    await asyncio.gather(*(repeat() for _ in range(at_once)))


# The honest player


async def move(client: Client, made: dict[str, Any], until: float, acks: list[float]) -> None:
    """Move back and forth, and add the seconds to each acknowledgement to `acks`."""
    async with client.socket(made["match"]) as line:
        await line.send(json.dumps({"kind": "hello", "token": made["token"]}))
        while (frame := json.loads(await line.recv()))["kind"] != "table":
            pass
        for number in count():
            if time.monotonic() > until:
                return
            text = MOVES[number] if number < 2 else MOVES[2 + (number - 2) % 4]
            sent = {"kind": "move", "request": f"r{number}", "seq": frame["seq"], "move": text}
            began = time.perf_counter()
            await line.send(json.dumps(sent))
            while (frame := json.loads(await line.recv())).get("request") != sent["request"]:
                pass
            if frame["kind"] != "ack":
                raise SystemExit(f"the move was rejected: {frame}")
            acks.append(time.perf_counter() - began)
            await asyncio.sleep(MOVE_INTERVAL_S)


async def meet(client: Client, bot: str, until: float, replies: list[float]) -> None:
    """Start games against a bot, and add the seconds to each first reply to `replies`."""
    while time.monotonic() < until:
        game = await client.match("line-runner", {"name": "A"}, {"bot": bot})
        async with client.socket(game["match"]) as line:
            await line.send(json.dumps({"kind": "hello", "token": game["token"]}))
            await line.send(json.dumps({"kind": "move", "request": "r", "seq": 0, "move": "3"}))
            began = time.perf_counter()
            while (frame := json.loads(await line.recv()))["kind"] != "event" or frame["seat"] != 2:
                pass
        replies.append(time.perf_counter() - began)
        await asyncio.sleep(0.3)


async def play(port: int) -> tuple[list[float], dict[str, list[float]]]:
    """Return the seconds to each acknowledgement and, by bot, to each reply."""
    client, acks = Client(port, PLAYER), list[float]()
    for seconds in (5.0, SECONDS):  # the server starts its processes in the first few seconds
        replies: dict[str, list[float]] = {"medium": [], "mcts": []}
        made = await client.match("line-runner(reverse=true)", {"name": "A"}, {"name": "B"})
        until = time.monotonic() + seconds
        acks.clear()
        await asyncio.gather(
            move(client, made, until, acks), *(meet(client, bot, until, times) for bot, times in replies.items())
        )
    return acks, replies


def memory_mb(pid: int) -> float:
    """Return the resident memory of a process and its descendants."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parents[int(status.parent.name)] = int(status.read_text().rpartition(")")[2].split()[1])
    family = {pid}
    while more := {child for child, parent in parents.items() if parent in family} - family:
        family |= more
    total = 0
    for member in family:
        with contextlib.suppress(OSError):
            total += int(Path(f"/proc/{member}/statm").read_text().split()[1])
    return total * os.sysconf("SC_PAGE_SIZE") / 1e6


async def peak_memory_mb(pid: int, playing: asyncio.Task[Any]) -> float:
    peak = 0.0
    while not playing.done():
        peak = max(peak, await asyncio.to_thread(memory_mb, pid))
        await asyncio.sleep(0.3)
    return peak


async def measure(name: str, port: int, pid: int) -> tuple[list[float], dict[str, list[float]], float]:
    """Play while an attack is running, or undisturbed if `name` is empty."""
    attacker = None
    if name:
        command = ["nice", "-n", "10", sys.executable, __file__, name, str(port)]
        attacker = await asyncio.create_subprocess_exec(*command, stderr=subprocess.DEVNULL)
        await asyncio.sleep(4)  # it starts and uses up its burst
    try:
        playing = asyncio.create_task(play(port))
        peak = await peak_memory_mb(pid, playing)
        return *playing.result(), peak
    finally:
        if attacker:
            attacker.kill()
            await attacker.wait()


def p99(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.99)] if times else float("nan")


def main() -> None:
    title = (
        f"One attacker, {SECONDS:.0f} s each (goals: p99 below {MAX_RATIO:.0f} times the quiet one, "
        f"replies below {MAX_REPLY_S:.0f} s, memory below {MEMORY_LIMIT_MB:,} MB)"
    )
    table = Table("attack", "moves", "p50", "p99", "ratio", "medium", "mcts", "memory", title=title)
    quiet = float("nan")
    INSTALLED.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as text:
        for name in ["", *(sys.argv[1:] or ATTACKS)]:
            port = free_port()
            command = [*our_command(port, Path(text)), "--public-url", f"http://localhost:{port}"]
            with running(command, port, "/readyz", Path(text)) as server:
                acks, replies, peak = asyncio.run(measure(name, port, server.pid))
            if not name:
                quiet = p99(acks)
            table.add_row(
                name or "none",
                f"{len(acks):,}",
                f"{sorted(acks)[len(acks) // 2] * 1000:.1f} ms",
                f"{p99(acks) * 1000:.1f} ms",
                f"{p99(acks) / quiet:.1f}",
                *(f"{max(times):.2f} s" for times in replies.values()),
                f"{peak:.0f} MB",
            )
    show(table)


if __name__ == "__main__":
    if sys.argv[-1].isdigit():
        asyncio.run(attack(sys.argv[1], int(sys.argv[2])))
    else:
        main()
