"""`numberline export BOOK`: every position of a variant, or sampled games, as data for other programs."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path

import click

from numberline.bots import BotError
from numberline.cli import completion
from numberline.cli.options import Size, varied, with_settings
from numberline.files import need_folder, opened_whole
from numberline.lab.export import FORMATS, Answers, load_pyarrow
from numberline.solver.table import MEMORY, in_words
from numberline.terminal.screen import bar


@click.command("export", short_help="Write every position of a variant as data.")
@click.argument("book", shell_complete=completion.books)
@with_settings
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="[default: what --out ends with, or jsonl]")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file, whole or not at all.")
@click.option("--games", type=click.IntRange(1), help="Write that many games instead of every position.")
@click.option(
    "--bot",
    default="level:5",
    show_default=True,
    metavar="BOT",
    shell_complete=completion.bots,
    help="Who plays the games, in all seats.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The number that all chance comes from.")
@click.option("--memory", type=Size(), default=MEMORY, show_default=in_words(MEMORY), help="The most memory to take.")
def command(
    book: str,
    settings: tuple[str, ...],
    form: str | None,
    out: Path | None,
    games: int | None,
    bot: str,
    seed: int,
    memory: int,
) -> None:
    """Write every position of BOOK with its moves and what they are worth, or every turn of some games."""
    game = varied(book, settings)
    form = form or (out.suffix[1:].lower() if out and out.suffix[1:].lower() in FORMATS else "jsonl")
    if form == "parquet" and not out:
        raise click.UsageError("parquet goes to a file; name it with --out.")
    if form == "parquet":
        load_pyarrow()  # whoever has to install it first should not wait for the solver
    if out:
        need_folder(out)
    with bar(f"Solving {game.variant}") as progress:
        answers = Answers(game, memory=memory, progress=progress)
    target = opened_whole(out) if out else nullcontext(sys.stdout.buffer)
    with bar(f"Writing {game.variant}") as progress, target as file:
        rows = answers.games(games, bot, seed) if games else answers.positions(progress)
        try:
            FORMATS[form](rows, file)
            file.flush()
        except BotError as error:
            raise click.BadParameter(f"{error}.", param_hint="--bot") from None
