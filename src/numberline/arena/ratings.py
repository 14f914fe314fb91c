"""Bradley-Terry ratings with bootstrap intervals.

In the Bradley-Terry model, a player of strength a beats one of strength b with probability a / (a + b). A game of more
than two players counts as a win of its winner over each opponent, and a draw as half a win for both players of every
pair. The ratings are the maximum-likelihood estimate, so the order of the games does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.arena.schedule import Pairing, seat_orders

ELO_SCALE = 400 / math.log(10)  # as in chess: 400 points are ten wins to one loss
MEAN_RATING = 1500.0
BOOTSTRAP_SAMPLES = 200
DRAW_CODE = 255
"""Takes the place of the winning seat in a draw."""
_MAX_NEWTON_STEPS = 100
_TOLERANCE = 1e-9
_RIDGE = 1e-9

Counts = NDArray[Any]
Floats = NDArray[np.float64]


class Rating(NamedTuple):
    """The rating of a player, relative to the other players, with its 95 % confidence interval."""

    mean: float
    low: float
    high: float


class PairingResults(NamedTuple):
    """The matches of one pairing, grouped by result; in a match, every player takes every seat once."""

    counts: Counts
    """The number of matches with each result."""
    wins: Floats
    """How often a match with that result is a win of one player over another: result, winner, loser."""


def pairing_results(pairing: Pairing, outcomes: bytes | bytearray, players: int) -> PairingResults:
    """Return the results of a pairing: per game the winning seat, `DRAW_CODE` for a draw, 0 if missing."""
    orders = np.array(seat_orders(len(pairing.players)))
    won = np.frombuffer(outcomes, np.uint8)[pairing.first : pairing.first + pairing.size].astype(np.int64)
    seats = np.array(pairing.players)[orders[np.arange(pairing.size) % len(orders)]]
    winner = np.where(won == DRAW_CODE, -1, seats[np.arange(pairing.size), np.minimum(won, len(pairing.players)) - 1])
    complete = (won > 0).reshape(-1, len(pairing.players)).all(axis=1)
    results, counts = np.unique(winner.reshape(-1, len(pairing.players))[complete], axis=0, return_counts=True)
    wins = np.zeros((len(results), players, players))
    for result, winners in enumerate(results.tolist()):
        for player in winners:
            for one in pairing.players:
                for other in pairing.players:
                    wins[result, one, other] += (0.5 if player < 0 else one == player) * (one != other)
    return PairingResults(counts, wins)


def merge_results(results: Sequence[PairingResults]) -> PairingResults:
    """Merge the matches of the same players in several books, to resample the books along with the matches."""
    return PairingResults(
        np.concatenate([one.counts for one in results]), np.concatenate([one.wins for one in results])
    )


def ratings(groups: Sequence[PairingResults], seed: int) -> list[Rating] | None:
    """Return the rating of each player, or None if no match is complete.

    The intervals come from resampling the matches of each group. Every two players who met get one more drawn game:
    without it, a player who won every game would be infinitely strong.
    """
    if not any(len(group.counts) for group in groups):
        return None
    rng = np.random.default_rng(abs(seed))
    samples = [[group.counts for group in groups]]
    samples += [[_resample(rng, group.counts) for group in groups] for _ in range(BOOTSTRAP_SAMPLES)]
    met = sum(group.wins.sum(axis=0) for group in groups)
    wins = 0.5 * (met + met.T > 0) + [
        sum(np.tensordot(counts, group.wins, 1) for counts, group in zip(sample, groups, strict=True))
        for sample in samples
    ]
    means, *resampled = MEAN_RATING + ELO_SCALE * bradley_terry(wins)
    low, high = np.quantile(resampled, [0.025, 0.975], axis=0)
    # The estimate is always inside its interval, however few samples there are.
    intervals = zip(means.tolist(), np.minimum(low, means).tolist(), np.maximum(high, means).tolist(), strict=True)
    return [Rating(*(round(number, 6) for number in interval)) for interval in intervals]


def bradley_terry(wins: Floats) -> Floats:
    """Return the log strengths (mean 0) for each matrix of wins, by Newton's method on the log likelihood.

    >>> bradley_terry(np.array([[[0.0, 3.0], [1.0, 0.0]]])).round(4).tolist()
    [[0.5493, -0.5493]]
    """
    games = wins + wins.swapaxes(1, 2)
    strengths: Floats = np.zeros(wins.shape[:2])
    # Only differences of strengths count: without this term the matrix below would be singular.
    regular = games.mean(axis=(1, 2), keepdims=True) * (1 + _RIDGE * np.eye(wins.shape[1]))
    for _ in range(_MAX_NEWTON_STEPS):
        expected = 1 / (1 + np.exp(strengths[:, np.newaxis, :] - strengths[:, :, np.newaxis]))
        weights = games * expected * (1 - expected)
        information = weights.sum(axis=2)[:, :, np.newaxis] * np.eye(wins.shape[1]) - weights
        gradient = (wins - games * expected).sum(axis=2)[:, :, np.newaxis]
        step = np.linalg.solve(information + regular, gradient)[:, :, 0]
        largest = np.abs(step).max(axis=1, keepdims=True)
        strengths += step / np.maximum(1, largest)  # a longer step could overshoot
        if largest.max() < _TOLERANCE:
            break
    strengths -= strengths.mean(axis=1, keepdims=True)
    return strengths


def _resample(rng: np.random.Generator, counts: Counts) -> Counts:
    """Draw as many matches as there are, with replacement."""
    total = counts.sum()
    return rng.multinomial(total, counts / total) if total else counts
