"""`numberline print VARIANT`: a printable page with rules, a board, a worksheet and answers."""

from __future__ import annotations

import re
from pathlib import Path

import click

from numberline.cli import completion
from numberline.cli.options import OUTPUT_FILE, load_variant, memory_option, settings_option
from numberline.files.safe_write import write_atomic
from numberline.reports.sheet import MAX_EXERCISES, PAPERS, check_printable, make_sheet, sheet_page
from numberline.terminal.coach import solve_with_progress
from numberline.text import pluralize


@click.command("print", short_help="Make a printable page: rules, board, worksheet, answers.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@click.option("-o", "--out", type=OUTPUT_FILE, help="Write to this file. [default: the variant's name with .html]")
@click.option("--paper", type=click.Choice(list(PAPERS)), default="a4", help="Paper size.")
@click.option("--seed", type=int, default=1, help="Random seed for choosing the exercises.")
@click.option(
    "--exercises",
    type=click.IntRange(1, MAX_EXERCISES),
    default=8,
    metavar="N",
    help="Number of find-the-winning-move exercises.",
)
@memory_option
def command(
    book: str, settings: tuple[str, ...], out: Path | None, paper: str, seed: int, exercises: int, memory: int
) -> None:
    """Make a printable page for BOOK: the rules, a board with tokens, a worksheet, and its answers.

    The page is a single HTML file to print from a browser. An existing file is overwritten only if named with -o.
    """
    game = load_variant(book, settings)
    check_printable(game)
    file = out or _default_file(game.variant)
    sheet = make_sheet(solve_with_progress(game, memory), paper, seed, exercises)
    write_atomic(file, sheet_page(sheet))
    click.echo(f"Wrote the page to {file}. Open it in a browser to print it.", err=True)
    found = len(sheet.tasks.moves)
    if found < exercises:
        click.echo(f"{game.variant} has only {pluralize(found, 'exercise')} of this kind.", err=True)


def _default_file(variant: str) -> Path:
    file = Path(f"{re.sub(r'[^a-z0-9]+', '-', variant.lower()).strip('-') or 'sheet'}.html")
    if file.exists():
        raise click.UsageError(f"{file} already exists; use -o FILE to overwrite it or to choose another file.")
    return file
