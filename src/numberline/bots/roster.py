"""Bots by name: `random`, `greedy`, `level:3`, `perfect`, `slip:25`, `sight:3`, `mcts`, `exec:COMMAND`."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from numberline.book.book import Book
from numberline.bots.beginners import GreedyBot, RandomBot
from numberline.bots.bot import Bot, BotError
from numberline.bots.mcts import MctsBot
from numberline.rules.errors import shown
from numberline.rules.wording import any_of, did_you_mean

if TYPE_CHECKING:
    from numberline.solver.solution import Solution

MOST_SIMULATIONS = 1_000_000
FURTHEST_SIGHT = 1_000


class Entry(NamedTuple):
    """One line of the roster."""

    written: str
    """How a person writes it."""
    make: Callable[[str | None, Book, Random, Solution | None], Bot | None]
    """Gives the bot, from what was written after the colon; None where that won't do."""


def make_bot(
    text: str, book: Book, rng: Random, *, solution: Solution | None = None, also: tuple[str, ...] = ()
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
    entry = ROSTER.get(name.strip().lower())
    bot = entry.make(detail.strip() if colon else None, book, rng, solution) if entry else None
    if bot is None:
        possible = [entry.written] if entry else [*(each.written for each in ROSTER.values()), *also]
        meant = "" if entry else did_you_mean(name, [*ROSTER, *also])
        raise BotError(f"there is no bot {shown(text)}; expected {any_of(possible)}{meant}")
    return bot


def _random(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    return RandomBot("random", book, rng) if detail is None else None


def _greedy(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    return GreedyBot("greedy", book, rng) if detail is None else None


def _level(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.experts import BEST_LEVEL, LEVELS, PerfectBot, SkilledBot

    level = _whole(detail)
    if level == BEST_LEVEL:
        return PerfectBot(f"level:{level}", book, rng, solution)
    return SkilledBot(f"level:{level}", LEVELS[level], book, rng, solution) if level in LEVELS else None


def _perfect(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.experts import PerfectBot

    return PerfectBot("perfect", book, rng, solution) if detail is None else None


def _slip(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.experts import Skill, SkilledBot

    percent = _percent(detail)
    if percent is None:
        return None
    return SkilledBot(f"slip:{float(percent):.12g}", Skill(slips=percent / 100), book, rng, solution)


def _sight(detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
    from numberline.bots.experts import Skill, SkilledBot

    turns = _whole(detail)
    return SkilledBot(f"sight:{turns}", Skill(turns), book, rng, solution) if 1 <= turns <= FURTHEST_SIGHT else None


def _mcts(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    if detail is None:
        return MctsBot("mcts", book, rng)
    simulations = _whole(detail)
    return MctsBot(f"mcts:{simulations}", book, rng, simulations) if 1 <= simulations <= MOST_SIMULATIONS else None


def _exec(detail: str | None, book: Book, rng: Random, _: Solution | None) -> Bot | None:
    from numberline.bots.program import program_bot

    return program_bot(detail or "", book, rng)


def _whole(detail: str | None, none: int = 0) -> int:
    """The number that is written there; where there is none, one that won't do."""
    return int(detail) if detail and detail.isascii() and detail.isdigit() and len(detail) < 10 else none


def _percent(detail: str | None) -> Fraction | None:
    """The share that is written there, such as `25` or `12.5`; None where there is none."""
    written = re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", detail or "", re.ASCII)
    percent = Fraction(written[0]) if written else Fraction(-1)
    return percent if 0 <= percent <= 100 else None


ROSTER: dict[str, Entry] = {
    "random": Entry("random", _random),
    "greedy": Entry("greedy", _greedy),
    "level": Entry("level:1 to level:10", _level),
    "perfect": Entry("perfect", _perfect),
    "slip": Entry("slip:0 to slip:100", _slip),
    "sight": Entry(f"sight:1 to sight:{FURTHEST_SIGHT}", _sight),
    "mcts": Entry(f"mcts (mcts:N for N simulations a move, from 1 to {MOST_SIMULATIONS})", _mcts),
    "exec": Entry("exec:COMMAND", _exec),
}
"""Every bot, in the order in which they are listed."""
