"""The exact truth for thousands of games at once: what the oracle says of every row of a table, in columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.envs.columns import Columns, Ints
from numberline.envs.dense import EVERYBODY, ILLEGAL, Dense
from numberline.envs.oracle import BEST, LOSS, NEITHER, NEVER, WIN, Oracle, oracle_of


class Ledger:
    """For each row of a table: the value and the distance of the position it leads to, and what its action gave away.

    The value is that for whoever is shown the position.
    """

    def __init__(self, columns: Columns, table: Dense, seats: tuple[int, ...]) -> None:
        choices = columns.choices
        self._columns = columns
        oracle = oracle_of(columns.book)
        size = len(columns.mover)
        self._owner = np.zeros(size, np.int64)
        """For each position, who can force a win; 0 where nobody can."""
        self._plies = np.full(size, NEVER, np.int64)
        self._best = np.zeros((size, choices), np.int8)
        self._losses = np.zeros((size + 1, choices, 2), np.int64)
        for number in columns.reachable().tolist():
            self._look(oracle, number)
        rows = table.read(table.rows)
        illegal = rows["remark"] == ILLEGAL
        viewer = self._viewers(table, seats)
        value = _points(self._owner[table.to], viewer, self._outs()[table.to])
        self.value = np.where(illegal, LOSS, value).astype(np.int8)
        self.distance = np.where(illegal, 0, self._plies[table.to]).astype(np.int32)
        self.best = self._best[table.to] * rows["action_mask"]
        given = np.repeat(self._losses.reshape(-1, 2), table.sides, axis=0)
        self.regret, self.delay = (np.tile(given[:, n], len(seats)).astype(np.int32) for n in (0, 1))
        self.regret[illegal] = (self._worth_to_mover(table, len(seats)) - LOSS)[illegal]

    def about(self, rows: Ints) -> dict[str, NDArray[Any]]:
        """What the positions are worth that these rows lead to, and which actions are best there."""
        return {"value": self.value[rows], "distance": self.distance[rows], "best_actions": self.best[rows]}

    def of_actions(self, rows: Ints) -> dict[str, NDArray[Any]]:
        """What the actions of these rows gave away."""
        return {"regret": self.regret[rows], "delay": self.delay[rows]}

    def _look(self, oracle: Oracle, number: int) -> None:
        """Enters one position that can come about."""
        position = self._columns.table.numbering.position(number)
        outlook = oracle.solution.forced(position)
        if outlook:
            self._owner[number], self._plies[number] = outlook
        if self._columns.choice[number]:
            losses = oracle.losses(position)
            for action, text in enumerate(self._columns.book.choices):
                if text in losses:
                    self._losses[number, action] = losses[text]
                    self._best[number, action] = losses[text] == BEST

    def _viewers(self, table: Dense, seats: tuple[int, ...]) -> Ints:
        if seats == (EVERYBODY,):
            return self._columns.mover[table.to]
        return np.repeat(np.array(seats), table.each)

    def _worth_to_mover(self, table: Dense, copies: int) -> Ints:
        """For each row, what the position that its action was taken in was worth to the player to move."""
        worth = np.append(_points(self._owner, self._columns.mover, self._outs()), 0)
        return np.tile(np.repeat(worth, self._columns.choices * table.sides), copies)

    def _outs(self) -> Ints:
        """Who is out in each position, one bit a player."""
        return np.asarray(self._columns.positions.out, np.int64)


def _points(owner: Ints, player: Ints, outs: Ints) -> Ints:
    """What positions are worth to a player, whoever can force a win there; who is out has lost."""
    nobody = np.where(outs >> (player - 1) & 1, LOSS, NEITHER)
    points: Ints = np.where(owner == 0, nobody, np.where(owner == player, WIN, LOSS))
    return points
