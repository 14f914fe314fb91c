"""`numberline print VARIANT`: a printable page with rules, a board, worksheets and answers."""

from __future__ import annotations

import re
from errno import EEXIST
from pathlib import Path

import click

from numberline.cli import completion
from numberline.cli.options import OutputPath, load_variant, memory_option, number_option, settings_option
from numberline.files.safe_write import is_stream, write_atomic
from numberline.reports.html import PAPER_GENERATOR
from numberline.reports.sheet import MAX_COPIES, MAX_EXERCISES, PAPERS, PARTS, check_printable, make_sheet, sheet_page
from numberline.terminal.coach import solve_with_progress
from numberline.text import did_you_mean, pluralize, quote

_SHEET_FILE = OutputPath(f'content="{PAPER_GENERATOR}"')


def _parse_parts(_context: click.Context, _option: click.Parameter, text: str) -> list[str]:
    parts = [part.strip() for part in text.split(",")]
    for part in parts:
        if part.lower() not in PARTS:
            expected = did_you_mean(part, PARTS) or f"; choose from {', '.join(PARTS)}"
            raise click.BadParameter(f"unknown part {quote(part)}{expected}.")
    return [part.lower() for part in parts]


@click.command("print", short_help="Make a printable page: rules, board, worksheet, answers.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@click.option("-o", "--out", type=_SHEET_FILE, help="Write to this file; - is standard output. [default: VARIANT.html]")
@click.option("--paper", type=click.Choice(list(PAPERS)), default="a4", help="Paper size.")
@click.option("--seed", type=int, default=1, help="Random seed for choosing the exercises.")
@number_option("--exercises", 1, MAX_EXERCISES, "Number of find-the-winning-move exercises.", default=8)
@number_option("--copies", 1, MAX_COPIES, "Number of different worksheets; one answer key covers all.", default=1)
@click.option(
    "--only",
    metavar="PARTS",
    default=",".join(PARTS),
    callback=_parse_parts,
    help="Parts to print, such as worksheet,answers.",
)
@memory_option
def command(
    book: str,
    settings: tuple[str, ...],
    out: Path | None,
    paper: str,
    seed: int,
    exercises: int,
    copies: int,
    only: list[str],
    memory: int,
) -> None:
    """Make a printable page for BOOK: the rules, a board with tokens, a worksheet, and its answers.

    The page is a single HTML file to print from a browser. With -o, an existing file is overwritten only if
    it is empty or this command made it.
    """
    game = load_variant(book, settings)
    check_printable(game)
    file = out or Path(f"{re.sub(r'[^a-z0-9]+', '-', game.variant.lower()).strip('-') or 'sheet'}.html")
    if not is_stream(file) and file.suffix.lower() not in {".html", ".htm"}:
        raise click.UsageError(f"{out}: expected a name that ends in .html or .htm, or - for standard output.")
    if not out and file.exists():
        raise FileExistsError(EEXIST, "already exists; use -o to overwrite it or to choose another file", str(file))
    sheet = make_sheet(solve_with_progress(game, memory), paper, seed, exercises, copies)
    write_atomic(file, sheet_page(sheet, only))
    if not is_stream(file):
        click.echo(f"Wrote the page to {file}. Open it in a browser to print it.", err=True)
    found = len(sheet.worksheets[0].moves)
    if found < exercises:
        click.echo(f"{game.variant} has only {pluralize(found, 'find-the-winning-move exercise')}.", err=True)
