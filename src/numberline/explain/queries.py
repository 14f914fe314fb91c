"""Questions to a solution: all positions, maps of their values, moves that always win or keep the value, replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from numberline.errors import NumberlineError
from numberline.game.book import Book
from numberline.game.moves import Move
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation, Worth

MAX_LISTED_POSITIONS = 10_000
MAX_ANALYSED_POSITIONS = 40_000

Answer = TypeVar("Answer")


class AnalysisError(NumberlineError, ValueError):
    """A question that a solution can't answer."""


def require_two_players(book: Book, what: str) -> None:
    """Raise `AnalysisError` for more than two players."""
    if book.rules.players > 2:
        raise AnalysisError(f"{what} need two players; {book.variant} has {book.rules.players}")


def cached_per_solution(ask: Callable[[Solution], Answer]) -> Callable[[Solution], Answer]:
    """Cache a function of a solution for as long as the solution exists."""
    answers: WeakKeyDictionary[Solution, Answer] = WeakKeyDictionary()

    @wraps(ask)
    def answer(solution: Solution) -> Answer:
        if solution not in answers:
            answers[solution] = ask(solution)
        return answers[solution]

    return answer


# All positions


def all_positions(solution: Solution, max_positions: int = MAX_LISTED_POSITIONS) -> tuple[Position, ...]:
    """Return every position in which the game isn't over, or none if there are more than `max_positions`."""
    return solution.live if solution.size <= max_positions else ()


def is_lost_for_either_side(solution: Solution, position: Position) -> bool:
    """Return whether either player loses when they must move here, if it can be either player's turn."""
    both = [position._replace(turn=player) for player in (1, 2)]
    return all(at in solution and solution.value(at) == LOSS and solution.evaluate_moves(at) for at in both)


def immediate_win_places(solution: Solution, player: int) -> tuple[int, ...]:
    """Return the places from which this player always wins at once, or none if players have several tokens."""
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
    """Return the moves that win whenever they are legal and are a choice in at least one position."""
    wins: dict[str, bool] = {}
    chosen: set[str] = set()
    for position in all_positions(solution, MAX_ANALYSED_POSITIONS):
        legal = solution.evaluate_moves(position)
        for option in legal:
            wins[option.move] = wins.get(option.move, True) and option.value == WIN
            if len(legal) > 1:
                chosen.add(option.move)
    return tuple(move for move in solution.book.choices if move in chosen and wins[move])


# Moves


class PositionAnalysis:
    """A position with its evaluated moves."""

    def __init__(self, solution: Solution, position: Position) -> None:
        self.solution = solution
        self.book = solution.book
        self.position = position
        self.two_players = solution.book.rules.players == 2
        self.legal = solution.evaluate_moves(position)
        self.correct_moves = value_preserving(self.legal)
        self.worth = solution.worth(position)


def value_preserving(legal: Sequence[MoveEvaluation]) -> tuple[MoveEvaluation, ...]:
    """Return the moves that keep the value of the position, however long they take."""
    return tuple(option for option in legal if option.keeps_value)


def look_ahead_plies(legal: Sequence[MoveEvaluation]) -> int:
    """Return how far to look ahead: to the win, or to the latest loss among the wrong moves."""
    return value_preserving(legal)[0].plies or max(option.plies or 0 for option in legal)


def moves_of(legal: Iterable[MoveEvaluation]) -> tuple[Move, ...]:
    return tuple(option.move for option in legal)


def move_distance(book: Book, position: Position, move: Move) -> int:
    """Return how far a move would take its token if nothing were in the way."""
    if move.token is None:
        return 0
    step = book.move_effect(position, move)
    return abs(step.target - step.place)


def best_replies(solution: Solution, moves: Sequence[MoveEvaluation]) -> tuple[tuple[Move, str], ...]:
    """Return each move with a best reply, preferring one reply to all; the reply is empty if the move ends the game."""
    best = {option.move: solution.best(option.after) for option in moves}
    sets = [replies for replies in best.values() if replies]
    common = [reply for reply in sets[0] if all(reply in replies for replies in sets)] if sets else []
    return tuple((move, ([*common, *replies] if replies else [""])[0]) for move, replies in best.items())


# Maps of values

MapCell: TypeAlias = Worth | None
"""The worth of a position; None if the game is over or never gets there."""


@dataclass(frozen=True, slots=True)
class ValueMap:
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MapCell, ...], ...]


def build_value_map(solution: Solution, max_places: int = 200) -> ValueMap | None:
    """Return the map of a book with a shared marker or with one token for each of two players, else None.

    A line with more than `max_places` places is too long, and a ban on repeating makes a second map per step.
    """
    book, rules = solution.book, solution.book.rules
    if max(map(len, book.token_ranges)) > max_places:
        return None
    if rules.shared:
        return _strip(solution)
    plain = rules.players == 2 and rules.tokens == 1 and rules.repeat == "free"
    return _grid(solution) if plain else None


def _without_empty_lines(
    title: str, rows: Sequence[object], columns: Sequence[object], cells: Sequence[Sequence[MapCell]]
) -> ValueMap:
    """Drop empty rows and columns."""
    used = [n for n in range(len(columns)) if any(row[n] for row in cells)]
    filled = [(str(name), tuple(row[n] for n in used)) for name, row in zip(rows, cells, strict=True) if any(row)]
    return ValueMap(
        title,
        rows=tuple(name for name, _ in filled),
        columns=tuple(str(columns[n]) for n in used),
        cells=tuple(row for _, row in filled),
    )


def _strip(solution: Solution) -> ValueMap:
    book = solution.book
    (places,) = book.token_ranges
    symmetric = len(set(book.rules.goals)) == 1
    bans = sorted({0, *(move.stride for move in book.choices)}) if book.rules.repeat == "banned" else [0]
    rows, cells = [], []
    for player in (1,) if symmetric else book.players:
        who = "either player" if symmetric else book.player_name(player)
        for ban in bans:
            banned = f"not {book.stride(ban)}" if ban else "any move"
            rows.append(who if len(bans) == 1 else f"{who}, {banned}")
            cells.append([_cell(solution, Position(player, (place,), ban)) for place in places])
    return _without_empty_lines("Value of each place for the player whose turn it is", rows, places, cells)


def _grid(solution: Solution) -> ValueMap:
    book = solution.book
    first, second = book.token_ranges
    names = book.player_names()
    title = f"Value on {names[0]}'s turn: {names[0]}'s place downwards, {names[1]}'s to the right"
    cells = [[_cell(solution, Position(1, (own, other))) for other in second] for own in first]
    return _without_empty_lines(title, first, second, cells)


def _cell(solution: Solution, position: Position) -> MapCell:
    if position not in solution or solution.book.winner(position):
        return None
    return solution.worth(position)
