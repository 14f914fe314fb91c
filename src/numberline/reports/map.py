"""Web page of a sweep: a heat map for two settings, and a table for any number."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree.ElementTree import Element

from numberline.reports.charts import heatmap_chart
from numberline.reports.html import page, table, tag
from numberline.views.charts import HeatMap


def map_page(
    title: str,
    sentences: Sequence[str],
    *,
    heat: HeatMap | None = None,
    titles: Sequence[str] = (),
    rows: Iterable[Sequence[str]] = (),
) -> str:
    """Return the page: sentences, the heat map if any, and the table if it has titles."""
    articles = [
        tag("article", tag("h1", title), *(tag("p", text) for text in sentences), _figure(heat) if heat else None),
        tag("article", tag("h2", "Variant by variant"), _table(titles, rows)) if titles else None,
    ]
    return page(title, articles)


def _table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Element:
    lines = (
        tag("tr", *(tag("td", text, cls="name" * (not n), data_label=titles[n]) for n, text in enumerate(row)))
        for row in rows
    )
    return tag("div", table(titles, lines, "figures", 1), cls="wide", tabindex=0)


def _figure(heat: HeatMap) -> Element:
    return tag("figure", tag("div", heatmap_chart(heat), cls="wide", tabindex=0))
