"""`numberline measure VARIANT [OTHER]`: exact fairness, length and depth of one variant, or a comparison of two."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from numberline.bots import BotError
from numberline.cli import completion, options
from numberline.explain.queries import ValueMap, build_value_map
from numberline.game.book import Book
from numberline.lab import summary
from numberline.lab.measure import measure_solution
from numberline.lab.metrics import Measurements
from numberline.reports.charts import comparison_chart, measure_charts
from numberline.solver.markov import WORK_PER_EDGE
from numberline.solver.solution import Solution
from numberline.terminal.coach import announce_measuring, solve_with_progress
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.measurements import render_balance_chart, render_comparison, render_metrics

MAX_VALUE_MAP_CELLS = 6_000


@click.command("measure", short_help="Measure how fair, how long and how deep a variant is.")
@click.argument("book", metavar="VARIANT", shell_complete=completion.books)
@click.argument("other", required=False, shell_complete=completion.books)
@options.settings_option
@options.players_option
@click.option("--html", "html_to", type=options.PAGE_FILE, help="Write the measurements to this HTML file.")
@click.option("--plot", "plot_to", type=options.SVG_FILE, help="Write the balance and length charts to this SVG file.")
@options.memory_option
@options.as_json
def command(
    book: str,
    other: str | None,
    settings: tuple[str, ...],
    players: str | None,
    html_to: Path | None,
    plot_to: Path | None,
    memory: int,
    *,
    as_json: bool,
) -> None:
    """Measure VARIANT exactly: who wins with perfect and imperfect play, and how long and how deep the games are.

    With OTHER, compare the two variants.
    """
    games = [options.load_variant(name, settings) for name in (book, other) if name is not None]
    solutions = [solve_with_progress(game, memory) for game in games]
    measures = [_measure(solution, players) for solution in solutions]
    found = summary.compare(*solutions) if len(solutions) > 1 else None
    if html_to:
        options.write_page(html_to, _page(solutions, measures, found))
    if plot_to:
        charts = [chart for measured in measures for chart in measure_charts(measured)]
        if found and all(measured.curve for measured in measures):
            charts.insert(0, comparison_chart(*measures))
        options.write_chart(plot_to, " and ".join(game.full_title for game in games), charts)
    if as_json:
        data = [measured.data() for measured in measures]
        options.print_json({"variants": data, "comparison": found.data()} if found else data[0])
    elif found and not (html_to or plot_to):
        _print_comparison(games, measures, found)
    elif not (html_to or plot_to):
        _print_variant(games[0], measures[0])


def _measure(solution: Solution, players: str | None) -> Measurements:
    if solution.book.rules.players == 2:
        announce_measuring(WORK_PER_EDGE * solution.table.size)
    with progress_bar(f"Measuring {solution.book.variant}") as progress, options.usage_errors(BotError, "--players"):
        return measure_solution(solution, players, progress=progress)


def _print_variant(book: Book, measured: Measurements) -> None:
    screen = TextConsole()
    click.echo(f"{book.full_title}\n")
    options.print_paragraph(" ".join(summary.summarize(measured, book)))
    click.echo()
    if not measured.curve:
        options.print_paragraph(summary.two_players_only_note(measured))
        return
    screen.show(render_balance_chart(measured.curve, screen.width))
    options.print_paragraph(f"\nEvery metric, {summary.describe_players(measured.players)}:\n")
    screen.show(render_metrics(measured, book, screen.width))
    if bounds := summary.describe_bounds(measured):
        options.print_paragraph(f"\n{bounds}")


def _print_comparison(books: Sequence[Book], measures: Sequence[Measurements], found: summary.Comparison) -> None:
    for letter, book, measured in zip("AB", books, measures, strict=True):
        options.print_paragraph(f"{letter}  {book.full_title}")
        options.print_paragraph(" ".join(summary.summarize(measured, book)), "   ")
    click.echo()
    for line in summary.describe_differences(found, books):
        options.print_paragraph(line)
    click.echo()
    screen = TextConsole()
    screen.show(render_comparison(measures[0], measures[1], screen.width))


def _page(solutions: Sequence[Solution], measures: Sequence[Measurements], found: summary.Comparison | None) -> str:
    from numberline.reports.measure import MeasuredVariant, comparison_page, measure_page  # not needed without --html

    variants = [
        MeasuredVariant(solution.book, measured, _picture(solution))
        for solution, measured in zip(solutions, measures, strict=True)
    ]
    if found is None:
        return measure_page(variants[0])
    differences = summary.describe_differences(found, [variant.book for variant in variants])
    return comparison_page(variants[0], variants[1], differences)


def _picture(solution: Solution) -> ValueMap | None:
    """Return the value map, or None if the game has none or its value map is too large for a page."""
    picture = build_value_map(solution)
    return picture if picture and len(picture.rows) * len(picture.columns) <= MAX_VALUE_MAP_CELLS else None
