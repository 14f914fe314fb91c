"""Views of a puzzle: the question without its answer, and the result of a move."""

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
    """A puzzle without its answer."""

    variant: str
    title: str
    book: BookView
    changes: str
    """The differences from the book's own rules, or empty."""
    goal: str
    """How to win."""
    position: PositionView
    question: str
    nudge: str
    """A hint that names no move."""
    rating: int


class StepView(NamedTuple):
    """A move, its explanation, and the position after it."""

    move: str
    text: str
    position: PositionView


class AnswerView(NamedTuple):
    """The result of an answer."""

    right: bool
    verdict: str
    text: str
    """Why the right move is right."""
    answer: str
    """The right move."""
    steps: tuple[StepView, ...]
    """The player's move and, if it is wrong, the reply that punishes it; empty for a skipped puzzle."""


def puzzle_view(solution: Solution, puzzle: Puzzle) -> PuzzleView:
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
    """Return the puzzle at a position given as text; raise `AnalysisError` if it is not a puzzle."""
    require_two_players(solution.book, "puzzles")
    position = parse_position(text)
    found = puzzle_at(solution, position) if position in solution else None
    if found is None:
        variant = solution.book.variant
        raise AnalysisError(f"{quote(text)} is not a puzzle for {variant}: exactly one move must be right")
    return found


def answer_view(solution: Solution, text: str, typed: str) -> AnswerView:
    """Return the result of a move in the puzzle at a position given as text; an empty move skips it.

    Raises `AnalysisError` if it is not a puzzle, and `MoveError` for an invalid or illegal move.
    """
    puzzle, book = parse_puzzle(solution, text), solution.book
    right, reason = str(puzzle.right), hint(solution, puzzle.position, 2).text
    if not typed.strip():
        return AnswerView(right=False, verdict="Skipped.", text=reason, answer=right, steps=())
    move = parse_legal_move(book, puzzle.position, typed)
    if move == puzzle.right:
        why = explain_answer(solution, puzzle, move).text
        steps = _steps(book, puzzle.position, [(move, why)])
        return AnswerView(right=True, verdict="Right!", text=why, answer=right, steps=steps)
    played = [(step, why.text) for step, why in refutation(solution, puzzle, move)]
    text = f"Only {right} {puzzle.asked}. {reason}"
    steps = _steps(book, puzzle.position, played)
    return AnswerView(right=False, verdict="Wrong.", text=text, answer=right, steps=steps)


def hide_results(book: Book, position: Position) -> PositionView:
    """Return the view of a position without the results of its moves, which would give the answer away."""
    view = position_view(book, position)
    return view._replace(choices=tuple(choice._replace(result="") for choice in view.choices))


def _steps(book: Book, position: Position, moves: list[tuple[str, str]]) -> tuple[StepView, ...]:
    steps = []
    for move, text in moves:
        position = book.after(position, move)
        steps.append(StepView(str(move), text, position_view(book, position)))
    return tuple(steps)
