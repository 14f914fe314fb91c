"""A map of variants as one web page: a heat map for two settings, a table for any number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, TypeAlias
from xml.etree.ElementTree import Element

from numberline.reports.markup import page, table, tag

MapCell: TypeAlias = float | str | None
"""A figure; or a word that stands there as it is; or nothing, where there is no such variant."""
STRONGEST = 60
"""How much of its colour, in percent, the field has that is furthest out; what is written on it stays legible."""


class Heat(NamedTuple):
    """Two settings against each other, a field a variant."""

    row_name: str
    column_name: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[MapCell]]
    written: Callable[[float], str]
    """How a figure is written."""
    fair: tuple[float, float] | None = None
    """From where to where a figure is fair; None where that means nothing."""
    note: str = ""
    """What the figures are, in a sentence."""


def map_page(
    title: str,
    sentences: Sequence[str],
    *,
    heat: Heat | None = None,
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


def _heat(heat: Heat) -> Element:
    figures = [cell for row in heat.cells for cell in row if isinstance(cell, int | float)]
    low, high = min(figures, default=0.0), max(figures, default=1.0)
    middle = sum(heat.fair) / 2 if heat.fair else (low + high) / 2
    reach = max(high - middle, middle - low) or 1.0
    heads = (tag("th", name, scope="col") for name in heat.columns)
    lines = (
        tag("tr", tag("th", name, scope="row"), *(_field(heat, cell, (cell_out(cell, middle, reach))) for cell in row))
        for name, row in zip(heat.rows, heat.cells, strict=True)
    )
    drawn = tag(
        "table",
        tag("thead", tag("tr", tag("th", f"{heat.row_name} ↓ {heat.column_name} →"), *heads)),
        tag("tbody", *lines),
        cls="heat",
    )
    fair = f" Framed: fair, from {heat.written(heat.fair[0])} to {heat.written(heat.fair[1])}." if heat.fair else ""
    caption = tag("figcaption", f"{heat.note}{fair}".strip(), cls="note")
    return tag("figure", tag("div", drawn, cls="wide", tabindex=0), caption)


def cell_out(cell: MapCell, middle: float, reach: float) -> float:
    """How far out a figure is, from -1 to 1; 0 for what is no figure.

    >>> cell_out(0.75, 0.5, 0.25), cell_out("nobody", 0.5, 0.25)
    (1.0, 0.0)
    """
    return (cell - middle) / reach if isinstance(cell, int | float) else 0.0


def _field(heat: Heat, cell: MapCell, out: float) -> Element:
    if not isinstance(cell, int | float):
        return tag("td", cell or "-", cls="" if cell else "soft")
    fair = heat.fair is not None and heat.fair[0] <= cell <= heat.fair[1]
    colour = "player-1" if out > 0 else "player-2"
    ground = f"background: color-mix(in srgb, var(--{colour}) {abs(out) * STRONGEST:.0f}%, transparent)"
    return tag("td", heat.written(cell), cls="fair" * fair, style=ground)
