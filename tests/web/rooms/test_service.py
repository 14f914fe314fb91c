"""The match service on a real store: matches, seats, messages and broadcasts."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import threading
from contextlib import closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from numberline.game.notation import parse_records
from numberline.web.protocol.errors import HTTP_STATUS, ApiError
from numberline.web.protocol.events import BookEncoder
from numberline.web.protocol.messages import CreateMatchRequest
from numberline.web.store.store import Event, Store, StoreError
from support.matches import ANN, BOB, EVE, Ear, Evening, at_a_table, bot, clock_request, match_request, message, person

HERE = (person("Ann"), person("Bob"))


async def refused(work: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await work
    assert caught.value.code in HTTP_STATUS
    return caught.value


# Seats


@at_a_table
async def test_invitation_gives_the_free_seat(evening: Evening) -> None:
    made = await evening.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    assert made.seat == 1
    assert await evening.service.claim(made.match, made.invites[2], "Bob", BOB) == 2
    assert await evening.service.seats_of(made.match, BOB) == (2,)


@at_a_table
async def test_concurrent_seat_claims_have_one_winner(evening: Evening) -> None:
    made = await evening.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    claims = (evening.service.claim(made.match, made.invites[2], f"guest {n}", f"token-{n}") for n in range(200))
    answers = await asyncio.gather(*claims, return_exceptions=True)
    assert answers.count(2) == 1
    assert [each.code for each in answers if isinstance(each, ApiError)] == ["seat_taken"] * 199


@at_a_table
async def test_seat_claim_is_idempotent(evening: Evening) -> None:
    made = await evening.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    for _ in range(2):
        assert await evening.service.claim(made.match, made.invites[2], "Bob", BOB) == 2
    assert await evening.seq(made.match) == 1


@at_a_table
async def test_taken_seat_stays_taken_after_a_restart(evening: Evening) -> None:
    made = await evening.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    await evening.service.claim(made.match, made.invites[2], "Bob", BOB)
    await evening.again()
    assert (await refused(evening.service.claim(made.match, made.invites[2], "Eve", EVE))).code == "seat_taken"
    assert await evening.service.seats_of(made.match, BOB) == (2,)


@at_a_table
async def test_unknown_invitation_is_not_found(evening: Evening) -> None:
    match = await evening.friends()
    assert (await refused(evening.service.claim(match, "guess", "Eve", EVE))).code == "not_found"


@at_a_table
async def test_watcher_who_claims_is_seated_immediately(evening: Evening) -> None:
    made = await evening.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    ear = await evening.listening(made.match, BOB)
    assert ear.you == ()
    await evening.service.claim(made.match, made.invites[2], "Bob", BOB)
    await evening.service.registry.wait_idle()
    assert ear.of("table")[-1]["you"] == [2]
    assert ear.of("presence")[-1] == {"kind": "presence", "seats": [False, True], "watching": 0}


@at_a_table
async def test_first_player_may_move_before_the_friend_joins(evening: Evening) -> None:
    made = await evening.service.create(match_request("flag-chase", (person("Ann"), None)), ANN)
    assert (await evening.say(made.match, 1, "move", "3"))["kind"] == "ack"


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
        (match_request("line-runner(end=3000)", (person("A"), bot("level:3"))), "too_many_positions"),
    ],
)
def test_create_rejects_invalid_requests(order: CreateMatchRequest, code: str, tmp_path: Any) -> None:
    @at_a_table
    async def scene(evening: Evening) -> None:
        assert (await refused(evening.service.create(order, ANN))).code == code

    scene(tmp_path)


@at_a_table
async def test_toss_decides_the_first_player(evening: Evening) -> None:
    firsts = set()
    for _ in range(12):
        made = await evening.service.create(match_request("flag-chase", HERE, first="toss"), ANN)
        part = (await evening.state(made.match))["match"]
        assert part["tossed"]
        firsts.add(part["first"])
    assert firsts == {1, 2}


# Moves


@at_a_table
async def test_move_is_acknowledged_and_broadcast(evening: Evening) -> None:
    match = await evening.friends()
    ears = [await evening.listening(match, token) for token in (ANN, BOB, "")]
    answer = await evening.say(match, 1, "move", "3", request="mine")
    assert answer == {"kind": "ack", "request": "mine", "seq": 2}
    for ear in ears:
        event = ear.frames[-1]
        assert (event["kind"], event["seq"], event["seat"], event["what"]) == ("event", 2, 1, "3")
        assert event["ply"]["said"] == "{1} moves from tile 0 to tile 3."
        assert event["position"]["turn"] == 2


@at_a_table
async def test_ack_comes_before_the_event(evening: Evening) -> None:
    match = await evening.friends()
    ear = await evening.listening(match, ANN)
    before = len(ear.raw)
    await evening.service.act(match, (1,), message("move", "a", 1, "3"))
    assert len(ear.raw) == before
    await evening.service.registry.wait_idle()
    assert ear.frames[-1]["kind"] == "event"


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
    @at_a_table
    async def scene(evening: Evening) -> None:
        match = await evening.friends()
        answer = await evening.say(match, seat, "move", move, request="mine")
        assert (answer["kind"], answer["code"], answer["request"]) == ("error", code, "mine")
        assert answer["sentence"].endswith(".")
        assert await evening.seq(match) == 1

    scene(tmp_path)


@at_a_table
async def test_move_is_stored_in_canonical_form(evening: Evening) -> None:
    match = await evening.friends()
    await evening.say(match, 1, "move", " +3 ")
    assert evening.store.events_since(match, 1)[0].what == "3"


@at_a_table
async def test_lost_turns_are_sent_with_the_move_before_them(evening: Evening) -> None:
    match = await evening.friends("line-runner(steps=1)", assist="on")
    ear = await evening.listening(match, ANN)
    await evening.moves(match, "1")
    event = ear.frames[-1]
    assert [ply["move"] for ply in event["plies"]] == ["1", "pass"]
    assert (len(event["marks"]), len(event["points"]), event["position"]["turn"]) == (2, 2, 1)


@at_a_table
async def test_stale_message_is_followed_by_a_snapshot(evening: Evening) -> None:
    match = await evening.friends()
    ear = await evening.listening(match, ANN)
    await evening.say(match, 1, "move", "3")
    answer = await evening.say(match, 1, "move", "3", seq=1)
    assert (answer["code"], answer["seq"]) == ("stale", 2)
    assert (ear.frames[-1]["kind"], ear.frames[-1]["seq"]) == ("table", 2)


@at_a_table
async def test_repeated_request_is_acknowledged_after_restart(evening: Evening) -> None:
    match = await evening.friends()
    first = await evening.say(match, 1, "move", "3", request="once", seq=1)
    assert await evening.say(match, 1, "move", "3", request="once", seq=1) == first
    await evening.again()
    assert await evening.say(match, 1, "move", "3", request="once", seq=1) == first
    assert await evening.seq(match) == 2


@at_a_table
async def test_request_ids_of_players_do_not_collide(evening: Evening) -> None:
    match = await evening.friends()
    await evening.say(match, 1, "move", "3", request="same")
    assert (await evening.say(match, 2, "move", "3", request="same"))["seq"] == 3


@at_a_table
async def test_no_move_is_played_after_the_end(evening: Evening) -> None:
    match = await evening.friends()
    await evening.moves(match, "3", "2", "2")
    assert (await evening.say(match, 2, "move", "1"))["code"] == "over"


@at_a_table
async def test_snapshot_after_the_last_move_has_the_score(evening: Evening) -> None:
    match = await evening.friends()
    ear = await evening.listening(match, BOB)
    await evening.moves(match, "3", "2", "2")
    assert [frame["kind"] for frame in ear.frames[-2:]] == ["event", "table"]
    assert ear.frames[-2]["outcome"] == {"winner": 1, "reason": "{1} reached 5."}
    assert (ear.match["score"], ear.match["ended"]) == ([1, 0], True)
    assert evening.store.unfinished_matches() == []


@at_a_table
async def test_event_of_another_process_is_applied(evening: Evening) -> None:
    match = await evening.friends()
    evening.store.append([Event(match, 2, 1, "2", "1:elsewhere", 0, evening.clock.now)])
    answer = await evening.say(match, 1, "move", "3", seq=1)
    assert answer["code"] == "stale"
    assert (await evening.state(match))["match"]["log"][0]["move"] == "2"


@at_a_table
async def test_request_stored_by_another_process_is_acknowledged(evening: Evening) -> None:
    match = await evening.friends()
    evening.store.append([Event(match, 2, 1, "3", "1:mine", 0, evening.clock.now)])
    assert (await evening.say(match, 1, "move", "3", seq=1, request="mine"))["seq"] == 2


@at_a_table
async def test_unsaved_move_is_rejected_and_can_be_retried(evening: Evening) -> None:
    match = await evening.friends()
    append = evening.store.append

    def full(_: Any) -> Any:
        raise StoreError("The disk is full; make room")

    evening.store.append = full  # type: ignore[method-assign, assignment]  # a disk that fails
    assert (await evening.say(match, 1, "move", "3"))["code"] == "cannot_save"
    evening.store.append = append  # type: ignore[method-assign]  # and is repaired
    assert (await evening.say(match, 1, "move", "3"))["kind"] == "ack"


# Offers, rounds, rematch


@at_a_table
async def test_takeback_needs_the_opponents_consent(evening: Evening) -> None:
    match = await evening.friends()
    ear = await evening.listening(match, BOB)
    await evening.moves(match, "3", "2")
    assert (await evening.say(match, 1, "offer", "takeback"))["kind"] == "ack"
    assert ear.match["offers"] == [{"what": "takeback", "seat": 1}]
    assert len(ear.match["log"]) == 2
    assert (await evening.say(match, 2, "accept", "takeback"))["kind"] == "ack"
    assert (ear.match["offers"], ear.match["log"]) == ([], [])


@at_a_table
async def test_offer_survives_a_restart(evening: Evening) -> None:
    match = await evening.friends()
    await evening.moves(match, "3")
    await evening.say(match, 1, "offer", "takeback")
    await evening.again()
    await evening.say(match, 2, "accept", "takeback")
    assert (await evening.state(match))["match"]["log"] == []


@pytest.mark.parametrize(("seat", "word"), [(2, "decline"), (1, "withdraw")])
def test_offer_can_be_declined_and_withdrawn(seat: int, word: str, tmp_path: Any) -> None:
    @at_a_table
    async def scene(evening: Evening) -> None:
        match = await evening.friends()
        await evening.moves(match, "3")
        await evening.say(match, 1, "offer", "takeback")
        assert (await evening.say(match, seat, word, "takeback"))["kind"] == "ack"
        assert (await evening.say(match, 2, "accept", "takeback"))["code"] == "not_allowed"

    scene(tmp_path)


@at_a_table
async def test_move_cancels_an_offer(evening: Evening) -> None:
    match = await evening.friends()
    await evening.moves(match, "3")
    await evening.say(match, 1, "offer", "takeback")
    await evening.moves(match, "2")
    assert (await evening.state(match))["match"]["offers"] == []


@at_a_table
async def test_takeback_against_a_bot_is_immediate(evening: Evening) -> None:
    match = await evening.alone()
    await evening.moves(match, "3")
    assert len((await evening.state(match))["match"]["log"]) == 2
    await evening.say(match, 1, "offer", "takeback")
    assert (await evening.state(match))["match"]["log"] == []


@at_a_table
async def test_takeback_at_one_screen_is_immediate(evening: Evening) -> None:
    match = (await evening.service.create(match_request("flag-chase", HERE), ANN)).match
    for move in ("3", "2"):
        await evening.say(match, (1, 2), "move", move)
    await evening.say(match, (1, 2), "offer", "takeback")
    assert [ply["move"] for ply in (await evening.state(match))["match"]["log"]] == ["3"]


@at_a_table
async def test_takeback_needs_a_move_in_a_running_game(evening: Evening) -> None:
    match = await evening.friends()
    assert (await evening.say(match, 1, "offer", "takeback"))["code"] == "not_allowed"
    await evening.moves(match, "3", "2", "2")
    assert (await evening.say(match, 1, "offer", "takeback"))["code"] == "over"


@at_a_table
async def test_resign_is_only_valid_in_your_turn(evening: Evening) -> None:
    match = await evening.friends()
    assert (await evening.say(match, 2, "resign"))["code"] == "not_your_turn"
    assert (await evening.say(match, 1, "resign"))["kind"] == "ack"
    assert (await evening.state(match))["match"]["outcome"] == {"winner": 2, "reason": "{1} resigned."}


@at_a_table
async def test_rounds_alternate_the_first_player_and_count(evening: Evening) -> None:
    match = await evening.friends(rounds=2)
    assert (await evening.say(match, 1, "next"))["code"] == "not_allowed"
    await evening.say(match, 1, "resign")
    part = (await evening.state(match))["match"]
    assert (part["score"], part["ended"], part["round"]) == ([0, 1], False, 1)
    assert (await evening.say(match, 1, "next"))["kind"] == "ack"
    part = (await evening.state(match))["match"]
    assert (part["first"], part["round"], part["outcome"], part["log"]) == (2, 2, None, [])
    await evening.say(match, 2, "resign")
    part = (await evening.state(match))["match"]
    assert (part["score"], part["ended"]) == ([1, 1], True)
    assert (await evening.say(match, 1, "next"))["code"] == "over"


@at_a_table
async def test_rematch_keeps_seats_and_changes_the_first_player(evening: Evening) -> None:
    match = await evening.friends()
    assert (await evening.say(match, 1, "offer", "rematch"))["code"] == "not_allowed"
    await evening.say(match, 1, "resign")
    await evening.say(match, 1, "offer", "rematch")
    await evening.again()
    assert (await evening.say(match, 2, "accept", "rematch"))["kind"] == "ack"
    new = (await evening.state(match))["match"]["rematch"]
    part = (await evening.state(new, BOB))["match"]
    assert [seat["name"] for seat in part["seats"]] == ["Ann", "Bob"]
    assert (part["first"], part["id"]) == (2, new)
    assert await evening.service.seats_of(new, BOB) == (2,)


@at_a_table
async def test_two_rematch_offers_make_one_match(evening: Evening) -> None:
    match = await evening.friends()
    await evening.say(match, 1, "resign")
    for seat in (1, 2):
        await evening.say(match, seat, "offer", "rematch")
    assert (await evening.state(match))["match"]["rematch"]


@at_a_table
async def test_bot_accepts_a_rematch_and_starts_it(evening: Evening) -> None:
    match = await evening.alone()
    await evening.say(match, 1, "resign")
    await evening.say(match, 1, "offer", "rematch")
    new = (await evening.state(match))["match"]["rematch"]
    await evening.state(new)
    await evening.service.registry.wait_idle()
    assert [ply["player"] for ply in (await evening.state(new))["match"]["log"]] == [2]


# Clock


@at_a_table
async def test_clock_waits_until_all_seats_are_taken(evening: Evening) -> None:
    order = match_request("flag-chase", (person("Ann"), None), clock=clock_request(60, 2))
    made = await evening.service.create(order, ANN)
    evening.clock.now += 50
    await evening.service.claim(made.match, made.invites[2], "Bob", BOB)
    evening.clock.now += 10
    clock = (await evening.state(made.match))["match"]["clock"]
    assert clock == {"seconds": 60, "increment": 2, "left": [50_000, 60_000], "running": 1}


@at_a_table
async def test_move_stops_the_clock_and_adds_the_increment(evening: Evening) -> None:
    match = await evening.friends(clock=clock_request(60, 2))
    evening.clock.now += 10
    await evening.moves(match, "3")
    await evening.again()
    evening.clock.now += 5
    clock = (await evening.state(match))["match"]["clock"]
    assert (clock["left"], clock["running"]) == ([52_000, 55_000], 2)


@at_a_table
async def test_timeout_loses_the_game(evening: Evening) -> None:
    match = await evening.friends(clock=clock_request(60))
    ear = await evening.listening(match, ANN)
    evening.clock.now += 61
    live = evening.service.registry.rooms.get(match)
    assert live
    await evening.service.registry._end_on_time(live)
    await evening.service.registry.wait_idle()
    assert ear.match["outcome"] == {"winner": 2, "reason": "{1} ran out of time."}
    assert ear.match["log"][-1]["said"] == "{1} ran out of time."
    assert ear.match["clock"]["left"][0] == 0


@at_a_table
async def test_timeout_has_no_turning_point(evening: Evening) -> None:
    match = await evening.friends(clock=clock_request(60), assist="on")
    evening.clock.now += 61
    await evening.say(match, 1, "move", "3")
    assert "turning" not in (await evening.state(match))["match"]


@at_a_table
async def test_move_after_timeout_is_too_late(evening: Evening) -> None:
    match = await evening.friends(clock=clock_request(60))
    evening.clock.now += 61
    assert (await evening.say(match, 1, "move", "3"))["code"] == "stale"
    assert (await evening.state(match))["match"]["ended"]


@at_a_table
async def test_clock_that_expired_during_downtime_ends_the_game(evening: Evening) -> None:
    match = await evening.friends(clock=clock_request(60))
    await evening.end()
    evening.clock.now += 61
    await evening.begin()
    live = await evening.service.registry.get_room(match)
    await evening.service.registry._end_on_time(live)
    await evening.service.registry.wait_idle()
    assert (await evening.state(match))["match"]["outcome"]["winner"] == 2


# What may be seen


@pytest.mark.parametrize(("assist", "before", "after"), [("off", 0, 0), ("after", 0, 1), ("on", 1, 1)])
def test_values_are_sent_only_if_the_match_allows(assist: Any, before: int, after: int, tmp_path: Any) -> None:
    @at_a_table
    async def scene(evening: Evening) -> None:
        match = await evening.friends(assist=assist)
        ear = await evening.listening(match)
        await evening.moves(match, "3", "2")
        for frame in ear.of("table") + ear.of("event"):
            assert (frame["values"] is not None) == bool(before)
            assert ("mark" in frame or "marks" in frame.get("match", {})) == bool(before)
        seen = json.loads(await evening.service.position(match, "1 0,10"))
        assert (seen["values"] is not None) == bool(before)
        await evening.moves(match, "2")
        table = ear.of("table")[-1]
        assert ("series" in table["match"], "turning" in table["match"]) == (bool(after), bool(after))
        review = await evening.service.review(match)
        assert bool(review["marks"]) == bool(after)
        assert table["match"].get("turning_at", 0) == review["turning_at"]

    scene(tmp_path)


@at_a_table
async def test_value_series_has_one_point_more_than_the_log(evening: Evening) -> None:
    match = await evening.friends(assist="on")
    await evening.moves(match, "3", "2")
    part = (await evening.state(match))["match"]
    assert (len(part["log"]), len(part["marks"]), len(part["series"])) == (2, 2, 3)


@at_a_table
async def test_questions_are_answered_if_the_match_allows(evening: Evening) -> None:
    match = await evening.friends(assist="on")
    answers = {what: await evening.say(match, 1, "ask", what) for what in ("hint", "move", "why")}
    assert all(answer["kind"] == "answer" and answer["text"] for answer in answers.values())
    assert (answers["hint"]["move"], answers["move"]["move"]) == ("", "3")
    match = await evening.friends(assist="after")
    assert (await evening.say(match, 1, "ask", "hint"))["code"] == "not_allowed"


@at_a_table
async def test_why_after_the_end_explains_the_turning_point(evening: Evening) -> None:
    match = await evening.friends(assist="after")
    await evening.moves(match, "1")
    await evening.say(match, 2, "resign")
    assert (await evening.say(match, 1, "ask", "why"))["kind"] == "answer"


@at_a_table
async def test_large_variant_is_played_without_values(evening: Evening) -> None:
    match = await evening.friends("line-runner(end=3000)", assist="on")
    ear = await evening.listening(match)
    await evening.moves(match, "3")
    assert [frame["values"] for frame in ear.frames if frame["kind"] != "presence"] == [None, None]
    assert (await evening.say(match, 2, "ask", "hint"))["code"] == "too_many_positions"


def test_room_does_not_wait_for_a_long_solution(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numberline.web.rooms.room.SOLVE_TIMEOUT_S", 0.01)
    solved = threading.Event()
    work_out = BookEncoder.evaluate

    def slowly(shown: BookEncoder, wanted: Any) -> Any:
        solved.wait(10)
        return work_out(shown, wanted)

    monkeypatch.setattr(BookEncoder, "evaluate", slowly)

    @at_a_table
    async def scene(evening: Evening) -> None:
        match = await evening.friends(assist="on")
        ear = await evening.listening(match, ANN)
        assert ear.of("table")[-1]["values"] is None
        solved.set()
        await evening.service.run_in_solver(int)
        await evening.service.registry.wait_idle()
        assert ear.of("table")[-1]["values"] is not None

    scene(tmp_path)


# Programs


@pytest.mark.parametrize("bot", ["random", "greedy", "level:3", "perfect", "mcts:20"])
def test_bot_replies_to_each_move(bot: str, tmp_path: Any) -> None:
    @at_a_table
    async def scene(evening: Evening) -> None:
        match = await evening.alone(bot, "line-runner")
        await evening.moves(match, "3")
        assert [ply["player"] for ply in (await evening.state(match))["match"]["log"]] == [1, 2]

    scene(tmp_path)


NEXT_LEVELS = {
    "level:3": {"won": 4, "drawn": 3, "lost": 2},
    "level:10": {"won": 10, "drawn": 10, "lost": 9},
    "random": None,
}


@pytest.mark.parametrize("bot", NEXT_LEVELS)
def test_snapshot_has_the_levels_of_the_next_opponent(bot: str, tmp_path: Any) -> None:
    @at_a_table
    async def scene(evening: Evening) -> None:
        match = await evening.alone(bot)
        assert (await evening.state(match))["match"]["next_levels"] == NEXT_LEVELS[bot]

    scene(tmp_path)


@at_a_table
async def test_bots_play_all_rounds_against_each_other(evening: Evening) -> None:
    bots = (bot("random"), bot("greedy"))
    match = (await evening.service.create(match_request("flag-chase", bots, rounds=3), ANN)).match
    await evening.service.registry.wait_idle()
    part = (await evening.state(match))["match"]
    assert (part["ended"], sum(part["score"])) == (True, 3)


@at_a_table
async def test_bot_moves_after_a_restart(evening: Evening) -> None:
    match = await evening.alone()
    await evening.end()
    store = Store(evening.url)
    store.append([Event(match, 1, 1, "3", "1:crashed", 0, evening.clock.now)])
    store.close()
    await evening.begin()
    await evening.service.registry.wait_idle()
    assert await evening.seq(match) == 2


@at_a_table
async def test_failing_bot_resigns(evening: Evening) -> None:
    match = await evening.alone()

    async def nonsense(*_: Any) -> str:
        return "nonsense"

    evening.service.registry.bot_runner.choose_move = nonsense  # type: ignore[method-assign, assignment]  # a broken bot
    await evening.say(match, 1, "move", "3")
    assert (await evening.state(match))["match"]["outcome"]["reason"] == "{2} resigned."


async def changed(evening: Evening, change: str) -> None:
    """Change the database while the server is down."""
    await evening.end()
    with closing(sqlite3.connect(evening.url.removeprefix("sqlite:///"))) as file, file:
        file.execute(change)
    await evening.begin()
    await evening.service.registry.wait_idle()


@at_a_table
async def test_bot_command_in_the_database_is_never_run(evening: Evening) -> None:
    match, trace = await evening.alone(), Path(evening.url.removeprefix("sqlite:///")).with_name("trace")
    await changed(evening, f"UPDATE seat SET bot = ' EXEC:touch {trace}' WHERE bot IS NOT NULL")  # noqa: S608 - our own words
    await evening.say(match, 1, "move", "3")
    assert (await evening.state(match))["match"]["outcome"]["reason"] == "{2} resigned."
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
    @at_a_table
    async def scene(evening: Evening) -> None:
        damaged, waiting = await evening.alone(), await evening.alone()
        await evening.moves(damaged, "3")
        row = f"(match, seq, seat, what, request, spent_ms, at) VALUES ('{waiting}', 1, 1, '3', 'r', 0, 0)"
        await changed(evening, f"INSERT INTO event {row}")
        await changed(evening, f"UPDATE {change} WHERE {'id' if change[0] == 'm' else 'match'} = '{damaged}'")
        assert "damaged" in (await refused(evening.state(damaged))).sentence
        assert await evening.seq(waiting) == 2

    scene(tmp_path)


# Coming, going, deleting


@at_a_table
async def test_presence_is_broadcast(evening: Evening) -> None:
    match = await evening.friends()
    ann = await evening.listening(match, ANN)
    bob = await evening.listening(match, BOB)
    await evening.listening(match)
    assert ann.frames[-1] == {"kind": "presence", "seats": [True, True], "watching": 1}
    evening.service.leave(match, bob)
    await evening.service.registry.wait_idle()
    assert ann.frames[-1] == {"kind": "presence", "seats": [True, False], "watching": 1}


@at_a_table
async def test_only_players_can_delete_a_match(evening: Evening) -> None:
    match = await evening.friends()
    ear = await evening.listening(match, BOB)
    assert (await refused(evening.service.delete(match, EVE))).code == "not_found"
    await evening.service.delete(match, ANN)
    assert ear.frames[-1]["kind"] == "goodbye"
    assert (await refused(evening.state(match))).code == "not_found"
    assert evening.store.find(match) is None


@at_a_table
async def test_shutdown_tells_clients_to_reconnect(evening: Evening) -> None:
    match = await evening.friends()
    ear = await evening.listening(match, ANN)
    await evening.again()
    assert ear.frames[-1]["kind"] == "goodbye"


@at_a_table
async def test_message_to_unknown_match_gets_an_error(evening: Evening) -> None:
    answer = await evening.act("nowhere", (1,), message("move", "r", 0, "3"))
    assert (answer["code"], answer["request"]) == ("not_found", "r")


@at_a_table
async def test_idle_rooms_are_evicted_and_reloaded(evening: Evening) -> None:
    evening.service.registry.max_rooms = 3
    matches = [await evening.friends() for _ in range(5)]
    held = [match for match in matches if evening.service.registry.rooms.get(match)]
    assert len(held) == 3
    await evening.moves(matches[0], "3")
    assert await evening.seq(matches[0]) == 2


@at_a_table
async def test_record_has_all_rounds_and_the_real_names(evening: Evening) -> None:
    match = await evening.friends(rounds=2)
    await evening.moves(match, "3", "2", "2")
    await evening.say(match, 1, "next")
    await evening.moves(match, "1")
    first, second = parse_records(await evening.service.record(match))
    assert (first.names, first.length, second.first, second.length) == (("Ann", "Bob"), 3, 2, 1)


@at_a_table
async def test_logs_and_sentences_contain_no_names_or_tokens(evening: Evening) -> None:
    logged: list[str] = []
    handler = logging.Handler(0)
    handler.emit = lambda record: logged.append(record.getMessage())  # type: ignore[method-assign]  # only listens
    logging.getLogger().addHandler(handler)
    try:
        match = await evening.friends(assist="on")
        ear = await evening.listening(match, ANN)
        await evening.moves(match, "3", "2", "2")
    finally:
        logging.getLogger().removeHandler(handler)
    assert not any(word in line for line in logged for word in ("Ann", "Bob", ANN, BOB))
    for frame in ear.frames:
        frame.get("match", {}).pop("seats", None)
        assert "Ann" not in json.dumps(frame)


@at_a_table
async def test_takeback_among_three_needs_both_opponents(evening: Evening) -> None:
    order = match_request("line-runner(players=3)", (person("Ann"), None, None), assist="on")
    made = await evening.service.create(order, ANN)
    for seat, token in ((2, BOB), (3, EVE)):
        await evening.service.claim(made.match, made.invites[seat], f"guest {seat}", token)
    await evening.moves(made.match, "3", "2")
    await evening.say(made.match, 1, "offer", "takeback")
    await evening.say(made.match, 2, "accept", "takeback")
    assert len((await evening.state(made.match))["match"]["log"]) == 2
    await evening.say(made.match, 3, "accept", "takeback")
    assert (await evening.state(made.match))["match"]["log"] == []


@at_a_table
async def test_two_tabs_in_one_seat_get_the_same_events(evening: Evening) -> None:
    match = await evening.friends()
    tabs = [await evening.listening(match, ANN) for _ in range(2)]
    await evening.moves(match, "3")
    assert tabs[0].frames[-1] == tabs[1].frames[-1]


@at_a_table
async def test_late_subscribers_get_every_event_once_in_order(evening: Evening) -> None:
    match = await evening.friends("line-runner", assist="on")
    ears: list[Ear] = []
    numbers = count(1)

    async def come() -> None:
        ear = Ear()
        ears.append(ear)
        await evening.service.join(match, ear)

    async def move(seat: int) -> None:
        seq = next(numbers)
        await evening.service.act(match, (seat,), message("move", f"r{seq}", seq, "1"))

    for seat in (1, 2) * 4:
        await asyncio.gather(come(), move(seat), come())
    await evening.service.registry.wait_idle()
    for ear in ears:
        table, *events = [frame["seq"] for frame in ear.frames if frame["kind"] != "presence"]
        assert [table, *events] == list(range(table, 10))


@at_a_table
async def test_delete_expired_removes_only_old_matches(evening: Evening) -> None:
    left, over = await evening.friends(), await evening.friends()
    await evening.say(over, 1, "resign")
    await evening.again()
    evening.clock.now += 1_000
    fresh = await evening.friends()
    assert await evening.service.registry.delete_expired(evening.clock.now - 500) == 2
    assert [evening.store.find(match) is None for match in (left, over, fresh)] == [True, True, False]


@at_a_table
async def test_create_is_rejected_when_too_many_rooms_are_open(evening: Evening) -> None:
    await evening.friends()
    evening.service.registry.max_rooms = 0
    assert (await refused(evening.service.create(match_request("flag-chase", HERE), ANN))).code == "busy"
