"""The figures of all variants of a field, read off the chain of each skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots.bot import Bot
from numberline.lab.chain import NEAR, Course, Field, WinRates
from numberline.lab.lengths import FEW, MANY
from numberline.lab.measuring import Measured, Point
from numberline.lab.skills import (
    BETTER,
    CURVE,
    NEWCOMER,
    PANEL,
    USUAL,
    lay,
    lay_bot,
    read_skill,
    skill_of,
)
from numberline.rules.moves import Move
from numberline.solver.solution import Solution
from numberline.solver.table import Progress

if TYPE_CHECKING:
    from numberline.solver.families import SolvedFamily

Numbers = NDArray[Any]

NEARLY_ALL = 0.999
"""The lengths of games are listed until so large a share of them is over."""


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
    def of(cls, solution: Solution, players: tuple[Bot, Bot]) -> Gauge:
        """The gauge for one solved book."""
        gauge = cls(Field.of(solution), [solution.book.variant], solution.table.moves, players)
        gauge.solution = solution
        return gauge

    @classmethod
    def of_family(cls, solved: SolvedFamily, players: tuple[Bot, Bot]) -> Gauge:
        """The gauge for many variants that were solved in one table; both players have a plain skill."""
        variants = [book.variant for book in solved.books]
        return cls(Field.of_family(solved), variants, solved.table.moves, players)

    def measured(
        self,
        progress: Progress = lambda _: None,
        *,
        curve: bool = True,
        metrics: bool = True,
        lengths: bool = False,
    ) -> list[Measured]:
        """All that is asked for about every variant, in order; the list of lengths only of a single one."""
        found = [self._perfect(variant) for variant in range(len(self.variants))]
        if metrics:
            found = self._metrics(found, lengths=lengths)
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
        live = np.diff(field.begin[field.ends[variant] : field.ends[variant + 1] + 1]) > 0
        return Measured(
            variant=self.variants[variant],
            winner=0 if not value else 1 if value > 0 else 2,
            plies=abs(value) - 1 if value else None,
            best=best,
            positions=int(live.sum()),
            players=(self.players[0].name, self.players[1].name),
            sight_needed=int(field.judged[2][rows].max(initial=0)),
            waiting=float((field.value[rows][live] == 0).mean()),
        )

    # Chains

    def played(self, one: Bot, two: Bot) -> Numbers:
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

    def _rates(self, found: WinRates) -> Rates:
        one, two, still = (column[self.field.starts] for column in found)
        return Rates(one + still / 2, two + still / 2, still)

    def _wins(self, one: str, two: str) -> Rates:
        return self._rates(self.field.win_rates(self.played(self._bot(one), self._bot(two))))

    # All metrics of two players

    def _metrics(self, found: list[Measured], *, lengths: bool) -> list[Measured]:
        chance = self.played(*self.players)
        rates, course = self._rates(self.field.win_rates(chance)), self.field.course(chance)
        listed = self.field.lengths(chance, NEARLY_ALL) if lengths else ()
        low, high = _usual(listed) if lengths else self.field.usual_lengths(chance)
        better = (self._wins(BETTER, USUAL).one + self._wins(USUAL, BETTER).two).sum(axis=1) / 4
        columns = {
            "first": rates.first.mean(axis=1),
            "side": rates.one.mean(axis=1),
            "endless": rates.endless[:, 0],
            "newcomers": self._wins(NEWCOMER, NEWCOMER).one[:, 0],
            "skill": better,
            "length_low": low,
            "length_high": high,
            "lengths": [listed] * len(found),
            "bounds": _bounds(rates),
            **_of_course(course, rates),
        }
        rows = zip(*map(_plain, columns.values()), strict=True)
        hopeful = [each._replace(**dict(zip(columns, row, strict=True))) for each, row in zip(found, rows, strict=True)]
        return [_told(each) for each in hopeful]

    # The curve over skill

    def _curves(self, found: list[Measured], progress: Progress) -> list[Measured]:
        curves: list[list[Point]] = [[] for _ in found]
        for done, skill in enumerate(CURVE):
            progress(done / len(CURVE))
            rates = self._wins(skill, skill)
            for curve, first, endless in zip(curves, rates.first.tolist(), rates.endless[:, 0].tolist(), strict=True):
                curve.append(Point(skill, first[0], first[1], endless, skill in PANEL))
        progress(1)
        return [
            each._replace(curve=tuple(curve), fair_range=sum(point.fair for point in curve if point.took_part))
            for each, curve in zip(found, curves, strict=True)
        ]


def _usual(lengths: tuple[float, ...]) -> tuple[Numbers, ...]:
    """Within how many turns 10 and 90 % of the games are over; -1 where that is not known."""
    over = np.cumsum(lengths)
    turns = [int(np.searchsorted(over, share - NEAR)) for share in (FEW, MANY)]
    return tuple(np.array([turn if turn < len(over) else -1]) for turn in turns)


def _bounds(rates: Rates) -> list[dict[str, tuple[float, float]]]:
    """For each variant, between what its figures lie, where that is not known to nine digits."""
    half = rates.still.mean(axis=1) / 2
    figures = {"first": rates.first.mean(axis=1), "side": rates.one.mean(axis=1)}
    return [
        {name: (float(value[n] - half[n]), float(value[n] + half[n])) for name, value in figures.items()}
        if 2 * half[n] > NEAR
        else {}
        for n in range(len(half))
    ]


def _of_course(at: Course, rates: Rates) -> dict[str, Numbers]:
    """The metrics of a game that player 1 begins, for each variant."""
    turns = np.where((at.left <= NEAR) & (at.turns > 0), at.turns, np.nan)  # no turns are counted where none ends
    decided = np.where(at.decisions > 0, at.decisions, np.nan)
    return {
        "length": turns,
        "decisions": at.decisions / turns,
        "good_moves": at.good / decided,
        "lead_changes": at.changes,
        "comeback": np.maximum(0.0, (rates.one + rates.two)[:, 0] - at.sure),
        "open": np.maximum(0.0, 1 - at.rest / turns),
        "hidden": at.hidden / decided,
    }


ONLY_WHERE_IT_ENDS = (
    "length",
    "length_low",
    "length_high",
    "decisions",
    "good_moves",
    "lead_changes",
    "open",
    "hidden",
)
"""What can't be said where a game may never end."""


def _plain(column: Any) -> list[Any]:
    """The figures of all variants as plain numbers, None where there is none."""
    if not isinstance(column, np.ndarray):
        return list(column)
    if column.dtype.kind == "i":
        return [None if value < 0 else value for value in column.tolist()]
    return [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - so NaN is found


def _told(measured: Measured) -> Measured:
    """What was measured without what can't be said."""
    if measured.length is not None and not measured.endless:
        return measured
    unsaid: dict[str, Any] = dict.fromkeys(ONLY_WHERE_IT_ENDS)
    return measured._replace(lengths=(), **unsaid)
