"""The memory of a server that is used for long stays the same."""

from __future__ import annotations

import asyncio
import os
import sys
import time
from itertools import count
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

import pytest

from support.failing_disk import Running
from support.web_players import SocketClient, admitted, connected

SOAK_SECONDS = float(os.environ.get("NUMBERLINE_SOAK_SECONDS", "3600"))
"""The first ten minutes are not steady: matches stay in memory for that long after their last use."""
PERIODS = 12
"""Parts of the time; the memory of each is the median of many samples."""
SAMPLE_INTERVAL_S, VISIT_INTERVAL_S = 1.0, 2.0
MAX_GROWTH = 0.01
CLIENTS, MAX_MOVES = 4, 40
VISITS = 128
"""Different visits; they are repeated, because caches fill up with every new position until they are full."""
VARIANTS = (
    "line-runner",
    "reach-the-edge",
    "number-reach",
    "number-line-sprint",
    "flag-chase",
    "line-runner(end=30, steps=1-4)",
    "reach-the-edge(end=120, steps=1-12)",
    "flag-chase(end=30)",
)
BOTS = (None, "medium", "mcts", "level:5")
PAGES = (
    "/",
    "/puzzles",
    "/new/{}",
    "/api/books/{}",
    "/api/lessons/{}",
    "/api/puzzles?book={}",
    "/rules/{}",
    "/metrics",
)


async def visit(server: Running, rng: Random, number: int) -> None:
    """Read a few pages, play a game with a hint, and review it; every other match is deleted."""
    variant, bot = VARIANTS[number % len(VARIANTS)], BOTS[number // len(VARIANTS) % len(BOTS)]
    for page in rng.sample(PAGES, 2):
        assert (await server.http.get(page.format(variant))).status_code < 500
    seats = [{"name": "Ann"}, {"bot": bot} if bot else {"name": "Bob"}]
    order = {"variant": variant, "seats": seats, "assist": "on"}
    made = await admitted(lambda: server.http.post("/api/matches", json=order))
    async with connected(server, made["match"]) as socket:
        await play(SocketClient(socket), made["token"], rng, alone=bot is None)
    path = f"/api/matches/{made['match']}"
    record = (await server.http.get(f"{path}/record")).text
    await admitted(lambda: server.http.post("/api/review", json={"record": record}))
    if number % 2:
        await server.http.delete(path, headers={"Authorization": f"Bearer {made['token']}"})


async def play(client: SocketClient, token: str, rng: Random, *, alone: bool) -> None:
    """Play random moves for both players if `alone`, otherwise against a bot; resign if it takes long."""
    board: dict[str, Any] = {}

    def see(frame: dict[str, Any]) -> bool:
        if frame["kind"] in {"table", "event"}:
            board.update(frame)
            board["outcome"] = frame["match"]["outcome"] if frame["kind"] == "table" else frame["outcome"]
        return False

    async def send(**message: Any) -> dict[str, Any]:
        await client.send(request=f"r{next(requests)}", seq=board["seq"], **message)
        return await client.receive(lambda frame: see(frame) or "request" in frame)

    requests, moves = count(), 0
    await client.send(kind="hello", token=token)
    await client.receive(lambda frame: see(frame) or frame["kind"] == "table")
    await send(kind="ask", what="hint")
    while not board["outcome"]:
        if not alone and board["position"]["turn"] != 1:
            await client.receive(lambda frame: see(frame) or frame["kind"] in {"table", "event"})
            continue
        moves += 1
        legal = [choice["move"] for choice in board["position"]["choices"] if choice["legal"]]
        order = {"kind": "move", "move": rng.choice(legal)} if moves < MAX_MOVES else {"kind": "resign"}
        answer = await send(**order)
        assert answer["kind"] == "ack", answer
        while board["seq"] < answer["seq"]:
            await client.receive(lambda frame: see(frame) or frame["kind"] in {"table", "event"})


def memory_kb(pid: int) -> int:
    """Return the resident memory of a process and its descendants."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        children = [file.read_text(encoding="ascii") for file in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:  # it has just ended
        return 0
    return int(status.partition("VmRSS:")[2].split()[0]) + sum(map(memory_kb, map(int, " ".join(children).split())))


async def sample(server: Running, seconds: float) -> list[float]:
    """Return the memory in each period, in megabytes; `pytest -s` shows it at once."""
    periods = []
    for number in range(1, PERIODS + 1):
        samples, until = [], time.monotonic() + seconds / PERIODS
        while time.monotonic() < until:
            samples.append(memory_kb(server.process.pid))
            await asyncio.sleep(SAMPLE_INTERVAL_S)
        periods.append(median(samples) / 1000)
        print(f"{number * seconds / PERIODS / 60:.1f} min: {periods[-1]:.1f} MB", flush=True)  # noqa: T201 - figures
    return periods


async def use(server: Running, seconds: float) -> tuple[list[float], int]:
    """Let clients repeat their visits; return the memory in each period and the number of visits."""
    numbers = count()

    async def repeat() -> None:
        while True:
            number = next(numbers)
            pause = asyncio.sleep(VISIT_INTERVAL_S)  # as many matches are in memory as there were in ten minutes
            await asyncio.gather(visit(server, Random(number % VISITS), number), pause)

    async with asyncio.TaskGroup() as group:
        using = [group.create_task(repeat()) for _ in range(CLIENTS)]
        periods = await sample(server, seconds)
        for task in using:
            task.cancel()
    return periods, next(numbers)


@pytest.mark.soak
@pytest.mark.timeout(SOAK_SECONDS + 600)
@pytest.mark.skipif(sys.platform != "linux", reason="memory is read as on Linux")
def test_memory_stays_the_same_for_long(tmp_path: Path) -> None:
    periods, visits = list[float](), 0

    async def run() -> None:
        nonlocal periods, visits
        periods, visits = await use(server, SOAK_SECONDS)

    with Running(tmp_path) as server:
        server.visit(run())
        server.terminate()
        assert server.ended() == 0
    print(f"{visits:,} visits")  # noqa: T201 - figures
    assert visits > SOAK_SECONDS / 10
    # Caches fill in the first half hour, so memory grows more in a shorter run.
    max_growth = MAX_GROWTH * max(1.0, 3_600 / SOAK_SECONDS)
    assert periods[-1] < periods[PERIODS // 2 - 1] * (1 + max_growth)
