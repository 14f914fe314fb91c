"""What every environment asks before a game: which book, whose seat, who else plays, what an illegal action does."""

from __future__ import annotations

import operator
from os import PathLike
from typing import Literal, get_args

from numberline.book.book import Book
from numberline.book.loader import book as book_of
from numberline.bots import Bot, Seats
from numberline.rules.errors import NumberlineError, shown

Seat = int | Literal["alternate"]
Illegal = Literal["lose", "raise"]
EVERY_SEAT = 0
"""The seat of an agent that plays for everybody."""
SELF = "self"
"""The opponent of an agent that plays for every seat."""
MAX_PLIES = 1_000
"""A longer game is broken off, unless told otherwise."""


class MissingExtra(NumberlineError, ImportError):
    """A framework that is not installed; the text is one sentence with the command that installs it."""

    def __init__(self, framework: str, extra: str) -> None:
        super().__init__(f'{framework} is not installed; install it with: pip install "numberline[{extra}]"')


class EnvError(NumberlineError, ValueError):
    """An environment that can't be made as it was asked for, or an action that can't be taken."""


class Rotation:
    """Which seat the agent takes from game to game, with an opponent in every other one; without one it takes all."""

    def __init__(self, book: Book, opponent: str | Bot | None, seat: Seat) -> None:
        agents = seats_of(book, seat) if opponent is not None else (EVERY_SEAT,)
        self._all = Seats(book, [None if agents == (player,) else opponent for player in book.players])
        bots = list(enumerate(self._all.bots, 1))
        self._each = [(agent, Seats(book, [None if n == agent else bot for n, bot in bots])) for agent in agents]
        for _, seats in self._each:
            seats.rng = self._all.rng
        self.agent, self.seats = self._each[0]
        """The agent's seat in this game, and who plays; nobody sits in the agent's."""
        self.games = 0
        """How many games were begun since the agent was in its first seat."""

    def begin(self, seed: int | None) -> None:
        """Begins a game; with a seed the agent takes its first seat again."""
        self._all.new_game(seed)
        self.games = 0 if seed is not None else self.games
        self.agent, self.seats = self._each[self.games % len(self._each)]
        self.games += 1

    def close(self) -> None:
        """Ends the program of an opponent that has one."""
        self._all.close()


def as_book(given: str | PathLike[str] | Book, max_plies: int = MAX_PLIES, illegal: str = "lose") -> Book:
    """The book that was named, or the one that was given; options that no environment has are refused."""
    book = given if isinstance(given, Book) else book_of(given)
    if illegal not in get_args(Illegal):
        raise EnvError(f"illegal={illegal!r}: an illegal action can 'lose' the game or 'raise' an error")
    if max_plies < 1:
        raise EnvError(f"max_plies={max_plies}: expected 1 or more")
    return book


def action_of(given: object) -> int:
    """The number of an action, of whatever width; raises `EnvError` for what is no whole number.

    >>> action_of(2)
    2
    """
    try:
        return operator.index(given)  # type: ignore[arg-type]  # whatever it is
    except TypeError:
        raise EnvError(f"{shown(repr(given))} is no action: expected a whole number") from None


def seats_of(book: Book, seat: Seat) -> tuple[int, ...]:
    """The seats that an agent takes, game after game.

    >>> seats_of(as_book("flag-chase"), "alternate")
    (1, 2)
    """
    if seat == "alternate":
        return tuple(book.players)
    if seat not in book.players:
        raise EnvError(f"seat={seat}: {book.title} has the seats 1 to {book.rules.players}, or 'alternate'")
    return (seat,)


def id_of(name: str) -> str:
    """The id of a book's environment, wherever ids are given.

    >>> id_of("flag-chase")
    'numberline/FlagChase-v0'
    """
    return f"numberline/{name.title().replace('-', '')}-v0"
