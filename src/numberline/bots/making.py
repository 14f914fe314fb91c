"""Opponents by name: `random`, `greedy`, `level:3`, `perfect`, `mcts`, `exec:COMMAND`."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import TYPE_CHECKING, NamedTuple

from numberline.book.book import Book
from numberline.book.refusal import any_of
from numberline.bots.bot import Bot, BotError
from numberline.bots.mcts import Searcher
from numberline.bots.plain import Guesser, Runner
from numberline.rules.errors import shown

if TYPE_CHECKING:
    from numberline.solver.solution import Solution

MOST_SIMULATIONS = 1_000_000


class Order(NamedTuple):
    """What a bot is to be made of."""

    detail: str | None
    """What was written after the name and a colon; None where there was no colon."""
    book: Book
    rng: Random
    solution: Solution | None


class Kind(NamedTuple):
    """One kind of opponent."""

    written: str
    """How a person writes it."""
    make: Callable[[Order], Bot | None]
    """Gives the bot, or None where the detail won't do."""


def make_bot(text: str, book: Book, rng: Random, *, solution: Solution | None = None) -> Bot:
    """The opponent of that name, ready to sit in any seat of the book; whatever it leaves to chance comes from `rng`.

    Bots that need the book's solution take the one given, or have it worked out with their first move and share it.

    >>> import numberline as nl
    >>> book = nl.book("reach-the-edge")
    >>> make_bot("perfect", book, Random(1)).choose(book.start())
    '3'
    """
    name, colon, detail = text.partition(":")
    kind = KINDS.get(name.strip().lower())
    bot = kind.make(Order(detail.strip() if colon else None, book, rng, solution)) if kind else None
    if bot is None:
        possible = [kind.written] if kind else [each.written for each in KINDS.values()]
        raise BotError(f"{shown(text)} is no opponent; expected {any_of(possible)}")
    return bot


def _random(order: Order) -> Bot | None:
    return Guesser(order.book, order.rng) if order.detail is None else None


def _greedy(order: Order) -> Bot | None:
    return Runner(order.book) if order.detail is None else None


def _level(order: Order) -> Bot | None:
    from numberline.bots.exact import LEVELS, Knower, slip_chance

    level = _whole(order.detail)
    if level not in LEVELS:
        return None
    return Knower(f"level:{level}", order.book, order.rng, order.solution, slip_chance(level))


def _perfect(order: Order) -> Bot | None:
    from numberline.bots.exact import Knower

    return Knower("perfect", order.book, order.rng, order.solution) if order.detail is None else None


def _mcts(order: Order) -> Bot | None:
    if order.detail is None:
        return Searcher("mcts", order.book, order.rng)
    simulations = _whole(order.detail)
    if not 1 <= simulations <= MOST_SIMULATIONS:
        return None
    return Searcher(f"mcts:{simulations}", order.book, order.rng, simulations)


def _exec(order: Order) -> Bot | None:
    from numberline.bots.external import program_bot

    return program_bot(order.detail or "", order.book, order.rng)


def _whole(detail: str | None) -> int:
    """The number that is written there; 0, which nobody takes, where there is none."""
    return int(detail) if detail and detail.isascii() and detail.isdigit() and len(detail) < 10 else 0


KINDS: dict[str, Kind] = {
    "random": Kind("random", _random),
    "greedy": Kind("greedy", _greedy),
    "level": Kind("level:1 to level:10", _level),
    "perfect": Kind("perfect", _perfect),
    "mcts": Kind(f"mcts (mcts:N for N simulations a move, from 1 to {MOST_SIMULATIONS})", _mcts),
    "exec": Kind("exec:COMMAND", _exec),
}
"""Every kind of opponent, in the order in which they are listed."""
