"""Books, matches and records over HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from threading import Event as Signal
from typing import Any

import httpx
import pytest

import numberline as nl
from numberline.characters import CHARACTERS
from numberline.game.loader import NAMES
from numberline.game.match import Match
from numberline.game.notation import format_record
from numberline.progress.rules import next_rating
from numberline.web.app import WebApp
from numberline.web.ops.rate_limit import CURRENT_CLIENT, Client
from support.web_server import BROWSER, setup_in, visited

EXAMPLE_BOOK = Path(__file__).parents[3] / "docs" / "example-book.toml"
TWO = [{"name": "Ann"}, {"name": "Bob"}]


async def new_match(client: httpx.AsyncClient, *seats: object, **more: Any) -> dict[str, Any]:
    made = await client.post("/api/matches", json={"variant": "flag-chase", "seats": list(seats), **more})
    answer: dict[str, Any] = made.json()
    return answer


def test_books_are_listed_with_their_bots(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = (await client.get("/api/books")).json()
        assert [each["book"]["variant"] for each in answer["books"]] == list(NAMES)
        assert {"bot": "level:10", "title": "Level 10"} in answer["bots"]
        easy = CHARACTERS["easy"]
        assert answer["bots"][0] == {"bot": "easy", "title": "Easy", "name": easy.name, "about": easy.about}

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    ("variant", "bots", "favoured"),
    [
        ("flag-chase", ["auto", "easy", "medium", "hard", "master"], 1),
        ("number-reach", ["auto", "easy", "medium", "hard", "master"], 2),
        ("line-runner(end=3000)", ["auto", "easy", "medium", "hard", "master"], 1),
        ("flag-chase(steps=1)", ["auto", "master"], 1),
    ],
)
def test_opponents_of_a_variant(variant: str, bots: list[str], favoured: int, tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = (await client.get(f"/api/books/{variant}/opponents")).json()
        assert [each["bot"] for each in answer["opponents"]] == bots
        assert bool(answer["note"]) == (len(bots) < 5)
        assert answer["favoured"] == favoured

    visited(tmp_path, visit)


def test_character_plays_a_variant_too_large_to_solve(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await client.post(
            "/api/matches", json={"variant": "line-runner(end=3000)", "seats": [{"name": "Ann"}, {"bot": "easy"}]}
        )
        assert made.status_code == 201

    visited(tmp_path, visit)


def test_book_detail_has_rules_settings_and_position(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = (await client.get("/api/books/line-runner(end=30)")).json()
        assert answer["book"]["variant"] == "line-runner(end=30)"
        assert answer["solved"]
        assert {"The goal"} <= {section["heading"] for section in answer["rules"]}
        assert "end" in [field["name"] for field in answer["settings"]]
        assert answer["position"]["position"] == "1 0,0"

    visited(tmp_path, visit)


def test_about_of_a_variant_matches_its_rules(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        book = (await client.get("/api/books/line-runner")).json()["book"]
        variant = (await client.get("/api/books/line-runner(meeting=blocks)")).json()
        assert variant["book"]["about"] == variant["opening"] != book["about"]

    visited(tmp_path, visit)


def test_custom_book_is_offered_and_playable_by_name(tmp_path: Path) -> None:
    text = EXAMPLE_BOOK.read_text("utf-8")

    async def visit(client: httpx.AsyncClient) -> None:
        offered = (await client.get("/api/books")).json()["books"]
        assert [card["book"]["variant"] for card in offered] == [*NAMES, "heron-pond"]
        assert (await client.get("/api/books/heron-pond(bank=9)")).json()["book"]["title"] == "Heron Pond"
        assert len((await client.get("/api/puzzles?book=heron-pond")).json()["puzzles"]) == 5
        made = await new_match(client, {"name": "Ann"}, {"bot": "random"}, variant="heron-pond")
        match = (await client.get(f"/api/matches/{made['match']}")).json()["match"]
        assert (match["variant"], match["own_book"]) == ("heron-pond", True)
        matches.append(made["match"])

    async def visit_without_book(client: httpx.AsyncClient) -> None:
        assert (await client.get(f"/api/matches/{matches[0]}")).json()["book"]["title"] == "Heron Pond"
        assert (await client.get("/api/books/heron-pond")).json()["code"] == "no_such_variant"

    matches: list[str] = []
    visited(tmp_path, visit, books=(("heron-pond", text),))
    visited(tmp_path, visit_without_book)


def test_variant_path_may_contain_a_slash(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        path = '/api/books/number-reach(operations="+1 %2F2 *3")'
        assert (await client.get(path)).status_code in {200, 422}
        answer = await client.get(f"{path}/positions")
        assert "There is no book" not in answer.text

    visited(tmp_path, visit)


@pytest.mark.parametrize("name", ["/etc/passwd.toml", "../x.toml", "books\\line-runner", "(a)/x.toml"])
def test_variant_name_never_opens_a_file(tmp_path: Path, name: str) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", json={"variant": name})
        assert (asked.status_code, asked.json()["code"]) == (422, "no_such_variant")
        record = f"numberline record 1\nvariant: {name}\nfirst: 1\n"
        read = await client.post("/api/review", json={"record": record})
        assert read.status_code == 422
        assert "can't be read" not in read.text

    visited(tmp_path, visit)


def test_invalid_setting_is_rejected_by_the_engine(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", json={"variant": "line-runner", "settings": {"end": "many"}})
        assert asked.status_code == 422
        assert asked.json()["sentence"] == "end=many: expected a whole number up to 1000000000."

    visited(tmp_path, visit)


def test_pasted_book_is_validated_like_a_file(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", json={"source": "title =\nx = 1\n"})
        assert (asked.status_code, asked.json()["code"]) == (422, "no_such_variant")
        assert "line 1" in asked.json()["sentence"]

    visited(tmp_path, visit)


def test_position_has_values_only_on_request(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        path = "/api/books/line-runner/positions?p=1+5,7"
        assert (await client.get(path)).json()["values"] is None
        answer = (await client.get(f"{path}&values=true")).json()
        assert answer["position"]["position"] == answer["values"]["position"] == "1 5,7"

    visited(tmp_path, visit)


def test_lost_game_becomes_a_puzzle(tmp_path: Path) -> None:
    match = Match(nl.book("number-reach"))
    for move in ("*2", "*2", "+1", "*2", "*2"):
        match.play(move)
    record = format_record(match)

    async def visit(client: httpx.AsyncClient) -> None:
        (puzzle,) = (await client.post("/api/puzzles/mine", json={"records": [record]})).json()["puzzles"]
        assert (puzzle["game"], puzzle["intro"][:42]) == (0, "From your own game. You played *2 here. Fi")
        asked = {"variant": puzzle["variant"], "position": puzzle["position"]["position"], "theme": puzzle["theme"]}
        wrong = (await client.post("/api/puzzles/answer", json=asked | {"move": "*2", "tries": 1})).json()
        assert (wrong["done"], wrong["answer"], wrong["right"]) == (False, "", False)
        assert (await client.post("/api/puzzles/mine", json={"records": ["what"]})).status_code == 422

    visited(tmp_path, visit)


def test_new_player_gets_wins_in_one_or_two_moves(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        found = (await client.get("/api/puzzles?book=number-reach&near=800")).json()["puzzles"]
        assert [(puzzle["moves"], puzzle["new_rule"]) for puzzle in found[:4]] == [(1, "")] * 2 + [(2, "")] * 2

    visited(tmp_path, visit)


def test_daily_puzzles_are_five_and_skipping_shows_answer(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        puzzles = (await client.get("/api/puzzles?day=2026-11-16")).json()["puzzles"]
        assert len(puzzles) == 5
        asked = {"variant": puzzles[0]["variant"], "position": puzzles[0]["position"]["position"], "move": ""}
        answer = (await client.post("/api/puzzles/answer", json=asked)).json()
        assert not answer["right"]
        right = (await client.post("/api/puzzles/answer", json=asked | {"move": answer["answer"]})).json()
        assert (right["right"], right["new_rating"]) == (True, None)
        rated = asked | {"move": answer["answer"], "rating": 800}
        right = (await client.post("/api/puzzles/answer", json=rated)).json()
        assert right["new_rating"] == next_rating(800, puzzles[0]["rating"], right=True)
        hinted = (await client.post("/api/puzzles/answer", json=rated | {"hinted": True})).json()
        assert hinted["new_rating"] == next_rating(800, puzzles[0]["rating"], right=False)

    visited(tmp_path, visit)


def test_lesson_checks_answers_to_exercises(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert len((await client.get("/api/lessons")).json()["lessons"]) == len(NAMES)
        assert (await client.get("/api/lessons/flag-chase")).json()["steps"]
        asked = {"variant": "flag-chase", "step": 1, "move": ""}
        assert (await client.post("/api/lessons/answer", json=asked)).json()["answers"]

    visited(tmp_path, visit)


def test_new_match_gives_programs_a_token_and_pages_a_cookie(tmp_path: Path) -> None:
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


def test_https_page_gets_a_cookie_that_only_the_server_can_set(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        old = "a-token-of-the-old-cookie"
        asked = {"variant": "flag-chase", "seats": TWO}
        made = await client.post("/api/matches", json=asked, headers={"Authorization": f"Bearer {old}"})
        page = await client.post("/api/matches", json=asked, headers=BROWSER | {"Cookie": f"player={old}"})
        cookie = {part.strip() for part in page.headers["set-cookie"].split(";")}
        assert {"HttpOnly", "SameSite=strict", "Path=/", "Secure"} <= cookie
        (new,) = [part for part in cookie if part.startswith("__Host-player=")]
        assert old not in new
        both = {"Cookie": f"player={old}; {new}"}
        for match in (made.json()["match"], page.json()["match"]):
            assert (await client.get(f"/api/matches/{match}", headers=both)).json()["you"] == [1, 2]
        again = await client.post("/api/matches", json=asked, headers=BROWSER | both)
        assert "set-cookie" not in again.headers
        planted = await client.get(f"/api/matches/{page.json()['match']}", headers={"Cookie": f"player={old}"})
        assert planted.json()["you"] == []

    visited(tmp_path, visit, public_url="https://games.example.org")


def test_invitation_can_be_claimed_once(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("assist", ["on", "off"])
def test_ending_speaks_to_the_player_who_asks(assist: str, tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await new_match(client, {"name": "Ann"}, {"bot": "perfect"}, assist=assist, start="1 0,10")
        path, mine = f"/api/matches/{made['match']}", {"authorization": f"Bearer {made['token']}"}
        assert (await client.get(f"{path}/ending", headers=mine)).json()["code"] == "not_allowed"
        seq = (await client.get(path)).json()["seq"]
        act = {"kind": "resign", "seq": seq, "request": "gives-up"}
        assert (await client.post(f"/api/bot{path[4:]}/act", json=act, headers=mine)).status_code == 200
        own, watched = [(await client.get(f"{path}/ending", headers=who)).json() for who in (mine, {})]
        assert own["headline"].endswith("! {2} wins.")
        assert (watched["headline"], watched["stars"], watched["retry"]) == ("{2} wins!", None, None)
        if assist == "off":
            assert (own["moment"], own["stars"], own["retry"]) == ("", None, None)
        else:
            assert own["moment"] == "On your first move, you gave up, but 3 could still have won."
            assert own["retry"] is None
        tried = await client.post(f"{path}/retry", json={"move": "3"}, headers=mine)
        assert (tried.status_code, tried.json()["sentence"]) == (403, "This game has no move to try again.")

    visited(tmp_path, visit)


def test_match_can_be_read_reviewed_and_deleted(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await new_match(client, *TWO)
        path = f"/api/matches/{made['match']}"
        mine = {"authorization": f"Bearer {made['token']}"}
        assert (await client.get(path, headers=mine)).json()["you"] == [1, 2]
        assert (await client.get(path)).json()["you"] == []
        listed = await client.get("/api/matches", params={"ids": f"{made['match']},unknown"}, headers=mine)
        assert listed.json()["matches"] == [(await client.get(path, headers=mine)).json(), None]
        assert (await client.get("/api/matches", params={"ids": ",".join("a" * 21)})).status_code == 400
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
        ({"rounds": 0}, "rounds"),
        ({"seats": TWO[:1]}, "seats"),
        ({"seats": [{"name": "A", "age": 9}, None]}, "seats"),
        ({"seats": [{"name": "x" * 501}, None]}, "seats"),
        ({"seats": [{"name": "x" * 41}, None]}, "A name can have up to 40 letters."),
        ({"colour": "red"}, "colour"),
        ({"\x1b" + "x" * 100: 1}, "\\u001b" + "x" * 79 + "…: "),
        ({"variant": "x" * 501}, "variant"),
        ({"source": "x" * 50_001}, "source"),
        ({"clock": {"seconds": 0}}, "clock"),
    ],
)
def test_invalid_match_request_names_the_field(tmp_path: Path, change: dict[str, Any], field: str) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/matches", json={"variant": "flag-chase", "seats": TWO} | change)
        assert (asked.status_code, asked.json()["code"]) == (400, "bad_message")
        assert asked.json()["sentence"].startswith(field)

    visited(tmp_path, visit)


def test_hidden_characters_in_names_are_escaped(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        made = await new_match(client, {"name": " a\u202eb\n c"}, {"name": "\u200d"})
        table = (await client.get(f"/api/matches/{made['match']}")).json()
        assert [seat["name"] for seat in table["match"]["seats"]] == ["a\\u202eb c", ""]

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[" * 100_000, b'{"record": "\\ud800"}', b"\xff\xfe", b'{"record": NaN}', b"9" * 5000, b"[]"]
)
def test_invalid_body_is_rejected_with_a_sentence(tmp_path: Path, body: bytes) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/review", content=body, headers={"content-type": "application/json"})
        assert (asked.status_code, asked.json()["code"]) == (400, "bad_message")

    visited(tmp_path, visit)


def test_damaged_record_error_names_the_line(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/review", json={"record": "numberline record 1\nvariant: chess\n"})
        assert (asked.status_code, asked.json()["code"]) == (422, "bad_record")
        assert "line 2" in asked.json()["sentence"]

    visited(tmp_path, visit)


def test_oversized_body_is_rejected_unread(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.post("/api/books", content=b"x" * 400_001)
        assert (asked.status_code, asked.json()["code"]) == (413, "too_large")

    visited(tmp_path, visit)


def test_unknown_path_and_wrong_method_have_sentences(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        lost = await client.get("/api/nothing")
        assert (lost.status_code, lost.json()["code"]) == (404, "not_found")
        wrong = await client.put("/api/books")
        assert (wrong.status_code, wrong.json()["code"]) == (405, "bad_message")
        assert wrong.headers["allow"]

    visited(tmp_path, visit)


def test_internal_error_is_logged_without_names(
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


def test_database_error_is_logged_but_not_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from numberline.web.store.store import Store

    def full(*_: object) -> None:
        raise OSError("secret-host: no space left")

    async def visit(client: httpx.AsyncClient) -> None:
        monkeypatch.setattr(Store, "_require_durable", full)
        monkeypatch.setattr("numberline.web.ops.logging._THROTTLED", {})
        asked = await client.post("/api/matches", json={"variant": "flag-chase", "seats": TWO})
        assert (asked.status_code, asked.json()["code"]) == (503, "cannot_save")
        assert asked.json()["sentence"] == "This could not be saved; try again in a moment."

    visited(tmp_path, visit)
    assert [record.numbers["why"] for record in caplog.records if hasattr(record, "numbers")] == [
        "secret-host: no space left"
    ]


# Limits


def visit_busy_app(folder: Path, visit: Callable[[WebApp, Signal], Awaitable[None]]) -> None:
    """Visit an app whose solver is busy until a signal is set."""

    async def run() -> None:
        app, signal = WebApp(setup_in(folder)), Signal()
        await app.start()
        working = asyncio.create_task(app.service.registry.solver_pool.solve(None, signal.wait, 10))
        try:
            await asyncio.sleep(0)
            await visit(app, signal)
        finally:
            signal.set()
            await working
            await app.notify_shutdown()
            await app.stop()

    asyncio.run(run())


def test_too_many_pending_solves_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def visit(app: WebApp, _: Signal) -> None:
        monkeypatch.setattr("numberline.web.rooms.solver_pool.MAX_WAITING_PER_CLIENT", 0)
        CURRENT_CLIENT.set(Client("192.0.2.1"))
        transport = httpx.ASGITransport(app=app.app)
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            asked = await client.get("/api/books/flag-chase/positions?values=true")
        assert (asked.status_code, asked.json()["code"]) == (429, "slow_down")
        assert asked.headers["retry-after"] == "1"

    visit_busy_app(tmp_path, visit)


def test_room_does_not_wait_for_jobs_of_other_clients(tmp_path: Path) -> None:
    async def visit(app: WebApp, signal: Signal) -> None:
        done: list[str] = []
        pool = app.service.registry.solver_pool
        outside = [asyncio.create_task(pool.solve(None, done.append, "outside")) for _ in range(3)]
        await asyncio.sleep(0)
        room = asyncio.create_task(pool.solve(None, done.append, "room", match="a match"))
        await asyncio.sleep(0)
        signal.set()
        await asyncio.gather(room, *outside)
        assert done == ["room", "outside", "outside", "outside"]

    visit_busy_app(tmp_path, visit)


@pytest.mark.parametrize(
    ("seats", "names"),
    [
        ([{"bot": "easy"}, {"bot": "easy"}], ["Rabbit 1", "Rabbit 2"]),
        ([{"name": "Ann"}, {"name": "Ann"}], ["Ann 1", "Ann 2"]),
        ([{"name": ""}, {"bot": "hard"}], ["Player 1", "Fox"]),
    ],
)
def test_record_and_review_use_the_names_of_the_game_page(
    tmp_path: Path, seats: list[object], names: list[str]
) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        match = (await new_match(client, *seats))["match"]
        record = (await client.get(f"/api/matches/{match}/record")).text.splitlines()
        assert [line.partition(": ")[2] for line in record if line.startswith("player ")] == names
        assert (await client.get(f"/api/matches/{match}/review")).json()["names"] == names

    visited(tmp_path, visit)


def test_qr_code_requires_a_link_to_this_server(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        drawn = await client.post("/api/qr", json={"url": "http://localhost:8000/play/x#y"})
        assert drawn.headers["content-type"] == "image/svg+xml"
        assert drawn.text.startswith("<svg")
        assert (await client.post("/api/qr", json={"url": "http://evil.example/"})).status_code == 403

    visited(tmp_path, visit)


def test_invite_links_use_the_public_url(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        assert (await client.get("/api/server")).json()["public_url"] == "https://games.example.org"
        made = await new_match(client, {"name": "Ann"}, None)
        assert made["invites"][0]["url"].startswith("https://games.example.org/play/")

    visited(tmp_path, visit, public_url="https://games.example.org")


def test_local_server_explains_how_to_open_it(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = (await client.get("/api/server")).json()
        assert answer["local_only"]
        assert "--host 0.0.0.0" in answer["sentence"]

    visited(tmp_path, visit)


@pytest.mark.parametrize("day", ["0", "1763251200", "2026-13-01", "today", "9" * 5000])
def test_puzzle_day_must_be_an_iso_date(tmp_path: Path, day: str) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        asked = await client.get("/api/puzzles", params={"day": day})
        assert (asked.status_code, asked.json()["code"]) == (400, "bad_message")
        assert asked.json()["sentence"].startswith(f"day: expected a date such as 2026-01-31, not '{day[:40]}")
        assert len(asked.json()["sentence"]) < 120

    visited(tmp_path, visit)


LARGE_BODY = b'{"record": "%s"}' % (b"x" * 500_000)


def test_large_bodies_are_limited_per_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.gateway.MAX_CLIENT_BODY_BYTES", 800_000)

    async def visit(client: httpx.AsyncClient) -> None:
        sent = asyncio.Event()

        async def half_sent() -> AsyncIterator[bytes]:
            yield LARGE_BODY[:100_000]
            await sent.wait()
            yield LARGE_BODY[100_000:]

        client.headers["content-type"] = "application/json"
        length = {"content-length": str(len(LARGE_BODY))}
        first = asyncio.create_task(client.post("/api/review", content=half_sent(), headers=length))
        for _ in range(20):
            await asyncio.sleep(0)
        second = await client.post("/api/review", content=LARGE_BODY)
        assert (second.status_code, second.json()["code"]) == (413, "too_large")
        small = await client.post("/api/review", content=b'{"record": "x"}')
        assert small.json()["code"] == "bad_record"
        sent.set()
        assert (await first).json()["code"] == "bad_record"
        assert (await client.post("/api/review", content=LARGE_BODY)).json()["code"] == "bad_record"

    visited(tmp_path, visit)


@pytest.mark.parametrize("path", ["/api/puzzles?book=", "/api/lessons/"])
def test_variant_with_too_much_work_is_rejected_at_once(tmp_path: Path, path: str) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = await client.get(f"{path}reach-the-edge(end=2400, steps=1-100)")
        assert (answer.status_code, answer.json()["code"]) == (422, "too_many_positions")
        assert "too big to solve here" in answer.json()["sentence"]

    visited(tmp_path, visit)


def test_views_and_books_are_priced_by_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    charged: list[float] = []
    monkeypatch.setattr(Client, "charge", lambda _, cost, **__: charged.append(cost))

    async def visit(client: httpx.AsyncClient) -> None:
        for variant in ("line-runner", "line-runner(steps=1-100, end=200)"):
            charged.clear()
            assert (await client.get(f"/api/books/{variant}")).status_code == 200
            assert sum(charged) == 1 + len(nl.book(variant).choices) // 10
        charged.clear()
        await client.post("/api/books", json={"source": "k = 1\n" * 5_000})
        assert sum(charged) == 3 + 30

    visited(tmp_path, visit)
