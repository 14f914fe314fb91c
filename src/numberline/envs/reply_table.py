"""Reply table of a bot: for each position a list of equally likely moves that reproduces the bot's policy.

All lists have the same length: as many outcomes as make the probabilities exact, up to a limit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot, Probabilities
from numberline.envs.validation import EnvError
from numberline.solver.arrays import BoolArray, IntArray, SolutionArrays

MAX_OUTCOMES = 240
"""Probabilities that would need more outcomes are rounded."""
SAMPLE_POSITIONS = 60
MAX_DENSE_KEYS = 1 << 20


class ReplyTable(NamedTuple):
    """The replies of a bot: `moves[policy_index[row], outcome]` is the number of a move."""

    policy_index: IntArray
    moves: NDArray[np.uint8]

    @property
    def outcomes(self) -> int:
        return int(self.moves.shape[1])


def require_known_policy(bot: Bot) -> None:
    """Raise `EnvError` for a bot without a policy."""
    if bot.probabilities(bot.book.start()) is None:
        raise EnvError(
            f"{bot.name} has no fixed policy and can't be vectorized; use random, greedy, level:N or perfect"
        )


def min_outcomes(bot: Bot, arrays: SolutionArrays, replies: BoolArray) -> int:
    """Return a lower bound of the outcomes, from a sample of the positions in which the bot replies."""
    rows = np.flatnonzero(replies)
    sample = rows[:: max(1, len(rows) // SAMPLE_POSITIONS)].tolist()
    return _outcomes([bot.probabilities(arrays.position(row)) or {} for row in sample])


def make_reply_table(bot: Bot, arrays: SolutionArrays, replies: BoolArray) -> ReplyTable:
    """Return the table of a bot with a policy for the positions in which it replies."""
    policy = bot.policy(arrays)
    assert policy is not None  # noqa: S101 - see `require_known_policy`
    weights = np.where(replies[:, np.newaxis], policy[:, : arrays.choices], 0)
    first, index = _distinct_rows(weights)
    distinct: list[Probabilities] = []
    for row in weights[first].tolist():
        total = sum(row)
        shares = {str(move): Fraction(weight, total) for move, weight in zip(arrays.moves, row, strict=False) if weight}
        distinct.append(shares or {str(arrays.moves[0]): Fraction(1)})
    outcomes = _outcomes(distinct)
    numbers = {str(move): number for number, move in enumerate(arrays.moves)}
    moves = [
        [numbers[move] for move, share in _apportion(probabilities, outcomes).items() for _ in range(share)]
        for probabilities in distinct
    ]
    return ReplyTable(index, np.array(moves, np.uint8))


def _distinct_rows(weights: IntArray) -> tuple[IntArray, IntArray]:
    """Return the index of an example of each distinct row, and for each row the number of its example."""
    base, choices = int(weights.max(initial=0)) + 1, weights.shape[1]
    if base**choices > MAX_DENSE_KEYS:
        _, first, index = np.unique(weights, axis=0, return_index=True, return_inverse=True)
        return first, index.reshape(-1).astype(np.int32)
    key = np.zeros(len(weights), np.int64)
    for column in weights.T:
        key = key * base + column
    example = np.full(base**choices, -1)  # a table of all keys: `np.unique` would sort
    example[key] = np.arange(len(key))
    known = np.flatnonzero(example >= 0)
    number = np.zeros(base**choices, np.int32)
    number[known] = np.arange(len(known))
    return example[known], number[key]


def _outcomes(policies: list[Probabilities]) -> int:
    denominators = {probability.denominator for policy in policies for probability in policy.values()}
    return min(math.lcm(*denominators), MAX_OUTCOMES)


def _apportion(probabilities: Probabilities, outcomes: int) -> dict[str, int]:
    """Return the number of outcomes of each move, by largest remainders.

    >>> _apportion({"1": Fraction(1, 3), "2": Fraction(2, 3)}, 7)
    {'1': 2, '2': 5}
    """
    shares = {move: int(probability * outcomes) for move, probability in probabilities.items()}
    remainders = sorted(probabilities, key=lambda move: shares[move] - probabilities[move] * outcomes)
    for move in remainders[: outcomes - sum(shares.values())]:
        shares[move] += 1
    return shares
