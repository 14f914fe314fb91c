"""What a screen shows of a puzzle: the question without the answer, and then what becomes of the move that is tried."""

from __future__ import annotations

from typing import NamedTuple

from numberline.explain.hint import hint
from numberline.explain.puzzle import Puzzle, explain_answer, puzzle_at, question, refutation
from numberline.explain.queries import AnalysisError, require_two_players
from numberline.explain.rules_text import describe_changes, describe_goal
from numberline.game.book import Book
from numberline.game.match import parse_legal_move
from numberline.game.notation import parse_position
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.text import quote
from numberline.views.board import BookView, PositionView, book_view, position_view


class PuzzleView(NamedTuple):
    """A position with one right move, which is not in here; players are called by the book's own names."""

    variant: str
    title: str
    book: BookView
    changes: str
    """What is different from the book's own rules; nothing where nothing is."""
    goal: str
    """How one wins."""
    position: PositionView
    question: str
    nudge: str
    """A hint that names no move, for whoever wants one."""
    rating: int


class StepView(NamedTuple):
    """One move that is shown, what is said of it, and the position after it."""

    move: str
    text: str
    position: PositionView


class AnswerView(NamedTuple):
    """What becomes of an answer."""

    right: bool
    verdict: str
    """In a word or two."""
    text: str
    """Why the right move is right."""
    answer: str
    """The right move."""
    steps: tuple[StepView, ...]
    """The move that was tried and, where it is wrong, the answer that punishes it; nothing for a skipped puzzle."""


def puzzle_view(solution: Solution, puzzle: Puzzle) -> PuzzleView:
    """What is shown of a puzzle before it is answered."""
    book = solution.book
    return PuzzleView(
        variant=book.variant,
        title=book.title,
        book=book_view(book),
        changes=describe_changes(book),
        goal=describe_goal(book),
        position=hide_results(book, puzzle.position),
        question=question(solution, puzzle),
        nudge=hint(solution, puzzle.position).text,
        rating=puzzle.rating,
    )


def parse_puzzle(solution: Solution, text: str) -> Puzzle:
    """The puzzle that is written as its position; raises `AnalysisError` for a position that is none."""
    require_two_players(solution.book, "puzzles")
    position = parse_position(text)
    found = puzzle_at(solution, position) if position in solution else None
    if found is None:
        variant = solution.book.variant
        raise AnalysisError(f"{quote(text)} is no puzzle of {variant}: it takes a position with exactly one right move")
    return found


def answer_view(solution: Solution, text: str, typed: str) -> AnswerView:
    """What becomes of a move as the answer to the puzzle that is written as its position; an empty one skips it.

    Raises `AnalysisError` for what is no puzzle, and `MoveError` for a move that can't be read or is not legal.
    """
    puzzle, book = parse_puzzle(solution, text), solution.book
    right, told = str(puzzle.right), hint(solution, puzzle.position, 2).text
    if not typed.strip():
        return AnswerView(right=False, verdict="Skipped.", text=told, answer=right, steps=())
    move = parse_legal_move(book, puzzle.position, typed)
    if move == puzzle.right:
        why = explain_answer(solution, puzzle, move).text
        steps = _steps(book, puzzle.position, [(move, why)])
        return AnswerView(right=True, verdict="Right!", text=why, answer=right, steps=steps)
    tried = [(played, why.text) for played, why in refutation(solution, puzzle, move)]
    text = f"Only {right} {puzzle.asked}. {told}"
    steps = _steps(book, puzzle.position, tried)
    return AnswerView(right=False, verdict="Wrong.", text=text, answer=right, steps=steps)


def hide_results(book: Book, position: Position) -> PositionView:
    """A position as it is shown to somebody who is asked for a move: not even a win at once is given away."""
    view = position_view(book, position)
    return view._replace(choices=tuple(choice._replace(result="") for choice in view.choices))


def _steps(book: Book, position: Position, told: list[tuple[str, str]]) -> tuple[StepView, ...]:
    """The moves played one after the other."""
    steps = []
    for move, text in told:
        position = book.after(position, move)
        steps.append(StepView(str(move), text, position_view(book, position)))
    return tuple(steps)
