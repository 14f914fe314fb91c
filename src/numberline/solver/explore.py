"""What a search of the whole game finds: can it be finished, can it go round, which rules ever come to matter?"""

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
"""How many positions are looked at before the search gives up."""
MAX_POSITIONS_LARGE_BOOK = 50_000
"""The same for a game that may have many times as many: nobody waits for a search that will not be whole."""
MAX_POSITIONS_QUICK = 20_000
"""The same for a search that nobody wants to wait for."""
MOVES_PER_POSITION = 5
"""So many moves are looked at for each of those positions, on average: with more of them, fewer positions."""


@dataclass(frozen=True, slots=True)
class ExplorationReport:
    """What a search of the whole game found."""

    positions: int
    """Positions in which somebody has to move."""
    complete: bool
    """Whether the whole game was searched."""
    winners: tuple[int, ...]
    """The players who win in some ending."""
    hopeless: int
    """Positions from which no ending can be reached any more (0 where the search is not complete)."""
    goes_round: bool
    """Whether play can come back to a position it has been in."""
    lost_turns: bool
    """Whether anybody is ever without a move."""
    shortest: int | None
    """The fewest turns in which the game can end."""


def exploration_limit(book: Book) -> int:
    """How many positions of a book are worth looking at."""
    return MAX_POSITIONS if max_positions(book) <= 10 * MAX_POSITIONS else MAX_POSITIONS_LARGE_BOOK


def explore(book: Book, limit: int = MAX_POSITIONS, progress: Progress = lambda _: None) -> ExplorationReport:
    """What can happen in a book, whoever starts; a position with very many moves counts for several."""
    successors: dict[Position, list[Position]] = {}
    winners: set[int] = set()
    shortest: int | None = None
    lost = complete = False
    looked_at = 0
    for position, turns, followers in _iter_reachable(book):
        if len(successors) == limit or looked_at >= limit * MOVES_PER_POSITION:
            break
        looked_at += len(followers)
        progress(max(len(successors), looked_at / MOVES_PER_POSITION) / limit)
        lost = lost or bool(_stuck_incident(book, position, followers))
        if followers:
            successors[position] = [after for _, after in followers]
        else:
            winners.add(book.winner(position))
            shortest = turns if shortest is None else shortest
    else:
        complete = True
    return ExplorationReport(
        positions=len(successors),
        complete=complete,
        winners=tuple(sorted(winners)),
        hopeless=_count_non_terminating(successors, mover=1) if complete else 0,
        goes_round=_count_non_terminating(successors, mover=2) > 0,
        lost_turns=lost,
        shortest=shortest,
    )


Incident = Literal["lost turn", "no move", "past the goal", "off the line"]
"""A turn is lost; a player is out, or has lost, for want of a move; a move would go too far, forward or back."""


@lru_cache(maxsize=64)
def find_incidents(book: Book, limit: int = MAX_POSITIONS_QUICK) -> frozenset[Incident]:
    """What can happen in a book, whoever starts; in one too large to search, what arithmetic does not rule out.

    >>> import numberline as nl
    >>> find_incidents(nl.book("flag-chase")), find_incidents(nl.book("number-reach(operations=+1)"))
    (frozenset({'past the goal'}), frozenset())
    """
    possible, found = _possible_incidents(book.rules), set[Incident]()
    looked_at = 0
    for count, (position, _, followers) in enumerate(_iter_reachable(book, deep=True)):
        if found == possible or count == limit or looked_at >= limit * MOVES_PER_POSITION:
            return possible
        looked_at += len(followers)
        if stuck := _stuck_incident(book, position, followers):
            found |= possible & {stuck}
        if (followers or stuck) and not _TOO_FAR & possible <= found:
            found |= possible & set(_out_of_range_incidents(book, position, [move for move, _ in followers]))
    return frozenset(found)


def _possible_incidents(rules: Rules) -> frozenset[Incident]:
    """What arithmetic does not rule out."""
    free = rules.repeat == "free" and (rules.meeting != "blocks" or cannot_collide(rules))
    stuck = not never_stuck(rules) and not (free and 1 in rules.steps)
    # Every step of a token is stopped only if there is a row of other tokens as long as the step.
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
    """Where moves would get to that go past the goal (or do, where that is allowed) or off the line."""
    low, high = book.rules.line
    for move in book.choices:
        if move.token is None:
            continue
        place = position.tokens[move.slot[position.turn]]
        wanted = move.target(place, position.turn)
        if book.distance_to_goal(position.turn, place) <= 0 or not move.divides_evenly(place):
            continue
        if book.distance_to_goal(position.turn, wanted) < 0:
            if (move in legal) == (book.rules.overshoot != "refused"):
                yield "past the goal"
        elif not low <= wanted <= high:
            yield "off the line"


_FORCED: dict[str, Incident] = {PASS: "lost turn", OUT: "no move"}


def _stuck_incident(book: Book, position: Position, followers: list[tuple[Move, Position]]) -> Incident | None:
    """What happens to the player to move where there is no move; None where there is one, or somebody has won."""
    if followers:
        return _FORCED.get(followers[0][0])
    still_in = [player for player in book.players if not position.is_out(player)]
    won = len(still_in) == 1 or any(book.is_home(position, player) for player in still_in)
    return None if won else "no move"


def _iter_reachable(book: Book, *, deep: bool = False) -> Iterator[tuple[Position, int, list[tuple[Move, Position]]]]:
    """Every position that can be reached, after how many turns, and what can follow.

    The nearest come first, after as few turns as it takes; `deep` hurries to the endings, where most things happen.
    """
    turns = dict.fromkeys(book.starts(), 0)
    todo = deque(turns)
    while todo:
        position = todo.pop() if deep else todo.popleft()
        followers = book.successors(position)
        yield position, turns[position], followers
        for _, after in followers:
            if after not in turns:
                turns[after] = turns[position] + 1
                todo.append(after)


_OVER = Position(0, ())
"""Nobody is to move."""


def _count_non_terminating(successors: dict[Position, list[Position]], mover: int) -> int:
    """From how many positions no ending can be reached (mover 1), or can be missed for ever (mover 2).

    It is worked out as a game that player 1 wins with every ending, and in which that player makes all moves or none.
    All endings are one position there, and so is what was not looked at.
    """
    numbering, over = ReachableIndex(), len(successors)
    live = {position: numbering.add(position) for position in successors}
    numbering.add(_OVER)
    rows = [[live.get(after, over) for after in afters] for afters in successors.values()]
    after = [[*column, NO_SUCCESSOR] for column in zip_longest(*rows, fillvalue=NO_SUCCESSOR)]
    winner = [*[0] * over, 1]
    return int(solve_table(Table(numbering, 2, (), after, [mover] * numbering.size, winner))[0].count(0))
