"""Goals of a search: a metric and the range it must lie in, as a designer writes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from numberline.errors import NumberlineError
from numberline.lab.metrics import METRICS
from numberline.text import did_you_mean, quote

TOLERANCE = 1e-9
FAIRNESS_METRICS = ("fair_range", "first", "newcomers")
"""A goal for one of these replaces the default goal for the fair range."""
_NUMBER = r"\s*([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(%?)\s*"


class GoalError(NumberlineError, ValueError):
    """An invalid goal; the message says what would be valid."""


class Goal(NamedTuple):
    """A metric and its range; `high` is None if there is no upper limit."""

    name: str
    low: float
    high: float | None

    def met_by(self, figure: float | None) -> bool:
        """Return whether a figure lies in the range; an undefined figure never does."""
        if figure is None or figure < self.low - TOLERANCE:
            return False
        return self.high is None or figure <= self.high + TOLERANCE

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.name}={self.low:g}"
        low = f"{self.low:g}" if self.low else ""
        return f"{self.name}={low}..{'' if self.high is None else f'{self.high:g}'}"


DEFAULT_GOALS = (
    Goal("endless", 0, 0),
    Goal("waiting", 0, 0),
    Goal("fair_range", 1, 9),
    Goal("length", 5, 40),
    Goal("decisions", 0.1, 1),
)


def parse_goal(text: str) -> Goal:
    """Return the goal written as `length=10..20`, `first=45%..55%`, `length=..20`, `decisions=0.3..` or `endless=0`.

    >>> parse_goal("first=45%..55%")
    Goal(name='first', low=0.45, high=0.55)
    """
    typed, equals, values = (part.strip() for part in text.partition("="))
    name = re.sub(r"[ -]+", "_", typed.lower())
    if not equals or not values:
        raise GoalError(f"cannot parse goal {quote(text)}; use e.g. length=10..20, first=45%..55% or decisions=0.3..")
    if name not in METRICS:
        known = ", ".join(METRICS)
        raise GoalError(f"unknown metric {quote(typed)}{did_you_mean(name, METRICS)}; choose from {known}")
    low_text, dots, high_text = values.partition("..")
    try:
        low = _parse_figure(low_text)
        high = _parse_figure(high_text) if dots else low
    except ValueError:
        low = high = None
    if low is None and high is None:
        raise GoalError(f"{quote(text)}: expected a range such as 10..20, ..20, 0.3.. or 45%..55%")
    goal = Goal(name, low or 0.0, METRICS[name].highest if high is None else high)
    _check_range(goal, text)
    return goal


def _parse_figure(text: str) -> float | None:
    """Return a number or a percentage; None for an open end."""
    if not text.strip():
        return None
    found = re.fullmatch(_NUMBER, text)
    if not found:
        raise ValueError(text)
    return float(found[1]) / (100 if found[2] else 1)


def _check_range(goal: Goal, text: str) -> None:
    highest = METRICS[goal.name].highest
    if highest is not None and goal.low > highest:
        percent = ", or in percent" if highest == 1 else ""
        raise GoalError(f"{quote(text)}: the range is empty, as {goal.name} goes from 0 to {highest:g}{percent}")
    if goal.high is not None and goal.low > goal.high:
        raise GoalError(f"{quote(text)}: the range is empty, as {goal.low:g} is more than {goal.high:g}")


def with_default_goals(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Return the goals, and the default goals for metrics that have none."""
    names = [goal.name for goal in goals]
    if twice := [name for name in names if names.count(name) > 1]:
        raise GoalError(f"{twice[0]} is given twice as a goal; give one range for it")
    defines_fairness = not set(names).isdisjoint(FAIRNESS_METRICS)
    replaced = {*names, "fair_range"} if defines_fairness else set(names)
    return (*goals, *(goal for goal in DEFAULT_GOALS if goal.name not in replaced))


def find_missed_goal(goals: Iterable[Goal], figures: Mapping[str, Any]) -> Goal | None:
    """Return the first goal that these figures miss; goals whose metric is absent count as met."""
    return next((goal for goal in goals if goal.name in figures and not goal.met_by(figures[goal.name])), None)
