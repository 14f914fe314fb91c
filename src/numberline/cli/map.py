"""`numberline map BOOK NAME=VALUES...`: many variants measured: a table, a heat map, or rows for a program to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from numberline.cli import completion
from numberline.cli.options import (
    ByteSize,
    Workers,
    as_json,
    load_variant,
    print_json,
    print_paragraph,
    settings_option,
)
from numberline.datasets.writers import write_csv_rows
from numberline.files import check_parent_dir, open_atomic, write_atomic
from numberline.game.book import Book
from numberline.lab.grid import parse_axis
from numberline.lab.measure import FAIR_SHARE_BOUNDS
from numberline.lab.metrics import METRICS
from numberline.lab.periodicity import describe_period
from numberline.lab.sweep import (
    LARGE_SWEEP_VARIANTS,
    MAX_ROWS_IN_MEMORY,
    VariantMap,
    estimate,
    format_figure,
    required_measures,
    run_sweep,
    sweep_to_dict,
)
from numberline.lab.sweep_shards import MEASURES
from numberline.lab.sweep_store import SweepPlan
from numberline.parallel import cpu_count
from numberline.reports.charts import heatmap_chart, require_svg, save_svg
from numberline.reports.map import map_page
from numberline.solver.index import DEFAULT_MEMORY_BYTES, format_bytes
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.measurements import render_heatmap
from numberline.text import join_or
from numberline.views.charts import HeatMap

WINNER = "winner"
"""What can be shown besides the metrics: who wins with perfect play, and in how many turns."""
REJECTED_MARK = "-"
"""Stands for a variant that the rules refuse."""
FAIR_METRICS = ("first", "newcomers", "side")
"""The metrics that are fair in the middle."""
MAX_TABLE_ROWS = 10_000
"""A longer table is not printed, nor put on a page."""
MAX_HEATMAP_CELLS = 2_000
"""A heat map with more fields is not printed."""
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("map", short_help="Measure many variants: a table, a heat map, or rows for a program.")
@click.argument("book", shell_complete=completion.books)
@click.argument("values", nargs=-1, required=True, metavar="NAME=VALUES...", shell_complete=completion.swept_settings)
@settings_option
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
@click.option("--plot", "plot_to", type=_FILE, help="Write the heat map to this SVG file.")
@click.option("--csv", "csv_to", type=_FILE, help="Write a line for each variant.")
@click.option(
    "--memory",
    type=ByteSize(),
    default=DEFAULT_MEMORY_BYTES,
    show_default=format_bytes(DEFAULT_MEMORY_BYTES),
    help="The most memory to take.",
)
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
    needed = MEASURES[0] if by == WINNER else required_measures(by)
    if measures and MEASURES.index(measures) < MEASURES.index(needed):
        raise click.UsageError(f"--by {by} is not known with --measure {measures}; expected --measure {needed}.")
    plan = SweepPlan(load_variant(book, settings), [parse_axis(text) for text in values], measures or needed, memory)
    _check_outputs(plan, out, (csv_to, html_to, plot_to), as_json=as_json)
    mapped = _made(plan, out, workers)
    if plan.grid.size > MAX_ROWS_IN_MEMORY:
        print_paragraph("\n".join(mapped.summary(_figure(by)).sentences(plan, _figure(by))))
        return
    view = _MapOutput(mapped, by)
    view.write(csv_to, html_to, plot_to)
    if as_json:
        print_json(sweep_to_dict(mapped))
    elif not (csv_to or html_to or plot_to):
        view.show()
    else:
        print_paragraph(" ".join(view.sentences))


def _check_outputs(plan: SweepPlan, out: Path | None, files: Sequence[Path | None], *, as_json: bool) -> None:
    """Refuses what could be neither shown nor kept, before anything is worked out."""
    csv_to, _, plot_to = files
    settings = len(plan.grid.axes)
    if settings > 2 and not (out or csv_to or as_json):
        raise click.UsageError(f"{settings} settings make no picture; keep the map with --out DIR or --csv FILE.")
    if plot_to and settings != 2:
        raise click.UsageError(f"--plot draws two settings against each other, not {settings}.")
    if plan.grid.size > MAX_ROWS_IN_MEMORY and any((*files, as_json)):
        many = f"{plan.grid.size:,} variants are too many for one file"
        raise click.UsageError(f"{many}; keep them with --out DIR, which takes more than {MAX_ROWS_IN_MEMORY:,}.")
    for file in (*files, out):
        if file:
            check_parent_dir(file)
    if plot_to:
        require_svg(plot_to)


def _made(plan: SweepPlan, out: Path | None, workers: int | str | None) -> VariantMap:
    if plan.grid.size > LARGE_SWEEP_VARIANTS:
        many = workers if isinstance(workers, int) else cpu_count()
        click.echo(f"{estimate(plan, many)}, on {many} cores.", err=True)
    try:
        with progress_bar(f"Measuring {plan.grid.size:,} variants of {plan.book.name}") as progress:
            return run_sweep(plan, out=out, workers=workers, progress=progress)
    except KeyboardInterrupt:
        if out:
            click.echo(f"\nBroken off; what is done is in {out}, and the same command goes on with it.", err=True)
        raise


def _figure(by: str) -> str | None:
    """The metric that is summed up, if it is one."""
    return None if by == WINNER else by


class _MapOutput:
    """A map as people see it."""

    def __init__(self, mapped: VariantMap, by: str) -> None:
        self.mapped, self.plan, self.by = mapped, mapped.plan, by
        self.axes = mapped.plan.grid.axes
        self.book: Book = mapped.plan.book
        self.rows = mapped.rows()
        summary = mapped.summary(_figure(by))
        found = mapped.find_period(self.rows)
        self.reasons = [f"{REJECTED_MARK}: {reason}" for reason in summary.refused]
        self.sentences = [describe_period(self.book, found)] if found else []
        self.sentences += summary.duplicates_sentence()
        self.fits = len(self.rows) <= (0, MAX_TABLE_ROWS, MAX_HEATMAP_CELLS, 0)[min(3, len(self.axes))]
        """Whether all of it can be shown."""
        if not self.fits:
            self.sentences = summary.sentences(self.plan, _figure(by))

    def show(self) -> None:
        """Prints it: a table for one setting, a heat map for two, sentences for more."""
        screen = TextConsole()
        if self.fits and len(self.axes) == 1:
            click.echo("\n".join(_aligned(self.titles(), [self.line(row) for row in self.rows])))
        elif self.fits:
            heat = self.heat()
            title = f"{heat.note} Down: {heat.row_name}; across: {heat.column_name}."
            screen.show(render_heatmap(heat, title, screen.width))
        if self.sentences:
            print_paragraph("\n" * self.fits + "\n".join(self.sentences))
        if len(self.axes) == 2 and not self.fits:
            print_paragraph("The map is too large for a terminal; write it with --html FILE or --plot FILE.svg.")
        if len(self.axes) == 1:
            for reason in self.reasons[:5]:
                print_paragraph(reason)

    def write(self, csv_to: Path | None, html_to: Path | None, plot_to: Path | None) -> None:
        """Writes the files that were asked for."""
        heat = self.heat() if len(self.axes) == 2 else None
        if csv_to:
            with open_atomic(csv_to) as file:
                write_csv_rows(self.rows, file)
            click.echo(f"The rows are in {csv_to}.", err=True)
        if html_to:
            shown = self.rows[:MAX_TABLE_ROWS]
            left = len(self.rows) - len(shown)
            said = (
                [*self.sentences, f"The table has the first {MAX_TABLE_ROWS:,} variants."] if left else self.sentences
            )
            lines = map(self.line, shown)
            write_atomic(html_to, map_page(self.title(), said, heat=heat, titles=self.titles(), rows=lines))
            click.echo(f"The page is in {html_to}.", err=True)
        if plot_to and heat:
            save_svg(plot_to, self.title(), [heatmap_chart(heat)])
            click.echo(f"The chart is in {plot_to}.", err=True)

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
            return [*values, REJECTED_MARK, *([""] * (len(self.titles()) - len(values) - 1))]
        winner = self.book.player_name(row["winner"]) if row["winner"] else "nobody"
        plies = "" if row["plies"] is None else f"{row['plies']:,}"
        metric = [] if self.by == WINNER else [format_figure(self.by, row[self.by]) or "?"]
        return [*values, winner, plies, *metric, join_or(row["best"].split()) if row["best"] else ""]

    def heat(self) -> HeatMap:
        """Two settings against each other."""
        down, across = self.axes
        wide = len(across.values)
        cells = [self._cell(row) for row in self.rows]
        is_share = self.by in METRICS and METRICS[self.by].highest == 1
        note = f"{METRICS[self.by].title.capitalize()}{', in percent' * is_share}." if self.by != WINNER else ""
        return HeatMap(
            down.name,
            across.name,
            list(down.values),
            list(across.values),
            [cells[begin : begin + wide] for begin in range(0, len(cells), wide)],
            (lambda figure: f"{100 * figure:.0f}") if is_share else (lambda figure: format_figure(self.by, figure)),
            FAIR_SHARE_BOUNDS if self.by in FAIR_METRICS else None,
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
