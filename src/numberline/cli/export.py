"""`numberline export BOOK`: every position of a variant, or every turn of sample games, as a dataset."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import IO

import click

from numberline.arena.schedule import check_game_count
from numberline.bots import BotError
from numberline.cli import completion, options
from numberline.datasets.export import FORMATS, Frame, SolvedDataset, dataset_card
from numberline.files.safe_write import check_overwrite, is_stream, open_atomic_all
from numberline.files.tables import import_pyarrow
from numberline.terminal.console import progress_bar
from numberline.text import join_or, pluralize

_DATASET_FILE = options.OutputPath(r'^(game,ply,)?variant,|^{("game":\d+,"ply":\d+,)?"variant":|numberline\.variant')


@click.command("export", short_help="Write every position of a variant as a dataset.")
@click.argument("book", shell_complete=completion.books)
@options.settings_option
@click.option(
    "--format",
    "form",
    type=click.Choice(list(FORMATS)),
    help="File format. [default: the extension of --out, or jsonl]",
)
@click.option("--out", type=_DATASET_FILE, help="Write atomically to this file instead of standard output.")
@click.option("--numbers", is_flag=True, help="Add numeric columns: observation, action_mask, regret, and so on.")
@click.option("--prompts", is_flag=True, help="Add a column with the prompt for a language model.")
@click.option("--card/--no-card", "wants_card", default=True, show_default=False, help="Add a dataset card, FILE.md.")
@options.number_option("--games", 1, None, "Play N games and export their turns instead of all positions.")
@options.bot_option("level:5", "Bot that plays every seat if --games is given.")
@click.option("--seed", type=int, default=0, help="Random seed.")
@options.memory_option
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
    """Export every position of BOOK with its moves and their values, or, with --games, every turn of sample games."""
    game = options.load_variant(book, settings)
    ending = out.suffix[1:].lower() if out and not is_stream(out) else ""
    if not form and ending not in {"", *FORMATS}:
        raise click.UsageError(f"{out}: unknown extension; expected .{join_or(list(FORMATS))}, or choose a --format.")
    form = form or ending or "jsonl"
    if form == "parquet" and not out:
        raise click.UsageError("parquet can't be written to standard output; name a file with --out.")
    if form == "parquet":
        import_pyarrow()  # fail early if it is missing
    check_game_count(games or 0)
    columns: list[str] = []
    with _open_outputs(out or Path("/dev/stdout"), wants_card=wants_card) as (file, *card):
        with progress_bar(f"Solving {game.variant}") as progress:
            dataset = SolvedDataset(game, memory=memory, progress=progress, numbers=numbers, prompts=prompts)
        with progress_bar(f"Writing {f'{games:,} games of ' if games else ''}{game.variant}") as progress:
            frames = (
                dataset.game_frames(games, bot, seed, progress=progress) if games else dataset.position_frames(progress)
            )
            with options.usage_errors(BotError, "--bot"):
                count = FORMATS[form](_note_columns(columns, frames), file, game)
        if out and card:
            command = shlex.join(["numberline", *sys.argv[1:]])
            card[0].write(dataset_card(game, out, count, columns, command, games=bool(games)).encode())
    if out and not is_stream(out):
        click.echo(f"Wrote {pluralize(count, 'row')} to {out}{f' and its card to {out}.md' * wants_card}.", err=True)


def _open_outputs(out: Path, *, wants_card: bool) -> AbstractContextManager[list[IO[bytes]]]:
    """Open the output file and, if requested, the dataset card.

    This is done before solving, so that a path that is not writable is reported at once.
    """
    if not wants_card or is_stream(out):
        return open_atomic_all(out)
    card = out.parent / f"{out.name}.md"
    check_overwrite(card, "^---\npretty_name: ")
    return open_atomic_all(out, card)


def _note_columns(columns: list[str], frames: Iterable[Frame]) -> Iterator[Frame]:
    """Yield `frames` unchanged, storing their column names in `columns`."""
    for frame in frames:
        columns[:] = frame
        yield frame
