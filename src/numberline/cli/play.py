"""`numberline play BOOK`: people at one keyboard, and programs."""

from __future__ import annotations

import errno
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from numberline.cli import completion
from numberline.cli.menu import ANOTHER_GAME_KEY, FROM_MENU_KEY, choose_game, start_menu
from numberline.cli.options import load_variant, plain_option, settings_option
from numberline.game.book import Book
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import current_level
from numberline.terminal.prompt import Quit
from numberline.terminal.records import RecordFile
from numberline.terminal.rematch import play_with_rematches
from numberline.terminal.series import Series, SeriesOptions, make_participants
from numberline.text import MAX_NAME_CHARS, normalize_name

AUTO, PERSON, NO_BOT_WORDS = "auto", "me", ("none", "me")
"""How the opponent that fits is written, a seat at the keyboard, and no program at all."""

DISK_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""What is wrong with the disk and not with the file that was asked for; it stops no game."""


@click.command("play", short_help="Play a game: people at one keyboard, and programs.")
@click.argument("book", required=False, shell_complete=completion.books)
@settings_option
@click.option(
    "--vs",
    metavar="BOT",
    shell_complete=completion.bots,
    help="Play against a program: auto (one that fits you), random, greedy, level:1 to level:10, slip:25, sight:3, "
    "mcts, perfect; none for people only.",
)
@click.option(
    "--seats",
    metavar="WHO,WHO",
    shell_complete=completion.bots,
    help="Who sits where: me or a program for each player, such as me,perfect.",
)
@click.option("--first", default="1", metavar="N|coin", show_default=True, help="Who starts the first game.")
@click.option("--seed", type=int, help="Make the coin and the programs do the same each time.")
@click.option("--names", metavar="ANN,BOB", help="The people's names, with commas between.")
@click.option("--rounds", type=click.IntRange(1, 1000), help="Play that many games; who starts changes each time.")
@click.option("--best-of", type=click.IntRange(1, 1000), help="Play until somebody has won more than half of N games.")
@click.option("--keep-first", is_flag=True, help="In a match, let the same player start every game.")
@click.option("--swap-seats", is_flag=True, help="In a match, let everybody move one seat on after each game.")
@click.option("--assist", is_flag=True, help="Show what every move is worth at every turn.")
@click.option("--review", is_flag=True, help="Look back at each game when it is over, move by move.")
@plain_option
@click.option(
    "--record", type=click.Path(dir_okay=False, path_type=Path), help="Write the game to a new file, as text."
)
def command(
    book: str | None = None,
    settings: tuple[str, ...] = (),
    vs: str | None = None,
    seats: str | None = None,
    first: str = "1",
    seed: int | None = None,
    names: str | None = None,
    rounds: int | None = None,
    best_of: int | None = None,
    record: Path | None = None,
    *,
    keep_first: bool = False,
    swap_seats: bool = False,
    assist: bool = False,
    review: bool = False,
    plain: bool = False,
) -> None:
    """Play BOOK: a game, a variant such as "line-runner(end=30)", or your own .toml file.

    At the prompt, type a move, or help to see what else. Without BOOK you can choose.
    """
    rounds, best_of = _one_of(rounds=rounds, best_of=best_of)
    vs, seats = _one_of(vs=vs, seats=seats)
    given = click.get_current_context().get_parameter_source("swap_seats") is ParameterSource.COMMANDLINE
    if swap_seats and given and not (rounds or best_of):
        raise click.UsageError("--swap-seats is for a match of several games; give --rounds or --best-of too.")
    screen = TextConsole(plain=plain)
    game = load_variant(book, settings) if book else _chosen(screen, settings)
    if not game:
        return
    sat = _seats(game, vs, seats)
    guests = make_participants(game, [_leveled(game, bot) for bot in sat], _names(names, sat.count(None)))
    recorder = RecordFile(record) if record else None
    rng = random.Random(seed)
    agreed = SeriesOptions(
        book=game,
        participants=guests,
        first=_first(first, rng, screen, [guest.name for guest in guests]),
        games=best_of or rounds or 1,
        decides_early=best_of is not None,
        alternates=not keep_first,
        swaps=swap_seats,
        seed=seed if seed is not None else rng.randrange(1 << 32),
        assist=assist,
        reviews=review,
        adaptive=AUTO in sat and None in sat,
        record=recorder.path if recorder else None,
    )
    sitting = Series(agreed, current=agreed.match(0))
    if recorder:
        _begin(recorder, sitting)
    another = play_with_rematches(sitting, screen, recorder)
    context = click.get_current_context()
    if another and not context.meta.get(FROM_MENU_KEY):
        start_menu(context, screen)
    context.meta[ANOTHER_GAME_KEY] = another


def _begin(recorder: RecordFile, sitting: Series) -> None:
    """Begins the record; raises where there can be none, before anything is played."""
    try:
        recorder.write(sitting)
    except OSError as error:
        if error.errno not in DISK_ERRNOS:
            raise


def _chosen(screen: TextConsole, settings: tuple[str, ...]) -> Book | None:
    """The game that somebody picks from the list; None where nobody picks one."""
    try:
        return load_variant(choose_game(screen), settings)
    except EndOfInput:
        screen.say("No game was chosen.\n")
    except Quit:
        pass
    return None


def _one_of(**options: Any) -> Iterator[Any]:
    """The values of options that exclude each other: what is typed beats your own defaults."""
    given = {name: value for name, value in options.items() if value is not None}
    typed = [name for name in given if not _is_default(name)]
    if len(typed or given) > 1:
        names = " and ".join(f"--{name.replace('_', '-')}" for name in options)
        raise click.UsageError(f"{names} exclude each other; give one of them.")
    return (value if name in (typed or given) else None for name, value in options.items())


def _is_default(option: str) -> bool:
    """Whether an option was not typed but comes from your own defaults."""
    return click.get_current_context().get_parameter_source(option) is ParameterSource.DEFAULT_MAP


def _seats(game: Book, vs: str | None, seats: str | None) -> list[str | None]:
    """For each player the program that plays it, None for a person."""
    players = game.rules.players
    if vs and vs.strip().lower() not in NO_BOT_WORDS:
        return [None, *[vs] * (players - 1)]
    if not seats:
        return [None] * players
    sat = [None if seat.strip().lower() == PERSON else seat.strip() for seat in seats.split(",")]
    if len(sat) != players or "" in sat:
        raise click.BadParameter(
            f"'{seats}': expected {players} seats with commas between, each {PERSON} or a program.",
            param_hint="--seats",
        )
    return sat


def _leveled(game: Book, bot: str | None) -> str | None:
    """The program, the one that fits being a level; refuses one that there is not before anything is played."""
    if bot is None or bot.lower() == AUTO:
        return bot and f"level:{current_level(game.name)}"
    from numberline.bots import BotError, make_bot  # nobody who plays with people waits for it

    try:
        made = make_bot(bot, game, random.Random(), other_names=(AUTO,))
        made.close()
    except BotError as error:
        raise click.UsageError(f"{error}.") from None
    return made.name


def _names(names: str | None, most: int) -> tuple[str, ...]:
    if names is None:
        return ()
    called = tuple(map(normalize_name, names.split(",")))
    if _is_default("names"):  # your own defaults are for every game, also where fewer people play
        called = called[:most]
    if len(called) > most:
        people = "1 person" if most == 1 else f"{most} people"
        raise click.BadParameter(f"{len(called)} names for {people}; give at most {most}.", param_hint="--names")
    if not all(name and len(name) <= MAX_NAME_CHARS for name in called):
        raise click.BadParameter(f"'{names}': each name has 1 to {MAX_NAME_CHARS} letters.", param_hint="--names")
    if len(set(called)) < len(called):
        raise click.BadParameter(f"'{names}': two players have the same name.", param_hint="--names")
    return called


def _first(first: str, rng: random.Random, screen: TextConsole, names: list[str]) -> int:
    """Who starts the first game."""
    players = range(1, len(names) + 1)
    if first.strip().lower() == "coin":
        starter = rng.choice(players)
        screen.say(f"The coin is tossed: {names[starter - 1]} starts.\n\n")
        return starter
    if first not in map(str, players):
        raise click.BadParameter(f"'{first}': expected a player from 1 to {len(names)}, or coin.", param_hint="--first")
    return int(first)
