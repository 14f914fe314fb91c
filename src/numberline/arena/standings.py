"""What the games say of the players: points by seat, what their moves gave away, and how sure one can be of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import NormalDist
from typing import Any

from numberline.arena.board import Board
from numberline.arena.ratings import Rating, rate
from numberline.arena.results import FORFEITED, Result, Tally
from numberline.arena.schedule import Block, Tournament

Z = NormalDist().inv_cdf(0.975)
"""Of 100 intervals of so many standard errors to either side, 95 hold the truth."""
DRAWN = 3
"""In the place of the seat that won."""


@dataclass(slots=True)
class Count:
    """Everything that is added up over games of one player."""

    games: int = 0
    wins: int = 0
    draws: int = 0
    forfeits: int = 0
    """Games that the player lost by its own fault."""
    measured: int = 0
    """Games of which it is known what each move gave away."""
    choices: int = 0
    best: int = 0
    blunders: int = 0
    regret: int = 0
    squares: tuple[int, int, int] = (0, 0, 0)
    """The sums over games of regret squared, regret times choices, and choices squared."""

    def measure(self, tally: Tally) -> None:
        """Adds what the player's moves in one game gave away."""
        choices, best, blunders, regret = tally
        self.measured += 1
        self.choices += choices
        self.best += best
        self.blunders += blunders
        self.regret += regret
        one, two, three = self.squares
        self.squares = (one + regret * regret, two + regret * choices, three + choices * choices)

    def add(self, other: Count) -> None:
        """Adds another count to this one."""
        for field in fields(self)[:-1]:
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
        one, two = self.squares, other.squares
        self.squares = (one[0] + two[0], one[1] + two[1], one[2] + two[2])


@dataclass(frozen=True, slots=True)
class Row:
    """What is told of one player, over some of the games."""

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


class Standings:
    """The games so far, added up for each player, opponent, book and seat."""

    def __init__(self, tournament: Tournament) -> None:
        self.tournament = tournament
        self.games = 0
        self.outcomes = bytearray(tournament.total)
        """For each game the seat that won, `DRAWN` for a draw, 0 while it was not played."""
        self.reasons: dict[str, dict[str, int]] = {}
        """For each player the reasons for which it forfeited, and how often."""
        self._counts: dict[tuple[Block, int, int], Count] = {}
        self._ceilings: dict[int, tuple[float, float] | None] = {}

    def add(self, result: Result) -> None:
        """Counts a game; one that was counted already is not counted again."""
        if self.outcomes[result.game]:
            return
        self.games += 1
        self.outcomes[result.game] = result.winner or DRAWN
        block = self.tournament.block(result.game)
        for seat, player in enumerate(block.seats(result.game), 1):
            count = self._count(block, player, seat)
            count.games += 1
            if result.winner == seat:
                count.wins += 1
            elif not result.winner:
                count.draws += 1
            elif result.end == FORFEITED:
                count.forfeits += 1
                reasons = self.reasons.setdefault(result.seats[seat - 1], {})
                reasons[result.reason] = reasons.get(result.reason, 0) + 1
            if result.tallies:
                count.measure(result.tallies[seat - 1])

    def _count(self, block: Block, player: int, seat: int) -> Count:
        key = (block, player, seat)
        if key not in self._counts:
            self._counts[key] = Count()
        return self._counts[key]

    def set_ceiling(self, book: int, board: Board | None) -> None:
        """Notes what each seat can hope for in a book; None where nobody knows."""
        self._ceilings[book] = (board.ceiling(1), board.ceiling(2)) if board else None

    # What is told

    def row(self, which: Callable[[Block, int, int], bool]) -> Row:
        """The games of the blocks, players and seats that are asked for, added up."""
        asked = {key: count for key, count in self._counts.items() if which(*key)}
        return _row([(count, self._hope(block, seat)) for (block, _, seat), count in asked.items()])

    def _hope(self, block: Block, seat: int) -> float | None:
        """The share of a point that a seat gets against perfect play; None where nobody knows."""
        ceiling = self._ceilings.get(block.book)
        return ceiling[seat - 1] if ceiling else None

    def players(self) -> list[dict[str, Any]]:
        """What is told of each player, the best first."""
        ratings = self.ratings()
        told = []
        for number, entrant in enumerate(self.tournament.players):
            row = self.row(lambda _, player, __, number=number: player == number)  # type: ignore[misc] # bound here
            seats = [self._seat(number, seat) for seat in (1, 2)]
            rating = ratings[number] if ratings else None
            told.append(
                {"player": entrant.name, **asdict(row), "seats": seats, "rating": rating and rating._asdict()}
                | {"reasons": self.reasons.get(entrant.name, {})}
            )
        return sorted(told, key=lambda row: -row["score"])

    def _seat(self, number: int, seat: int) -> dict[str, Any]:
        return {"seat": seat, **asdict(self.row(lambda _, player, at: (player, at) == (number, seat)))}

    def pairs(self) -> list[dict[str, Any]]:
        """What is told of each player against each other one."""
        return [
            {"player": one.name, "opponent": other.name, **asdict(self._against(n, m))}
            for n, one in enumerate(self.tournament.players)
            for m, other in enumerate(self.tournament.players)
            if n != m
        ]

    def _against(self, number: int, opponent: int) -> Row:
        return self.row(lambda block, player, _: player == number and opponent in block.pair)

    def cells(self) -> Iterable[dict[str, Any]]:
        """The finest grain: each player against each other one, in each book, in each seat."""
        players, books = self.tournament.players, self.tournament.books
        for (block, player, seat), count in sorted(self._counts.items()):
            other = block.pair[0] if player == block.pair[1] else block.pair[1]
            where = {"book": books[block.book].variant, "player": players[player].name, "seat": seat}
            yield {**where, "opponent": players[other].name, **asdict(_row([(count, self._hope(block, seat))]))}

    def ratings(self) -> list[Rating] | None:
        """A rating for each player; None where openskill is not installed."""
        return rate(self.tournament, self.outcomes)

    def report(self) -> dict[str, Any]:
        """Everything, for programs."""
        played = {"played": self.games, "of": self.tournament.total}
        told = {"players": self.players(), "pairs": self.pairs(), "cells": list(self.cells())}
        return {"tournament": self.tournament.header(), **played, **told}


def _row(counts: Sequence[tuple[Count, float | None]]) -> Row:
    """What is told of some counts, each of one book, opponent and seat, with what the seat can hope for."""
    total = Count()
    for count, _ in counts:
        total.add(count)
    games, choices = total.games, total.choices
    score = (total.wins + total.draws / 2) / games if games else 0.0
    low, high = wilson(score, games)
    hoped = [hope * count.games for count, hope in counts if hope is not None]
    return Row(
        games=games,
        wins=total.wins,
        draws=total.draws,
        losses=games - total.wins - total.draws,
        forfeits=total.forfeits,
        score=score,
        low=low,
        high=high,
        ceiling=sum(hoped) / games if games and len(hoped) == len(counts) else None,
        choices=choices,
        optimal=total.best / choices if choices else None,
        blunders=total.blunders,
        regret=total.regret / choices if choices else None,
        regret_error=_regret_error(total, [count for count, _ in counts]) if choices else None,
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


def _regret_error(total: Count, parts: Sequence[Count]) -> float:
    """Half the width of the 95 % interval of regret per choice.

    That is a ratio of two sums over games. Each part (a book, an opponent, a seat) has its own number of games, fixed
    beforehand, so only what differs between the games of a part makes the ratio uncertain.
    """
    ratio, spread = total.regret / total.choices, 0.0
    for part in parts:
        squared, crossed, choices = part.squares
        around = part.regret - ratio * part.choices
        within = squared - 2 * ratio * crossed + ratio * ratio * choices - around * around / max(1, part.measured)
        spread += max(0.0, within) * part.measured / max(1, part.measured - 1)
    return Z * math.sqrt(spread) / total.choices
