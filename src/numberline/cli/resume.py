"""`numberline resume`: a game that was left, played on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from numberline.cli.menu import start_menu
from numberline.cli.options import as_json, plain_option, print_json, print_paragraph
from numberline.errors import RecordError
from numberline.files import os_error_reason, resolve
from numberline.terminal.console import TextConsole
from numberline.terminal.records import RecordFile
from numberline.terminal.rematch import play_with_rematches
from numberline.terminal.saves import SavedGame, lock_saved_game, saved_games
from numberline.terminal.series import Series
from numberline.text import pluralize


@click.command("resume", short_help="Go on with a game that was left.")
@click.argument("number", type=click.IntRange(1), required=False)
@click.option("--list", "only_list", is_flag=True, help="List the games that were left, and do nothing else.")
@click.option("--forget", is_flag=True, help="Remove the game from the list instead of playing it.")
@plain_option
@as_json
def command(number: int | None, *, only_list: bool, forget: bool, plain: bool, as_json: bool) -> None:
    """Go on with a game that was left: the newest, or the one with that NUMBER in the list."""
    found = list(saved_games())
    games = [game for game in found if isinstance(game, SavedGame)]
    for damaged in (game for game in found if isinstance(game, str)):
        click.echo(damaged, err=True)
    if as_json:
        print_json([_report(game) for game in games])
        return
    if not games:
        click.echo("No game was left unfinished.")
        return
    if only_list:
        for place, game in enumerate(games, 1):
            print_paragraph(f"{place}. {game}")
        return
    if number and number > len(games):
        only = f"{'is' if len(games) == 1 else 'are'} only {pluralize(len(games), 'game')}"
        raise click.UsageError(f"There {only} to resume; numberline resume --list shows them.")
    chosen = games[(number or 1) - 1]
    with lock_saved_game(chosen) as game:
        if forget:
            game.path.unlink(missing_ok=True)
            click.echo(f"Forgotten: {game}")
            return
        screen = TextConsole(plain=plain)
        another = _play_on(game, screen)
    if another:
        start_menu(click.get_current_context(), screen)


def _play_on(game: SavedGame, screen: TextConsole) -> bool:
    """Plays the game on, and those that are wanted after it; whether another one is wanted then."""
    screen.say(f"{game}\n\n")
    recorder = _recorder(game.series, screen)
    if recorder and recorder.path != resolve(Path(game.series.options.record or "")):
        game.series.options = replace(game.series.options, record=recorder.path)
        screen.say(f"The game is now recorded in {recorder.path}.\n\n")
    return play_with_rematches(game.series, screen, recorder, game.path)


def _recorder(sitting: Series, screen: TextConsole) -> RecordFile | None:
    """The file that the games were written to goes on being written; None where there is none, or none any more."""
    if not sitting.options.record:
        return None
    try:
        return RecordFile(sitting.options.record, sitting)
    except (OSError, RecordError) as error:
        why = os_error_reason(error) if isinstance(error, OSError) else error
        screen.say(f"{sitting.options.record}: {why}; the game goes on without being recorded.\n\n")
        return None


def _report(game: SavedGame) -> dict[str, object]:
    agreed = game.series.options
    return {
        "variant": agreed.book.variant,
        "guests": [{"name": guest.name, "bot": guest.bot} for guest in agreed.participants],
        "saved": game.saved_at.isoformat(),
        "games": agreed.games,
        "finished": len(game.series.finished),
        "moves": [ply.move for ply in game.series.current.plies] if game.series.current else [],
    }
