"""The figures of all variants of a field, read off the chain of each skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots.bot import Bot
from numberline.lab.chain import NEAR, Course, Field, WinRates
from numberline.lab.measuring import Measured, Point
from numberline.lab.skills import (
    BETTER,
    CURVE,
    NEWCOMER,
    PANEL,
    USUAL,
    lay,
    lay_bot,
    read_players,
    read_skill,
    skill_of,
)
from numberline.rules.moves import Move
from numberline.solver.solution import Solution
from numberline.solver.table import Progress

Numbers = NDArray[Any]

NEARLY_ALL = 0.999
"""The lengths of games are listed until so large a share of them is over."""
LONGEST = 100_000
"""Longer games are not followed turn by turn."""


class Rates(NamedTuple):
    """Who wins, for each variant and whoever begins; what the bounds leave open is shared out evenly."""

    one: Numbers
    two: Numbers
    still: Numbers

    @property
    def endless(self) -> Numbers:
        """How likely a game never ends."""
        rest = 1 - self.one - self.two
        return np.where(rest > NEAR, rest, 0.0)

    @property
    def first(self) -> Numbers:
        """How likely whoever begins wins, for player 1 and for player 2."""
        return np.stack([self.one[:, 0], self.two[:, 1]], axis=1)


class Gauge:
    """Measures every variant of a field at once."""

    def __init__(self, field: Field, variants: Sequence[str], moves: Sequence[Move], players: tuple[Bot, Bot]) -> None:
        self.field = field
        self.variants = variants
        self.moves = moves
        self.players = players
        self.solution: Solution | None = None
        self._chance = np.zeros(len(field.to))

    @classmethod
    def of(cls, solution: Solution, players: str | Sequence[str] | None = None) -> Gauge:
        """The gauge for one solved book."""
        bots = read_players(players, solution.book, solution)
        gauge = cls(Field.of(solution), [solution.book.variant], solution.table.moves, bots)
        gauge.solution = solution
        return gauge

    def measured(
        self, progress: Progress = lambda _: None, *, curve: bool = True, metrics: bool = True
    ) -> list[Measured]:
        """Everything about every variant, in order."""
        found = [self._perfect(variant) for variant in range(len(self.variants))]
        if metrics:
            found = self._metrics(found)
        if curve:
            found = self._curves(found, progress)
        return found

    # Perfect play

    def _perfect(self, variant: int) -> Measured:
        field, start = self.field, int(self.field.starts[variant, 0])
        value = int(field.value[start])
        edges = range(field.begin[start], field.begin[start + 1])
        sign = 1 if field.mover[start] == 1 else -1
        worths = [sign * int(field.value[field.to[edge]]) for edge in edges]
        ranks = [(np.sign(worth), -worth) for worth in worths]
        best = tuple(
            str(self.moves[field.made[edge]]) for edge, rank in zip(edges, ranks, strict=True) if rank == max(ranks)
        )
        rows = slice(field.ends[variant], field.ends[variant + 1])
        live = int((np.diff(field.begin[field.ends[variant] : field.ends[variant + 1] + 1]) > 0).sum())
        return Measured(
            variant=self.variants[variant],
            winner=0 if not value else 1 if value > 0 else 2,
            plies=abs(value) - 1 if value else None,
            best=best,
            positions=live,
            players=(self.players[0].name, self.players[1].name),
            sight_needed=int(field.judged[2][rows].max(initial=0)),
        )

    # Chains

    def _played(self, one: Bot, two: Bot) -> Numbers:
        """The chances of all moves between two bots."""
        skills = skill_of(one), skill_of(two)
        if skills[0] is not None and skills[0] == skills[1]:
            return lay(self.field, skills[0], self._chance)
        for player, (bot, skill) in enumerate(zip((one, two), skills, strict=True), 1):
            if skill is not None:
                lay(self.field, skill, self._chance, player)
            else:
                lay_bot(self.field, bot, self._solved(), self._chance, player)
        return self._chance

    def _solved(self) -> Solution:
        assert self.solution is not None  # noqa: S101 - many variants are measured with skills only
        return self.solution

    def _bot(self, text: str) -> Bot:
        return read_skill(text, self.players[0].book, self.solution)

    def _rates(self, found: WinRates | Course) -> Rates:
        one, two, still = (np.asarray(column)[self.field.starts] for column in found[:3])
        return Rates(one + still / 2, two + still / 2, still)

    def _wins(self, one: str, two: str) -> Rates:
        return self._rates(self.field.win_rates(self._played(self._bot(one), self._bot(two))))

    # All metrics of two players

    def _metrics(self, found: list[Measured]) -> list[Measured]:
        chance = self._played(*self.players)
        course = self.field.course(chance)
        rates = self._rates(course)
        lengths = [self._lengths(variant, chance) for variant in range(len(found))]
        better = (self._wins(BETTER, USUAL).one + self._wins(USUAL, BETTER).two).sum(axis=1) / 4
        newcomers = self._wins(NEWCOMER, NEWCOMER).one[:, 0]
        at = [np.asarray(column)[self.field.starts[:, 0]].tolist() for column in course]
        return [
            each._replace(
                **self._general(variant, rates),
                **_of_course(Course(*(column[variant] for column in at)), float(rates.endless[variant, 0])),
                **_of_lengths(lengths[variant], float(rates.endless[variant, 0])),
                skill=float(better[variant]),
                newcomers=float(newcomers[variant]),
            )
            for variant, each in enumerate(found)
        ]

    def _general(self, variant: int, rates: Rates) -> dict[str, Any]:
        first, side = rates.first[variant].mean(), rates.one[variant].mean()
        figures = {"first": float(first), "side": float(side), "endless": float(rates.endless[variant, 0])}
        half = float(rates.still[variant].mean()) / 2
        bounds = {name: (figures[name] - half, figures[name] + half) for name in ("first", "side") if 2 * half > NEAR}
        return {**figures, "bounds": bounds}

    def _lengths(self, variant: int, chance: Numbers) -> tuple[float, ...]:
        field, lengths = self.field, np.zeros(LONGEST)
        mass, later = np.zeros(field.size), np.zeros(field.size)
        span = int(field.ends[variant]), int(field.ends[variant + 1]), int(field.starts[variant, 0])
        columns = field.seen(field.begin, field.to, chance, mass, later, lengths)
        count = field.loops.spread_in_time(*span, *columns, NEARLY_ALL)
        return tuple(lengths[:count].tolist())

    # The curve over skill

    def _curves(self, found: list[Measured], progress: Progress) -> list[Measured]:
        curves: list[list[Point]] = [[] for _ in found]
        for done, skill in enumerate(CURVE):
            progress(done / len(CURVE))
            rates = self._wins(skill, skill)
            for curve, first, endless in zip(curves, rates.first.tolist(), rates.endless[:, 0].tolist(), strict=True):
                curve.append(Point(skill, *first, endless, skill in PANEL))
        progress(1)
        return [
            each._replace(curve=tuple(curve), fair_range=sum(point.fair for point in curve if point.took_part))
            for each, curve in zip(found, curves, strict=True)
        ]


def _of_course(at: Course, endless: float) -> dict[str, Any]:
    """The metrics of a game that player 1 begins."""
    figures: dict[str, Any] = {"comeback": float(at.one + at.two - at.sure_one - at.sure_two)}
    if endless or at.still > NEAR:
        return figures
    figures |= {
        "length": at.turns,
        "decisions": at.decisions / at.turns,
        "lead_changes": at.changes,
        "open": 1 - at.rest / at.turns,
    }
    if at.decisions > 0:
        figures |= {"good_moves": at.good / at.decisions, "hidden": at.hidden / at.decisions}
    return figures


def _of_lengths(lengths: tuple[float, ...], endless: float) -> dict[str, Any]:
    """The lengths of games, and the turns within which 10 and 90 % of them are over."""
    if endless:
        return {}
    over = np.cumsum(lengths)
    low, high = (int(np.searchsorted(over, share - NEAR)) for share in (0.1, 0.9))
    return {"length_low": low, "length_high": high, "lengths": lengths}
