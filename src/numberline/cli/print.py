"""`numberline print VARIANT`: a rule sheet, a board, a worksheet and its answers, as one page for paper."""

from __future__ import annotations

import re
from pathlib import Path

import click

from numberline.cli import completion
from numberline.cli.options import ByteSize, load_variant, settings_option
from numberline.files import check_parent_dir, write_atomic
from numberline.reports.sheet import MAX_EXERCISES, PAPERS, check_printable, make_sheet, sheet_page
from numberline.solver.index import DEFAULT_MEMORY_BYTES, format_bytes
from numberline.terminal.coach import solve_with_progress
from numberline.text import pluralize


@click.command("print", short_help="Make a sheet for paper: rules, board, worksheet, answers.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@click.option(
    "-o",
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write to this file.  [default: the name of the variant, with .html]",
)
@click.option(
    "--paper", type=click.Choice(list(PAPERS)), default="a4", show_default=True, help="What it is printed on."
)
@click.option("--seed", type=int, default=1, show_default=True, help="The number that draws the exercises.")
@click.option(
    "--exercises",
    type=click.IntRange(1, MAX_EXERCISES),
    default=8,
    show_default=True,
    metavar="N",
    help="How many winning moves there are to find.",
)
@click.option(
    "--memory",
    type=ByteSize(),
    default=DEFAULT_MEMORY_BYTES,
    show_default=format_bytes(DEFAULT_MEMORY_BYTES),
    help="The most memory to take.",
)
def command(
    book: str, settings: tuple[str, ...], out: Path | None, paper: str, seed: int, exercises: int, memory: int
) -> None:
    """Make a sheet of BOOK for paper: the rules, a board with tokens, a worksheet, and its answers.

    It is one page for a browser, which prints it. A file that you name is replaced; without a name no file is.
    """
    game = load_variant(book, settings)
    check_printable(game)
    file = out or _named(game.variant)
    check_parent_dir(file)
    sheet = make_sheet(solve_with_progress(game, memory), paper, seed, exercises)
    write_atomic(file, sheet_page(sheet))
    click.echo(f"The sheet is in {file}: open it in a browser and print it.", err=True)
    found = len(sheet.tasks.moves)
    if found < exercises:
        click.echo(f"{game.variant} has only {pluralize(found, 'exercise')} of that kind.", err=True)


def _named(variant: str) -> Path:
    """A file with the name of the variant; one that is there already is not replaced unasked."""
    file = Path(f"{re.sub(r'[^a-z0-9]+', '-', variant.lower()).strip('-') or 'sheet'}.html")
    if file.exists():
        raise click.UsageError(f"{file} is there already; name a file with -o, which may be the same.")
    return file
