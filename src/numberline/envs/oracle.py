"""The exact truth for programs: what a position is worth, which actions are best, what the one just taken gave away."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.arrays import NOT_FORCED, BoolArray, IntArray, SolutionArrays
from numberline.solver.cache import cached_solution

LOSS_VALUE = -1
"""The value of a lost position."""
OracleInfo = dict[str, Any]
"""What is added to `info`."""
NO_MOVE_INFO: OracleInfo = {"regret": 0, "delay": 0}
"""What is added where no action was taken."""


class Oracle:
    """What `info` has of the truth of one game."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._choices = book.choices
        self._solution = cached_solution(book)

    def __deepcopy__(self, memo: object) -> Oracle:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Oracle, (self._book,)

    def position_info(self, position: Position, seat: int, *, lost: bool = False) -> OracleInfo:
        """What a position is worth to a seat, how far the end is, which actions are best; `lost` by an illegal one."""
        if lost:
            return {"value": LOSS_VALUE, "distance": 0, "best_actions": np.zeros(len(self._choices), np.int8)}
        worth = self._solution.worth(position, seat)
        best = self._solution.best(position) if position.turn == seat else ()
        return {
            "value": worth.points,
            "distance": NOT_FORCED if worth.plies is None else worth.plies,
            "best_actions": np.array([move in best for move in self._choices], np.int8),
        }

    def move_info(self, position: Position, move: str) -> OracleInfo:
        """What a move of the player to move gave away; an illegal one gives away all there was."""
        for judged in self._solution.evaluate_moves(position):
            if judged.move == move:
                return {"regret": judged.regret, "delay": judged.delay}
        return {"regret": self._solution.worth(position).points - LOSS_VALUE, "delay": 0}


class VectorOracle:
    """The same for thousands of games at once, by the rows of `solution.arrays`; one row more is before the game."""

    def __init__(self, columns: SolutionArrays, actions: int) -> None:
        self._columns = columns
        self._actions = actions

    def write_values(
        self, entries: NDArray[Any], rows: IntArray, viewer: int | IntArray, asked: BoolArray, lost: BoolArray
    ) -> None:
        """Writes down what positions are worth to who views them; best actions only where one is `asked` for.

        A game can be `lost` by an illegal action.
        """
        columns = self._columns
        entries["value"] = np.where(lost, LOSS_VALUE, columns.points(viewer, rows))
        entries["distance"] = np.where(lost, 0, columns.plies[rows])
        entries["best_actions"] = columns.move_values_at(rows).best[:, : self._actions] & asked[:, np.newaxis]

    def write_regret(self, entries: NDArray[Any], rows: IntArray, actions: IntArray, acts: BoolArray) -> None:
        """Writes down what these actions gave away where the agent acts; an illegal one gives away all there was."""
        columns, here = self._columns, np.minimum(rows, self._columns.size - 1)
        judged, each = columns.move_values_at(here), np.arange(len(rows))
        legal = columns.legal[here, actions]
        all_there_was = columns.points(columns.mover[here], here) - LOSS_VALUE
        entries["regret"] = np.where(acts, np.where(legal, judged.regret[each, actions], all_there_was), 0)
        entries["delay"] = np.where(acts & legal, judged.delay[each, actions], 0)
