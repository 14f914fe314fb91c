"""Reach the Edge, rule by rule, in the order of its book."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.explain.narrator import Narrator
from numberline.solver.explore import explore
from support.match_script import after, places, played, winner

book = nl.book("reach-the-edge")


def marker(place: int, turn: int, last: int = 0) -> nl.Position:
    """Return the position with the marker on this place after the opponent's last step."""
    return nl.Position(turn=turn, tokens=(place,), last=last)


# Objective and setup


def test_the_line_runs_from_0_to_15() -> None:
    assert book.rules.line == (0, 15)


def test_the_one_marker_starts_on_8() -> None:
    assert book.start().tokens == (8,)


def test_the_goal_of_player_1_is_0_and_that_of_player_2_is_15() -> None:
    assert book.rules.goals == ((0,), (15,))


@pytest.mark.parametrize("first", [1, 2])
def test_either_player_may_go_first(first: int) -> None:
    assert book.start(first=first).turn == first


# Turns


def test_the_players_take_turns() -> None:
    assert [ply.player for ply in played(book, "2 3 2 1").plies] == [1, 2, 1, 2]


def test_turn_announces_the_place_of_the_marker() -> None:
    assert "Current Marker Position: 6\n" in Narrator(played(book, "2")).turn()


def test_the_turn_shows_the_moves_that_the_move_before_has_left() -> None:
    assert "Available Moves: 1, 3\n" in Narrator(played(book, "2")).turn()


def test_the_new_position_is_announced_after_the_move() -> None:
    match = played(book, "2")
    assert Narrator(match).event(match.plies[-1]) == "Marker moved to position 6 towards your goal.\n"


# Movement rules


def test_the_marker_moves_1_2_or_3_positions() -> None:
    assert book.moves(book.start()) == ("1", "2", "3")


@pytest.mark.parametrize(("move", "place"), [("1", 7), ("2", 6), ("3", 5)])
def test_player_1_moves_the_marker_left_towards_0(move: str, place: int) -> None:
    assert after(book, move).tokens == (place,)


@pytest.mark.parametrize(("move", "place"), [("1", 9), ("2", 10), ("3", 11)])
def test_player_2_moves_the_marker_right_towards_15(move: str, place: int) -> None:
    assert after(book, move, first=2).tokens == (place,)


def test_player_1_cannot_move_past_0() -> None:
    assert book.moves(marker(2, turn=1)) == ("1", "2")


def test_player_2_cannot_move_past_15() -> None:
    assert book.moves(marker(13, turn=2)) == ("1", "2")


# The special restriction


@pytest.mark.parametrize(("move", "left"), [("1", ("2", "3")), ("2", ("1", "3")), ("3", ("1", "2"))])
def test_you_cannot_choose_the_distance_your_opponent_just_moved(move: str, left: tuple[str, ...]) -> None:
    assert book.moves(after(book, move)) == left


def test_the_ban_holds_for_player_1_as_well() -> None:
    assert book.moves(after(book, "2", first=2)) == ("1", "3")


def test_the_ban_does_not_apply_on_the_very_first_turn() -> None:
    assert book.moves(book.start(first=2)) == ("1", "2", "3")


def test_only_the_immediately_preceding_move_is_banned() -> None:
    assert "2" in book.moves(after(book, "3 2 1"))


def test_you_may_repeat_your_own_distance() -> None:
    assert "2" in book.moves(after(book, "2 3"))


# Winning


def test_player_1_wins_by_moving_the_marker_exactly_to_0() -> None:
    assert winner(book, book.after(marker(2, turn=1), "2")) == 1


def test_player_2_wins_by_moving_the_marker_exactly_to_15() -> None:
    assert winner(book, book.after(marker(13, turn=2), "2")) == 2


def test_one_step_before_a_goal_is_no_win() -> None:
    assert book.outcome(book.after(marker(2, turn=1), "1")) is None


def test_nothing_can_be_played_once_a_goal_is_reached() -> None:
    assert book.moves(book.after(marker(3, turn=1), "3")) == ()


def test_every_game_can_still_be_won_whatever_was_played() -> None:
    assert explore(book).hopeless == 0


# Examples


def test_the_books_own_example_is_replayed_up_to_step_6() -> None:
    assert places(book, "2 3 2 3 2 3") == [(6,), (9,), (7,), (10,), (8,), (11,)]


def test_the_example_lists_the_available_moves_as_the_rules_do() -> None:
    listed = [book.moves(ply.before) for ply in played(book, "2 3 2 3 2 3").plies]
    assert listed == [("1", "2", "3"), *[("1", "3"), ("1", "2")] * 2, ("1", "3")]


def test_erratum_e1_steps_7_to_10_of_the_example_end_elsewhere() -> None:
    assert places(book, "2 3 2 3 2 3 2 3 2 3")[6:] == [(9,), (12,), (10,), (13,)]


def test_erratum_e1_ten_steps_of_the_example_have_no_winner() -> None:
    assert book.outcome(after(book, "2 3 2 3 2 3 2 3 2 3")) is None


def test_the_sample_interaction_is_replayed() -> None:
    assert places(book, "2 3 1") == [(6,), (9,), (8,)]


def test_the_sample_asks_only_for_moves_that_are_allowed() -> None:
    assert Narrator(played(book, "2")).ask() == "Enter your move distance (1 or 3): "


# Additional rules and clarifications


def test_forbidden_distance_is_rejected() -> None:
    match = played(book, "2")
    with pytest.raises(nl.IllegalMove):
        match.play("2")
    assert match.play("3").player == 2


def test_a_player_without_a_valid_move_loses_the_turn() -> None:
    only_twos = nl.book("reach-the-edge(steps=2)")
    assert after(only_twos, "2 pass").turn == 1


def test_lost_turn_does_not_move_the_marker() -> None:
    assert places(nl.book("reach-the-edge(steps=2)"), "2 pass") == [(6,), (6,)]


def test_from_1_player_1_can_only_move_1() -> None:
    assert book.moves(marker(1, turn=1)) == ("1",)
