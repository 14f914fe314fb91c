"""Standings of a tournament: scores by seat, move quality and ratings, with confidence intervals.

Ratings follow the Bradley-Terry model: a player of strength a beats one of strength b with probability a / (a + b).
The winner of a game with more than two players is credited with a win over each opponent. A draw counts as half a win
for each player of a pair. Ratings are maximum-likelihood estimates (with one extra draw for each pair that met), so the
order of the games does not matter.
"""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.arena.results import GameResult
from numberline.arena.schedule import Pairing, Tournament, seat_orders
from numberline.solver.solution import Solution
from numberline.solver.worth import OPEN

Z_95 = NormalDist().inv_cdf(0.975)
MAX_REASON_CHARS = 500
ELO_SCALE = 400 / math.log(10)  # as in chess: a lead of 400 points means ten wins per loss
MEAN_RATING = 1500.0
BOOTSTRAP_SAMPLES = 200
DRAW_CODE = 255
"""The code stored instead of the winning seat if a game is a draw."""
_MAX_NEWTON_STEPS = 100
_TOLERANCE = 1e-9
_RIDGE = 1e-9

Counts = NDArray[Any]
Floats = NDArray[np.float64]
StatsKey = tuple[Pairing, int, int]
"""A pairing, one of its players, and a seat."""


class GameTally(NamedTuple):
    """A game from one player's perspective; the last four fields are zero unless the game was `measured`."""

    won: bool
    shared: int
    """The number of players who share the point if the game is a draw, otherwise 0."""
    forfeited: bool
    measured: bool
    choices: int = 0
    best: int = 0
    blunders: int = 0
    regret: int = 0


class Stats(NamedTuple):
    """Statistics over a selection of one player's games."""

    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    score: float
    """Points per game: 1 for a win; in a draw, the players share one point."""
    low: float
    high: float
    perfect_against_perfect: float | None
    """The expected score in the same seats if everyone plays perfectly; weaker opponents allow a higher score."""
    choices: int
    optimal: float | None
    """The share of choices that cost neither points nor plies, averaged over books."""
    blunders: int
    """The number of choices that cost points."""
    regret: float | None
    """Points lost per choice (win 1, endless 0, loss -1), averaged over books."""
    regret_error: float | None
    """Half the width of the 95% confidence interval for `regret`."""


class Standings:
    """The results so far, by player, opponent, book and seat."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.games = 0
        self.outcomes = bytearray(tournament.total)
        """For each game: the winning seat, `DRAW_CODE` for a draw, or 0 if it has not been played."""
        self.reasons: dict[str, dict[str, int]] = {}
        """For each player, the reasons for its forfeits and how often each occurred."""
        self._played: defaultdict[StatsKey, Counter[GameTally]] = defaultdict(Counter)
        self._perfect_scores: dict[tuple[int, int], float] = {}

    def add(self, result: GameResult) -> bool:
        """Count a game and return True; return False if it was already counted."""
        if self.outcomes[result.game]:
            return False
        self.games += 1
        self.outcomes[result.game] = result.winner or DRAW_CODE
        pairing = self.tournament.pairing(result.game)
        at_fault = sum(map(bool, result.faults))
        for seat, player in enumerate(pairing.seats(result.game), 1):
            won, fault = result.winner == seat, result.forfeit_reason(seat)
            if fault:
                reasons = self.reasons.setdefault(result.seats[seat - 1], {})
                reason = fault if len(fault) <= MAX_REASON_CHARS else fault[:MAX_REASON_CHARS] + "…"
                reasons[reason] = reasons.get(reason, 0) + 1
            shared = 0 if result.winner or fault else len(result.seats) - at_fault
            tally = result.tallies[seat - 1] if result.tallies else ()
            self._played[pairing, player, seat][GameTally(won, shared, bool(fault), bool(tally), *tally)] += 1
        return True

    def set_perfect_scores(self, book: int, solution: Solution | None) -> None:
        """Store the score of each seat under perfect play in book number `book`, if that book is solved."""
        if solution:
            for seat in solution.book.players:
                worth = solution.worth(solution.book.start(), seat)
                if worth.value != OPEN:  # an open value depends on how opponents choose among equal moves
                    self._perfect_scores[book, seat] = (1 + worth.points) / 2

    def stats(self, which: Callable[[Pairing, int, int], bool]) -> Stats:
        """Return the statistics of all (pairing, player, seat) combinations for which `which` returns True."""
        return self._aggregate([key for key in self._played if which(*key)])

    def _aggregate(self, keys: Sequence[StatsKey]) -> Stats:
        total, books, perfect_scores = Counter[GameTally](), defaultdict[int, list[Counter[GameTally]]](list), []
        for pairing, player, seat in keys:
            part = self._played[pairing, player, seat]
            total += part
            books[pairing.book].append(part)
            perfect_scores.append(part.total() * self._perfect_scores.get((pairing.book, seat), math.nan))
        games, draws = total.total(), sum(times for game, times in total.items() if game.shared)
        wins, forfeits = _sum(total, "won"), _sum(total, "forfeited")
        choices, blunders = _sum(total, "choices"), _sum(total, "blunders")
        losses = games - wins - draws
        shares = math.fsum(times / game.shared for game, times in total.items() if game.shared)
        score = (wins + shares) / games if games else 0.0
        low, high = wilson_interval(score, games)
        expected = math.fsum(perfect_scores) / max(1, games)  # NaN if a seat's perfect score is not known
        perfect = expected if games and not math.isnan(expected) else None
        regret = error = optimal = None
        if qualities := [quality for parts in books.values() if (quality := _quality(parts))]:
            regrets, errors, shares_of_best = zip(*qualities, strict=True)
            regret, optimal = statistics.fmean(regrets), statistics.fmean(shares_of_best)
            error = math.hypot(*errors) / len(qualities)
        return Stats(
            games, wins, draws, losses, forfeits, score, low, high, perfect, choices, optimal, blunders, regret, error
        )

    @property
    def seats(self) -> int:
        """The largest number of seats in any book."""
        return max(book.rules.players for book in self.tournament.books)

    def players(self) -> list[dict[str, Any]]:
        """Return the statistics of each player, best first."""
        ratings = self.ratings()
        rows = []
        for number, entrant in enumerate(self.tournament.players):
            row = {"player": entrant.name, **self._of(number)}
            row["seats"] = [{"seat": seat, **self._of(number, seat=seat)} for seat in range(1, self.seats + 1)]
            row["rating"] = ratings[number]._asdict() if ratings else None
            row["reasons"] = self.reasons.get(entrant.name, {})
            rows.append(row)
        return sorted(rows, key=lambda row: -row["score"])

    def pairs(self) -> list[dict[str, Any]]:
        """Return the statistics of each player against each opponent it has played."""
        rows = [
            {"player": one.name, "opponent": other.name, **self._of(n, opponent=m)}
            for (n, one), (m, other) in permutations(enumerate(self.tournament.players), 2)
        ]
        return [row for row in rows if row["games"]]

    def _of(self, number: int, seat: int = 0, opponent: int | None = None) -> dict[str, Any]:
        def selects(pairing: Pairing, player: int, at: int) -> bool:
            return player == number and seat in {0, at} and (opponent is None or opponent in pairing.players)

        return self.stats(selects)._asdict()

    def cells(self) -> Iterator[dict[str, Any]]:
        """Yield the statistics of each player by book, seat and opponent."""
        players, books = self.tournament.players, self.tournament.books
        for key in sorted(self._played):
            pairing, player, seat = key
            others = " + ".join(players[other].name for other in pairing.players if other != player)
            cell = {"book": books[pairing.book].variant, "player": players[player].name, "seat": seat}
            yield {**cell, "opponent": others, **self._aggregate([key])._asdict()}

    def ratings(self) -> list[Rating] | None:
        """Return the rating of each player, or None if no match is complete (see `PairingResults`)."""
        groups: defaultdict[tuple[int, ...], list[PairingResults]] = defaultdict(list)
        for pairing in self.tournament.pairings:
            groups[pairing.players].append(pairing_results(pairing, self.outcomes, len(self.tournament.players)))
        # Matches between the same players in different books are merged, so that resampling also covers the books.
        merged = [PairingResults(*map(np.concatenate, zip(*group, strict=True))) for group in groups.values()]
        return rate_players(merged, self.tournament.seed)

    def report(self) -> dict[str, Any]:
        """Return all statistics as JSON-compatible data."""
        return {
            "tournament": self.tournament.header(),
            "played": self.games,
            "of": self.tournament.total,
            "players": self.players(),
            "pairs": self.pairs(),
            "cells": list(self.cells()),
        }


def _sum(games: Counter[GameTally], field: str) -> int:
    return sum(times * int(getattr(game, field)) for game, times in games.items())


def _quality(parts: Sequence[Counter[GameTally]]) -> tuple[float, float, float] | None:
    """Return the regret, its error and the share of optimal choices in one book; None if no choice was measured.

    Each part (one opponent and seat) has a fixed number of games, so only the variance within parts matters.
    """
    total = sum(parts, Counter[GameTally]())
    if not (choices := _sum(total, "choices")):
        return None
    regret, variance = _sum(total, "regret") / choices, 0.0
    for part in parts:
        measured = _sum(part, "measured")
        residuals = [(times, game.regret - regret * game.choices) for game, times in part.items()]
        excess = math.fsum(times * residual for times, residual in residuals)  # fsum: independent of game order
        within = math.fsum(times * residual**2 for times, residual in residuals) - excess**2 / max(1, measured)
        variance += max(0.0, within) * measured / max(1, measured - 1)
    return regret, Z_95 * math.sqrt(variance) / choices, _sum(total, "best") / choices


def wilson_interval(share: float, games: int) -> tuple[float, float]:
    """Return the 95% Wilson score interval of a proportion.

    >>> [round(end, 3) for end in wilson_interval(0.5, 100)]
    [0.404, 0.596]
    """
    if not games:
        return 0.0, 1.0
    width = Z_95 * math.sqrt(share * (1 - share) / games + Z_95 * Z_95 / (4 * games * games))
    middle, scale = share + Z_95 * Z_95 / (2 * games), 1 + Z_95 * Z_95 / games
    low, high = (middle - width) / scale, (middle + width) / scale
    return low if share > 0 else 0.0, high if share < 1 else 1.0  # exact at the ends, despite rounding


# Ratings


class Rating(NamedTuple):
    """A player's rating relative to the other players, with its 95% confidence interval."""

    mean: float
    low: float
    high: float


class PairingResults(NamedTuple):
    """The matches of one pairing, grouped by result; in a match, each player takes each seat once."""

    counts: Counts
    """The number of matches with each result."""
    wins: Floats
    """The number of wins in a match, indexed by result, winner and loser."""


def pairing_results(pairing: Pairing, outcomes: bytes | bytearray, players: int) -> PairingResults:
    """Return the results of a pairing, given `Standings.outcomes` and the number of players in the tournament."""
    orders = np.array(seat_orders(len(pairing.players)))
    won = np.frombuffer(outcomes, np.uint8)[pairing.first : pairing.first + pairing.size].astype(np.int64)
    seats = np.array(pairing.players)[orders[np.arange(pairing.size) % len(orders)]]
    winners = np.where(won == DRAW_CODE, -1, seats[np.arange(pairing.size), np.minimum(won, len(pairing.players)) - 1])
    complete = (won > 0).reshape(-1, len(pairing.players)).all(axis=1)
    results, counts = np.unique(winners.reshape(-1, len(pairing.players))[complete], axis=0, return_counts=True)
    wins = np.zeros((len(results), players, players))
    for result, match in enumerate(results.tolist()):
        for winner, (one, other) in product(match, permutations(pairing.players, 2)):
            wins[result, one, other] += 0.5 if winner < 0 else one == winner
    return PairingResults(counts, wins)


def rate_players(groups: Sequence[PairingResults], seed: int) -> list[Rating] | None:
    """Return the rating of each player, or None if no match is complete.

    The intervals come from bootstrap samples of the matches in each group. Every pair of players who met gets one extra
    draw; without it, a player who won every game would have an infinite rating.
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
    # Extend the interval to include the estimate, even with very few matches.
    intervals = zip(means.tolist(), np.minimum(low, means).tolist(), np.maximum(high, means).tolist(), strict=True)
    return [Rating(*(round(number, 6) for number in interval)) for interval in intervals]


def bradley_terry(wins: Floats) -> Floats:
    """Return the log strengths (mean 0) for each matrix of wins, by maximizing the likelihood with Newton's method.

    >>> bradley_terry(np.array([[[0.0, 3.0], [1.0, 0.0]]])).round(4).tolist()
    [[0.5493, -0.5493]]
    """
    games = wins + wins.swapaxes(1, 2)
    strengths: Floats = np.zeros(wins.shape[:2])
    # Only differences in strength matter, so without this term the information matrix would be singular.
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
    """Return a bootstrap sample: the same number of matches, drawn with replacement."""
    total = counts.sum()
    return rng.multinomial(total, counts / total) if total else counts
