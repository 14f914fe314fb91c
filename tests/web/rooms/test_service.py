"""The match service on a real store: matches, seats, messages and broadcasts."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import threading
import time
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from numberline.game.notation import parse_records
from numberline.web.protocol import events
from numberline.web.protocol.errors import HTTP_STATUS, ApiError
from numberline.web.protocol.messages import CreateMatchRequest
from numberline.web.rooms import registry
from numberline.web.rooms.registry import SECONDS_PER_DAY, steady_clock
from numberline.web.store.store import Event, Store, StoreError
from support.matches import (
    ANN,
    BOB,
    EVE,
    FrameRecorder,
    ServiceHarness,
    bot,
    clock_request,
    match_request,
    message,
    person,
    with_service,
)

HERE = (person("Ann"), person("Bob"))


async def refused(work: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await work
    assert caught.value.code in HTTP_STATUS
    return caught.value


# Seats


@with_service
async def test_invitation_gives_the_free_seat(harness: ServiceHarness) -> None:
    made = await harness.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    assert made.seat == 1
    assert await harness.service.claim(made.match, made.invites[2], "Bob", BOB) == 2
    assert await harness.service.seats_of(made.match, BOB) == (2,)


@with_service
async def test_concurrent_seat_claims_have_one_winner(harness: ServiceHarness) -> None:
    made = await harness.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    claims = (harness.service.claim(made.match, made.invites[2], f"guest {n}", f"token-{n}") for n in range(200))
    answers = await asyncio.gather(*claims, return_exceptions=True)
    assert answers.count(2) == 1
    assert [each.code for each in answers if isinstance(each, ApiError)] == ["seat_taken"] * 199


@with_service
async def test_seat_claim_is_idempotent(harness: ServiceHarness) -> None:
    made = await harness.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    for _ in range(2):
        assert await harness.service.claim(made.match, made.invites[2], "Bob", BOB) == 2
    assert await harness.seq(made.match) == 1


@with_service
async def test_taken_seat_stays_taken_after_a_restart(harness: ServiceHarness) -> None:
    made = await harness.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    await harness.service.claim(made.match, made.invites[2], "Bob", BOB)
    await harness.restart()
    assert (await refused(harness.service.claim(made.match, made.invites[2], "Eve", EVE))).code == "seat_taken"
    assert await harness.service.seats_of(made.match, BOB) == (2,)


@with_service
async def test_unknown_invitation_is_not_found(harness: ServiceHarness) -> None:
    match = await harness.friends()
    assert (await refused(harness.service.claim(match, "guess", "Eve", EVE))).code == "not_found"


@with_service
async def test_watcher_who_claims_is_seated_immediately(harness: ServiceHarness) -> None:
    made = await harness.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    recorder = await harness.subscribe(made.match, BOB)
    assert recorder.you == ()
    await harness.service.claim(made.match, made.invites[2], "Bob", BOB)
    await harness.wait_idle()
    assert recorder.of("table")[-1]["you"] == [2]
    assert recorder.of("presence")[-1] == {"kind": "presence", "seats": [False, True], "watching": 0}


@with_service
async def test_first_player_may_move_before_the_friend_joins(harness: ServiceHarness) -> None:
    made = await harness.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    assert (await harness.send(made.match, 1, "move", "3"))["kind"] == "ack"


@pytest.mark.parametrize(
    ("order", "code"),
    [
        (match_request("no-such-game", HERE), "no_such_variant"),
        (match_request("/etc/passwd.toml", HERE), "no_such_variant"),
        (match_request("mine", HERE, source="title = 3"), "no_such_variant"),
        (match_request("flag-chase", (*HERE, None)), "bad_message"),
        (match_request("flag-chase", HERE, first=3), "bad_message"),
        (match_request("flag-chase", HERE, start="1 5,8"), "bad_message"),
        (match_request("flag-chase", HERE, start="nonsense"), "bad_message"),
        (match_request("flag-chase", HERE, start="1 0"), "bad_message"),
        (match_request("flag-chase", (person("x" * 41), None)), "bad_message"),
        (match_request("flag-chase", (person("A"), bot("exec:true"))), "bad_message"),
        (match_request("flag-chase", (person("A"), bot("level:99"))), "bad_message"),
        (match_request("flag-chase", (person("A"), bot("mcts:2001"))), "bad_message"),
        (match_request("line-runner(end=3000)", (person("A"), bot("slip:25"))), "too_many_positions"),
    ],
)
def test_create_rejects_invalid_requests(order: CreateMatchRequest, code: str, tmp_path: Any) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        assert (await refused(harness.service.create(order, ANN))).code == code

    scene(tmp_path)


@with_service
async def test_toss_decides_the_first_player(harness: ServiceHarness) -> None:
    firsts = set()
    for _ in range(12):
        made = await harness.service.create(match_request("flag-chase", HERE, first="toss"), ANN)
        part = (await harness.state(made.match))["match"]
        assert part["tossed"]
        firsts.add(part["first"])
    assert firsts == {1, 2}


# Moves


@with_service
async def test_move_is_acknowledged_and_broadcast(harness: ServiceHarness) -> None:
    match = await harness.friends()
    recorders = [await harness.subscribe(match, token) for token in (ANN, BOB, "")]
    answer = await harness.send(match, 1, "move", "3", request="mine")
    assert answer == {"kind": "ack", "request": "mine", "seq": 2}
    for recorder in recorders:
        event = recorder.frames[-1]
        assert (event["kind"], event["seq"], event["seat"], event["what"]) == ("event", 2, 1, "3")
        assert event["ply"]["said"] == "{1} moves from tile 0 to tile 3."
        assert event["position"]["turn"] == 2


@with_service
async def test_ack_comes_before_the_event(harness: ServiceHarness) -> None:
    match = await harness.friends()
    recorder = await harness.subscribe(match, ANN)
    before = len(recorder.raw)
    await harness.service.act(match, (1,), message("move", "a", 1, "3"))
    assert len(recorder.raw) == before
    await harness.wait_idle()
    assert recorder.frames[-1]["kind"] == "event"


@pytest.mark.parametrize(
    ("seat", "move", "code"),
    [
        (2, "3", "not_your_turn"),
        (1, "9", "illegal_move"),
        (1, "up", "unreadable_move"),
        ((), "3", "not_allowed"),
    ],
)
def test_rejected_move_changes_nothing(seat: Any, move: str, code: str, tmp_path: Any) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        match = await harness.friends()
        answer = await harness.send(match, seat, "move", move, request="mine")
        assert (answer["kind"], answer["code"], answer["request"]) == ("error", code, "mine")
        assert answer["sentence"].endswith(".")
        assert await harness.seq(match) == 1

    scene(tmp_path)


@with_service
async def test_move_is_stored_in_canonical_form(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.send(match, 1, "move", " +3 ")
    assert harness.store.events_since(match, 1)[0].what == "3"


@with_service
async def test_lost_turns_are_sent_with_the_move_before_them(harness: ServiceHarness) -> None:
    match = await harness.friends("line-runner(steps=1)", assist="on")
    recorder = await harness.subscribe(match, ANN)
    await harness.moves(match, "1")
    event = recorder.frames[-1]
    assert [ply["move"] for ply in event["plies"]] == ["1", "pass"]
    assert (len(event["marks"]), len(event["points"]), event["position"]["turn"]) == (2, 2, 1)


@with_service
async def test_stale_message_is_followed_by_a_snapshot(harness: ServiceHarness) -> None:
    match = await harness.friends()
    recorder = await harness.subscribe(match, ANN)
    await harness.send(match, 1, "move", "3")
    answer = await harness.send(match, 1, "move", "3", seq=1)
    assert (answer["code"], answer["seq"]) == ("stale", 2)
    assert (recorder.frames[-1]["kind"], recorder.frames[-1]["seq"]) == ("table", 2)


@with_service
async def test_repeated_request_is_acknowledged_after_restart(harness: ServiceHarness) -> None:
    match = await harness.friends()
    first = await harness.send(match, 1, "move", "3", request="once", seq=1)
    assert await harness.send(match, 1, "move", "3", request="once", seq=1) == first
    await harness.restart()
    assert await harness.send(match, 1, "move", "3", request="once", seq=1) == first
    assert await harness.seq(match) == 2


@with_service
async def test_request_ids_of_players_do_not_collide(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.send(match, 1, "move", "3", request="same")
    assert (await harness.send(match, 2, "move", "3", request="same"))["seq"] == 3


@with_service
async def test_no_move_is_played_after_the_end(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.moves(match, "3", "2", "2")
    assert (await harness.send(match, 2, "move", "1"))["code"] == "over"


@with_service
async def test_snapshot_after_the_last_move_has_the_score(harness: ServiceHarness) -> None:
    match = await harness.friends()
    recorder = await harness.subscribe(match, BOB)
    await harness.moves(match, "3", "2", "2")
    assert [frame["kind"] for frame in recorder.frames[-2:]] == ["event", "table"]
    assert recorder.frames[-2]["outcome"] == {"winner": 1, "reason": "{1} reached 5."}
    assert (recorder.match["score"], recorder.match["ended"]) == ([1, 0], True)
    assert harness.store.unfinished_matches() == []


@with_service
async def test_event_of_another_process_is_applied(harness: ServiceHarness) -> None:
    match = await harness.friends()
    harness.store.append([Event(match, 2, 1, "2", "1:elsewhere", 0, harness.clock.now)])
    answer = await harness.send(match, 1, "move", "3", seq=1)
    assert answer["code"] == "stale"
    assert (await harness.state(match))["match"]["log"][0]["move"] == "2"


@with_service
async def test_request_stored_by_another_process_is_acknowledged(harness: ServiceHarness) -> None:
    match = await harness.friends()
    harness.store.append([Event(match, 2, 1, "3", "1:mine", 0, harness.clock.now)])
    assert (await harness.send(match, 1, "move", "3", seq=1, request="mine"))["seq"] == 2


@with_service
async def test_unsaved_move_is_rejected_and_can_be_retried(harness: ServiceHarness) -> None:
    match = await harness.friends()
    append = harness.store.append

    def full(_: Any) -> Any:
        raise StoreError("The disk is full; make room")

    harness.store.append = full  # type: ignore[method-assign, assignment]  # a disk that fails
    assert (await harness.send(match, 1, "move", "3"))["code"] == "cannot_save"
    harness.store.append = append  # type: ignore[method-assign]  # and is repaired
    assert (await harness.send(match, 1, "move", "3"))["kind"] == "ack"


# Offers, rounds, rematch


@with_service
async def test_takeback_needs_the_opponents_consent(harness: ServiceHarness) -> None:
    match = await harness.friends()
    recorder = await harness.subscribe(match, BOB)
    await harness.moves(match, "3", "2")
    assert (await harness.send(match, 1, "offer", "takeback"))["kind"] == "ack"
    assert recorder.match["offers"] == [{"what": "takeback", "seat": 1}]
    assert len(recorder.match["log"]) == 2
    assert (await harness.send(match, 2, "accept", "takeback"))["kind"] == "ack"
    assert (recorder.match["offers"], recorder.match["log"]) == ([], [])


@with_service
async def test_offer_survives_a_restart(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.moves(match, "3")
    await harness.send(match, 1, "offer", "takeback")
    await harness.restart()
    await harness.send(match, 2, "accept", "takeback")
    assert (await harness.state(match))["match"]["log"] == []


@pytest.mark.parametrize(("seat", "word"), [(2, "decline"), (1, "withdraw")])
def test_offer_can_be_declined_and_withdrawn(seat: int, word: str, tmp_path: Any) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        match = await harness.friends()
        await harness.moves(match, "3")
        await harness.send(match, 1, "offer", "takeback")
        assert (await harness.send(match, seat, word, "takeback"))["kind"] == "ack"
        assert (await harness.send(match, 2, "accept", "takeback"))["code"] == "not_allowed"

    scene(tmp_path)


@with_service
async def test_move_cancels_an_offer(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.moves(match, "3")
    await harness.send(match, 1, "offer", "takeback")
    await harness.moves(match, "2")
    assert (await harness.state(match))["match"]["offers"] == []


@with_service
async def test_takeback_against_a_bot_is_immediate(harness: ServiceHarness) -> None:
    match = await harness.against_bot()
    await harness.moves(match, "3")
    assert len((await harness.state(match))["match"]["log"]) == 2
    await harness.send(match, 1, "offer", "takeback")
    assert (await harness.state(match))["match"]["log"] == []


@with_service
async def test_takeback_at_one_screen_is_immediate(harness: ServiceHarness) -> None:
    match = (await harness.service.create(match_request("flag-chase", HERE), ANN)).match
    for move in ("3", "2"):
        await harness.send(match, (1, 2), "move", move)
    await harness.send(match, (1, 2), "offer", "takeback")
    assert [ply["move"] for ply in (await harness.state(match))["match"]["log"]] == ["3"]


@with_service
async def test_takeback_needs_a_move_in_a_running_game(harness: ServiceHarness) -> None:
    match = await harness.friends()
    assert (await harness.send(match, 1, "offer", "takeback"))["code"] == "not_allowed"
    await harness.moves(match, "3", "2", "2")
    assert (await harness.send(match, 1, "offer", "takeback"))["code"] == "over"


@with_service
async def test_resign_is_only_valid_in_your_turn(harness: ServiceHarness) -> None:
    match = await harness.friends()
    assert (await harness.send(match, 2, "resign"))["code"] == "not_your_turn"
    assert (await harness.send(match, 1, "resign"))["kind"] == "ack"
    assert (await harness.state(match))["match"]["outcome"] == {"winner": 2, "reason": "{1} resigned."}


@with_service
async def test_rounds_alternate_the_first_player_and_count(harness: ServiceHarness) -> None:
    match = await harness.friends(rounds=2)
    assert (await harness.send(match, 1, "next"))["code"] == "not_allowed"
    await harness.send(match, 1, "resign")
    part = (await harness.state(match))["match"]
    assert (part["score"], part["ended"], part["round"]) == ([0, 1], False, 1)
    assert (await harness.send(match, 1, "next"))["kind"] == "ack"
    part = (await harness.state(match))["match"]
    assert (part["first"], part["round"], part["outcome"], part["log"]) == (2, 2, None, [])
    await harness.send(match, 2, "resign")
    part = (await harness.state(match))["match"]
    assert (part["score"], part["ended"]) == ([1, 1], True)
    assert (await harness.send(match, 1, "next"))["code"] == "over"


@with_service
async def test_rematch_keeps_seats_and_changes_the_first_player(harness: ServiceHarness) -> None:
    match = await harness.friends()
    assert (await harness.send(match, 1, "offer", "rematch"))["code"] == "not_allowed"
    await harness.send(match, 1, "resign")
    await harness.send(match, 1, "offer", "rematch")
    await harness.restart()
    assert (await harness.send(match, 2, "accept", "rematch"))["kind"] == "ack"
    new = (await harness.state(match))["match"]["rematch"]
    part = (await harness.state(new, BOB))["match"]
    assert [seat["name"] for seat in part["seats"]] == ["Ann", "Bob"]
    assert (part["first"], part["id"]) == (2, new)
    assert await harness.service.seats_of(new, BOB) == (2,)


@with_service
async def test_two_rematch_offers_make_one_match(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.send(match, 1, "resign")
    for seat in (1, 2):
        await harness.send(match, seat, "offer", "rematch")
    assert (await harness.state(match))["match"]["rematch"]


@with_service
async def test_bot_accepts_a_rematch_and_starts_it(harness: ServiceHarness) -> None:
    match = await harness.against_bot()
    await harness.send(match, 1, "resign")
    await harness.send(match, 1, "offer", "rematch")
    new = (await harness.state(match))["match"]["rematch"]
    await harness.state(new)
    await harness.wait_idle()
    assert [ply["player"] for ply in (await harness.state(new))["match"]["log"]] == [2]


# Clock


@with_service
async def test_clock_waits_until_all_seats_are_taken(harness: ServiceHarness) -> None:
    order = match_request("flag-chase", (person("Ann"), None), clock=clock_request(60, 2))
    made = await harness.service.create(order, ANN)
    harness.clock.now += 50
    await harness.service.claim(made.match, made.invites[2], "Bob", BOB)
    harness.clock.now += 10
    clock = (await harness.state(made.match))["match"]["clock"]
    assert clock == {"seconds": 60, "increment": 2, "left": [50_000, 60_000], "running": 1}


@with_service
async def test_move_stops_the_clock_and_adds_the_increment(harness: ServiceHarness) -> None:
    match = await harness.friends(clock=clock_request(60, 2))
    harness.clock.now += 10
    await harness.moves(match, "3")
    await harness.restart()
    harness.clock.now += 5
    clock = (await harness.state(match))["match"]["clock"]
    assert (clock["left"], clock["running"]) == ([52_000, 55_000], 2)


@with_service
async def test_timeout_loses_the_game(harness: ServiceHarness) -> None:
    match = await harness.friends(clock=clock_request(60))
    recorder = await harness.subscribe(match, ANN)
    harness.clock.now += 61
    live = harness.service.registry.rooms.get(match)
    assert live
    await harness.service.registry._end_on_time(live)
    await harness.wait_idle()
    assert recorder.match["outcome"] == {"winner": 2, "reason": "{1} ran out of time."}
    assert recorder.match["log"][-1]["said"] == "{1} ran out of time."
    assert recorder.match["clock"]["left"][0] == 0


@with_service
async def test_timeout_has_no_turning_point(harness: ServiceHarness) -> None:
    match = await harness.friends(clock=clock_request(60), assist="on")
    harness.clock.now += 61
    await harness.send(match, 1, "move", "3")
    assert "turning" not in (await harness.state(match))["match"]


@with_service
async def test_move_after_timeout_is_too_late(harness: ServiceHarness) -> None:
    match = await harness.friends(clock=clock_request(60))
    harness.clock.now += 61
    assert (await harness.send(match, 1, "move", "3"))["code"] == "stale"
    assert (await harness.state(match))["match"]["ended"]


@with_service
async def test_clock_that_expired_during_downtime_ends_the_game(harness: ServiceHarness) -> None:
    match = await harness.friends(clock=clock_request(60))
    await harness.stop()
    harness.clock.now += 61
    await harness.start()
    live = await harness.service.registry.get_room(match)
    await harness.service.registry._end_on_time(live)
    await harness.wait_idle()
    assert (await harness.state(match))["match"]["outcome"]["winner"] == 2


@pytest.mark.parametrize(("jump", "left"), [(3600, 240), (-3600, 295), (10, 285)])
def test_jump_of_the_clock_across_a_restart_is_bounded(jump: float, left: int, tmp_path: Any) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        match = await harness.friends(clock=clock_request(300))
        await harness.stop()
        harness.clock.now += jump
        await harness.start()
        if jump != 3600:
            harness.clock.now += 5
        assert (await harness.state(match))["match"]["clock"]["left"] == [left * 1000, 300_000]
        await harness.moves(match, "3")
        harness.clock.now += 7
        assert (await harness.state(match))["match"]["clock"]["left"] == [left * 1000, 293_000]

    scene(tmp_path)


@with_service
async def test_timestamps_of_events_never_go_back(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.stop()
    harness.clock.now -= 3600
    await harness.start()
    await harness.moves(match, "3")
    stored = harness.store.find(match)
    assert stored
    assert [event.at for event in stored.events] == sorted(event.at for event in stored.events)


def test_steady_clock_ignores_the_system_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    clock, before = steady_clock(), time.time()
    assert clock() - before < 60
    monkeypatch.setattr(time, "time", lambda: before + 3600)
    assert clock() - before < 60


# What may be seen


@pytest.mark.parametrize(("assist", "before", "after"), [("off", 0, 0), ("after", 0, 1), ("on", 1, 1)])
def test_values_are_sent_only_if_the_match_allows(assist: Any, before: int, after: int, tmp_path: Any) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        match = await harness.friends(assist=assist)
        recorder = await harness.subscribe(match)
        await harness.moves(match, "3", "2")
        for frame in recorder.of("table") + recorder.of("event"):
            assert (frame["values"] is not None) == bool(before)
            assert ("mark" in frame or "marks" in frame.get("match", {})) == bool(before)
        seen = json.loads(await harness.service.position(match, "1 0,10"))
        assert (seen["values"] is not None) == bool(before)
        await harness.moves(match, "2")
        table = recorder.of("table")[-1]
        assert ("series" in table["match"], "turning" in table["match"]) == (bool(after), bool(after))
        review = await harness.service.review(match)
        assert bool(review["marks"]) == bool(after)
        assert table["match"].get("turning_at", 0) == review["turning_at"]

    scene(tmp_path)


@with_service
async def test_value_series_has_one_point_more_than_the_log(harness: ServiceHarness) -> None:
    match = await harness.friends(assist="on")
    await harness.moves(match, "3", "2")
    part = (await harness.state(match))["match"]
    assert (len(part["log"]), len(part["marks"]), len(part["series"])) == (2, 2, 3)


@with_service
async def test_questions_are_answered_if_the_match_allows(harness: ServiceHarness) -> None:
    match = await harness.friends(assist="on")
    answers = {what: await harness.send(match, 1, "ask", what) for what in ("hint", "move", "why")}
    assert all(answer["kind"] == "answer" and answer["text"] for answer in answers.values())
    assert (answers["hint"]["move"], answers["move"]["move"]) == ("", "3")
    match = await harness.friends(assist="after")
    assert (await harness.send(match, 1, "ask", "hint"))["code"] == "not_allowed"


@with_service
async def test_why_after_the_end_explains_the_turning_point(harness: ServiceHarness) -> None:
    match = await harness.friends(assist="after")
    await harness.moves(match, "1")
    await harness.send(match, 2, "resign")
    assert (await harness.send(match, 1, "ask", "why"))["kind"] == "answer"


@with_service
async def test_large_variant_is_played_without_values(harness: ServiceHarness) -> None:
    match = await harness.friends("line-runner(end=3000)", assist="on")
    recorder = await harness.subscribe(match)
    await harness.moves(match, "3")
    assert [frame["values"] for frame in recorder.frames if frame["kind"] != "presence"] == [None, None]
    assert (await harness.send(match, 2, "ask", "hint"))["code"] == "too_many_positions"


def test_room_does_not_wait_for_a_long_solution(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.rooms.room.SOLVE_TIMEOUT_S", 0.01)
    solved = threading.Event()
    evaluate = events.evaluate

    def slowly(*arguments: Any) -> Any:
        solved.wait(10)
        return evaluate(*arguments)

    monkeypatch.setattr(events, "evaluate", slowly)

    @with_service
    async def scene(harness: ServiceHarness) -> None:
        match = await harness.friends(assist="on")
        recorder = await harness.subscribe(match, ANN)
        assert recorder.of("table")[-1]["values"] is None
        solved.set()
        await harness.service.registry.solver_pool.solve(None, int)
        await harness.wait_idle()
        assert recorder.of("table")[-1]["values"] is not None

    scene(tmp_path)


# Programs


@pytest.mark.parametrize("bot", ["random", "greedy", "easy", "level:3", "perfect", "mcts:20"])
def test_bot_replies_to_each_move(bot: str, tmp_path: Any) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        match = await harness.against_bot(bot, "line-runner")
        await harness.moves(match, "3")
        assert [ply["player"] for ply in (await harness.state(match))["match"]["log"]] == [1, 2]

    scene(tmp_path)


NEXT_LEVELS = {
    "level:3": {"won": 4, "drawn": 3, "lost": 2},
    "auto:3": {"won": 4, "drawn": 3, "lost": 2},
    "easy": None,
    "level:10": {"won": 10, "drawn": 10, "lost": 9},
    "random": None,
}


@pytest.mark.parametrize("bot", NEXT_LEVELS)
def test_snapshot_has_the_levels_of_the_next_opponent(bot: str, tmp_path: Any) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        match = await harness.against_bot(bot)
        assert (await harness.state(match))["match"]["next_levels"] == NEXT_LEVELS[bot]

    scene(tmp_path)


@with_service
async def test_bots_play_all_rounds_against_each_other(harness: ServiceHarness) -> None:
    bots = (bot("random"), bot("greedy"))
    match = (await harness.service.create(match_request("flag-chase", bots, rounds=3), ANN)).match
    await harness.wait_idle()
    part = (await harness.state(match))["match"]
    assert (part["ended"], sum(part["score"])) == (True, 3)


@with_service
async def test_bot_moves_after_a_restart(harness: ServiceHarness) -> None:
    match = await harness.against_bot()
    await harness.stop()
    store = Store(harness.url)
    store.append([Event(match, 1, 1, "3", "1:crashed", 0, harness.clock.now)])
    store.close()
    await harness.start()
    await harness.wait_idle()
    assert await harness.seq(match) == 2


@with_service
async def test_failing_bot_resigns(harness: ServiceHarness) -> None:
    match = await harness.against_bot()

    async def nonsense(*_: Any) -> str:
        return "nonsense"

    harness.service.registry.bot_runner.choose_move = nonsense  # type: ignore[method-assign, assignment]  # a broken bot
    await harness.send(match, 1, "move", "3")
    assert (await harness.state(match))["match"]["outcome"]["reason"] == "{2} resigned."


async def changed(harness: ServiceHarness, change: str) -> None:
    """Change the database while the server is down."""
    await harness.stop()
    with closing(sqlite3.connect(harness.url.removeprefix("sqlite:///"))) as file, file:
        file.execute(change)
    await harness.start()
    await harness.wait_idle()


@with_service
async def test_bot_command_in_the_database_is_never_run(harness: ServiceHarness) -> None:
    match, trace = await harness.against_bot(), Path(harness.url.removeprefix("sqlite:///")).with_name("trace")
    await changed(harness, f"UPDATE seat SET bot = ' EXEC:touch {trace}' WHERE bot IS NOT NULL")  # noqa: S608 - our own words
    await harness.send(match, 1, "move", "3")
    assert (await harness.state(match))["match"]["outcome"]["reason"] == "{2} resigned."
    assert not trace.exists()


@pytest.mark.parametrize(
    "change",
    [
        "match SET settings = '['",
        "match SET settings = '[]'",
        "match SET score = 'x'",
        "seat SET name = x'00ff'",
        "seat SET seat = seat + 7",
        "event SET what = x'ff'",
        "event SET what = 'zzz'",
    ],
)
def test_damaged_match_does_not_affect_others(change: str, tmp_path: Path) -> None:
    @with_service
    async def scene(harness: ServiceHarness) -> None:
        damaged, waiting = await harness.against_bot(), await harness.against_bot()
        await harness.moves(damaged, "3")
        row = f"(match, seq, seat, what, request, spent_ms, at) VALUES ('{waiting}', 1, 1, '3', 'r', 0, 0)"
        await changed(harness, f"INSERT INTO event {row}")
        await changed(harness, f"UPDATE {change} WHERE {'id' if change[0] == 'm' else 'match'} = '{damaged}'")
        assert "damaged" in (await refused(harness.state(damaged))).sentence
        assert await harness.seq(waiting) == 2

    scene(tmp_path)


# Coming, going, deleting


@with_service
async def test_presence_is_broadcast(harness: ServiceHarness) -> None:
    match = await harness.friends()
    ann = await harness.subscribe(match, ANN)
    bob = await harness.subscribe(match, BOB)
    await harness.subscribe(match)
    assert ann.frames[-1] == {"kind": "presence", "seats": [True, True], "watching": 1}
    harness.service.leave(match, bob)
    await harness.wait_idle()
    assert ann.frames[-1] == {"kind": "presence", "seats": [True, False], "watching": 1}


@with_service
async def test_only_players_can_delete_a_match(harness: ServiceHarness) -> None:
    match = await harness.friends()
    recorder = await harness.subscribe(match, BOB)
    assert (await refused(harness.service.delete(match, EVE))).code == "not_found"
    await harness.service.delete(match, ANN)
    assert recorder.frames[-1]["kind"] == "goodbye"
    assert (await refused(harness.state(match))).code == "not_found"
    assert harness.store.find(match) is None


@with_service
async def test_shutdown_tells_clients_to_reconnect(harness: ServiceHarness) -> None:
    match = await harness.friends()
    recorder = await harness.subscribe(match, ANN)
    await harness.restart()
    assert recorder.frames[-1]["kind"] == "goodbye"


@with_service
async def test_message_to_unknown_match_gets_an_error(harness: ServiceHarness) -> None:
    answer = await harness.act("nowhere", (1,), message("move", "r", 0, "3"))
    assert (answer["code"], answer["request"]) == ("not_found", "r")


@with_service
async def test_idle_rooms_are_evicted_and_reloaded(harness: ServiceHarness) -> None:
    harness.service.registry.max_rooms = 3
    matches = [await harness.friends() for _ in range(5)]
    held = [match for match in matches if harness.service.registry.rooms.get(match)]
    assert len(held) == 3
    await harness.moves(matches[0], "3")
    assert await harness.seq(matches[0]) == 2


@with_service
async def test_free_memory_is_released_now_and_then(harness: ServiceHarness) -> None:
    released, loop = asyncio.Event(), asyncio.get_running_loop()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(registry, "SWEEP_INTERVAL_S", 0.01)
        patch.setattr(registry, "_release_free_memory", lambda: loop.call_soon_threadsafe(released.set))
        await harness.restart()
        await asyncio.wait_for(released.wait(), 10)


def test_encoded_parts_take_a_bounded_amount_of_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(events, "_MAX_CACHE_BYTES", 10_000)
    encoder = events.book_encoder_cache()("line-runner", None)
    positions = [encoder.book.start()._replace(last=last) for last in range(100)]
    for position in positions:
        encoder.position(position, b"x" * 1_000)
    kept = [position for position in positions if encoder._cache.get((encoder._serial, position))]
    assert kept == positions[-len(kept) :]
    assert 5 < len(kept) < 10


@with_service
async def test_record_has_all_rounds_and_the_real_names(harness: ServiceHarness) -> None:
    match = await harness.friends(rounds=2)
    await harness.moves(match, "3", "2", "2")
    await harness.send(match, 1, "next")
    await harness.moves(match, "1")
    first, second = parse_records(await harness.service.record(match))
    assert (first.names, first.length, second.first, second.length) == (("Ann", "Bob"), 3, 2, 1)


@with_service
async def test_logs_and_sentences_contain_no_names_or_tokens(harness: ServiceHarness) -> None:
    logged: list[str] = []
    handler = logging.Handler(0)
    handler.emit = lambda record: logged.append(record.getMessage())  # type: ignore[method-assign]  # only listens
    logging.getLogger().addHandler(handler)
    try:
        match = await harness.friends(assist="on")
        recorder = await harness.subscribe(match, ANN)
        await harness.moves(match, "3", "2", "2")
    finally:
        logging.getLogger().removeHandler(handler)
    assert not any(word in line for line in logged for word in ("Ann", "Bob", ANN, BOB))
    for frame in recorder.frames:
        frame.get("match", {}).pop("seats", None)
        assert "Ann" not in json.dumps(frame)


@with_service
async def test_takeback_among_three_needs_both_opponents(harness: ServiceHarness) -> None:
    order = match_request("line-runner(players=3)", (person("Ann"), None, None), assist="on")
    made = await harness.service.create(order, ANN)
    for seat, token in ((2, BOB), (3, EVE)):
        await harness.service.claim(made.match, made.invites[seat], f"guest {seat}", token)
    await harness.moves(made.match, "3", "2")
    await harness.send(made.match, 1, "offer", "takeback")
    await harness.send(made.match, 2, "accept", "takeback")
    assert len((await harness.state(made.match))["match"]["log"]) == 2
    await harness.send(made.match, 3, "accept", "takeback")
    assert (await harness.state(made.match))["match"]["log"] == []


@with_service
async def test_two_tabs_in_one_seat_get_the_same_events(harness: ServiceHarness) -> None:
    match = await harness.friends()
    tabs = [await harness.subscribe(match, ANN) for _ in range(2)]
    await harness.moves(match, "3")
    assert tabs[0].frames[-1] == tabs[1].frames[-1]


@with_service
async def test_late_subscribers_get_every_event_once_in_order(harness: ServiceHarness) -> None:
    match = await harness.friends("line-runner", assist="on")
    recorders: list[FrameRecorder] = []
    numbers = count(1)

    async def come() -> None:
        recorder = FrameRecorder()
        recorders.append(recorder)
        await harness.service.join(match, recorder)

    async def move(seat: int) -> None:
        seq = next(numbers)
        await harness.service.act(match, (seat,), message("move", f"r{seq}", seq, "1"))

    for seat in (1, 2) * 4:
        await asyncio.gather(come(), move(seat), come())
    await harness.wait_idle()
    for recorder in recorders:
        table, *events = [frame["seq"] for frame in recorder.frames if frame["kind"] != "presence"]
        assert [table, *events] == list(range(table, 10))


@with_service
async def test_delete_expired_removes_only_old_matches(harness: ServiceHarness) -> None:
    left, over = await harness.friends(), await harness.friends()
    await harness.send(over, 1, "resign")
    await harness.restart()
    harness.clock.now += 1_000
    fresh = await harness.friends()
    assert await harness.service.registry.delete_expired(harness.clock.now - 500) == 2
    assert [harness.store.find(match) is None for match in (left, over, fresh)] == [True, True, False]


@with_service
async def test_clock_far_ahead_at_the_start_deletes_nothing_at_first(harness: ServiceHarness) -> None:
    match, keep_s = await harness.friends(), 90 * SECONDS_PER_DAY
    await harness.stop()
    harness.clock.now += 200 * SECONDS_PER_DAY
    await harness.start()
    harness.clock.now += 1
    await harness.friends()  # a new match does not prove the clock right
    registry = harness.service.registry
    await registry._delete_expired(keep_s)
    assert harness.store.find(match)
    harness.clock.now += 31 * SECONDS_PER_DAY
    await registry._delete_expired(keep_s)
    assert harness.store.find(match) is None


@with_service
async def test_clock_near_the_newest_event_deletes_expired_matches(harness: ServiceHarness) -> None:
    match = await harness.friends()
    harness.clock.now += 95 * SECONDS_PER_DAY
    await harness.friends()
    await harness.restart()
    harness.clock.now += SECONDS_PER_DAY
    await harness.service.registry._delete_expired(90 * SECONDS_PER_DAY)
    assert harness.store.find(match) is None


@with_service
async def test_client_that_joins_during_a_shutdown_is_told_to_wait(harness: ServiceHarness) -> None:
    match = await harness.friends()
    await harness.service.registry.stop()
    error = await refused(harness.service.join(match, FrameRecorder(), ANN))
    assert (error.code, error.sentence) == ("cannot_save", "The server is restarting. Try again in a moment.")


@with_service
async def test_create_is_rejected_when_too_many_rooms_are_open(harness: ServiceHarness) -> None:
    await harness.friends()
    harness.service.registry.max_rooms = 0
    assert (await refused(harness.service.create(match_request("flag-chase", HERE), ANN))).code == "busy"


@with_service
async def test_match_without_any_move_is_deleted_after_a_day(harness: ServiceHarness) -> None:
    unmoved, moved = await harness.friends(), await harness.friends()
    await harness.moves(moved, "3")
    await harness.restart()
    harness.clock.now += 86_400 + 1
    fresh = await harness.friends()
    assert await harness.service.registry.delete_expired(harness.clock.now - 90 * 86_400) == 1
    assert [harness.store.find(match) is None for match in (unmoved, moved, fresh)] == [True, False, False]
