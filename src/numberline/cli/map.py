"""`numberline map BOOK NAME=VALUES...`: many variants measured: a table, a heat map, or rows for a program to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from numberline.book.book import Book
from numberline.cli import completion
from numberline.cli.options import Size, Workers, as_json, print_json, say, varied, with_settings
from numberline.cluster import cores
from numberline.files import need_folder, opened_whole, write_whole
from numberline.lab.axes import read_axis
from numberline.lab.formats import csv_of
from numberline.lab.maps import LARGE, MOST_HELD, Mapped, estimate, make_map, measures_for, report, written
from numberline.lab.measuring import FAIR
from numberline.lab.metrics import METRICS
from numberline.lab.parts import Plan
from numberline.lab.patterns import pattern_in_words
from numberline.lab.shards import MEASURES
from numberline.reports.map import Heat, map_page
from numberline.reports.plots import need_plots, save_heat
from numberline.rules.wording import any_of
from numberline.solver.table import MEMORY, in_words
from numberline.terminal.heat import drawn_heat
from numberline.terminal.screen import Screen, bar

WINNER = "winner"
"""What can be shown besides the metrics: who wins with perfect play, and in how many turns."""
NONE = "-"
"""Stands for a variant that the rules refuse."""
FAIR_METRICS = ("first", "newcomers", "side")
"""The metrics that are fair in the middle."""
MOST_SHOWN = 10_000
"""A longer table is not printed, nor put on a page."""
MOST_DRAWN = 2_000
"""A heat map with more fields is not printed."""
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("map", short_help="Measure many variants: a table, a heat map, or rows for a program.")
@click.argument("book", shell_complete=completion.books)
@click.argument("values", nargs=-1, required=True, metavar="NAME=VALUES...", shell_complete=completion.swept)
@with_settings
@click.option(
    "--by",
    type=click.Choice([*METRICS, WINNER]),
    default="first",
    show_default=True,
    metavar="METRIC",
    help="What is shown: a metric, or winner.",
)
@click.option("--measure", "measures", type=click.Choice(MEASURES), help="How much is measured; all has every skill.")
@click.option("--out", type=click.Path(path_type=Path), help="Keep the map in this folder, and go on with it there.")
@click.option("--workers", type=Workers(), help="Processes, or a Dask scheduler (tcp://host:8786).")
@click.option("--html", "html_to", type=_FILE, help="Write it as one web page.")
@click.option("--plot", "plot_to", type=_FILE, help="Draw the heat map (.png, .svg or .pdf).")
@click.option("--csv", "csv_to", type=_FILE, help="Write a line for each variant.")
@click.option("--memory", type=Size(), default=MEMORY, show_default=in_words(MEMORY), help="The most memory to take.")
@as_json
def command(
    book: str,
    values: tuple[str, ...],
    settings: tuple[str, ...],
    by: str,
    measures: str | None,
    out: Path | None,
    workers: int | str | None,
    html_to: Path | None,
    plot_to: Path | None,
    csv_to: Path | None,
    memory: int,
    *,
    as_json: bool,
) -> None:
    """Measure every variant of BOOK over one or more settings, such as end=8..24 steps=1-3;1,2,5 stuck=passes,loses."""
    needed = MEASURES[0] if by == WINNER else measures_for(by)
    if measures and MEASURES.index(measures) < MEASURES.index(needed):
        raise click.UsageError(f"--by {by} is not known with --measure {measures}; expected --measure {needed}.")
    plan = Plan(varied(book, settings), [read_axis(text) for text in values], measures or needed, memory)
    _need_room(plan, out, (csv_to, html_to, plot_to), as_json=as_json)
    mapped = _made(plan, out, workers)
    if plan.grid.size > MOST_HELD:
        say("\n".join(mapped.summary(_figure(by)).sentences(plan, _figure(by))))
        return
    view = _View(mapped, by)
    view.write(csv_to, html_to, plot_to)
    if as_json:
        print_json(report(mapped))
    elif not (csv_to or html_to or plot_to):
        view.show()
    else:
        say(" ".join(view.said))


def _need_room(plan: Plan, out: Path | None, files: Sequence[Path | None], *, as_json: bool) -> None:
    """Refuses what could be neither shown nor kept, before anything is worked out."""
    csv_to, _, plot_to = files
    settings = len(plan.grid.axes)
    if settings > 2 and not (out or csv_to or as_json):
        raise click.UsageError(f"{settings} settings make no picture; keep the map with --out DIR or --csv FILE.")
    if plot_to and settings != 2:
        raise click.UsageError(f"--plot draws two settings against each other, not {settings}.")
    if plan.grid.size > MOST_HELD and any((*files, as_json)):
        many = f"{plan.grid.size:,} variants are too many for one file"
        raise click.UsageError(f"{many}; keep them with --out DIR, which takes more than {MOST_HELD:,}.")
    for file in (*files, out):
        if file:
            need_folder(file)
    if plot_to:
        need_plots(plot_to)


def _made(plan: Plan, out: Path | None, workers: int | str | None) -> Mapped:
    if plan.grid.size > LARGE:
        many = workers if isinstance(workers, int) else cores()
        click.echo(f"{estimate(plan, many)}, on {many} cores.", err=True)
    try:
        with bar(f"Measuring {plan.grid.size:,} variants of {plan.book.name}") as progress:
            return make_map(plan, out=out, workers=workers, progress=progress)
    except KeyboardInterrupt:
        if out:
            click.echo(f"\nBroken off; what is done is in {out}, and the same command goes on with it.", err=True)
        raise


def _figure(by: str) -> str | None:
    """The metric that is summed up, if it is one."""
    return None if by == WINNER else by


class _View:
    """A map as people see it."""

    def __init__(self, mapped: Mapped, by: str) -> None:
        self.mapped, self.plan, self.by = mapped, mapped.plan, by
        self.axes = mapped.plan.grid.axes
        self.book: Book = mapped.plan.book
        self.rows = mapped.rows()
        summary = mapped.summary(_figure(by))
        found = mapped.pattern(self.rows)
        self.reasons = [f"{NONE}: {reason}" for reason in summary.refused]
        self.said = [pattern_in_words(self.book, found)] if found else []
        self.said += summary.same()
        self.fits = len(self.rows) <= (0, MOST_SHOWN, MOST_DRAWN, 0)[min(3, len(self.axes))]
        """Whether all of it can be shown."""
        if not self.fits:
            self.said = summary.sentences(self.plan, _figure(by))

    def show(self) -> None:
        """Prints it: a table for one setting, a heat map for two, sentences for more."""
        screen = Screen()
        if self.fits and len(self.axes) == 1:
            click.echo("\n".join(_aligned(self.titles(), [self.line(row) for row in self.rows])))
        elif self.fits:
            heat = self.heat()
            title = f"{heat.note} Down: {heat.row_name}; across: {heat.column_name}."
            screen.show(
                drawn_heat(
                    heat.rows, heat.columns, heat.cells, title, screen.width, fair=heat.fair, written=heat.written
                )
            )
        if self.said:
            say("\n" * self.fits + "\n".join(self.said))
        if len(self.axes) == 2 and not self.fits:
            say("It is too large to be drawn here; --html FILE or --plot FILE draws it.")
        if len(self.axes) == 1:
            for reason in self.reasons[:5]:
                say(reason)

    def write(self, csv_to: Path | None, html_to: Path | None, plot_to: Path | None) -> None:
        """Writes the files that were asked for."""
        heat = self.heat() if len(self.axes) == 2 else None
        if csv_to:
            with opened_whole(csv_to) as file:
                csv_of(self.rows, file)
            click.echo(f"The rows are in {csv_to}.", err=True)
        if html_to:
            shown = self.rows[:MOST_SHOWN]
            left = len(self.rows) - len(shown)
            said = [*self.said, f"The table has the first {MOST_SHOWN:,} variants."] if left else self.said
            lines = map(self.line, shown)
            write_whole(html_to, map_page(self.title(), said, heat=heat, titles=self.titles(), rows=lines))
            click.echo(f"The page is in {html_to}.", err=True)
        if plot_to and heat:
            save_heat(heat, self.title(), plot_to)
            click.echo(f"The picture is in {plot_to}.", err=True)

    def title(self) -> str:
        """What the map is of."""
        return f"{self.book.full_title}, by {' and '.join(axis.name for axis in self.axes)}"

    def titles(self) -> list[str]:
        """The titles of a table."""
        metric = [] if self.by == WINNER else [METRICS[self.by].title]
        return [*(axis.name for axis in self.axes), "winner", "turns", *metric, "best first moves"]

    def line(self, row: dict[str, Any]) -> list[str]:
        """A row of a table."""
        values = [row[name] for name in self.mapped.settings]
        if row["refused"]:
            return [*values, NONE, *([""] * (len(self.titles()) - len(values) - 1))]
        winner = self.book.player_name(row["winner"]) if row["winner"] else "nobody"
        plies = "" if row["plies"] is None else f"{row['plies']:,}"
        metric = [] if self.by == WINNER else [written(self.by, row[self.by]) or "?"]
        return [*values, winner, plies, *metric, any_of(row["best"].split()) if row["best"] else ""]

    def heat(self) -> Heat:
        """Two settings against each other."""
        down, across = self.axes
        wide = len(across.values)
        cells = [self._cell(row) for row in self.rows]
        is_share = self.by in METRICS and METRICS[self.by].highest == 1
        note = f"{METRICS[self.by].title.capitalize()}{', in percent' * is_share}." if self.by != WINNER else ""
        return Heat(
            down.name,
            across.name,
            list(down.values),
            list(across.values),
            [cells[begin : begin + wide] for begin in range(0, len(cells), wide)],
            (lambda figure: f"{100 * figure:.0f}") if is_share else (lambda figure: written(self.by, figure)),
            FAIR if self.by in FAIR_METRICS else None,
            note or "Who wins when player 1 starts, and in how many turns.",
        )

    def _cell(self, row: dict[str, Any]) -> float | str | None:
        if row["refused"]:
            return None
        if self.by == WINNER:
            return f"{row['winner']} in {row['plies']}" if row["winner"] else "nobody"
        figure: float | None = row[self.by]
        return "?" if figure is None else figure


def _aligned(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table in lines: figures to the right, everything else to the left."""
    table = [titles, *rows]
    sizes = [max(len(line[column]) for line in table) for column in range(len(titles))]
    right = range(titles.index("turns"), len(titles) - 1)
    return [
        "  ".join(
            text.rjust(sizes[column]) if column in right else text.ljust(sizes[column])
            for column, text in enumerate(line)
        ).rstrip()
        for line in table
    ]
