"""How strong players are among each other: one number each, from who beat whom, and how sure one can be of it.

The model is Bradley and Terry's: of two players with strengths a and b the first wins with a chance of a / (a + b). A
game of more than two counts as a win of its winner over each of the others, a draw as half a win for both of any two.
The strengths are those that make all results together most likely; the order of the games makes no difference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.arena.schedule import Pairing, seat_orders

ELO_SCALE = 400 / math.log(10)
"""As in chess: 400 points more are ten wins to one loss."""
MEAN_RATING = 1500.0
"""The mean of all players."""
BOOTSTRAP_SAMPLES = 200
"""From so many samples of the matches the intervals are made."""
DRAW_CODE = 255
"""In the place of the seat that won."""

Counts = NDArray[Any]


class Rating(NamedTuple):
    """How strong a player is among these players."""

    mean: float
    low: float
    high: float
    """The ends of its 95 % interval: of so many tournaments like this one, 95 % would rate the player within it."""


class PairingResults(NamedTuple):
    """The matches of some players, those that came out alike together; in a match everybody sits in every seat once."""

    counts: Counts
    """How many matches came out so."""
    wins: NDArray[np.float64]
    """For each way to come out, and each two players, how often the first beat the second."""


def pairing_results(block: Pairing, outcomes: bytes | bytearray, players: int) -> PairingResults:
    """Return the results of a pairing: per game the winning seat, `DRAW_CODE` for a draw, 0 if missing."""
    ways = np.array(seat_orders(len(block.players)))
    won = np.frombuffer(outcomes, np.uint8)[block.first : block.first + block.size].astype(np.int64)
    seats = np.array(block.players)[ways[np.arange(block.size) % len(ways)]]
    winner = np.where(won == DRAW_CODE, -1, seats[np.arange(block.size), np.minimum(won, len(block.players)) - 1])
    whole = (won > 0).reshape(-1, len(block.players)).all(axis=1)
    kinds, counts = np.unique(winner.reshape(-1, len(block.players))[whole], axis=0, return_counts=True)
    wins = np.zeros((len(kinds), players, players))
    for kind, winners in enumerate(kinds.tolist()):
        for player in winners:
            for one in block.players:
                for other in block.players:
                    wins[kind, one, other] += (0.5 if player < 0 else one == player) * (one != other)
    return PairingResults(counts, wins)


def merge_results(found: Sequence[PairingResults]) -> PairingResults:
    """The matches of the same players in several books: which books they met in is a matter of chance, too."""
    return PairingResults(np.concatenate([one.counts for one in found]), np.concatenate([one.wins for one in found]))


def ratings(groups: Sequence[PairingResults], seed: int) -> list[Rating] | None:
    """The rating of each player; None where choix, which finds the strengths, is not installed.

    For the intervals the matches of each group of players are drawn anew, with repetition; all dice come from the seed.
    Each two players who met are given one drawn game more, so that who won everything is not infinitely strong.
    """
    try:
        from choix import ilsr_pairwise_dense
    except ImportError:
        return None
    if not any(len(group.counts) for group in groups):
        return None
    met = sum(group.wins.sum(axis=0) for group in groups)
    prior = 0.5 * (met + met.T > 0)
    dice = np.random.default_rng(abs(seed))

    def strengths(drawn: Sequence[Counts], near: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        wins = sum(np.tensordot(counts, group.wins, 1) for counts, group in zip(drawn, groups, strict=True))
        found: NDArray[np.float64] = ilsr_pairwise_dense(wins + prior, initial_params=near)
        return found

    found = strengths([group.counts for group in groups])
    drawn = ([_resample(dice, group.counts) for group in groups] for _ in range(BOOTSTRAP_SAMPLES))
    samples = MEAN_RATING + ELO_SCALE * np.array([strengths(counts, found) for counts in drawn])
    means = MEAN_RATING + ELO_SCALE * found
    low, high = np.quantile(samples, [0.025, 0.975], axis=0)
    # What was found is never outside of what is said about it, however few samples there are.
    ends = zip(means.tolist(), np.minimum(low, means).tolist(), np.maximum(high, means).tolist(), strict=True)
    return [Rating(*(round(number, 6) for number in each)) for each in ends]


def _resample(dice: np.random.Generator, counts: Counts) -> Counts:
    """As many matches, drawn anew from these."""
    total = counts.sum()
    return dice.multinomial(total, counts / total) if total else counts
