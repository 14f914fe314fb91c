"""`numberline play BOOK`: people at one keyboard."""

from __future__ import annotations

import random
from pathlib import Path

import click

from numberline.cli import CUT_OFF
from numberline.cli.options import varied, with_settings
from numberline.rules.book import Book
from numberline.rules.errors import BookError
from numberline.rules.loader import NAMES, book
from numberline.terminal.recorder import Recorder
from numberline.terminal.rounds import Rounds
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.session import Quit, choose


@click.command("play")
@click.argument("book", required=False)
@with_settings
@click.option("--first", default="1", metavar="N|coin", show_default=True, help="Who starts the first game.")
@click.option("--seed", type=int, help="Make the coin toss come out the same each time.")
@click.option("--names", metavar="ANN,BOB", help="The players' names, with commas between.")
@click.option("--rounds", type=click.IntRange(1, 1000), help="Play that many games; who starts changes each time.")
@click.option("--best-of", type=click.IntRange(1, 1000), help="Play until somebody has won more than half of N games.")
@click.option("--keep-first", is_flag=True, help="In a match, let the same player start every game.")
@click.option("--record", type=click.Path(dir_okay=False, path_type=Path), help="Write the game to a file, as text.")
@click.pass_context
def command(
    context: click.Context,
    book: str | None = None,
    settings: tuple[str, ...] = (),
    first: str = "1",
    seed: int | None = None,
    names: str | None = None,
    rounds: int | None = None,
    best_of: int | None = None,
    record: Path | None = None,
    *,
    keep_first: bool = False,
) -> None:
    """Play BOOK: a game, a variant such as "line-runner(end=30)", or your own .toml file.

    At the prompt, type a move, or help, rules, moves, undo, resign or quit. Without BOOK you can choose.
    """
    if rounds and best_of:
        raise click.UsageError("--rounds and --best-of exclude each other; give one of them.")
    screen = Screen()
    try:
        game = varied(book, settings) if book else _chosen(screen, settings)
        if not game:
            return
        called = _names(names, game)
        recorder = Recorder(record) if record else None
        starter = _first(first, game, seed, screen, called)
        sitting = Rounds(
            game,
            names=called,
            first=starter,
            games=best_of or rounds or 1,
            decides_early=best_of is not None,
            alternates=not keep_first,
        )
        sitting.play(screen, recorder)
    except Quit:
        screen.say("The game is left unfinished.\n")
    except EndOfInput:
        click.echo("The input ended before the game did.", err=True)
        context.exit(CUT_OFF)


def _chosen(screen: Screen, settings: tuple[str, ...]) -> Book | None:
    """The game that somebody picks from the list; None where nobody picks one."""
    games = [book(name) for name in NAMES]
    for number, game in enumerate(games, 1):
        screen.say(f"{number}. {game.title}: {game.about.split('. ')[0].rstrip('.')}.\n")
    while True:
        try:
            picked = choose(screen, "Which game (1-5, or quit)? ", list(NAMES))
        except EndOfInput:
            screen.say("No game was chosen.\n")
            return None
        if picked is None:
            return None
        try:
            return varied(picked, settings)
        except BookError as error:
            screen.say(f"{error}\n")


def _names(names: str | None, game: Book) -> tuple[str, ...]:
    if names is None:
        return ()
    called = tuple(" ".join(name.split()) for name in names.split(","))
    most = game.rules.players
    if len(called) > most:
        raise click.BadParameter(f"{len(called)} names for {most} players; give at most {most}.", param_hint="--names")
    if not all(name and name.isprintable() and len(name) <= 40 for name in called):
        raise click.BadParameter(f"'{names}': each name has 1 to 40 printable letters.", param_hint="--names")
    if len(set(called)) < len(called):
        raise click.BadParameter(f"'{names}': two players have the same name.", param_hint="--names")
    return called


def _first(first: str, game: Book, seed: int | None, screen: Screen, names: tuple[str, ...]) -> int:
    """Who starts the first game."""
    players = range(1, game.rules.players + 1)
    if first.strip().lower() == "coin":
        starter = random.Random(seed).choice(players)  # noqa: S311 - a coin, not a secret
        name = names[starter - 1] if starter <= len(names) else game.player_name(starter)
        screen.say(f"The coin is tossed: {name} starts.\n\n")
        return starter
    if first not in map(str, players):
        raise click.BadParameter(
            f"'{first}': expected a player from 1 to {len(players)}, or coin.", param_hint="--first"
        )
    return int(first)
