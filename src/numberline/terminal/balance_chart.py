"""The balance curve: how often who begins wins, a row a skill; the strip in the middle is what is fair.

A dot within the strip is fair, and so says the word after it, for whoever sees no strip.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from rich.text import Text

from numberline.lab.metrics import FAIR_SHARE_BOUNDS, SkillPoint
from numberline.terminal.console import can_encode, wrap_text
from numberline.views.charts import BALANCE_TITLE, balance_notes, balance_rows, has_endless_games

MAX_PLOT_COLUMNS, MIN_PLOT_COLUMNS = 61, 11
MIN_COLUMNS_FOR_WORDS = 60
"""From so many columns on there is room for words."""


class CurveGlyphs(NamedTuple):
    """The characters that the curve is drawn with."""

    first: str
    """A dot: player 1 begins."""
    second: str
    """Another: player 2 begins, where that makes a difference."""
    stem: str
    band: str
    edge: str
    dots: str
    """What stands between the end of a sentence and its beginning in the row above."""


UNICODE_CURVE_GLYPHS = CurveGlyphs("●", "○", "─", "░", "│", "…")
ASCII_CURVE_GLYPHS = CurveGlyphs("o", "x", "-", ":", "|", "...")


def render_balance_chart(
    points: Sequence[SkillPoint], width: int | None, glyphs: CurveGlyphs | None = None
) -> list[Text]:
    """The curve in lines no wider than the window; None stands for any width."""
    glyphs = glyphs or (UNICODE_CURVE_GLYPHS if can_encode("".join(UNICODE_CURVE_GLYPHS)) else ASCII_CURVE_GLYPHS)
    columns = width or 100
    word = "fair" if columns >= MIN_COLUMNS_FOR_WORDS else "="
    rows, figures = list(balance_rows(points)), _figures(points, word)
    margin = max(len(label) for _, label, _ in rows)
    plot = _Plot(_size(columns - margin - max(map(len, figures)) - 4), glyphs)
    lines = [Text(line, "bold") for line in wrap_text(BALANCE_TITLE.replace("…", glyphs.dots), columns).split("\n")]
    lines.append(Text().append(" " * (margin + 1)).append(plot.scale(), "dim"))
    for (heading, label, point), figure in zip(rows, figures, strict=True):
        if heading:
            lines.append(Text(heading.replace("…", glyphs.dots)))
        line = Text().append(label.rjust(margin), "" if point.took_part else "dim").append(" ")
        line.append_text(plot.row(point)).append(" ").append(figure, "bold green" if point.is_fair else "")
        lines.append(line)
    notes = balance_notes(points, glyphs.first, glyphs.second, starts_differ=_differ(points))
    if word == "=" and any(point.is_fair for point in points):
        notes.append("= fair: 45 to 55 %, no matter who starts")
    wrapped = wrap_text("\n".join(notes), columns).split("\n")
    return [*lines, *(Text(line, "dim") for line in wrapped if line)]


def _within(share: float) -> bool:
    return FAIR_SHARE_BOUNDS[0] <= share <= FAIR_SHARE_BOUNDS[1]


def _size(room: int) -> int:
    """How many columns the plot takes: an odd number, so that there is one in the middle."""
    room = max(MIN_PLOT_COLUMNS, min(MAX_PLOT_COLUMNS, room))
    return room - 1 + room % 2


def _figures(points: Sequence[SkillPoint], word: str) -> list[str]:
    """What stands after each row: one share or two, whether it is fair, and the share of endless games."""
    firsts, seconds = ([_percent(share) for share in shares] for shares in zip(*map(_begins, points), strict=True))
    size, two = max(map(len, [*firsts, *seconds])), _differ(points)
    endless = any(has_endless_games(point) for point in points)
    figures = []
    for point, first, second in zip(points, firsts, seconds, strict=True):
        shares = first.rjust(size) + f" {second:>{size}}" * two
        never = (f" ~{100 * point.endless:<3.0f}" if has_endless_games(point) else " " * 5) * endless
        figures.append(f"{shares}{never} {word * point.is_fair}".rstrip())
    return figures


def _begins(point: SkillPoint) -> tuple[float, float]:
    return point.begins_1, point.begins_2


def _percent(share: float) -> str:
    """A share in percent; with a decimal only where it would look fair without and is not, or the other way round."""
    whole = f"{100 * share:.0f}"
    return whole if _within(int(whole) / 100) == _within(share) else f"{100 * share:.1f}"


def _differ(points: Sequence[SkillPoint]) -> bool:
    """Whether it makes a difference, as far as the figures show, who begins."""
    return any(_percent(point.begins_1) != _percent(point.begins_2) for point in points)


class _Plot:
    """Shares from 0 to 1 along so many columns."""

    def __init__(self, size: int, strokes: CurveGlyphs) -> None:
        self.size, self.strokes = size, strokes
        low, high = (share * (size - 1) for share in FAIR_SHARE_BOUNDS)
        self.band = range(-int(-low // 1), int(high) + 1)

    def scale(self) -> str:
        """What stands above the columns."""
        middle = "fair" if self.size < 30 else "45 % fair 55 %"
        return f"0 %{middle:^{self.size - 6}}100 %"[: self.size + 2].rjust(self.size + 2)

    def column(self, share: float) -> int:
        """The column of a share: within the strip exactly where it is fair."""
        column = round(share * (self.size - 1))
        if share < FAIR_SHARE_BOUNDS[0]:
            return min(column, self.band.start - 1)
        if share > FAIR_SHARE_BOUNDS[1]:
            return max(column, self.band.stop)
        return min(max(column, self.band.start), self.band.stop - 1)

    def row(self, point: SkillPoint) -> Text:
        """One skill: the dots, and a stem to them from the middle."""
        strokes = self.strokes
        cells = [(strokes.band, "green") if column in self.band else (" ", "") for column in range(self.size)]
        ends = [self.column(point.begins_2), self.column(point.begins_1)]
        for end in ends:
            for column in (*range(end, self.band.start), *range(self.band.stop, end + 1)):
                cells[column] = (strokes.stem, "dim")
        for end, dot, colour in zip(ends, (strokes.second, strokes.first), ("magenta", "bold cyan"), strict=True):
            cells[end] = (dot, colour)
        line = Text().append(strokes.edge, "dim")
        for stroke, style in cells:
            line.append(stroke, style)
        return line.append(strokes.edge, "dim")
