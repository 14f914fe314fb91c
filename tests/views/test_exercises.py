"""Views of puzzles and lessons: hidden answers, and replies that match the explanations."""

from __future__ import annotations

import random
from itertools import islice

import pytest
from hypothesis import assume, given

import numberline as nl
from numberline.explain.lesson import lesson
from numberline.explain.puzzle import PuzzlePool, puzzles
from numberline.explain.queries import AnalysisError
from numberline.explain.worksheet import feedback
from numberline.progress.rules import next_rating
from numberline.views.board import BookView
from numberline.views.exercises import (
    AnswerView,
    ExerciseView,
    LessonView,
    PuzzleView,
    answer_view,
    lesson_view,
    parse_puzzle,
    puzzle_view,
    reply_view,
)
from numberline.views.match import to_json
from properties.test_views import holds
from support.mixtures import book_of, mixtures
from views.test_board import WORTHS, keys

HIDDEN = WORTHS | {"right", "answer", "answers"}


def solved(variant: str) -> nl.Solution:
    return nl.solve(nl.book(variant))


def but_its_book(view: PuzzleView | LessonView) -> tuple[object, ...]:
    """All that a view holds but the book, in which players have placeholders."""
    return tuple(part for part in view if not isinstance(part, BookView))


@given(mixtures(largest=400))
def test_puzzle_of_any_mixture_agrees_with_its_answers(text: str) -> None:
    book = book_of(text)
    assume(book.rules.players == 2)
    solution = nl.solve(book)
    for puzzle in islice(puzzles(solution, random.Random(1)), 4):
        view = puzzle_view(solution, puzzle)
        holds(but_its_book(view), 0)
        assert parse_puzzle(solution, view.position.position, view.theme) == puzzle
        assert not keys(to_json(view._replace(position=view.position._replace(outcome=None)))) & HIDDEN
        assert {choice.result for choice in view.position.choices} == {""}
        assert not [choice.note for choice in view.position.legal if "past" in choice.spoken + choice.note]
        typed = [puzzle.right, "none"] if puzzle.places else [choice.move for choice in view.position.legal]
        for answer in typed:
            found = answer_view(solution, view.position.position, answer, theme=view.theme)
            holds(found, 0)
            assert found.right == (answer in puzzle.answers)
            assert found.done == (found.next is None)
            assert found.text == puzzle.explain_answer(solution, answer, done=found.done)
            first = answer_view(solution, view.position.position, answer, theme=view.theme, tries=1)
            assert (first.right, bool(first.answer)) == (found.right, found.right and found.done)


def test_puzzle_view_has_changes_goal_and_question() -> None:
    solution = solved("number-reach(target=24)")
    view = puzzle_view(solution, parse_puzzle(solution, "1 10"))
    assert (view.title, view.new_rule) == ("Number Reach", "New rule: the number to reach is 24.")
    assert view.goal == (
        "You win if you make the number exactly 24. You can play +1 or *2. "
        "You can go past the goal, but then you lose the game."
    )
    assert view.question == (
        "You are Player 1, and it's your turn. The number is 10. You can win in three moves. Which move wins fastest?"
    )
    assert (view.theme_title, view.stars, view.moves) == ("Set the trap", 3, 3)
    assert view.nudge.startswith("Exactly one of your two moves wins.")


def test_skipped_puzzle_is_explained_and_wrong_answer_refuted() -> None:
    solution = solved("number-reach")
    skipped = answer_view(solution, "1 8", " ")
    assert (skipped.right, skipped.verdict, skipped.answer) == (False, "Skipped.", "*2")
    assert skipped.text == "Play *2: it makes 16 and traps your opponent."
    wrong = answer_view(solution, "1 8", "+1")
    assert (wrong.verdict, [step.move for step in wrong.steps]) == ("Not this time.", ["*2"])
    assert wrong.text == skipped.text
    assert answer_view(solution, "1 8", " x2 ").verdict == "Right!"


def test_first_wrong_answer_keeps_the_solution_hidden() -> None:
    first = answer_view(solved("number-reach"), "1 8", "+1", tries=1)
    assert (first.verdict, first.answer, first.done, first.new_stars) == ("Not this one.", "", False, 0)
    assert first.text == "After +1, your opponent answers *2, which makes 18, and then every move loses."


def test_trap_is_played_move_by_move() -> None:
    solution, position, moves = solved("number-reach"), "1 15", []
    for _ in range(3):
        view = answer_view(solution, position, "+1", theme="trap", tries=1)
        moves += [step.move for step in view.steps]
        position = view.next.position if view.next else ""
    assert (moves, position, view.done) == (["+1"] * 5, "", True)
    assert view.new_stars == 1


def test_reply_to_a_trap_says_that_the_opponent_lost_the_turn() -> None:
    view = answer_view(solved("flag-chase(steps=2-3, end=12)"), "1 2,7", "2", theme="trap", tries=1)
    assert [step.text for step in view.steps[1:]] == ["Your opponent has no move and loses the turn."]


def test_strip_is_painted_when_the_puzzle_is_over() -> None:
    solution = solved("number-reach")
    before = answer_view(solution, "1 14", "14", theme="colour", tries=1)
    after = answer_view(solution, "1 14", "14", theme="colour", tries=2)
    assert before.cells == ()
    assert [cell.mark for cell in after.cells] == ["trap", "good", "trap", "good", "trap", "win now"]


def test_puzzle_that_is_won_at_once_has_no_hint() -> None:
    solution = solved("number-reach")
    assert puzzle_view(solution, parse_puzzle(solution, "1 19")).nudge == ""


def test_losing_key_of_a_puzzle_does_not_give_itself_away() -> None:
    solution = solved("number-reach")
    view = puzzle_view(solution, parse_puzzle(solution, "1 19"))
    assert [(choice.note, choice.result) for choice in view.position.choices] == [("", ""), ("", "")]
    assert view.position.choices[1].spoken == "*2: makes 38"


def test_position_without_a_puzzle_and_bad_move_are_rejected() -> None:
    solution = solved("number-reach")
    for position in ("1 20", "1 16", "1 4000", "2 1,1"):
        with pytest.raises(AnalysisError, match="is not a puzzle for number-reach"):
            answer_view(solution, position, "+1")
    with pytest.raises(nl.MoveError, match="You can play"):
        answer_view(solution, "1 8", "seven")
    with pytest.raises(AnalysisError, match="puzzles need two players"):
        answer_view(solved("number-reach(players=3)"), "1 8", "+1")


def test_drawn_puzzles_have_views() -> None:
    pool = PuzzlePool([nl.book("flag-chase")], random.Random(3), varied=True)
    drawn = pool.draw(900)
    assert drawn
    assert puzzle_view(*drawn).rating == drawn.puzzle.rating


@pytest.mark.parametrize("name", nl.NAMES)
def test_lesson_view_hides_answers_and_replies_with_feedback(name: str) -> None:
    solution = solved(name)
    taught, view = lesson(solution), lesson_view(solution)
    holds(but_its_book(view), 0)
    assert [(step.title, step.text) for step in view.steps] == [(step.title, step.text) for step in taught.steps]
    for step, shown in zip(taught.steps, view.steps, strict=True):
        assert bool(step.exercise) == bool(shown.exercise)
        if not step.exercise or not shown.exercise:
            with pytest.raises(AnalysisError, match=f"step {shown.number} of the lesson"):
                reply_view(solution, shown.number, "1")
            continue
        assert shown.exercise.question == step.exercise.question
        assert not {choice.result for choice in shown.exercise.position.choices} - {""}
        for choice in shown.exercise.position.legal:
            found = reply_view(solution, shown.number, choice.move)
            holds(found, 0)
            right = choice.move in step.exercise.right
            assert (found.right, found.text) == (right, feedback(solution, step.exercise, choice.move))
            assert found.answers == (step.exercise.right if right else ())
            assert found.position.position == choice.leads
        assert reply_view(solution, shown.number, "").text == step.exercise.answer


@pytest.mark.parametrize("view", [PuzzleView, LessonView, ExerciseView])
def test_views_before_an_answer_have_no_field_for_it(view: type[PuzzleView | LessonView]) -> None:
    assert not set(view._fields) & HIDDEN
    assert set(AnswerView._fields) & HIDDEN


@given(mixtures(largest=300))
def test_lesson_of_any_mixture_is_json_without_placeholders(text: str) -> None:
    book = book_of(text)
    assume(book.rules.players == 2)
    holds(but_its_book(lesson_view(nl.solve(book))), 0)


def test_lesson_needs_two_players_and_an_existing_step() -> None:
    with pytest.raises(AnalysisError, match="lessons need two players"):
        lesson_view(solved("number-reach(players=3)"))
    for number in (0, -1, 6):
        with pytest.raises(AnalysisError, match=f"step {number} of the lesson"):
            reply_view(solved("flag-chase"), number, "1")


def test_answer_view_carries_the_new_rating() -> None:
    solution = solved("number-reach")
    puzzle = parse_puzzle(solution, "1 8")
    up, down = (next_rating(800, puzzle.rating, right=right) for right in (True, False))
    assert answer_view(solution, "1 8", "*2").new_rating is None
    assert answer_view(solution, "1 8", "*2", rating=800).new_rating == up
    for answer in (
        answer_view(solution, "1 8", "+1", rating=800),
        answer_view(solution, "1 8", "", rating=800),
        answer_view(solution, "1 8", "*2", rating=800, hinted=True),
    ):
        assert answer.new_rating == down
