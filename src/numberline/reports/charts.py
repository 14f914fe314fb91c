"""Drawings of what was measured, as parts of a page: the balance curve, how long games take, what places are worth."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element

from numberline.explain.phrases import VALUE_PHRASES
from numberline.explain.value_map import MapCell, ValueMap
from numberline.lab.metrics import FAIR_SHARE_BOUNDS, SkillPoint
from numberline.lab.summary import MIN_REPORTED_ENDLESS_SHARE
from numberline.reports.html import tag
from numberline.solver.worth import Worth

SCALE_PERCENTS = (0, 25, 50, 75, 100)
"""What stands below the curve, in percent."""
ROW_HEIGHT = 26
"""How high a row of the curve is."""
SKILL_HEADINGS = {"slip": "know the game, but slip so often", "sight": "see only so many turns ahead"}
MAX_BARS = 120
"""More lengths than this are drawn several to a bar."""
CHART_WIDTH, CHART_HEIGHT = 800, 140
CELL_WIDTH, CELL_HEIGHT = 34, 22
"""The size of a field of the landscape."""


def balance_chart(points: Sequence[SkillPoint]) -> Element:
    """How often who begins wins: a row a skill, with a strip over all of them for what is fair."""
    parts: list[Element] = []
    kind = ""
    for point in points:
        if kind != (kind := point.skill.partition(":")[0]):
            parts.append(tag("b", f"… {SKILL_HEADINGS[kind]}"))
        parts += [_skill(point), _row(point), _figures(point)]
    scale = tag("div", *(tag("span", f"{share} %") for share in SCALE_PERCENTS), cls="scale")
    return tag(
        "figure",
        tag("figcaption", "Who begins wins so often when both players …"),
        tag("div", *parts, scale, cls="balance"),
        tag("figcaption", " ".join(_notes(points)), cls="note"),
    )


def depends_on_first_player(points: Sequence[SkillPoint]) -> bool:
    """Whether it makes a difference, as far as the figures show, who begins."""
    return any(f"{point.begins_1:.2f}" != f"{point.begins_2:.2f}" for point in points)


def _skill(point: SkillPoint) -> Element:
    kind, _, number = point.skill.partition(":")
    text = f"{number} %" if kind == "slip" else number
    return tag("span", text if point.took_part else f"({text})", cls="skill" if point.took_part else "skill soft")


def _row(point: SkillPoint) -> Element:
    middle = ROW_HEIGHT // 2
    first, second = point.begins_1, point.begins_2
    low, high = min(first, second, 0.5), max(first, second, 0.5)
    return tag(
        "svg",
        tag(
            "rect",
            cls="band",
            x=_along(FAIR_SHARE_BOUNDS[0]),
            y=0,
            width=_along(FAIR_SHARE_BOUNDS[1] - FAIR_SHARE_BOUNDS[0]),
            height=ROW_HEIGHT,
        ),
        *(tag("line", x1=f"{share}%", x2=f"{share}%", y1=0, y2=ROW_HEIGHT) for share in SCALE_PERCENTS),
        tag("line", cls="stem", x1=_along(low), x2=_along(high), y1=middle, y2=middle),
        tag("circle", cls="player-2", cx=_along(second), cy=middle, r=5) if depends_on_first_player([point]) else None,
        tag("circle", cls="player-1", cx=_along(first), cy=middle, r=5),
        role="img",
        aria_label=f"{point.skill}: {_percent(point.begins_1)} where player 1 begins, "
        f"{_percent(point.begins_2)} where player 2 does",
    )


def _figures(point: SkillPoint) -> Element:
    first, second = (f"{100 * share:.1f}" for share in (point.begins_1, point.begins_2))
    shares = first if first == second else f"{first} · {second}"
    return tag(
        "span",
        shares,
        tag("b", " fair", cls="win") if point.is_fair else None,
        tag("span", f" ~{100 * point.endless:.1f}", cls="endless")
        if point.endless >= MIN_REPORTED_ENDLESS_SHARE
        else None,
        cls="share",
    )


def _notes(points: Sequence[SkillPoint]) -> list[str]:
    notes = ["The strip in the middle is what is fair: 45 to 55 %."]
    if depends_on_first_player(points):
        notes.append("Blue and the first figure: player 1 begins; red and the second: player 2 does.")
    if any(point.endless >= MIN_REPORTED_ENDLESS_SHARE for point in points):
        notes.append("After ~: so many games in 100 never end.")
    if not all(point.took_part for point in points):
        notes.append("A skill in brackets does not count for the fair range.")
    return notes


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _along(share: float) -> str:
    return f"{100 * share:.2f}%"


# How long games take


def length_chart(lengths: Sequence[float], low: int | None, high: int | None) -> Element:
    """How likely a game is to take so many turns: a bar each, stronger where eight of ten games end."""
    begin = next((turns for turns, share in enumerate(lengths) if share > 0), 0)
    each = -(-(len(lengths) - begin) // MAX_BARS)
    starts = range(begin, len(lengths), each)
    shares = [sum(lengths[start : start + each]) for start in starts]
    wide, top = CHART_WIDTH / len(shares), max(shares)
    bars = []
    for number, (start, share) in enumerate(zip(starts, shares, strict=True)):
        end = start + each - 1
        turns = f"{start:,} turns" if each == 1 else f"{start:,} to {end:,} turns"
        inner = low is not None and high is not None and low <= end and start <= high
        box = tag(
            "rect",
            cls="player-1" if inner else "faint",
            x=number * wide + wide * 0.08,
            y=CHART_HEIGHT * (1 - share / top),
            width=wide * 0.84,
            height=max(1.0, CHART_HEIGHT * share / top),
        )
        bars.append(tag("g", tag("title", f"{turns}: {_percent(share)}"), box))
    drawn = tag(
        "svg",
        *bars,
        tag("line", cls="axis", x1=0, x2=CHART_WIDTH, y1=CHART_HEIGHT, y2=CHART_HEIGHT),
        cls="lengths",
        viewBox=f"0 0 {CHART_WIDTH} {CHART_HEIGHT + 1}",
        preserveAspectRatio="none",
        role="img",
        aria_label=f"How long games take: from {begin} turns on; the longest bar is {_percent(top)} of the games",
    )
    ends = tag("div", tag("span", f"{begin:,} turns"), tag("span", f"{len(lengths) - 1:,} turns"), cls="scale")
    middle = f"Eight of ten games take from {low:,} to {high:,} turns, drawn strongly. " if low is not None else ""
    note = f"{middle}The highest bar stands for {_percent(top)} of the games."
    return tag("figure", drawn, ends, tag("figcaption", note, cls="note"))


# What each place is worth


def value_map_chart(picture: ValueMap) -> Element:
    """A field a position, with its letter and turns, in the colour of what it is worth."""
    margin = 14 + 7 * max(map(len, picture.rows))
    wide, high = margin + CELL_WIDTH * len(picture.columns), CELL_HEIGHT * (len(picture.rows) + 1)
    heads = (
        tag("text", name, cls="soft", x=margin + CELL_WIDTH * (column + 0.5), y=CELL_HEIGHT * 0.7)
        for column, name in enumerate(picture.columns)
    )
    rows = (
        part
        for number, (name, spots) in enumerate(zip(picture.rows, picture.cells, strict=True), 1)
        for part in _spots(name, spots, margin, number)
    )
    drawn = tag(
        "svg",
        *heads,
        *rows,
        cls="places",
        viewBox=f"0 0 {wide} {high}",
        style=f"width: {wide}px",
        role="img",
        aria_label=picture.title,
    )
    values = dict.fromkeys(spot.value for row in picture.cells for spot in row if spot)
    signs = (tag("li", tag("b", Worth(value).letter, cls=value), f" {VALUE_PHRASES[value]}") for value in values)
    return tag(
        "figure",
        tag("figcaption", picture.title),
        tag("div", drawn, cls="wide", tabindex=0),
        tag("aside", tag("ul", *signs), tag("p", "The number says in how many turns at most.", cls="note")),
    )


def _spots(name: str, spots: Sequence[MapCell], margin: int, number: int) -> list[Element]:
    base = CELL_HEIGHT * (number + 0.7)
    parts = [tag("text", name, cls="soft name", x=margin - 8, y=base)]
    for column, spot in enumerate(spots):
        if spot:
            x = margin + CELL_WIDTH * column
            parts += [
                tag(
                    "rect",
                    cls=spot.value,
                    x=x + 1,
                    y=CELL_HEIGHT * number + 1,
                    width=CELL_WIDTH - 2,
                    height=CELL_HEIGHT - 2,
                    rx=3,
                ),
                tag("text", str(spot), cls=spot.value, x=x + CELL_WIDTH / 2, y=base),
            ]
    return parts
