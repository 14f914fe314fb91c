"""Who plays in the arena: bots by name, programs, and anybody else who can be made for a book."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from numberline.book.book import Book
from numberline.bots import Bot, BotError, make_bot
from numberline.bots.external import SECONDS, program_bot
from numberline.bots.odds import has_odds
from numberline.rules.errors import shown
from numberline.solver.solution import Solution


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part.

    Anything with a `name` and a `choose(position)` that gives the text of a legal move can be made: a language model
    behind a callable, too. It may raise `Forfeit`; a move that is not legal is one.
    """

    name: str
    make: Callable[[Book, Random, Solution | None], Bot]

    @staticmethod
    def from_text(text: str, seconds: float = SECONDS) -> Entrant:
        """The bot that is written so; programs that say nothing else have so many seconds for a move."""
        kind, _, detail = (part.strip() for part in text.partition(":"))

        def make(book: Book, rng: Random, solution: Solution | None) -> Bot:
            if kind.lower() == "exec" and (bot := program_bot(detail, book, rng, seconds)):
                return bot
            return make_bot(text, book, rng, solution=solution)

        return Entrant(text.strip(), make)


def check_field(entrants: tuple[Entrant, ...], books: tuple[Book, ...]) -> None:
    """Raises `BotError` where these can't play each other in these books."""
    names = [entrant.name for entrant in entrants]
    if len(names) < 2:
        raise BotError("an arena needs at least two players; name them, such as: perfect level:5")
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice:
        raise BotError(f"{shown(twice)} is there twice; name each player once")
    crowded = next((book for book in books if book.rules.players != 2), None)
    if crowded:
        raise BotError(f"{crowded.variant} has {crowded.rules.players} players; the arena is for two")
    for book in books:
        for entrant in entrants:
            entrant.make(book, Random(0), None)  # noqa: S311 - dice; who can't be made is refused before the first game


def plays_by_table(bot: Bot) -> bool:
    """Whether a bot's moves can be drawn from a table of odds, many games at a time."""
    return has_odds(bot)
