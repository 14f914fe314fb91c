"""`numberline map BOOK NAME=VALUES...`: measurements of many variants, as a table, a heat map or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from numberline.cli import completion, options
from numberline.files.safe_write import check_parent_dir, open_atomic, write_atomic
from numberline.files.tables import write_csv_rows
from numberline.game.book import Book
from numberline.lab.grid import parse_axis
from numberline.lab.metrics import FAIR_SHARE_BOUNDS, METRICS, format_figure
from numberline.lab.sweep import (
    LARGE_SWEEP_VARIANTS,
    MAX_ROWS_IN_MEMORY,
    VariantMap,
    describe_period,
    estimate,
    required_measures,
    run_sweep,
    sweep_to_dict,
    winner_name,
)
from numberline.lab.sweep_store import MEASURES, SweepPlan
from numberline.parallel import cpu_count
from numberline.reports.charts import heatmap_chart, require_svg, save_svg
from numberline.reports.measure import map_page
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.measurements import render_heatmap
from numberline.text import join_or
from numberline.views.charts import HeatMap

WINNER = "winner"
INVALID_MARK = "-"
FAIR_METRICS = ("first", "newcomers", "side")
MAX_TABLE_ROWS = 10_000
MAX_HEATMAP_CELLS = 2_000


@click.command("map", short_help="Measure many variants; show a table, a heat map or CSV.")
@click.argument("book", shell_complete=completion.books)
@click.argument("values", nargs=-1, required=True, metavar="NAME=VALUES...", shell_complete=completion.swept_settings)
@options.settings_option
@click.option(
    "--by",
    type=click.Choice([*METRICS, WINNER]),
    default="first",
    show_default=True,
    metavar="METRIC",
    help="Metric to show, or winner.",
)
@click.option(
    "--measure", "measures", type=click.Choice(MEASURES), help="How much to measure; all includes every skill level."
)
@click.option("--out", type=click.Path(path_type=Path), help="Store the map in this directory; resume it if it exists.")
@click.option(
    "--workers",
    type=options.Workers(),
    help="Number of processes, or the address of a Dask scheduler (tcp://host:8786).",
)
@click.option("--html", "html_to", type=options.OUTPUT_FILE, help="Write the map to this HTML file.")
@click.option("--plot", "plot_to", type=options.OUTPUT_FILE, help="Write the heat map to this SVG file.")
@click.option("--csv", "csv_to", type=options.OUTPUT_FILE, help="Write one row per variant to this CSV file.")
@options.memory_option
@options.as_json
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
    """Measure BOOK for all combinations of settings, such as end=8..24 "steps=1-3;1,2,5" stuck=passes,loses."""
    needed = MEASURES[0] if by == WINNER else required_measures(by)
    if measures and MEASURES.index(measures) < MEASURES.index(needed):
        raise click.UsageError(f"--measure {measures} does not include {by}; use --measure {needed}.")
    plan = SweepPlan(
        options.load_variant(book, settings), [parse_axis(text) for text in values], measures or needed, memory
    )
    _check_outputs(plan, out, (csv_to, html_to, plot_to), as_json=as_json)
    mapped = _run_sweep(plan, out, workers)
    if plan.grid.size > MAX_ROWS_IN_MEMORY:
        options.print_paragraph("\n".join(mapped.summary(_metric(by)).sentences(plan.book, _metric(by))))
        return
    view = _MapOutput(mapped, by)
    view.write(csv_to, html_to, plot_to)
    if as_json:
        options.print_json(sweep_to_dict(mapped))
    elif not (csv_to or html_to or plot_to):
        view.show()
    else:
        options.print_paragraph(" ".join(view.sentences))


def _check_outputs(plan: SweepPlan, out: Path | None, files: Sequence[Path | None], *, as_json: bool) -> None:
    """Raise an error before measuring if the result could not be shown or stored as requested."""
    csv_to, _, plot_to = files
    settings = len(plan.grid.axes)
    if settings > 2 and not (out or csv_to or as_json):
        raise click.UsageError(
            f"a map of {settings} settings can't be displayed; store it with --out DIR or --csv FILE."
        )
    if plot_to and settings != 2:
        raise click.UsageError(f"--plot requires exactly two settings, not {settings}.")
    if plan.grid.size > MAX_ROWS_IN_MEMORY and any((*files, as_json)):
        many = f"{plan.grid.size:,} variants are too many for one file"
        raise click.UsageError(f"{many} (maximum {MAX_ROWS_IN_MEMORY:,}); store them with --out DIR.")
    for file in (*files, out):
        if file:
            check_parent_dir(file)
    if plot_to:
        require_svg(plot_to)


def _run_sweep(plan: SweepPlan, out: Path | None, workers: int | str | None) -> VariantMap:
    if plan.grid.size > LARGE_SWEEP_VARIANTS:
        cores = workers if isinstance(workers, int) else cpu_count()
        click.echo(f"{estimate(plan, cores)}, on {cores} cores.", err=True)
    try:
        with progress_bar(f"Measuring {plan.grid.size:,} variants of {plan.book.name}") as progress:
            return run_sweep(plan, out=out, workers=workers, progress=progress)
    except KeyboardInterrupt:
        if out:
            click.echo(
                f"\nInterrupted; the results so far are in {out}. To resume, run the same command again.", err=True
            )
        raise


def _metric(by: str) -> str | None:
    return None if by == WINNER else by


class _MapOutput:
    """Output of a map as a table, a heat map or sentences."""

    def __init__(self, mapped: VariantMap, by: str) -> None:
        self.mapped, self.plan, self.by = mapped, mapped.plan, by
        self.axes = mapped.plan.grid.axes
        self.book: Book = mapped.plan.book
        self.rows = mapped.rows()
        summary = mapped.summary(_metric(by))
        found = mapped.find_period(self.rows)
        self.reasons = [f"{INVALID_MARK}: {reason}" for reason in summary.refused]
        self.sentences = [describe_period(self.book, found)] if found else []
        self.sentences += summary.duplicates_sentence()
        self.fits = len(self.rows) <= (0, MAX_TABLE_ROWS, MAX_HEATMAP_CELLS, 0)[min(3, len(self.axes))]
        if not self.fits:
            self.sentences = summary.sentences(self.book, _metric(by))

    def show(self) -> None:
        """Print a table for one setting, a heat map for two, or a summary for three or more."""
        screen = TextConsole()
        if self.fits and len(self.axes) == 1:
            click.echo("\n".join(_aligned(self.titles(), [self.line(row) for row in self.rows])))
        elif self.fits:
            heat = self.heat()
            title = f"{heat.note} Down: {heat.row_name}; across: {heat.column_name}."
            screen.show(render_heatmap(heat, title, screen.width))
        if self.sentences:
            options.print_paragraph("\n" * self.fits + "\n".join(self.sentences))
        if len(self.axes) == 2 and not self.fits:
            options.print_paragraph(
                "The map is too large for a terminal; write it with --html FILE or --plot FILE.svg."
            )
        if len(self.axes) == 1:
            for reason in self.reasons[:5]:
                options.print_paragraph(reason)

    def write(self, csv_to: Path | None, html_to: Path | None, plot_to: Path | None) -> None:
        heat = self.heat() if len(self.axes) == 2 else None
        if csv_to:
            with open_atomic(csv_to) as file:
                write_csv_rows(self.rows, file)
            click.echo(f"Wrote the rows to {csv_to}.", err=True)
        if html_to:
            table_rows = self.rows[:MAX_TABLE_ROWS]
            left = len(self.rows) - len(table_rows)
            sentences = (
                [*self.sentences, f"The table shows only the first {MAX_TABLE_ROWS:,} variants."]
                if left
                else self.sentences
            )
            lines = map(self.line, table_rows)
            write_atomic(html_to, map_page(self.title(), sentences, heat=heat, titles=self.titles(), rows=lines))
            click.echo(f"Wrote the page to {html_to}.", err=True)
        if plot_to and heat:
            save_svg(plot_to, self.title(), [heatmap_chart(heat)])
            click.echo(f"Wrote the chart to {plot_to}.", err=True)

    def title(self) -> str:
        return f"{self.book.full_title}, by {' and '.join(axis.name for axis in self.axes)}"

    def titles(self) -> list[str]:
        metric = [] if self.by == WINNER else [METRICS[self.by].title]
        return [*(axis.name for axis in self.axes), "winner", "turns", *metric, "best first moves"]

    def line(self, row: dict[str, Any]) -> list[str]:
        values = [row[name] for name in self.plan.setting_columns]
        if row["refused"]:
            return [*values, INVALID_MARK, *([""] * (len(self.titles()) - len(values) - 1))]
        plies = "" if row["plies"] is None else f"{row['plies']:,}"
        metric = [] if self.by == WINNER else [format_figure(self.by, row[self.by]) or "?"]
        return [
            *values,
            winner_name(self.book, row["winner"]),
            plies,
            *metric,
            join_or(row["best"].split()) if row["best"] else "",
        ]

    def heat(self) -> HeatMap:
        down, across = self.axes
        wide = len(across.values)
        cells = [self._cell(row) for row in self.rows]
        is_share = self.by in METRICS and METRICS[self.by].highest == 1
        note = f"{METRICS[self.by].title.capitalize()}{', in percent' * is_share}." if self.by != WINNER else ""
        return HeatMap(
            down.name,
            across.name,
            down.texts,
            across.texts,
            [cells[begin : begin + wide] for begin in range(0, len(cells), wide)],
            (lambda figure: f"{100 * figure:.0f}") if is_share else (lambda figure: format_figure(self.by, figure)),
            FAIR_SHARE_BOUNDS if self.by in FAIR_METRICS else None,
            note or "Who wins when player 1 starts, and in how many turns.",
        )

    def _cell(self, row: dict[str, Any]) -> float | str | None:
        if row["refused"]:
            return None
        if self.by == WINNER:
            return f"{row['winner']} in {row['plies']}" if row["winner"] else winner_name(self.book, 0)
        figure: float | None = row[self.by]
        return "?" if figure is None else figure


def _aligned(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table, with numbers right-aligned and text left-aligned."""
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
