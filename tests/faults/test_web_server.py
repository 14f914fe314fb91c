from __future__ import annotations

import asyncio
import base64
import json
import os
import re
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
import websockets

from support.failing_disk import NAMES, PATIENCE, FaultyDisk, Running
from support.web_players import Game, Load, answered, connect_client, connected

LIMITED = ("--public-url", "http://localhost")
"""With a public URL the server also rate-limits requests of this machine."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Running]:
    """One that may be killed; thousands of players may come from one address."""
    with Running(tmp_path, *LIMITED, "--max-connections", "200000") as running:
        yield running


@pytest.fixture(scope="module")
def steady(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One for all tests that let it live."""
    with Running(tmp_path_factory.mktemp("steady"), *LIMITED) as running:
        yield running


@pytest.fixture(params=["DISK_FULL", "DISK_FAILING"])
def disk(request: pytest.FixtureRequest, tmp_path: Path) -> FaultyDisk:
    """Stores that work until they are switched to fail, each in its own way."""
    return FaultyDisk(tmp_path, request.param)


@pytest.fixture
def ailing(tmp_path: Path, disk: FaultyDisk) -> Iterator[Running]:
    """A server on that disk, until it is started again."""
    with Running(tmp_path, *LIMITED, **disk.environment) as running:
        yield running


# The server is killed


def kill_at_random(server: Running, kills: int, games: int, seed: int) -> None:
    """Games go on as fast as they can, more after each kill; nothing that was acknowledged is missing after any."""
    rng = Random(seed)
    load = Load(server, rng)

    async def play_until_it_is_killed() -> None:
        await load.take_up()
        await load.begin(games)
        await load.play(rng.randrange(1, 200), server.kill)

    async def play_to_the_end() -> None:
        await load.take_up()
        await load.finish()

    for _ in range(kills):
        server.visit(play_until_it_is_killed())
        server.again()
    server.visit(play_to_the_end())


def test_nothing_acknowledged_is_lost_by_kills_under_load(server: Running) -> None:
    kill_at_random(server, kills=2, games=5, seed=5)


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_by_fifty_kills_under_load(server: Running) -> None:
    kill_at_random(server, kills=50, games=30, seed=50)


def test_stopping_server_keeps_acknowledged_moves_and_says_goodbye(server: Running) -> None:
    load = Load(server, Random(1))

    async def play_until_it_is_stopped() -> None:
        await load.begin(10)
        await load.play(60, server.terminate)
        words = await asyncio.gather(
            *(person.kinds_until_close() for game in load.games[:10] for person in game.people)
        )
        assert all("goodbye" in said for said in words)

    async def play_to_the_end() -> None:
        await load.take_up()
        await load.finish()

    server.visit(play_until_it_is_stopped())
    assert server.ended() == 0
    server.start()
    server.visit(play_to_the_end())


def test_bot_moves_after_its_turn_was_interrupted_by_a_kill(server: Running) -> None:
    seats: list[tuple[str, str]] = []

    async def begin() -> None:
        order = {"variant": "line-runner", "seats": [{"name": NAMES[0]}, {"bot": "level:3"}]}
        made = await asyncio.gather(*(answered(server.http.post("/api/matches", json=order)) for _ in range(10)))
        seats.extend((each["match"], each["token"]) for each in made)
        server.secrets |= {word for seat in seats for word in seat}
        people = [(await connect_client(server, *seat))[0] for seat in seats]
        asked = [person.request(kind="move", request="mine", seq=0, move="1") for person in people]
        answers = [await answer for answer in asyncio.as_completed(asked)]
        server.kill()
        assert {answer["kind"] for answer in answers} == {"ack"}

    async def go_on() -> None:
        for seat in seats:
            person, _ = await connect_client(server, *seat)
            if person.seq < 2:
                await person.event(2)

    server.visit(begin())
    server.again()
    server.visit(go_on())


def test_claimed_seat_survives_a_kill_for_its_owner_only(
    server: Running,
) -> None:
    claims: list[tuple[str, dict[str, str], dict[str, str]]] = []

    async def claimed(number: int, token: dict[str, str] | None = None) -> httpx.Response:
        path, body, own = claims[number]
        return await server.http.post(path, json=body, headers=own if token is None else token)

    async def claim_until_it_is_killed() -> None:
        order = {"variant": "flag-chase", "seats": [{"name": NAMES[0]}, None]}
        for number in range(20):
            made = await answered(server.http.post("/api/matches", json=order))
            invite, token = made["invites"][0]["url"].partition("#")[2], f"token-of-somebody-{number}"
            server.secrets |= {made["match"], made["token"], invite, token}
            claim = {"invite": invite, "name": NAMES[1]}
            claims.append((f"/api/matches/{made['match']}/seats", claim, {"Authorization": f"Bearer {token}"}))
        asked = [asyncio.create_task(claimed(number)) for number in range(20)]
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        server.kill()
        answers = await asyncio.gather(*asked, return_exceptions=True)
        kept.extend(isinstance(answer, httpx.Response) and answer.status_code == 200 for answer in answers)

    async def claim_again() -> None:
        for number in range(20):
            if kept[number]:
                assert (await claimed(number, {})).status_code == 409
            assert (await answered(claimed(number)))["seat"] == 2
            assert (await claimed(number, {})).status_code == 409

    kept: list[bool] = []
    server.visit(claim_until_it_is_killed())
    assert any(kept)
    server.again()
    server.visit(claim_again())


def test_second_server_on_one_file_waits_for_the_first_to_end(server: Running) -> None:
    server.visit(_answers(server))
    second = subprocess.run(server.command(port=0), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert second.returncode == 1
    wanted = r"Error: .*matches\.db is in use by another numberline web process; stop it first.*\n"
    assert re.fullmatch(wanted, second.stderr)
    server.again()
    server.visit(_answers(server))


async def _answers(server: Running) -> None:
    assert await answered(server.http.get("/readyz")) == {"ok": True}


# The disk fails


def test_unstored_moves_are_not_broadcast_and_play_resumes(ailing: Running, disk: FaultyDisk) -> None:
    games: list[Game] = []

    async def play() -> None:
        games.extend(await asyncio.gather(*(Game.made(ailing, Random(number)) for number in range(5))))
        watchers = [(await connect_client(ailing, game.match))[0] for game in games]
        order = {"variant": "flag-chase", "seats": [{"name": NAMES[0]}, None]}
        open_match = await answered(ailing.http.post("/api/matches", json=order))
        link = open_match["invites"][0]["url"].partition("#")[2]
        seats = f"/api/matches/{open_match['match']}/seats"
        ailing.secrets |= {open_match["match"], open_match["token"], link}
        for game, watcher in zip(games, watchers, strict=True):
            await game.step()
            assert len(await watcher.new_events()) == 1
        disk.break_down()
        for _ in range(3):
            for game in games:
                refused = await game.step()
                assert (refused["kind"], refused["code"], refused["seq"]) == ("error", "cannot_save", game.seq)
                assert refused["sentence"].endswith("; try again in a moment.")
        for path, body in (("/api/matches", order), (seats, {"invite": link, "name": NAMES[1]})):
            answer = await ailing.http.post(path, json=body)
            assert (answer.status_code, answer.json()["code"]) == (503, "cannot_save")
        for game, watcher in zip(games, watchers, strict=True):
            assert await watcher.new_events() == []
            assert (await answered(ailing.http.get(f"/api/matches/{game.match}")))["seq"] == game.seq
        disk.work_again()
        claimed = await answered(ailing.http.post(seats, json={"invite": link, "name": NAMES[1]}))
        ailing.secrets.add(claimed["token"])
        await asyncio.gather(*(game.settle() for game in games))
        await asyncio.gather(*(game.finish() for game in games))

    async def look_again() -> None:
        for game in games:
            assert (await game.check())["match"]["outcome"]

    ailing.visit(play())
    ailing.again()
    ailing.visit(look_again())


def test_disk_failing_under_load_loses_no_acknowledged_move(ailing: Running, disk: FaultyDisk) -> None:
    load = Load(ailing, Random(7))

    async def play() -> None:
        await load.begin(6)
        for _ in range(3):
            await load.play_through(disk, acknowledged=12, refused=12)
        ailing.kill()

    async def play_to_the_end() -> None:
        await load.take_up()
        await load.finish()

    ailing.visit(play())
    ailing.again()
    ailing.visit(play_to_the_end())


# People who do not play along


def paused_reader(ailing: Running, match: str) -> socket.socket:
    """A client that says hello and never reads."""
    paused = socket.socket()
    paused.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    paused.settimeout(PATIENCE)
    paused.connect(("127.0.0.1", ailing.port))
    key = base64.b64encode(os.urandom(16)).decode()
    paused.sendall(
        f"GET /api/matches/{match}/socket HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
    )
    answer = b""
    while not answer.endswith(b"\r\n\r\n"):
        answer += paused.recv(1)
    assert answer.startswith(b"HTTP/1.1 101 ")
    hello = json.dumps({"kind": "hello", "since": 0}).encode()
    paused.sendall(struct.pack("!BBI", 0x81, 0x80 | len(hello), 0) + hello)  # masked with zeros
    return paused


def memory(ailing: Running) -> int:
    """Kilobytes that the ailing has in memory; 0 where the system does not say."""
    status = Path(f"/proc/{ailing.process.pid}/status")
    return int(status.read_text(encoding="ascii").partition("VmRSS:")[2].split()[0]) if status.exists() else 0


def test_client_that_never_reads_is_disconnected(steady: Running) -> None:
    async def play() -> None:
        order = {"variant": "line-runner(end=1000)", "seats": [{"name": NAMES[0]}, {"name": NAMES[1]}]}
        made = await answered(steady.http.post("/api/matches", json=order))
        match = made["match"]
        steady.secrets |= {match, made["token"]}
        player, _ = await connect_client(steady, match, made["token"])
        watcher, _ = await connect_client(steady, match)
        number = 0

        async def ask(**frame: Any) -> None:
            nonlocal number
            number += 1
            answer = await player.request(request=f"r{number}", seq=number - 1, **frame)
            assert answer["kind"] == "ack", answer
            for person in (player, watcher):
                await person.receive(lambda frame: frame["kind"] in {"event", "table"} and frame["seq"] == number)

        for _ in range(200):
            await ask(kind="move", move="1")
        readers = [paused_reader(steady, match) for _ in range(5)]
        await player.receive(lambda frame: frame["kind"] == "presence" and frame["watching"] == 6)
        before = memory(steady)
        while player.watching != 1:
            await ask(kind="offer", what="takeback")
            await ask(kind="move", move="1")
        assert number < 4000
        assert memory(steady) - before < 30_000
        for reader in readers:
            reader.close()

    steady.visit(play())


def test_200_claims_of_one_seat_have_one_winner_and_delay_no_game(steady: Running) -> None:
    async def claim() -> None:
        order = {"variant": "flag-chase", "seats": [{"name": NAMES[0]}, None]}
        made = await answered(steady.http.post("/api/matches", json=order))
        match, invite = made["match"], made["invites"][0]["url"].partition("#")[2]
        steady.secrets |= {match, invite, made["token"]}
        claims = [
            steady.http.post(f"/api/matches/{match}/seats", json={"invite": invite, "name": f"{NAMES[1]} {number}"})
            for number in range(200)
        ]
        answers = await asyncio.gather(*claims)
        won = [number for number, answer in enumerate(answers) if answer.status_code == 200]
        assert [answer.json()["code"] for answer in answers if answer.status_code == 409] == ["seat_taken"] * 199
        assert len(won) == 1
        table = await answered(steady.http.get(f"/api/matches/{match}"))
        assert table["match"]["seats"][1]["name"] == f"{NAMES[1]} {won[0]}"

    steady.visit(claim())


def test_class_of_forty_behind_one_address_plays_twenty_games(steady: Running) -> None:
    async def lesson() -> None:
        pages = ("/", "/api/books", "/new/line-runner", "/api/books/line-runner", "/puzzles")
        opened = await asyncio.gather(*(steady.http.get(page) for page in pages for _ in range(40)))
        assert {page.status_code for page in opened} == {200}
        games = await asyncio.gather(*(Game.made(steady, Random(number), "line-runner") for number in range(20)))
        await asyncio.gather(*(game.finish() for game in games))
        tables = await asyncio.gather(*(game.check() for game in games))
        assert all(table["match"]["outcome"] for table in tables)

    steady.visit(lesson())


def test_page_of_another_site_can_change_nothing(steady: Running) -> None:
    async def visit() -> None:
        game = await Game.made(steady, Random(1))
        path, evil = f"/api/matches/{game.match}", {"Origin": "http://evil.example"}
        order = {"variant": "flag-chase", "seats": [{"name": NAMES[0]}, None]}
        token = {"Authorization": f"Bearer {game.tokens[0]}"}
        answers = [
            await steady.http.post("/api/matches", json=order, headers=evil),
            await steady.http.delete(path, headers=evil | token),
            await steady.http.post("/api/matches", json=order, headers={"Sec-Fetch-Site": "cross-site"}),
        ]
        assert [(answer.status_code, answer.json()["code"]) for answer in answers] == [(403, "wrong_origin")] * 3
        for headers, status in ((evil, 403), ({"Host": "evil.example"}, 400)):
            with pytest.raises(websockets.InvalidStatus) as refused:
                await connected(steady, game.match, additional_headers=headers)
            assert refused.value.response.status_code == status
        for method in ("GET", "POST", "DELETE"):
            answer = await steady.http.request(method, path, headers={"Host": "evil.example"} | token)
            assert (answer.status_code, answer.json()["code"]) == (400, "bad_message")
        await game.check()

    steady.visit(visit())


def test_deleted_match_leaves_no_name_and_notifies_all_clients(server: Running) -> None:
    async def visit() -> None:
        game = await Game.made(server, Random(1))
        await game.step()
        watcher, _ = await connect_client(server, game.match)
        path = f"/api/matches/{game.match}"
        assert (await server.http.delete(path)).status_code == 404
        assert NAMES[1].encode() in left_in(server.database)
        deleted = await server.http.delete(path, headers={"Authorization": f"Bearer {game.tokens[1]}"})
        assert deleted.status_code == 204
        for person in (*game.people, watcher):
            goodbye = await person.receive(lambda frame: frame["kind"] == "goodbye")
            assert goodbye["sentence"] == "A player deleted this game."
        assert (await server.http.get(path)).status_code == 404
        assert [word for word in (*NAMES, game.match) if word.encode() in left_in(server.database)] == []

    server.visit(visit())


def left_in(database: Path) -> bytes:
    """All bytes of a database and of the files beside it."""
    return b"".join(file.read_bytes() for file in database.parent.glob(f"{database.name}*"))
