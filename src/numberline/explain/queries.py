"""What the solution says of a whole game: every position, the moves that always win, the best answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from numberline.errors import NumberlineError
from numberline.game.book import Book
from numberline.game.moves import Move
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation

MAX_LISTED_POSITIONS = 10_000
"""Of a book with more positions than this, no list of all is made while somebody waits."""
MAX_ANALYSED_POSITIONS = 40_000
"""Of a book with more positions than this, nothing is said that would need all of them."""

Answer = TypeVar("Answer")


class AnalysisError(NumberlineError, ValueError):
    """A question that a solution can't answer; the text is one sentence that says why."""


def require_two_players(book: Book, what: str) -> None:
    """Raises where more than two play."""
    if book.rules.players > 2:
        raise AnalysisError(f"{what} need two players; {book.variant} has {book.rules.players}")


def cached_per_solution(ask: Callable[[Solution], Answer]) -> Callable[[Solution], Answer]:
    """The same question, worked out only once for each solution."""
    answers: WeakKeyDictionary[Solution, Answer] = WeakKeyDictionary()

    @wraps(ask)
    def answer(solution: Solution) -> Answer:
        if solution not in answers:
            answers[solution] = ask(solution)
        return answers[solution]

    return answer


# All positions


def all_positions(solution: Solution, max_positions: int = MAX_LISTED_POSITIONS) -> tuple[Position, ...]:
    """Every position in which somebody has to move, those met first coming first; none if there are too many."""
    return solution.live if solution.size <= max_positions else ()


def is_lost_for_either_side(solution: Solution, position: Position) -> bool:
    """Whether both players would be lost if they had to move here; only where either of them can have to."""
    both = [position._replace(turn=player) for player in (1, 2)]
    return all(at in solution and solution.value(at) == LOSS and solution.evaluate_moves(at) for at in both)


def immediate_win_places(solution: Solution, player: int) -> tuple[int, ...]:
    """The places from which this player always wins at once; none where a player has several tokens."""
    rules = solution.book.rules
    if not rules.shared and rules.tokens > 1:
        return ()
    found: dict[int, bool] = {}
    for position in all_positions(solution, MAX_ANALYSED_POSITIONS):
        if position.turn == player:
            (place,) = solution.book.tokens_of(position, player)
            worth = solution.worth(position)
            found[place] = found.get(place, True) and worth.value == WIN and worth.plies == 1
    return tuple(sorted(place for place, always in found.items() if always))


@cached_per_solution
def always_winning_moves(solution: Solution) -> tuple[Move, ...]:
    """The moves that win in every position in which they are allowed, and are a choice in one of them at least."""
    wins: dict[str, bool] = {}
    chosen: set[str] = set()
    for position in all_positions(solution, MAX_ANALYSED_POSITIONS):
        legal = solution.evaluate_moves(position)
        for judged in legal:
            wins[judged.move] = wins.get(judged.move, True) and judged.value == WIN
            if len(legal) > 1:
                chosen.add(judged.move)
    return tuple(move for move in solution.book.choices if move in chosen and wins[move])


# Moves


class PositionAnalysis:
    """One position, and its moves as the solution judges them."""

    def __init__(self, solution: Solution, position: Position) -> None:
        self.solution = solution
        self.book = solution.book
        self.position = position
        self.two_players = solution.book.rules.players == 2
        self.legal = solution.evaluate_moves(position)
        self.correct_moves = value_preserving(self.legal)
        self.worth = solution.worth(position)


def value_preserving(legal: Sequence[MoveEvaluation]) -> tuple[MoveEvaluation, ...]:
    """Of a position's moves those that keep its value, however long they take."""
    return tuple(judged for judged in legal if judged.keeps_value)


def moves_of(legal: Iterable[MoveEvaluation]) -> tuple[Move, ...]:
    """The moves alone."""
    return tuple(judged.move for judged in legal)


def move_distance(book: Book, position: Position, move: Move) -> int:
    """How far a move would take its token if nothing stopped it."""
    if move.token is None:
        return 0
    step = book.move_effect(position, move)
    return abs(step.target - step.place)


def best_replies(solution: Solution, moves: Sequence[MoveEvaluation]) -> tuple[tuple[Move, str], ...]:
    """Each move with a best answer to it, the same for all where one will do; no answer where the game is over."""
    best = {judged.move: solution.best(judged.after) for judged in moves}
    asked = [answers for answers in best.values() if answers]
    common = [answer for answer in asked[0] if all(answer in answers for answers in asked)] if asked else []
    return tuple((move, ([*common, *answers] if answers else [""])[0]) for move, answers in best.items())
