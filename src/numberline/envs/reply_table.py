"""Reply table of a bot: for each position a list of equally likely moves that reproduces the bot's policy.

All lists have the same length: as many outcomes as make the probabilities exact, up to a limit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot, Policy
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
    if bot.policy(bot.book.start()) is None:
        raise EnvError(
            f"{bot.name} has no fixed policy and can't be vectorized; use random, greedy, level:N or perfect"
        )


def min_outcomes(bot: Bot, columns: SolutionArrays, replies: BoolArray) -> int:
    """Return a lower bound of the outcomes, from a sample of the positions in which the bot replies."""
    rows = np.flatnonzero(replies)
    return _outcomes(
        [bot.policy(columns.position(int(row))) or {} for row in rows[:: max(1, len(rows) // SAMPLE_POSITIONS)]]
    )


def make_reply_table(bot: Bot, columns: SolutionArrays, replies: BoolArray) -> ReplyTable:
    """Return the table of a bot for the positions in which it replies."""
    index, policies = _policies_from_weights(bot, columns, replies) or _policies_one_by_one(bot, columns, replies)
    outcomes = _outcomes(policies)
    numbers = {str(move): number for number, move in enumerate(columns.moves)}
    moves = [
        [numbers[move] for move, share in _apportion(policy, outcomes).items() for _ in range(share)]
        for policy in policies
    ]
    return ReplyTable(index, np.array(moves or [[0] * outcomes], np.uint8))


def _policies_from_weights(
    bot: Bot, columns: SolutionArrays, replies: BoolArray
) -> tuple[IntArray, list[Policy]] | None:
    """Return the index of each position's policy, and the distinct policies; None if the bot has no weights."""
    weights = bot.weights(columns)
    if weights is None:
        return None
    weights = np.where(replies[:, np.newaxis], weights, 0)
    base = int(weights.max(initial=0)) + 1
    if base**columns.choices >= 1 << 62:
        return None
    key = np.zeros(columns.size, np.int64)
    for column in weights.T:
        key = key * base + column
    first, index = _unique_keys(key, base**columns.choices)
    policies = []
    for row in weights[first].tolist():
        total = sum(row) or 1
        policy = {
            str(move): Fraction(weight, total) for move, weight in zip(columns.moves, row, strict=False) if weight
        }
        policies.append(policy or {str(columns.moves[0]): Fraction(1)})
    return index, policies


def _unique_keys(key: IntArray, keys: int) -> tuple[IntArray, IntArray]:
    """Return a row of each distinct key, and for each row the index of its key; `np.unique` would sort."""
    if keys > MAX_DENSE_KEYS:
        _, first, index = np.unique(key, return_index=True, return_inverse=True)
        return first, index.astype(np.int32)
    place = np.full(keys, -1)
    place[key] = np.arange(len(key))
    known = np.flatnonzero(place >= 0)
    order = np.zeros(keys, np.int32)
    order[known] = np.arange(len(known))
    return place[known], order[key]


def _policies_one_by_one(bot: Bot, columns: SolutionArrays, replies: BoolArray) -> tuple[IntArray, list[Policy]]:
    known: dict[tuple[tuple[str, Fraction], ...], int] = {((str(columns.moves[0]), Fraction(1)),): 0}
    index = np.zeros(columns.size, np.int32)
    for row in np.flatnonzero(replies).tolist():
        policy = bot.policy(columns.position(row)) or {}
        index[row] = known.setdefault(tuple((str(move), share) for move, share in policy.items()), len(known))
    return index, [dict(policy) for policy in known]


def _outcomes(policies: list[Policy]) -> int:
    denominators = {probability.denominator for policy in policies for probability in policy.values()}
    return min(math.lcm(*denominators), MAX_OUTCOMES)


def _apportion(policy: Policy, outcomes: int) -> dict[str, int]:
    """Return the number of outcomes of each move, by largest remainders.

    >>> _apportion({"1": Fraction(1, 3), "2": Fraction(2, 3)}, 7)
    {'1': 2, '2': 5}
    """
    shares = {move: int(probability * outcomes) for move, probability in policy.items()}
    remainders = sorted(policy, key=lambda move: shares[move] - policy[move] * outcomes)
    for move in remainders[: outcomes - sum(shares.values())]:
        shares[move] += 1
    return shares
