"""`numberline play BOOK`, and the menu shown by `numberline` without a command."""

from __future__ import annotations

import errno
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from numberline.characters import AUTO, CHARACTERS, EASY, bot_key
from numberline.cli import completion, load_command, options
from numberline.game.book import Book
from numberline.game.loader import NAMES, book_names
from numberline.game.loader import book as load_book
from numberline.progress.document import Progress, greeting
from numberline.progress.events import NameGiven, check_name
from numberline.progress.ladder import first_open_step, stored_ladder
from numberline.progress.rules import draw_stars, next_first
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.menu import QUIT_ITEM, InvalidChoice, MenuItem, pick, play_with_rematches
from numberline.terminal.progress import load_progress, record_event, today
from numberline.terminal.prompt import Quit, ask, report_errors
from numberline.terminal.records import RecordFile
from numberline.terminal.saves import FROM_MENU_KEY, returns_to_menu, saved_games
from numberline.terminal.series import Participant, Series, SeriesOptions, make_participants
from numberline.text import MAX_NAME_CHARS, normalize_name, pluralize, quote

Choice = TypeVar("Choice")

_PERSON, _NO_BOT_WORDS = "me", ("none", "me")

_DISK_ERRNOS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Disk errors, such as a full disk, that should not keep a game from starting."""

_COMPUTER, _LEARN, _PUZZLES, _RESUME, _ALL = "computer", "learn", "puzzles", "resume", "all"
_COMMAND_WORDS = {"help", "board", "rules", "moves", "hint", "why", "values", "undo", "resign", "skip", "next", "again"}
_LADDER, _BROWSER, _GAMES, _DAILY, _MINE = "ladder", "browser", "games", "daily", "mine"
_COMMANDS = {_GAMES: ("games",), _BROWSER: ("web", "--browser"), _DAILY: ("puzzle", "--daily")}
_MENU = (
    MenuItem(_COMPUTER, "Computer", "play against the computer"),
    MenuItem("friend", "Friend", "play with a friend at this keyboard"),
    MenuItem(_LEARN, "Learn", "the secret of a game, step by step"),
    MenuItem(_PUZZLES, "Puzzles", "win now, set a trap, save yourself, colour the traps"),
    MenuItem(_LADDER, "Ladder", "climb step by step: each game is a little harder"),
)


@click.command("play", short_help="Play a game with friends or against bots.")
@click.argument("book", required=False, shell_complete=completion.books)
@options.settings_option
@click.option(
    "--vs",
    metavar="BOT",
    shell_complete=completion.bots,
    help="Play against a bot: easy, medium, hard, master, auto (adapts to your results), level:1 to level:10, random, "
    "greedy, slip:25, sight:3, mcts or perfect. Use none if all players are people.",
)
@click.option(
    "--seats",
    metavar="PLAYER,PLAYER",
    shell_complete=completion.bots,
    help="Who plays in each seat: me or a bot, such as me,perfect.",
)
@click.option(
    "--first",
    metavar="N|coin",
    help="Player who starts the first game. [default: 1; at a terminal, you and the computer take turns]",
)
@click.option("--seed", type=int, help="Random seed for the coin toss and the bots.")
@click.option("--names", metavar="ANN,BOB", help="Names of the human players, separated by commas.")
@options.number_option("--rounds", 1, 1000, "Play N games; players take turns going first.")
@options.number_option("--best-of", 1, 1000, "Play until a player has won more than half of N games.")
@click.option("--keep-first", is_flag=True, help="Let the same player start every game of a match.")
@click.option("--swap-seats", is_flag=True, help="Move every player to the next seat after each game of a match.")
@click.option("--assist", is_flag=True, help="Show the value of every move at every turn.")
@click.option("--review", is_flag=True, help="Review each game move by move when it ends.")
@options.plain_option
@options.fast_option
@click.option("--record", type=options.OUTPUT_FILE, help="Record the game in a new text file.")
@click.option("--step", default="", hidden=True, help="ID of the ladder step to play.")
def command(
    book: str | None = None,
    settings: tuple[str, ...] = (),
    vs: str | None = None,
    seats: str | None = None,
    first: str | None = None,
    seed: int | None = None,
    names: str | None = None,
    rounds: int | None = None,
    best_of: int | None = None,
    record: Path | None = None,
    step: str = "",
    *,
    keep_first: bool = False,
    swap_seats: bool = False,
    assist: bool = False,
    review: bool = False,
    plain: bool = False,
    fast: bool = False,
) -> None:
    """Play BOOK: a game, a variant such as "line-runner(end=30)", or your own .toml file.

    At the prompt, type a move, or help to list the other commands. Without BOOK, choose a game from a list.
    """
    rounds, best_of = _one_of(rounds=rounds, best_of=best_of)
    vs, seats = _one_of(vs=vs, seats=seats)
    context = click.get_current_context()
    if swap_seats and not _is_configured("swap_seats") and not (rounds or best_of):
        raise click.UsageError("--swap-seats requires a match of several games; add --rounds or --best-of.")
    screen = TextConsole(plain=plain, fast=fast)
    if not book:  # reject an unknown bot before asking for a game
        [_resolve_bot(load_book(NAMES[0]), bot) for bot in _parse_seats(load_book(NAMES[0]), vs, None)]
    book = book or _choose(screen, "a game", _pick_game)
    if not book:
        return
    game = options.load_variant(book, settings)
    bots = _parse_seats(game, vs, seats)
    people = _parse_names(names, bots.count(None))
    if screen.draws and names is None and None in bots:
        own = _ask_name(screen) if bots.count(None) == 1 and not seats else load_progress().name
        people = (own,) if own else ()
        if bots == [None, None]:
            question = "What's your friend's name? (Enter to skip) "
            asks = returns_to_menu(screen)
            friend = _choose(screen, "a name", partial(ask, question=question, read=_check_name)) if asks else ""
            if friend is None:
                return
            people = (*people, friend or "Friend") if people else (game.player_name(1), friend) if friend else ()
    participants = make_participants(game, [_resolve_bot(game, bot) for bot in bots], people)
    recorder = RecordFile(record) if record else None
    rng = random.Random(seed)
    takes_turns = screen.draws and first is None and seed is None and not seats and bots.count(None) == 1
    chosen = SeriesOptions(
        book=game,
        participants=participants,
        first=_next_first(game, bots[-1]) if takes_turns else _parse_first(first or "1", rng, screen, participants),
        games=best_of or rounds or 1,
        decides_early=best_of is not None,
        alternates=not keep_first,
        swaps=swap_seats,
        seed=seed if seed is not None else rng.randrange(1 << 32),
        assist=assist,
        reviews=review,
        adaptive=AUTO in bots and None in bots,
        takes_turns=takes_turns,
        step=step,
        record=recorder.path if recorder else None,
    )
    series = Series(chosen, current=chosen.match(0))
    if recorder:
        _check_writable(recorder, series)
    if play_with_rematches(series, screen, recorder):
        if names:  # keep the names for the next game
            root = context.find_root()
            root.default_map = {**(root.default_map or {}), "play": {**(context.default_map or {}), "names": names}}
        start_menu(context, screen)


def _check_writable(recorder: RecordFile, series: Series) -> None:
    """Write the record once, so that an unwritable file is reported before the first move."""
    try:
        recorder.write(series)
    except OSError as error:
        if error.errno not in _DISK_ERRNOS:
            raise


def _one_of(**values: Any) -> Iterator[Any]:
    """Return the values of mutually exclusive options; options on the command line override configured defaults."""
    given = {name: value for name, value in values.items() if value is not None}
    typed = [name for name in given if not _is_configured(name)]
    if len(typed or given) > 1:
        names = " and ".join(f"--{name.replace('_', '-')}" for name in values)
        raise click.UsageError(f"use only one of {names}.")
    return (value if name in (typed or given) else None for name, value in values.items())


def _is_configured(option: str) -> bool:
    """Return whether the value of `option` comes from the configuration file."""
    return click.get_current_context().get_parameter_source(option) is ParameterSource.DEFAULT_MAP


def _parse_seats(game: Book, vs: str | None, seats: str | None) -> list[str | None]:
    """Return the bot for each seat, or None for a person."""
    players = game.rules.players
    if vs and vs.strip().lower() not in _NO_BOT_WORDS:
        return [None, *[bot_key(vs)] * (players - 1)]
    if not seats:
        return [None] * players
    bots = [None if seat.strip().lower() == _PERSON else bot_key(seat.strip()) for seat in seats.split(",")]
    if len(bots) != players or "" in bots:
        expected = f"expected {players} players separated by commas; each must be '{_PERSON}' or the name of a bot"
        raise click.BadParameter(f"'{seats}': {expected}.", param_hint="--seats")
    return bots


def _resolve_bot(game: Book, bot: str | None) -> str | None:
    """Return the full name of a bot, adding the player's level to `auto`; raise an error if the name is invalid."""
    if bot is None or bot.lower() == AUTO:
        return bot and f"{AUTO}:{load_progress().level(game.name)}"
    from numberline.bots import BotError, make_bot  # not needed without bots

    with options.usage_errors(BotError):
        made = make_bot(bot, game, random.Random())
        made.close()
    return made.name


def _next_first(game: Book, opponent: str | None) -> int:
    """Return the player who starts a game against the computer.

    If the player's first game of a book is against Easy, choose the starter so that the player can win.
    """
    last = load_progress().starts.get(game.name, 0)
    if last or opponent != EASY:
        return next_first(last, game.rules.players)
    from numberline.bots.levels import favoured_start  # not needed without bots

    return favoured_start(game)


def _ask_name(screen: TextConsole) -> str:
    """Return the player's name, asking for it only once; the name is empty if the player gave none."""
    progress = load_progress()
    if progress.name_asked or progress.name or not screen.draws:
        return progress.name
    name = ask(screen, "What's your name? (Enter to skip) ", _check_name)
    record_event(NameGiven(name))
    screen.say("To change your name later, type: numberline progress --name NAME\n\n")
    return name


def _check_name(typed: str) -> str:
    """Return a player's name; raise an error if it is a command, or has no letter or digit, or is too long."""
    name = check_name(typed)
    if name.lower() in _COMMAND_WORDS or (name and not any(map(str.isalnum, name))):
        raise InvalidChoice(f"{quote(name)} can't be a name here. Type another one, or press Enter")
    return name


def _parse_names(text: str | None, people: int) -> tuple[str, ...]:
    if text is None:
        return ()
    names = tuple(map(normalize_name, text.split(",")))
    if _is_configured("names"):  # configured names apply to every game, so there can be more names than people
        names = names[:people]
    if len(names) > people:
        count = "1 person" if people == 1 else f"{people} people"
        raise click.BadParameter(f"{len(names)} names for {count}; expected at most {people}.", param_hint="--names")
    if not all(name and len(name) <= MAX_NAME_CHARS for name in names):
        expected = f"each name must have 1 to {MAX_NAME_CHARS} characters"
        raise click.BadParameter(f"'{text}': {expected}.", param_hint="--names")
    if len(set(names)) < len(names):
        raise click.BadParameter(f"'{text}': two players have the same name.", param_hint="--names")
    return names


def _parse_first(first: str, rng: random.Random, screen: TextConsole, participants: Sequence[Participant]) -> int:
    players = range(1, len(participants) + 1)
    if first.strip().lower() == "coin":
        starter = rng.choice(players)
        screen.say(f"The coin is tossed: {participants[starter - 1].name} starts.\n\n")
        return starter
    if first not in map(str, players):
        expected = f"expected a player number from 1 to {len(participants)}, or coin"
        raise click.BadParameter(f"'{first}': {expected}.", param_hint="--first")
    return int(first)


# Menu


def start_menu(context: click.Context, screen: TextConsole | None = None) -> None:
    """Show the menu and run the chosen command; at a terminal, return to the menu afterwards.

    If the menu is open already, return to it from any list in between, by raising `Quit`.
    """
    screen = screen or TextConsole()
    if context.meta.get(FROM_MENU_KEY):
        raise Quit
    while (arguments := _choose(screen, "anything", _ask_command)) is not None:
        with suppress(Quit):
            if arguments and not run_command(context.find_root(), screen, *arguments):
                return
        screen.say("\n")


def _choose(screen: TextConsole, what: str, ask: Callable[[TextConsole], Choice]) -> Choice | None:
    """Return the player's choice, or None if the player quits or the input ends."""
    with suppress(Quit):
        try:
            return ask(screen)
        except EndOfInput:
            screen.say(f"You didn't choose {what}.\n")
    return None


def _ask_command(screen: TextConsole) -> tuple[str, ...]:
    """Ask what to do and return the command and its arguments, or an empty tuple if the player left a submenu."""
    _ask_name(screen)
    hello = greeting(load_progress(), today()) if screen.draws else ""
    screen.say(f"{hello or 'Welcome to Numberline!'} What would you like to do?\n")
    items = [*_MENU, _daily_item(load_progress())]
    if saved := options.print_problems(saved_games()):
        count = f"one of {len(saved)} saved games; the latest is" if len(saved) > 1 else "your saved game:"
        items.append(MenuItem(_RESUME, "Resume", f"{count} {saved[0].series.options.book.title}"))
    if screen.draws and load_progress().games:
        items.append(MenuItem(_GAMES, "My games", "your results, and a review of each game"))
    choice = pick(screen, "Your choice", [*items, MenuItem(_BROWSER, "Browser", "the games on a web page"), QUIT_ITEM])
    if choice in _COMMANDS:
        return _COMMANDS[choice]
    screen.say("\n")
    try:
        if choice == _RESUME:
            games = [MenuItem(str(number), str(game)) for number, game in enumerate(saved, 1)]
            return "resume", pick(screen, "Which game", games) if len(games) > 1 else "1"
        return _ask_game(screen, choice)
    except Quit:
        return ()


def _daily_item(progress: Progress) -> MenuItem:
    """Return the menu item for the five daily puzzles, including the player's progress."""
    results = progress.puzzles.daily_results(today())
    done = sum(result is not None for result in results)
    unfinished = f"{done} of {len(results)} done" if done else "today's five puzzles"
    return MenuItem(_DAILY, "Daily five", progress.puzzles.share_line(today()) or unfinished)


def _ask_game(screen: TextConsole, choice: str) -> tuple[str, ...]:
    """Ask for a game and, if needed, an opponent; return the command that starts the game."""
    if choice == _PUZZLES:
        first = [MenuItem(_ALL, "All games", "puzzles from every game")]
        if any(game.won is False for game in load_progress().games):
            first.append(MenuItem(_MINE, "My games", "puzzles from games you lost"))
        game = _pick_game(screen, *first)
        return {_ALL: ("puzzle",), _MINE: ("puzzle", "--mine")}.get(game, ("puzzle", "--", game))
    if choice == _LADDER:
        stars = load_progress().ladder
        steps = {name: first_open_step(load_book(name), stars) for name in NAMES}
        items = [_ladder_item(name, step, stars) for name, step in steps.items()]
        return _LADDER, "--", (name := pick(screen, "Which game", items)), str(steps[name])
    if choice == _LEARN:
        return "learn", "--", _pick_game(screen)
    game, opponent = _pick_game(screen), "none"
    if choice == _COMPUTER:
        screen.say("\nHow strong should the computer be?\n")
        try:
            opponent = pick(screen, "How strong", list(_opponent_items(load_book(game))))
        except Quit:
            return _ask_game(screen, choice)
    return "play", "--vs", opponent, "--", game


def _opponent_items(book: Book) -> Iterator[MenuItem]:
    """Yield a menu item for each opponent, with the most stars won in a game against that opponent."""
    wins = load_progress().wins
    for each in CHARACTERS.values():
        stars = wins.get(f"{book.variant} {each.key}", 0)
        yield MenuItem(each.key, each.title, f"{each.about}{f' {draw_stars(stars)}' if stars else ''}", each.name)


def _ladder_item(name: str, number: int, stars: Mapping[str, int]) -> MenuItem:
    book = load_book(name)
    steps = stored_ladder(book)
    count = sum(stars.get(step.id, 0) for step in steps)
    won = f", {pluralize(count, 'star')} so far" if count else ""
    return MenuItem(name, book.title, f"step {number} of {len(steps)}, {steps[number - 1].short_title}{won}")


def run_command(root: click.Context, screen: TextConsole, name: str, *arguments: str) -> bool:
    """Run a command with the given command-line arguments; return whether to show the menu again."""
    called = load_command(name)
    screen.say("\n")
    root.meta[FROM_MENU_KEY] = True
    words = [*(["--plain"] if screen.plain and name not in {"web", "games"} else []), *arguments]
    with report_errors(screen) if screen.draws else nullcontext(), called.make_context(name, words, root) as context:
        called.invoke(context)
    return screen.draws


def _pick_game(screen: TextConsole, *first_items: MenuItem) -> str:
    """Ask for a game and return its name, or the variant or book file that the player typed."""
    games = [load_book(name) for name in book_names()]
    items = [MenuItem(game.name, game.title, f"{game.about.split('. ')[0].rstrip('.')}.") for game in games]
    return pick(screen, "Which game", [*first_items, *items], _check_variant)


def _check_variant(typed: str) -> str:
    load_book(typed)
    return typed
