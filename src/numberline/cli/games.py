"""`numberline games`, `replay` and `resume`: finished, recorded and saved games."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import click

from numberline.cli import completion, options
from numberline.cli.play import run_command, start_menu
from numberline.errors import RecordError
from numberline.files.safe_read import os_error_reason, resolve
from numberline.game.match import Match
from numberline.game.notation import format_position
from numberline.progress.document import Game
from numberline.terminal.console import EndOfInput, ScriptedConsole, TextConsole
from numberline.terminal.menu import MenuItem, pick_from_pages, play_with_rematches
from numberline.terminal.progress import load_progress
from numberline.terminal.prompt import Quit
from numberline.terminal.records import FinishedGame, RecordFile, finished_games
from numberline.terminal.review import UNFINISHED_MESSAGE, step_through
from numberline.terminal.saves import SavedGame, lock_saved_game, returns_to_menu, saved_games
from numberline.terminal.series import Series, recorded_series
from numberline.terminal.session import Session
from numberline.text import pluralize


@click.command("games", short_help="List your finished games.")
@options.as_json
def games(*, as_json: bool) -> None:
    """List your last 200 finished games, newest first.

    Games that count towards your progress are listed with your stars and the deciding moment. To review the third game
    in the list, run: numberline review 3. To replay it, run: numberline replay 3.
    """
    screen = TextConsole()
    if returns_to_menu(screen):
        with suppress(Quit, EndOfInput):
            for word in pick_from_pages(screen, "Which game", _list_games):
                run_command(click.get_current_context().find_root(), screen, *word.split())
                screen.say("\n")
        return
    finished = options.print_problems(finished_games())
    own = {game.id: game for game in load_progress().games}
    if as_json:
        reports = [_finished_report(number, game, own.get(game.id)) for number, game in enumerate(finished, 1)]
        options.print_json(reports)
        return
    if not finished:
        click.echo("You have no finished games yet. To play a game, type: numberline play")
    for number, game in enumerate(finished, 1):
        options.print_paragraph(f"{number}. {game.describe(own.get(game.id))}")


def _list_games() -> list[MenuItem]:
    """Return a menu item for each unfinished and finished game; its `word` is the command that opens the game."""
    own = {game.id: game for game in load_progress().games}
    unfinished = options.print_problems(saved_games())
    items = [MenuItem(f"resume {number}", str(game), "unfinished") for number, game in enumerate(unfinished, 1)]
    for number, game in enumerate(options.print_problems(finished_games()), 1):
        command = "review" if game.match.book.rules.players == 2 else "replay"  # reviews need two players
        items.append(MenuItem(f"{command} --step {number}", *game.describe(own.get(game.id)).split(": ", 1)))
    return items


def _finished_report(number: int, game: FinishedGame, own: Game | None) -> dict[str, object]:
    return {
        **{name: own and getattr(own, name) for name in ("won", "opponent", "stars", "moment")},
        "number": number,
        "file": str(game.path),
        "finished": game.finished_at.isoformat(timespec="seconds"),
        **options.match_report(game.match),
        "moves": [ply.move for ply in game.match.plies],
    }


@click.command("replay", short_help="Replay a finished or recorded game, move by move.")
@click.argument("given", metavar="[FILE|NUMBER]", required=False, shell_complete=completion.files)
@click.option("--step", is_flag=True, help="Show one move at a time, with the commands next, back and stop.")
@options.as_json
def replay(given: str | None, *, step: bool, as_json: bool) -> None:
    """Replay a game, move by move.

    FILE is a record with one or more games. NUMBER is the number of a game in the output of numberline games. By
    default, replay the last finished game.
    """
    matches = options.read_record_file(options.find_record(given))
    if as_json:
        options.print_json([_match_report(match) for match in matches])
        return
    screen = TextConsole()
    for number, match in enumerate(matches, 1):
        if len(matches) > 1:
            screen.say(f"\nGame {number} of {len(matches)}\n\n")
        if step and screen.interactive:
            with suppress(Quit, EndOfInput):
                step_through(match, screen, recorded_series(match).options.you())
        else:
            _show(match)


def _show(match: Match) -> None:
    script = ScriptedConsole([ply.move for ply in match.plies if ply.chosen])
    try:
        Session(Match(match.book, match.first, match.names), script).play()
    except EndOfInput:
        script.say(UNFINISHED_MESSAGE)


def _match_report(match: Match) -> dict[str, object]:
    plies = [{"player": ply.player, "move": ply.move, "position": format_position(ply.after)} for ply in match.plies]
    return {**options.match_report(match), "plies": plies}


@click.command("resume", short_help="Resume a saved game.")
@click.argument("number", type=options.WholeNumber(1), required=False)
@click.option("--list", "only_list", is_flag=True, help="List the saved games and exit.")
@click.option("--forget", is_flag=True, help="Delete the game instead of resuming it.")
@options.plain_option
@options.fast_option
@options.as_json
def resume(number: int | None, *, only_list: bool, forget: bool, plain: bool, fast: bool, as_json: bool) -> None:
    """Resume the newest saved game, or game NUMBER in the output of numberline resume --list."""
    if (only_list or as_json) and (number or forget):
        raise click.UsageError("--list and --json show all saved games; leave out NUMBER and --forget.")
    saved = options.print_problems(saved_games())
    if as_json:
        options.print_json([_saved_report(game) for game in saved])
        return
    if not saved:
        click.echo("You have no saved games.")
        return
    if only_list:
        for place, game in enumerate(saved, 1):
            options.print_paragraph(f"{place}. {game}")
        return
    if number and number > len(saved):
        raise click.UsageError(f"You have {pluralize(len(saved), 'saved game')}; numberline resume --list lists them.")
    with lock_saved_game(saved[(number or 1) - 1]) as game:
        if forget:
            game.path.unlink(missing_ok=True)
            click.echo(f"Deleted: {game}")
            return
        screen = TextConsole(plain=plain, fast=fast)
        wants_another = _resume(game, screen)
    if wants_another:
        start_menu(click.get_current_context(), screen)


def _resume(game: SavedGame, screen: TextConsole) -> bool:
    """Resume a saved game and play any rematches; return whether the player wants another game."""
    screen.say(f"{game}\n\n")
    series = game.series
    record = _reopen_record(series, screen)
    if record and record.path != resolve(Path(series.options.record or "")):
        series.options = replace(series.options, record=record.path)
        screen.say(f"Recording to {record.path} from now on.\n\n")
    return play_with_rematches(series, screen, record, game.path)


def _reopen_record(series: Series, screen: TextConsole) -> RecordFile | None:
    """Return the record file of a series, or None if the series has none or its file can no longer be written."""
    if not series.options.record:
        return None
    try:
        return RecordFile(series.options.record, series)
    except (OSError, RecordError) as error:
        reason = os_error_reason(error) if isinstance(error, OSError) else error
        screen.say(f"{series.options.record}: {reason}; continuing without a record.\n\n")
        return None


def _saved_report(game: SavedGame) -> dict[str, object]:
    series = game.series.options
    return {
        "variant": series.book.variant,
        "guests": [{"name": participant.name, "bot": participant.bot} for participant in series.participants],
        "saved": game.saved_at.isoformat(),
        "games": series.games,
        "finished": len(game.series.finished),
        "moves": [ply.move for ply in game.series.current.plies] if game.series.current else [],
    }
