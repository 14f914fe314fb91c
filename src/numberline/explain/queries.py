"""Queries on a solution: positions, value maps, moves that win or preserve the value, and best replies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import wraps
from random import Random
from typing import TypeAlias, TypeVar
from weakref import WeakKeyDictionary

from numberline.errors import NumberlineError
from numberline.game.book import Book
from numberline.game.moves import Move
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, MoveEvaluation, Worth

MAX_LISTED_MOVES = 4
MAX_LISTED_POSITIONS = 10_000
MAX_ANALYSED_POSITIONS = 40_000

Answer = TypeVar("Answer")


class AnalysisError(NumberlineError, ValueError):
    """Invalid request for an analysis, such as a lesson on a game for three players."""


def require_two_players(book: Book, what: str) -> None:
    """Raise `AnalysisError` if the book has more than two players."""
    if book.rules.players > 2:
        raise AnalysisError(f"{what} need two players; {book.variant} has {book.rules.players}")


def cached_per_solution(ask: Callable[[Solution], Answer]) -> Callable[[Solution], Answer]:
    """Cache a function's result for each solution, for as long as that solution exists."""
    answers: WeakKeyDictionary[Solution, Answer] = WeakKeyDictionary()

    @wraps(ask)
    def answer(solution: Solution) -> Answer:
        if solution not in answers:
            answers[solution] = ask(solution)
        return answers[solution]

    return answer


# All positions


def all_positions(solution: Solution) -> tuple[Position, ...]:
    """Return all positions in which the game isn't over; an empty tuple if there are too many to list."""
    return solution.live if solution.size <= MAX_LISTED_POSITIONS else ()


def analysed_positions(solution: Solution) -> tuple[Position, ...]:
    """Return all positions in which the game isn't over; an empty tuple if there are too many to analyse."""
    return solution.live if solution.size <= MAX_ANALYSED_POSITIONS else ()


def symmetry_key(book: Book, position: Position) -> object:
    """Return a key that two positions share if swapping the players turns one into the other in a symmetric game."""
    rules, (turn, tokens, last, out) = book.rules, position
    if out or (rules.players > 2 and not rules.shared) or len({*rules.goals}) > 1 or len({*rules.starts}) > 1:
        return position
    return tokens if rules.shared or turn == 1 else swap_players(book, tokens), last


def swap_players(book: Book, tokens: tuple[int, ...]) -> tuple[int, ...]:
    """Return the tokens of two players in the opposite order; a shared marker is unchanged."""
    count = 0 if book.rules.shared else book.rules.tokens
    return *tokens[count:], *tokens[:count]


def is_lost_for_either_side(solution: Solution, position: Position) -> bool:
    """Return whether the position can occur on either player's turn and, in both cases, the player to move loses."""
    both = [position._replace(turn=player) for player in (1, 2)]
    return all(at in solution and solution.value(at) == LOSS and solution.evaluate_moves(at) for at in both)


@cached_per_solution
def always_winning_moves(solution: Solution) -> tuple[Move, ...]:
    """Return the moves that win whenever they are legal, and that have an alternative in at least one position."""
    wins: dict[str, bool] = {}
    chosen: set[str] = set()
    for position in analysed_positions(solution):
        legal = solution.evaluate_moves(position)
        for option in legal:
            wins[option.move] = wins.get(option.move, True) and option.value == WIN
            if len(legal) > 1:
                chosen.add(option.move)
    return tuple(move for move in solution.book.choices if move in chosen and wins[move])


def random_playout(book: Book, position: Position, rng: Random, max_plies: int) -> Iterator[Position]:
    """Yield the positions of one random game, except the final one."""
    for _ in range(max_plies):
        successors = book.successors(position)
        if not successors:
            break
        yield position
        position = rng.choice(successors)[1]


# Moves


def value_preserving(legal: Sequence[MoveEvaluation]) -> tuple[MoveEvaluation, ...]:
    """Return the moves that preserve the value of the position, regardless of the number of turns."""
    return tuple(option for option in legal if option.keeps_value)


def look_ahead_plies(legal: Sequence[MoveEvaluation]) -> int:
    """Return how many plies to look ahead: to the win or, if there is none, to the latest loss after a wrong move."""
    return value_preserving(legal)[0].plies or max(option.plies or 0 for option in legal)


def moves_of(legal: Iterable[MoveEvaluation]) -> tuple[Move, ...]:
    return tuple(option.move for option in legal)


def move_distance(book: Book, position: Position, move: Move) -> int:
    """Return the distance that a move would cover if nothing were in the way."""
    if move.token is None:
        return 0
    step = book.move_effect(position, move)
    return abs(step.target - step.place)


def recommended_move(solution: Solution, position: Position) -> MoveEvaluation:
    """Return the best move that a person would consider first: in a race, the longest one.

    If the player is losing or the marker is shared, return the best move that is hardest to answer.
    """
    book, hardest = solution.book, solution.hardest_to_answer(position)
    if book.rules.shared or solution.worth(position).value == LOSS:
        return hardest[0]
    best = [option for option in solution.evaluate_moves(position) if option.best]
    return max(best, key=lambda option: (move_distance(book, position, option.move), option in hardest))


def is_short(pairs: Sequence[tuple[str, str]]) -> bool:
    """Return whether the moves and replies fit in one sentence: there are few, or all replies are the same."""
    return len(pairs) <= MAX_LISTED_MOVES or len({reply for _, reply in pairs}) == 1


def best_replies(solution: Solution, moves: Sequence[MoveEvaluation]) -> tuple[tuple[Move, str], ...]:
    """Return each move with a best reply, if possible the same one for all; the reply is empty if the game is over."""
    best = {option.move: solution.best(option.after) for option in moves}
    first = {
        option.move: recommended_move(solution, option.after).move if best[option.move] else "" for option in moves
    }
    sets = [replies for replies in best.values() if replies]
    known = [reply for replies in (first.values(), *sets) for reply in replies if reply]
    common = [reply for reply in known if all(reply in replies for replies in sets)]
    return tuple((move, ([*common, first[move]] if replies else [""])[0]) for move, replies in best.items())


# Maps of values

MapCell: TypeAlias = Worth | None
"""Value of a position; None if the position is final or unreachable."""


@dataclass(frozen=True, slots=True)
class ValueMap:
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MapCell, ...], ...]


def build_value_map(solution: Solution, max_places: int = 200) -> ValueMap | None:
    """Return the value map of a book with a shared marker, or with two players and one token each; otherwise, None.

    Also return None if a token can occupy more than `max_places` places, or if players have their own tokens and can't
    repeat steps, which would require a separate map for each step. Empty rows and columns are omitted.
    """
    book, rules = solution.book, solution.book.rules
    if max(map(len, book.token_ranges)) > max_places:
        return None
    if rules.shared:
        title, columns = "Value of each place for the player whose turn it is", book.token_ranges[0]
        rows = _strip_rows(book)
        positions = {name: [Position(player, (place,), ban) for place in columns] for name, player, ban in rows}
    elif rules.players == 2 and rules.tokens == 1 and rules.repeat == "free":
        (first, second), (places, columns) = book.player_names(), book.token_ranges
        title = f"Value on {first}'s turn: {first}'s place down, {second}'s across"
        positions = {str(own): [Position(1, (own, other)) for other in columns] for own in places}
    else:
        return None
    cells = {name: [_cell(solution, position) for position in row] for name, row in positions.items()}
    used = [n for n in range(len(columns)) if any(row[n] for row in cells.values())]
    shown = {name: tuple(row[n] for n in used) for name, row in cells.items() if any(row)}
    return ValueMap(title, tuple(shown), tuple(str(columns[n]) for n in used), tuple(shown.values()))


def _strip_rows(book: Book) -> Iterator[tuple[str, int, int]]:
    """Yield the title, player to move and banned stride of each row in a shared marker's value map."""
    symmetric = len(set(book.rules.goals)) == 1
    bans = sorted({0, *(move.stride for move in book.choices)}) if book.rules.repeat == "banned" else [0]
    for player in (1,) if symmetric else book.players:
        who = "either player" if symmetric else book.player_name(player)
        for ban in bans:
            banned = f"not {book.stride(ban)}" if ban else "any move"
            yield who if len(bans) == 1 else f"{who}, {banned}", player, ban


def _cell(solution: Solution, position: Position) -> MapCell:
    if position not in solution or solution.book.winner(position):
        return None
    return solution.worth(position)
