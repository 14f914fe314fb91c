"""Lessons: five steps that are right for any variant, and the secrets of the five books."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pytest

import numberline as nl
from numberline.explain.lesson import lesson
from numberline.explain.losing_patterns import BannedSteps, LosingNumbers, find_losing_pattern
from numberline.explain.phrases import describe_numbers
from numberline.explain.queries import AnalysisError, always_winning_moves
from numberline.explain.strip import Painting
from numberline.explain.worksheet import feedback
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


def rule(variant: str) -> str:
    return steps(variant)["The rule, and why"]


def test_lesson_on_reach_the_edge_is_a_tug_of_war() -> None:
    text = rule("reach-the-edge")
    assert text.startswith("Play 3 whenever you can.\n\nIf it's your turn and the last move bans 3, you lose.")
    assert "The move 3 wins whenever you can play it." in text
    assert "It's a tug of war: you pull 3, and your opponent can pull back no more than 2." in text
    assert "So you gain at least one position every two turns." in text
    assert steps("reach-the-edge")["The whole game"] == (
        "The player who starts has a sure win. The only first move that wins is 3.\n\nPlay 3 whenever you can."
    )


def test_lesson_on_number_reach_says_why_it_changes_at_10() -> None:
    text = rule("number-reach")
    assert text.startswith("Leave your opponent a trap: 18, 16, 14, 12, 5, or 3.\n\nThe traps are 18, ")
    assert "From numbers 11 to 19, *2 never helps, so every second number is a trap." in text
    assert "From numbers 6 to 10, playing *2 wins at once or leaves your opponent a trap." in text
    assert "So none of these numbers is a trap." in text
    assert "From numbers 1 to 5, *2 never helps, so every second number is a trap." in text
    assert "From a trap, no move leads to another trap." in text


@pytest.mark.parametrize("name", nl.NAMES)
def test_trap_is_explained_before_the_word_is_used(name: str) -> None:
    solution = nl.solve(nl.book(name))
    goal, _, further, *_ = lesson(solution).steps
    assert "opponent is trapped too" not in further.text
    said = [goal.text]
    if goal.exercise:
        said += [feedback(solution, goal.exercise, move) for move in solution.book.moves(goal.exercise.position)]
    assert not re.search(r"\btrap", " ".join(said))


def test_number_reach_asks_for_the_step_between_10_and_5() -> None:
    asked = lesson(nl.solve(nl.book("number-reach"))).steps[3].questions
    assert [(question.cell.key, question.paint) for question in asked] == [(10, "yes"), (6, "yes"), (5, "no")]
    assert asked[1].text == "Play *2: it makes 12 and traps your opponent."


@pytest.mark.parametrize("variant", [*nl.NAMES, 'number-reach(target=30, operations="+1 +3 +4")', "flag-chase(end=24)"])
def test_cells_before_a_question_are_painted(variant: str) -> None:
    solution = nl.solve(nl.book(variant))
    pattern = find_losing_pattern(solution)
    assert pattern
    order = [cell.key for cell in Painting(solution, pattern).order]
    for question in (question for step in lesson(solution).steps for question in step.questions):
        painted = {cell.key for cell in question.strip.cells if cell.mark}
        assert painted == set(order[: order.index(question.cell.key)])


def test_question_says_which_cells_were_painted_without_a_question() -> None:
    asked = [
        question.question for step in lesson(nl.solve(nl.book("number-reach"))).steps for question in step.questions
    ]
    assert "We painted 15 to 11 for you. It's your turn. The number is 10. Can you win?" in asked


@pytest.mark.parametrize(
    ("variant", "rules"),
    [
        ("reach-the-edge", "You move by 1, 2, or 3. You can't repeat your opponent's step."),
        ("flag-chase(end=24)", "New rule: the line ends at 24. You move by 1, 2, or 3. You can't go past the goal."),
    ],
)
def test_first_step_says_the_rules(variant: str, rules: str) -> None:
    assert rules in lesson(nl.solve(nl.book(variant))).steps[0].text.split("\n\n")


def test_second_trap_that_is_as_near_is_not_called_further_back() -> None:
    assert lesson(nl.solve(nl.book("flag-chase"))).steps[2].text.startswith("Here is another trap. ")
    assert lesson(nl.solve(nl.book("line-runner"))).steps[2].text.startswith("Go back further. ")


@pytest.mark.parametrize("name", nl.NAMES)
def test_first_question_can_be_answered_by_looking(name: str) -> None:
    solution = nl.solve(nl.book(name))
    first = next(question for step in lesson(solution).steps for question in step.questions)
    assert solution.worth(first.position).plies == 1
    assert first.paint in {"yes", "1"}


def test_questions_say_which_goal_is_yours() -> None:
    asked = [
        question.question for step in lesson(nl.solve(nl.book("reach-the-edge"))).steps for question in step.questions
    ]
    assert all(text.startswith("You are Player 1, and it's your turn.") for text in asked)


def test_strip_and_its_use_are_explained() -> None:
    reach_the_edge = lesson(nl.solve(nl.book("reach-the-edge"))).steps
    assert "It shows after which of your opponent's moves you can win, and after which" in reach_the_edge[0].text
    further = lesson(nl.solve(nl.book("number-reach"))).steps[2].text
    assert further.endswith("If one wins or leads to a trap, you can win. If not, you're in a trap.")


def test_trap_of_a_question_is_not_explained_again() -> None:
    before = lesson(nl.solve(nl.book("reach-the-edge"))).steps[1]
    assert before.text == "That's a trap: a player in it loses, whatever they play."
    assert before.position == before.questions[-1].position


@pytest.mark.parametrize(
    ("name", "jumps", "gate"),
    [
        ("line-runner", "From position 19", "Position 17 is a gate: from there you need 1 jump, but from position 16"),
        ("flag-chase", "From tile 4", "Tile 2 is a gate: from there you need 1 jump, but from tile 1"),
        (
            "number-line-sprint",
            "From position 2",
            "Position 3 is a gate: from there you need 1 jump, but from position 4",
        ),
    ],
)
def test_jumps_to_go_and_gates_are_explained_at_first_use(name: str, jumps: str, gate: str) -> None:
    goal, before, *_ = lesson(nl.solve(nl.book(name))).steps
    assert goal.text.endswith(f"shows the jumps you still need. {jumps}, you need 1 jump, so it shows a 1 there.")
    assert goal.strip
    assert [cell.jumps for cell in goal.strip.cells if cell.mark] == [1]
    assert before.text.startswith(f"{gate} you need 2.\n\n")


@pytest.mark.parametrize(
    ("variant", "secret"),
    [
        ("number-line-sprint", "Pick the nearest end and run: reach or pass a gate with every jump."),
        ("flag-chase", "Be the first within 3 of the flag, then jump onto it."),
        ("line-runner", "Reach or pass a gate with every jump: 2, 5, 8, 11, 14, and 17."),
    ],
)
def test_each_race_has_its_own_secret(variant: str, secret: str) -> None:
    assert lesson(nl.solve(nl.book(variant))).secret == secret
    assert rule(variant).startswith(f"{secret}\n\n")


def test_race_lesson_explains_getting_in_the_way() -> None:
    assert "We checked every position: if you aren't behind, you can always reach or pass a gate" in rule("line-runner")
    assert "You are never in each other's way." in rule("flag-chase")


@pytest.mark.parametrize("variant", TWO)
def test_lesson_ends_with_a_game_that_the_secret_wins(variant: str) -> None:
    solution = nl.solve(nl.book(variant))
    taught = lesson(solution)
    bot, seat, first = taught.game
    if bot == "master":
        assert taught.secret
        assert solution.worth(solution.book.start(first)).winner == seat
    else:
        wins = {solution.worth(solution.book.start(first)).winner for first in (1, 2)}
        assert not taught.secret or wins == {0}


@pytest.mark.parametrize("variant", [*nl.NAMES, 'number-reach(target=21, operations="+1 +2 +3")'])
def test_strip_is_painted_step_by_step(variant: str) -> None:
    taught = lesson(nl.solve(nl.book(variant))).steps
    painted = [{cell.key for cell in step.strip.cells if cell.mark} for step in taught if step.strip]
    assert len(painted) == 5
    assert all(before <= after for before, after in pairwise(painted))
    assert not [cell for cell in taught[-1].strip.cells if not cell.mark] if taught[-1].strip else False
    before: set[int] = set()
    for step, after in zip(taught, painted, strict=True):
        asked = [question.cell.key for question in step.questions]
        assert not before & set(asked)
        assert set(asked) <= after
        before = after
    assert 3 <= sum(len(step.questions) for step in taught) <= 9


@pytest.mark.parametrize("variant", ["number-line-sprint(steps=1,3, repeat=banned)", "reach-the-edge(overshoot=loses)"])
def test_banned_steps_can_be_the_pattern_of_other_games(variant: str) -> None:
    assert isinstance(find_losing_pattern(nl.solve(nl.book(variant))), BannedSteps)


def test_losing_numbers_are_described_as_a_progression() -> None:
    variant = 'number-reach(target=60, operations="+1 +2 +3")'
    pattern = find_losing_pattern(nl.solve(nl.book(variant)))
    assert isinstance(pattern, LosingNumbers)
    assert pattern.numbers == tuple(range(56, 3, -4))
    assert "The traps are every fourth number: 56, 52, 48, and so on to 4." in rule(variant)


def test_lesson_on_an_endless_game_has_no_traps() -> None:
    taught = steps("number-reach(overshoot=counts, skip=true)")
    assert taught["One turn before"].startswith("This game has no traps: ")
    assert taught["The rule, and why"] == (
        "You never have to lose: on your turn, there is always a move that doesn't lose."
    )
    assert taught["The whole game"].startswith(
        "Neither player has a sure win from the start: if the game ends, a mistake decides it. No first move loses.\n\n"
    )


def test_lesson_without_a_rule_explains_traps() -> None:
    taught = steps(str(Path(__file__).parents[2] / "docs" / "example-book.toml"))
    assert taught["The rule, and why"].startswith("This game has no short rule that we know of.")
    assert "All traps work the same way. " in taught["The rule, and why"]
    assert taught["The whole game"].endswith("\n\nBefore you move, look for your opponent's best answer.")


def test_lesson_says_if_nothing_can_go_wrong() -> None:
    assert "You can't make a mistake in this game" in steps("line-runner(meeting=blocks)")["The rule, and why"]
    assert "You can't make a mistake in this game" not in steps("line-runner")["The rule, and why"]


def test_lesson_on_a_large_book_stays_near_the_goal() -> None:
    solution = nl.solve(nl.book("number-reach(target=26000)"))
    taught = lesson(solution)
    assert taught.steps[0].position.tokens == (25999,)
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
