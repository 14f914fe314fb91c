"""What was measured, as lines: each metric with its figure and its sentence; for two variants, side by side."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from numberline.book.book import Book
from numberline.lab.measuring import Measured
from numberline.lab.metrics import METRICS, figure, sentence
from numberline.lab.summary import percents, skill_in_words
from numberline.terminal.screen import folded

ROOMY = 76
"""In a narrower window a sentence stands below its figure."""
WIDEST = 110


def metric_lines(measured: Measured, book: Book, width: int | None) -> list[Text]:
    """A line a metric: its name, its figure, and what that means; two lines in a narrow window."""
    rows = [(METRICS[name].title, figure(name, measured), sentence(name, measured, book)) for name in METRICS]
    columns = min(width or WIDEST, WIDEST)
    first, second = max(len(row[0]) for row in rows), max(len(row[1]) for row in rows)
    lines = []
    for title, shown, said in rows:
        line = Text().append(title.ljust(first), "bold").append(f"  {shown or '-':<{second}}")
        if columns >= ROOMY:
            head, *rest = folded(said, columns - first - second - 4).split("\n")
            lines += [line.append(f"  {head}"), *(Text(" " * (first + second + 4) + more) for more in rest)]
        else:
            line.rstrip()
            lines += [line, *(Text(more, "dim") for more in folded(said, columns, "  ").split("\n"))]
    return lines


def side_by_side(one: Measured, other: Measured, width: int | None) -> list[Text]:
    """Every figure of both, A and B; those of B stand out where they differ, and below A's where it is narrow."""
    rows = [
        ("perfect play", _perfect(one), _perfect(other)),
        ("positions", f"{one.positions:,}", f"{other.positions:,}"),
    ]
    measured = [(metric.title, figure(name, one), figure(name, other)) for name, metric in METRICS.items()]
    rows += [row for row in measured if any(row[1:])]
    lines = _columns([("", "A", "B"), *rows], width)
    if not one.curve or not other.curve:
        return lines
    skills = [
        (
            skill_in_words(before.skill),
            _share(percents(before), fair=before.fair),
            _share(percents(after), fair=after.fair),
        )
        for before, after in zip(one.curve, other.curve, strict=True)
    ]
    heading = folded("Who begins wins so often, in percent (* is fair)", width).split("\n")
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


def _perfect(measured: Measured) -> str:
    return f"player {measured.winner} in {measured.plies:,}" if measured.winner else "nobody"
