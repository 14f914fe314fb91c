"""Pictures in files, drawn by matplotlib (the extra `plot`)."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numberline.errors import NumberlineError
from numberline.explain.value_map import MapCell, ValueMap
from numberline.files import os_error_reason, write_atomic
from numberline.lab.metrics import FAIR_SHARE_BOUNDS, Measurements
from numberline.reports.charts import depends_on_first_player
from numberline.reports.map import MAX_COLOR_PERCENT as STRONGEST_HEAT
from numberline.reports.map import HeatMap
from numberline.reports.palette import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILE_SUFFIXES = (".png", ".svg", ".pdf")
VALUE_LABELS = {
    "win": "win for the player to move",
    "loss": "loss for the player to move",
    "endless": "endless: nobody can force a win",
    "open": "open: nobody can force a win",
}
MAX_LABELLED_COLUMNS = 45
"""With more columns than this, what is written no longer fits into the fields."""
MAX_OPACITY, MIN_OPACITY = 0.75, 0.2
"""How much of its colour a field has where the game ends now, and where it never does; black is read on both."""


class PlotError(NumberlineError, ValueError):
    """A picture that can't be drawn; the text says what would do."""


def save_value_map(picture: ValueMap, title: str, path: Path) -> None:
    """Writes what each place is worth: a field a position, with letter and turns, the stronger the sooner it ends."""
    figure, axes = _figure(path, max(5.0, len(picture.columns) * 0.32), max(1.8, len(picture.rows) * 0.32 + 1.2))
    axes.imshow(_colours(picture), aspect="equal" if len(picture.rows) > 8 else "auto")
    if len(picture.columns) <= MAX_LABELLED_COLUMNS:
        for y, row in enumerate(picture.cells):
            for x, spot in enumerate(row):
                axes.text(x, y, str(spot or ""), ha="center", va="center", fontsize=6)
    _ticks(axes.xaxis, picture.columns)
    _ticks(axes.yaxis, picture.rows)
    axes.set_title(f"{title}\n{picture.title}", fontsize=9)
    _legend(figure, {spot.value for row in picture.cells for spot in row if spot})
    _write(figure, path)


def save_review_chart(
    curve: Sequence[float], names: Sequence[str], mistakes: Sequence[int], title: str, path: Path
) -> None:
    """Writes the value along a game: a bar a turn, up where player 1 can force the win, down for player 2."""
    figure, axes = _figure(path, max(5.0, min(14.0, len(curve) * 0.25)), 3.2)
    edges = [ply - 0.5 for ply in range(len(curve) + 1)]
    for player, sign in ((1, 1), (2, -1)):
        side = [max(0.0, sign * height) * sign for height in curve]
        label = _plain(f"{names[player - 1]} can force a win")
        axes.stairs(side, edges, fill=True, color=PALETTE[f"player-{player}"].light, label=label)
    nobody = [ply for ply, height in enumerate(curve) if not height]
    signs = ((nobody, 0, ".", "endless", "nobody can"), (mistakes, -1.2, "$?$", "loss", "a mistake"))
    for plies, level, marker, colour, label in signs:
        if plies:
            levels = [level] * len(plies)
            axes.plot(plies, levels, marker=marker, linestyle="", color=PALETTE[colour].light, label=label)
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(ylim=(-1.35, 1.1), xlim=(edges[0], edges[-1]))
    axes.set_xlabel("turns", fontsize=7)
    axes.tick_params(labelsize=7)
    axes.set_yticks([-1, 0, 1], ["end", "", "end"])
    axes.set_title(_plain(title), fontsize=9, wrap=True)
    figure.legend(fontsize=6, loc="outside lower center", ncols=4)
    _write(figure, path)


def save_measurements(measures: Sequence[Measurements], title: str, path: Path) -> None:
    """Writes the balance curve and how long games take, of one variant or of two."""
    unknown = [measured.variant for measured in measures if not measured.curve]
    if unknown:
        raise PlotError(f"{unknown[0]} has no curve to draw: expected a game for two players")
    figure, (curve, lengths) = _figure(path, 11.0, 4.2, 2)
    colours = [PALETTE[f"player-{number}"].light for number in (1, 2)]
    skills = [point.skill for point in measures[0].curve]
    curve.axhspan(
        *(100 * share for share in FAIR_SHARE_BOUNDS), color=PALETTE["win"].light, alpha=0.18, linewidth=0, label="fair"
    )
    curve.axvline(sum(skill.startswith("slip") for skill in skills) - 0.5, color="lightgrey", linewidth=0.8)
    apart = any(depends_on_first_player(measured.curve) for measured in measures)
    for measured, colour in zip(measures, colours, strict=False):
        for points in (range(*_kind(skills, "slip")), range(*_kind(skills, "sight"))):
            for begins, line in (("begins_2", ":"), ("begins_1", "-"))[0 if apart else 1 :]:
                shares = [100 * getattr(measured.curve[n], begins) for n in points]
                label = _plain(measured.variant) if points.start == 0 and line == "-" and len(measures) > 1 else None
                curve.plot(points, shares, line, marker="o", markersize=4, color=colour, label=label)
        lengths.stairs(
            [100 * share for share in measured.lengths],
            [turns - 0.5 for turns in range(len(measured.lengths) + 1)],
            fill=True,
            alpha=0.75 if len(measures) == 1 else 0.5,
            color=colour,
        )
    curve.set_xticks(range(len(skills)), [_tick(skill) for skill in skills], fontsize=6, rotation=45, ha="right")
    curve.set(ylim=(-3, 103))
    curve.set_ylabel("who begins wins, in percent", fontsize=7)
    curve.set_title(f"How fair it is, by skill{' (dotted: player 2 begins)' * apart}", fontsize=8)
    lengths.set_title("How many turns a game takes", fontsize=8)
    lengths.set_ylabel("of 100 games", fontsize=7)
    lengths.set_xlabel("turns", fontsize=7)
    lengths.set_xlim(left=min(_shortest(measured) for measured in measures) - 1)
    for axes in (curve, lengths):
        axes.tick_params(labelsize=7)
    figure.suptitle(_plain(title), fontsize=9, wrap=True)
    figure.legend(fontsize=6, loc="outside lower center", ncols=3)
    _write(figure, path)


def _shortest(measured: Measurements) -> int:
    """The fewest turns that a game takes."""
    return next((turns for turns, share in enumerate(measured.lengths) if share > 0), 0)


def _kind(skills: Sequence[str], kind: str) -> tuple[int, int]:
    """From where to where the skills of a kind go."""
    numbers = [number for number, skill in enumerate(skills) if skill.startswith(f"{kind}:")]
    return (numbers[0], numbers[-1] + 1) if numbers else (0, 0)


def _tick(skill: str) -> str:
    kind, _, number = skill.partition(":")
    return f"slip {number} %" if kind == "slip" else f"sight {number}"


def save_heatmap(heat: HeatMap, title: str, path: Path) -> None:
    """Writes two settings against each other: a field a variant, with its figure where it fits, framed where fair."""
    from matplotlib.patches import Rectangle

    wide = max(0.34, 0.08 * max(len(heat.text(cell)) for row in heat.cells for cell in row))
    figure, axes = _figure(path, max(5.0, len(heat.columns) * wide + 1.5), max(2.4, len(heat.rows) * 0.26 + 1.5))
    axes.imshow([[_heat_colour(heat.deviation(cell)) for cell in row] for row in heat.cells], aspect="auto")
    for y, row in enumerate(heat.cells):
        for x, cell in enumerate(row):
            if len(heat.columns) <= MAX_LABELLED_COLUMNS:
                axes.text(x, y, heat.text(cell), ha="center", va="center", fontsize=6)
            if heat.is_fair(cell):
                frame = Rectangle((x - 0.46, y - 0.46), 0.92, 0.92, fill=False, edgecolor=PALETTE["win"].light)
                axes.add_patch(frame)
    _ticks(axes.xaxis, tuple(heat.columns))
    _ticks(axes.yaxis, tuple(heat.rows))
    axes.set_xlabel(_plain(heat.column_name), fontsize=8)
    axes.set_ylabel(_plain(heat.row_name), fontsize=8)
    axes.set_title(_plain(f"{title}\n{heat.caption}"), fontsize=9, wrap=True)
    _write(figure, path)


def _heat_colour(out: float) -> tuple[float, ...]:
    """The colour of a figure that is so far out, from -1 to 1; clear in the middle."""
    from matplotlib.colors import to_rgba

    return to_rgba(PALETTE["player-1" if out > 0 else "player-2"].light, abs(out) * STRONGEST_HEAT / 100)


def _plain(text: str) -> str:
    """The text with no sign in it that matplotlib would read as a formula."""
    return text.replace("$", r"\$")


def require_plotting(path: Path) -> None:
    """Raises where no picture can be written to this file."""
    if path.suffix.lower() not in FILE_SUFFIXES:
        raise PlotError(
            f"{path}: a picture is written as {', '.join(FILE_SUFFIXES[:-1])} or {FILE_SUFFIXES[-1]};"
            " expected such an ending"
        )
    if not find_spec("matplotlib"):
        raise PlotError('a picture needs matplotlib; install it with: pip install "numberline[plot]"')


def _figure(path: Path, width: float, height: float, plots: int = 1) -> tuple[Figure, Any]:
    """A sheet of this size in inches, and its plots beside each other."""
    require_plotting(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    return figure, figure.subplots(1, plots)


def _colours(picture: ValueMap) -> list[list[tuple[float, ...]]]:
    """For each field its colour, weaker the longer the game still takes; clear where there is nothing."""
    from matplotlib.colors import to_rgba

    longest = max((spot.plies or 0 for row in picture.cells for spot in row if spot), default=0)

    def colour(spot: MapCell | None) -> tuple[float, ...]:
        if not spot:
            return (0.0, 0.0, 0.0, 0.0)
        near = 1 - (longest if spot.plies is None else spot.plies) / (longest + 1)
        return to_rgba(PALETTE[spot.value].light, MIN_OPACITY + (MAX_OPACITY - MIN_OPACITY) * near)

    return [[colour(spot) for spot in row] for row in picture.cells]


def _ticks(axis: Any, texts: tuple[str, ...]) -> None:
    every = max(1, len(texts) // 40)
    axis.set_ticks(range(0, len(texts), every), texts[::every], fontsize=6)


def _legend(figure: Figure, values: set[str]) -> None:
    from matplotlib.patches import Patch

    shown = {value: label for value, label in VALUE_LABELS.items() if value in values}
    handles = [Patch(color=PALETTE[value].light, alpha=MAX_OPACITY, label=label) for value, label in shown.items()]
    figure.legend(handles=handles, fontsize=6, loc="outside lower center", ncols=len(handles) or 1)


def _write(figure: Figure, path: Path) -> None:
    content = io.BytesIO()
    figure.savefig(content, format=path.suffix[1:].lower())
    try:
        write_atomic(path, content.getbuffer())
    except OSError as error:
        raise PlotError(f"{path}: {os_error_reason(error)}") from None
