"""Hints, values and explanations as a person reads them."""

from __future__ import annotations

import re

import pytest

import numberline as nl
from numberline.explain.explanation import explain_move, explain_position, race_count_decides
from numberline.explain.hint import hint
from numberline.explain.phrases import Phrases, describe_worth
from numberline.explain.queries import AnalysisError
from numberline.game.loader import book_from_toml
from numberline.solver.worth import VALUE_STYLES
from numberline.text import spell_number
from support.variants import reachable

VARIANTS = (
    *nl.NAMES,
    "reach-the-edge(reverse=true, skip=true)",
    "reach-the-edge(steps=2)",
    "number-line-sprint(steps=1,3, repeat=banned)",
    "number-reach(players=3)",
    "flag-chase(skip=true, repeat=banned)",
    "line-runner(players=3, end=5, overshoot=loses, stuck=loses, meeting=blocks)",
)


def live(book: nl.Book) -> list[nl.Position]:
    return [position for position in reachable(book) if book.moves(position)]


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_nudge_names_no_move_and_has_no_digit_to_be_taken_for_one(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for position in live(book):
        nudge = hint(solution, position)
        assert nudge.move == ""
        assert not re.search(r"\d", nudge.text)
        assert not re.search(r"\b(skip|back|pass)\b", nudge.text)
        assert nudge.text.endswith(".")


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_second_hint_names_a_best_move_in_one_sentence(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for position in live(book):
        advice = hint(solution, position, level=2)
        assert advice.move in solution.best(position)
        assert advice.text.startswith((f"Play {advice.move}: it ", f"Play {advice.move} (", "You have no "))
        assert re.fullmatch(r"[^.]+\.", advice.text)


def test_a_hint_says_which_number_is_lost_for_whoever_must_move_from_it() -> None:
    solution = nl.solve(nl.book("number-reach"))
    advice = hint(solution, nl.Position(1, (8,)), level=2)
    assert advice.text == "Play *2: it makes 16, and whoever must move from 16 loses."


def test_a_hint_counts_the_turns_of_a_race() -> None:
    solution = nl.solve(nl.book("line-runner"))
    assert hint(solution, nl.Position(2, (4, 12)), level=2, names=["Ann", "Bob"]).text == (
        "Play 3 (2 is as good): it takes you to position 15, and then you need 2 more turns to the goal "
        "and Ann needs 6 (each as if the other stood still)."
    )


def test_where_all_moves_lose_a_nudge_says_so_and_what_is_left_to_hope_for() -> None:
    solution = nl.solve(nl.book("number-reach"))
    assert hint(solution, nl.Position(1, (3,))).text == (
        "Your opponent can force a win from here, whatever you play. Not all of your moves hold out equally long. "
        "But each of your moves leaves just one right answer: hope for a mistake."
    )


def test_there_is_no_hint_when_the_game_is_over() -> None:
    solution = nl.solve(nl.book("number-reach"))
    with pytest.raises(AnalysisError, match="the game is over"):
        hint(solution, nl.Position(1, (20,)))


def test_with_three_players_a_hint_says_what_can_be_forced() -> None:
    solution = nl.solve(nl.book("number-reach(players=3)"))
    assert hint(solution, nl.Position(1, (17,))).text == (
        "Nobody alone can force a win from here. Exactly one of your two moves keeps the game open for you. "
        "The other one puts you out."
    )
    assert hint(solution, nl.Position(1, (5,))).text == (
        "Nobody alone can force a win from here. Exactly one of your two moves keeps the game open for you. "
        "The other one lets somebody else win."
    )


def test_with_three_players_every_move_can_lose_where_nobody_can_force_a_win() -> None:
    solution = nl.solve(nl.book("number-reach(players=3)"))
    position = nl.Position(1, (18,))
    assert solution.value(position) == "open"
    assert explain_position(solution, position).text == (
        "No player alone can force a win from here, but every move lets somebody else win or puts you out. "
        "You hold out longest with +1."
    )
    assert hint(solution, position).text == (
        "Nobody alone can force a win from here. But every move of yours lets somebody else win or puts you out."
    )
    assert hint(solution, position, level=2).text == (
        "Play +1: it makes 19; every move lets somebody else win or puts you out, but no move holds out longer."
    )


def test_a_nudge_says_that_the_longest_move_does_not_win_only_where_it_does_not() -> None:
    solution = nl.solve(nl.book("number-line-sprint(overshoot=loses, steps=2,4, end=15)"))
    assert "longest" not in hint(solution, nl.Position(2, (8, 14))).text
    solution = nl.solve(nl.book("flag-chase(skip=true, repeat=banned)"))
    assert hint(solution, nl.Position(2, (1, 10), 1)).text.endswith(" The longest move does not win.")
    assert solution.best(nl.Position(2, (1, 10), 1)) == ("2",)


# Values


def test_each_value_has_a_letter_a_shape_and_a_colour_of_its_own() -> None:
    for look in ("letter", "shape", "plain", "colour"):
        assert len({getattr(sign, look) for sign in VALUE_STYLES.values()}) == len(VALUE_STYLES)


def test_values_are_told_in_a_few_words() -> None:
    book = nl.book("number-reach")
    found = nl.solve(book).evaluate_moves(nl.Position(1, (13,)))
    assert [describe_worth(judged.worth, Phrases(book)) for judged in found] == [
        "wins in at most 7 turns",
        "loses at once",
    ]
    three = nl.book("number-reach(players=3)")
    found = nl.solve(three).evaluate_moves(nl.Position(1, (18,)))
    assert [describe_worth(judged.worth, Phrases(three, ["Ann", "Bob", "Eve"])) for judged in found] == [
        "lets Bob win in at most 2 turns",
        "puts you out",
    ]


# Explanations


def test_why_tells_a_won_position_of_reach_the_edge() -> None:
    book = nl.book("reach-the-edge")
    assert explain_position(nl.solve(book), book.start(), names=["Ann", "Bob"]).text == (
        "You can force a win from here, in at most 11 turns (6 of them yours). Only 3 wins. "
        "Playing 3 brings the marker to position 5, and then Bob may not move by 3. "
        "Whoever is to move and may not move by 3 is lost. Whatever Bob answers, you play 3. "
        "Bob holds out longest with 2."
    )


def test_why_tells_a_lost_position_of_number_reach() -> None:
    book = nl.book("number-reach")
    assert explain_position(nl.solve(book), nl.Position(2, (3,))).text == (
        "Whatever you play, Player 1 can force a win, in at most 12 turns (6 of them yours). "
        "Whoever must move from 3 loses. After +1, Player 1 answers +1, which makes 5; "
        "after *2, Player 1 answers *2, which makes 12. You hold out longest with +1."
    )


def test_why_tells_that_a_game_can_go_on_for_ever() -> None:
    book = nl.book("flag-chase(skip=true, repeat=banned)")
    assert explain_position(nl.solve(book), book.start()).text == (
        "Nobody can force a win from here: if both play well, the game goes on for ever. Only skip does not lose. "
        "After 1, Player 2 answers 2; after 2, Player 2 answers 3; after 3, Player 2 answers 2."
    )


def test_why_tells_that_a_turn_is_lost_and_that_a_game_is_over() -> None:
    book = nl.book("reach-the-edge(steps=2)")
    solution = nl.solve(book)
    assert explain_position(solution, nl.Position(2, (4,), 2)).text == (
        "You have no choice here: the turn is lost. Player 1 can force a win, in at most 4 turns (2 of them yours)."
    )
    assert explain_position(solution, nl.Position(2, (0,), 2)).text == "The game is over: Player 1 has won."


def test_a_bad_move_is_explained_by_the_answer_to_it() -> None:
    solution = nl.solve(nl.book("number-reach"))
    assert explain_move(solution, nl.Position(1, (8,)), "+1").text == (
        "With +1, you lose in at most 4 turns (2 of them yours) if Player 2 plays well. Playing +1 makes 9. "
        "Player 2 answers best with *2, which makes 18. Whoever must move from 18 loses. Only *2 wins."
    )


def test_a_move_that_is_not_allowed_is_not_explained() -> None:
    book = nl.book("reach-the-edge")
    with pytest.raises(AnalysisError, match=r"'4' is not allowed here. You can play 1, 2, or 3."):
        explain_move(nl.solve(book), book.start(), "4")


def test_a_name_at_the_beginning_of_a_sentence_stays_as_it_is() -> None:
    book = nl.book("number-reach")
    text = explain_move(nl.solve(book), nl.Position(1, (8,)), "+1", names=["ann", "bob"]).text
    assert ". bob answers best with *2" in text


@pytest.mark.parametrize(("number", "word"), [(1, "one"), (12, "twelve"), (20, "twenty"), (99, "ninety-nine")])
def test_numbers_can_be_written_in_letters(number: int, word: str) -> None:
    assert spell_number(number) == word


def test_a_nudge_counts_the_moves_that_leave_just_one_right_answer() -> None:
    flag_chase, number_reach = nl.solve(nl.book("flag-chase")), nl.solve(nl.book("number-reach"))
    after_two = flag_chase.book.after(flag_chase.book.start(), "2")
    assert "But two of your moves leave just one right answer" in hint(flag_chase, after_two).text
    assert "But each of your moves leaves just one right answer" in hint(number_reach, nl.Position(1, (1,))).text


HEAD_ON = """
title = "Head On"
[rules]
line = [0, 10]
start = [0, 10]
goal = [10, 0]
moves = "forward"
steps = "1-3"
meeting = "blocks"
stuck = "loses"
"""
"""Nobody can pass, and whoever can't move loses: the gap decides, not the turns to the goal."""


def test_counting_turns_is_advised_only_where_it_finds_the_right_move() -> None:
    race = nl.solve(nl.book("line-runner"))
    blocked = nl.solve(book_from_toml(HEAD_ON, "head-on", source_name="here"))
    advised = "Count the turns that each of you still needs."
    assert advised in hint(race, race.book.start()).text
    misled = [position for position in blocked.live if not race_count_decides(blocked, position)]
    assert blocked.book.start() in misled
    assert not [position for position in misled if advised in hint(blocked, position).text]
