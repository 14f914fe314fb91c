"""Two settings against each other, a field a variant: numbers where they fit, else shades; colour only repeats them.

Nothing is cut off. Where the fields don't fit beside each other they stand in stretches below each other, and a value
that is too long to stand above its column gets a letter that is explained below the picture.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from rich.text import Text

from numberline.terminal.console import can_encode, wrap_text
from numberline.views.charts import HeatMap, HeatMapCell

FAIR_MARK = "*"
"""Stands after a figure that is fair."""
MAX_REPEATED_ROWS = 12
"""More rows than this are not repeated in many stretches: shades take less room."""
MAX_BLOCKS = 2
MAX_VERTICAL_LABEL_CHARS = 4
"""In a picture of shades a column's value is written downwards if it has no more letters than this."""


class HeatmapGlyphs(NamedTuple):
    """The characters of a picture of shades, from the smallest figures to the largest, and the one for what is fair."""

    shades: str
    fair: str


UNICODE_HEATMAP_GLYPHS = HeatmapGlyphs("·░▒▓█", "=")
ASCII_HEATMAP_GLYPHS = HeatmapGlyphs(".:*%#", "=")
Rgb: TypeAlias = tuple[int, int, int]
BACKGROUND_COLORS: tuple[Rgb, Rgb, Rgb] = ((24, 78, 119), (58, 58, 64), (156, 78, 20))
"""The ground below the smallest figure, below the one in the middle, and below the largest."""
FOREGROUND_COLORS: tuple[Rgb, Rgb, Rgb] = ((64, 132, 184), (128, 128, 132), (206, 118, 40))
"""The same for shades."""
FAIR_STYLE = "bold black on #8fd6a8"


def render_heatmap(heat: HeatMap, title: str, width: int | None, glyphs: HeatmapGlyphs | None = None) -> list[Text]:
    """Return the map in lines no wider than the window; None stands for any width."""
    glyphs = glyphs or (UNICODE_HEATMAP_GLYPHS if can_encode(UNICODE_HEATMAP_GLYPHS.shades) else ASCII_HEATMAP_GLYPHS)
    picture = _Picture(heat, width)
    lines = picture.numbers() or picture.shades(glyphs) or picture.numbers(most=len(heat.columns))
    head = [Text(line, "bold") for line in wrap_text(title, width).split("\n")] if title else []
    return [*head, *lines]


def _interpolate(share: float, colors: tuple[Rgb, Rgb, Rgb]) -> str:
    """Return the colour between the first (0) and the last (1)."""
    share = min(1.0, max(0.0, share))
    low, high, part = (*colors[:2], share * 2) if share < 0.5 else (*colors[1:], share * 2 - 1)
    red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
    return f"#{red:02x}{green:02x}{blue:02x}"


class _Picture:
    """One map, and the room that there is for it."""

    def __init__(self, heat: HeatMap, width: int | None) -> None:
        self.width = width or 10_000
        self.heat, self.cells, self.columns = heat, heat.cells, heat.columns
        self.marks = any(heat.is_fair(cell) for row in heat.cells for cell in row)
        self.texts = [[self._text(cell) for cell in row] for row in heat.cells]
        self.rows, self.named_rows = _short(heat.rows, max(8, self.width // 3))
        self.margin = max(map(len, self.rows), default=0)

    def _text(self, cell: HeatMapCell) -> str:
        return self.heat.text(cell) + (FAIR_MARK if self.heat.is_fair(cell) else " ") * self.marks

    def _style(self, cell: HeatMapCell, colors: tuple[Rgb, Rgb, Rgb], prefix: str = "") -> str:
        if not isinstance(cell, int | float):
            return "dim" if cell is None and prefix else ""
        return FAIR_STYLE if self.heat.is_fair(cell) else prefix + _interpolate(self.heat.share(cell), colors)

    def numbers(self, most: int = MAX_BLOCKS) -> list[Text]:
        """Every field with its figure, in at most so many stretches; nothing where that takes more."""
        longest = max((len(text) for row in self.texts for text in row), default=1)
        columns, named = _short(self.columns, max(longest, 7))
        size = max(longest, *(len(name) + self.marks for name in columns)) + 1
        each = max(1, (self.width - self.margin) // size)
        stretches = -(-len(columns) // each)
        if stretches > (most if len(self.rows) > MAX_REPEATED_ROWS else max(most, 4)):
            return []
        lines: list[Text] = []
        for begin in range(0, len(columns), each):
            part = slice(begin, begin + each)
            lines += [Text()] * bool(lines)
            lines.append(
                Text(
                    " " * self.margin
                    + "".join(f"{name}{' ' * self.marks}".rjust(size) for name in columns[part]).rstrip(),
                    "dim",
                )
            )
            for number, name in enumerate(self.rows):
                lines.append(self._row(number, name, part, size))
        return [*lines, *self._explained(named), *self._fair_note()]

    def _row(self, number: int, name: str, part: slice, size: int) -> Text:
        line = Text().append(name.rjust(self.margin), "dim")
        for text, cell in zip(self.texts[number][part], self.cells[number][part], strict=True):
            gap = size - len(text)
            style = self._style(cell, BACKGROUND_COLORS, "#f2efe9 on ")
            # One space is left between the fields: figures stay apart without colour too.
            line.append(" ").append(" " * (gap - 1) + text.rstrip(), style).append(" " * text.endswith(" "))
        line.rstrip()
        return line

    def shades(self, strokes: HeatmapGlyphs) -> list[Text]:
        """Every field as one character, darker the larger its figure; nothing where there are words in the fields."""
        if any(isinstance(cell, str) for row in self.cells for cell in row):
            return []
        columns, named = _short(self.columns, MAX_VERTICAL_LABEL_CHARS)
        each = max(1, self.width - self.margin - 1)
        high = max(map(len, columns))
        lines: list[Text] = []
        for begin in range(0, len(columns), each):
            part = columns[begin : begin + each]
            lines += [Text()] * bool(lines)
            for letter in range(high):
                above = "".join(name.rjust(high)[letter] for name in part)
                lines.append(Text(f"{' ' * self.margin} {above}".rstrip(), "dim"))
            for name, row in zip(self.rows, self.cells, strict=True):
                line = Text().append(f"{name.rjust(self.margin)} ", "dim")
                for cell in row[begin : begin + each]:
                    line.append(self._shade(cell, strokes), self._style(cell, FOREGROUND_COLORS))
                lines.append(line)
        return [*lines, *self._explained(named), *self._shade_note(strokes)]

    def _shade(self, cell: HeatMapCell, strokes: HeatmapGlyphs) -> str:
        if not isinstance(cell, int | float):
            return " "
        if self.heat.is_fair(cell):
            return strokes.fair
        count = len(strokes.shades)
        return strokes.shades[min(count - 1, int(self.heat.share(cell) * count))]

    def _shade_note(self, strokes: HeatmapGlyphs) -> list[Text]:
        heat, count = self.heat, len(strokes.shades)
        low, high = heat.bounds
        edges = [heat.format_value(low + (high - low) * n / count) for n in range(count + 1)]
        parts = [f"{shade} {edges[n]} to {edges[n + 1]}" for n, shade in enumerate(strokes.shades)]
        if high == low:
            parts = [f"{strokes.shades[count // 2]} {edges[0]}"]
        if heat.fair_note:
            parts.append(f"{strokes.fair} {heat.fair_note}")
        return self._note(", ".join(parts))

    def _fair_note(self) -> list[Text]:
        return self._note(f"{FAIR_MARK} {self.heat.fair_note}") if self.marks else []

    def _explained(self, columns: Sequence[tuple[str, str]]) -> list[Text]:
        """What the letters stand for that took the place of long values."""
        return [line for short, name in (*columns, *self.named_rows) for line in self._note(f"{short}: {name}")]

    def _note(self, text: str) -> list[Text]:
        return [Text(line, "dim") for line in wrap_text(text, self.width).split("\n")]


def _short(names: Sequence[str], most: int) -> tuple[list[str], list[tuple[str, str]]]:
    """The names, or letters in their place where one is longer than `most`, with what each letter stands for.

    >>> _short(["1-2", "1, 2 and 5"], 4)
    (['a', 'b'], [('a', '1-2'), ('b', '1, 2 and 5')])
    """
    if all(len(name) <= most for name in names):
        return list(names), []
    letters = [_letters(number) for number in range(len(names))]
    return letters, list(zip(letters, names, strict=True))


def _letters(number: int) -> str:
    """`a` to `z`, then `aa`, `ab` and so on."""
    more, last = divmod(number, 26)
    return (_letters(more - 1) if more else "") + chr(ord("a") + last)
