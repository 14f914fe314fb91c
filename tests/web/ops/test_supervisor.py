from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import pytest
import websockets
from websockets.sync.client import connect

from numberline.web.store.store import Store
from support.commands import numberline
from support.postgres_server import empty_database

pytestmark = pytest.mark.postgres


@pytest.fixture
def address() -> str:
    return empty_database()


@contextmanager
def started(address: str, *options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """A running server of two processes, and its port."""
    command = [sys.executable, "-m", "numberline", "web", "--port", "0", "--no-browser", "--workers", "2"]
    server = subprocess.Popen(
        [*command, "--db", address, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        assert server.stdout
        found = re.search(r":(\d+)/", line := server.stdout.readline())
        assert found, line
        yield server, int(found[1])
    finally:
        if server.poll() is None:
            server.terminate()
            server.communicate()


def workers_of(server: subprocess.Popen[str]) -> list[int]:
    """The processes that answer."""
    children = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text().split()
    return [int(child) for child in children if "spawn_main" in Path(f"/proc/{child}/cmdline").read_text()]


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the processes are found as Linux shows them")


def ended(server: subprocess.Popen[str], number: signal.Signals) -> tuple[int, str]:
    """The exit code after a signal, and what was said of errors."""
    os.killpg(server.pid, number)  # as a terminal or systemd does: all of them hear it
    _, errors = server.communicate(timeout=60)
    return server.returncode, errors


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_workers_say_goodbye_and_exit_silently(address: str, number: signal.Signals, code: int) -> None:
    with started(address) as (server, port):
        order = {"variant": "flag-chase", "seats": [{"name": "Ann"}, {"name": "Bob"}]}
        match = httpx.post(f"http://127.0.0.1:{port}/api/matches", json=order, timeout=30).json()["match"]
        with connect(f"ws://127.0.0.1:{port}/api/matches/{match}/socket") as line:
            line.send(json.dumps({"kind": "hello", "since": 0}))
            assert [json.loads(line.recv(20))["kind"] for _ in range(2)] == ["table", "presence"]
            assert ended(server, number) == (code, "\n" if code else "")
            assert json.loads(line.recv(20))["kind"] == "goodbye"


def test_workers_on_sqlite_are_rejected(tmp_path: Path) -> None:
    ran = numberline("web", "--port", "0", "--no-browser", "--workers", "2", "--db", str(tmp_path / "games.db"))
    assert ran.code == 1
    assert re.fullmatch(r"Error: .*--workers 2.*PostgreSQL.*--db postgresql://.*\n", ran.err)
    assert list(tmp_path.iterdir()) == []


def test_workers_report_an_unreachable_database_once() -> None:
    where = "postgresql://me:secret@127.0.0.1:1/games"
    ran = numberline("web", "--port", "0", "--no-browser", "--workers", "2", "--db", where)
    assert ran.code == 1
    assert re.fullmatch(r"Error: cannot use the database games at 127\.0\.0\.1:1 \(connection refused\).*\n", ran.err)
    assert "secret" not in ran.err


class Client:
    """A client with both seats of a match that reconnects and plays on."""

    def __init__(self, port: int, names: Iterator[int]) -> None:
        self.port = port
        self.names = names
        self.acknowledged: dict[str, tuple[str, int]] = {}
        """Each request that was acknowledged, with its match and number."""
        self.cuts = 0

    async def play(self, client: httpx.AsyncClient, going: Callable[[], bool]) -> None:
        """Plays one match after the other as long as it is going, each to its end."""
        while going():
            seats = [{"name": "Ann"}, {"name": "Bob"}]
            try:
                made = (await client.post("/api/matches", json={"variant": "flag-chase", "seats": seats})).json()
                await self._play(made["match"], made["token"])
            except httpx.TransportError:
                self.cuts += 1

    async def _play(self, match: str, token: str) -> None:
        waiting: dict[str, Any] = {}
        shown: dict[str, Any] = {"seq": -1}
        done = 0
        over = False
        while not over:
            try:
                async with websockets.connect(f"ws://127.0.0.1:{self.port}/api/matches/{match}/socket") as line:
                    await line.send(json.dumps({"kind": "hello", "token": token, "since": 0}))
                    if waiting:
                        await line.send(json.dumps(waiting))
                    while not over:
                        frame = json.loads(await asyncio.wait_for(line.recv(), 20))
                        if frame["kind"] in {"table", "event"}:
                            shown = frame
                        elif frame["kind"] == "ack":
                            self.acknowledged[frame["request"]] = (match, frame["seq"])
                            waiting, done = {}, frame["seq"]
                        if (
                            waiting or shown["seq"] < done
                        ):  # events stored before the connection broke are not sent again
                            continue
                        outcome = shown["match"]["outcome"] if shown["kind"] == "table" else shown["outcome"]
                        over = outcome is not None
                        if not over:
                            move = next(each["move"] for each in shown["position"]["choices"] if each["legal"])
                            waiting = {
                                "kind": "move",
                                "request": f"r{next(self.names)}",
                                "seq": shown["seq"],
                                "move": move,
                            }
                            await line.send(json.dumps(waiting))
            except (OSError, websockets.WebSocketException):
                self.cuts += 1
                await asyncio.sleep(0.05)


async def killed_under_load(address: str, clients: int, kills: int) -> int:
    """How many moves were acknowledged while processes were killed; none is missing, and no match stands still."""
    with started(address) as (server, port):
        names = count()
        players = [Client(port, names) for _ in range(clients)]
        killed: set[int] = set()

        def acknowledged_count() -> int:
            return sum(len(player.acknowledged) for player in players)

        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            playing = asyncio.gather(*(player.play(client, lambda: 0 not in killed) for player in players))
            while len(killed) < kills or not sum(player.cuts for player in players):
                more = acknowledged_count() + 5 * clients
                while acknowledged_count() < more or len(set(workers_of(server)) - killed) < 2:
                    assert not playing.done(), playing
                    await asyncio.sleep(0.02)
                victim = next(each for each in workers_of(server) if each not in killed)
                os.kill(victim, signal.SIGKILL)
                killed.add(victim)
            more = acknowledged_count() + 5 * clients
            while acknowledged_count() < more or len(set(workers_of(server)) - killed) < 2:
                assert not playing.done(), playing
                await asyncio.sleep(0.02)
            killed.add(0)
            await playing
        server.terminate()
        _, errors = server.communicate(timeout=60)
        assert (server.returncode, errors) == (0, "")
    acknowledged = {key: kept for player in players for key, kept in player.acknowledged.items()}
    with closing(Store(address)) as store:
        for match in {match for match, _ in acknowledged.values()}:
            events = store.events_since(match, 0)
            assert [event.seq for event in events] == list(range(1, len(events) + 1))
            stored = {event.request.partition(":")[2]: (match, event.seq) for event in events}
            own = {key: kept for key, kept in acknowledged.items() if kept[0] == match}
            assert own.items() <= stored.items()
    return len(acknowledged)


@on_linux
def test_clients_of_a_killed_worker_continue_with_nothing_lost(address: str) -> None:
    assert asyncio.run(killed_under_load(address, clients=6, kills=1)) >= 30


@on_linux
@pytest.mark.soak
def test_nothing_is_lost_by_twenty_killed_workers(address: str) -> None:
    assert asyncio.run(killed_under_load(address, clients=40, kills=20)) >= 1000
