"""Lessons: five steps that are right for any variant, and the secrets of the five books."""

from __future__ import annotations

import pytest

import numberline as nl
from numberline.analysis.facts import AnalysisError, moves_that_always_win
from numberline.analysis.laws import Bans, Numbers, Race, numbers_in_words
from numberline.analysis.lesson import lesson
from numberline.analysis.secret import law_of
from variants import CHOSEN

TWO = [*nl.NAMES, *[name for name in CHOSEN if nl.book(name).rules.players == 2 and "tokens" not in name][::3]]


@pytest.mark.parametrize("variant", TWO)
def test_a_lesson_has_five_steps_and_the_right_answers(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    taught = lesson(solution)
    assert [step.title for step in taught.steps] == [
        "The goal",
        "The secret",
        "The right move",
        "The first move",
        "In short",
    ]
    for step in taught.steps:
        assert step.text.endswith(".")
        if step.exercise:
            at, right = step.exercise.position, step.exercise.right
            winners = {move: solution.worth(book.after(at, move)).winner for move in book.moves(at)}
            best = {move for move, winner in winners.items() if winner == at.turn}
            best = best or {move for move, winner in winners.items() if not winner}
            assert set(right) <= best
            assert set(solution.best(at)) <= set(right)
            assert len(right) < len(winners) or len(winners) == 1
            assert step.exercise.answer


def steps(variant: str) -> dict[str, str]:
    return {step.title: step.text for step in lesson(nl.solve(nl.book(variant))).steps}


def test_reach_the_edge_is_lost_for_who_may_not_move_by_3() -> None:
    taught = steps("reach-the-edge")
    assert "If it is your turn and you may not move by 3, you are lost; everywhere else" in taught["The secret"]
    assert taught["The right move"].startswith("The move 3 wins wherever it is allowed.")
    assert taught["The first move"] == (
        "Whoever starts can force a win. The only first move that wins is 3. "
        "The others lose: after 1, Player 2 answers 3; after 2, Player 2 answers 3."
    )


def test_number_reach_is_lost_from_seven_numbers() -> None:
    taught = steps("number-reach")
    assert "Whoever must move from one of these numbers loses: 1, 3, 5, 12, 14, 16, and 18." in taught["The secret"]
    assert taught["The goal"].endswith("Whoever is to move from 10 or 19 wins at once.")
    assert taught["The first move"] == (
        "Whoever starts is lost if the other player makes no mistake. "
        "Whatever Player 1 plays, Player 2 answers +1, which makes 3."
    )


@pytest.mark.parametrize("variant", ["number-line-sprint", "flag-chase", "line-runner", "line-runner(meeting=blocks)"])
def test_the_games_with_a_token_each_are_races(variant: str) -> None:
    law = law_of(nl.solve(nl.book(variant)))
    assert isinstance(law, Race)
    assert law.exceptions == 0
    assert "count the turns that each player needs" in steps(variant)["The secret"].lower()


def test_a_race_with_exceptions_counts_them() -> None:
    law = law_of(nl.solve(nl.book("line-runner(repeat=banned)")))
    assert isinstance(law, Race)
    assert law.exceptions == 60
    assert (
        "That is right in 1,192 of 1,252 positions, but not in all."
        in steps("line-runner(repeat=banned)")["The secret"]
    )


@pytest.mark.parametrize("variant", ["number-line-sprint(steps=1,3, repeat=banned)", "reach-the-edge(overshoot=loses)"])
def test_a_ban_can_be_the_secret_of_other_games_too(variant: str) -> None:
    assert isinstance(law_of(nl.solve(nl.book(variant))), Bans)


def test_a_pattern_of_numbers_is_told_as_one() -> None:
    variant = 'number-reach(target=60, operations="+1 +2 +3")'
    law = law_of(nl.solve(nl.book(variant)))
    assert isinstance(law, Numbers)
    assert law.numbers == tuple(range(4, 57, 4))
    assert "loses: every 4th number from 4 to 56." in steps(variant)["The secret"]


def test_an_endless_game_is_taught_as_one() -> None:
    taught = steps("number-reach(overshoot=counts, skip=true)")
    assert taught["The secret"] == (
        "Nobody is ever lost while it is their turn: there is always a move that does not lose. "
        "A win can be forced only where one can win at once."
    )
    assert taught["The first move"] == (
        "Nobody can force a win from the start: the game is decided by the first mistake, if at all. "
        "No first move loses."
    )


def test_a_large_book_is_taught_by_what_is_near_the_goal() -> None:
    solution = nl.solve(nl.book("number-reach(target=6000)"))
    taught = lesson(solution)
    assert "Those nearest to the goal: every second number from 5962 to 5998." in taught.steps[1].text
    even = {solution.value(nl.Position(1, (number,))) for number in range(5962, 6000, 2)}
    odd = {solution.value(nl.Position(1, (number,))) for number in range(5961, 6000, 2)}
    assert (even, odd) == ({"loss"}, {"win"})


def test_a_move_that_loses_where_it_is_the_only_one_does_not_always_win() -> None:
    solution = nl.solve(nl.book("number-line-sprint(end=7, steps=2)"))
    only = [solution.judged(at)[0] for at in solution.live if len(solution.judged(at)) == 1]
    assert any(judged.move == "L2" and judged.value == "loss" for judged in only)
    assert moves_that_always_win(solution) == ()


def test_lessons_need_two_players() -> None:
    with pytest.raises(AnalysisError, match=r"lessons need two players; number-reach\(players=3\) has 3"):
        lesson(nl.solve(nl.book("number-reach(players=3)")))


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([], "none"),
        ([4], "4"),
        ([1, 2, 3, 4, 5, 6, 7, 8], "every number from 1 to 8"),
        ([1, 3, 5, 12, 14, 16, 18, 20, 22], "1, 3, 5, and every second number from 12 to 22"),
        ([*range(0, 100, 21)], "0, 21, 42, 63, and 84"),
        ([*range(0, 200, 21)], "every 21st number from 0 to 189"),
        ([1, 2, 4, 8, 16, 32, 64, 128], ""),
    ],
)
def test_a_list_of_numbers_is_told_as_people_would(numbers: list[int], words: str) -> None:
    assert numbers_in_words(numbers) == words
