"""The bot API: a program follows a match line by line, and plays by plain requests."""

from __future__ import annotations

import asyncio
import atexit
import json
import os
import re
import socket as network
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Container, Sequence
from contextlib import asynccontextmanager, suppress
from functools import cache
from itertools import count
from pathlib import Path
from shutil import rmtree, which
from tempfile import mkdtemp
from typing import Any

import httpx
import pytest

from numberline.web.protocol import events
from numberline.web.protocol.errors import HTTP_STATUS
from numberline.web.protocol.events import Frame
from numberline.web.protocol.messages import MESSAGE_KINDS
from numberline.web.routes import matches as match_module
from numberline.web.routes.matches import MAX_UNREAD_LINES, NdjsonSubscriber
from support.web_server import BROWSER, Site, opened_site, receive_frame, send_frame, visited, watcher_leaves

ROOT = Path(__file__).parents[3]
ANN, BOB = {"name": "Ann"}, {"name": "Bob"}
BOTS = {"python": [sys.executable, "examples/web_bot.py"], "shell": ["sh", "examples/web_bot.sh"]}

REFUSED: list[tuple[str, int, dict[str, str], int, str]] = [
    ("move", 0, {"move": "9"}, 422, "illegal_move"),
    ("move", 0, {"move": "?"}, 422, "unreadable_move"),
    ("move", 5, {"move": "3"}, 409, "stale"),
    ("move", -1, {"move": "3"}, 400, "bad_message"),
    ("offer", 0, {}, 400, "bad_message"),
    ("resign", 0, {"move": "3"}, 400, "bad_message"),
    ("ask", 0, {"what": "hint"}, 400, "bad_message"),
    ("next", 0, {}, 403, "not_allowed"),
]
"""Actions at the start of a game, and the errors they get."""


def at_a_site(folder: Path, play: Callable[[Site], Awaitable[None]]) -> None:
    async def run() -> None:
        async with opened_site(folder) as site:
            await play(site)

    asyncio.run(run())


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


@asynccontextmanager
async def following(site: Site, match: str, token: str = "") -> AsyncIterator[AsyncIterator[str]]:
    """Stream the lines of a match."""
    path, headers = f"/api/bot/matches/{match}", bearer(token) if token else {}
    async with site.client.stream("GET", path, headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("application/x-ndjson")
        yield answer.aiter_lines()


async def line(lines: AsyncIterator[str]) -> dict[str, Any]:
    """Return the next line that is not blank."""
    while not (text := await asyncio.wait_for(anext(lines), 20)):
        pass
    frame: dict[str, Any] = json.loads(text)
    return frame


async def asked(
    site: Site, made: dict[str, Any], kind: str, seq: int, request: str = "r", **more: str
) -> httpx.Response:
    """Send an action of the first player."""
    path = f"/api/bot/matches/{made['match']}/{kind if kind == 'move' else 'act'}"
    body = {"seq": seq, "request": request, **more} | ({} if kind == "move" else {"kind": kind})
    return await site.client.post(path, json=body, headers=bearer(made["token"]))


def test_stream_sends_snapshot_then_moves(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with following(site, made["match"], made["token"]) as lines:
            table = await line(lines)
            assert (table["kind"], table["you"], table["seq"]) == ("table", [1, 2], 0)
            assert (await asked(site, made, "move", 0, move="3")).json() == {"seq": 1}
            event = await line(lines)
            assert (event["kind"], event["what"], event["seq"]) == ("event", "3", 1)

    at_a_site(tmp_path, play)


def test_stream_without_token_is_a_watcher(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with following(site, made["match"]) as lines:
            assert (await line(lines))["you"] == []
            await asked(site, made, "move", 0, move="3")
            assert (await line(lines))["what"] == "3"

    at_a_site(tmp_path, play)


def test_stream_counts_as_presence_until_closed(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with site.socket(made["match"]) as other:
            await send_frame(other, kind="hello")
            async with following(site, made["match"], made["token"]) as lines:
                await line(lines)
                while not (await receive_frame(other, "presence"))["seats"][0]:
                    pass
            while (await receive_frame(other, "presence"))["seats"][0]:
                pass

    at_a_site(tmp_path, play)


def test_repeated_move_request_is_played_once(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        answers = [await asked(site, made, "move", 0, "same", move="3") for _ in range(3)]
        assert [(each.status_code, each.json()) for each in answers] == [(200, {"seq": 1})] * 3
        assert len((await site.client.get(f"/api/matches/{made['match']}")).json()["match"]["log"]) == 1

    at_a_site(tmp_path, play)


def test_rejected_action_has_code_and_sentence(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        for kind, seq, more, status, code in REFUSED:
            answer = await asked(site, made, kind, seq, **more)
            assert (answer.status_code, answer.json()["code"]) == (status, code)
            assert answer.json()["sentence"].endswith(".")

    at_a_site(tmp_path, play)


def test_stale_action_sends_a_fresh_snapshot(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with following(site, made["match"], made["token"]) as lines:
            await line(lines)
            await asked(site, made, "move", 7, move="3")
            assert (await line(lines))["kind"] == "table"

    at_a_site(tmp_path, play)


def test_action_requires_the_token_of_a_seat(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        body = {"move": "3", "seq": 0, "request": "r"}
        path = f"/api/bot/matches/{made['match']}/move"
        assert (await site.client.post(path, json=body)).json()["code"] == "no_token"
        answer = await site.client.post(path, json=body, headers=bearer("stranger" * 4))
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")

    at_a_site(tmp_path, play)


def test_action_from_another_origin_is_rejected(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        headers = bearer(made["token"]) | {"Origin": "http://elsewhere.example"}
        body = {"move": "3", "seq": 0, "request": "r"}
        answer = await site.client.post(f"/api/bot/matches/{made['match']}/move", json=body, headers=headers)
        assert answer.json()["code"] == "wrong_origin"

    at_a_site(tmp_path, play)


def test_stream_of_unknown_match_is_not_found(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        answer = await site.client.get("/api/bot/matches/nothing")
        assert (answer.status_code, answer.json()["code"]) == (404, "not_found")

    at_a_site(tmp_path, play)


def test_stream_rejects_head_requests(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        assert (await site.client.head(f"/api/bot/matches/{made['match']}")).status_code == 405

    at_a_site(tmp_path, play)


def test_offers_and_rematch_over_the_bot_api(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, None, assist="off")
        invite = made["invites"][0]["url"].partition("#")[2]
        path = f"/api/matches/{made['match']}/seats"
        other = {**made, **(await site.client.post(path, json={"invite": invite, "name": "Bob"})).json()}
        async with following(site, made["match"], other["token"]) as lines:
            seq = (await line(lines))["seq"]
            assert (await asked(site, made, "move", seq, "1", move="1")).status_code == 200
            assert (await asked(site, made, "offer", seq + 1, "2", what="takeback")).status_code == 200
            assert (await line(lines))["kind"] == "event"
            assert (await line(lines))["match"]["offers"] == [{"what": "takeback", "seat": 1}]
            assert (await asked(site, other, "accept", seq + 2, "3", what="takeback")).status_code == 200
            assert (await line(lines))["match"]["log"] == []
            assert (await asked(site, made, "resign", seq + 3, "4")).status_code == 200
            assert (await line(lines))["match"]["outcome"]["winner"] == 2
            assert (await asked(site, made, "offer", seq + 4, "5", what="rematch")).status_code == 200
            assert (await line(lines))["match"]["offers"] == [{"what": "rematch", "seat": 1}]
            assert (await asked(site, other, "accept", seq + 5, "6", what="rematch")).status_code == 200
            new = (await line(lines))["match"]["rematch"]
            assert (await line(lines))["kind"] == "goodbye"
        async with following(site, new, other["token"]) as lines:
            assert (await line(lines))["you"] == [2]

    at_a_site(tmp_path, play)


def test_stream_sends_blank_keepalive_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "KEEPALIVE_INTERVAL_S", 0.01)

    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with following(site, made["match"]) as lines:
            assert [bool(await anext(lines)) for _ in range(4)] == [True, False, False, False]

    at_a_site(tmp_path, play)


def test_stream_ends_some_time_after_the_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_module, "KEEPALIVE_INTERVAL_S", 0.01)

    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        await asked(site, made, "resign", 0)
        async with following(site, made["match"]) as lines:
            ended = [json.loads(text)["kind"] async for text in lines if text]
            assert ended == ["table", "goodbye"]

    at_a_site(tmp_path, play)


def test_stream_of_deleted_match_ends_with_goodbye(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        async with following(site, made["match"]) as lines:
            await line(lines)
            await site.client.delete(f"/api/matches/{made['match']}", headers=bearer(made["token"]))
            assert [json.loads(text)["kind"] async for text in lines if text] == ["goodbye"]

    at_a_site(tmp_path, play)


def test_server_shutdown_ends_stream_with_goodbye(tmp_path: Path) -> None:
    async def run() -> list[str]:
        async with opened_site(tmp_path) as site:
            made = await site.match(ANN, BOB)
            client = httpx.AsyncClient(base_url=site.url, timeout=20)
            answer = await client.send(client.build_request("GET", f"/api/bot/matches/{made['match']}"), stream=True)
        kinds = [json.loads(text)["kind"] async for text in answer.aiter_lines() if text]
        await client.aclose()
        return kinds

    assert asyncio.run(run()) == ["table", "goodbye"]


def test_ndjson_queue_overflow_aborts_connection() -> None:
    async def run() -> list[str]:
        cuts: list[str] = []
        reader = NdjsonSubscriber(lambda: cuts.append("cut"))
        for _ in range(MAX_UNREAD_LINES):
            reader.send(Frame("event", b"{}"))
        assert cuts == []
        reader.send(Frame("presence", b"{}"))
        assert cuts == []
        reader.send(Frame("event", b"{}"))
        return cuts

    assert asyncio.run(run()) == ["cut"]


def test_stalled_stream_reader_is_disconnected(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(ANN, BOB)
        with network.socket() as deaf:
            deaf.setsockopt(network.SOL_SOCKET, network.SO_RCVBUF, 2048)
            await asyncio.to_thread(deaf.connect, ("127.0.0.1", site.port))
            deaf.sendall(f"GET /api/bot/matches/{made['match']} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
            assert await watcher_leaves(site, made)

    at_a_site(tmp_path, play)


def test_claim_gives_programs_but_not_pages_a_token(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(None, None)
        keys = [each["url"].partition("#")[2] for each in made["invites"]]
        path = f"/api/matches/{made['match']}/seats"
        program = await site.client.post(path, json={"invite": keys[0]})
        page = await site.client.post(path, json={"invite": keys[1]}, headers=BROWSER)
        assert (program.json()["seat"], len(program.json()["token"])) == (1, 43)
        assert page.json() == {"seat": 2, "token": None}

    at_a_site(tmp_path, play)


@cache
def hurry() -> dict[str, str]:
    """Return an environment in which programs and shells sleep for an instant instead of seconds."""
    folder = Path(mkdtemp(prefix="numberline-hurry-"))
    atexit.register(rmtree, folder)
    (folder / "sitecustomize.py").write_text("import time\nnap = time.sleep\ntime.sleep = lambda _: nap(0.01)\n")
    (folder / "sleep").write_text(f"#!/bin/sh\nexec {which('sleep')} 0.01\n")
    (folder / "sleep").chmod(0o755)
    return {**os.environ, "LC_ALL": "C", "PYTHONPATH": str(folder), "PATH": f"{folder}:{os.environ['PATH']}"}


async def ran(command: Sequence[str], *more: str) -> tuple[int, str]:
    """Run a program; return its exit code and output."""
    process = await asyncio.create_subprocess_exec(
        *command, *more, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=hurry()
    )
    out, _ = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, out.decode()


@pytest.mark.parametrize("bot", BOTS)
@pytest.mark.parametrize("variant", ["reach-the-edge", "number-reach", "line-runner"])
def test_example_bot_plays_a_whole_game(bot: str, variant: str, tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match({"bot": "random"}, None, variant=variant)
        code, out = await ran(BOTS[bot], made["invites"][0]["url"])
        assert code == 0, out
        match = (await site.client.get(f"/api/matches/{made['match']}")).json()["match"]
        assert match["ended"], out
        assert out.count("I play") == sum(ply["player"] == 2 for ply in match["log"])

    at_a_site(tmp_path, play)


def test_example_bots_play_each_other(tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(None, None)
        links = [invite["url"] for invite in made["invites"]]
        ends = await asyncio.gather(*(ran(bot, link) for bot, link in zip(BOTS.values(), links, strict=True)))
        assert [code for code, _ in ends] == [0, 0], ends
        assert (await site.client.get(f"/api/matches/{made['match']}")).json()["match"]["ended"]

    at_a_site(tmp_path, play)


@pytest.mark.parametrize("bot", BOTS)
def test_example_bot_explains_a_wrong_link(bot: str, tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        code, out = await ran(BOTS[bot], f"{site.url}/play/nothing#unknown")
        assert code == 1
        assert "This game doesn't exist." in out

    at_a_site(tmp_path, play)


def test_bot_api_page_examples_work_as_shown(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "bot-api.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```(?:\n```json\n(.*?)\n```)?", page, re.DOTALL)
    script = "\n".join(f"{block}\nprintf '\\036'" for block, _ in blocks)

    async def play(site: Site) -> None:
        shown = script.replace("http://localhost:8000", site.url)
        code, out = await ran(["sh", "-c", f"cd '{tmp_path}' && {shown}"])
        assert code == 0, out
        for (block, wanted), answer in zip(blocks, out.split("\036"), strict=False):
            pattern = re.escape(wanted).replace("…", '[^"]+')
            assert re.fullmatch(pattern, answer.strip()), block

    at_a_site(tmp_path, play)


def test_protocol_page_lists_every_code_frame_and_path(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src" / "numberline" / "web").rglob("*.py"))
    frames = {*re.findall(r'"kind": ?"([a-z]+)"', source), *events._KINDS.values(), *MESSAGE_KINDS} - {"hello"}
    assert [kind for kind in sorted(frames) if f"`{kind}`" not in page] == []
    assert [code for code, status in HTTP_STATUS.items() if f"| `{code}` | {status} |" not in page] == []
    paths: list[str] = []

    async def visit(client: httpx.AsyncClient) -> None:
        described = (await client.get("/api/openapi.json")).json()["paths"]
        paths.extend(f"`{method.upper()} {path}`" for path, methods in described.items() for method in methods)

    visited(tmp_path, visit)
    assert [path for path in paths if "/api/" in path and path not in page] == []


@asynccontextmanager
async def leaky(port: int, lost: Container[int]) -> AsyncIterator[int]:
    """Run a proxy that drops the responses of the connections with these numbers; yield its port."""
    numbers, lines = count(1), []

    async def passed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append(asyncio.current_task())
        number = next(numbers)
        answers, requests = await asyncio.open_connection("127.0.0.1", port)
        back = (
            answers.read(100) if number in lost else _poured(answers, writer)
        )  # the request is handled, but its response is lost
        ways = [asyncio.ensure_future(back), asyncio.ensure_future(_poured(reader, requests))]
        await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        for way in ways:
            way.cancel()
        for each in (requests, writer):
            each.close()

    async with await asyncio.start_server(passed, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        await asyncio.gather(*filter(None, lines))


async def _poured(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while data := await source.read(65_536):
            target.write(data)
            await target.drain()


@pytest.mark.parametrize("bot", BOTS)
def test_example_bot_plays_once_despite_lost_responses(bot: str, tmp_path: Path) -> None:
    async def play(site: Site) -> None:
        made = await site.match(None, {"bot": "random"})
        async with leaky(site.port, {1, 3, 5}) as port:
            code, out = await ran(BOTS[bot], made["invites"][0]["url"].replace(str(site.port), str(port), 1))
        assert code == 0, out
        match = (await site.client.get(f"/api/matches/{made['match']}")).json()["match"]
        assert match["ended"]
        assert out.count("I play") == sum(ply["player"] == 1 for ply in match["log"])

    at_a_site(tmp_path, play)
