"""One match at a table, without a store: what its events make of it."""

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
    """A table with people of these tokens; where there is none sits a program. Events are written `1 3`."""
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


def test_a_replay_of_the_events_gives_the_same_table() -> None:
    events = ("1 3", "2 2", "2 offer:takeback", "1 accept:takeback", "2 1", "1 resign", "2 next", "2 3")
    seen, again = table(events=events, rounds=2), table(events=events, rounds=2)
    assert seen.match.position == again.match.position
    assert (seen.score, seen.round, seen.seq) == ([0, 1], 2, 8)


def test_the_typed_move_becomes_the_move_as_the_book_writes_it() -> None:
    assert asked(table(), (1,), "move", " +3 ").what == "3"


def test_what_is_asked_for_is_known_by_the_seat_that_asked() -> None:
    at = table()
    at.apply(at.validate_message((1,), message("move", "same", 0, "3"), 1.0))
    assert at.find_request((1,), "same") == 1
    assert at.find_request((2,), "same") is None


def test_a_lost_turn_is_played_by_itself_and_belongs_to_the_event_before_it() -> None:
    at = table("line-runner(steps=1)")
    plies = at.apply(asked(at, (1,), "move", "1"))
    assert [ply.move for ply in plies] == ["1", "pass"]
    assert (at.seq, at.match.turn) == (1, 1)


def test_a_takeback_takes_the_lost_turn_back_too() -> None:
    at = table("line-runner(steps=1)", events=("1 1", "1 takeback"))
    assert (at.match.length, at.match.turn) == (0, 1)


def test_where_nobody_has_a_move_ever_again_the_game_is_over_and_nobody_wins() -> None:
    at = table("flag-chase(steps=2,3)", ("ann", None), start="2 4,8", events=("2 2",))
    assert [ply.move for ply in at.match.plies] == ["2"]
    assert (at.outcome, at.bot, at.score) == (Outcome(0, "Nobody has a move any more."), None, [0, 0])


def test_a_takeback_goes_back_to_the_turn_of_whoever_asked() -> None:
    at = table(events=("1 3", "2 2", "1 1"))
    at.apply(at.event(2, "offer:takeback", "", 9.0))
    at.apply(at.event(1, "accept:takeback", "", 9.0))
    assert (at.match.turn, at.match.length) == (2, 1)


def test_people_at_one_screen_take_back_the_last_move_whoevers_it_was() -> None:
    at = table(tokens=("ann", "ann"), events=("1 3", "2 2"))
    event = asked(at, (1, 2), "offer", "takeback")
    assert (event.seat, event.what) == (2, "takeback")


def test_with_a_position_to_begin_with_every_round_begins_there() -> None:
    at = table(start="2 3,10", rounds=2, events=("2 resign", "1 next"))
    assert (at.match.turn, at.match.first, at.match.position.tokens) == (2, 2, (3, 10))


def test_the_outcome_has_placeholders_for_names() -> None:
    at = table("line-runner", start="1 18,3")
    at.apply(asked(at, (1,), "move", "3"))
    assert at.outcome
    assert at.outcome.reason.startswith("{1} ")


def test_of_three_players_one_who_resigns_leaves_the_others_playing() -> None:
    at = table("line-runner(players=3)", ("ann", "bob", "eve"), events=("1 3", "2 resign"))
    assert (at.outcome, at.match.turn) == (None, 3)


def test_of_three_players_one_who_ran_out_of_time_is_told_of_when_it_ends() -> None:
    at = table("line-runner(players=3)", ("ann", "bob", "eve"), events=("1 timeout", "2 timeout"))
    assert at.outcome == (3, "{2} ran out of time.")


def test_nothing_is_offered_twice() -> None:
    at = table(events=("1 3", "1 offer:takeback"))
    with pytest.raises(ApiError, match=r"^You have already asked for a takeback"):
        asked(at, (1,), "offer", "takeback")


def test_the_clock_of_a_program_runs_too() -> None:
    at = table(tokens=("ann", None), clock={"seconds": 10, "increment": 0}, events=("1 3",))
    assert at.running_player == 2
    assert at.remaining_ms(at.updated_at + 4) == [9_000, 6_000]


def test_each_round_has_the_whole_time() -> None:
    at = table(clock={"seconds": 10, "increment": 0}, rounds=2, events=("1 3", "2 resign", "1 next"))
    assert at.remaining_ms(at.updated_at) == [10_000, 10_000]


def test_a_clock_that_is_set_back_takes_no_time_away() -> None:
    at = table(clock={"seconds": 10, "increment": 0})
    assert at.event(1, "3", "", -50.0).spent_ms == 0


def test_a_game_without_end_can_only_be_given_up_after_many_events() -> None:
    at = table()
    at.seq = MAX_EVENTS
    with pytest.raises(ApiError) as caught:
        asked(at, (1,), "move", "3")
    assert caught.value.code == "over"
    assert asked(at, (1,), "resign").what == "resign"
