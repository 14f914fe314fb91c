"""Line Runner, rule by rule, in the order of its book."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.explain.narrator import Narrator
from numberline.solver.explore import explore
from support.match_script import after, places, played, winner
from support.variants import reachable

book = nl.book("line-runner")


def tokens(*standing: int, turn: int = 1) -> nl.Position:
    """Return the tokens and the player to move."""
    return nl.Position(turn=turn, tokens=standing)


# Setup


def test_the_line_runs_from_0_to_20() -> None:
    assert book.rules.line == (0, 20)


def test_both_players_begin_on_0() -> None:
    assert book.start().tokens == (0, 0)


def test_player_1_is_a_and_player_2_is_b() -> None:
    assert nl.Match(book).names == ("Player A", "Player B")


@pytest.mark.parametrize("first", [1, 2])
def test_first_player_is_agreed_on(first: int) -> None:
    assert book.start(first=first).turn == first


# Turns


def test_the_players_take_turns_alternately() -> None:
    assert [ply.player for ply in played(book, "3 3 2 3").plies] == [1, 2, 1, 2]


# Movement options


def test_a_move_is_1_2_or_3_positions() -> None:
    assert book.moves(book.start()) == ("1", "2", "3")


@pytest.mark.parametrize(("move", "place"), [("1", 1), ("2", 2), ("3", 3)])
def test_a_token_moves_forward_by_exactly_the_chosen_number(move: str, place: int) -> None:
    assert after(book, move).tokens == (place, 0)


@pytest.mark.parametrize("typed", ["0", "4"])
def test_steps_below_1_or_above_3_are_illegal(typed: str) -> None:
    with pytest.raises(nl.IllegalMove):
        nl.Match(book).play(typed)


def test_moves_backward_are_illegal() -> None:
    with pytest.raises(nl.IllegalMove):
        played(book, "3 2").play("back")


# Occupied positions and blocking


@pytest.mark.parametrize(("step", "ahead", "place"), [("2", 7, 6), ("3", 8, 7)])
def test_a_move_onto_the_opponent_stops_just_behind(step: str, ahead: int, place: int) -> None:
    assert book.after(tokens(5, ahead), step).tokens == (place, ahead)


def test_runner_stops_before_several_occupied_positions() -> None:
    three = nl.book("line-runner(players=3)")
    assert three.after(tokens(7, 8, 5, turn=3), "3").tokens == (7, 8, 6)


def test_runner_without_room_stays_in_place() -> None:
    assert book.after(tokens(5, 6), "1").tokens == (5, 6)


def test_remaining_on_the_current_position_uses_the_turn() -> None:
    assert book.after(tokens(5, 6), "1").turn == 2


def test_two_tokens_never_share_a_position_between_the_ends() -> None:
    assert {a for _, (a, b), *_ in reachable(book) if a == b} == {0}


# Winning


@pytest.mark.parametrize(("place", "step"), [(17, "3"), (18, "2"), (19, "1")])
def test_reaching_20_wins(place: int, step: str) -> None:
    assert winner(book, book.after(tokens(place, 12), step)) == 1


@pytest.mark.parametrize(("place", "step"), [(18, "3"), (19, "2"), (19, "3")])
def test_passing_20_wins_as_well(place: int, step: str) -> None:
    assert winner(book, book.after(tokens(12, place, turn=2), step)) == 2


def test_position_19_is_no_win() -> None:
    assert book.outcome(tokens(19, 18)) is None


def test_no_move_is_legal_once_a_runner_is_at_the_end() -> None:
    assert book.moves(tokens(20, 18, turn=2)) == ()


def test_runner_with_only_occupied_positions_skips_the_turn() -> None:
    single = nl.book("line-runner(steps=1)")
    assert single.moves(after(single, "1")) == ("pass",)


def test_no_game_goes_on_for_ever() -> None:
    assert not explore(book).goes_round


# Examples

EXAMPLE = "3 3 2 3 3 3 1 3 3 3 3"


def test_the_books_own_example_is_replayed() -> None:
    assert places(book, EXAMPLE) == [
        (3, 0),
        (3, 2),
        (5, 2),
        (5, 4),
        (8, 4),
        (8, 7),
        (9, 7),
        (9, 10),
        (12, 10),
        (12, 13),
        (15, 13),
    ]


def test_the_examples_winning_move_goes_from_18_to_21() -> None:
    assert book.outcome(book.after(tokens(18, 17), "3")) == nl.Outcome(1, "Player A reached 21.")


def test_sample_says_that_a_position_is_occupied() -> None:
    match = played(book, "3 3")
    text = Narrator(match).event(match.plies[-1])
    assert text == "\nPosition 3 is occupied by Player A.\nPlayer B moves to position 2 instead.\n"


def test_sample_announces_winner_and_final_positions() -> None:
    assert Narrator(played(book, f"{EXAMPLE} 3 3 1 3")).ending() == (
        "\nPlayer A has reached the end of the line and wins the game! Congratulations!\n"
        "\nFinal Positions:\nPlayer A: 21\nPlayer B: 17\n"
    )


# Variations


def test_on_a_longer_line_20_is_a_position_like_any_other() -> None:
    assert nl.book("line-runner(end=30)").outcome(tokens(20, 17)) is None


def test_a_longer_line_is_won_at_its_own_end() -> None:
    assert winner(nl.book("line-runner(end=30)"), tokens(30, 17, turn=2)) == 1


def test_a_shorter_line_is_won_sooner() -> None:
    assert winner(nl.book("line-runner(end=9)"), tokens(9, 7, turn=2)) == 1


def test_moves_of_1_to_4_can_be_allowed() -> None:
    assert after(nl.book("line-runner(steps=1-4)"), "4").tokens == (4, 0)


def test_steps_with_gaps_can_be_allowed() -> None:
    assert nl.book("line-runner(steps=1,4)").moves(book.start()) == ("1", "4")


def test_each_player_can_control_two_tokens() -> None:
    assert nl.book("line-runner(tokens=2)").start().tokens == (0, 0, 0, 0)


def test_with_two_tokens_a_move_takes_one_of_them() -> None:
    assert places(nl.book("line-runner(tokens=2)"), "1:3 2:2 2:1") == [(3, 0, 0, 0), (3, 0, 0, 2), (3, 1, 0, 2)]
