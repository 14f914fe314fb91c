"""Registry of bots by name: `random`, `level:3`, `exec:COMMAND` and others.

A bot is one subclass of `Bot` and one row: here for our own bots, or in the `pyproject.toml` of another package, which
then only has to be installed:

    [project.entry-points."numberline.bots"]
    cautious = "my_package.bots:CautiousBot"

The class has a `usage`, and its `from_text` gets the text after the colon.
"""

from __future__ import annotations

from importlib import import_module
from random import Random
from typing import TYPE_CHECKING

from numberline.bots.bot import Bot, BotError
from numberline.game.book import Book
from numberline.text import MAX_NAME_CHARS, did_you_mean, join_or, normalize_name, quote

if TYPE_CHECKING:
    from numberline.solver.solution import Solution

ENTRY_POINT_GROUP = "numberline.bots"
# Classes are imported on first use: `random` needs no engine processes.
BUILTIN_BOTS = {
    "random": "numberline.bots.policy_bots:RandomBot",
    "greedy": "numberline.bots.policy_bots:GreedyBot",
    "level": "numberline.bots.policy_bots:LevelBot",
    "perfect": "numberline.bots.policy_bots:PerfectBot",
    "slip": "numberline.bots.policy_bots:SlipBot",
    "sight": "numberline.bots.policy_bots:SightBot",
    "mcts": "numberline.bots.mcts:MctsBot",
    "exec": "numberline.bots.external:ExternalBot",
}


def make_bot(
    text: str, book: Book, rng: Random, *, solution: Solution | None = None, other_names: tuple[str, ...] = ()
) -> Bot:
    """Return the bot of that name, for any seat of the book; all its random choices come from `rng`.

    Bots that need the solution of the book use the one given; without one they solve the book before their first move
    and share the solution. `other_names` are names that the caller also accepts: the error lists them with the bots.

    >>> import numberline as nl
    >>> book = nl.book("reach-the-edge")
    >>> make_bot("perfect", book, Random(1)).choose(book.start())
    '3'
    """
    name, colon, detail = text.partition(":")
    bot_class = _bot_class(name.strip().lower())
    bot = bot_class.from_text(detail.strip() if colon else None, book, rng, solution) if bot_class else None
    if bot is None:
        usages = [bot_class.usage] if bot_class else [*map(_usage, bot_names()), *other_names]
        suggestion = "" if bot_class else did_you_mean(name, [*bot_names(), *other_names])
        raise BotError(f"there is no bot {quote(text)}; expected {join_or(usages)}{suggestion}")
    return bot


def bot_display_name(bot: str) -> str:
    """Return the name of a bot as players see it.

    >>> bot_display_name("level:4"), bot_display_name("perfect"), bot_display_name("exec:python bots/mine.py")
    ('Level 4', 'Perfect', 'mine.py')
    """
    kind, _, detail = bot.partition(":")
    if kind == "exec":
        words = detail.strip("\"'/ ").split()
        return normalize_name(words[-1].rpartition("/")[2])[:MAX_NAME_CHARS] if words else "program"
    return f"{kind} {detail}".strip().capitalize()


def bot_names() -> tuple[str, ...]:
    """Return the names of all bots, those of other packages last."""
    from importlib.metadata import entry_points  # slow to import

    return tuple(dict.fromkeys([*BUILTIN_BOTS, *sorted(entry_points(group=ENTRY_POINT_GROUP).names)]))


def _bot_class(name: str) -> type[Bot] | None:
    if name in BUILTIN_BOTS:
        module, _, class_name = BUILTIN_BOTS[name].partition(":")
        bot_class: type[Bot] = getattr(import_module(module), class_name)
        return bot_class
    from importlib.metadata import entry_points  # slow to import

    for entry_point in entry_points(group=ENTRY_POINT_GROUP, name=name):
        try:
            bot_class = entry_point.load()
        except Exception as error:  # noqa: BLE001 - another package's import can raise anything
            raise BotError(f"the bot {quote(name)} can't be loaded from {entry_point.value}: {error}") from None
        if not (isinstance(bot_class, type) and issubclass(bot_class, Bot)):
            raise BotError(f"the bot {quote(name)} can't be loaded: {entry_point.value} is not a subclass of Bot")
        return bot_class
    return None


def _usage(name: str) -> str:
    try:
        bot_class = _bot_class(name)
    except BotError:
        return name
    return bot_class.usage if bot_class else name
