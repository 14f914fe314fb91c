from __future__ import annotations

import asyncio
import json
import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from numberline.web.ops import logging as server_logging
from numberline.web.ops.logging import configure_logging, log_event, log_event_throttled
from support.web_server import Site, receive_frame, send_frame

ANN, BOB = "Rumpelstilz", "Zwergnase"
TYPED = ("Sesamöffnedich", "hunter2-hunter2-hunter2")
KEYS = {"at", "level", "event", "by", "process", "sentence", "error", "place", "version", "batches", "events"}


@pytest.fixture
def _own_logbook(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Leaves everything that is noted elsewhere as it was."""
    root, ours = logging.getLogger(), logging.getLogger(server_logging.LOGGER_NAME)
    before = (list(root.handlers), root.level, ours.level, threading.excepthook)
    monkeypatch.setattr(root, "handlers", [])
    quiet = logging.getLogger("asyncio")  # other packages turn it down or off
    for name, value in (("level", logging.NOTSET), ("disabled", False), ("propagate", True), ("_cache", {})):
        monkeypatch.setattr(quiet, name, value)
    monkeypatch.setattr(logging, "raiseExceptions", False)
    monkeypatch.setattr(server_logging, "_THROTTLED", {})
    yield
    root.handlers[:], threading.excepthook = before[0], before[3]
    root.setLevel(before[1])
    ours.setLevel(before[2])


async def visit(site: Site) -> list[str]:
    """All that happens to a server on one day; everything that must not be noted of it comes back."""
    made = await site.match({"name": ANN}, None)
    match, token, invite = made["match"], made["token"], made["invites"][0]["url"].rpartition("#")[2]
    secrets = [match, token, invite]
    joined = await site.client.post(f"/api/matches/{match}/seats", json={"invite": invite, "name": BOB})
    secrets.append(joined.json()["token"])
    await site.client.post(f"/api/matches/{match}/seats", json={"invite": invite, "name": "Nobody"})
    await site.client.post(f"/api/matches/{match}/seats", json={"invite": TYPED[1], "name": TYPED[0] * 9})
    async with site.socket(match) as line:
        for hostile in (f'{{"kind": "{TYPED[0]}"', TYPED[0], "[" * 4000, json.dumps({"kind": "hello", "token": 1})):
            await line.send(hostile)
            await receive_frame(line, "error")
        await send_frame(line, kind="hello", token=token, since=0)
        table = await receive_frame(line, "table")
        for move, request in ((TYPED[0], "a"), (table["position"]["choices"][0]["move"], "b")):
            await send_frame(line, kind="move", request=f"{TYPED[1]}{request}", seq=table["seq"], move=move)
        await receive_frame(line, "ack")
        for request in ("c", "d"):  # the first meets a mistake, where there is one
            await send_frame(line, kind="offer", request=request, seq=table["seq"] + 1, what="takeback")
        await receive_frame(line, "ack")
    alone = await site.match({"name": ANN}, {"bot": "random"}, clock={"seconds": 1, "increment": 0})
    secrets += [alone["match"], alone["token"]]
    for path in (f"/play/{match}#{invite}", f"/api/matches/{match}", f"/api/matches/{match}/record", f"/{TYPED[0]}"):
        await site.client.get(path, headers={"authorization": f"Bearer {token}", "referer": TYPED[1]})
    await site.client.post("/api/review", json={"record": f"{TYPED[0]} " * 99})
    await site.client.post("/api/books", json={"source": f"title = '{TYPED[0]}'"})
    await site.client.post("/api/matches", content=f'{{"variant": "{TYPED[0]}'.encode())
    await site.client.post("/api/matches", json={}, headers={"origin": f"https://{TYPED[1]}.example"})
    for host in (TYPED[1], "a b", "[::1"):
        await site.client.get("/", headers={"host": host})
    await site.client.delete(f"/api/matches/{match}", headers={"authorization": f"Bearer {TYPED[1]}"})
    gone = await site.client.delete(f"/api/matches/{match}", headers={"authorization": f"Bearer {token}"})
    assert gone.status_code < 300
    async with site.socket(match) as line:
        await send_frame(line, kind="hello", since=0)
        await receive_frame(line, "error")
    return [ANN, BOB, *TYPED, *secrets]


@pytest.mark.parametrize("kind", ["json", "plain"])
def test_log_contains_no_personal_data(tmp_path: Path, kind: str) -> None:
    program = "import sys; from numberline.web.rooms import service; " + FAILING if kind == "json" else ""
    start = f"{program}\nfrom numberline.cli import main\nmain()"
    options = ["web", "--port", "0", "--no-browser", "--log", kind, "--db", "games.db"]
    server = subprocess.Popen(
        [sys.executable, "-c", start, *options],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout
        site = Site(int(server.stdout.readline().split("/  ")[0].rpartition(":")[2]))

        async def run() -> list[str]:
            async with site.client:
                return await visit(site)

        secrets = asyncio.run(run())
        server.send_signal(signal.SIGTERM)
        out, errors = server.communicate(timeout=30)
    finally:
        server.kill()
        server.communicate()
    assert [secret for secret in secrets if secret.lower() in f"{out}{errors}".lower()] == []
    if kind == "plain":
        assert errors == ""
        return
    lines = [json.loads(line) for line in errors.splitlines()]
    assert [line["event"] for line in lines] == ["opened", "noted", "closed"]
    assert [line.keys() - KEYS for line in lines] == [set()] * 3
    assert lines[1]["error"] == "KeyError"


FAILING = f"""
act = service.MatchService._act
async def failing(self, live, you, message):
    if message.kind == "offer" and not hasattr(self, "failed"):
        self.failed = True
        raise KeyError(live.state.row.id, "{ANN}", message)
    return await act(self, live, you, message)
service.MatchService._act = failing
"""
"""A mistake of ours, with everything in it that must not be noted."""


@pytest.mark.usefixtures("_own_logbook")
def test_error_is_logged_with_type_and_place_only(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("json")
    try:
        int(ANN)
    except ValueError:
        logging.getLogger("asyncio").exception("Task %r failed", ANN)
    line = json.loads(capsys.readouterr().err)
    assert (line["by"], line["error"], line["place"].partition(":")[0]) == ("asyncio", "ValueError", "test_logging.py")
    assert ANN not in str(line)


@pytest.mark.usefixtures("_own_logbook")
def test_failed_thread_is_logged_without_its_data(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("plain")

    def fall() -> None:
        raise KeyError(ANN)

    thread = threading.Thread(target=fall)
    thread.start()
    thread.join()
    said = capsys.readouterr().err
    assert said.startswith("a thread crashed (KeyError at test_logging.py:")
    assert said.count("\n") == 1


@pytest.mark.usefixtures("_own_logbook")
def test_plain_log_lines_are_sentences_with_numbers(capsys: pytest.CaptureFixture[str]) -> None:
    configure_logging("plain")
    log_event("forgotten", "matches were deleted", matches=3)
    log_event("cannot_save", "a database operation failed", level=logging.ERROR, state="disk full")
    assert capsys.readouterr().err == "a database operation failed (state disk full)\n"


@pytest.mark.usefixtures("_own_logbook")
def test_throttled_event_is_logged_once_per_second(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure_logging("json")
    now = [5.0]
    monkeypatch.setattr("numberline.web.ops.logging.time.monotonic", lambda: now[0])
    for _ in range(1000):
        log_event_throttled("cannot_save", "a database operation failed")
    now[0] += 2
    log_event_throttled("cannot_save", "a database operation failed")
    lines: list[dict[str, Any]] = [json.loads(line) for line in capsys.readouterr().err.splitlines()]
    assert [line.get("before") for line in lines] == [None, 999]
