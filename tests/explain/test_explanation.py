"""Hints, values and explanations as a person reads them."""

from __future__ import annotations

import re

import pytest

import numberline as nl
from numberline.explain.claims import move_effect
from numberline.explain.explanation import explain_briefly, explain_move, explain_position, hint, race_count_decides
from numberline.explain.phrases import Phrases, describe_worth
from numberline.explain.queries import AnalysisError
from numberline.game.loader import book_from_toml
from numberline.game.move_text import MAX_SENTENCE_WORDS
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
def test_level_1_hint_names_no_move_and_has_no_digits(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for position in live(book):
        nudge = hint(solution, position)
        assert nudge.move == ""
        assert not re.search(r"\d", nudge.text)
        assert not re.search(r"\b(skip|back|pass)\b", nudge.text)
        assert nudge.text.endswith(".")


@pytest.mark.parametrize("variant", VARIANTS)
def test_level_2_hint_is_short_and_has_a_best_move(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    for position in live(book):
        advice = hint(solution, position, level=2)
        assert advice.move in solution.best(position)
        assert advice.text.startswith((f"Play {advice.move}: it ", "You can't move"))
        sentences = re.findall(r"[^.]+\.", advice.text)
        assert "".join(sentences) == advice.text
        assert len(sentences) <= 3
        assert all(len(sentence.split()) <= MAX_SENTENCE_WORDS for sentence in sentences)


def test_hint_names_the_losing_number() -> None:
    solution = nl.solve(nl.book("number-reach"))
    advice = hint(solution, nl.Position(1, (8,)), level=2)
    assert advice.text == "Play *2: it makes 16, and the player who must move from 16 loses."


def test_hint_counts_the_turns_of_a_race() -> None:
    solution = nl.solve(nl.book("line-runner"))
    assert hint(solution, nl.Position(2, (4, 12)), level=2, names=["Ann", "Bob"]).text == (
        "Play 3: it takes you to position 15. Then, with the other player "
        "standing still, you need 2 more turns to the goal and Ann needs 6. 2 is just as good."
    )


def test_brief_explanation_gives_a_reason_if_every_move_wins() -> None:
    solution = nl.solve(nl.book("flag-chase"))
    assert explain_briefly(solution, nl.Position(1, (1, 9)), names=["Ann", "Fox"]) == (
        "Play 3: it takes you to tile 4, and whatever Fox answers, you win with your next move. "
        "1 and 2 are just as good."
    )


def test_hint_counts_tokens_of_the_opponent_as_standing_still() -> None:
    solution = nl.solve(nl.book("line-runner(end=6, tokens=2)"))
    assert hint(solution, nl.Position(1, (3, 0, 0, 2)), level=2, names=["Ann", "Bob"]).text.startswith(
        "Play 2:3: it takes your token b only to position 1. Then, with the other player standing still, "
        "you need 3 more turns to the goal and Bob needs 5."
    )


def test_hint_in_a_losing_position_says_which_moves_are_hard_to_answer() -> None:
    solution = nl.solve(nl.book("number-reach"))
    assert hint(solution, nl.Position(1, (3,))).text == (
        "Your opponent has a sure win from here, whatever you play. Some moves make the game last longer. "
        "But after each of your moves, only one answer is right."
    )


@pytest.mark.parametrize(
    ("name", "position", "how"),
    [
        ("flag-chase", nl.Position(1, (3, 8)), "count the tiles to your goal"),
        ("number-reach", nl.Position(1, (19,)), "try each move in your head"),
    ],
)
def test_hint_says_how_to_find_a_win_at_once(name: str, position: nl.Position, how: str) -> None:
    assert hint(nl.solve(nl.book(name)), position).text == f"You can win at once: {how}."


def test_hint_speaks_of_the_other_of_two_moves() -> None:
    said = hint(nl.solve(nl.book("number-reach")), nl.Position(1, (9,))).text
    assert said == "Exactly one of your two moves wins. After the other move, your opponent can win at once."


def test_hint_after_the_game_is_rejected() -> None:
    solution = nl.solve(nl.book("number-reach"))
    with pytest.raises(AnalysisError, match="the game is over"):
        hint(solution, nl.Position(1, (20,)))


def test_hint_for_three_players_counts_safe_moves() -> None:
    solution = nl.solve(nl.book("number-reach(players=3)"))
    assert hint(solution, nl.Position(1, (17,))).text == (
        "No player alone has a sure win from here. Exactly one of your two moves keeps you in the game. "
        "The other one puts you out."
    )
    assert hint(solution, nl.Position(1, (5,))).text == (
        "No player alone has a sure win from here. Exactly one of your two moves keeps you in the game. "
        "The other one lets another player win."
    )


def test_every_move_can_lose_without_a_sure_win_for_three() -> None:
    solution = nl.solve(nl.book("number-reach(players=3)"))
    position = nl.Position(1, (18,))
    assert solution.value(position) == "open"
    assert explain_position(solution, position).text == (
        "No player alone has a sure win from here, but every move lets another player win or puts you out. "
        "You last longest with +1."
    )
    assert hint(solution, position).text == (
        "No player alone has a sure win from here. But every move lets another player win or puts you out."
    )
    assert hint(solution, position, level=2).text == (
        "Play +1: it makes 19. Every move lets another player win or puts you out, so no other move is better."
    )


def test_hint_mentions_the_longest_move_only_if_it_fails() -> None:
    solution = nl.solve(nl.book("number-line-sprint(overshoot=loses, steps=2,4, end=15)"))
    assert "longest" not in hint(solution, nl.Position(2, (8, 14))).text
    solution = nl.solve(nl.book("flag-chase(skip=true, repeat=banned)"))
    assert hint(solution, nl.Position(2, (1, 10), 1)).text.endswith(" The longest move doesn't win.")
    assert solution.best(nl.Position(2, (1, 10), 1)) == ("2",)


# Values


def test_each_value_has_its_own_letter_shape_and_colour() -> None:
    for look in ("letter", "shape", "colour"):
        assert len({getattr(sign, look) for sign in VALUE_STYLES.values()}) == len(VALUE_STYLES)


def test_describe_worth_is_short() -> None:
    book = nl.book("number-reach")
    found = nl.solve(book).evaluate_moves(nl.Position(1, (13,)))
    assert [describe_worth(option.worth, Phrases(book)) for option in found] == [
        "wins within 7 turns",
        "loses at once",
    ]
    three = nl.book("number-reach(players=3)")
    found = nl.solve(three).evaluate_moves(nl.Position(1, (18,)))
    assert [describe_worth(option.worth, Phrases(three, ["Ann", "Bob", "Eve"])) for option in found] == [
        "lets Bob win within 2 turns",
        "puts you out",
    ]


# Explanations


def test_explanation_of_a_won_position() -> None:
    book = nl.book("reach-the-edge")
    assert explain_position(nl.solve(book), book.start(), names=["Ann", "Bob"]).text == (
        "You have a sure win from here, within 11 turns (6 of them yours). Only 3 wins. "
        "Playing 3 brings the marker to position 5, and then Bob can't move by 3. "
        "The player whose turn it is loses if the last move bans 3. Whatever Bob plays, you answer 3. "
        "Bob lasts longest with 2."
    )


def test_explanation_of_a_lost_position() -> None:
    book = nl.book("number-reach")
    assert explain_position(nl.solve(book), nl.Position(2, (3,))).text == (
        "Whatever you play, Player 1 has a sure win, within 12 turns (6 of them yours). "
        "The player who must move from 3 loses. After +1, Player 1 answers +1, which makes 5; "
        "after *2, Player 1 answers *2, which makes 12. You last longest with +1."
    )


def test_explanation_of_an_endless_position() -> None:
    book = nl.book("flag-chase(skip=true, repeat=banned)")
    assert explain_position(nl.solve(book), book.start()).text == (
        "Neither player has a sure win from here: if both play well, the game never ends. Only skip doesn't lose. "
        "After 1, Player 2 answers 2; after 2, Player 2 answers 3; after 3, Player 2 answers 2."
    )


def test_explanation_of_a_forced_pass_and_of_a_finished_game() -> None:
    book = nl.book("reach-the-edge(steps=2)")
    solution = nl.solve(book)
    assert explain_position(solution, nl.Position(2, (4,), 2)).text == (
        "You can't move: every move is banned, so you miss a turn. "
        "Player 1 has a sure win, within 4 turns (2 of them yours)."
    )
    assert explain_position(solution, nl.Position(2, (0,), 2)).text == "The game is over: Player 1 has won."


def test_explanation_of_a_bad_move_gives_the_reply() -> None:
    solution = nl.solve(nl.book("number-reach"))
    assert explain_move(solution, nl.Position(1, (8,)), "+1").text == (
        "With +1, you lose within 4 turns (2 of them yours) if Player 2 plays well. Playing +1 makes 9. "
        "After +1, Player 2 answers *2, which makes 18. The player who must move from 18 loses. Only *2 wins."
    )


def test_illegal_move_is_not_explained() -> None:
    book = nl.book("reach-the-edge")
    with pytest.raises(AnalysisError, match=r"'4' is not allowed here. You can play 1, 2, or 3."):
        explain_move(nl.solve(book), book.start(), "4")


def test_name_at_the_start_of_a_sentence_is_unchanged() -> None:
    book = nl.book("number-reach")
    text = explain_move(nl.solve(book), nl.Position(1, (8,)), "*2", names=["ann", "bob"]).text
    assert ". bob lasts longest with +1." in text


@pytest.mark.parametrize(("number", "word"), [(1, "one"), (12, "twelve"), (20, "twenty"), (99, "ninety-nine")])
def test_spell_number_writes_words(number: int, word: str) -> None:
    assert spell_number(number) == word


def test_hint_counts_the_moves_with_one_right_reply() -> None:
    flag_chase, number_reach = nl.solve(nl.book("flag-chase")), nl.solve(nl.book("number-reach"))
    after_two = flag_chase.book.after(flag_chase.book.start(), "2")
    assert "But after two of your moves, only one answer is right" in hint(flag_chase, after_two).text
    assert "But after each of your moves, only one answer is right" in hint(number_reach, nl.Position(1, (1,))).text


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
"""Tokens can't pass each other, and a player without a move loses: the gap decides, not the turns to the goal."""


def test_hint_advises_counting_only_if_it_works() -> None:
    race = nl.solve(nl.book("line-runner"))
    blocked = nl.solve(book_from_toml(HEAD_ON, "head-on", source_name="here"))
    advice = "Count the turns that each of you still needs."
    assert advice in hint(race, race.book.start()).text
    misled = [position for position in blocked.live if not race_count_decides(blocked, position)]
    assert blocked.book.start() in misled
    assert not [position for position in misled if advice in hint(blocked, position).text]


@pytest.mark.parametrize("name", nl.NAMES)
def test_hint_and_explanation_recommend_the_same_move(name: str) -> None:
    solution = nl.solve(nl.book(name))
    for position in solution.live[::3]:
        if solution.value(position) == "win" and solution.distance(position) != 1:
            explained = [
                claim.facts.move for claim in explain_position(solution, position).claims if claim.kind is move_effect
            ]
            assert explained == [hint(solution, position, 2).move]


def test_longest_of_equal_moves_is_recommended_in_a_race() -> None:
    solution = nl.solve(nl.book("line-runner"))
    assert hint(solution, nl.Position(1, (5, 0)), 2).move == "3"
