"""What the games say of the players: points by seat, what their moves gave away, and how sure one can be of it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

from numberline.arena.results import FORFEITED, Result
from numberline.arena.schedule import Block, Tournament
from numberline.solver.solution import Solution

Z = NormalDist().inv_cdf(0.975)
"""Of 100 intervals of so many standard errors to either side, 95 hold the truth."""
DRAWN = 3
"""In the place of the seat that won."""
MOST_ROUNDS = 200
"""Of each two players in each book, no more matches than this are rated: more would not change much."""


class Played(NamedTuple):
    """A game of one player."""

    won: bool
    drawn: bool
    forfeited: bool
    """Lost by the player's own fault."""
    measured: bool
    """Whether it is known what each move gave away, which is what follows."""
    choices: int = 0
    best: int = 0
    blunders: int = 0
    regret: int = 0


class Figures(NamedTuple):
    """What some of the games of one player come to."""

    games: int
    wins: int
    draws: int
    losses: int
    forfeits: int
    score: float
    """The share of the points; a draw is half a point."""
    low: float
    high: float
    """The ends of the 95 % interval of the score, by Wilson's method."""
    ceiling: float | None
    """The share of the points that the same seats get where both sides play perfectly."""
    choices: int
    optimal: float | None
    """The share of the choices that gave away nothing, neither points nor plies."""
    blunders: int
    """Choices that gave away points."""
    regret: float | None
    """Points given away, per choice (win 1, endless 0, loss -1)."""
    regret_error: float | None
    """Half the width of its 95 % interval."""


class Rating(NamedTuple):
    """How strong a player is among these players."""

    mean: float
    error: float
    """Two standard deviations."""


class Standings:
    """The games so far, added up for each player, opponent, book and seat."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.games = 0
        self.outcomes = bytearray(tournament.total)
        """For each game the seat that won, `DRAWN` for a draw, 0 while it was not played."""
        self.reasons: dict[str, dict[str, int]] = {}
        """For each player the reasons for which it forfeited, and how often."""
        self._played: defaultdict[tuple[Block, int, int], Counter[Played]] = defaultdict(Counter)
        """For each block, player and seat, how many games went alike."""
        self._ceilings: dict[tuple[int, int], float] = {}
        """For each book and seat, where that is known."""

    def add(self, result: Result) -> None:
        """Counts a game; one that was counted already is not counted again."""
        if self.outcomes[result.game]:
            return
        self.games += 1
        self.outcomes[result.game] = result.winner or DRAWN
        block = self.tournament.block(result.game)
        for seat, player in enumerate(block.seats(result.game), 1):
            won, drawn = result.winner == seat, not result.winner
            forfeited = result.end == FORFEITED and not (won or drawn)
            if forfeited:
                reasons = self.reasons.setdefault(result.seats[seat - 1], {})
                reasons[result.reason] = reasons.get(result.reason, 0) + 1
            tally = result.tallies[seat - 1] if result.tallies else ()
            self._played[block, player, seat][Played(won, drawn, forfeited, bool(tally), *tally)] += 1

    def set_ceiling(self, book: int, solution: Solution | None) -> None:
        """Notes what each seat gets in a book where both sides play perfectly; None where that is not known."""
        if solution:
            for seat in (1, 2):
                self._ceilings[book, seat] = (1 + solution.worth(solution.book.start(), seat).points) / 2

    # What the games come to

    def figures(self, which: Callable[[Block, int, int], bool]) -> Figures:
        """The games of the blocks, players and seats that are asked for, added up."""
        asked = [key for key in self._played if which(*key)]
        ceilings = [self._ceilings.get((block.book, seat)) for block, _, seat in asked]
        return _figures([self._played[key] for key in asked], ceilings)

    def players(self) -> list[dict[str, Any]]:
        """The figures of each player, the best first."""
        ratings = self.ratings()
        rows = []
        for number, entrant in enumerate(self.tournament.players):
            row = {"player": entrant.name, **self._of(number)}
            row["seats"] = [{"seat": seat, **self._of(number, seat=seat)} for seat in (1, 2)]
            row["rating"] = ratings[number]._asdict() if ratings else None
            row["reasons"] = self.reasons.get(entrant.name, {})
            rows.append(row)
        return sorted(rows, key=lambda row: -row["score"])

    def pairs(self) -> list[dict[str, Any]]:
        """The figures of each player against each other one."""
        return [
            {"player": one.name, "opponent": other.name, **self._of(n, opponent=m)}
            for n, one in enumerate(self.tournament.players)
            for m, other in enumerate(self.tournament.players)
            if n != m
        ]

    def _of(self, number: int, seat: int = 0, opponent: int | None = None) -> dict[str, Any]:
        """The figures of a player, or only those in one seat or against one opponent."""

        def asked(block: Block, player: int, at: int) -> bool:
            return player == number and seat in {0, at} and (opponent is None or opponent in block.pair)

        return self.figures(asked)._asdict()

    def cells(self) -> Iterator[dict[str, Any]]:
        """The finest grain: each player against each other one, in each book, in each seat."""
        players, books = self.tournament.players, self.tournament.books
        for (block, player, seat), played in sorted(self._played.items(), key=lambda item: item[0]):
            other = block.pair[0] if player == block.pair[1] else block.pair[1]
            where = {"book": books[block.book].variant, "player": players[player].name, "seat": seat}
            figures = _figures([played], [self._ceilings.get((block.book, seat))])
            yield {**where, "opponent": players[other].name, **figures._asdict()}

    def ratings(self) -> list[Rating] | None:
        """The rating of each player after all matches, by the Plackett-Luce model; None where openskill is missing.

        A match is two games with the seats changed. A round is one match of each two players in each book, so that
        nobody's matches all come first.
        """
        try:
            from openskill.models import PlackettLuce
        except ImportError:
            return None
        model, tournament = PlackettLuce(), self.tournament
        ratings: list[Any] = [model.rating(name=entrant.name) for entrant in tournament.players]
        for number in range(min(tournament.games // 2, MOST_ROUNDS)):
            for block in tournament.blocks:
                games = self.outcomes[block.first + 2 * number : block.first + 2 * number + 2]
                if all(games):
                    one, other = block.pair
                    teams = [[ratings[one]], [ratings[other]]]
                    [[ratings[one]], [ratings[other]]] = model.rate(teams, ranks=_ranks(*games))
        return [Rating(rating.mu, 2 * rating.sigma) for rating in ratings]

    def report(self) -> dict[str, Any]:
        """Everything, for programs."""
        played = {"played": self.games, "of": self.tournament.total}
        figures = {"players": self.players(), "pairs": self.pairs(), "cells": list(self.cells())}
        return {"tournament": self.tournament.header(), **played, **figures}


def _ranks(in_seat_1: int, in_seat_2: int) -> list[float]:
    """The places of two players after a match: the first sat in seat 1, then in seat 2."""
    ahead = {1: 1, 2: -1}.get(in_seat_1, 0) + {1: -1, 2: 1}.get(in_seat_2, 0)
    return [1, 1] if not ahead else [1, 2] if ahead > 0 else [2, 1]


def _figures(parts: Sequence[Counter[Played]], ceilings: Sequence[float | None]) -> Figures:
    """What some parts come to, each of one book, opponent and seat, with the ceiling of that seat."""
    total = sum(parts, Counter[Played]())
    games = total.total()
    wins, draws, forfeits, _, choices, best, blunders, regret = (
        sum(times * game[field] for game, times in total.items()) for field in range(len(Played._fields))
    )
    score = (wins + draws / 2) / games if games else 0.0
    low, high = wilson(score, games)
    hoped = [part.total() * ceiling for part, ceiling in zip(parts, ceilings, strict=True) if ceiling is not None]
    return Figures(
        games=games,
        wins=wins,
        draws=draws,
        losses=games - wins - draws,
        forfeits=forfeits,
        score=score,
        low=low,
        high=high,
        ceiling=sum(hoped) / games if games and len(hoped) == len(parts) else None,
        choices=choices,
        optimal=best / choices if choices else None,
        blunders=blunders,
        regret=regret / choices if choices else None,
        regret_error=_regret_error(parts, regret / choices) / choices if choices else None,
    )


def wilson(share: float, games: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's method.

    >>> [round(end, 3) for end in wilson(0.5, 100)]
    [0.404, 0.596]
    """
    if not games:
        return 0.0, 1.0
    width = Z * math.sqrt(share * (1 - share) / games + Z * Z / (4 * games * games))
    middle, scale = share + Z * Z / (2 * games), 1 + Z * Z / games
    low, high = (middle - width) / scale, (middle + width) / scale
    return low if share > 0 else 0.0, high if share < 1 else 1.0  # rounding must not keep them off the ends


def _regret_error(parts: Sequence[Counter[Played]], ratio: float) -> float:
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
    return Z * math.sqrt(spread)
