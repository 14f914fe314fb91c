"""Views of puzzles and lessons: questions without their answers, and the results of answers."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.explanation import explain_move, hint
from numberline.explain.lesson import LessonGame, lesson
from numberline.explain.puzzle import Puzzle, puzzle_at, question, refutation
from numberline.explain.queries import AnalysisError, cached_per_solution, require_two_players
from numberline.explain.rules_text import describe_changes, describe_goal
from numberline.explain.strip import Cell, Strip
from numberline.explain.worksheet import feedback
from numberline.game.book import Book
from numberline.game.match import parse_legal_move
from numberline.game.notation import parse_position
from numberline.game.position import Position
from numberline.progress.ratings import next_rating
from numberline.solver.solution import Solution
from numberline.text import quote
from numberline.views.board import BookView, PositionView, book_view, position_view

MAX_TRIES = 2

# Puzzles


class PuzzleView(NamedTuple):
    """Puzzle without its answer."""

    variant: str
    title: str
    book: BookView
    changes: str
    """Differences from the book's default rules; empty if there are none."""
    goal: str
    """Description of how to win."""
    position: PositionView
    question: str
    nudge: str
    """Hint that does not name a move."""
    rating: int


class StepView(NamedTuple):
    """Move, its explanation, and the position after it."""

    move: str
    text: str
    position: PositionView


class AnswerView(NamedTuple):
    """Result of an answer."""

    right: bool
    verdict: str
    text: str
    """Explanation of why the right move is right."""
    answer: str
    """The right move."""
    steps: tuple[StepView, ...]
    """The player's move and, if it is wrong, the reply that refutes it; empty for a skipped puzzle."""
    new_rating: int | None
    """The player's rating after this answer; None if the caller gave no rating."""


def puzzle_view(solution: Solution, puzzle: Puzzle) -> PuzzleView:
    book = solution.book
    return PuzzleView(
        variant=book.variant,
        title=book.title,
        book=book_view(book),
        changes=describe_changes(book),
        goal=describe_goal(book),
        position=_without_results(book, puzzle.position),
        question=question(solution, puzzle),
        nudge=hint(solution, puzzle.position).text,
        rating=puzzle.rating,
    )


def parse_puzzle(solution: Solution, text: str) -> Puzzle:
    """Return the puzzle for a position given as text; raise `AnalysisError` if the position is not a puzzle."""
    require_two_players(solution.book, "puzzles")
    position = parse_position(text)
    found = puzzle_at(solution, position) if position in solution else None
    if found is None:
        variant = solution.book.variant
        raise AnalysisError(f"{quote(text)} is not a puzzle for {variant}: exactly one move must be right")
    return found


def answer_view(
    solution: Solution, text: str, typed: str, *, rating: int | None = None, hinted: bool = False
) -> AnswerView:
    """Return the result of playing `typed` in the puzzle with position `text`; an empty move skips the puzzle.

    `rating` is the player's rating before the answer. With `hinted`, a right answer counts as wrong for the rating.
    Raises `AnalysisError` if the position is not a puzzle, and `MoveError` for an invalid or illegal move.
    """
    puzzle, book = parse_puzzle(solution, text), solution.book
    move = parse_legal_move(book, puzzle.position, typed) if typed.strip() else None
    right, reason = move == puzzle.right, hint(solution, puzzle.position, 2).text
    new_rating = None if rating is None else next_rating(rating, puzzle.rating, right=right and not hinted)
    played: list[tuple[str, str]] = []
    if move is None:
        verdict = "Skipped."
    elif right:
        verdict, reason = "Right!", explain_move(solution, puzzle.position, move).text
        played = [(move, reason)]
    else:
        verdict, reason = "Wrong.", f"Only {puzzle.right} {puzzle.asked}. {reason}"
        played = [(step, why.text) for step, why in refutation(solution, puzzle, move)]
    steps, position = [], puzzle.position
    for step, said in played:
        position = book.after(position, step)
        steps.append(StepView(str(step), said, position_view(book, position)))
    return AnswerView(right, verdict, reason, str(puzzle.right), tuple(steps), new_rating)


# Lessons


class ExerciseView(NamedTuple):
    """Exercise without its answer."""

    question: str
    position: PositionView


class QuestionView(NamedTuple):
    """Question about one cell of the strip, which is painted after the answer."""

    cell: Cell
    position: PositionView
    question: str
    options: tuple[str, ...]
    paint: str
    """The right option."""
    text: str
    """Explanation, shown after the answer."""


class LessonStepView(NamedTuple):
    number: int
    """Counted from 1."""
    title: str
    text: str
    position: PositionView
    """Position shown next to the text."""
    exercise: ExerciseView | None
    questions: tuple[QuestionView, ...]
    """Questions to answer before the text is shown."""
    strip: Strip | None
    """The strip as far as it is painted at the end of the step; None if the secret has no picture."""


class LessonView(NamedTuple):
    variant: str
    title: str
    book: BookView
    tries: int
    """Number of attempts before the client requests the answer."""
    steps: tuple[LessonStepView, ...]
    secret: str
    """The secret as one sentence of advice; empty if no rule is known."""
    game: LessonGame
    """Game in which the player can use the secret."""
    invitation: str
    """Question whether to play that game."""


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
    book, taught = solution.book, _cached_lesson(solution)
    steps = tuple(
        LessonStepView(
            number,
            step.title,
            step.text,
            position_view(book, step.position),
            step.exercise and ExerciseView(step.exercise.question, _without_results(book, step.exercise.position)),
            tuple(QuestionView(each[0], _without_results(book, each.position), *each[2:]) for each in step.questions),
            step.strip,
        )
        for number, step in enumerate(taught.steps, 1)
    )
    return LessonView(book.variant, book.title, book_view(book), MAX_TRIES, steps, *taught[2:], taught.game.invitation)


def reply_view(solution: Solution, number: int, typed: str) -> ReplyView:
    """Return the reply to a move in the exercise of step `number`; an empty move requests the answer.

    Raises `AnalysisError` if the step has no exercise, and `MoveError` for an invalid or illegal move.
    """
    book, steps = solution.book, _cached_lesson(solution).steps
    asked = steps[number - 1].exercise if 1 <= number <= len(steps) else None
    if asked is None:
        raise AnalysisError(f"step {number} of the lesson on {book.variant} has no exercise")
    move, right, text = asked.right[0], False, asked.answer
    if typed.strip():
        move = parse_legal_move(book, asked.position, typed)
        right, text = move in asked.right, feedback(solution, asked, move)
    answers = tuple(map(str, asked.right)) if right or not typed.strip() else ()
    return ReplyView(right, text, position_view(book, book.after(asked.position, move)), answers)


_cached_lesson = cached_per_solution(lesson)


def _without_results(book: Book, position: Position) -> PositionView:
    """Return the view of a position without the results of its moves, which would reveal the answer."""
    view = position_view(book, position)
    return view._replace(choices=tuple(choice._replace(result="") for choice in view.choices))
