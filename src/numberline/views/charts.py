"""Chart models shared by terminal, HTML and SVG output: balance by skill level, and heat maps of two settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from numberline.lab.metrics import SkillPoint

BALANCE_TITLE = "How often the first player wins (%) when both players …"
_HEADINGS = {"slip": "… know the game, but slip this often:", "sight": "… look only this many turns ahead:"}


def balance_rows(points: Sequence[SkillPoint]) -> Iterator[tuple[str, str, SkillPoint]]:
    """Yield the heading, label and point for each skill level; only the first level of each kind has a heading."""
    previous = ""
    for point in points:
        kind, _, number = point.skill.partition(":")
        text = f"{number}%" if kind == "slip" else number if kind == "sight" else point.skill
        heading = _HEADINGS.get(kind, "… play like this bot:")
        yield heading * (heading != previous), text if point.in_panel else f"({text})", point
        previous = heading


def compare_curves(one: Sequence[SkillPoint], other: Sequence[SkillPoint]) -> list[SkillPoint]:
    """Return one point per skill level that compares variants A and B, each with the less fair starting player."""
    pairs = zip(one, other, strict=True)
    return [SkillPoint(a.skill, *(max(p.shares, key=lambda share: abs(share - 0.5)) for p in (a, b))) for a, b in pairs]


def balance_notes(
    points: Sequence[SkillPoint], first: str, second: str, *, starts_differ: bool, compared: bool = False
) -> list[str]:
    """Return the legend of a balance chart; `first` and `second` are the symbols or names of its two kinds of dots."""
    notes = []
    if starts_differ:
        starts = ("player 1 starts", "player 2 starts")
        one, two = ("variant A, with its less fair starting player", "variant B, likewise") if compared else starts
        notes.append(f"{first} and first figure: {one}; {second} and second figure: {two}.")
    if any(point.has_endless for point in points):
        notes.append("~ games (of 100) that never end; each counts as half a win")
    if not all(point.in_panel for point in points):
        notes.append("A skill in brackets does not count towards the fair range.")
    return notes


HeatMapCell: TypeAlias = float | str | None
"""Value, text such as the winner's name, or None if the variant is invalid."""


@dataclass(frozen=True)
class HeatMap:
    """Grid of values for all combinations of two settings."""

    row_name: str
    column_name: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[HeatMapCell]]
    format_value: Callable[[float], str]
    fair: tuple[float, float] | None = None
    """Bounds of the fair range, or None if fairness does not apply."""
    note: str = ""
    variants: Sequence[str] = ()
    """Names of all variants, row by row."""

    def text(self, cell: HeatMapCell) -> str:
        return self.format_value(cell) if isinstance(cell, int | float) else cell or "-"

    def is_fair(self, cell: HeatMapCell) -> bool:
        return isinstance(cell, int | float) and self.fair is not None and self.fair[0] <= cell <= self.fair[1]

    @cached_property
    def bounds(self) -> tuple[float, float]:
        """Smallest and largest value."""
        figures = [cell for row in self.cells for cell in row if isinstance(cell, int | float)]
        return min(figures, default=0.0), max(figures, default=1.0)

    def share(self, figure: float) -> float:
        """Return the relative position of `figure` between the smallest value (0) and the largest (1)."""
        low, high = self.bounds
        return (figure - low) / (high - low) if high > low else 0.5

    def deviation(self, cell: HeatMapCell) -> float:
        """Return how far a value is from the middle of the colour scale, from -1 to 1; 0 for cells without a value."""
        low, high = self.bounds
        middle = (low + high) / 2 if not self.fair else sum(self.fair) / 2 if self.fair[0] else 0.0
        reach = max(high - middle, middle - low)
        return (cell - middle) / reach if isinstance(cell, int | float) and reach else 0.0

    def scale(self) -> list[float]:
        """Return five values from the smallest to the largest, for a legend; an empty list if all values are equal."""
        low, high = self.bounds
        is_figure = any(isinstance(cell, int | float) for row in self.cells for cell in row)
        return [low + (high - low) * n / 4 for n in range(5)] if is_figure and high > low else []

    @property
    def fair_note(self) -> str:
        """Phrase that states the fair range; empty if fairness does not apply."""
        return f"fair, from {self.format_value(self.fair[0])} to {self.format_value(self.fair[1])}" if self.fair else ""
