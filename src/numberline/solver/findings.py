"""What a search of the whole game finds: can it be finished, can it go round, is anybody ever without a move?"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from numberline.book.book import Book
from numberline.rules.moves import FORCED
from numberline.rules.position import Position

LIMIT = 200_000
"""How many positions are looked at before the search gives up."""


@dataclass(frozen=True, slots=True)
class Findings:
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
    """The fewest plies in which the game can end."""


def explore(book: Book, limit: int = LIMIT) -> Findings:
    """What can happen in a book, whoever starts."""
    depth = dict.fromkeys(book.starts(), 0)
    todo = deque(depth)
    successors: dict[Position, list[Position]] = {}
    winners: set[int] = set()
    shortest: int | None = None
    lost = False
    while todo and len(successors) < limit:
        position = todo.popleft()
        followers = book.followers(position)
        if not followers:
            winners.add(book.winner(position))
            shortest = depth[position] if shortest is None else shortest
            lost |= _stuck(book, position)
            continue
        lost |= followers[0][0] in FORCED
        successors[position] = [after for _, after in followers]
        for after in successors[position]:
            if after not in depth:
                depth[after] = depth[position] + 1
                todo.append(after)
    complete = not todo
    return Findings(
        positions=len(successors),
        complete=complete,
        winners=tuple(sorted(winners)),
        hopeless=_hopeless(successors) if complete else 0,
        goes_round=_goes_round(successors),
        lost_turns=lost,
        shortest=shortest,
    )


def _stuck(book: Book, position: Position) -> bool:
    """Whether a game is over because the player to move had no move: nobody is home, and more than one is in."""
    still_in = [player for player in book.players if not position.is_out(player)]
    return len(still_in) > 1 and not any(book.is_home(position, player) for player in still_in)


def _predecessors(successors: dict[Position, list[Position]]) -> dict[Position, list[Position]]:
    before: dict[Position, list[Position]] = {}
    for position, afters in successors.items():
        for after in afters:
            before.setdefault(after, []).append(position)
    return before


def _hopeless(successors: dict[Position, list[Position]]) -> int:
    """How many positions have no way to an ending."""
    before = _predecessors(successors)
    hopeful: set[Position] = set()
    todo = [after for after in before if after not in successors]
    while todo:
        for position in before.get(todo.pop(), ()):
            if position not in hopeful:
                hopeful.add(position)
                todo.append(position)
    return len(successors) - len(hopeful)


def _goes_round(successors: dict[Position, list[Position]]) -> bool:
    """Whether some position can come again: not every one can be put before all that follow it."""
    waiting = {position: sum(after in successors for after in afters) for position, afters in successors.items()}
    before = _predecessors(successors)
    done = [position for position, count in waiting.items() if count == 0]
    settled = 0
    while done:
        settled += 1
        for position in before.get(done.pop(), ()):
            waiting[position] -= 1
            if waiting[position] == 0:
                done.append(position)
    return settled < len(successors)
