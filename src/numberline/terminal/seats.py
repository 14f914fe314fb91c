"""Who sits at the table: people at the keyboard, and programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING

from numberline.book.book import Book
from numberline.match import Match

if TYPE_CHECKING:
    from numberline.bots import Bot

PERSON = "me"
"""How a seat at the keyboard is written."""


@dataclass(frozen=True, slots=True)
class Guest:
    """Somebody who has come to play: by name, and for a program by how it is written."""

    name: str
    bot: str | None = None

    @property
    def person(self) -> bool:
        """Whether it is somebody at the keyboard."""
        return self.bot is None


class Seats:
    """Who plays as which player of a match.

    A program's choice depends on the seed and the ply alone, so that a game that was left goes on as it would have.
    """

    def __init__(self, book: Book, guests: Sequence[Guest], seed: str) -> None:
        self._rng = Random()  # noqa: S311 - a game, not a secret
        self._seed = seed
        self.guests = guests
        self._bots = [_made(guest.bot, book, self._rng) if guest.bot else None for guest in guests]

    def close(self) -> None:
        """Nobody is asked any more; a program that was started is ended."""
        for bot in self._bots:
            close = getattr(bot, "close", None)  # only what lasts from game to game has one
            if close:
                close()

    @property
    def people(self) -> tuple[int, ...]:
        """The players that are people."""
        return tuple(player for player, guest in enumerate(self.guests, 1) if guest.person)

    def choice(self, match: Match) -> str | None:
        """The move of the program whose turn it is; None where a person is to move."""
        bot = self._bots[match.turn - 1]
        if bot is None:
            return None
        self._rng.seed(f"{self._seed}/{len(match.plies)}")
        return bot.choose(match.position)


def _made(bot: str, book: Book, rng: Random) -> Bot:
    from numberline.bots import make_bot  # loaded where a program sits down

    return make_bot(bot, book, rng)


def title(bot: str) -> str:
    """What a program is called at the table.

    >>> title("level:4"), title("perfect"), title("exec:python bots/mine.py")
    ('Level 4', 'Perfect', 'mine.py')
    """
    kind, _, detail = bot.partition(":")
    if kind == "exec":
        return (detail.split() or ["program"])[-1].rpartition("/")[2]
    return f"{kind} {detail}".strip().capitalize()
