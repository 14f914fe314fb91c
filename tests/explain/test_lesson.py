"""Lessons: five steps that are right for any variant, and the secrets of the five books."""

from __future__ import annotations

from pathlib import Path

import pytest

import numberline as nl
from numberline.explain.lesson import lesson
from numberline.explain.losing_patterns import BannedSteps, LosingNumbers, RaceCount, find_losing_pattern
from numberline.explain.phrases import describe_numbers
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
def test_each_step_has_its_own_position_and_exercise(name: str) -> None:
    taught = lesson(nl.solve(nl.book(name))).steps
    asked = [step.exercise.position for step in taught if step.exercise]
    assert len(set(asked)) == len({step.position for step in taught}) == 5


@pytest.mark.parametrize("name", nl.NAMES)
def test_lesson_works_backwards_from_the_goal(name: str) -> None:
    solution = nl.solve(nl.book(name))
    goal, before, further, *_ = lesson(solution).steps
    assert solution.worth(goal.position).plies == 1
    assert (solution.value(before.position), solution.distance(before.position)) == ("loss", 2)
    assert solution.value(further.position) == "loss"
    assert before.exercise
    assert before.exercise.right[0] in solution.best(before.exercise.position)
    after = solution.book.after(before.exercise.position, before.exercise.right[0])
    assert (solution.value(after), solution.distance(after)) == ("loss", 2)


def test_lesson_on_reach_the_edge_is_about_the_banned_3() -> None:
    taught = steps("reach-the-edge")
    rule = taught["The rule, and why"]
    assert "If it's your turn and you can't move by 3, you lose. In all other positions, you can win." in rule
    assert "The move 3 wins whenever you can play it." in rule
    assert (
        "After your 3, your opponent can't play 3 and takes back no more than 2. Then you play 3 again, or win at "
        "once. So every two turns bring you at least one position nearer to your goal"
    ) in rule
    assert taught["The whole game"].startswith(
        "The player who starts has a sure win. The only first move that wins is 3. "
        "The others lose: after 1, Player 2 answers 3; after 2, Player 2 answers 3.\n\n"
    )
    assert taught["The whole game"].endswith("In short: play 3 whenever you can.")


def test_lesson_on_number_reach_lists_seven_losing_numbers() -> None:
    taught = steps("number-reach")
    rule = taught["The rule, and why"]
    assert "If you must move from one of these numbers, you lose: 1, 3, 5, 12, 14, 16, and 18." in rule
    assert "From a losing number, every move leads to a number that isn't losing, or loses at once." in rule
    assert taught["The goal"].endswith("From 10 or 19, you can win at once if it's your turn.")
    assert "The number is 18. After +1, you win with +1; with *2, your opponent loses" in taught["One turn before"]
    assert "The number is 16. After +1, you answer +1, which makes 18;" in taught["Further back"]
    assert taught["The whole game"].startswith(
        "The player who starts loses if the other player makes no mistake. "
        "Whatever Player 1 plays, Player 2 answers +1, which makes 3.\n\n"
    )


@pytest.mark.parametrize(
    "variant",
    ["number-line-sprint", "flag-chase", "line-runner", "line-runner(meeting=blocks)", "line-runner(end=100)"],
)
def test_games_with_own_tokens_are_races(variant: str) -> None:
    pattern = find_losing_pattern(nl.solve(nl.book(variant)))
    assert isinstance(pattern, RaceCount)
    assert pattern.exceptions == 0
    rule = steps(variant)["The rule, and why"]
    assert "Count the turns that each player needs" in rule
    assert "make yours smaller turn after turn, and your opponent never catches up." in rule


def test_race_lesson_explains_getting_in_the_way() -> None:
    assert "so it never saves the one who is." in steps("line-runner")["The rule, and why"]
    assert "Neither player can make the other's way longer." in steps("flag-chase")["The rule, and why"]


def test_race_lesson_counts_its_exceptions() -> None:
    pattern = find_losing_pattern(nl.solve(nl.book("line-runner(repeat=banned)")))
    assert isinstance(pattern, RaceCount)
    assert pattern.exceptions == 60
    rule = steps("line-runner(repeat=banned)")["The rule, and why"]
    assert "That's right in 1,192 of 1,252 positions, but not in all.\n\nHere's an exception: Player A on " in rule


@pytest.mark.parametrize("variant", ["number-line-sprint(steps=1,3, repeat=banned)", "reach-the-edge(overshoot=loses)"])
def test_banned_steps_can_be_the_pattern_of_other_games(variant: str) -> None:
    assert isinstance(find_losing_pattern(nl.solve(nl.book(variant))), BannedSteps)


def test_losing_numbers_are_described_as_a_progression() -> None:
    variant = 'number-reach(target=60, operations="+1 +2 +3")'
    pattern = find_losing_pattern(nl.solve(nl.book(variant)))
    assert isinstance(pattern, LosingNumbers)
    assert pattern.numbers == tuple(range(4, 57, 4))
    assert "you lose: the multiples of 4 up to 56." in steps(variant)["The rule, and why"]


def test_lesson_on_an_endless_game_has_no_traps() -> None:
    taught = steps("number-reach(overshoot=counts, skip=true)")
    assert taught["One turn before"].startswith("This game has no traps: ")
    assert taught["The rule, and why"].endswith(
        "You never have to lose: on your turn, there is always a move that doesn't lose. "
        "The only sure wins are wins at once."
    )
    assert taught["The whole game"].startswith(
        "Neither player has a sure win from the start: if the game ends, a mistake decides it. No first move loses.\n\n"
    )


def test_lesson_without_a_rule_explains_traps() -> None:
    taught = steps(str(Path(__file__).parents[2] / "docs" / "example-book.toml"))
    assert "This game has no short rule that we know of. Here are some traps: " in taught["The rule, and why"]
    assert "All traps work the same way: " in taught["The rule, and why"]
    assert taught["The whole game"].endswith("In short: before you move, look for your opponent's best answer.")


def test_lesson_says_if_nothing_can_go_wrong() -> None:
    assert "Nothing can go wrong in this game" in steps("line-runner(meeting=blocks)")["The rule, and why"]
    assert "Nothing can go wrong in this game" not in steps("line-runner")["The rule, and why"]


def test_lesson_on_a_large_book_stays_near_the_goal() -> None:
    solution = nl.solve(nl.book("number-reach(target=26000)"))
    taught = lesson(solution)
    assert taught.steps[0].text.endswith("The number is 25999. With +1, you win at once: it makes 26000.")
    assert "The losing numbers nearest to the goal are the even numbers from 25962 to 25998." in taught.steps[3].text
    even = {solution.value(nl.Position(1, (number,))) for number in range(25962, 26000, 2)}
    odd = {solution.value(nl.Position(1, (number,))) for number in range(25961, 26000, 2)}
    assert (even, odd) == ({"loss"}, {"win"})


def test_always_winning_move_counts_forced_losses() -> None:
    solution = nl.solve(nl.book("number-line-sprint(end=7, steps=2)"))
    only = [solution.evaluate_moves(at)[0] for at in solution.live if len(solution.evaluate_moves(at)) == 1]
    assert any(option.move == "L2" and option.value == "loss" for option in only)
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
def test_describe_numbers(numbers: list[int], words: str) -> None:
    assert describe_numbers(numbers) == words
