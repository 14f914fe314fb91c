"""Bots by name: `random`, `greedy`, `level:3`, `perfect`, `slip:25`, `sight:3`, `mcts`, `exec:COMMAND`."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from numberline.bots.baselines import GreedyBot, RandomBot
from numberline.bots.bot import Bot, BotError
from numberline.bots.mcts import MctsBot
from numberline.game.book import Book
from numberline.text import MAX_NAME_CHARS, did_you_mean, join_or, normalize_name, quote

if TYPE_CHECKING:
    from numberline.solver.solution import Solution

MAX_SIMULATIONS = 1_000_000
MAX_SIGHT_TURNS = 1_000


class BotSpec(NamedTuple):
    """One line of the roster."""

    usage: str
    """How a person writes it."""
    make: Callable[[str | None, Book, Random, Solution | None], Bot | None]
    """Gives the bot, from what was written after the colon; None where that won't do."""


def make_bot(
    text: str, book: Book, rng: Random, *, solution: Solution | None = None, other_names: tuple[str, ...] = ()
) -> Bot:
    """The bot of that name, ready to sit in any seat of the book; whatever it leaves to chance comes from `rng`.

    Bots that need the book's solution take the one given, or have it worked out with their first move and share it.
    `also` are names that whoever asks understands too; the error lists them with the bots.

    >>> import numberline as nl
    >>> book = nl.book("reach-the-edge")
    >>> make_bot("perfect", book, Random(1)).choose(book.start())
    '3'
    """
    name, colon, detail = text.partition(":")
    entry = BOT_SPECS.get(name.strip().lower())
    bot = entry.make(detail.strip() if colon else None, book, rng, solution) if entry else None
    if bot is None:
        possible = [entry.usage] if entry else [*(each.usage for each in BOT_SPECS.values()), *other_names]
        meant = "" if entry else did_you_mean(name, [*BOT_SPECS, *other_names])
        raise BotError(f"there is no bot {quote(text)}; expected {join_or(possible)}{meant}")
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


def _random(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    return RandomBot("random", book, rng) if detail is None else None


def _greedy(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    return GreedyBot("greedy", book, rng) if detail is None else None


def _level(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.solver_bots import LEVELS, MAX_LEVEL, PerfectBot, SkilledBot

    level = _parse_int(detail)
    if level == MAX_LEVEL:
        return PerfectBot(f"level:{level}", book, rng, solution)
    return SkilledBot(f"level:{level}", LEVELS[level], book, rng, solution) if level in LEVELS else None


def _perfect(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.solver_bots import PerfectBot

    return PerfectBot("perfect", book, rng, solution) if detail is None else None


def _slip(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.solver_bots import Skill, SkilledBot

    percent = _parse_percent(detail)
    if percent is None:
        return None
    return SkilledBot(f"slip:{float(percent):.12g}", Skill(slip_rate=percent / 100), book, rng, solution)


def _sight(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.solver_bots import Skill, SkilledBot

    turns = _parse_int(detail)
    return SkilledBot(f"sight:{turns}", Skill(turns), book, rng, solution) if 1 <= turns <= MAX_SIGHT_TURNS else None


def _mcts(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    if detail is None:
        return MctsBot("mcts", book, rng)
    simulations = _parse_int(detail)
    return MctsBot(f"mcts:{simulations}", book, rng, simulations) if 1 <= simulations <= MAX_SIMULATIONS else None


def _exec(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    from numberline.bots.external import make_external_bot

    return make_external_bot(detail or "", book, rng)


def _parse_int(detail: str | None, none: int = 0) -> int:
    """The number that is written there; where there is none, one that won't do."""
    return int(detail) if detail and detail.isascii() and detail.isdigit() and len(detail) < 10 else none


def _parse_percent(detail: str | None) -> Fraction | None:
    """The share that is written there, such as `25` or `12.5`; None where there is none."""
    written = re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", detail or "", re.ASCII)
    percent = Fraction(written[0]) if written else Fraction(-1)
    return percent if 0 <= percent <= 100 else None


BOT_SPECS: dict[str, BotSpec] = {
    "random": BotSpec("random", _random),
    "greedy": BotSpec("greedy", _greedy),
    "level": BotSpec("level:1 to level:10", _level),
    "perfect": BotSpec("perfect", _perfect),
    "slip": BotSpec("slip:0 to slip:100", _slip),
    "sight": BotSpec(f"sight:1 to sight:{MAX_SIGHT_TURNS}", _sight),
    "mcts": BotSpec(f"mcts (mcts:N for N simulations a move, from 1 to {MAX_SIMULATIONS})", _mcts),
    "exec": BotSpec("exec:COMMAND", _exec),
}
"""Every bot, in the order in which they are listed."""
