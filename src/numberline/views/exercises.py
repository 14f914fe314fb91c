"""Views of puzzles and lessons: questions without their answers, and feedback on a user's answers."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

from numberline.explain.explanation import hint
from numberline.explain.lesson import LessonGame, lesson
from numberline.explain.phrases import SecondPersonPhrases
from numberline.explain.puzzle import COLOUR_THEME, TRAP_THEME, WIN_THEME, Puzzle, next_question, own_puzzle, puzzle_at
from numberline.explain.queries import AnalysisError, cached_per_solution, require_two_players
from numberline.explain.rules_text import announce_changes, describe_play
from numberline.explain.strip import Cell, PaintQuestion, Strip
from numberline.explain.worksheet import feedback
from numberline.game.book import Book
from numberline.game.match import Match, parse_legal_move
from numberline.game.notation import parse_position
from numberline.game.position import Position
from numberline.progress.rules import next_rating, puzzle_stars
from numberline.solver.solution import Solution
from numberline.text import join_and, quote
from numberline.views.board import BookView, PositionView, book_view, position_view

MAX_TRIES = 2

# Puzzles


class PuzzleView(NamedTuple):
    """Puzzle without its answer."""

    variant: str
    title: str
    book: BookView
    goal: str
    """Summary of how to win, the moves, and the most important rule that `new_rule` does not mention."""
    position: PositionView
    question: str
    nudge: str
    """Hint that does not name a move; empty if there is none."""
    rating: int
    """Internal difficulty; players see the stars."""
    theme: str
    theme_title: str
    stars: int
    """Difficulty, from 1 to 3."""
    new_rule: str
    """Announcement of the changed rules; empty if there are none."""
    intro: str
    """Introduction to a puzzle from the player's own game; empty for any other puzzle."""
    cells: tuple[Cell, ...]
    """Cells of the blank strip to mark, if the theme is `colour`; empty otherwise."""
    moves: int
    """Number of moves to find, one after another."""


class StepView(NamedTuple):
    """Move, the sentence that announces it, and the position after it."""

    move: str
    text: str
    position: PositionView


class AnswerView(NamedTuple):
    """Result of an answer."""

    right: bool
    verdict: str
    text: str
    """One sentence: why the answer is right or wrong."""
    answer: str
    """The right answer, once the puzzle is over; empty before that."""
    steps: tuple[StepView, ...]
    """The player's move and the automatic moves after it; only the right move if the puzzle was skipped or failed.

    Empty for a strip.
    """
    new_rating: int | None
    """The player's rating after this answer; None if the caller gave no rating."""
    done: bool
    """Whether the puzzle is over: solved, skipped, or no tries left."""
    next: PositionView | None
    """Position for the player's next move, if the theme is `trap` and the puzzle continues; None otherwise."""
    question: str
    """Question for the next move; empty if there is none."""
    cells: tuple[Cell, ...]
    """The painted strip, once the puzzle is over."""
    new_stars: int
    """Stars earned with this answer."""


def puzzle_view(solution: Solution, puzzle: Puzzle, intro: str = "") -> PuzzleView:
    book, is_strip = solution.book, puzzle.theme == COLOUR_THEME
    return PuzzleView(
        variant=book.variant,
        title=book.title,
        book=book_view(book),
        goal=describe_play(book),
        position=_without_results(book, puzzle.position),
        question=puzzle.question(solution),
        nudge=nudge(solution, puzzle),
        rating=puzzle.rating,
        theme=puzzle.theme,
        theme_title=puzzle.theme_title,
        stars=puzzle.stars,
        new_rule=announce_changes(book),
        intro=intro,
        cells=puzzle.strip(solution, painted=False).cells if is_strip else (),
        moves=puzzle.own_moves,
    )


def nudge(solution: Solution, puzzle: Puzzle) -> str:
    """Return a hint that doesn't name the answer, or an empty string if the question already says all it could."""
    if puzzle.theme == WIN_THEME:
        return ""
    if puzzle.theme == COLOUR_THEME:
        return "Start near the goal. Try each place: if your opponent can win whatever you play, it's a trap."
    return hint(solution, puzzle.position).text


def parse_puzzle(solution: Solution, text: str, theme: str = "") -> Puzzle:
    """Return the puzzle for a position given as text; raise `AnalysisError` if the position is not a puzzle."""
    require_two_players(solution.book, "puzzles")
    position = parse_position(text)
    found = puzzle_at(solution, position, theme) if position in solution else None
    if found is None:
        needs = "a puzzle needs at least one wrong move"
        raise AnalysisError(f"{quote(text)} is not a puzzle for {solution.book.variant}: {needs}")
    return found


def answer_view(
    solution: Solution,
    text: str,
    typed: str,
    *,
    rating: int | None = None,
    hinted: bool = False,
    theme: str = "",
    tries: int = MAX_TRIES,
) -> AnswerView:
    """Return the result of the answer `typed` to the puzzle with position `text`; an empty answer skips the puzzle.

    `rating` is the player's rating before the answer. With `hinted`, a right answer counts as wrong for the rating and
    earns no stars. `tries` is one more than the number of wrong answers so far; the last try reveals the right answer.
    Raise `AnalysisError` if the position is not a puzzle, and `MoveError` for an invalid or illegal answer.
    """
    puzzle, book = parse_puzzle(solution, text, theme), solution.book
    answer = puzzle.parse_answer(solution, typed) if typed.strip() else ""
    right, over = answer in puzzle.answers, not answer or tries >= MAX_TRIES
    steps, after = [], puzzle.position
    is_strip, failed = puzzle.theme == COLOUR_THEME, over and not right
    words = SecondPersonPhrases(book, you=after.turn)
    for move in () if is_strip else [puzzle.right] if failed else puzzle.played_moves(solution, answer):
        played = words.sentence(words.move_clause(after.turn, str(move)))
        after = book.after(after, move)
        steps.append(StepView(str(move), played, position_view(book, after)))
    goes_on = right and theme == TRAP_THEME and not book.winner(after)
    done = over if not right else not goes_on
    said = puzzle.explain_answer(solution, answer, done=done)
    painted = puzzle.strip(solution, painted=True).cells if done and is_strip else ()
    new_rating = None if rating is None else next_rating(rating, puzzle.rating, right=right and not hinted)
    almost = "Not this time." if over else "Not quite." if puzzle.theme == COLOUR_THEME else "Not this one."
    return AnswerView(
        right,
        verdict="Right!" if right else almost if answer else "Skipped.",
        text=said,
        answer=join_and(puzzle.right.split()) if done else "",
        steps=tuple(steps),
        new_rating=new_rating,
        done=done,
        next=_without_results(book, after) if goes_on else None,
        question=next_question(solution, after) if goes_on else "",
        cells=painted,
        new_stars=puzzle_stars(puzzle.stars, tries) if right and done and not hinted else 0,
    )


def own_puzzle_view(solution: Solution, match: Match) -> PuzzleView | None:
    """Return the puzzle made from the mistake that decided a game, or None if there is none."""
    found = own_puzzle(solution, match)
    return puzzle_view(solution, found.puzzle, found.intro) if found else None


# Lessons


class ExerciseView(NamedTuple):
    """Exercise without its answer."""

    question: str
    position: PositionView


class LessonStepView(NamedTuple):
    number: int
    """Number of the step, counted from 1."""
    title: str
    text: str
    position: PositionView
    """Position shown next to the text."""
    exercise: ExerciseView | None
    questions: tuple[PaintQuestion[PositionView], ...]
    """Questions to answer before the text is shown."""
    strip: Strip | None
    """The strip with the cells painted by the end of the step; None if the lesson has no strip."""


class LessonView(NamedTuple):
    variant: str
    title: str
    book: BookView
    tries: int
    """Number of attempts before the client requests the answer."""
    steps: tuple[LessonStepView, ...]
    secret: str
    """The secret of the game as advice on how to win; empty if no rule is known or no position is losing."""
    game: LessonGame
    """Game to play after the lesson."""
    invitation: str
    """Question that invites the player to that game."""


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
    hide = partial(_without_results, book)
    steps = tuple(
        LessonStepView(
            number,
            step.title,
            step.text,
            position_view(book, step.position),
            step.exercise and ExerciseView(step.exercise.question, hide(step.exercise.position)),
            tuple(PaintQuestion(each.cell, hide(each.position), *each[2:]) for each in step.questions),
            step.strip,
        )
        for number, step in enumerate(taught.steps, 1)
    )
    return LessonView(book.variant, book.title, book_view(book), MAX_TRIES, steps, *taught[2:], taught.game.invitation)


def reply_view(solution: Solution, number: int, typed: str) -> ReplyView:
    """Return the reply to a move in the exercise for step `number`; an empty move requests the answer.

    Raise `AnalysisError` if the step has no exercise, and `MoveError` for an invalid or illegal move.
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
    makes = "makes" if book.rules.shared and book.rules.moves == "operations" else "to"
    choices = [
        choice._replace(result="", note="", spoken=f"{choice.spoken.partition(':')[0]}: {makes} {choice.wanted}")
        if choice.result and choice.note
        else choice._replace(result="")
        for choice in view.choices
    ]
    return view._replace(choices=tuple(choices))
