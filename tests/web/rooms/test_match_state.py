"""The state of a match after its events, without a store."""

from __future__ import annotations

from itertools import count
from typing import Any

import pytest

from numberline.game.loader import book
from numberline.game.position import Outcome
from numberline.web.protocol.errors import ApiError
from numberline.web.rooms.match_state import MAX_EVENTS, MatchState
from numberline.web.store.store import Event, MatchRow, SeatRow
from support.matches import message

NUMBERS = count(1)


def table(
    variant: str = "flag-chase",
    tokens: tuple[str | None, ...] = ("ann", "bob"),
    events: tuple[str, ...] = (),
    **row: Any,
) -> MatchState:
    """Return a match of people with these tokens, and a bot for None. An event is written `1 3`."""
    settings = {"assist": "on", "clock": row.pop("clock", None), "tossed": False, "start": row.pop("start", None)}
    about = MatchRow("m", variant, None, row.pop("first", 1), row.pop("rounds", 1), settings, None, 0.0, None, [])
    seats = [
        SeatRow(seat, "", None if token else "random", token, None, 0.0 if token else None)
        for seat, token in enumerate(tokens, 1)
    ]
    made = MatchState(book(variant), about, seats)
    for text in events:
        seat, what = text.split(" ", 1)
        made.apply(made.event(int(seat), what, "", made.updated_at + 1))
    return made


def asked(at: MatchState, you: tuple[int, ...], kind: str, text: str = "") -> Event:
    return at.validate_message(you, message(kind, f"r{next(NUMBERS)}", at.seq, text), at.updated_at + 1, "new")


def test_replay_of_events_gives_the_same_state() -> None:
    events = ("1 3", "2 2", "2 offer:takeback", "1 accept:takeback", "2 1", "1 resign", "2 next", "2 3")
    seen, again = table(events=events, rounds=2), table(events=events, rounds=2)
    assert seen.match.position == again.match.position
    assert (seen.score, seen.round, seen.seq) == ([0, 1], 2, 8)


def test_typed_move_becomes_canonical() -> None:
    assert asked(table(), (1,), "move", " +3 ").what == "3"


def test_request_ids_are_separate_per_seat() -> None:
    at = table()
    at.apply(at.validate_message((1,), message("move", "same", 0, "3"), 1.0))
    assert at.find_request((1,), "same") == 1
    assert at.find_request((2,), "same") is None


def test_lost_turn_belongs_to_the_event_before_it() -> None:
    at = table("line-runner(steps=1)")
    plies = at.apply(asked(at, (1,), "move", "1"))
    assert [ply.move for ply in plies] == ["1", "pass"]
    assert (at.seq, at.match.turn) == (1, 1)


def test_takeback_undoes_the_lost_turn() -> None:
    at = table("line-runner(steps=1)", events=("1 1", "1 takeback"))
    assert (at.match.length, at.match.turn) == (0, 1)


def test_deadlock_ends_the_game_without_winner() -> None:
    at = table("flag-chase(steps=2,3)", ("ann", None), start="2 4,8", events=("2 2",))
    assert [ply.move for ply in at.match.plies] == ["2"]
    assert (at.outcome, at.bot, at.score) == (Outcome(0, "Nobody has a move any more."), None, [0, 0])


def test_takeback_returns_to_the_turn_of_its_player() -> None:
    at = table(events=("1 3", "2 2", "1 1"))
    at.apply(at.event(2, "offer:takeback", "", 9.0))
    at.apply(at.event(1, "accept:takeback", "", 9.0))
    assert (at.match.turn, at.match.length) == (2, 1)


def test_takeback_at_one_screen_undoes_the_last_move() -> None:
    at = table(tokens=("ann", "ann"), events=("1 3", "2 2"))
    event = asked(at, (1, 2), "offer", "takeback")
    assert (event.seat, event.what) == (2, "takeback")


def test_every_round_starts_from_the_agreed_position() -> None:
    at = table(start="2 3,10", rounds=2, events=("2 resign", "1 next"))
    assert (at.match.turn, at.match.first, at.match.position.tokens) == (2, 2, (3, 10))


def test_outcome_has_placeholders_for_names() -> None:
    at = table("line-runner", start="1 18,3")
    at.apply(asked(at, (1,), "move", "3"))
    assert at.outcome
    assert at.outcome.reason.startswith("{1} ")


def test_resignation_of_one_of_three_continues_the_game() -> None:
    at = table("line-runner(players=3)", ("ann", "bob", "eve"), events=("1 3", "2 resign"))
    assert (at.outcome, at.match.turn) == (None, 3)


def test_timeout_of_the_last_opponent_is_the_reason() -> None:
    at = table("line-runner(players=3)", ("ann", "bob", "eve"), events=("1 timeout", "2 timeout"))
    assert at.outcome == (3, "{2} ran out of time.")


def test_offer_cannot_be_repeated() -> None:
    at = table(events=("1 3", "1 offer:takeback"))
    with pytest.raises(ApiError, match=r"^You have already asked for a takeback"):
        asked(at, (1,), "offer", "takeback")


def test_clock_of_a_bot_runs() -> None:
    at = table(tokens=("ann", None), clock={"seconds": 10, "increment": 0}, events=("1 3",))
    assert at.running_player == 2
    assert at.remaining_ms(at.updated_at + 4) == [9_000, 6_000]


def test_clock_is_reset_for_each_round() -> None:
    at = table(clock={"seconds": 10, "increment": 0}, rounds=2, events=("1 3", "2 resign", "1 next"))
    assert at.remaining_ms(at.updated_at) == [10_000, 10_000]


def test_system_clock_set_back_costs_no_time() -> None:
    at = table(clock={"seconds": 10, "increment": 0})
    assert at.event(1, "3", "", -50.0).spent_ms == 0


def test_endless_game_can_only_be_resigned() -> None:
    at = table()
    at.seq = MAX_EVENTS
    with pytest.raises(ApiError) as caught:
        asked(at, (1,), "move", "3")
    assert caught.value.code == "over"
    assert asked(at, (1,), "resign").what == "resign"
