"""`numberline replay FILE`: a recorded game, shown again move by move."""

from __future__ import annotations

import click

from numberline.cli import completion
from numberline.cli.options import as_json, find_record, print_json, read_record_file
from numberline.game.match import Match
from numberline.game.notation import format_position
from numberline.terminal.console import EndOfInput, ScriptedConsole, TextConsole
from numberline.terminal.session import Session


@click.command("replay", short_help="Show a finished or recorded game again, move by move.")
@click.argument("given", metavar="[FILE|NUMBER]", required=False, shell_complete=completion.files)
@click.option("--step", is_flag=True, help="Press Enter after each move to go on.")
@as_json
def command(given: str | None, *, step: bool, as_json: bool) -> None:
    """Show a game again, move by move.

    FILE is a record with one game or several; NUMBER is a game in the list that numberline games prints; without
    either it is the last game that you finished.
    """
    matches = read_record_file(find_record(given))
    if as_json:
        print_json([_report(match) for match in matches])
        return
    if step and TextConsole().interactive:
        TextConsole().say("After each move, press Enter to go on.\n\n")
    for number, match in enumerate(matches, 1):
        if len(matches) > 1:
            gap = "\n" if number > 1 else ""
            TextConsole().say(f"{gap}Game {number} of {len(matches)}\n\n")
        _show(match, step=step)


def _show(match: Match, *, step: bool) -> None:
    script = ScriptedConsole([ply.move for ply in match.plies if ply.chosen], waits=step)
    try:
        Session(Match(match.book, match.first, match.names), script).play()
    except EndOfInput:
        script.say("\nThe record ends here, with the game unfinished.\n")


def _report(match: Match) -> dict[str, object]:
    return {
        "variant": match.book.variant,
        "first": match.first,
        "names": match.names,
        "plies": [
            {"player": ply.player, "move": ply.move, "position": format_position(ply.after)} for ply in match.plies
        ],
        "outcome": match.outcome._asdict() if match.outcome else None,
    }
