"""The servers under test, each in its own process, and the load clients."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

PROGRAMS = Path(__file__).parent / "boardgame"
INSTALLED = Path(sys.prefix) / "boardgame"
"""Where boardgame.io and the client's WebSocket library are installed; removed by `make clean`."""
PACKAGES = ("boardgame.io@0.50", "ws@8")
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
PATIENCE = 60.0
"""Seconds to wait for a server to start or stop."""


def without_node() -> str:
    """Install the client and boardgame.io if necessary; return why that is impossible, or an empty string."""
    npm = shutil.which("npm")
    if not (npm and shutil.which("node")):
        return "the load client and boardgame.io need Node and npm, which are not installed"
    if all((INSTALLED / "node_modules" / package.split("@")[0] / "package.json").exists() for package in PACKAGES):
        return ""
    INSTALLED.mkdir(exist_ok=True)
    (INSTALLED / "package.json").write_text('{"private": true}\n')
    command = [npm, "install", "--no-audit", "--no-fund", "--no-save", "--no-package-lock", *PACKAGES]
    done = subprocess.run(command, cwd=INSTALLED, capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"npm install {' '.join(PACKAGES)} failed: {done.stderr.strip()[-300:]}"


def free_port() -> int:
    """Return a free port below the ephemeral range."""
    while True:
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("", Random().randrange(15_000, 30_000)))
            return int(tried.getsockname()[1])


def answers(port: int, path: str) -> bool:
    """Return whether the server responds to `path` with status 200."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        connection.request("GET", path)
        return connection.getresponse().status == http.client.OK
    except ConnectionError:
        return False
    finally:
        connection.close()


@contextlib.contextmanager
def running(command: Sequence[str], port: int, path: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server, wait until it responds on `path`, and stop it at the end."""
    with (folder / f"server-{port}.log").open("wb") as log:
        environment = ENVIRONMENT | {"NODE_ENV": "production"}
        server = subprocess.Popen(command, cwd=INSTALLED, env=environment, stdout=log, stderr=log)
        try:
            wait_for(server, port, path, Path(log.name))
            yield server
        finally:
            server.terminate()
            try:
                server.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def wait_for(server: subprocess.Popen[bytes], port: int, path: str, log: Path) -> None:
    """Wait until the server responds to `path` with status 200; exit if it stops or takes too long."""
    until = time.monotonic() + PATIENCE
    while not answers(port, path):
        if server.poll() is not None or time.monotonic() > until:
            raise SystemExit(f"the server did not respond on {path}; its log: {log.read_text()[-1000:]}")
        time.sleep(0.001)


def our_command(port: int, folder: Path, database: str = "", workers: int = 1) -> list[str]:
    """Return the `numberline web` command, with a new SQLite file unless `database` is given."""
    kept = database or str(folder / f"bench-{port}.db")
    command = [sys.executable, "-m", "numberline", "web", "--port", str(port), "--no-browser", "--db", kept]
    return [*command, *(("--workers", str(workers)) if workers > 1 else ())]


@contextlib.contextmanager
def ours(folder: Path, database: str = "", workers: int = 1) -> Iterator[tuple[int, subprocess.Popen[bytes]]]:
    """Start `numberline web`; yield its port and its process."""
    INSTALLED.mkdir(exist_ok=True)
    port = free_port()
    with running(our_command(port, folder, database, workers), port, "/readyz", folder) as server:
        yield port, server


@contextlib.contextmanager
def theirs(folder: Path, end: int) -> Iterator[tuple[int, int, subprocess.Popen[bytes]]]:
    """Start boardgame.io's server; yield its game port, its lobby port and its process."""
    port, lobby = free_port(), free_port()
    command = ["node", str(PROGRAMS / "server.cjs"), str(port), str(lobby), str(end)]
    with running(command, lobby, "/games", folder) as server:
        yield port, lobby, server


def load(**order: Any) -> dict[str, Any]:
    """Run the client that plays many games and return its measurements."""
    return _measured("load.cjs", order)


def watch(**order: Any) -> dict[str, Any]:
    """Run the client that watches one match through many sockets and return its measurements."""
    return _measured("watch.cjs", order)


def _measured(program: str, order: dict[str, Any]) -> dict[str, Any]:
    command = ["node", str(PROGRAMS / program), json.dumps(order)]
    done = subprocess.run(command, cwd=INSTALLED, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"the client failed with {json.dumps(order)}: {done.stderr.strip()[-1000:]}")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


@contextlib.contextmanager
def holding(**order: Any) -> Iterator[dict[str, Any]]:
    """Start a client that opens games and keeps them open until the context ends; yield its measurements."""
    command = ["node", str(PROGRAMS / "load.cjs"), json.dumps(order)]
    with subprocess.Popen(command, cwd=INSTALLED, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as client:
        assert client.stdout is not None  # noqa: S101 - it is a pipe
        said = client.stdout.readline()
        if not said:
            raise SystemExit("the client that keeps the games open failed")
        yield json.loads(said)
        client.communicate()


def kilobytes(pid: int) -> int:
    """Return the resident memory of a process and its descendants in KB (Linux only)."""
    status = Path(f"/proc/{pid}/status").read_text()
    own = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(kilobytes(int(child)) for child in children)
