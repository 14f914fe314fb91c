"""Books, matches and records over HTTP: what is asked for is answered, and what is wrong is a sentence."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from threading import Event as Signal
from typing import Any

import httpx
import pytest

from numberline.game.loader import NAMES
from numberline.web.app import WebApp, open_app
from support.web_server import BROWSER, setup_in, visited

TWO = [{"name": "Ann"}, {"name": "Bob"}]


async def new_match(client: httpx.AsyncClient, *seats: object, **more: Any) -> dict[str, Any]:
    made = await client.post("/api/matches", json={"variant": "flag-chase", "seats": list(seats), **more})
    answer: dict[str, Any] = made.json()
    return answer


def test_the_five_books_are_there_with_the_programs_that_play_them(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = (await client.get("/api/books")).json()
        assert [each["book"]["variant"] for each in answer["books"]] == list(NAMES)
        assert {"bot": "level:10", "title": "Level 10"} in answer["bots"]

    visited(tmp_path, visit)


def test_a_variant_has_its_rules_its_settings_and_its_first_position(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = (await client.get("/api/books/line-runner(end=30)")).json()
        assert answer["book"]["variant"] == "line-runner(end=30)"
        assert answer["solved"]
        assert {"The goal"} <= {section["heading"] for section in answer["rules"]}
        assert "end" in [field["name"] for field in answer["settings"]]
        assert answer["position"]["position"] == "1 0,0"

    visited(tmp_path, visit)


def test_a_variant_with_a_stroke_in_it_is_found(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        path = '/api/books/number-reach(operations="+1 %2F2 *3")'
        assert (await client.get(path)).status_code in {200, 422}
        answer = await client.get(f"{path}/positions")
        assert "There is no book" not in answer.text

    visited(tmp_path, visit)


@pytest.mark.parametrize("name", ["/etc/passwd.toml", "../x.toml", "books\\line-runner", "(a)/x.toml"])
def test_a_name_never_leads_to_a_file(tmp_path: Path, name: str) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", json={"variant": name})
        assert (asked.status_code, asked.json()["code"]) == (422, "no_such_variant")
        record = f"numberline record 1\nvariant: {name}\nfirst: 1\n"
        read = await client.post("/api/review", json={"record": record})
        assert read.status_code == 422
        assert "can't be read" not in read.text

    visited(tmp_path, visit)


def test_a_setting_that_makes_no_game_is_refused_with_the_engines_sentence(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", json={"variant": "line-runner", "settings": {"end": "many"}})
        assert asked.status_code == 422
        assert asked.json()["sentence"] == "end=many: expected a whole number up to 1000000000."

    visited(tmp_path, visit)


def test_a_pasted_book_is_checked_like_a_file(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", json={"source": "title =\nx = 1\n"})
        assert (asked.status_code, asked.json()["code"]) == (422, "no_such_variant")
        assert "line 1" in asked.json()["sentence"]

    visited(tmp_path, visit)


def test_positions_have_values_only_on_request(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        path = "/api/books/line-runner/positions?p=1+5,7"
        assert (await client.get(path)).json()["values"] is None
        answer = (await client.get(f"{path}&values=true")).json()
        assert answer["position"]["position"] == answer["values"]["position"] == "1 5,7"

    visited(tmp_path, visit)


def test_puzzles_of_a_day_are_five_and_skipping_one_tells_the_answer(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        puzzles = (await client.get("/api/puzzles?day=2026-11-16")).json()["puzzles"]
        assert len(puzzles) == 5
        asked = {"variant": puzzles[0]["variant"], "position": puzzles[0]["position"]["position"], "move": ""}
        answer = (await client.post("/api/puzzles/answer", json=asked)).json()
        assert not answer["right"]
        right = (await client.post("/api/puzzles/answer", json=asked | {"move": answer["answer"]})).json()
        assert right["right"]

    visited(tmp_path, visit)


def test_a_lesson_replies_to_its_exercises(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert len((await client.get("/api/lessons")).json()["lessons"]) == 5
        assert (await client.get("/api/lessons/flag-chase")).json()["steps"]
        asked = {"variant": "flag-chase", "step": 1, "move": ""}
        assert (await client.post("/api/lessons/answer", json=asked)).json()["answers"]

    visited(tmp_path, visit)


def test_a_program_gets_its_token_and_a_page_gets_a_cookie(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = {"variant": "flag-chase", "seats": TWO}
        program = await client.post("/api/matches", json=asked)
        assert len(program.json()["token"]) > 40
        assert "set-cookie" not in program.headers
        page = await client.post("/api/matches", json=asked, headers=BROWSER)
        assert page.json()["token"] is None
        cookie = page.headers["set-cookie"].lower()
        assert {"httponly", "samesite=strict", "path=/"} <= {part.strip() for part in cookie.split(";")}
        again = await client.post("/api/matches", json=asked, headers=BROWSER)
        assert "set-cookie" not in again.headers  # one for all seats

    visited(tmp_path, visit)


def test_an_invitation_gives_one_seat_once(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await new_match(client, {"name": "Ann"}, None)
        [invite] = made["invites"]
        assert invite["url"].startswith(f"http://localhost:8000/play/{made['match']}#")
        asked = {"invite": invite["url"].partition("#")[2], "name": "  Bob  "}
        path = f"/api/matches/{made['match']}/seats"
        assert (await client.post(path, json=asked)).json()["seat"] == 2
        late = await client.post(path, json=asked)
        assert (late.status_code, late.json()["code"]) == (409, "seat_taken")
        table = (await client.get(f"/api/matches/{made['match']}")).json()
        assert [seat["name"] for seat in table["match"]["seats"]] == ["Ann", "Bob"]

    visited(tmp_path, visit)


def test_a_match_can_be_read_looked_back_at_and_deleted_by_its_players(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await new_match(client, *TWO)
        path = f"/api/matches/{made['match']}"
        mine = {"authorization": f"Bearer {made['token']}"}
        assert (await client.get(path, headers=mine)).json()["you"] == [1, 2]
        assert (await client.get(path)).json()["you"] == []
        assert (await client.get(f"{path}/record")).text.startswith("numberline record 1\n")
        assert (await client.get(f"{path}/review")).json()["log"] == []
        assert (await client.get(f"{path}/positions?p=1+0,10")).status_code == 200
        assert (await client.delete(path)).status_code == 404
        assert (await client.delete(path, headers=mine)).status_code == 204
        assert (await client.get(path)).json()["code"] == "not_found"

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"first": True}, "first"),
        ({"first": 1.0}, "first"),
        ({"rounds": "2"}, "rounds"),
        ({"seats": [{"name": "A", "age": 9}, None]}, "seats"),
        ({"seats": [{"name": "x" * 501}, None]}, "seats"),
        ({"seats": [{"name": "x" * 41}, None]}, "A name has up to 40 letters."),
        ({"colour": "red"}, "colour"),
        ({"\x1b" + "x" * 100: 1}, "\\u001b" + "x" * 79 + "…: "),
        ({"variant": "x" * 501}, "variant"),
        ({"source": "x" * 50_001}, "source"),
        ({"clock": {"seconds": 0}}, "clock"),
    ],
)
def test_what_is_not_as_it_should_be_is_refused_with_the_name_of_the_field(
    tmp_path: Path, change: dict[str, Any], field: str
) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/matches", json={"variant": "flag-chase", "seats": TWO} | change)
        assert (asked.status_code, asked.json()["code"]) == (400, "bad_message")
        assert asked.json()["sentence"].startswith(field)

    visited(tmp_path, visit)


def test_a_name_is_written_as_it_is_at_the_keyboard_hidden_characters_and_all(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await new_match(client, {"name": " a\u202eb\n c"}, {"name": "\u200d"})
        table = (await client.get(f"/api/matches/{made['match']}")).json()
        assert [seat["name"] for seat in table["match"]["seats"]] == ["a\\u202eb c", ""]

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 100_000, b'{"record": "\\ud800"}', b"\xff\xfe", b'{"record": NaN}', b"9" * 5000, b"[]"]
)
def test_a_body_that_is_no_request_is_refused_in_a_sentence(tmp_path: Path, body: bytes) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/review", content=body, headers={"content-type": "application/json"})
        assert (asked.status_code, asked.json()["code"]) == (400, "bad_message")

    visited(tmp_path, visit)


def test_a_damaged_record_is_refused_with_its_line(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/review", json={"record": "numberline record 1\nvariant: chess\n"})
        assert (asked.status_code, asked.json()["code"]) == (422, "bad_record")
        assert "line 2" in asked.json()["sentence"]

    visited(tmp_path, visit)


def test_what_is_too_long_is_not_read(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", content=b"x" * 400_001)
        assert (asked.status_code, asked.json()["code"]) == (413, "too_large")

    visited(tmp_path, visit)


def test_an_address_with_nothing_at_it_and_a_wrong_method_are_sentences(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        lost = await client.get("/api/nothing")
        assert (lost.status_code, lost.json()["code"]) == (404, "not_found")
        wrong = await client.put("/api/books")
        assert (wrong.status_code, wrong.json()["code"]) == (405, "bad_message")
        assert wrong.headers["allow"]

    visited(tmp_path, visit)


def test_what_goes_wrong_inside_is_one_sentence_and_noted_without_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from numberline.web.rooms.service import MatchService

    async def broken(*_: object) -> None:
        raise ZeroDivisionError("Ann")

    monkeypatch.setattr(MatchService, "create", broken)

    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/matches", json={"variant": "flag-chase", "seats": TWO})
        assert asked.status_code == 500
        assert asked.json()["sentence"] == "Something went wrong here. Every move that was confirmed is saved."

    visited(tmp_path, visit)
    assert "ZeroDivisionError" in caplog.text
    assert "Ann" not in caplog.text


def test_what_the_database_says_is_noted_and_not_told_to_visitors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from numberline.web.store.store import Store

    def full(*_: object) -> None:
        raise OSError("secret-host: no space left")

    async def visit(client: httpx.AsyncClient) -> None:
        monkeypatch.setattr(Store, "_overcome_failure", full)
        monkeypatch.setattr("numberline.web.ops.logging._THROTTLED", {})
        asked = await client.post("/api/matches", json={"variant": "flag-chase", "seats": TWO})
        assert (asked.status_code, asked.json()["code"]) == (503, "cannot_save")
        assert asked.json()["sentence"] == "This could not be saved; try again in a moment."

    visited(tmp_path, visit)
    assert [record.numbers["why"] for record in caplog.records if hasattr(record, "numbers")] == [
        "secret-host: no space left"
    ]


# More than can be worked out


def busy_house(folder: Path, visit: Callable[[WebApp, Signal], Awaitable[None]]) -> None:
    """Lets somebody visit a house whose solver is at work until a signal is given."""

    async def run() -> None:
        house, signal = open_app(setup_in(folder)), Signal()
        await house.start()
        working = asyncio.create_task(house.service.run_in_solver(signal.wait, 10))
        try:
            await asyncio.sleep(0)
            await visit(house, signal)
        finally:
            signal.set()
            await working
            await house.notify_shutdown()
            await house.stop()

    asyncio.run(run())


def test_who_asks_for_more_than_can_be_worked_out_is_told_to_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("numberline.web.rooms.service.MAX_PENDING_SOLVES", 1)

    async def visit(house: WebApp, _: Signal) -> None:
        transport = httpx.ASGITransport(app=house.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            asked = await client.get("/api/books/flag-chase/positions?values=true")
        assert (asked.status_code, asked.json()["code"]) == (429, "slow_down")
        assert asked.headers["retry-after"] == "1"

    busy_house(tmp_path, visit)


def test_a_table_waits_for_no_more_than_one_who_asks_from_outside(tmp_path: Path) -> None:
    async def visit(house: WebApp, signal: Signal) -> None:
        done: list[str] = []
        outside = [asyncio.create_task(house.service.run_in_solver(done.append, "outside")) for _ in range(3)]
        await asyncio.sleep(0)
        table = house.service.registry.broadcaster.run_in_solver(done.append, "table")
        signal.set()
        await asyncio.gather(table, *outside)
        assert done == ["table", "outside", "outside", "outside"]

    busy_house(tmp_path, visit)


def test_only_links_to_this_server_become_pictures(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        drawn = await client.post("/api/qr", json={"url": "http://localhost:8000/play/x#y"})
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert drawn.text.startswith("<svg")
        assert (await client.post("/api/qr", json={"url": "http://evil.example/"})).status_code == 403

    visited(tmp_path, visit)


def test_links_begin_with_the_address_that_was_told(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.get("/api/server")).json()["public_url"] == "https://games.example.org"
        made = await new_match(client, {"name": "Ann"}, None)
        assert made["invites"][0]["url"].startswith("https://games.example.org/play/")

    visited(tmp_path, visit, public_url="https://games.example.org")


def test_on_this_machine_alone_the_server_says_how_to_let_others_in(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = (await client.get("/api/server")).json()
        assert answer["local_only"]
        assert "--host 0.0.0.0" in answer["sentence"]

    visited(tmp_path, visit)


@pytest.mark.parametrize("day", ["0", "1763251200", "2026-13-01", "today", "9" * 5000])
def test_a_day_is_written_out(tmp_path: Path, day: str) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.get("/api/puzzles", params={"day": day})
        assert (asked.status_code, asked.json()["code"]) == (400, "bad_message")
        assert asked.json()["sentence"].startswith(f"day: expected a date such as 2026-01-31, not '{day[:40]}")
        assert len(asked.json()["sentence"]) < 120

    visited(tmp_path, visit)
