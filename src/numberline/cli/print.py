"""`numberline print VARIANT`: a rule sheet, a board, a worksheet and its answers, as one page for paper."""

from __future__ import annotations

import re
from pathlib import Path

import click

from numberline.cli import completion
from numberline.cli.options import Size, varied, with_settings
from numberline.files import need_folder, write_whole
from numberline.reports.sheet import MOST_EXERCISES, need_printable, sheet_of, sheet_page
from numberline.reports.sheet_style import PAPERS
from numberline.rules.wording import counted
from numberline.solver.table import MEMORY, in_words
from numberline.terminal.teacher import solved


@click.command("print", short_help="Make a sheet for paper: rules, board, worksheet, answers.")
@click.argument("book", shell_complete=completion.books)
@with_settings
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
    type=click.IntRange(1, MOST_EXERCISES),
    default=8,
    show_default=True,
    metavar="N",
    help="How many winning moves there are to find.",
)
@click.option("--memory", type=Size(), default=MEMORY, show_default=in_words(MEMORY), help="The most memory to take.")
def command(
    book: str, settings: tuple[str, ...], out: Path | None, paper: str, seed: int, exercises: int, memory: int
) -> None:
    """Make a sheet of BOOK for paper: the rules, a board with tokens, a worksheet, and its answers.

    It is one page for a browser, which prints it. A file that you name is replaced; without a name no file is.
    """
    game = varied(book, settings)
    need_printable(game)
    file = out or _named(game.variant)
    need_folder(file)
    sheet = sheet_of(solved(game, memory), paper, seed, exercises)
    write_whole(file, sheet_page(sheet))
    click.echo(f"The sheet is in {file}: open it in a browser and print it.", err=True)
    found = len(sheet.tasks.moves)
    if found < exercises:
        click.echo(f"{game.variant} has only {counted(found, 'exercise')} of that kind.", err=True)


def _named(variant: str) -> Path:
    """A file with the name of the variant; one that is there already is not replaced unasked."""
    file = Path(f"{re.sub(r'[^a-z0-9]+', '-', variant.lower()).strip('-') or 'sheet'}.html")
    if file.exists():
        raise click.UsageError(f"{file} is there already; name a file with -o, which may be the same.")
    return file
