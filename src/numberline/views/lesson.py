"""What a screen shows of a lesson: each step with its board and its question, and the reply to a move that is tried."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.lesson import Lesson, lesson
from numberline.explain.queries import AnalysisError, cached_per_solution
from numberline.explain.worksheet import Exercise, reply
from numberline.game.match import parse_legal_move
from numberline.solver.solution import Solution
from numberline.views.board import BookView, PositionView, book_view, position_view
from numberline.views.puzzle import hide_results

MAX_TRIES = 2
"""So often somebody may try before the answer is given."""


class ExerciseView(NamedTuple):
    """Something to find out; what is right is not in here."""

    question: str
    position: PositionView


class LessonStepView(NamedTuple):
    """One step of a lesson."""

    number: int
    """Counted from 1."""
    title: str
    text: str
    position: PositionView
    """What is on the board while the text is read."""
    exercise: ExerciseView | None


class LessonView(NamedTuple):
    """A lesson; players are called `you`, `your opponent`, and by the book's own names."""

    variant: str
    title: str
    book: BookView
    tries: int
    """So often a move may be tried before the answer is asked for."""
    steps: tuple[LessonStepView, ...]


class ReplyView(NamedTuple):
    """The reply to a move that was tried in an exercise."""

    right: bool
    text: str
    position: PositionView
    """The position after the move, or after the right one where that was asked for."""
    answers: tuple[str, ...]
    """Every right move, once one was found or asked for; until then nothing."""


def lesson_view(solution: Solution) -> LessonView:
    """What is shown of the lesson of a book; raises `AnalysisError` for more than two players."""
    book = solution.book
    steps = tuple(
        LessonStepView(
            number,
            step.title,
            step.text,
            position_view(book, step.position),
            step.exercise and ExerciseView(step.exercise.question, hide_results(book, step.exercise.position)),
        )
        for number, step in enumerate(_taught(solution).steps, 1)
    )
    return LessonView(book.variant, book.title, book_view(book), MAX_TRIES, steps)


def reply_view(solution: Solution, number: int, typed: str) -> ReplyView:
    """The reply to a move in the exercise of the step of this number; an empty one asks for the answer.

    Raises `AnalysisError` where the step asks nothing, and `MoveError` for a move that can't be read or is not legal.
    """
    book, asked = solution.book, _exercise(solution, number)
    answers = tuple(map(str, asked.right))
    if not typed.strip():
        told = position_view(book, book.after(asked.position, asked.right[0]))
        return ReplyView(right=False, text=asked.answer, position=told, answers=answers)
    move = parse_legal_move(book, asked.position, typed)
    right = move in asked.right
    after = position_view(book, book.after(asked.position, move))
    text = reply(solution, asked, move)
    return ReplyView(right=right, text=text, position=after, answers=answers if right else ())


def _exercise(solution: Solution, number: int) -> Exercise:
    steps = _taught(solution).steps
    found = steps[number - 1].exercise if 1 <= number <= len(steps) else None
    if found is None:
        raise AnalysisError(f"step {number} of the lesson of {solution.book.variant} asks nothing")
    return found


@cached_per_solution
def _taught(solution: Solution) -> Lesson:
    """The lesson of a book, made once."""
    return lesson(solution)
