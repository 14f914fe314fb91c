"""`numberline progress`: a player's name, stars and results, and copying them to another device."""

from __future__ import annotations

import sys
from collections.abc import Callable

import click

from numberline.cli import EXIT_FAILURE
from numberline.cli.options import as_json, print_json, usage_errors
from numberline.progress import document
from numberline.progress.events import NameGiven, apply, check_name
from numberline.terminal.console import TextConsole
from numberline.terminal.progress import progress_file, read_progress, today, update_progress
from numberline.terminal.records import save_imported_games
from numberline.text import pluralize


@click.command("progress", short_help="Show your stars and results, or copy them to another device.")
@click.option("--name", metavar="NAME", help="Change your name.")
@click.option("--export", "exports", is_flag=True, help="Print your progress as text to import on another device.")
@click.option(
    "--import",
    "imported",
    metavar="TEXT",
    help="Import the TEXT that --export printed; use - to paste it, or to read a file or pipe.",
)
@as_json
def command(name: str | None, imported: str | None, *, exports: bool, as_json: bool) -> None:
    """Show your name, stars, day streak, puzzles and lessons.

    With --import, nothing is lost: you keep the higher number of stars and the games from both devices.
    """
    if exports and as_json:
        raise click.UsageError("use only one of --export and --json.")
    with usage_errors(document.ProgressError), usage_errors(document.NewerFormat):
        if name is not None:
            event = NameGiven(check_name(name))
            _update(lambda progress: apply(progress, event)[0])
        if imported is not None:
            if imported == "-" and sys.stdin.isatty():
                imported = TextConsole().ask("Paste the text, then press Enter: ")  # has no limit of 4096 characters
            piped = sys.stdin.buffer.read(document.MAX_EXPORT_CHARS) if imported == "-" else b""
            other = document.import_text(piped.decode(errors="replace") or imported)
            save_imported_games(_update(lambda progress: document.merge(progress, other)).games)
            click.echo(f"Imported to {progress_file()}.", err=True)
    progress, is_readable = read_progress(progress_file())
    if not is_readable:
        click.get_current_context().exit(EXIT_FAILURE)
    if as_json:
        print_json(document.encode(progress))
    else:
        click.echo(document.export_text(progress) if exports else _summarize(progress))


def _update(change: Callable[[document.Progress], document.Progress]) -> document.Progress:
    """Change the stored progress and return it; exit if it can't be saved."""
    return update_progress(change) or click.get_current_context().exit(EXIT_FAILURE)


def _summarize(progress: document.Progress) -> str:
    stats, games = progress.puzzles, progress.games
    won, puzzle_stars = sum(bool(game.won) for game in games), pluralize(stats.stars, "star")
    return "\n".join(
        [
            document.greeting(progress, today()) or "You have no stars yet. To play a game, type: numberline",
            f"Games: {won} won of the last {len(games)}." if games else "Games: none yet.",
            f"Puzzles: {stats.solved} of {stats.asked} solved, {puzzle_stars}, best streak {stats.best_streak}.",
            f"Lessons: {len(progress.lessons)} done.",
        ]
    )
