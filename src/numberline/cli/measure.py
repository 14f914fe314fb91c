"""`numberline measure VARIANT [OTHER]`: how fair, how long and how deep it is, exactly; or what changed between two."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from numberline.analysis.landscape import Landscape, landscape
from numberline.book.book import Book
from numberline.bots import BotError
from numberline.cli import completion
from numberline.cli.options import Size, as_json, print_json, say, varied, with_settings
from numberline.files import need_folder, write_whole
from numberline.lab.comparing import Comparison, compare
from numberline.lab.measuring import Measured, measure
from numberline.lab.summary import bounds_in_words, differences, figures_of, only_for_two, summary
from numberline.reports.plots import need_plots, save_measured
from numberline.solver.solution import Solution
from numberline.solver.table import MEMORY, in_words
from numberline.terminal.curve import drawn_curve
from numberline.terminal.metrics import metric_lines, side_by_side
from numberline.terminal.screen import Screen, bar
from numberline.terminal.teacher import solved

MOST_FIELDS = 6_000
"""A page has no picture of the places with more fields than this."""
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("measure", short_help="Say how fair, how long and how deep a variant is, exactly.")
@click.argument("book", metavar="VARIANT", shell_complete=completion.books)
@click.argument("other", required=False, shell_complete=completion.books)
@with_settings
@click.option("--players", metavar="SKILLS", help="Who plays, such as sight:3,slip:10. [default: slip:25, both]")
@click.option("--html", "html_to", type=_FILE, help="Write it as one web page.")
@click.option("--plot", "plot_to", type=_FILE, help="Draw the curve and the lengths (.png, .svg or .pdf).")
@click.option("--memory", type=Size(), default=MEMORY, show_default=in_words(MEMORY), help="The most memory to take.")
@as_json
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
    """Measure VARIANT exactly: who wins with perfect play and among people, how long it takes, how much is decided.

    With OTHER, a second variant, it says what changed between the two.
    """
    games = [varied(name, settings) for name in (book, other) if name is not None]
    for file in filter(None, (html_to, plot_to)):
        need_folder(file)
    if plot_to:
        need_plots(plot_to)
    solutions = [solved(game, memory) for game in games]
    measures = [_measured(solution, players, memory) for solution in solutions]
    found = compare(*solutions) if len(solutions) > 1 else None
    if html_to:
        _write_page(solutions, measures, found, html_to)
        click.echo(f"The page is in {html_to}.", err=True)
    if plot_to:
        save_measured(measures, " and ".join(game.full_title for game in games), plot_to)
        click.echo(f"The picture is in {plot_to}.", err=True)
    if as_json:
        _print_report(measures, found)
    elif not (html_to or plot_to):
        _tell(games, measures, found)


def _measured(solution: Solution, players: str | None, memory: int) -> Measured:
    with bar(f"Measuring {solution.book.variant}") as progress:
        try:
            return measure(
                solution.book, players, memory=memory, progress=lambda share: progress(max(0.0, 2 * share - 1))
            )
        except BotError as error:
            raise click.BadParameter(f"{error}.", param_hint="--players") from None


# For people


def _tell(books: Sequence[Book], measures: Sequence[Measured], found: Comparison | None) -> None:
    if found:
        _tell_two(books, measures, found)
    else:
        _tell_one(books[0], measures[0])


def _tell_one(book: Book, measured: Measured) -> None:
    screen = Screen()
    click.echo(f"{book.full_title}\n")
    say(" ".join(summary(measured, book)))
    click.echo()
    if not measured.curve:
        say(only_for_two(measured))
        return
    screen.show(drawn_curve(measured.curve, screen.width))
    say(f"\nEvery metric, {figures_of(measured)}:\n")
    screen.show(metric_lines(measured, book, screen.width))
    if unsure := bounds_in_words(measured):
        say(f"\n{unsure}")


def _tell_two(books: Sequence[Book], measures: Sequence[Measured], found: Comparison) -> None:
    for letter, book, measured in zip("AB", books, measures, strict=True):
        say(f"{letter}  {book.full_title}")
        say(" ".join(summary(measured, book)), "   ")
    click.echo()
    for line in differences(found, books):
        say(line)
    click.echo()
    screen = Screen()
    screen.show(side_by_side(measures[0], measures[1], screen.width))


# For programs and browsers


def _print_report(measures: Sequence[Measured], found: Comparison | None) -> None:
    if found is None:
        print_json(measures[0].data())
    else:
        print_json({"variants": [measured.data() for measured in measures], "comparison": found.data()})


def _write_page(
    solutions: Sequence[Solution], measures: Sequence[Measured], found: Comparison | None, path: Path
) -> None:
    from numberline.reports.measure import Exhibit, comparison_page, measure_page  # needed only here

    exhibits = [
        Exhibit(solution.book, measured, _picture(solution))
        for solution, measured in zip(solutions, measures, strict=True)
    ]
    if found is None:
        write_whole(path, measure_page(exhibits[0]))
    else:
        said = differences(found, [exhibit.book for exhibit in exhibits])
        write_whole(path, comparison_page(exhibits[0], exhibits[1], said))


def _picture(solution: Solution) -> Landscape | None:
    """What each place is worth, where that is not too much for a page."""
    picture = landscape(solution)
    return picture if picture and len(picture.rows) * len(picture.columns) <= MOST_FIELDS else None
