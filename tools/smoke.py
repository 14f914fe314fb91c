"""Smoke test of an installation: every command on a real book, and one game over HTTP, NDJSON and WebSocket."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from importlib.metadata import distributions
from pathlib import Path

ROOT = Path(__file__).parents[1]
TIMEOUT_S = 120
GAME = "3\n2\n2\n"
COMMANDS = {
    "play flag-chase --record game.txt": GAME,
    "replay game.txt": "",
    "review game.txt --html review.html --plot review.svg": "",
    "games": "",
    "progress": "",
    "resume": "",
    "books --json": "",
    "rules line-runner(end=30)": "",
    "check BOOK": "",
    "solve line-runner --json": "",
    "solve reach-the-edge --plot values.svg": "",
    "measure number-reach": "",
    "map flag-chase end=8..12 --csv map.csv": "",
    "find number-reach --top 3": "",
    "export flag-chase --out rows.csv": "",
    "export flag-chase --format parquet --out rows.parquet": "",
    "arena perfect random --books flag-chase --games 4 --workers 2": "",
    "print flag-chase": "",
    "ladder flag-chase 2": "quit\n",
    "puzzle flag-chase": "quit\n",
    "learn flag-chase": "quit\n",
    "config": "",
    "engine": "numberline\nquit\n",
    "mcp": "",
    "help solve": "",
    "": "quit\n",
}


def run(command: str, typed: str, folder: Path) -> str:
    """Run a command and return its error, or an empty string if it succeeds."""
    arguments = command.replace("BOOK", str(ROOT / "docs" / "example-book.toml")).split()
    done = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "numberline", *arguments],
        input=typed,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        cwd=folder,
        env=os.environ | {f"XDG_{kind}_HOME": str(folder / kind) for kind in ("DATA", "CONFIG", "CACHE", "STATE")},
        check=False,
    )
    crashed = "Traceback" in done.stderr or "nternal error" in done.stderr
    expected = {0, 1, 3} if typed or command == "resume" else {0}
    return (
        "" if done.returncode in expected and not crashed else f"exit {done.returncode}: {done.stderr.strip()[-300:]}"
    )


def play_on_server(folder: Path) -> str:
    """Start a server and let a bot play a match on it; return the error, or an empty string if it succeeds."""
    command = [sys.executable, "-m", "numberline", "web", "--port", "0", "--db", str(folder / "matches.db")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own program
        try:
            assert server.stdout
            printed = next(line for line in server.stdout if "http://" in line)
            site = re.findall(r"http://[^\s/]+", printed)[0]
            order = {"variant": "flag-chase", "seats": [None, {"bot": "level:3"}]}
            request = urllib.request.Request(  # noqa: S310 - our own server
                f"{site}/api/matches", json.dumps(order).encode(), {"Content-Type": "application/json"}
            )
            with urllib.request.urlopen(request, timeout=TIMEOUT_S) as answer:  # noqa: S310 - the same
                made = answer.read().decode()
            link = re.findall(r'"url":\s*"([^"]+)"', made)[0]
            from websockets.sync.client import connect

            identifier = link.partition("/play/")[2].partition("#")[0]
            with connect(f"{site.replace('http', 'ws')}/api/matches/{identifier}/socket", origin=site) as socket:
                socket.send('{"kind": "hello"}')
                if json.loads(socket.recv(timeout=TIMEOUT_S))["kind"] != "table":
                    return "the WebSocket did not send the match"
            bot = [sys.executable, str(ROOT / "examples" / "web_bot.py"), link]
            played = subprocess.run(bot, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)  # noqa: S603
            return "" if played.returncode == 0 else played.stderr[-300:]
        finally:
            server.terminate()


def main() -> int:
    installed = sorted(f"{found.name} {found.version}" for found in distributions())
    sys.stdout.write(f"Python {sys.version.split()[0]}; {', '.join(installed)}\n")
    failures = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for command, typed in COMMANDS.items():
            problem = run(command, typed, folder)
            failures += bool(problem)
            sys.stdout.write(f"numberline {command}: {problem or 'ok'}\n")
        problem = play_on_server(folder)
        failures += bool(problem)
        sys.stdout.write(f"a game on the web server: {problem or 'ok'}\n")
    sys.stdout.write(f"{len(COMMANDS) + 1 - failures} passed, {failures} failed\n")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
