"""Exact scores of many pairs of policies in one pass over the positions of a solved two-player book.

Each value is a NumPy array with one entry per pair, so that a pass costs about the same for one pair as for twenty.
The values of positions from which play always ends are computed layer by layer; those of all remaining positions, the
cyclic core, are computed by solving linear equations.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.solver.arrays import SolutionArrays

Array = NDArray[Any]

STOP_CHANCE = 0.001
"""Assumed chance per turn that a game in the cyclic core stops undecided, because no player would wait forever."""
MAX_CORE_ROWS = 2_000
MAX_RESTARTS, STEPS_PER_RESTART = 30, 10
TOLERANCE = 1e-6


class NotConverged(Exception):
    """Error for a cyclic core whose values would take too long to compute."""


class PolicyScores:
    """Scores of one policy against another, averaged over both seats and both starting players.

    A policy is an array of move probabilities, whose axes are the live position, the move and the pair. A win scores 1,
    an undecided game 1/2. `perfect` contains the move weights of a player who never slips.
    """

    def __init__(self, arrays: SolutionArrays, perfect: Array) -> None:
        self.rows: Array = np.flatnonzero(arrays.live)
        """The rows of `arrays` that are reachable and in which the game is not over."""
        finished = np.flatnonzero(arrays.reachable & (arrays.winner != 0))
        place = np.zeros(arrays.size, np.int64)
        place[self.rows] = np.arange(len(self.rows))
        place[finished] = len(self.rows) + np.arange(len(finished))
        self._legal = arrays.legal[self.rows]
        self._after = np.where(self._legal, place[arrays.after[self.rows]], 0)
        self._by_one = (arrays.mover[self.rows] == 1)[:, np.newaxis, np.newaxis]
        self._results = (arrays.winner[finished] == 1).astype(float)[:, np.newaxis]
        self._starts = place[[arrays.number(start) for start in arrays.book.starts()]]
        self._layers, self._core = self._find_layers()
        self._random, self._perfect = self.policy(arrays.legal), self.policy(perfect)

    def _find_layers(self) -> tuple[list[Array], Array]:
        """Return layers of rows whose successors are all in earlier layers, and the rows that fit in no layer."""
        done = np.arange(len(self.rows) + len(self._results)) >= len(self.rows)
        left, layers = np.arange(len(self.rows)), []
        while left.size:
            is_ready = (done[self._after[left]] | ~self._legal[left]).all(axis=1)
            if not is_ready.any():
                break
            layers.append(left[is_ready])
            done[left[is_ready]] = True
            left = left[~is_ready]
        return layers, left

    def policy(self, weights: Array) -> Array:
        """Return a policy for one pair, given the weight of every move in every row of the solution arrays."""
        weights = weights[self.rows, :, np.newaxis]
        policy: Array = weights / weights.sum(axis=1, keepdims=True)
        return policy

    def slip_scores(self, ones: Array, others: Array) -> Array:
        """Return the scores of players who slip at the rates `ones` against players who slip at the rates `others`."""
        mixed = [slips * self._random + (1 - slips) * self._perfect for slips in (ones, others)]
        return self.scores(*mixed)

    def scores(self, ones: Array, others: Array) -> Array:
        """Return the score of each policy in `ones` against its counterpart in `others`."""
        both = self.seat_scores(np.concatenate([ones, others], 2), np.concatenate([others, ones], 2))
        first, second = np.split(both.mean(axis=0), 2)
        result: Array = (first + 1 - second) / 2
        return result

    def seat_scores(self, ones: Array, twos: Array) -> Array:
        """Return player 1's scores if player 1 uses `ones` and player 2 uses `twos`, by starting player and pair."""
        chances = np.where(self._by_one, ones, twos)
        live = len(self.rows)
        values = np.concatenate([np.full((live, chances.shape[2]), 0.5), np.tile(self._results, chances.shape[2])])
        for rows in self._layers:
            values[rows] = (chances[rows] * values[self._after[rows]]).sum(axis=1)
        if self._core.size:
            self._solve_core(values, chances[self._core])
        result: Array = values[self._starts]
        return result

    def _solve_core(self, values: Array, chances: Array) -> None:
        """Solve the linear equations of the core by the stabilised biconjugate gradient method."""
        after = self._after[self._core]

        def residual(guess: Array) -> Array:
            values[self._core] = guess
            change: Array = (1 - STOP_CHANCE) * (chances * values[after]).sum(axis=1) + STOP_CHANCE / 2 - guess
            return change

        guess = values[self._core]
        constant = residual(np.zeros_like(guess))
        for _ in range(MAX_RESTARTS if len(guess) <= MAX_CORE_ROWS else 0):
            rest = residual(guess)
            if np.abs(rest).max() < TOLERANCE:
                values[self._core] = guess
                return
            shadow, direction, rho = rest, rest, (rest * rest).sum(axis=0)
            for _ in range(STEPS_PER_RESTART):
                along = constant - residual(direction)
                alpha = _divide(rho, (shadow * along).sum(axis=0))
                half = rest - alpha * along
                across = constant - residual(half)
                omega = _divide((across * half).sum(axis=0), (across * across).sum(axis=0))
                guess = guess + alpha * direction + omega * half
                rest = half - omega * across
                before, rho = rho, (shadow * rest).sum(axis=0)
                direction = rest + _divide(rho * alpha, before * omega) * (direction - omega * along)
        raise NotConverged


def _divide(number: Array, divisor: Array) -> Array:
    """Return the quotients; 0 if the divisor is 0."""
    return np.divide(number, divisor, out=np.zeros_like(number), where=divisor != 0)
