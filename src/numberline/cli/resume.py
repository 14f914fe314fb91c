"""`numberline resume`: a game that was left, played on."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click

from numberline.cli.menu import start_menu
from numberline.cli.options import as_json, in_sentences, print_json, say
from numberline.files import failure, real
from numberline.rules.errors import RecordError
from numberline.rules.wording import counted
from numberline.terminal.records import RecordFile
from numberline.terminal.rematch import play_and_ask
from numberline.terminal.saves import Saved, saved_games, taken
from numberline.terminal.screen import Screen
from numberline.terminal.sitting import Sitting


@click.command("resume", short_help="Go on with a game that was left.")
@click.argument("number", type=click.IntRange(1), required=False)
@click.option("--list", "only_list", is_flag=True, help="List the games that were left, and do nothing else.")
@click.option("--forget", is_flag=True, help="Remove the game from the list instead of playing it.")
@in_sentences
@as_json
def command(number: int | None, *, only_list: bool, forget: bool, plain: bool, as_json: bool) -> None:
    """Go on with a game that was left: the newest, or the one with that NUMBER in the list."""
    found = list(saved_games())
    games = [game for game in found if isinstance(game, Saved)]
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
            say(f"{place}. {game}")
        return
    if number and number > len(games):
        only = f"{'is' if len(games) == 1 else 'are'} only {counted(len(games), 'game')}"
        raise click.UsageError(f"There {only} to resume; numberline resume --list shows them.")
    chosen = games[(number or 1) - 1]
    with taken(chosen) as game:
        if forget:
            game.path.unlink(missing_ok=True)
            click.echo(f"Forgotten: {game}")
            return
        screen = Screen(plain=plain)
        another = _play_on(game, screen)
    if another:
        start_menu(click.get_current_context(), screen)


def _play_on(game: Saved, screen: Screen) -> bool:
    """Plays the game on, and those that are wanted after it; whether another one is wanted then."""
    screen.say(f"{game}\n\n")
    recorder = _recorder(game.sitting, screen)
    if recorder and recorder.path != real(Path(game.sitting.agreed.record or "")):
        game.sitting.agreed = replace(game.sitting.agreed, record=recorder.path)
        screen.say(f"The game is now recorded in {recorder.path}.\n\n")
    return play_and_ask(game.sitting, screen, recorder, game.path)


def _recorder(sitting: Sitting, screen: Screen) -> RecordFile | None:
    """The file that the games were written to goes on being written; None where there is none, or none any more."""
    if not sitting.agreed.record:
        return None
    try:
        return RecordFile(sitting.agreed.record, sitting)
    except (OSError, RecordError) as error:
        why = failure(error) if isinstance(error, OSError) else error
        screen.say(f"{sitting.agreed.record}: {why}; the game goes on without being recorded.\n\n")
        return None


def _report(game: Saved) -> dict[str, object]:
    agreed = game.sitting.agreed
    return {
        "variant": agreed.book.variant,
        "guests": [{"name": guest.name, "bot": guest.bot} for guest in agreed.guests],
        "saved": game.when.isoformat(),
        "games": agreed.games,
        "finished": len(game.sitting.finished),
        "moves": [ply.move for ply in game.sitting.current.plies] if game.sitting.current else [],
    }
