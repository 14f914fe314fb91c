"""Number Line Sprint, rule by rule, in the order of its book."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.explain.narrator import Narrator
from support.match_script import after, places, played, winner

book = nl.book("number-line-sprint")


def tokens(player_1: int, player_2: int, turn: int = 1) -> nl.Position:
    """Return both places and the player to move."""
    return nl.Position(turn=turn, tokens=(player_1, player_2))


# Objective and setup


def test_the_line_runs_from_1_to_11() -> None:
    assert book.rules.line == (1, 11)


def test_both_players_start_on_6() -> None:
    assert book.start().tokens == (6, 6)


def test_the_tokens_are_called_p1_and_p2() -> None:
    board = Narrator(played(book, "R2")).board()
    assert board.split()[-2:] == ["P2", "P1"]


# Turns


@pytest.mark.parametrize("first", [1, 2])
def test_players_choose_the_first_player(first: int) -> None:
    assert book.start(first=first).turn == first


def test_turns_alternate() -> None:
    assert [ply.player for ply in played(book, "R2 L1 L1", first=2).plies] == [2, 1, 2]


def test_a_move_is_a_direction_and_1_or_2_steps() -> None:
    assert book.moves(book.start()) == ("L1", "L2", "R1", "R2")


def test_the_example_command_l2_moves_left_by_2() -> None:
    assert after(book, "L2").tokens == (4, 6)


# Movement rules


def test_left_goes_towards_1() -> None:
    assert after(book, "L1").tokens == (5, 6)


def test_right_goes_towards_11() -> None:
    assert after(book, "R1").tokens == (7, 6)


def test_player_2_goes_left_and_right_like_player_1() -> None:
    assert places(book, "L2 R2", first=2) == [(6, 4), (8, 4)]


@pytest.mark.parametrize("typed", ["L3", "R3", "R0"])
def test_other_distances_are_illegal(typed: str) -> None:
    with pytest.raises(nl.IllegalMove):
        nl.Match(book).play(typed)


def test_moves_beyond_1_are_illegal() -> None:
    assert book.moves(tokens(2, 6)) == ("L1", "R1", "R2")


def test_moves_beyond_11_are_illegal() -> None:
    assert book.moves(tokens(10, 6)) == ("L1", "L2", "R1")


# Occupying positions


def test_moves_onto_the_opponent_are_illegal() -> None:
    assert "R2" not in book.moves(tokens(4, 6))


def test_moves_over_the_opponent_are_illegal() -> None:
    assert "R2" not in book.moves(tokens(5, 6))


def test_the_opponent_is_in_the_way_to_the_left_as_well() -> None:
    assert book.moves(tokens(6, 5)) == ("R1", "R2")


def test_up_to_the_opponent_the_way_is_free() -> None:
    assert "R1" in book.moves(tokens(4, 6))


def test_move_onto_the_opponent_is_rejected() -> None:
    with pytest.raises(nl.IllegalMove, match="Player 1 is in the way"):
        played(book, "R2 R2")


# Blocked movement, winning, losing


@pytest.mark.parametrize("player", [1, 2])
@pytest.mark.parametrize(("place", "move"), [(3, "L2"), (2, "L1"), (9, "R2"), (10, "R1")])
def test_landing_exactly_on_an_end_wins(player: int, place: int, move: str) -> None:
    standing = tokens(place, 6, turn=1) if player == 1 else tokens(6, place, turn=2)
    assert winner(book, book.after(standing, move)) == player


def test_one_step_before_an_end_is_no_win() -> None:
    assert book.outcome(book.after(tokens(8, 6), "R2")) is None


def test_nothing_can_be_played_once_an_end_is_reached() -> None:
    assert book.moves(book.after(tokens(10, 6), "R1")) == ()


def test_a_player_without_a_valid_move_loses_the_game() -> None:
    wider = nl.book("number-line-sprint(steps=2,3)")
    assert winner(wider, after(wider, "L2 R2 R2 R2 R2")) == 1


# Examples

EXAMPLE = "R2 R1 R2 L1 R1"


def test_the_books_own_example_is_replayed() -> None:
    assert places(book, EXAMPLE) == [(8, 6), (8, 7), (10, 7), (10, 6), (11, 6)]


def test_player_1_wins_the_books_own_example() -> None:
    assert winner(book, after(book, EXAMPLE)) == 1


def test_example_moves_of_turn_2_follow_the_rules() -> None:
    assert book.moves(after(book, "R2")) == ("L1", "L2", "R1")


def test_example_moves_of_turn_3_follow_the_rules() -> None:
    assert book.moves(after(book, "R2 R1")) == ("R1", "R2")


def test_erratum_s4_r2_from_7_is_legal_with_a_token_on_10() -> None:
    assert book.moves(after(book, "R2 R1 R2")) == ("L1", "L2", "R1", "R2")


def test_sample_names_direction_distance_and_place() -> None:
    match = played(book, "R2")
    text = Narrator(match).event(match.plies[-1])
    assert text == "\nPlayer 1 moves Right by 2 positions to position 8.\n"


def test_the_sample_interaction_says_position_for_a_single_one() -> None:
    match = played(book, "R2 R1")
    text = Narrator(match).event(match.plies[-1])
    assert text == "\nPlayer 2 moves Right by 1 position to position 7.\n"


def test_the_sample_interaction_ends_with_the_winner() -> None:
    assert Narrator(played(book, EXAMPLE)).ending() == "\nPlayer 1 has reached the end and wins the game!\n"
