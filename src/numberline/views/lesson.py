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
    """Exercise without its answer."""

    question: str
    position: PositionView


class LessonStepView(NamedTuple):
    number: int
    """Counted from 1."""
    title: str
    text: str
    position: PositionView
    """Position shown next to the text."""
    exercise: ExerciseView | None


class LessonView(NamedTuple):
    variant: str
    title: str
    book: BookView
    tries: int
    """Number of attempts before the client requests the answer."""
    steps: tuple[LessonStepView, ...]


class ReplyView(NamedTuple):
    """Reply to a move in an exercise."""

    right: bool
    text: str
    position: PositionView
    """Position after the move, or after a right move if the answer was requested."""
    answers: tuple[str, ...]
    """All right moves, once the player has found one or requested the answer; empty before that."""


def lesson_view(solution: Solution) -> LessonView:
    """Return the lesson for a book; raise `AnalysisError` if it has more than two players."""
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
    """Return the reply to a move in the exercise of step `number`; an empty move requests the answer.

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
