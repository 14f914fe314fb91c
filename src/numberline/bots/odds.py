"""How likely a bot is to play each move, for the bots that can say so without playing."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from numberline.book.book import Book
from numberline.bots.bot import Bot
from numberline.bots.exact import Knower
from numberline.bots.plain import Guesser, Runner
from numberline.rules.position import Position

Odds = dict[str, Fraction]
"""For each move that a bot may play, how likely it is."""


def odds(bot: Bot, book: Book, position: Position) -> Odds | None:
    """How likely each move of a bot is; None where only the bot itself can say, by playing.

    >>> import random
    >>> import numberline as nl
    >>> from numberline.bots import make_bot
    >>> book = nl.book("flag-chase")
    >>> odds(make_bot("greedy", book, random.Random(1)), book, book.start())
    {'3': Fraction(1, 1)}
    """
    known = _ODDS.get(type(bot))
    return known(bot, book, position) if known else None


def has_odds(bot: Bot) -> bool:
    """Whether a bot's odds are known."""
    return type(bot) in _ODDS


def _any_legal(_: Guesser, book: Book, position: Position) -> Odds:
    legal = book.moves(position)
    return dict.fromkeys(legal, Fraction(1, len(legal)))


def _always(bot: Runner, _: Book, position: Position) -> Odds:
    return {bot.choose(position): Fraction(1)}


def _with_slips(bot: Knower, _: Book, position: Position) -> Odds:
    perfect, worse = bot.judge.verdict(position)
    slips = Fraction(bot.slips).limit_denominator(1000) if worse else Fraction(0)
    likely = dict.fromkeys(perfect, (1 - slips) / len(perfect))
    return likely | (dict.fromkeys(worse, slips / len(worse)) if slips else {})


_ODDS: dict[type, Callable[[Any, Book, Position], Odds]] = {
    Guesser: _any_legal,
    Runner: _always,
    Knower: _with_slips,
}
