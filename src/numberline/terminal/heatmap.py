"""Two settings against each other, a field a variant: numbers where they fit, else shades; colour only repeats them.

Nothing is cut off. Where the fields don't fit beside each other they stand in stretches below each other, and a value
that is too long to stand above its column gets a letter that is explained below the picture.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from rich.text import Text

from numberline.terminal.console import can_encode, wrap_text

HeatmapCell: TypeAlias = float | str | None
"""A figure; or a word that stands there as it is, such as who wins; or nothing, where there is no such variant."""

NO_VARIANT_MARK = "-"
"""Stands where there is no variant."""
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


class ColorScale(NamedTuple):
    """How figures become words, shades and colours."""

    low: float
    high: float
    fair: tuple[float, float] | None
    format_value: Callable[[float], str]

    def share(self, figure: float) -> float:
        """How far it is from the lowest to the highest, from 0 to 1."""
        return (figure - self.low) / (self.high - self.low) if self.high > self.low else 0.5

    def is_fair(self, cell: HeatmapCell) -> bool:
        """Whether it lies within what is fair, where there is such a thing."""
        return isinstance(cell, int | float) and self.fair is not None and self.fair[0] <= cell <= self.fair[1]

    def style(self, cell: HeatmapCell) -> str:
        """The colours of a field with a figure in it."""
        if not isinstance(cell, int | float):
            return "dim" if cell is None else ""
        return FAIR_STYLE if self.is_fair(cell) else f"#f2efe9 on {self._between(cell, BACKGROUND_COLORS)}"

    def foreground(self, cell: HeatmapCell) -> str:
        """The colour of a shade."""
        if not isinstance(cell, int | float):
            return ""
        return FAIR_STYLE if self.is_fair(cell) else self._between(cell, FOREGROUND_COLORS)

    def _between(self, figure: float, colours: tuple[Rgb, Rgb, Rgb]) -> str:
        """The colour for a figure: the first for the lowest, the last for the highest."""
        share = min(1.0, max(0.0, self.share(figure)))
        low, high, part = (*colours[:2], share * 2) if share < 0.5 else (*colours[1:], share * 2 - 1)
        red, green, blue = (round(a + (b - a) * part) for a, b in zip(low, high, strict=True))
        return f"#{red:02x}{green:02x}{blue:02x}"


def format_share(figure: float) -> str:
    """A share as a whole number of percent, without the sign."""
    return f"{100 * figure:.0f}"


def render_heatmap(
    rows: Sequence[str],
    columns: Sequence[str],
    cells: Sequence[Sequence[HeatmapCell]],
    title: str,
    width: int | None,
    *,
    fair: tuple[float, float] | None = None,
    format_value: Callable[[float], str] = format_share,
    glyphs: HeatmapGlyphs | None = None,
) -> list[Text]:
    """The picture in lines no wider than the window; None stands for any width.

    Figures are written as `written` does, by default as percent, and those from `fair[0]` to `fair[1]` stand out.
    """
    glyphs = glyphs or (UNICODE_HEATMAP_GLYPHS if can_encode(UNICODE_HEATMAP_GLYPHS.shades) else ASCII_HEATMAP_GLYPHS)
    figures = [cell for row in cells for cell in row if isinstance(cell, int | float)]
    scale = ColorScale(min(figures, default=0.0), max(figures, default=1.0), fair, format_value)
    picture = _Picture(rows, columns, cells, scale, width)
    lines = picture.numbers() or picture.shades(glyphs) or picture.numbers(most=len(columns))
    head = [Text(line, "bold") for line in wrap_text(title, width).split("\n")] if title else []
    return [*head, *lines]


class _Picture:
    """One map, and the room that there is for it."""

    def __init__(
        self,
        rows: Sequence[str],
        columns: Sequence[str],
        cells: Sequence[Sequence[HeatmapCell]],
        scale: ColorScale,
        width: int | None,
    ) -> None:
        self.width = width or 10_000
        self.cells, self.scale = cells, scale
        self.marks = any(scale.is_fair(cell) for row in cells for cell in row)
        self.texts = [[self._text(cell) for cell in row] for row in cells]
        self.rows, self.named_rows = _short(rows, max(8, self.width // 3))
        self.columns = columns
        self.margin = max(map(len, self.rows), default=0)

    def _text(self, cell: HeatmapCell) -> str:
        if cell is None:
            return NO_VARIANT_MARK + " " * self.marks
        text = cell if isinstance(cell, str) else self.scale.format_value(cell)
        return text + (FAIR_MARK if self.scale.is_fair(cell) else " ") * self.marks

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
            style = self.scale.style(cell)
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
                    line.append(self._shade(cell, strokes), self.scale.foreground(cell))
                lines.append(line)
        return [*lines, *self._explained(named), *self._shade_note(strokes)]

    def _shade(self, cell: HeatmapCell, strokes: HeatmapGlyphs) -> str:
        if not isinstance(cell, int | float):
            return " "
        if self.scale.is_fair(cell):
            return strokes.fair
        count = len(strokes.shades)
        return strokes.shades[min(count - 1, int(self.scale.share(cell) * count))]

    def _shade_note(self, strokes: HeatmapGlyphs) -> list[Text]:
        scale, count = self.scale, len(strokes.shades)
        edges = [scale.format_value(scale.low + (scale.high - scale.low) * n / count) for n in range(count + 1)]
        parts = [f"{shade} {edges[n]} to {edges[n + 1]}" for n, shade in enumerate(strokes.shades)]
        if scale.high == scale.low:
            parts = [f"{strokes.shades[count // 2]} {edges[0]}"]
        if scale.fair:
            parts.append(
                f"{strokes.fair} fair, {scale.format_value(scale.fair[0])} to {scale.format_value(scale.fair[1])}"
            )
        return self._note(", ".join(parts))

    def _fair_note(self) -> list[Text]:
        if not self.scale.fair or not self.marks:
            return []
        low, high = map(self.scale.format_value, self.scale.fair)
        return self._note(f"{FAIR_MARK} fair, from {low} to {high}")

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
