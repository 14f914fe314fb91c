"""Exploration of a book's reachable positions: whether the game can end or cycle, and which incidents can happen."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import zip_longest
from typing import Literal

from numberline.game.book import Book
from numberline.game.moves import OUT, PASS, Move, is_forward_only
from numberline.game.position import Position
from numberline.game.rules import Rules
from numberline.game.validation import cannot_collide, never_stuck
from numberline.solver.index import NO_SUCCESSOR, Progress, ReachableIndex, Table, max_positions
from numberline.solver.retrograde import solve_table

MAX_POSITIONS = 200_000
MAX_POSITIONS_LARGE_BOOK = 50_000  # of a book that is too large to explore completely
MAX_POSITIONS_QUICK = 20_000
MOVES_PER_POSITION = 5  # assumed average; with more moves, fewer positions are explored


@dataclass(frozen=True, slots=True)
class ExplorationReport:
    """Findings about the reachable positions of a book."""

    positions: int
    """Number of unfinished positions explored."""
    complete: bool
    """Whether all reachable positions were explored before the limit was reached."""
    winners: tuple[int, ...]
    """Players who win in at least one final position."""
    hopeless: int
    """Number of positions from which the game can never end; 0 if the exploration is incomplete."""
    goes_round: bool
    """Whether a position can repeat."""
    lost_turns: bool
    """Whether a player can run out of legal moves."""
    shortest: int | None
    """Number of turns in the shortest game; None if no final position was found."""


def exploration_limit(book: Book) -> int:
    """Return the maximum number of positions to explore, which is lower for very large books."""
    return MAX_POSITIONS if max_positions(book) <= 10 * MAX_POSITIONS else MAX_POSITIONS_LARGE_BOOK


def explore(book: Book, limit: int = MAX_POSITIONS, progress: Progress = lambda _: None) -> ExplorationReport:
    """Explore a book from all starting positions, up to `limit` positions (fewer if they have many moves)."""
    graph: dict[Position, list[Position]] = {}
    winners: set[int] = set()
    shortest: int | None = None
    lost = complete = False
    move_count = 0
    for position, turns, successors in _iter_reachable(book):
        if len(graph) == limit or move_count >= limit * MOVES_PER_POSITION:
            break
        move_count += len(successors)
        progress(max(len(graph), move_count / MOVES_PER_POSITION) / limit)
        lost = lost or bool(_stuck_incident(book, position, successors))
        if successors:
            graph[position] = [after for _, after in successors]
        else:
            winners.add(book.winner(position))
            shortest = turns if shortest is None else shortest
    else:
        complete = True
    return ExplorationReport(
        positions=len(graph),
        complete=complete,
        winners=tuple(sorted(winners)),
        hopeless=_count_non_terminating(graph, mover=1) if complete else 0,
        goes_round=_count_non_terminating(graph, mover=2) > 0,
        lost_turns=lost,
        shortest=shortest,
    )


Incident = Literal["lost turn", "no move", "past the goal", "off the line"]


@lru_cache(maxsize=64)
def find_incidents(book: Book, limit: int = MAX_POSITIONS_QUICK) -> frozenset[Incident]:
    """Return the incidents that can happen in a game.

    If the book is too large to explore, return all incidents that the rules don't exclude.

    >>> import numberline as nl
    >>> find_incidents(nl.book("flag-chase")), find_incidents(nl.book("number-reach(operations=+1)"))
    (frozenset({'past the goal'}), frozenset())
    """
    possible, found = _possible_incidents(book.rules), set[Incident]()
    move_count = 0
    for count, (position, _, successors) in enumerate(_iter_reachable(book, deep=True)):
        if found == possible or count == limit or move_count >= limit * MOVES_PER_POSITION:
            return possible
        move_count += len(successors)
        if stuck := _stuck_incident(book, position, successors):
            found |= possible & {stuck}
        if (successors or stuck) and not _TOO_FAR & possible <= found:
            found |= possible & set(_out_of_range_incidents(book, position, [move for move, _ in successors]))
    return frozenset(found)


def _possible_incidents(rules: Rules) -> frozenset[Incident]:
    """Return the incidents that the rules don't exclude, without exploring any positions."""
    free = rules.repeat == "free" and (rules.meeting != "blocks" or cannot_collide(rules))
    stuck = not never_stuck(rules) and not (free and 1 in rules.steps)
    # A token is kept from moving at all only if other tokens occupy every place that its step covers.
    shortest = 1 if rules.operations else rules.steps[-1 if free and rules.overshoot != "refused" else 0]
    stopped = rules.meeting == "stops" and not rules.skip and shortest < rules.players * rules.tokens
    strides = {*rules.steps, *(operation.amount for operation in rules.operations)}
    answers: dict[Incident, bool] = {
        "lost turn": stopped or (stuck and rules.stuck == "passes"),
        "no move": stuck and rules.stuck == "loses",
        "past the goal": strides != {1},
        "off the line": not is_forward_only(rules) and any(len(goals) == 1 for goals in rules.goals),
    }
    return frozenset(incident for incident, can_happen in answers.items() if can_happen)


_TOO_FAR: frozenset[Incident] = frozenset({"past the goal", "off the line"})


def _out_of_range_incidents(book: Book, position: Position, legal: list[Move]) -> Iterator[Incident]:
    """Yield an incident for each move that goes past the goal or off the line, or is illegal because it would do so."""
    low, high = book.rules.line
    for move in book.choices:
        if move.token is None:
            continue
        place = position.tokens[move.slot[position.turn]]
        target = move.target(place, position.turn)
        if book.distance_to_goal(position.turn, place) <= 0 or not move.divides_evenly(place):
            continue
        if book.distance_to_goal(position.turn, target) < 0:
            if (move in legal) == (book.rules.overshoot != "refused"):
                yield "past the goal"
        elif not low <= target <= high:
            yield "off the line"


_FORCED: dict[str, Incident] = {PASS: "lost turn", OUT: "no move"}


def _stuck_incident(book: Book, position: Position, successors: list[tuple[Move, Position]]) -> Incident | None:
    """Return the incident if the player to move is stuck; None if the player can move or the game is won."""
    if successors:
        return _FORCED.get(successors[0][0])
    still_in = [player for player in book.players if not position.is_out(player)]
    won = len(still_in) == 1 or any(book.is_home(position, player) for player in still_in)
    return None if won else "no move"


def _iter_reachable(book: Book, *, deep: bool = False) -> Iterator[tuple[Position, int, list[tuple[Move, Position]]]]:
    """Yield `(position, turns, successors)` for each reachable position; `turns` counts the turns before it.

    The search is breadth-first unless `deep` is true; a depth-first search finds most incidents sooner, because they
    happen late in a game.
    """
    turns = dict.fromkeys(book.starts(), 0)
    todo = deque(turns)
    while todo:
        position = todo.pop() if deep else todo.popleft()
        successors = book.successors(position)
        yield position, turns[position], successors
        for _, after in successors:
            if after not in turns:
                turns[after] = turns[position] + 1
                todo.append(after)


_OVER = Position(0, ())


def _count_non_terminating(successors: dict[Position, list[Position]], mover: int) -> int:
    """Count the positions from which the game can't end (`mover` 1) or may never end (`mover` 2).

    The count comes from solving an artificial game in which player 1 wins whenever the game ends and `mover` makes
    every move. All final and unexplored positions are merged into a single final position.
    """
    index, over = ReachableIndex(), len(successors)
    live = {position: index.add(position) for position in successors}
    index.add(_OVER)
    rows = [[live.get(after, over) for after in afters] for afters in successors.values()]
    after = [[*column, NO_SUCCESSOR] for column in zip_longest(*rows, fillvalue=NO_SUCCESSOR)]
    winner = [*[0] * over, 1]
    return int(solve_table(Table(index, 2, (), after, [mover] * index.size, winner))[0].count(0))
