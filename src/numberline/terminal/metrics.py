"""What was measured, as lines: each metric with its figure and its sentence; for two variants, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from numberline.game.book import Book
from numberline.lab.metrics import METRICS, Measurements, describe_metric, format_metric
from numberline.lab.summary import first_player_percent, skill_label
from numberline.terminal.console import wrap_text

MIN_ONE_LINE_COLUMNS = 76
"""In a narrower window a sentence stands below its figure."""
MAX_COLUMNS = 110


def render_metrics(measured: Measurements, book: Book, width: int | None) -> list[Text]:
    """A line a metric: its name, its figure, and what that means; two lines in a narrow window."""
    rows = [
        (METRICS[name].title, format_metric(name, measured), describe_metric(name, measured, book)) for name in METRICS
    ]
    columns = min(width or MAX_COLUMNS, MAX_COLUMNS)
    first, second = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    lines = []
    for title, shown, said in rows:
        line = Text().append(title.ljust(first), "bold").append(f"  {shown or '-':<{second}}")
        if columns >= MIN_ONE_LINE_COLUMNS:
            head, *rest = wrap_text(said, columns - first - second - 4).split("\n")
            lines += [line.append(f"  {head}"), *(Text(" " * (first + second + 4) + more) for more in rest)]
        else:
            line.rstrip()
            lines += [line, *(Text(more, "dim") for more in wrap_text(said, columns, "  ").split("\n"))]
    return lines


def render_comparison(one: Measurements, other: Measurements, width: int | None) -> list[Text]:
    """Every figure of both, A and B; those of B stand out where they differ, and below A's where it is narrow."""
    rows = [
        ("perfect play", _perfect(one), _perfect(other)),
        ("positions", f"{one.positions:,}", f"{other.positions:,}"),
    ]
    measured = [
        (metric.title, format_metric(name, one), format_metric(name, other)) for name, metric in METRICS.items()
    ]
    rows += [row for row in measured if any(row[1:])]
    lines = _columns([("", "A", "B"), *rows], width)
    if not one.curve or not other.curve:
        return lines
    skills = [
        (
            skill_label(before.skill),
            _share(first_player_percent(before), fair=before.is_fair),
            _share(first_player_percent(after), fair=after.is_fair),
        )
        for before, after in zip(one.curve, other.curve, strict=True)
    ]
    heading = wrap_text("Who begins wins so often, in percent (* is fair)", width).split("\n")
    return [*lines, Text(), *(Text(line, "bold") for line in heading), *_columns(skills, width)]


def _share(text: str, *, fair: bool) -> str:
    return text + (" *" if fair else "")


def _columns(rows: Sequence[tuple[str, str, str]], width: int | None) -> list[Text]:
    sizes = [max(len(row[column]) for row in rows) for column in range(3)]
    narrow = width is not None and sum(sizes) + 4 > width
    lines = []
    for name, before, after in rows:
        style = "bold" if before != after else "dim"
        if not narrow:
            line = Text().append(name.ljust(sizes[0])).append(f"  {before or '-':<{sizes[1]}}  ")
            lines.append(line.append(after or "-", style))
        elif name:
            lines += [Text(name), Text(f"  A {before or '-'}").append(f"  B {after or '-'}", style)]
    return lines


def _perfect(measured: Measurements) -> str:
    return f"player {measured.winner} in {measured.plies:,}" if measured.winner else "nobody"
