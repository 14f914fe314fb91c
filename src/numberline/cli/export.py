"""`numberline export BOOK`: every position of a variant, or sampled games, as data for other programs."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import IO

import click

from numberline.arena.schedule import check_game_count
from numberline.bots import BotError
from numberline.cli import completion
from numberline.cli.options import ByteSize, load_variant, settings_option
from numberline.datasets.export import Frame, SolvedDataset
from numberline.datasets.writers import FORMATS, dataset_card, load_pyarrow
from numberline.files import check_parent_dir, is_stream, open_atomic_all
from numberline.solver.index import DEFAULT_MEMORY_BYTES, format_bytes
from numberline.terminal.console import progress_bar


@click.command("export", short_help="Write every position of a variant as data.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@click.option("--format", "form", type=click.Choice(list(FORMATS)), help="[default: what --out ends with, or jsonl]")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write to this file, whole or not at all.")
@click.option("--numbers", is_flag=True, help="Add columns of numbers: observation, action_mask, regret, and so on.")
@click.option("--prompts", is_flag=True, help="Add what a language model would be told.")
@click.option("--card/--no-card", "wants_card", default=True, help="Write a page beside the file that says what it is.")
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
@click.option(
    "--memory",
    type=ByteSize(),
    default=DEFAULT_MEMORY_BYTES,
    show_default=format_bytes(DEFAULT_MEMORY_BYTES),
    help="The most memory to take.",
)
def command(
    book: str,
    settings: tuple[str, ...],
    form: str | None,
    out: Path | None,
    games: int | None,
    bot: str,
    seed: int,
    memory: int,
    *,
    numbers: bool,
    prompts: bool,
    wants_card: bool,
) -> None:
    """Write every position of BOOK with its moves and what they are worth, or every turn of some games."""
    game = load_variant(book, settings)
    form = form or (out.suffix[1:].lower() if out and out.suffix[1:].lower() in FORMATS else "jsonl")
    if form == "parquet" and not out:
        raise click.UsageError("parquet goes to a file; name it with --out.")
    if form == "parquet":
        load_pyarrow()  # whoever has to install it first should not wait for the solver
    check_game_count(games or 0)
    columns: list[str] = []
    with _targets(out, wants_card=wants_card) as (file, *page):
        with progress_bar(f"Solving {game.variant}") as progress:
            answers = SolvedDataset(game, memory=memory, progress=progress, numbers=numbers, prompts=prompts)
        with progress_bar(f"Writing {f'{games:,} games of ' if games else ''}{game.variant}") as progress:
            frames = (
                answers.game_frames(games, bot, seed, progress=progress) if games else answers.position_frames(progress)
            )
            try:
                count = FORMATS[form](_noting(columns, frames), file, game)
                file.flush()
            except BotError as error:
                raise click.BadParameter(f"{error}.", param_hint="--bot") from None
        if out and page:
            command = shlex.join(["numberline", *sys.argv[1:]])
            page[0].write(dataset_card(game, out, count, columns, command, games=bool(games)).encode())


def _targets(out: Path | None, *, wants_card: bool) -> AbstractContextManager[list[IO[bytes]]]:
    """Where the rows go, and the card, if there is one; what can't be written is refused before any work is done."""
    if not out:
        return nullcontext([sys.stdout.buffer])
    check_parent_dir(out)
    if not wants_card or is_stream(out):
        return open_atomic_all(out)
    return open_atomic_all(out, out.parent / f"{out.name}.md")


def _noting(columns: list[str], frames: Iterable[Frame]) -> Iterator[Frame]:
    """The same rows, the names of their columns being written down."""
    for frame in frames:
        columns[:] = frame
        yield frame
