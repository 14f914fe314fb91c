"""A map of variants as one web page: a heat map for two settings, a table for any number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias
from xml.etree.ElementTree import Element

from numberline.reports.html import page, table, tag

MapCell: TypeAlias = float | str | None
"""A figure; or a word that stands there as it is; or nothing, where there is no such variant."""
MAX_COLOR_PERCENT = 45
"""How much of its colour, in percent, the field has that is furthest out; what is written on it stays legible."""


@dataclass(frozen=True)
class HeatMap:
    """Two settings against each other, a field a variant."""

    row_name: str
    column_name: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[MapCell]]
    format_value: Callable[[float], str]
    """How a figure is written."""
    fair: tuple[float, float] | None = None
    """From where to where a figure is fair; None where that means nothing."""
    note: str = ""
    """What the figures are, in a sentence."""

    def text(self, cell: MapCell) -> str:
        """What is written into a field."""
        return self.format_value(cell) if isinstance(cell, int | float) else cell or "-"

    def is_fair(self, cell: MapCell) -> bool:
        """Whether a field holds a figure that is fair."""
        return isinstance(cell, int | float) and self.fair is not None and self.fair[0] <= cell <= self.fair[1]

    def deviation(self, cell: MapCell) -> float:
        """How far a figure is from the middle, -1 or 1 for the one that is furthest; 0 for what is no figure."""
        middle, reach = self._scale
        return (cell - middle) / reach if isinstance(cell, int | float) and reach else 0.0

    @cached_property
    def _scale(self) -> tuple[float, float]:
        """The figure in the middle, and how far from it the others go."""
        figures = [each for row in self.cells for each in row if isinstance(each, int | float)]
        low, high = min(figures, default=0.0), max(figures, default=0.0)
        middle = sum(self.fair) / 2 if self.fair else (low + high) / 2
        return middle, max(high - middle, middle - low)

    @property
    def caption(self) -> str:
        """What the figures and the frames mean."""
        fair = (
            f" Framed: fair, from {self.format_value(self.fair[0])} to {self.format_value(self.fair[1])}."
            if self.fair
            else ""
        )
        return f"{self.note}{fair}".strip()


def map_page(
    title: str,
    sentences: Sequence[str],
    *,
    heat: HeatMap | None = None,
    titles: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
) -> str:
    """The page: what was found in a few sentences, the heat map if there is one, and the table if it has titles."""
    articles = [
        tag(
            "article", tag("h1", title), *(tag("p", sentence) for sentence in sentences), _heat(heat) if heat else None
        ),
        tag("article", tag("h2", "Variant by variant"), _table(titles, rows)) if titles else None,
    ]
    return page(title, articles)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Element:
    lines = (
        tag("tr", *(tag("td", text, cls="name" * (not n), data_label=titles[n]) for n, text in enumerate(row)))
        for row in rows
    )
    return tag("div", table(titles, lines, "figures", 1), cls="wide", tabindex=0)


def _heat(heat: HeatMap) -> Element:
    heads = (tag("th", name, scope="col") for name in heat.columns)
    lines = (
        tag("tr", tag("th", name, scope="row"), *(_field(heat, cell) for cell in row))
        for name, row in zip(heat.rows, heat.cells, strict=True)
    )
    corner = tag("th", f"{heat.row_name} ↓ {heat.column_name} →")
    drawn = tag("table", tag("thead", tag("tr", corner, *heads)), tag("tbody", *lines), cls="heat")
    caption = tag("figcaption", heat.caption, cls="note")
    return tag("figure", tag("div", drawn, cls="wide", tabindex=0), caption)


def _field(heat: HeatMap, cell: MapCell) -> Element:
    if not isinstance(cell, int | float):
        return tag("td", heat.text(cell), cls="" if cell else "soft")
    out = heat.deviation(cell)
    colour = "player-1" if out > 0 else "player-2"
    ground = f"background: color-mix(in srgb, var(--{colour}) {abs(out) * MAX_COLOR_PERCENT:.0f}%, transparent)"
    return tag("td", heat.text(cell), cls="fair" * heat.is_fair(cell), style=ground)
