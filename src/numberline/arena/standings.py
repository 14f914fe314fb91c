"""What the games say of the players: points by seat, what their moves gave away, and how sure one can be of it."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from numberline.arena.ratings import DRAW_CODE, PairingResults, Rating, merge_results, pairing_results, ratings
from numberline.arena.results import GameResult
from numberline.arena.schedule import Pairing, Tournament
from numberline.solver.solution import Solution
from numberline.solver.worth import OPEN

Z_95 = NormalDist().inv_cdf(0.975)
"""Of 100 intervals of so many standard errors to either side, 95 hold the truth."""
MAX_REASON_CHARS = 500
"""So many characters of why somebody forfeited are told."""
StatsKey = tuple[Pairing, int, int]
"""A block, one of its players, and a seat."""


class GameTally(NamedTuple):
    """A game of one player."""

    won: bool
    shared: int
    """Among how many players the point of a draw was shared; 0 where it was not, or not with this one."""
    forfeited: bool
    """Lost by the player's own fault."""
    measured: bool
    """Whether it is known what each move gave away, which is what follows."""
    choices: int = 0
    best: int = 0
    blunders: int = 0
    regret: int = 0


class Stats(NamedTuple):
    """What some of the games of one player come to."""

    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    score: float
    """The share of the points; the point of a draw is shared."""
    low: float
    high: float
    """The ends of the 95 % interval of the score, by Wilson's method."""
    perfect_against_perfect: float | None
    """The share of the points that the same seats get where everybody plays perfectly; not a limit for anybody."""
    choices: int
    optimal: float | None
    """The share of the choices that gave away nothing, neither points nor plies; the mean over the books."""
    blunders: int
    """Choices that gave away points."""
    regret: float | None
    """Points given away, per choice (win 1, endless 0, loss -1); the mean over the books."""
    regret_error: float | None
    """Half the width of its 95 % interval."""


class Standings:
    """The games so far, added up for each player, opponent, book and seat."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.games = 0
        self.outcomes = bytearray(tournament.total)
        """For each game the seat that won, `DRAW_CODE` for a draw, 0 while it was not played."""
        self.reasons: dict[str, dict[str, int]] = {}
        """For each player the reasons for which it forfeited, and how often."""
        self._played: defaultdict[StatsKey, Counter[GameTally]] = defaultdict(Counter)
        """For each block, player and seat, how many games went alike."""
        self._perfect: dict[tuple[int, int], float] = {}
        """For each book and seat, what perfect play against perfect play gets there, where that is known."""

    def add(self, result: GameResult) -> bool:
        """Counts a game, and says whether it did: one that was counted already is not counted again."""
        if self.outcomes[result.game]:
            return False
        self.games += 1
        self.outcomes[result.game] = result.winner or DRAW_CODE
        block = self.tournament.pairing(result.game)
        at_fault = sum(map(bool, result.faults))
        for seat, player in enumerate(block.seats(result.game), 1):
            won, fault = result.winner == seat, result.forfeit_reason(seat)
            if fault:
                reasons = self.reasons.setdefault(result.seats[seat - 1], {})
                said = fault if len(fault) <= MAX_REASON_CHARS else fault[:MAX_REASON_CHARS] + "…"
                reasons[said] = reasons.get(said, 0) + 1
            shared = 0 if result.winner or fault else len(result.seats) - at_fault
            tally = result.tallies[seat - 1] if result.tallies else ()
            self._played[block, player, seat][GameTally(won, shared, bool(fault), bool(tally), *tally)] += 1
        return True

    def set_perfect_scores(self, book: int, solution: Solution | None) -> None:
        """Notes what each seat gets in a book where everybody plays perfectly; None where that is not known."""
        if solution:
            for seat in solution.book.players:
                worth = solution.worth(solution.book.start(), seat)
                if worth.value != OPEN:  # then it would depend on which of equal moves the others choose
                    self._perfect[book, seat] = (1 + worth.points) / 2

    # What the games come to

    def stats(self, which: Callable[[Pairing, int, int], bool]) -> Stats:
        """The games of the blocks, players and seats that are asked for, added up."""
        return self._aggregate([key for key in self._played if which(*key)])

    def _aggregate(self, keys: Sequence[StatsKey]) -> Stats:
        books: defaultdict[int, list[Counter[GameTally]]] = defaultdict(list)
        for key in keys:
            books[key[0].book].append(self._played[key])
        known = [(self._played[key].total(), self._perfect.get((key[0].book, key[2]))) for key in keys]
        games = sum(count for count, _ in known)
        shares = [count * share for count, share in known if share is not None]
        perfect = math.fsum(shares) / games if games and len(shares) == len(known) else None
        return _figures(list(books.values()), perfect)

    @property
    def seats(self) -> int:
        """How many seats the largest book has."""
        return max(book.rules.players for book in self.tournament.books)

    def players(self) -> list[dict[str, Any]]:
        """The figures of each player, the best first."""
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
        """The figures of each player against each other one that it has met."""
        rows = [
            {"player": one.name, "opponent": other.name, **self._of(n, opponent=m)}
            for n, one in enumerate(self.tournament.players)
            for m, other in enumerate(self.tournament.players)
            if n != m
        ]
        return [row for row in rows if row["games"]]

    def _of(self, number: int, seat: int = 0, opponent: int | None = None) -> dict[str, Any]:
        """The figures of a player, or only those in one seat or against one opponent."""

        def asked(block: Pairing, player: int, at: int) -> bool:
            return player == number and seat in {0, at} and (opponent is None or opponent in block.players)

        return self.stats(asked)._asdict()

    def cells(self) -> Iterator[dict[str, Any]]:
        """The finest grain: each player against each other one, in each book, in each seat."""
        players, books = self.tournament.players, self.tournament.books
        for key in sorted(self._played):
            block, player, seat = key
            others = " + ".join(players[other].name for other in block.players if other != player)
            where = {"book": books[block.book].variant, "player": players[player].name, "seat": seat}
            yield {**where, "opponent": others, **self._aggregate([key])._asdict()}

    def ratings(self) -> list[Rating] | None:
        """The rating of each player; None where choix is not installed."""
        groups: defaultdict[tuple[int, ...], list[PairingResults]] = defaultdict(list)
        for block in self.tournament.pairings:
            groups[block.players].append(pairing_results(block, self.outcomes, len(self.tournament.players)))
        return ratings([merge_results(found) for found in groups.values()], self.tournament.seed)

    def report(self) -> dict[str, Any]:
        """Everything, for programs."""
        played = {"played": self.games, "of": self.tournament.total}
        figures = {"players": self.players(), "pairs": self.pairs(), "cells": list(self.cells())}
        return {"tournament": self.tournament.header(), **played, **figures}


def _figures(books: Sequence[Sequence[Counter[GameTally]]], perfect: float | None) -> Stats:
    """What some parts come to, each of one opponent and seat, book by book."""
    total = sum((part for parts in books for part in parts), Counter[GameTally]())
    games = total.total()
    wins, forfeits = _sum(total, "won"), _sum(total, "forfeited")
    draws = sum(times for game, times in total.items() if game.shared)
    shares = math.fsum(times / game.shared for game, times in total.items() if game.shared)
    score = (wins + shares) / games if games else 0.0
    low, high = wilson_interval(score, games)
    quality = [found for parts in books if (found := _quality(parts))]
    regret, error, optimal = (
        (None, None, None)
        if not quality
        else (
            statistics.fmean(one.regret for one in quality),
            math.hypot(*(one.error for one in quality)) / len(quality),
            statistics.fmean(one.optimal for one in quality),
        )
    )
    return Stats(
        games=games,
        wins=wins,
        draws=draws,
        losses=games - wins - draws,
        forfeits=forfeits,
        score=score,
        low=low,
        high=high,
        perfect_against_perfect=perfect,
        choices=_sum(total, "choices"),
        optimal=optimal,
        blunders=_sum(total, "blunders"),
        regret=regret,
        regret_error=error,
    )


def _sum(games: Counter[GameTally], field: str) -> int:
    """The sum of a field over games."""
    return sum(times * int(getattr(game, field)) for game, times in games.items())


class Quality(NamedTuple):
    """How a player chose in one book."""

    regret: float
    error: float
    optimal: float


def _quality(parts: Sequence[Counter[GameTally]]) -> Quality | None:
    """How a player chose in the parts of one book; None where there was no choice, or it is not known."""
    total = sum(parts, Counter[GameTally]())
    if not (choices := _sum(total, "choices")):
        return None
    regret = _sum(total, "regret") / choices
    return Quality(regret, _regret_error(parts, regret) / choices, _sum(total, "best") / choices)


def wilson_interval(share: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's method.

    >>> [round(end, 3) for end in wilson_interval(0.5, 100)]
    [0.404, 0.596]
    """
    if not games:
        return 0.0, 1.0
    width = Z_95 * math.sqrt(share * (1 - share) / games + Z_95 * Z_95 / (4 * games * games))
    middle, scale = share + Z_95 * Z_95 / (2 * games), 1 + Z_95 * Z_95 / games
    low, high = (middle - width) / scale, (middle + width) / scale
    return low if share > 0 else 0.0, high if share < 1 else 1.0  # rounding must not keep them off the ends


def _regret_error(parts: Sequence[Counter[GameTally]], ratio: float) -> float:
    """Half the width of the 95 % interval of regret per choice, which is this ratio, times the choices.

    That is a ratio of two sums over games. Each part (a book, an opponent, a seat) has its own number of games, fixed
    beforehand, so only what differs between the games of a part makes the ratio uncertain.
    """
    spread = 0.0
    for part in parts:
        measured = sum(times for game, times in part.items() if game.measured)
        off = [(times, game.regret - ratio * game.choices) for game, times in part.items()]
        around = math.fsum(times * far for times, far in off)  # exact, so that the order of the games doesn't matter
        within = math.fsum(times * far * far for times, far in off) - around * around / max(1, measured)
        spread += max(0.0, within) * measured / max(1, measured - 1)
    return Z_95 * math.sqrt(spread)
