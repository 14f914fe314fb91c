"""The replies of a bot worked out beforehand: a die for each position, whose sides are the moves that it may play.

A die has as many sides as make each move exactly as likely as it is, in all positions the same number.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots import Bot
from numberline.bots import Probabilities as Policy
from numberline.envs.validation import EnvError
from numberline.solver.arrays import BoolArray, IntArray, SolutionArrays

MAX_DIE_SIDES = 240
"""A throw has no more sides than this; chances that would need more are rounded to them."""
SAMPLE_POSITIONS = 60
"""So many positions are asked for before all are: where their dice have too many sides, nothing more is worked out."""


MAX_DENSE_KEYS = 1 << 20
"""So many kinds of odds are told apart by a table."""


class ReplyTable(NamedTuple):
    """What a bot plays in each position: `faces[die[row], side]` is the number of a move."""

    die: IntArray
    faces: NDArray[np.uint8]

    @property
    def sides(self) -> int:
        """How many sides a throw has."""
        return int(self.faces.shape[1])


def require_known_policy(bot: Bot) -> None:
    """Raises `EnvError` for a bot that can't say how likely its moves are."""
    if bot.probabilities(bot.book.start()) is None:
        raise EnvError(
            f"{bot.name} thinks anew on every move; many games at once need random, greedy, a level or perfect"
        )


def min_die_sides(bot: Bot, columns: SolutionArrays, asked: BoolArray) -> int:
    """As many sides the dice have at the least, by some of the positions in which the bot is asked."""
    rows = np.flatnonzero(asked)
    return _sides(
        [bot.probabilities(columns.position(int(row))) or {} for row in rows[:: max(1, len(rows) // SAMPLE_POSITIONS)]]
    )


def make_reply_table(bot: Bot, columns: SolutionArrays, asked: BoolArray) -> ReplyTable:
    """The dice of a bot for all positions in which it is asked."""
    die, likely = _all_at_once(bot, columns, asked) or _one_by_one(bot, columns, asked)
    sides = _sides(likely)
    order = {str(move): number for number, move in enumerate(columns.moves)}
    faces = [[order[move] for move, share in _apportion(odds, sides).items() for _ in range(share)] for odds in likely]
    return ReplyTable(die, np.array(faces or [[0] * sides], np.uint8))


def _all_at_once(bot: Bot, columns: SolutionArrays, asked: BoolArray) -> tuple[IntArray, list[Policy]] | None:
    """For each position the number of its odds, and the odds; None for a bot that knows them one by one only."""
    weights = bot.policy(columns)
    if weights is None:
        return None
    weights = np.where(asked[:, np.newaxis], weights[:, : columns.choices], 0)
    base = int(weights.max(initial=0)) + 1
    if base**columns.choices >= 1 << 62:
        return None
    key = np.zeros(columns.size, np.int64)
    for column in weights.T:
        key = key * base + column
    first, die = _unique_keys(key, base**columns.choices)
    likely = []
    for row in weights[first].tolist():
        total = sum(row) or 1
        odds = {str(move): Fraction(weight, total) for move, weight in zip(columns.moves, row, strict=False) if weight}
        likely.append(odds or {str(columns.moves[0]): Fraction(1)})
    return die, likely


def _unique_keys(key: IntArray, keys: int) -> tuple[IntArray, IntArray]:
    """For each different key, a place where it is; for each place, the number of its key."""
    if keys > MAX_DENSE_KEYS:
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        return first, number.astype(np.int32)
    place = np.full(keys, -1)
    place[key] = np.arange(len(key))
    known = np.flatnonzero(place >= 0)
    order = np.zeros(keys, np.int32)
    order[known] = np.arange(len(known))
    return place[known], order[key]


def _one_by_one(bot: Bot, columns: SolutionArrays, asked: BoolArray) -> tuple[IntArray, list[Policy]]:
    known: dict[tuple[tuple[str, Fraction], ...], int] = {((str(columns.moves[0]), Fraction(1)),): 0}
    die = np.zeros(columns.size, np.int32)
    for row in np.flatnonzero(asked).tolist():
        odds = bot.probabilities(columns.position(row)) or {}
        die[row] = known.setdefault(tuple((str(move), chance) for move, chance in odds.items()), len(known))
    return die, [dict(odds) for odds in known]


def _sides(likely: list[Policy]) -> int:
    return min(math.lcm(*{chance.denominator for odds in likely for chance in odds.values()}), MAX_DIE_SIDES)


def _apportion(odds: Policy, sides: int) -> dict[str, int]:
    """How many sides of a throw each move gets; those left over go to the largest remainders.

    >>> _apportion({"1": Fraction(1, 3), "2": Fraction(2, 3)}, 7)
    {'1': 2, '2': 5}
    """
    shares = {move: int(chance * sides) for move, chance in odds.items()}
    remainders = sorted(odds, key=lambda move: shares[move] - odds[move] * sides)
    for move in remainders[: sides - sum(shares.values())]:
        shares[move] += 1
    return shares
