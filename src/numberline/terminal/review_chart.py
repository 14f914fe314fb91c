"""The value along a game as a chart of text: above the line player 1 can force the win, below it player 2 can."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from rich.text import Text

from numberline.explain.review import ChartBar, chart_bars
from numberline.terminal.board import PLAYER_COLORS
from numberline.terminal.console import can_encode

ROWS_PER_SIDE = 4
"""The most rows on each side of the line."""
MAX_PLY_COLUMNS = 3
"""A ply takes at most so many columns, the gap after it counted."""


class ChartGlyphs(NamedTuple):
    """The characters that the chart is drawn with."""

    full: str
    lower: str
    upper: str
    line: str
    nobody: str
    """On the line, where nobody can force a win."""


UNICODE_CHART_GLYPHS = ChartGlyphs("█", "▄", "▀", "─", "●")
ASCII_CHART_GLYPHS = ChartGlyphs("#", ".", "'", "-", "=")


def render_review_chart(
    curve: Sequence[float],
    names: Sequence[str],
    mistakes: Collection[int],
    width: int,
    glyphs: ChartGlyphs | None = None,
) -> list[Text]:
    """The chart in lines no wider than the window; `mistakes` are the plies that get a question mark below it."""
    glyphs = glyphs or (UNICODE_CHART_GLYPHS if can_encode("".join(UNICODE_CHART_GLYPHS)) else ASCII_CHART_GLYPHS)
    each = -(-len(curve) // width)
    bars = chart_bars(curve, mistakes, each)
    size = max(1, min(MAX_PLY_COLUMNS, width // len(bars)))
    up = [_row([bar.up for bar in bars], row, size, (glyphs.full, glyphs.lower)) for row in range(ROWS_PER_SIDE, 0, -1)]
    down = [
        _row([bar.down for bar in bars], row, size, (glyphs.full, glyphs.upper)) for row in range(1, ROWS_PER_SIDE + 1)
    ]
    above, below = ([Text(row, PLAYER_COLORS[player]) for row in rows if row] for player, rows in ((1, up), (2, down)))
    lines = [_label(names[0], 1, width), *above, _line(bars, size, glyphs), *below, _label(names[1], 2, width)]
    return [*lines, *_foot(bars, size, each)]


def _row(sides: Sequence[float], row: int, size: int, strokes: tuple[str, str]) -> str:
    """One row of the bars on one side of the line, the first being the one next to it."""
    full, half = strokes
    drawn = ""
    for side in sides:
        level = max(1, round(side * 2 * ROWS_PER_SIDE)) if side else 0
        stroke = full if level >= 2 * row else half if level == 2 * row - 1 else " "
        drawn += _wide(stroke, " ", size)
    return drawn.rstrip()


def _line(bars: Sequence[ChartBar], size: int, strokes: ChartGlyphs) -> Text:
    line = Text()
    for bar in bars:
        if bar.up or bar.down:
            line.append(strokes.line * size, "dim")
        else:
            line.append(strokes.nobody, "yellow").append(strokes.line * (size - 1), "dim")
    return line


def _wide(stroke: str, gap: str, size: int) -> str:
    return stroke * max(1, size - 1) + gap * (size > 1)


def _label(name: str, player: int, width: int) -> Text:
    text = Text(f"{name} can force a win", f"bold {PLAYER_COLORS[player]}")
    text.truncate(width)
    return text


def _foot(bars: Sequence[ChartBar], size: int, each: int) -> list[Text]:
    """A question mark under each mistake, and the numbers of the plies."""
    marks = "".join(_wide("?" if bar.mistake else " ", " ", size)[:1].ljust(size) for bar in bars).rstrip()
    numbers = ""
    for column in range(len(bars)):
        text = str(column * each)
        free = not numbers or len(numbers) + 2 <= column * size
        if free and column * size + len(text) <= len(bars) * size and (column * each) % _step(each, size) == 0:
            numbers = numbers.ljust(column * size) + text
    return [*([Text(marks, "bold red")] if marks else []), Text(numbers, "dim")]


def _step(each: int, size: int) -> int:
    """The plies between two numbers: five columns or ten, whichever leaves room."""
    return each * (5 if size > 1 else 10)
