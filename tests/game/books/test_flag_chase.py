"""Flag Chase, rule by rule, in the order of its book."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.explain.narrator import Narrator
from numberline.solver.explore import explore
from support.match_script import after, places, played, winner

book = nl.book("flag-chase")
reverse = nl.book("flag-chase(reverse=true)")
skip = nl.book("flag-chase(skip=true)")


def markers(player_1: int, player_2: int, turn: int = 1) -> nl.Position:
    """Return both places and the player to move."""
    return nl.Position(turn=turn, tokens=(player_1, player_2))


# Setup


def test_the_path_has_the_tiles_0_to_10() -> None:
    assert book.rules.line == (0, 10)


def test_player_1_begins_on_0_and_player_2_on_10() -> None:
    assert book.start().tokens == (0, 10)


def test_the_flag_is_on_the_center_tile_5() -> None:
    assert book.rules.goals == ((5,), (5,))


# Turns


def test_player_1_starts() -> None:
    assert book.start().turn == 1


def test_the_players_alternate() -> None:
    assert [ply.player for ply in played(book, "1 1 1 1").plies] == [1, 2, 1, 2]


def test_a_move_is_1_2_or_3_tiles() -> None:
    assert book.moves(book.start()) == ("1", "2", "3")


@pytest.mark.parametrize(("move", "tile"), [("1", 1), ("2", 2), ("3", 3)])
def test_player_1_moves_from_lower_to_higher_tiles(move: str, tile: int) -> None:
    assert after(book, move).tokens == (tile, 10)


@pytest.mark.parametrize(("move", "tile"), [("1", 9), ("2", 8), ("3", 7)])
def test_player_2_moves_from_higher_to_lower_tiles(move: str, tile: int) -> None:
    assert after(book, move, first=2).tokens == (0, tile)


@pytest.mark.parametrize("typed", ["back", "skip"])
def test_the_basic_game_knows_only_moves_towards_the_flag(typed: str) -> None:
    with pytest.raises(nl.IllegalMove):
        played(book, "2 2").play(typed)


# Rules and mechanics


def test_player_1_cannot_move_past_the_flag() -> None:
    assert book.moves(markers(3, 10)) == ("1", "2")


def test_player_2_cannot_move_past_the_flag() -> None:
    assert book.moves(markers(0, 6, turn=2)) == ("1",)


def test_move_past_the_flag_is_rejected() -> None:
    with pytest.raises(nl.IllegalMove, match="it would take you past the flag"):
        played(book, "3 1 3")


@pytest.mark.parametrize(("tile", "move"), [(2, "3"), (3, "2"), (4, "1")])
def test_player_1_wins_by_landing_exactly_on_the_flag(tile: int, move: str) -> None:
    assert winner(book, book.after(markers(tile, 8), move)) == 1


@pytest.mark.parametrize(("tile", "move"), [(8, "3"), (7, "2"), (6, "1")])
def test_player_2_wins_by_landing_exactly_on_the_flag(tile: int, move: str) -> None:
    assert winner(book, book.after(markers(4, tile, turn=2), move)) == 2


def test_tile_beside_the_flag_is_no_win() -> None:
    assert book.outcome(markers(4, 6)) is None


def test_last_to_reach_the_flag_wins_if_both_are_on_it() -> None:
    assert [winner(book, markers(5, 5, turn=to_move)) for to_move in (2, 1)] == [1, 2]


def test_player_who_can_only_overshoot_loses_the_turn() -> None:
    longer = nl.book("flag-chase(steps=2,3)")
    assert longer.moves(after(longer, "2 2 2 2")) == ("pass",)


def test_after_a_lost_turn_the_opponent_plays() -> None:
    longer = nl.book("flag-chase(steps=2,3)")
    assert after(longer, "2 2 2 2 pass") == markers(4, 6, turn=2)


def test_no_game_goes_on_for_ever() -> None:
    assert not explore(book).goes_round


# Examples


def test_the_books_own_example_is_replayed() -> None:
    assert places(book, "3 2 2") == [(3, 10), (3, 8), (5, 8)]


def test_player_1_wins_the_books_own_example() -> None:
    assert winner(book, after(book, "3 2 2")) == 1


def test_sample_tells_the_player_their_tile() -> None:
    assert Narrator(played(book, "3")).turn() == "\nPlayer 2, you're on tile 10. The flag is on tile 5.\n"


def test_sample_says_where_the_marker_went() -> None:
    match = played(book, "3")
    assert Narrator(match).event(match.plies[-1]) == "\nPlayer 1 moves from tile 0 to tile 3.\n"


# The optional rules


def test_reverse_lets_player_1_move_one_tile_back() -> None:
    assert places(reverse, "3 1 back")[-1] == (2, 9)


def test_reverse_lets_player_2_move_one_tile_back() -> None:
    assert places(reverse, "3 3 1 back")[-1] == (4, 8)


def test_reverse_is_instead_of_a_move_forward() -> None:
    assert after(reverse, "3 1 back").turn == 2


def test_skip_gives_the_turn_up_and_leaves_the_markers() -> None:
    assert after(skip, "3 skip") == markers(3, 10, turn=1)


def test_skip_can_be_chosen_although_there_are_moves() -> None:
    assert skip.moves(skip.start()) == ("1", "2", "3", "skip")
