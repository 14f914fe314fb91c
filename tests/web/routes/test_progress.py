"""`POST /api/progress`: events, damaged documents, limits, exported texts and ladder steps; `GET /api/ladders`."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest

from numberline.game.loader import NAMES
from numberline.progress.document import MAX_DOCUMENT_BYTES, Progress, encode, export_text
from numberline.progress.ladder import stored_steps
from numberline.web.rooms import service
from numberline.web.routes.study import DAMAGED_MESSAGE
from support.web_server import visited

DAY = "2026-01-31"
NAME = {"kind": "name", "name": "Ada"}
NEW = encode(Progress())


async def post(client: httpx.AsyncClient, headers: dict[str, str] | None = None, **body: Any) -> dict[str, Any]:
    response = await client.post("/api/progress", json=body, headers=headers)
    answer: dict[str, Any] = response.json()
    return {"status": response.status_code, **answer}


def test_events_change_the_document_and_nothing_is_stored(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        named = await post(client, event=NAME)
        assert named["document"] == {**NEW, "name": "Ada", "name_asked": True}
        puzzle = {"kind": "puzzle", "day": DAY, "right": True, "rating": 900}
        solved = await post(client, document=named["document"], event=puzzle, day=DAY)
        assert (solved["document"]["puzzles"]["asked"], solved["changes"]["streak"]) == (1, 1)
        assert (solved["changes"]["stars"], solved["share"]) == (1, "")
        assert (solved["notice"], solved["greeting"]) == ("", "Hello, Ada! You have 1 star.")
        assert (await post(client, day=DAY))["document"] == NEW

    visited(tmp_path, visit)


def test_damaged_document_is_replaced_and_reported(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        documents: list[object] = ["{", [], {"version": 1, "games": 3}, {"version": 1, "unknown": 3}, {}]
        for damaged in documents:
            answer = await post(client, document=damaged, event=NAME)
            assert (answer["status"], answer["notice"]) == (200, DAMAGED_MESSAGE)
            assert answer["document"]["name"] == "Ada"

    visited(tmp_path, visit)


@pytest.mark.parametrize(
    ("body", "status", "code", "sentence"),
    [
        ({"document": {"version": 2}}, 400, "bad_message", "This progress was saved by a newer version of Numberline."),
        ({"document": "x" * MAX_DOCUMENT_BYTES}, 413, "too_large", "A progress document can be at most 65536 bytes"),
        ({"event": {"kind": "win"}}, 400, "bad_message", "event.kind: expected one of game, match, puzzle, lesson"),
        (
            {"event": {"kind": "name", "name": 3}},
            400,
            "bad_message",
            "event.name: expected valid text of at most 4,000 characters",
        ),
        ({"event": {"kind": "match", "match": "x", "day": DAY}}, 404, "not_found", "This game doesn't exist."),
        ({"text": "numberline1-abc"}, 400, "bad_message", "This progress text is damaged or incomplete; copy all of"),
        ({"day": "tomorrow"}, 400, "bad_message", "day: expected a date such as 2026-01-31."),
    ],
)
def test_invalid_request_is_explained(
    body: dict[str, Any], status: int, code: str, sentence: str, tmp_path: Path
) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        answer = await post(client, **body)
        assert (answer["status"], answer["code"]) == (status, code)
        assert answer["sentence"].startswith(sentence)

    visited(tmp_path, visit)


def test_exported_text_is_merged(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        text = export_text(Progress(name="Ada", ladder={"sprint-1": 2}))
        here = encode(Progress(ladder={"sprint-1": 1, "sprint-2": 3}))
        answer = await post(client, document=here, text=text)
        assert (answer["document"]["name"], answer["document"]["ladder"]) == ("Ada", {"sprint-1": 2, "sprint-2": 3})
        assert (await post(client, text=answer["text"]))["document"] == answer["document"]

    visited(tmp_path, visit)


async def win_match(client: httpx.AsyncClient, **facts: Any) -> tuple[str, dict[str, str]]:
    """Win a match in one move, and return its id and the player's token."""
    seats = [{"name": "Ada"}, {"bot": "auto:3"}]
    made = (await client.post("/api/matches", json={"variant": "flag-chase(flag=3)", "seats": seats, **facts})).json()
    token = {"Authorization": f"Bearer {made['token']}"}
    body = {"move": "3", "request": "r1", "seq": 0}
    assert (await client.post(f"/api/bot/matches/{made['match']}/move", json=body, headers=token)).status_code == 200
    return made["match"], token


def test_finished_match_counts_for_its_player_only(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        match, token = await win_match(client)
        event = {"kind": "match", "match": match, "day": DAY, "step": "flag-chase-1"}
        counted = await post(client, token, event=event)
        document = counted["document"]
        assert counted["changes"]["stars"] == 3
        assert (document["ladder"], document["levels"]) == ({}, {"flag-chase": 4})  # the step doesn't fit the match
        assert (document["starts"], document["opponents"]) == ({"flag-chase": 1}, {"flag-chase": "auto"})
        [game] = document["games"]
        assert (game["id"], game["won"], game["opponent"], game["day"]) == (f"{match}-1", True, "Chameleon", DAY)
        assert "player 1: Ada\n" in game["record"]
        assert (await post(client, token, document=document, event=event))["document"] == document
        client.cookies.clear()
        assert (await post(client, event=event))["code"] == "not_allowed"

    visited(tmp_path, visit)


def test_help_and_hidden_values_cost_stars(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        for facts, helped in (({}, True), ({"assist": "off"}, False)):
            match, token = await win_match(client, **facts)
            event = {"kind": "match", "match": match, "day": DAY, "helped": helped}
            assert (await post(client, token, event=event))["changes"]["stars"] == 2

    visited(tmp_path, visit)


def test_ladders_of_all_books_are_listed(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        ladders = (await client.get("/api/ladders")).json()["ladders"]
        assert [ladder["book"] for ladder in ladders] == list(NAMES)
        listed = {step["id"]: step for ladder in ladders for step in ladder["steps"]}
        assert listed.keys() == stored_steps().keys()
        for step in stored_steps().values():
            assert listed[step.id] == step._asdict() | {
                "first": step.first,
                "heading": step.heading,
                "introduction": step.introduction,
            }

    visited(tmp_path, visit)


async def win_flag_chase(client: httpx.AsyncClient, moves: str, **facts: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Win against the easy bot, and return the match and the player's token."""
    seats = [{"name": "Ada"}, {"bot": "easy"}]
    made = (await client.post("/api/matches", json={"variant": "flag-chase", "seats": seats, **facts})).json()
    token = {"Authorization": f"Bearer {made['token']}"}
    for move in moves:
        while (table := (await client.get(f"/api/matches/{made['match']}")).json())["position"]["turn"] != 1:  # noqa: ASYNC110 - the bot has no event
            await asyncio.sleep(0.01)  # until the bot has moved
        body = {"move": move, "request": f"r{move}", "seq": table["seq"]}
        moved = await client.post(f"/api/bot/matches/{made['match']}/move", json=body, headers=token)
        assert moved.status_code == 200
    match: dict[str, Any] = (await client.get(f"/api/matches/{made['match']}")).json()["match"]
    assert match["outcome"]["winner"] == 1
    return match, token


def test_ladder_step_counts_only_if_it_fits_the_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = stored_steps()["flag-chase-1"]

    async def visit(client: httpx.AsyncClient) -> None:
        match, token = await win_flag_chase(client, "32")
        event = {"kind": "match", "match": match["id"], "day": DAY, "step": first.id}
        assert (await post(client, token, event=event))["document"]["ladder"] == {first.id: 3}
        for changes in ({"variant": "flag-chase(end=9)"}, {"character": "hard"}, {"side": "second"}):
            monkeypatch.setattr(service, "stored_steps", partial(dict, [(first.id, first._replace(**changes))]))
            assert (await post(client, token, event=event))["document"]["ladder"] == {}
        unknown = await post(client, token, event={**event, "step": "flag-chase-99"})
        assert (unknown["document"]["ladder"], unknown["changes"]["stars"]) == ({}, 3)

    visited(tmp_path, visit)


def test_ladder_step_is_not_passed_by_trying_a_move_again(tmp_path: Path) -> None:
    async def visit(client: httpx.AsyncClient) -> None:
        match, _ = await win_flag_chase(client, "32")
        again, token = await win_flag_chase(client, "2", start=match["log"][1]["position"], first=2)
        event = {"kind": "match", "match": again["id"], "day": DAY, "step": "flag-chase-1"}
        assert (await post(client, token, event=event))["document"]["ladder"] == {}

    visited(tmp_path, visit)
