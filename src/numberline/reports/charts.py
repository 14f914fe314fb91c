"""SVG charts, embedded in pages or saved as files: balance, game length, heat map, value map and review."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import wrap
from typing import NamedTuple, TypeAlias
from xml.etree.ElementTree import Element, tostring

from numberline.errors import OptionError
from numberline.explain.phrases import VALUE_PHRASES
from numberline.explain.queries import ValueMap
from numberline.explain.review import Review, chart_bars
from numberline.files.safe_write import write_atomic
from numberline.lab.metrics import FAIR_SHARE_BOUNDS, Measurements, SkillPoint
from numberline.palette import PALETTE, PLAYER_COLORS, VALUE_COLORS
from numberline.reports.html import tag
from numberline.solver.worth import Worth
from numberline.text import pluralize
from numberline.views.charts import BALANCE_TITLE, HeatMap, HeatMapCell, balance_notes, balance_rows, compare_curves

CHART_CSS = Path(__file__).with_name("chart.css").read_text(encoding="utf-8")
WIDTH, LINE_HEIGHT, TEXT_BASELINE, CHAR_WIDTH = 640, 20, 14, 7
LABEL_WIDTH, FIGURES_WIDTH = 64, 150
MAX_LENGTH_BARS, MAX_REVIEW_BARS = 120, 400
BARS_HEIGHT = 140
MIN_GRID_WIDTH = 320
REVIEW_SIDE_HEIGHT = 80
MIN_VALUE_TINT, MAX_VALUE_TINT = 0.15, 0.6
"""Lowest and highest opacity in a value map; on a cell above the highest, text must be light to stay legible."""


class PlotError(OptionError):
    """A chart that can't be drawn."""


def require_svg(path: Path) -> None:
    """Raise `PlotError` unless the file name ends in `.svg`."""
    if path.suffix.lower() != ".svg":
        raise PlotError(f"{path}: --plot writes SVG files; name it {path.stem}.svg, or use --html for a page")


def save_svg(path: Path, title: str, charts: Sequence[Element]) -> None:
    """Write charts, stacked vertically, to one standalone SVG file with the light colours of the palette inlined."""
    require_svg(path)
    width = max(float(chart.get("width", 0)) for chart in charts)
    heading = _lines([title], 0, cls="title", width=width)
    top = float(len(heading) * LINE_HEIGHT + 8)
    for chart in charts:
        chart.set("y", f"{top:.2f}")
        top += float(chart.get("height", 0)) + LINE_HEIGHT
    style = re.sub(r"var\(--([\w-]+)\)", lambda found: PALETTE[found[1]].light, CHART_CSS)
    drawing = tag(
        "svg",
        tag("title", title),
        tag("style", style),
        tag("rect", x=-16, y=-16, width=width + 32, height=top + 16, fill=PALETTE["card"].light),
        *heading,
        *charts,
        xmlns="http://www.w3.org/2000/svg",
        cls="chart",
        viewBox=f"-16 -16 {width + 32:g} {top + 16:g}",
        width=width + 32,
        height=top + 16,
    )
    write_atomic(path, f"{tostring(drawing, 'unicode')}\n")


def measure_charts(measured: Measurements) -> list[Element]:
    """Return the balance and length charts of a variant; raise `PlotError` unless it is a two-player game."""
    if not measured.curve:
        raise PlotError(f"{measured.variant} has no chart: it is not a two-player game")
    return [balance_chart(measured.curve, measured.variant), length_chart(measured)]


# Balance by skill


def balance_chart(points: Sequence[SkillPoint], title: str = "", *, compared: bool = False) -> Element:
    """Chart the first player's win rate at each skill level, with a band that marks a fair game."""
    parts = _lines([*([title] if title else []), BALANCE_TITLE], 0, cls="heading")
    top = len(parts) * LINE_HEIGHT
    plot = WIDTH - LABEL_WIDTH - FIGURES_WIDTH

    def x(share: float) -> float:
        return LABEL_WIDTH + plot * share

    parts += [_text(f"{share}%", x(share / 100), top, cls="soft mid") for share in (0, 25, 50, 75, 100)]
    top += LINE_HEIGHT
    first_row = top
    rows: list[Element] = []
    for heading, label, point in balance_rows(points):
        if heading:
            rows.append(_text(heading, 0, top))
            top += LINE_HEIGHT
        rows.append(_text(label, LABEL_WIDTH - 10, top, cls="end" if point.in_panel else "end soft"))
        rows += _balance_row(point, x, top)
        top += LINE_HEIGHT
    low, high = FAIR_SHARE_BOUNDS
    band = tag("rect", cls="band", x=x(low), y=first_row, width=x(high) - x(low), height=top - first_row)
    grid = (tag("line", cls="grid", x1=x(n / 4), x2=x(n / 4), y1=first_row, y2=top) for n in range(5))
    notes = ["The band marks a fair game: each player wins 45 to 55% of the games, no matter who starts."]
    notes += balance_notes(points, "Filled dot", "ring", starts_differ=start_matters(points), compared=compared)
    label = f"{BALANCE_TITLE} " + "; ".join(f"{point.skill}: {_figures(point)}" for point in points)
    return _chart(label, top, [band, *grid, *parts, *rows], notes)


def comparison_chart(one: Measurements, other: Measurements) -> Element:
    """Chart the balance of two variants in one picture."""
    return balance_chart(compare_curves(one.curve, other.curve), compared=True)


def start_matters(points: Sequence[SkillPoint]) -> bool:
    """Return whether any displayed figure depends on who starts."""
    return any(len({f"{share:.2f}" for share in point.shares}) > 1 for point in points)


def _balance_row(point: SkillPoint, x: Callable[[float], float], top: int) -> Iterator[Element]:
    middle = top + LINE_HEIGHT / 2
    first, second = point.shares
    yield tag("line", cls="stem", x1=x(min(first, second, 0.5)), x2=x(max(first, second, 0.5)), y1=middle, y2=middle)
    if start_matters([point]):
        yield tag("circle", cls="ring", cx=x(second), cy=middle, r=5)
    yield tag("circle", cls="dot", cx=x(first), cy=middle, r=5)
    yield _text(_figures(point), WIDTH - FIGURES_WIDTH + 16, top, cls="win" if point.is_fair else "")


def _figures(point: SkillPoint) -> str:
    first, second = (f"{100 * share:.1f}" for share in point.shares)
    text = first if first == second else f"{first} · {second}"
    return text + " fair" * point.is_fair + (f" ~{100 * point.endless:.1f}" if point.has_endless else "")


# Game lengths


def length_chart(measured: Measurements) -> Element:
    """Chart the distribution of game lengths, with dark bars for the middle 80% of games."""
    lengths, low, high = measured.lengths, measured.length_low, measured.length_high
    start = next((turns for turns, share in enumerate(lengths) if share > 0), 0)
    per_bar = -(-(len(lengths) - start) // MAX_LENGTH_BARS)
    starts = range(start, len(lengths), per_bar)
    shares = [sum(lengths[first : first + per_bar]) for first in starts]
    bar_width, peak, base = WIDTH / len(shares), max(shares), LINE_HEIGHT + BARS_HEIGHT
    bars = []
    for number, (first, share) in enumerate(zip(starts, shares, strict=True)):
        last = first + per_bar - 1
        turns = f"{first:,} turns" if per_bar == 1 else f"{first:,} to {last:,} turns"
        central = low is not None and high is not None and low <= last and first <= high
        height = max(1.0, BARS_HEIGHT * share / peak)
        box = {"x": (number + 0.08) * bar_width, "y": base - height, "width": bar_width * 0.84, "height": height}
        bar = tag("rect", cls="one" if central else "one faint", **box)
        bars.append(tag("g", tag("title", f"{turns}: {100 * share:.1f}%"), bar))
    parts = [
        _text("How many turns a game takes", 0, 0, cls="heading"),
        *bars,
        tag("line", cls="axis", x1=0, x2=WIDTH, y1=base, y2=base),
        _text(pluralize(start, "turn"), 0, base, cls="soft"),
        _text(pluralize(len(lengths) - 1, "turn"), WIDTH, base, cls="end soft"),
    ]
    notes = [f"Eight out of ten games take {low:,} to {high:,} turns (dark bars)."] if low is not None else []
    notes.append(f"The tallest bar represents {100 * peak:.1f}% of the games.")
    return _chart(f"How many turns a game takes. {' '.join(notes)}", base + LINE_HEIGHT, parts, notes)


# Grids: heat map of two settings, value of each place


def heatmap_chart(heat: HeatMap, linked_rows: int = 0) -> Element:
    """Chart a grid of figures with a scale; cells are coloured by their deviation from the middle and framed if fair.

    The first `linked_rows` variants are linked to the rows of a table (see `data_table`).
    """

    def cell(figure: HeatMapCell, number: int | None = None) -> _GridCell:
        deviation, text = heat.deviation(figure), heat.text(figure)
        strength = abs(deviation)
        opacity = 0.9 * strength if strength < 0.5 else 0.7 + 0.3 * strength
        tip = f"{heat.variants[number]}: {text}" if number is not None and heat.variants else ""
        link = f"#row-{number}" if number is not None and number < linked_rows else ""
        return _GridCell(text, "one" if deviation > 0 else "two", opacity, heat.is_fair(figure), tip, link)

    wide = len(heat.columns)
    cells = [[cell(figure, wide * n + at) for at, figure in enumerate(row)] for n, row in enumerate(heat.cells)]
    rows = list(heat.rows)
    if scale := [cell(figure) for figure in heat.scale()]:
        cells, rows = [*cells, [], scale], [*rows, "", "scale"]
    notes = [heat.note, f"Framed: {heat.fair_note}." if heat.fair_note else ""]
    return _grid(f"{heat.row_name} ↓ {heat.column_name} →", rows, heat.columns, cells, notes)


def value_map_chart(picture: ValueMap) -> Element:
    """Chart the value of each position and the number of turns to the end; the fewer turns, the stronger the colour."""
    worths = [worth for row in picture.cells for worth in row if worth]
    longest = max((worth.plies or 0 for worth in worths), default=0)

    def cell(worth: Worth) -> _GridCell:
        nearness = 1 - (longest if worth.plies is None else worth.plies) / (longest + 1)
        opacity = MIN_VALUE_TINT + (MAX_VALUE_TINT - MIN_VALUE_TINT) * nearness
        return _GridCell(str(worth), VALUE_COLORS[worth.value], opacity)

    cells = [[cell(worth) if worth else None for worth in row] for row in picture.cells]
    values = dict.fromkeys(worth.value for worth in worths)
    notes = [f"{Worth(value).letter} {VALUE_PHRASES[value]}" for value in values]
    notes.append("The number is the maximum number of turns until the win.")
    return _grid(picture.title, picture.rows, picture.columns, cells, notes)


class _GridCell(NamedTuple):
    text: str
    color: str
    opacity: float
    framed: bool = False
    tip: str = ""
    link: str = ""


_GridRow: TypeAlias = Sequence[_GridCell | None]


def _grid(
    heading: str, rows: Sequence[str], columns: Sequence[str], cells: Sequence[_GridRow], notes: Sequence[str]
) -> Element:
    margin = max(map(len, rows)) * CHAR_WIDTH + 12
    chars = max(3, *map(len, columns), *(len(cell.text) for row in cells for cell in row if cell))
    cell_width = chars * CHAR_WIDTH + 6
    width = max(margin + cell_width * len(columns), MIN_GRID_WIDTH)
    parts = _lines([heading], 0, cls="heading", width=width)
    top = len(parts) * LINE_HEIGHT
    parts += (_text(name, margin + cell_width * (n + 0.5), top, cls="soft mid") for n, name in enumerate(columns))
    for name, row in zip(rows, cells, strict=True):
        top += LINE_HEIGHT
        parts.append(_text(name, margin - 8, top, cls="end soft"))
        for column, cell in enumerate(row):
            if cell is None:
                continue
            x = margin + cell_width * column
            box = {"x": x + 1.0, "y": top + 1.0, "width": cell_width - 2.0, "height": LINE_HEIGHT - 2.0, "rx": 3}
            drawn = [tag("title", cell.tip)] if cell.tip else []
            drawn.append(tag("rect", cls=cell.color, fill_opacity=cell.opacity, **box))
            drawn += [tag("rect", cls="frame", **box)] if cell.framed else []
            inverse = " inverse" * (cell.opacity > MAX_VALUE_TINT)
            drawn.append(_text(cell.text, x + cell_width / 2, top, cls=f"mid{inverse}"))
            parts.append(tag("a", *drawn, href=cell.link) if cell.link else tag("g", *drawn))
    return _chart(heading, top + LINE_HEIGHT, parts, filter(None, notes), width)


# Review of a game


def review_chart(review: Review, tips: Sequence[str] = ()) -> Element:
    """Chart one bar per turn: above the line if player 1 is winning, below it if player 2 is."""
    per_bar = -(-len(review.series) // MAX_REVIEW_BARS)
    bars = chart_bars(review.curve, review.mistakes, per_bar)
    bar_width = WIDTH / len(bars)
    middle = float(LINE_HEIGHT + REVIEW_SIDE_HEIGHT)
    mistakes_top = middle + REVIEW_SIDE_HEIGHT + 4
    drawn = []
    for number, bar in enumerate(bars):
        boxes = (
            (PLAYER_COLORS[0], middle - bar.up * REVIEW_SIDE_HEIGHT, bar.up * REVIEW_SIDE_HEIGHT),
            (PLAYER_COLORS[1], middle, bar.down * REVIEW_SIDE_HEIGHT),
            ("even", middle - 2, 0.0 if bar.up or bar.down else 4.0),
            ("loss", mistakes_top, 8.0 if bar.mistake else 0.0),
        )
        left, width = number * bar_width, bar_width * (0.84 if per_bar == 1 else 1)
        rects = (tag("rect", cls=kind, x=left, y=y, width=width, height=high) for kind, y, high in boxes if high)
        turns = f"Turns {number * per_bar:,} to {min((number + 1) * per_bar - 1, len(review.plies)):,}"
        drawn.append(tag("g", tag("title", tips[number] if per_bar == 1 and tips else turns), *rects))
    first, second = review.names[:2]
    bottom = mistakes_top + 8
    parts = [
        _text(f"▲ {first} is winning", 0, 0, cls="one"),
        *drawn,
        tag("line", cls="axis", x1=0, x2=WIDTH, y1=middle, y2=middle),
        _text("start", 0, bottom, cls="soft"),
        _text(pluralize(len(review.plies), "turn"), WIDTH, bottom, cls="end soft"),
        _text("▬ a mistake", WIDTH / 2, bottom, cls="loss mid") if review.mistakes else None,
        _text(f"▼ {second} is winning", 0, bottom + LINE_HEIGHT, cls="two"),
    ]
    label = f"Who is winning, turn by turn: {first} above the line, {second} below it"
    return _chart(label, bottom + 2 * LINE_HEIGHT, [part for part in parts if part is not None], [])


# Parts


def _chart(label: str, top: float, parts: Iterable[Element], notes: Iterable[str], width: float = WIDTH) -> Element:
    lines = _lines(list(notes), top, cls="soft", width=width)
    height = top + len(lines) * LINE_HEIGHT
    size = {"viewBox": f"0 0 {width:g} {height:g}", "width": width, "height": height}
    shown = list(parts)
    role = "group" if any(part.tag == "a" for part in shown) else "img"  # the content of an image can't be focused
    return tag("svg", *shown, *lines, cls="chart", **size, role=role, aria_label=label)


def _text(text: str, x: float, top: float, cls: str = "") -> Element:
    return tag("text", text, cls=cls, x=float(x), y=float(top + TEXT_BASELINE))


def _lines(texts: Sequence[str], top: float, cls: str = "", width: float = WIDTH) -> list[Element]:
    lines = [line for text in texts for line in wrap(text, int(width / CHAR_WIDTH))]
    return [_text(line, 0, top + n * LINE_HEIGHT, cls) for n, line in enumerate(lines)]
