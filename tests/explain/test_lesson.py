"""Lessons: five steps that are right for any variant, and the secrets of the five books."""

from __future__ import annotations

from pathlib import Path

import pytest

import numberline as nl
from numberline.explain.lesson import lesson
from numberline.explain.losing_patterns import BannedSteps, LosingNumbers, RaceCount, describe_numbers
from numberline.explain.pattern_search import find_losing_pattern
from numberline.explain.queries import AnalysisError, always_winning_moves
from support.variants import CHOSEN

TITLES = ["The goal", "One turn before", "Further back", "The rule, and why", "The whole game"]
TWO = [*nl.NAMES, *[name for name in CHOSEN if nl.book(name).rules.players == 2 and "tokens" not in name][::3]]


@pytest.mark.parametrize("variant", TWO)
def test_a_lesson_has_five_steps_and_the_right_answers(variant: str) -> None:
    book = nl.book(variant)
    solution = nl.solve(book)
    taught = lesson(solution)
    assert [step.title for step in taught.steps] == TITLES
    for step in taught.steps:
        assert step.text.endswith(".")
        assert book.moves(step.position)
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


@pytest.mark.parametrize("name", nl.NAMES)
def test_each_step_of_a_book_has_a_board_and_an_exercise_of_its_own(name: str) -> None:
    taught = lesson(nl.solve(nl.book(name))).steps
    asked = [step.exercise.position for step in taught if step.exercise]
    assert len(set(asked)) == len({step.position for step in taught}) == 5


@pytest.mark.parametrize("name", nl.NAMES)
def test_a_lesson_goes_backwards_from_the_goal(name: str) -> None:
    solution = nl.solve(nl.book(name))
    goal, before, further, *_ = lesson(solution).steps
    assert solution.worth(goal.position).plies == 1
    assert (solution.value(before.position), solution.distance(before.position)) == ("loss", 2)
    assert solution.value(further.position) == "loss"
    assert before.exercise
    assert before.exercise.right[0] in solution.best(before.exercise.position)
    after = solution.book.after(before.exercise.position, before.exercise.right[0])
    assert (solution.value(after), solution.distance(after)) == ("loss", 2)


def test_reach_the_edge_is_lost_for_who_may_not_move_by_3() -> None:
    taught = steps("reach-the-edge")
    rule = taught["The rule, and why"]
    assert "If it is your turn and you may not move by 3, you are lost; everywhere else" in rule
    assert "The move 3 wins wherever it is allowed." in rule
    assert (
        "After your 3 your opponent may not play 3, and takes back 2 at the most. Then you play 3 again, or win at "
        "once. So with every two turns you come at least one position nearer to your goal"
    ) in rule
    assert taught["The whole game"].startswith(
        "Whoever starts can force a win. The only first move that wins is 3. "
        "The others lose: after 1, Player 2 answers 3; after 2, Player 2 answers 3.\n\n"
    )
    assert taught["The whole game"].endswith("In short: play 3 whenever you may.")


def test_number_reach_is_lost_from_seven_numbers() -> None:
    taught = steps("number-reach")
    rule = taught["The rule, and why"]
    assert "Whoever must move from one of these numbers loses: 1, 3, 5, 12, 14, 16, and 18." in rule
    assert "From a losing number every move leads to a number that is not losing, or loses at once." in rule
    assert taught["The goal"].endswith("Whoever is to move from 10 or 19 wins at once.")
    assert "The number is 18. After +1, you win with +1; with *2, your opponent loses" in taught["One turn before"]
    assert "The number is 16. After +1, you answer +1, which makes 18;" in taught["Further back"]
    assert taught["The whole game"].startswith(
        "Whoever starts is lost if the other player makes no mistake. "
        "Whatever Player 1 plays, Player 2 answers +1, which makes 3.\n\n"
    )


@pytest.mark.parametrize(
    "variant",
    ["number-line-sprint", "flag-chase", "line-runner", "line-runner(meeting=blocks)", "line-runner(end=100)"],
)
def test_the_games_with_a_token_each_are_races(variant: str) -> None:
    law = find_losing_pattern(nl.solve(nl.book(variant)))
    assert isinstance(law, RaceCount)
    assert law.exceptions == 0
    rule = steps(variant)["The rule, and why"]
    assert "Count the turns that each player needs" in rule
    assert "make yours smaller turn after turn, and your opponent never catches up." in rule


def test_a_race_says_what_getting_in_the_way_is_good_for() -> None:
    assert "it never saves the one who is behind." in steps("line-runner")["The rule, and why"]
    assert "Nobody can make the other's way longer." in steps("flag-chase")["The rule, and why"]


def test_a_race_with_exceptions_counts_them() -> None:
    law = find_losing_pattern(nl.solve(nl.book("line-runner(repeat=banned)")))
    assert isinstance(law, RaceCount)
    assert law.exceptions == 60
    rule = steps("line-runner(repeat=banned)")["The rule, and why"]
    assert "That is right in 1,192 of 1,252 positions, but not in all.\n\nAn exception: with Player A on " in rule


@pytest.mark.parametrize("variant", ["number-line-sprint(steps=1,3, repeat=banned)", "reach-the-edge(overshoot=loses)"])
def test_a_ban_can_be_the_secret_of_other_games_too(variant: str) -> None:
    assert isinstance(find_losing_pattern(nl.solve(nl.book(variant))), BannedSteps)


def test_a_pattern_of_numbers_is_told_as_one() -> None:
    variant = 'number-reach(target=60, operations="+1 +2 +3")'
    law = find_losing_pattern(nl.solve(nl.book(variant)))
    assert isinstance(law, LosingNumbers)
    assert law.numbers == tuple(range(4, 57, 4))
    assert "loses: the multiples of 4 up to 56." in steps(variant)["The rule, and why"]


def test_an_endless_game_is_taught_as_one() -> None:
    taught = steps("number-reach(overshoot=counts, skip=true)")
    assert taught["One turn before"].startswith("In this game there are no traps: ")
    assert taught["The rule, and why"].endswith(
        "Nobody is ever lost while it is their turn: there is always a move that does not lose. "
        "A win can be forced only where one can win at once."
    )
    assert taught["The whole game"].startswith(
        "Nobody can force a win from the start: the game is decided by the first mistake, if at all. "
        "No first move loses.\n\n"
    )


def test_where_no_rule_is_known_a_lesson_says_what_all_traps_have_in_common() -> None:
    taught = steps(str(Path(__file__).parents[2] / "docs" / "example-book.toml"))
    assert "No short rule is known for this game. Here are some traps: " in taught["The rule, and why"]
    assert "All traps work in the same way: " in taught["The rule, and why"]
    assert taught["The whole game"].endswith("In short: before you move, look for your opponent's best answer.")


def test_a_game_in_which_nothing_can_go_wrong_says_so() -> None:
    assert "Nothing can go wrong in this game" in steps("line-runner(meeting=blocks)")["The rule, and why"]
    assert "Nothing can go wrong in this game" not in steps("line-runner")["The rule, and why"]


def test_a_large_book_is_taught_by_what_is_near_the_goal() -> None:
    solution = nl.solve(nl.book("number-reach(target=26000)"))
    taught = lesson(solution)
    assert taught.steps[0].text.endswith("The number is 25999. With +1, you win at once: it makes 26000.")
    assert "The losing numbers nearest to the goal are the even numbers from 25962 to 25998." in taught.steps[3].text
    even = {solution.value(nl.Position(1, (number,))) for number in range(25962, 26000, 2)}
    odd = {solution.value(nl.Position(1, (number,))) for number in range(25961, 26000, 2)}
    assert (even, odd) == ({"loss"}, {"win"})


def test_a_move_that_loses_where_it_is_the_only_one_does_not_always_win() -> None:
    solution = nl.solve(nl.book("number-line-sprint(end=7, steps=2)"))
    only = [solution.evaluate_moves(at)[0] for at in solution.live if len(solution.evaluate_moves(at)) == 1]
    assert any(judged.move == "L2" and judged.value == "loss" for judged in only)
    assert always_winning_moves(solution) == ()


def test_lessons_need_two_players() -> None:
    with pytest.raises(AnalysisError, match=r"lessons need two players; number-reach\(players=3\) has 3"):
        lesson(nl.solve(nl.book("number-reach(players=3)")))


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ([], "none"),
        ([4], "4"),
        ([1, 2, 3, 4, 5, 6, 7, 8], "every number from 1 to 8"),
        ([*range(1, 96, 2)], "the odd numbers up to 95"),
        ([*range(2, 97, 2)], "the even numbers up to 96"),
        ([1, 3, 5, 12, 14, 16, 18, 20, 22], "1, 3, 5, and the even numbers from 12 to 22"),
        ([*range(0, 100, 21)], "0, 21, 42, 63, and 84"),
        ([*range(0, 200, 21)], "the multiples of 21 from 0 to 189"),
        ([*range(3, 200, 21)], "every 21st number from 3 to 192"),
        ([*range(3, 100, 3)], "the multiples of 3 up to 99"),
        ([1, 2, 4, 8, 16, 32, 64, 128], ""),
    ],
)
def test_a_list_of_numbers_is_told_as_people_would(numbers: list[int], words: str) -> None:
    assert describe_numbers(numbers) == words
