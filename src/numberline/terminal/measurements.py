"""Text rendering of measurements: metrics, comparisons, balance charts and heat maps.

Colour is never the only sign: numbers, words and shades carry the same information.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

from rich.text import Text

from numberline.game.book import Book
from numberline.lab.metrics import (
    FAIR_SHARE_BOUNDS,
    METRICS,
    Measurements,
    SkillPoint,
    better_variant,
    describe_metric,
    format_metric,
)
from numberline.terminal.console import wrap_text
from numberline.views.charts import BALANCE_TITLE, HeatMap, HeatMapCell, balance_notes, balance_rows, compare_curves

_MIN_ONE_LINE_COLUMNS, _MAX_COLUMNS = 76, 110
"""Minimum window width for showing each metric on one line instead of two, and maximum width of a line."""
_MIN_PLOT_COLUMNS, _MAX_PLOT_COLUMNS = 11, 61
_MIN_COLUMNS_FOR_WORDS = 60
_FAIR_MARK, _FAIR_SHADE = "*", "="
_MAX_BLOCKS = 2
_MAX_BLOCKS_OF_FEW_ROWS = 4
_FEW_ROWS = 12
_BETTER_NOTE = (
    "Better means nearer to what designers usually want. A row without a letter is a tie or a matter of taste."
)
_MAX_VERTICAL_LABEL_CHARS = 4


def render_metrics(measured: Measurements, book: Book, width: int | None) -> list[Text]:
    """Return the name, value and meaning of each metric, on one line or, in a narrow window, on two."""
    rows = [
        (METRICS[name].title, format_metric(name, measured), describe_metric(name, measured, book)) for name in METRICS
    ]
    columns = min(width or _MAX_COLUMNS, _MAX_COLUMNS)
    first, second = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    lines = []
    for title, figure, meaning in rows:
        line = Text().append(title.ljust(first), "bold").append(f"  {figure or '-':<{second}}")
        if columns >= _MIN_ONE_LINE_COLUMNS:
            head, *rest = wrap_text(meaning, columns - first - second - 4).split("\n")
            lines += [line.append(f"  {head}"), *(Text(" " * (first + second + 4) + more) for more in rest)]
        else:
            line.rstrip()
            lines += [line, *(Text(more, "dim") for more in wrap_text(meaning, columns, "  ").split("\n"))]
    return lines


def render_comparison(one: Measurements, other: Measurements, width: int | None) -> list[Text]:
    """Return each metric of variants A and B and the better variant, side by side or, in a narrow window, stacked."""
    rows = [
        ("perfect play", _perfect(one), _perfect(other), ""),
        ("positions", f"{one.positions:,}", f"{other.positions:,}", ""),
    ]
    measured = [
        (metric.title, format_metric(name, one), format_metric(name, other), better_variant(name, one, other))
        for name, metric in METRICS.items()
    ]
    rows += [row for row in measured if any(row[1:])]
    lines = _columns([("", "A", "B", "better"), *rows], width)
    lines += [Text(line, "dim") for line in wrap_text(_BETTER_NOTE, width).split("\n")] if one.curve else []
    if not one.curve or not other.curve:
        return lines
    return [*lines, Text(), *render_balance_chart(compare_curves(one.curve, other.curve), width, compared=True)]


def _columns(rows: Sequence[tuple[str, str, str, str]], width: int | None) -> list[Text]:
    sizes = [max(len(row[column]) for row in rows) for column in range(4)]
    narrow = width is not None and sum(sizes) + 6 > width
    lines = []
    for name, before, after, better in rows:
        style = "bold" if before != after else "dim"
        if not narrow:
            line = Text().append(name.ljust(sizes[0])).append(f"  {before or '-':<{sizes[1]}}  ")
            lines.append(line.append(f"{after or '-':<{sizes[2]}}", style).append(f"  {better}"))
            lines[-1].rstrip()
        elif name:
            compared = Text(f"  A {before or '-'}").append(f"  B {after or '-'}", style)
            lines += [Text(name), compared.append(f"  {better} is better" if better else "")]
    return lines


def _perfect(measured: Measurements) -> str:
    return f"player {measured.winner} in {measured.plies:,}" if measured.winner else "no winner"


# Balance chart


def render_balance_chart(points: Sequence[SkillPoint], width: int | None, *, compared: bool = False) -> list[Text]:
    """Return a chart with one row per skill level, at most `width` columns wide; None means unlimited.

    The band in the middle marks the fair range; fair rows are also labelled. A row has one dot per starting player or,
    if `compared`, one per variant.
    """
    columns = width or 100
    word = "fair" if columns >= _MIN_COLUMNS_FOR_WORDS else "="
    rows, figures = list(balance_rows(points)), _figures(points, word)
    margin = max(len(label) for _, label, _ in rows)
    plot = _BalancePlot(columns - margin - max(map(len, figures)) - 4)
    lines = [Text(line, "bold") for line in wrap_text(BALANCE_TITLE, columns).split("\n")]
    lines.append(Text().append(" " * (margin + 1)).append(plot.scale(), "dim"))
    for (heading, label, point), figure in zip(rows, figures, strict=True):
        if heading:
            lines.append(Text(heading))
        line = Text().append(label.rjust(margin), "" if point.in_panel else "dim").append(" ")
        line.append_text(plot.row(point)).append(" ").append(figure, "bold green" if point.is_fair else "")
        lines.append(line)
    notes = balance_notes(points, "●", "○", starts_differ=_differ(points), compared=compared)
    if word == "=" and any(point.is_fair for point in points):
        notes.append("= fair: each player wins 45 to 55% of the games, no matter who starts")
    return [*lines, *(Text(line, "dim") for line in wrap_text("\n".join(notes), columns).split("\n") if line)]


def _within(share: float) -> bool:
    return FAIR_SHARE_BOUNDS[0] <= share <= FAIR_SHARE_BOUNDS[1]


def _figures(points: Sequence[SkillPoint], word: str) -> list[str]:
    """Return the text after each row: one or two percentages, the share of endless games, and a mark on fair rows."""
    firsts, seconds = ([_percent(point.shares[start]) for point in points] for start in (0, 1))
    size, two = max(map(len, [*firsts, *seconds])), _differ(points)
    endless = any(point.has_endless for point in points)
    figures = []
    for point, first, second in zip(points, firsts, seconds, strict=True):
        shares = first.rjust(size) + f" {second:>{size}}" * two
        never = (f" ~{100 * point.endless:<3.0f}" if point.has_endless else " " * 5) * endless
        figures.append(f"{shares}{never} {word * point.is_fair}".rstrip())
    return figures


def _percent(share: float) -> str:
    """Return a percentage, with a decimal only if rounding would make a fair share look unfair or vice versa."""
    whole = f"{100 * share:.0f}"
    return whole if _within(int(whole) / 100) == _within(share) else f"{100 * share:.1f}"


def _differ(points: Sequence[SkillPoint]) -> bool:
    """Return whether the percentages depend on who starts."""
    return any(len(set(map(_percent, point.shares))) > 1 for point in points)


class _BalancePlot:
    """Scale from 0 to 1 for the rows of the chart; the number of columns is odd, so that there is a middle column."""

    def __init__(self, columns: int) -> None:
        columns = max(_MIN_PLOT_COLUMNS, min(_MAX_PLOT_COLUMNS, columns))
        self.size = size = columns - 1 + columns % 2
        low, high = (share * (size - 1) for share in FAIR_SHARE_BOUNDS)
        self.band = range(-int(-low // 1), int(high) + 1)

    def scale(self) -> str:
        middle = "fair" if self.size < 30 else "45% fair 55%"
        return f"0%{middle:^{self.size - 4}}100%"[: self.size + 2].rjust(self.size + 2)

    def column(self, share: float) -> int:
        """Return the column for a share; the column is inside the band if and only if the share is fair."""
        column = round(share * (self.size - 1))
        if share < FAIR_SHARE_BOUNDS[0]:
            return min(column, self.band.start - 1)
        if share > FAIR_SHARE_BOUNDS[1]:
            return max(column, self.band.stop)
        return min(max(column, self.band.start), self.band.stop - 1)

    def row(self, point: SkillPoint) -> Text:
        """Return the row for a skill level: its dots, connected to the fair band by lines."""
        cells = [("░", "green") if column in self.band else (" ", "") for column in range(self.size)]
        ends = [self.column(share) for share in reversed(point.shares)]
        for end in ends:
            for column in (*range(end, self.band.start), *range(self.band.stop, end + 1)):
                cells[column] = ("─", "dim")
        for end, dot, color in zip(ends, ("○", "●"), ("magenta", "bold cyan"), strict=True):
            cells[end] = (dot, color)
        line = Text().append("│", "dim")
        for glyph, style in cells:
            line.append(glyph, style)
        return line.append("│", "dim")


# Heat map


_SHADES = "·░▒▓█"
_Rgb: TypeAlias = tuple[int, int, int]
_ColorScale: TypeAlias = tuple[_Rgb, _Rgb, _Rgb]
_BACKGROUND_COLORS: _ColorScale = ((5, 80, 174), (58, 58, 64), (188, 76, 0))
_SHADE_COLORS: _ColorScale = ((56, 139, 253), (128, 128, 132), (240, 130, 30))
_FAIR_STYLE = "bold black on #8fd6a8"


def render_heatmap(heat: HeatMap, title: str, width: int | None) -> list[Text]:
    """Return a heat map at most `width` columns wide (None means unlimited), with numbers if they fit, or else shades.

    A grid that is too wide is split into blocks. Labels that are too long become letters, which are explained below the
    grid.
    """
    grid = _HeatGrid(heat, width)
    lines = grid.numbers() or grid.shades() or grid.numbers(max_blocks=len(heat.columns))
    head = [Text(line, "bold") for line in wrap_text(title, width).split("\n")] if title else []
    return [*head, *lines]


def _interpolate(share: float, colors: _ColorScale) -> str:
    """Return the colour at `share` on a scale from the first colour (0) to the last (1)."""
    share = min(1.0, max(0.0, share))
    low, high, part = (*colors[:2], share * 2) if share < 0.5 else (*colors[1:], share * 2 - 1)
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _blocks(count: int, size: int) -> Iterator[slice]:
    """Return slices of at most `size` columns that cover `count` columns."""
    return (slice(start, start + size) for start in range(0, count, size))


class _HeatGrid:
    """Layout of a heat map in a window of a given width."""

    def __init__(self, heat: HeatMap, width: int | None) -> None:
        self.width = width or 10_000
        self.heat, self.cells, self.columns = heat, heat.cells, heat.columns
        self.has_fair = any(heat.is_fair(cell) for row in heat.cells for cell in row)
        self.texts = [[self._text(cell) for cell in row] for row in heat.cells]
        self.rows, self.row_legend = _shorten(heat.rows, max(8, self.width // 3))
        self.margin = max(map(len, self.rows), default=0)

    def _text(self, cell: HeatMapCell) -> str:
        return self.heat.text(cell) + (_FAIR_MARK if self.heat.is_fair(cell) else " ") * self.has_fair

    def _style(self, cell: HeatMapCell, colors: _ColorScale, prefix: str = "") -> str:
        if not isinstance(cell, int | float):
            return "dim" if cell is None and prefix else ""
        color = _interpolate((1 + self.heat.deviation(cell)) / 2, colors)
        return _FAIR_STYLE if self.heat.is_fair(cell) else prefix + color

    def numbers(self, max_blocks: int = _MAX_BLOCKS) -> list[Text]:
        """Return the grid with a number in every cell, or an empty list if that would take too many blocks."""
        longest = max((len(text) for row in self.texts for text in row), default=1)
        columns, legend = _shorten(self.columns, max(longest, 7))
        size = max(longest, *(len(name) + self.has_fair for name in columns)) + 1
        blocks = list(_blocks(len(columns), max(1, (self.width - self.margin) // size)))
        if len(blocks) > (max_blocks if len(self.rows) > _FEW_ROWS else max(max_blocks, _MAX_BLOCKS_OF_FEW_ROWS)):
            return []
        lines: list[Text] = []
        for block in blocks:
            head = "".join(f"{name}{' ' * self.has_fair}".rjust(size) for name in columns[block])
            lines += [Text()] * bool(lines)
            lines.append(Text(" " * self.margin + head.rstrip(), "dim"))
            lines += [self._number_row(row, block, size) for row in range(len(self.rows))]
        fair_note = f"{_FAIR_MARK} {self.heat.fair_note}" if self.has_fair else ""
        return [*lines, *self._notes(legend, fair_note)]

    def _number_row(self, row: int, block: slice, size: int) -> Text:
        line = Text().append(self.rows[row].rjust(self.margin), "dim")
        for text, cell in zip(self.texts[row][block], self.cells[row][block], strict=True):
            style = self._style(cell, _BACKGROUND_COLORS, "#f2efe9 on ")
            # The space keeps the backgrounds of adjacent cells apart.
            padding = " " * (size - len(text) - 1)
            line.append(" ").append(padding + text.rstrip(), style).append(" " * text.endswith(" "))
        line.rstrip()
        return line

    def shades(self) -> list[Text]:
        """Return the grid with one shaded character per cell, or an empty list if any cell contains text."""
        if any(isinstance(cell, str) for row in self.cells for cell in row):
            return []
        columns, legend = _shorten(self.columns, _MAX_VERTICAL_LABEL_CHARS)
        height = max(map(len, columns))
        lines: list[Text] = []
        for block in _blocks(len(columns), max(1, self.width - self.margin - 1)):
            lines += [Text()] * bool(lines)
            for number in range(height):
                letters = "".join(name.rjust(height)[number] for name in columns[block])
                lines.append(Text(f"{' ' * self.margin} {letters}".rstrip(), "dim"))
            for name, row in zip(self.rows, self.cells, strict=True):
                line = Text().append(f"{name.rjust(self.margin)} ", "dim")
                for cell in row[block]:
                    line.append(self._shade(cell), self._style(cell, _SHADE_COLORS))
                lines.append(line)
        return [*lines, *self._notes(legend, self._shade_note())]

    def _shade(self, cell: HeatMapCell) -> str:
        if not isinstance(cell, int | float):
            return " "
        if self.heat.is_fair(cell):
            return _FAIR_SHADE
        count = len(_SHADES)
        return _SHADES[min(count - 1, int(self.heat.share(cell) * count))]

    def _shade_note(self) -> str:
        heat, count = self.heat, len(_SHADES)
        low, high = heat.bounds
        edges = [heat.format_value(low + (high - low) * n / count) for n in range(count + 1)]
        parts = [f"{shade} {edges[n]} to {edges[n + 1]}" for n, shade in enumerate(_SHADES)]
        if high == low:
            parts = [f"{_SHADES[count // 2]} {edges[0]}"]
        if heat.fair_note:
            parts.append(f"{_FAIR_SHADE} {heat.fair_note}")
        return ", ".join(parts)

    def _notes(self, column_legend: Sequence[tuple[str, str]], note: str) -> list[Text]:
        notes = [*(f"{letter}: {name}" for letter, name in (*column_legend, *self.row_legend)), note]
        return [Text(line, "dim") for text in notes if text for line in wrap_text(text, self.width).split("\n")]


def _shorten(names: Sequence[str], max_chars: int) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the names and an empty legend, or letters and their legend if any name is too long.

    >>> _shorten(["1-2", "1, 2 and 5"], 4)
    (['a', 'b'], [('a', '1-2'), ('b', '1, 2 and 5')])
    """
    if all(len(name) <= max_chars for name in names):
        return list(names), []
    letters = [_letters(number) for number in range(len(names))]
    return letters, list(zip(letters, names, strict=True))


def _letters(number: int) -> str:
    """Return the label for a number counted from 0: `a` to `z`, then `aa`, `ab` and so on."""
    more, last = divmod(number, 26)
    return (_letters(more - 1) if more else "") + chr(ord("a") + last)
