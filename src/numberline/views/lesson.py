"""Views of a lesson: its steps and exercises, and the reply to a move."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.lesson import lesson
from numberline.explain.queries import AnalysisError, cached_per_solution
from numberline.explain.worksheet import Exercise, feedback
from numberline.game.match import parse_legal_move
from numberline.solver.solution import Solution
from numberline.views.board import BookView, PositionView, book_view, position_view
from numberline.views.puzzle import hide_results

MAX_TRIES = 2


class ExerciseView(NamedTuple):
    """An exercise without its answer."""

    question: str
    position: PositionView


class LessonStepView(NamedTuple):
    number: int
    """Counted from 1."""
    title: str
    text: str
    position: PositionView
    """The position on the board next to the text."""
    exercise: ExerciseView | None


class LessonView(NamedTuple):
    variant: str
    title: str
    book: BookView
    tries: int
    """Attempts before the page asks for the answer."""
    steps: tuple[LessonStepView, ...]


class ReplyView(NamedTuple):
    """The reply to a move in an exercise."""

    right: bool
    text: str
    position: PositionView
    """The position after the move, or after the right one if the page asked for it."""
    answers: tuple[str, ...]
    """Every right move, once the player found one or asked for it."""


def lesson_view(solution: Solution) -> LessonView:
    """Return the lesson on a book; raise `AnalysisError` for more than two players."""
    book = solution.book
    steps = tuple(
        LessonStepView(
            number,
            step.title,
            step.text,
            position_view(book, step.position),
            step.exercise and ExerciseView(step.exercise.question, hide_results(book, step.exercise.position)),
        )
        for number, step in enumerate(_cached_lesson(solution).steps, 1)
    )
    return LessonView(book.variant, book.title, book_view(book), MAX_TRIES, steps)


def reply_view(solution: Solution, number: int, typed: str) -> ReplyView:
    """Return the reply to a move in the exercise of a step; an empty move asks for the answer.

    Raises `AnalysisError` if the step has no exercise, and `MoveError` for an invalid or illegal move.
    """
    book, asked = solution.book, _exercise(solution, number)
    answers = tuple(map(str, asked.right))
    if not typed.strip():
        after = position_view(book, book.after(asked.position, asked.right[0]))
        return ReplyView(right=False, text=asked.answer, position=after, answers=answers)
    move = parse_legal_move(book, asked.position, typed)
    right = move in asked.right
    after = position_view(book, book.after(asked.position, move))
    text = feedback(solution, asked, move)
    return ReplyView(right=right, text=text, position=after, answers=answers if right else ())


def _exercise(solution: Solution, number: int) -> Exercise:
    steps = _cached_lesson(solution).steps
    found = steps[number - 1].exercise if 1 <= number <= len(steps) else None
    if found is None:
        raise AnalysisError(f"step {number} of the lesson on {solution.book.variant} has no exercise")
    return found


_cached_lesson = cached_per_solution(lesson)
