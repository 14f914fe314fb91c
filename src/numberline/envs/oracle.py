"""The exact truth for programs: what a position is worth, which actions are best, what the one just taken gave away."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.book.book import Book
from numberline.rules.position import Position
from numberline.solver.columns import NEVER, Columns, Ints, Truths
from numberline.solver.store import solution_of

LOSS = -1
"""The value of a lost position."""
Facts = dict[str, Any]
"""What is added to `info`."""


class Oracle:
    """What `info` has of the truth of one game."""

    def __init__(self, book: Book) -> None:
        self._choices = book.choices
        self._solution = solution_of(book)

    def about(self, position: Position, seat: int, *, lost: bool = False) -> Facts:
        """What a position is worth to a seat, how far the end is, which actions are best; `lost` by an illegal one."""
        if lost:
            return {"value": LOSS, "distance": 0, "best_actions": np.zeros(len(self._choices), np.int8)}
        worth = self._solution.worth(position, seat)
        best = self._solution.best(position) if position.turn == seat else ()
        return {
            "value": worth.points,
            "distance": NEVER if worth.plies is None else worth.plies,
            "best_actions": np.array([move in best for move in self._choices], np.int8),
        }

    def of_move(self, position: Position, move: str) -> Facts:
        """What a move of the player to move gave away; an illegal one gives away all there was."""
        for judged in self._solution.judged(position):
            if judged.move == move:
                return {"regret": judged.regret, "delay": judged.delay}
        return {"regret": self._solution.worth(position).points - LOSS, "delay": 0}


class OracleColumns:
    """The same for thousands of games at once, by the rows of `solution.columns`; one row more is before the game."""

    def __init__(self, columns: Columns, seats: tuple[int, ...]) -> None:
        """`seats` are those that the agent takes; without any it plays for everybody."""
        choices, to_mover = columns.choices, columns.points(columns.mover)
        self._value = np.stack([columns.points(seat) for seat in seats] or [to_mover])
        self._distance = columns.plies.astype(np.int32)
        self._best = columns.best[:, :choices]
        legal = columns.legal[:, :choices]
        illegal = legal.any(axis=1, keepdims=True) & ~legal
        regret = np.where(illegal, to_mover[:, np.newaxis] - LOSS, columns.regret[:, :choices])
        lost = np.stack([regret, columns.delay[:, :choices]]).astype(np.int32)
        acts = np.stack([columns.mover == seat for seat in seats] or [columns.mover > 0])
        self._lost = np.pad(lost[:, np.newaxis] * acts[..., np.newaxis], ((0, 0), (0, 0), (0, 1), (0, 0)))
        """Regret and delay; the other axes are the agent's seat, the row and the action."""

    def about(self, rows: Ints, turns: Ints, mask: NDArray[np.int8], lost: Truths) -> Facts:
        """What positions are worth to the agent, which is in the seat of that turn; `lost` by an illegal action."""
        return {
            "value": np.where(lost, np.int8(LOSS), self._value[turns, rows]),
            "distance": np.where(lost, np.int32(0), self._distance[rows]),
            "best_actions": self._best[rows] * mask,
        }

    def of_actions(self, rows: Ints, turns: Ints, actions: Ints) -> Facts:
        """What these actions gave away; an illegal one gives away all there was."""
        return dict(zip(("regret", "delay"), self._lost[:, turns, rows, actions], strict=True))
