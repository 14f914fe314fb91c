"""The exact truth for programs: what a position is worth, which moves are best, what the move just made gave away."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.bots.judging import solved
from numberline.envs.spots import Spot, Spots
from numberline.rules.position import Position
from numberline.rules.turns import is_out
from numberline.solver.solution import Solution

REMEMBERED = 100_000
"""So many positions are remembered with what their moves give away."""
WIN, NEITHER, LOSS = 1, 0, -1
"""What a position is worth to a player, in points; nobody can force a win where it is neither."""
NEVER = -1
"""The distance where nobody can force an end."""


class Loss(NamedTuple):
    """What a move gives away; both are 0 exactly for the best moves."""

    regret: int
    """Points: 2 for a win turned into a loss, 1 where one of them was nobody's."""
    delay: int
    """Plies, where the points stay the same: by which a win comes later, or a loss sooner, than it need."""


BEST = Loss(0, 0)


class Oracle:
    """The answers of one book, in numbers."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.losses = lru_cache(REMEMBERED)(self._losses)

    def value(self, position: Position, player: int) -> int:
        """What a position is worth to a player, whoever is to move: 1 for a win, -1 for a loss, else 0.

        Who is out has lost, though nobody may be able to force a win.
        """
        outlook = self.solution.forced(position)
        if is_out(position.out, player) or (outlook and outlook.player != player):
            return LOSS
        return WIN if outlook else NEITHER

    def distance(self, position: Position) -> int:
        """Plies to the end, -1 where nobody can force one."""
        outlook = self.solution.forced(position)
        return outlook.plies if outlook else NEVER

    def _losses(self, position: Position) -> dict[str, Loss]:
        """What each legal move gives away.

        >>> import numberline as nl
        >>> book = nl.book("flag-chase")
        >>> oracle_of(book).losses(book.start())
        {'1': Loss(regret=2, delay=0), '2': Loss(regret=0, delay=0), '3': Loss(regret=0, delay=0)}
        """
        book, best = self.solution.book, self.solution.best(position)
        reached = {move: book.after(position, move) for move in book.moves(position)}
        points = {move: self.value(after, position.turn) for move, after in reached.items()}
        plies = {move: self.distance(after) for move, after in reached.items()}
        losses = {}
        for move in reached:
            regret = points[best[0]] - points[move]
            delay = 0 if regret or move in best else max(1, abs(plies[best[0]] - plies[move]))
            losses[move] = Loss(regret, delay)
        return losses


@lru_cache(8)
def oracle_of(book: Book) -> Oracle:
    """The oracle of a book, the same for all who ask; the book is solved when it is first asked for."""
    return Oracle(solved(book))


class Teller:
    """What the oracle says of spots, as Gymnasium's `info` has it."""

    def __init__(self, spots: Spots) -> None:
        self._spots = spots
        self._oracle = oracle_of(spots.book)
        self._known = lru_cache(REMEMBERED)(self._look)

    def about(self, spot: Spot, seat: int, *, lost: bool = False) -> dict[str, Any]:
        """What a spot is worth to a seat, how far the end is, and which actions are best; `lost` by an illegal one."""
        value, distance, best = self._known(spot, seat, lost)
        return {"value": value, "distance": distance, "best_actions": best.copy()}

    def of_action(self, spot: Spot, action: int) -> dict[str, int]:
        """What an action of the player to move gave away; an illegal one gives away all there was."""
        text = self._spots.actions[action] if 0 <= action < self._spots.choices else ""
        loss = self._oracle.losses(spot.position).get(text)
        if loss is None:
            loss = Loss(self._oracle.value(spot.position, spot.turn) - LOSS, 0)
        return {"regret": loss.regret, "delay": loss.delay}

    def _look(self, spot: Spot, seat: int, lost: bool) -> tuple[int, int, NDArray[np.int8]]:  # noqa: FBT001 - cached
        best = np.zeros(self._spots.choices, np.int8)
        if lost:
            return LOSS, 0, best
        if spot.turn == seat and not spot.forced:
            losses = self._oracle.losses(spot.position)
            best[[self._spots.number[move] for move, loss in losses.items() if loss == BEST]] = 1
        return self._oracle.value(spot.position, seat), self._oracle.distance(spot.position), best
