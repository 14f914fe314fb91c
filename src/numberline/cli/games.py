"""`numberline games`: the games that you have finished, to be looked back at or shown again."""

from __future__ import annotations

import click

from numberline.cli.options import as_json, print_json, print_paragraph
from numberline.terminal.records import FinishedGame, finished_games


@click.command("games", short_help="List the games that you have finished.")
@as_json
def command(*, as_json: bool) -> None:
    """List the games that you have finished, the newest first: the last 200 that were played at a terminal.

    numberline review 3 looks back at the third of the list, and numberline replay 3 shows it again.
    """
    found = list(finished_games())
    games = [game for game in found if isinstance(game, FinishedGame)]
    for problem in (game for game in found if isinstance(game, str)):
        click.echo(problem, err=True)
    if as_json:
        print_json([_report(number, game) for number, game in enumerate(games, 1)])
    elif not games:
        click.echo("No finished game is kept yet; numberline play begins one.")
    for number, game in enumerate([] if as_json else games, 1):
        print_paragraph(f"{number}. {game}")


def _report(number: int, game: FinishedGame) -> dict[str, object]:
    match = game.match
    return {
        "number": number,
        "file": str(game.path),
        "finished": game.finished_at.isoformat(timespec="seconds"),
        "variant": match.book.variant,
        "first": match.first,
        "names": match.names,
        "moves": [ply.move for ply in match.plies],
        "outcome": match.outcome._asdict() if match.outcome else None,
    }
