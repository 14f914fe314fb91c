"""Number Reach, rule by rule, in the order of its book."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.explain.narrator import Narrator
from numberline.solver.explore import explore
from support.match_script import after, places, played, winner

book = nl.book("number-reach")


def number(current: int, turn: int = 1) -> nl.Position:
    """Return the current number and the player to move."""
    return nl.Position(turn=turn, tokens=(current,))


# Objective and setup


def test_the_starting_number_is_1() -> None:
    assert book.start().tokens == (1,)


def test_the_target_number_is_20_for_both() -> None:
    assert book.rules.goals == ((20,), (20,))


def test_two_players_are_required() -> None:
    assert book.rules.players == 2


@pytest.mark.parametrize("first", [1, 2])
def test_first_player_is_chosen_in_advance(first: int) -> None:
    assert book.start(first=first).turn == first


# Turns


def test_players_take_turns_starting_with_player_1() -> None:
    assert [ply.player for ply in played(book, "*2 *2 +1").plies] == [1, 2, 1]


def test_a_turn_is_one_of_the_two_operations() -> None:
    assert book.moves(book.start()) == ("+1", "*2")


def test_the_new_number_is_the_next_players_current_number() -> None:
    assert after(book, "+1 +1 *2") == number(6, turn=2)


# Operation rules


def test_plus_1_adds_one() -> None:
    assert book.after(number(8), "+1").tokens == (9,)


def test_times_2_doubles() -> None:
    assert book.after(number(8), "*2").tokens == (16,)


# Winning, losing, going on


@pytest.mark.parametrize(("current", "move"), [(19, "+1"), (10, "*2")])
def test_making_the_number_exactly_20_wins_at_once(current: int, move: str) -> None:
    assert winner(book, book.after(number(current, turn=2), move)) == 2


@pytest.mark.parametrize("current", [11, 15, 19])
def test_exceeding_20_loses_at_once(current: int) -> None:
    assert winner(book, book.after(number(current, turn=2), "*2")) == 1


def test_below_20_the_game_goes_on() -> None:
    assert book.outcome(book.after(number(18), "+1")) is None


def test_below_20_it_is_the_next_players_turn() -> None:
    assert book.after(number(18), "+1").turn == 2


def test_nothing_can_be_played_once_the_target_is_reached() -> None:
    assert book.moves(book.after(number(19), "+1")) == ()


def test_no_move_is_legal_once_a_player_has_overshot() -> None:
    assert book.moves(book.after(number(19), "*2")) == ()


def test_no_game_goes_on_for_ever() -> None:
    assert not explore(book).goes_round


# Examples


def test_the_books_own_example_is_replayed() -> None:
    assert places(book, "*2 *2 *2 +1 *2 +1 +1") == [(2,), (4,), (8,), (9,), (18,), (19,), (20,)]


def test_player_1_wins_the_books_own_example() -> None:
    assert winner(book, after(book, "*2 *2 *2 +1 *2 +1 +1")) == 1


def test_sample_opens_with_target_and_number() -> None:
    assert Narrator(nl.Match(book)).opening() == "Target Number: 20\nCurrent Number: 1\n"


def test_the_sample_interaction_tells_the_new_number() -> None:
    match = played(book, "*2")
    assert Narrator(match).event(match.plies[-1]) == "New Current Number: 2\n"


# Variations


def test_another_target_is_won_exactly_on_it() -> None:
    further = nl.book("number-reach(target=30)")
    assert winner(further, further.after(number(15), "*2")) == 1


def test_another_target_lets_the_number_grow_beyond_20() -> None:
    assert nl.book("number-reach(target=30)").after(number(14), "*2") == number(28, turn=2)


def test_a_smaller_target_is_overshot_sooner() -> None:
    smaller = nl.book("number-reach(target=13)")
    assert winner(smaller, smaller.after(number(7), "*2")) == 2


def test_subtracting_1_can_be_introduced() -> None:
    more = nl.book('number-reach(operations="+1 *2 -1")')
    assert more.after(number(5), "-1").tokens == (4,)


def test_dividing_by_2_can_be_introduced() -> None:
    more = nl.book('number-reach(operations="+1 *2 /2")')
    assert more.after(number(6), "/2").tokens == (3,)


def test_three_players_move_in_the_order_1_2_3() -> None:
    three = nl.book("number-reach(players=3)")
    assert [ply.player for ply in played(three, "+1 +1 +1 +1").plies] == [1, 2, 3, 1]


def test_third_player_wins_by_reaching_the_target() -> None:
    three = nl.book("number-reach(players=3)")
    assert winner(three, three.after(number(19, turn=3), "+1")) == 3
