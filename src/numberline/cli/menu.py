"""The start menu: what would you like to do, against whom, and which game."""

from __future__ import annotations

from importlib import import_module

import click

from numberline.game.loader import NAMES, book
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.menu import MenuItem, pick
from numberline.terminal.prompt import Quit
from numberline.terminal.saves import SavedGame, saved_games

FROM_MENU_KEY, ANOTHER_GAME_KEY = "numberline in the menu", "numberline another game"
"""Under these names the menu and a game tell each other, in click's shared notes, where somebody came from and goes."""
COMPUTER, FRIEND, LEARN, PUZZLES, SAVED, ALL = "computer", "friend", "learn", "puzzles", "go on", "all"
OPPONENTS = (
    MenuItem("easy", "Easy", "for your first games"),
    MenuItem("medium", "Medium", "looks ahead a little"),
    MenuItem("hard", "Hard", "makes few mistakes"),
    MenuItem("fits", "One that fits", "a little stronger when you win, a little weaker when you lose"),
)
OPPONENT_BOTS = {"easy": "level:3", "medium": "level:6", "hard": "level:9", "fits": "auto"}


def start_menu(context: click.Context, screen: TextConsole | None = None) -> None:
    """Asks what somebody would like to do, and does it; after a lesson or puzzles at a terminal it asks again."""
    screen = screen or TextConsole()
    while wanted := _asked(screen):
        if not _do(context.find_root(), screen, *wanted):
            return
        screen.say("\n")


def _asked(screen: TextConsole) -> tuple[str, ...]:
    """The command line for what somebody would like to do; nothing for whoever leaves."""
    try:
        return _wanted(screen)
    except EndOfInput:
        screen.say("Nothing was chosen.\n")
    except Quit:
        pass
    return ()


def _wanted(screen: TextConsole) -> tuple[str, ...]:
    """The same; raises `Quit` or `EndOfInput` where nothing is chosen."""
    screen.say("Welcome to Numberline! What would you like to do?\n")
    wanted = pick(screen, "Your choice", _choices())
    if wanted == COMPUTER:
        screen.say("\nHow strong should the computer play?\n")
        opponent = OPPONENT_BOTS[pick(screen, "How strong", OPPONENTS)]
        return "play", "--vs", opponent, "--", _game(screen)
    if wanted == FRIEND:
        return "play", "--vs", "none", "--", _game(screen)
    if wanted == LEARN:
        return "learn", "--", _game(screen)
    if wanted == PUZZLES:
        game = _game(screen, MenuItem(ALL, "All five games", "in turn"))
        return ("puzzle",) if game == ALL else ("puzzle", "--", game)
    return ("resume",)


def _choices() -> list[MenuItem]:
    found = list(saved_games())
    saved = next((game for game in found if isinstance(game, SavedGame)), None)
    for problem in (game for game in found if isinstance(game, str)):
        click.echo(problem, err=True)
    return [
        MenuItem(COMPUTER, "Computer", "play against the computer"),
        MenuItem(FRIEND, "Friend", "play with a friend at this keyboard"),
        MenuItem(LEARN, "Learn", "the secret of a game, step by step"),
        MenuItem(PUZZLES, "Puzzles", "find the one right move"),
        *(
            [MenuItem(SAVED, "Go on", f"with the game that you left ({saved.series.options.book.title})")]
            if saved
            else []
        ),
        MenuItem("quit", "Quit"),
    ]


def _do(context: click.Context, screen: TextConsole, name: str, *arguments: str) -> bool:
    """Calls a command as if it had been typed; whether to ask again after it."""
    command: click.Command = import_module(f"numberline.cli.{name}").command
    options = [*(["--plain"] if screen.plain else []), *arguments]
    screen.say("\n")
    context.meta[FROM_MENU_KEY] = True
    with command.make_context(name, options, parent=context) as called:
        command.invoke(called)
    return context.meta.pop(ANOTHER_GAME_KEY, False) or (screen.draws and name in {"learn", "puzzle"})


def _game(screen: TextConsole, *before: MenuItem) -> str:
    screen.say("\n")
    return choose_game(screen, *before)


def choose_game(screen: TextConsole, *before: MenuItem) -> str:
    """The name of the game that somebody picks from the list, or a variant or file that was typed instead."""
    games = [book(name) for name in NAMES]
    listed = [MenuItem(game.name, game.title, f"{game.about.split('. ')[0].rstrip('.')}.") for game in games]
    return pick(screen, "Which game", [*before, *listed], _other_game)


def _other_game(typed: str) -> str:
    """What was typed, if it is a variant or a book file; raises the error that says why not."""
    book(typed)
    return typed
