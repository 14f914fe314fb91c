"""`numberline books`: the games that come with Numberline."""

from __future__ import annotations

import click

from numberline.cli.options import as_json, print_json
from numberline.game.loader import book, book_names
from numberline.terminal.console import wrap_text


@click.command("books", short_help="List the games.")
@as_json
def command(*, as_json: bool) -> None:
    """List the games that come with Numberline."""
    games = [book(name) for name in book_names()]
    if as_json:
        print_json([{"name": game.name, "title": game.title, "about": game.about} for game in games])
        return
    for game in games:
        click.echo(f"{game.name}\n{wrap_text(game.about, 78, '  ')}\n")
    click.echo("Play one with: numberline play flag-chase")
