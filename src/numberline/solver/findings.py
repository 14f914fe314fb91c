"""Every position that can come about in a book, and what that says of the game: can it be finished, can it go round?"""

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
    engine = book.engine
    depth = {engine.start(first): 0 for first in range(1, book.rules.players + 1)}
    todo = deque(depth)
    successors: dict[Position, list[Position]] = {}
    winners: set[int] = set()
    shortest: int | None = None
    lost = False
    while todo and len(successors) < limit:
        position = todo.popleft()
        winner = engine.winner(position)
        if winner:
            winners.add(winner)
            shortest = depth[position] if shortest is None else shortest
            lost |= book.rules.stuck == "loses" and not position.out and engine.survey(position).stuck
            continue
        followers = engine.followers(position)
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
        lost_turns=bool(lost),
        shortest=shortest,
    )


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
