"""The figures of all variants of a field, read off the chain of each skill."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.bots.bot import Bot
from numberline.game.moves import Move
from numberline.lab.kernels_lengths import HIGH_QUANTILE, LOW_QUANTILE
from numberline.lab.measure import Measurements, SkillPoint
from numberline.lab.skills import (
    BETTER_SKILL,
    CURVE_SKILLS,
    DEFAULT_SKILL,
    NEWCOMER_SKILL,
    PANEL_SKILLS,
    fill_bot_probabilities,
    fill_skill_probabilities,
    parse_skill,
    skill_of,
)
from numberline.solver.index import Progress
from numberline.solver.markov import TOLERANCE, GameStatistics, PlayGraph, WinRates
from numberline.solver.solution import Solution

if TYPE_CHECKING:
    from numberline.solver.batch import SolvedBatch

Array = NDArray[Any]

LENGTHS_COVERAGE = 0.999
"""The lengths of games are listed until so large a share of them is over."""


class WinRatesByStart(NamedTuple):
    """Who wins, for each variant and whoever begins; what the bounds leave open is shared out evenly."""

    one: Array
    two: Array
    undetermined: Array

    @property
    def endless(self) -> Array:
        """How likely a game never ends."""
        rest = 1 - self.one - self.two
        return np.where(rest > TOLERANCE, rest, 0.0)

    @property
    def first(self) -> Array:
        """How likely whoever begins wins, for player 1 and for player 2."""
        return np.stack([self.one[:, 0], self.two[:, 1]], axis=1)


class Measurer:
    """Measures every variant of a field at once."""

    def __init__(
        self, field: PlayGraph, variants: Sequence[str], moves: Sequence[Move], players: tuple[Bot, Bot]
    ) -> None:
        self.field = field
        self.variants = variants
        self.moves = moves
        self.players = players
        self.solution: Solution | None = None
        self._chance = np.zeros(len(field.indices))

    @classmethod
    def from_solution(cls, solution: Solution, players: tuple[Bot, Bot]) -> Measurer:
        """The gauge for one solved book."""
        gauge = cls(PlayGraph.from_solution(solution), [solution.book.variant], solution.table.moves, players)
        gauge.solution = solution
        return gauge

    @classmethod
    def from_batch(cls, solved: SolvedBatch, players: tuple[Bot, Bot]) -> Measurer:
        """The gauge for many variants that were solved in one table; both players have a plain skill."""
        variants = [book.variant for book in solved.books]
        return cls(PlayGraph.from_batch(solved), variants, solved.table.moves, players)

    def measure(
        self,
        progress: Progress = lambda _: None,
        *,
        curve: bool = True,
        metrics: bool = True,
        lengths: bool = False,
    ) -> list[Measurements]:
        """All that is asked for about every variant, in order; the list of lengths only of a single one."""
        found = [self._perfect(variant) for variant in range(len(self.variants))]
        if metrics:
            found = self._metrics(found, lengths=lengths)
        if curve:
            found = self._curves(found, progress)
        return found

    # Perfect play

    def _perfect(self, variant: int) -> Measurements:
        field, start = self.field, int(self.field.starts[variant, 0])
        value = int(field.value[start])
        edges = range(field.indptr[start], field.indptr[start + 1])
        sign = 1 if field.mover[start] == 1 else -1
        worths = [sign * int(field.value[field.indices[edge]]) for edge in edges]
        ranks = [(np.sign(worth), -worth) for worth in worths]
        best = tuple(
            str(self.moves[field.edge_moves[edge]])
            for edge, rank in zip(edges, ranks, strict=True)
            if rank == max(ranks)
        )
        rows = slice(field.ends[variant], field.ends[variant + 1])
        live = np.diff(field.indptr[field.ends[variant] : field.ends[variant + 1] + 1]) > 0
        return Measurements(
            variant=self.variants[variant],
            winner=0 if not value else 1 if value > 0 else 2,
            plies=abs(value) - 1 if value else None,
            best=best,
            positions=int(live.sum()),
            players=(self.players[0].name, self.players[1].name),
            sight_needed=int(field.decision_stats[2][rows].max(initial=0)),
            waiting=float((field.value[rows][live] == 0).mean()),
        )

    # Chains

    def move_probabilities(self, one: Bot, two: Bot) -> Array:
        """The chances of all moves between two bots."""
        skills = skill_of(one), skill_of(two)
        if skills[0] is not None and skills[0] == skills[1]:
            return fill_skill_probabilities(self.field, skills[0], self._chance)
        for player, (bot, skill) in enumerate(zip((one, two), skills, strict=True), 1):
            if skill is not None:
                fill_skill_probabilities(self.field, skill, self._chance, player)
            else:
                fill_bot_probabilities(self.field, bot, self._solved(), self._chance, player)
        return self._chance

    def _solved(self) -> Solution:
        assert self.solution is not None  # noqa: S101 - many variants are measured with skills only
        return self.solution

    def _bot(self, text: str) -> Bot:
        return parse_skill(text, self.players[0].book, self.solution)

    def _rates(self, found: WinRates) -> WinRatesByStart:
        one, two, still = (column[self.field.starts] for column in found)
        return WinRatesByStart(one + still / 2, two + still / 2, still)

    def _wins(self, one: str, two: str) -> WinRatesByStart:
        return self._rates(self.field.win_rates(self.move_probabilities(self._bot(one), self._bot(two))))

    # All metrics of two players

    def _metrics(self, found: list[Measurements], *, lengths: bool) -> list[Measurements]:
        chance = self.move_probabilities(*self.players)
        rates, course = self._rates(self.field.win_rates(chance)), self.field.statistics(chance)
        listed = self.field.lengths(chance, LENGTHS_COVERAGE) if lengths else ()
        low, high = _percentiles(listed) if lengths else self.field.length_percentiles(chance)
        better = (self._wins(BETTER_SKILL, DEFAULT_SKILL).one + self._wins(DEFAULT_SKILL, BETTER_SKILL).two).sum(
            axis=1
        ) / 4
        columns = {
            "first": rates.first.mean(axis=1),
            "side": rates.one.mean(axis=1),
            "endless": rates.endless[:, 0],
            "newcomers": self._wins(NEWCOMER_SKILL, NEWCOMER_SKILL).one[:, 0],
            "skill": better,
            "length_low": low,
            "length_high": high,
            "lengths": [listed] * len(found),
            "bounds": _bounds(rates),
            **_statistics_metrics(course, rates),
        }
        rows = zip(*map(_to_optional_numbers, columns.values()), strict=True)
        hopeful = [each._replace(**dict(zip(columns, row, strict=True))) for each, row in zip(found, rows, strict=True)]
        return [_without_undefined(each) for each in hopeful]

    # The curve over skill

    def _curves(self, found: list[Measurements], progress: Progress) -> list[Measurements]:
        curves: list[list[SkillPoint]] = [[] for _ in found]
        for done, skill in enumerate(CURVE_SKILLS):
            progress(done / len(CURVE_SKILLS))
            rates = self._wins(skill, skill)
            for curve, first, endless in zip(curves, rates.first.tolist(), rates.endless[:, 0].tolist(), strict=True):
                curve.append(SkillPoint(skill, first[0], first[1], endless, skill in PANEL_SKILLS))
        progress(1)
        return [
            each._replace(curve=tuple(curve), fair_range=sum(point.is_fair for point in curve if point.took_part))
            for each, curve in zip(found, curves, strict=True)
        ]


def _percentiles(lengths: tuple[float, ...]) -> tuple[Array, ...]:
    """Within how many turns 10 and 90 % of the games are over; -1 where that is not known."""
    over = np.cumsum(lengths)
    turns = [int(np.searchsorted(over, share - TOLERANCE)) for share in (LOW_QUANTILE, HIGH_QUANTILE)]
    return tuple(np.array([turn if turn < len(over) else -1]) for turn in turns)


def _bounds(rates: WinRatesByStart) -> list[dict[str, tuple[float, float]]]:
    """For each variant, between what its figures lie, where that is not known to nine digits."""
    half = rates.undetermined.mean(axis=1) / 2
    figures = {"first": rates.first.mean(axis=1), "side": rates.one.mean(axis=1)}
    return [
        {name: (float(value[n] - half[n]), float(value[n] + half[n])) for name, value in figures.items()}
        if 2 * half[n] > TOLERANCE
        else {}
        for n in range(len(half))
    ]


def _statistics_metrics(at: GameStatistics, rates: WinRatesByStart) -> dict[str, Array]:
    """The metrics of a game that player 1 begins, for each variant."""
    turns = np.where(
        (at.unfinished <= TOLERANCE) & (at.turns > 0), at.turns, np.nan
    )  # no turns are counted where none ends
    decided = np.where(at.decisions > 0, at.decisions, np.nan)
    return {
        "length": turns,
        "decisions": at.decisions / turns,
        "good_moves": at.good_share / decided,
        "lead_changes": at.lead_changes,
        "comeback": np.maximum(0.0, (rates.one + rates.two)[:, 0] - at.never_behind),
        "open": np.maximum(0.0, 1 - at.settled_turns / turns),
        "hidden": at.hidden_decisions / decided,
    }


FINITE_GAME_METRICS = (
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


def _to_optional_numbers(column: Any) -> list[Any]:
    """The figures of all variants as plain numbers, None where there is none."""
    if not isinstance(column, np.ndarray):
        return list(column)
    if column.dtype.kind == "i":
        return [None if value < 0 else value for value in column.tolist()]
    return [None if value != value else value for value in column.tolist()]  # noqa: PLR0124 - so NaN is found


def _without_undefined(measured: Measurements) -> Measurements:
    """What was measured without what can't be said."""
    if measured.length is not None and not measured.endless:
        return measured
    unsaid: dict[str, Any] = dict.fromkeys(FINITE_GAME_METRICS)
    return measured._replace(lengths=(), **unsaid)
