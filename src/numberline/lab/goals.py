"""Goals: metrics and the ranges that they have to lie in, as a designer writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from numberline.errors import NumberlineError
from numberline.lab.metrics import METRICS
from numberline.text import did_you_mean, quote

TOLERANCE = 1e-9
"""Figures are exact to so much."""
_NUMBER = r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(%?)\s*"
FAIRNESS_METRICS = ("fair_range", "first", "newcomers")
"""Whoever sets a goal for one of these has said how fair it is to be."""


class GoalError(NumberlineError, ValueError):
    """A goal that is none; the text says what would do."""


class Goal(NamedTuple):
    """A metric, and from where to where it may lie."""

    name: str
    low: float
    high: float | None
    """None where there is no limit."""

    def met_by(self, figure: float | None) -> bool:
        """Whether a figure lies within the range; one that is not known does not."""
        return (
            figure is not None
            and figure >= self.low - TOLERANCE
            and (self.high is None or figure <= self.high + TOLERANCE)
        )

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.name}={self.low:g}"
        low = "" if self.low == METRICS[self.name].lowest else f"{self.low:g}"
        return f"{self.name}={low}..{'' if self.high is None else f'{self.high:g}'}"


DEFAULT_GOALS = (
    Goal("endless", 0, 0),
    Goal("waiting", 0, 0),
    Goal("fair_range", 1, 9),
    Goal("length", 5, 40),
    Goal("decisions", 0.1, 1),
)
"""Every game ends, nobody does best to wait, it is fair for somebody, it is neither over at once nor takes all day, and
there is something to decide."""


def parse_goal(text: str) -> Goal:
    """The goal that is written as `length=10..20`, `first=45%..55%`, `length=..20`, `decisions=0.3..` or `endless=0`.

    >>> parse_goal("first=45%..55%")
    Goal(name='first', low=0.45, high=0.55)
    """
    typed, equals, values = (part.strip() for part in text.partition("="))
    name = re.sub(r"[ -]+", "_", typed.lower())
    if not equals or not values:
        raise GoalError(f"{quote(text)} is no goal; write it as length=10..20, first=45%..55% or decisions=0.3..")
    if name not in METRICS:
        known = ", ".join(METRICS)
        raise GoalError(f"{quote(typed)} is no metric{did_you_mean(name, METRICS)}; expected one of {known}")
    single = re.fullmatch(_NUMBER, values)
    low, dots, high = values.partition("..")
    ends = [re.fullmatch(_NUMBER, end) for end in (low, high)]
    high_end: float | None
    if single:
        low_end = high_end = _figure(single)
    elif dots and (low.strip() or high.strip()) and all(map(_or_open, ends, (low, high))):
        low_end = _figure(ends[0]) if ends[0] else METRICS[name].lowest
        high_end = _figure(ends[1]) if ends[1] else None
    else:
        raise GoalError(f"{quote(text)}: expected a range such as 10..20, ..20, 0.3.. or 45%..55%")
    return _check_range(Goal(name, low_end, METRICS[name].highest if high_end is None else high_end), text)


def _or_open(found: re.Match[str] | None, end: str) -> bool:
    return found is not None or not end.strip()


def _figure(found: re.Match[str]) -> float:
    return float(found[1]) / (100 if found[2] else 1)


def _check_range(goal: Goal, text: str) -> Goal:
    metric = METRICS[goal.name]
    if goal.high is not None and goal.low > goal.high:
        raise GoalError(f"{quote(text)}: the range is empty, as {goal.low:g} is more than {goal.high:g}")
    if metric.highest is not None and goal.low > metric.highest:
        whole = f"{metric.lowest:g} to {metric.highest:g}"
        percent = ", or in percent" if metric.highest == 1 else ""
        raise GoalError(f"{quote(text)}: the range is empty, as {goal.name} goes from {whole}{percent}")
    return goal


def with_default_goals(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """The goals, and the usual ones where nothing else is said."""
    said = {goal.name for goal in goals}
    if len(said) < len(goals):
        twice = next(goal.name for goal in goals if [other.name for other in goals].count(goal.name) > 1)
        raise GoalError(f"{twice} is given twice as a goal; give one range for it")
    fair = bool(said.intersection(FAIRNESS_METRICS))
    usual = (goal for goal in DEFAULT_GOALS if goal.name not in said and not (fair and goal.name == "fair_range"))
    return (*goals, *usual)


def missed(goals: Iterable[Goal], figures: Mapping[str, Any]) -> Goal | None:
    """The first of the goals that these figures miss; a goal whose figure is not among them counts as met."""
    return next((goal for goal in goals if goal.name in figures and not goal.met_by(figures[goal.name])), None)
