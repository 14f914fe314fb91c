"""The positions that can come about in a game, whoever starts."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.table import Walk

MANY = 10_000
"""Of a book with more positions than this, nothing is said that would need all of them."""


Answer = TypeVar("Answer")


def remembered(ask: Callable[[Solution], Answer]) -> Callable[[Solution], Answer]:
    """The same question, worked out only once for each solution."""
    answers: WeakKeyDictionary[Solution, Answer] = WeakKeyDictionary()

    @wraps(ask)
    def answer(solution: Solution) -> Answer:
        if solution not in answers:
            answers[solution] = ask(solution)
        return answers[solution]

    return answer


@remembered
def live_positions(solution: Solution) -> tuple[Position, ...]:
    """Every position in which somebody has to move, as they come about; none if there are too many."""
    engine, numbering = solution.book.engine, solution.numbering
    if isinstance(numbering, Walk):
        met = [numbering.position(number) for number in range(numbering.size)]
        return tuple(position for position in met if not engine.winner(position)) if len(met) <= MANY else ()
    starts = [solution.book.start(first) for first in range(1, solution.book.rules.players + 1)]
    seen = set(starts)
    live = [start for start in starts if not engine.winner(start)]
    for position in live:  # grows while it is gone through
        for _, after in engine.followers(position):
            if after not in seen:
                seen.add(after)
                if not engine.winner(after):
                    live.append(after)
        if len(live) > MANY:
            return ()
    return tuple(live)
