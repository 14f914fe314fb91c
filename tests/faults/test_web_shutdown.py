"""The web server exits in time with its database closed, and leaves no process behind, whatever it is doing."""

from __future__ import annotations

import asyncio
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from faults.test_shutdown import is_there, waited_for
from numberline.web.ops.config import bind_socket
from numberline.web.ops.http_connection import HttpConnection
from numberline.web.ops.websocket_connection import WebSocketConnection
from numberline.web.server import create_server
from numberline.web.store.store import Store
from support.failing_disk import PATIENCE, Running
from support.web_players import answered
from support.web_server import opened_site, receive_frame, send_frame, setup_in

STUCK = """
import sys, time
from numberline.cli import main
from numberline.web import server
from numberline.web.store.store import Store

def find(self, match):
    sys.stderr.write("stuck")
    sys.stderr.flush()
    time.sleep(1000)

Store.find = find
server.SHUTDOWN_TIMEOUT_S = server.EXIT_TIMEOUT_S = 0.3
sys.argv = ["numberline", "web", "--port", "0", "--no-browser", "--db", sys.argv[1]]
main()
"""
"""A server whose disk never answers."""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the child processes")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_search_processes_end_with_the_server(tmp_path: Path, how: signal.Signals) -> None:
    with Running(tmp_path) as server:
        threads = Path(f"/proc/{server.process.pid}/task")

        def children() -> list[int]:
            return [int(pid) for listed in threads.glob("*/children") for pid in listed.read_text().split()]

        async def search() -> None:
            """Let the bot search until its process has started, and once more."""
            order = {"variant": "line-runner(end=2000)", "seats": [{"name": "Ann"}, {"bot": "mcts:2000"}], "first": 2}
            made = await answered(server.http.post("/api/matches", json=order))
            path = f"matches/{made['match']}"
            token = {"Authorization": f"Bearer {made['token']}"}
            async with asyncio.timeout(PATIENCE):
                started = False
                while not started:
                    while (table := await answered(server.http.get(f"/api/{path}")))["position"]["turn"] != 1:  # noqa: ASYNC110 - another process moves
                        await asyncio.sleep(0.1)
                    started = len(children()) > 1  # one of them only tracks resources
                    move = {"move": "3", "request": f"r{table['seq']}", "seq": table["seq"]}
                    await answered(server.http.post(f"/api/bot/{path}/move", json=move, headers=token))

        server.visit(search())
        started = children()
        server.process.send_signal(how)
        assert server.ended() == (0 if how == signal.SIGTERM else -how)
        assert waited_for(lambda: not any(map(is_there, started)))


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_server_exits_though_a_thread_is_stuck(tmp_path: Path, how: signal.Signals, code: int) -> None:
    command = [sys.executable, "-c", STUCK, str(tmp_path / "games.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        assert server.stdout
        assert server.stderr
        port = int(server.stdout.readline().partition("127.0.0.1:")[2].partition("/")[0])
        with socket.create_connection(("127.0.0.1", port)) as client:
            client.sendall(b"GET /api/matches/any HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert server.stderr.read(5) == "stuck"
            server.send_signal(how)
            assert server.wait(PATIENCE) == code


def test_database_is_closed_though_a_connection_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: HttpConnection) -> None:
        raise RuntimeError

    async def run() -> None:
        listener = bind_socket("127.0.0.1", 0)
        server = create_server(setup_in(tmp_path))
        serving = asyncio.create_task(server.serve([listener]))
        async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{listener.getsockname()[1]}") as client:
            assert (await client.get("/readyz")).status_code == httpx.codes.OK
            server.should_exit = True
            with pytest.raises(RuntimeError):
                await serving

    monkeypatch.setattr(HttpConnection, "shutdown", fail)
    asyncio.run(run())
    Store(str(tmp_path / "games.db")).close()  # it would still be in use


def test_server_stops_while_a_socket_is_closing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    connections: list[WebSocketConnection] = []
    connect = WebSocketConnection.connection_made

    def connection_made(self: WebSocketConnection, transport: asyncio.BaseTransport) -> None:
        connections.append(self)
        connect(self, transport)

    async def run() -> None:
        async with opened_site(tmp_path) as site:
            made = await site.match({"name": "Ann"}, {"name": "Bob"})
            line = await site.socket(made["match"])
            await send_frame(line, kind="hello")
            await receive_frame(line, "table")
            connections[0].conn.send_close(1000)
        line.transport.abort()

    monkeypatch.setattr(WebSocketConnection, "connection_made", connection_made)
    asyncio.run(run())
    assert [connection.raw_transport.is_closing() for connection in connections] == [True]
