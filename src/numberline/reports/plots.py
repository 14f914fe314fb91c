"""Pictures in files, drawn by matplotlib (the extra `plot`)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numberline.analysis.landscape import Landscape, Spot
from numberline.files import failure
from numberline.reports.style import PALETTE
from numberline.rules.errors import NumberlineError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".png", ".svg", ".pdf")
LABELS = {
    "win": "win for the player to move",
    "loss": "loss for the player to move",
    "endless": "endless: nobody can force a win",
    "open": "open: nobody can force a win",
}
STRONGEST, FAINTEST = 0.75, 0.2
"""How much of its colour a field has where the game ends now, and where it never does; black is read on both."""


class PlotError(NumberlineError, ValueError):
    """A picture that can't be drawn; the text says what would do."""


def save_landscape(picture: Landscape, title: str, path: Path) -> None:
    """Writes what each place is worth: a field a position, with letter and turns, the stronger the sooner it ends."""
    figure, axes = _figure(path, max(5.0, len(picture.columns) * 0.32), max(1.8, len(picture.rows) * 0.32 + 1.2))
    axes.imshow(_colours(picture), aspect="equal" if len(picture.rows) > 8 else "auto")
    if len(picture.columns) <= 45:  # with more the letters no longer fit into the fields
        for y, row in enumerate(picture.spots):
            for x, spot in enumerate(row):
                axes.text(x, y, str(spot or ""), ha="center", va="center", fontsize=6)
    _ticks(axes.xaxis, picture.columns)
    _ticks(axes.yaxis, picture.rows)
    axes.set_title(f"{title}\n{picture.title}", fontsize=9)
    _legend(figure, {spot.value for row in picture.spots for spot in row if spot})
    _write(figure, path)


def save_values(curve: Sequence[float], names: Sequence[str], mistakes: Sequence[int], title: str, path: Path) -> None:
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


def _plain(text: str) -> str:
    """The text with no sign in it that matplotlib would read as a formula."""
    return text.replace("$", r"\$")


def _figure(path: Path, width: float, height: float) -> tuple[Figure, Any]:
    if path.suffix.lower() not in ENDINGS:
        raise PlotError(
            f"{path}: a picture is written as {', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}; expected such an ending"
        )
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise PlotError('a picture needs matplotlib; install it with: pip install "numberline[plot]"') from None
    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    return figure, figure.subplots()


def _colours(picture: Landscape) -> list[list[tuple[float, ...]]]:
    """For each field its colour, weaker the longer the game still takes; clear where there is nothing."""
    from matplotlib.colors import to_rgba

    longest = max((spot.plies or 0 for row in picture.spots for spot in row if spot), default=0)

    def colour(spot: Spot | None) -> tuple[float, ...]:
        if not spot:
            return (0.0, 0.0, 0.0, 0.0)
        near = 1 - (longest if spot.plies is None else spot.plies) / (longest + 1)
        return to_rgba(PALETTE[spot.value].light, FAINTEST + (STRONGEST - FAINTEST) * near)

    return [[colour(spot) for spot in row] for row in picture.spots]


def _ticks(axis: Any, texts: tuple[str, ...]) -> None:
    every = max(1, len(texts) // 40)
    axis.set_ticks(range(0, len(texts), every), texts[::every], fontsize=6)


def _legend(figure: Figure, values: set[str]) -> None:
    from matplotlib.patches import Patch

    shown = {value: label for value, label in LABELS.items() if value in values}
    handles = [Patch(color=PALETTE[value].light, alpha=STRONGEST, label=label) for value, label in shown.items()]
    figure.legend(handles=handles, fontsize=6, loc="outside lower center", ncols=len(handles) or 1)


def _write(figure: Figure, path: Path) -> None:
    try:
        figure.savefig(path)
    except OSError as error:
        raise PlotError(f"{path}: {failure(error)}") from None
