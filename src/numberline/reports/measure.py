"""Self-contained HTML pages for a measured variant, a comparison of two variants, and a sweep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple
from xml.etree.ElementTree import Element

from numberline.explain.queries import ValueMap
from numberline.game.book import Book
from numberline.lab.metrics import METRICS, Measurements, SkillPoint, better_variant, describe_metric, format_metric
from numberline.lab.summary import (
    describe_bounds,
    describe_players,
    headline_points,
    skill_phrase,
    summarize,
    two_players_only_note,
)
from numberline.reports.charts import balance_chart, comparison_chart, heatmap_chart, length_chart, value_map_chart
from numberline.reports.html import METHOD_NOTES, data_table, page, panel, scrollable, table, tag
from numberline.views.charts import HeatMap


class MeasuredVariant(NamedTuple):
    book: Book
    measured: Measurements
    value_map: ValueMap | None


def measure_page(exhibit: MeasuredVariant) -> str:
    title = exhibit.book.full_title
    head = tag("article", tag("h1", title), *_answer(exhibit))
    return page(f"Measured: {title}", [head, _metrics([exhibit]), *_pictures(exhibit), _method([exhibit])])


def comparison_page(one: MeasuredVariant, other: MeasuredVariant, sentences: Sequence[str]) -> str:
    """Return a page that compares variants A and B; `sentences` describe the differences."""
    titles = [exhibit.book.full_title for exhibit in (one, other)]
    two_players = one.measured.curve and other.measured.curve
    head = tag(
        "article",
        tag("p", "Two variants compared", cls="eyebrow"),
        *(tag("h1", f"{letter}: {title}") for letter, title in zip("AB", titles, strict=True)),
        tag("div", *(tag("p", line) for line in sentences), cls="turning"),
        _figure(comparison_chart(one.measured, other.measured)) if two_players else None,
    )
    articles = [head, _metrics([one, other])]
    for letter, exhibit in zip("AB", (one, other), strict=True):
        title = tag("h2", f"{letter}: {exhibit.book.full_title}")
        articles.append(tag("article", title, *_answer(exhibit)))
        articles += _pictures(exhibit, f" in {letter}")
    return page(f"Compared: {titles[0]} and {titles[1]}", [*articles, _method([one, other])])


def map_page(
    title: str, sentences: Sequence[str], heat: HeatMap | None, titles: Sequence[str], rows: Iterable[Sequence[str]]
) -> str:
    """Return the page for a sweep: sentences, a heat map unless it is None, and a table unless `titles` is empty."""
    lines = list(rows)
    chart = _figure(heatmap_chart(heat, len(lines))) if heat else None
    variants = scrollable(data_table(titles, lines, ids=True)) if titles else None
    articles = [
        tag("article", tag("h1", title), *(tag("p", text) for text in sentences), chart),
        tag("article", tag("h2", "Variant by variant"), variants) if titles else None,
    ]
    return page(title, articles)


def _method(exhibits: Sequence[MeasuredVariant]) -> Element | None:
    if not any(exhibit.measured.curve for exhibit in exhibits):
        return None
    return tag("article", tag("h2", "How the figures are computed"), tag("p", METHOD_NOTES["measure"], cls="note"))


def _answer(exhibit: MeasuredVariant) -> Iterator[Element]:
    """Yield the summary and, for a two-player game, figures on how often the first player wins."""
    curve = exhibit.measured.curve
    yield tag("div", *(tag("p", line) for line in summarize(exhibit.measured, exhibit.book)), cls="turning")
    if curve:
        yield tag("div", *map(_panel, headline_points(exhibit.measured)), cls="players")
        yield _figure(balance_chart(curve))


def _panel(point: SkillPoint) -> Element:
    percent = f"{50 * (point.wins_1 + point.wins_2):.1f}"
    return panel("The first player wins", f"{percent}%", f"among {skill_phrase(point.skill)}", percent, player=1)


def _metrics(exhibits: Sequence[MeasuredVariant]) -> Element:
    """Return an article with the metrics, or with the reason why there are none."""
    measures = [exhibit.measured for exhibit in exhibits]
    if not any(measured.curve for measured in measures):
        return tag("article", *(tag("p", two_players_only_note(measured)) for measured in measures))
    unsure = (tag("p", text, cls="note") for measured in measures if (text := describe_bounds(measured)))
    return tag(
        "article",
        tag("h2", "Every metric"),
        tag("p", f"{describe_players(measures[0].players).capitalize()}."),
        _rows(exhibits),
        *unsure,
    )


def _rows(exhibits: Sequence[MeasuredVariant]) -> Element:
    """Return a table with one row per metric: its title, its figures, and an explanation of the last figure."""
    two, last = len(exhibits) > 1, exhibits[-1]
    rows = []
    for name, metric in METRICS.items():
        figures = [format_metric(name, exhibit.measured) for exhibit in exhibits]
        kind = "figure was" if two and len(set(figures)) == 1 else "figure"
        cells = [tag("td", text or "-", cls=kind) for text in figures]
        if two:
            cells.append(tag("td", better_variant(name, exhibits[0].measured, last.measured), cls="figure"))
        meaning = tag("td", describe_metric(name, last.measured, last.book), cls="said")
        rows.append(tag("tr", tag("td", metric.title), *cells, meaning))
    heads = ["metric", "A", "B", "better", "what it means in B"] if two else ["metric", "figure", "what it means"]
    return table(heads, rows, "metrics two" if two else "metrics")


def _pictures(exhibit: MeasuredVariant, whose: str = "") -> Iterator[Element]:
    if exhibit.measured.lengths:
        yield tag("article", tag("h2", f"How long games take{whose}"), _figure(length_chart(exhibit.measured)))
    if exhibit.value_map:
        yield tag("article", tag("h2", f"What each place is worth{whose}"), _figure(value_map_chart(exhibit.value_map)))


def _figure(chart: Element) -> Element:
    return tag("figure", scrollable(chart))
