"""`numberline map BOOK NAME[=VALUES]...`: measurements of many variants, as a table, a heat map or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from numberline.bots import BotError
from numberline.cli import completion, options
from numberline.files.safe_write import open_atomic
from numberline.files.tables import write_csv_rows
from numberline.lab import sweep
from numberline.lab.grid import map_axis
from numberline.lab.metrics import FAIR_GAP, FAIR_SHARE_BOUNDS, FIXED_SKILL_METRICS, METRICS, format_figure
from numberline.lab.summary import describe_players
from numberline.lab.sweep_store import MAX_SHARD_POSITIONS, MEASURES, SweepPlan
from numberline.reports.charts import heatmap_chart
from numberline.reports.measure import map_page
from numberline.solver.index import format_bytes
from numberline.terminal.coach import announce_measuring
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.measurements import render_heatmap
from numberline.text import join_or
from numberline.views.charts import HeatMap

WINNER = "winner"
INVALID_MARK = "-"
FAIR_BOUNDS = {"gap": (0.0, FAIR_GAP)} | dict.fromkeys(("first", "newcomers", "side"), FAIR_SHARE_BOUNDS)
MAX_TABLE_ROWS = 10_000
MAX_HEATMAP_CELLS = 2_000


@click.command("map", short_help="Measure many variants; show a table, a heat map or CSV.")
@click.argument("book", shell_complete=completion.books)
@click.argument("values", nargs=-1, required=True, metavar="NAME[=VALUES]...", shell_complete=completion.swept_settings)
@options.settings_option
@click.option(
    "--by", type=click.Choice([*METRICS, WINNER]), default="gap", metavar="METRIC", help="Metric to show, or 'winner'."
)
@options.players_option
@click.option(
    "--measure",
    "measures",
    type=click.Choice(MEASURES),
    help="How much to measure; 'all' includes every skill level and the slow metrics.",
)
@click.option("--out", type=options.OutputPath(dir_okay=True), help="Save the map in this directory, or resume it.")
@options.workers_option()
@click.option("--html", "html_to", type=options.PAGE_FILE, help="Write the map to this HTML file.")
@click.option("--plot", "plot_to", type=options.SVG_FILE, help="Write the heat map to this SVG file.")
@click.option("--csv", "csv_to", type=options.TABLE_FILE, help="Write one row per variant to this CSV file.")
@click.option("--rejected", is_flag=True, help="Also include rows for variants that the rules reject, with reasons.")
@options.memory_option
@options.yes_option
@options.as_json
def command(
    book: str,
    values: tuple[str, ...],
    settings: tuple[str, ...],
    by: str,
    players: str | None,
    measures: str | None,
    out: Path | None,
    workers: int | str | None,
    html_to: Path | None,
    plot_to: Path | None,
    csv_to: Path | None,
    memory: int,
    *,
    rejected: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Measure BOOK for all combinations of settings, such as end=8..24 "steps=1-3;1,2,5" stuck=passes,loses.

    For a name without values, such as end or steps, the map covers the values that 'numberline find' tries.
    """
    metric = None if by == WINNER else by
    needed = sweep.required_measures(metric) if metric else MEASURES[0]
    if measures and MEASURES.index(measures) < MEASURES.index(needed):
        raise click.UsageError(f"--measure {measures} does not include {by}; use --measure {needed}.")
    game = options.load_variant(book, settings)
    grid_axes = [map_axis(game, text) for text in values]
    with options.usage_errors(BotError, "--players"):
        plan = SweepPlan(game, grid_axes, measures or needed, memory, players=players, rejected=rejected)
    axes, files = len(plan.grid.axes), (csv_to, html_to, plot_to)
    if axes > 2 and not (out or csv_to or as_json):
        raise click.UsageError(f"a map of {axes} settings can't be displayed; save it with --out DIR or --csv FILE.")
    if plot_to and axes != 2:
        raise click.UsageError(f"--plot requires exactly two settings, not {axes}.")
    if plan.grid.size > sweep.MAX_ROWS_IN_MEMORY and any((*files, as_json)):
        many = f"{plan.grid.size:,} variants are too many for one file"
        raise click.UsageError(f"{many} (maximum {sweep.MAX_ROWS_IN_MEMORY:,}); save them with --out DIR.")
    mapped = _run_sweep(plan, out, workers, yes=yes)
    if plan.grid.size > sweep.MAX_ROWS_IN_MEMORY:
        options.print_paragraph("\n".join(mapped.summary(metric).sentences(game, metric)))
        return
    view = _MapOutput(mapped, metric)
    view.write(*files)
    if as_json:
        options.print_json(sweep.sweep_to_dict(mapped))
    elif not any(files):
        view.show()
    else:
        options.print_paragraph(" ".join(view.sentences))


def _run_sweep(plan: SweepPlan, out: Path | None, workers: int | str | None, *, yes: bool) -> sweep.VariantMap:
    def estimate(cores: int) -> str:
        seconds, size = sweep.estimate(plan, cores)
        return f"{sweep.format_duration(seconds)} and {format_bytes(size)}"

    announce_measuring(min(plan.all_positions, MAX_SHARD_POSITIONS) if plan.measures != MEASURES[0] else 0)
    if plan.grid.size > sweep.LARGE_SWEEP_VARIANTS or plan.all_positions > sweep.LARGE_SWEEP_POSITIONS:
        options.confirm_large(plan.grid.size, estimate, workers, yes=yes)
    try:
        with progress_bar(f"Measuring {plan.grid.size:,} variants of {plan.book.name}") as progress:
            return sweep.run_sweep(plan, out=out, workers=workers, progress=progress)
    except KeyboardInterrupt:
        if out:
            stored = f"the results so far are in {out}. To resume, run the same command again."
            click.echo(f"\nInterrupted; {stored}", err=True)
        raise


class _MapOutput:
    """Output of a map as a table, a heat map or sentences."""

    def __init__(self, mapped: sweep.VariantMap, metric: str | None) -> None:
        self.mapped, self.plan, self.metric = mapped, mapped.plan, metric
        self.axes, self.book = mapped.plan.grid.axes, mapped.plan.book
        self.rows = mapped.rows()
        summary = mapped.summary(metric)
        self.reasons = [f"{INVALID_MARK}: {reason}" for reason in summary.refused]
        self.fits = len(self.rows) <= {1: MAX_TABLE_ROWS, 2: MAX_HEATMAP_CELLS}.get(len(self.axes), 0)
        self.sentences = summary.duplicates_sentence() if self.fits else summary.sentences(self.book, metric)
        if self.fits and (period := mapped.find_period(self.rows)):
            self.sentences.insert(0, sweep.describe_period(self.book, period))

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
            too_large = "The map is too large for a terminal"
            options.print_paragraph(f"{too_large}; write it with --html FILE or --plot FILE.svg.")
        if len(self.axes) == 1:
            for reason in self.reasons[:5]:
                options.print_paragraph(reason)

    def write(self, csv_to: Path | None, html_to: Path | None, plot_to: Path | None) -> None:
        heat = self.heat() if len(self.axes) == 2 else None
        if csv_to:
            with open_atomic(csv_to) as file:
                write_csv_rows(self.mapped.listed(self.rows), file)
            click.echo(f"Wrote the rows to {csv_to}.", err=True)
        if html_to:
            lines = map(self.line, self.rows[:MAX_TABLE_ROWS])
            cut = [f"The table shows only the first {MAX_TABLE_ROWS:,} variants."] * (len(self.rows) > MAX_TABLE_ROWS)
            sentences = [*self.sentences, *cut]
            page = map_page(self.title(), sentences, heat=heat, titles=self.titles(), rows=lines)
            options.write_page(html_to, page)
        if plot_to and heat:
            options.write_chart(plot_to, self.title(), [heatmap_chart(heat)])

    def title(self) -> str:
        return f"{self.book.full_title}, by {' and '.join(axis.name for axis in self.axes)}"

    def titles(self) -> list[str]:
        metric = [METRICS[self.metric].title] if self.metric else []
        return [*(axis.name for axis in self.axes), "winner", "turns", *metric, "best first moves"]

    def line(self, row: dict[str, Any]) -> list[str]:
        values = [str(row[name]) for name in self.plan.setting_columns]
        if row["refused"]:
            return [*values, INVALID_MARK, *([""] * (len(self.titles()) - len(values) - 1))]
        plies = "" if row["plies"] is None else f"{row['plies']:,}"
        metric = [format_figure(self.metric, row[self.metric]) or "?"] if self.metric else []
        best = join_or(row["best"].split()) if row["best"] else ""
        return [*values, sweep.winner_name(self.book, row["winner"]), plies, *metric, best]

    def heat(self) -> HeatMap:
        down, across = self.axes
        wide = len(across.values)
        cells = [self._cell(row) for row in self.rows]
        grid = [cells[begin : begin + wide] for begin in range(0, len(cells), wide)]
        note = "Who wins when player 1 starts, and in how many turns."
        if self.metric:
            skill = "" if self.metric in FIXED_SKILL_METRICS else f", {describe_players(self.plan.players)}"
            note = f"{METRICS[self.metric].title.capitalize()}{', in percent' * self._is_share}{skill}."
        names = (down.name, across.name, down.texts, across.texts)
        fair = FAIR_BOUNDS.get(self.metric or "")
        variants = [row["variant"] or "" for row in self.rows]
        return HeatMap(*names, grid, self._format_value, fair, note, variants)

    @property
    def _is_share(self) -> bool:
        return self.metric is not None and METRICS[self.metric].highest in {0.5, 1}

    def _format_value(self, figure: float) -> str:
        return f"{100 * figure:.0f}" if self._is_share else format_figure(self.metric or "", figure)

    def _cell(self, row: dict[str, Any]) -> float | str | None:
        if row["refused"]:
            return None
        if not self.metric:
            return f"{row['winner']} in {row['plies']}" if row["winner"] else sweep.winner_name(self.book, 0)
        figure: float | None = row[self.metric]
        return "?" if figure is None else figure


def _aligned(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of a table; the columns from `turns` to the second-to-last are numeric and right-aligned."""
    right = range(titles.index("turns"), len(titles) - 1)
    columns = []
    for number, column in enumerate(zip(titles, *rows, strict=True)):
        size = max(map(len, column))
        columns.append([text.rjust(size) if number in right else text.ljust(size) for text in column])
    return ["  ".join(line).rstrip() for line in zip(*columns, strict=True)]
