"""Who plays whom, in which book, in which seat: every game has a number, and all its chance comes from that."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, permutations
from math import comb
from random import Random
from typing import Any, NamedTuple

from numberline.bots import Bot, BotError, make_bot
from numberline.bots.external import DEFAULT_MOVE_SECONDS, make_external_bot
from numberline.errors import BookError
from numberline.game.book import Book
from numberline.solver.solution import Solution
from numberline.text import format_large_count, quote

FILE_FORMAT_VERSION = 1
DEFAULT_MAX_PLIES = 500
"""A game is stopped after so many plies, unless another limit is given, and counts as a draw."""
MAX_GAMES = 100_000_000


def check_game_count(games: int) -> None:
    """Raises `BookError` where there are more games than anybody could wait for."""
    if games > MAX_GAMES:
        raise BookError(f"{format_large_count(games)} games are too many; expected at most {MAX_GAMES:,} in all")


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part: a bot by name, a program, or any other `Bot` that can be made for a book."""

    name: str
    make: Callable[[Book, Random, Solution | None], Bot]
    """Gives the bot, which plays all games in a book; the dice are thrown anew, by its number, for every game."""

    @staticmethod
    def from_text(text: str, seconds: float = DEFAULT_MOVE_SECONDS) -> Entrant:
        """The bot of that name; a program that names no limit of its own has so many seconds for a move."""
        return Entrant(text.strip(), _NamedBotFactory(text, seconds))


@dataclass(frozen=True, slots=True)
class _NamedBotFactory:
    """Makes the bot that is written so; unlike a function made on the spot, it can travel to another process."""

    text: str
    seconds: float

    def __call__(self, book: Book, rng: Random, solution: Solution | None) -> Bot:
        name, _, detail = (part.strip() for part in self.text.partition(":"))
        if name.lower() == "exec" and (bot := make_external_bot(detail, book, rng, self.seconds)):
            return bot
        return make_bot(self.text, book, rng, solution=solution)


@cache
def seat_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Every way in which so many players can sit; of each so many in a row, everybody sits in every seat once.

    >>> seat_orders(2)
    ((0, 1), (1, 0))
    >>> seat_orders(3)[:4]
    ((0, 1, 2), (2, 0, 1), (1, 2, 0), (0, 2, 1))
    """
    orders = ((0, *others) for others in permutations(range(1, seats)))
    return tuple(order[-turn:] + order[:-turn] for order in orders for turn in range(seats))


class Pairing(NamedTuple):
    """All games of some players in one book; they are numbered one after the other, and the seats change each time."""

    first: int
    """The number of the first game."""
    book: int
    """Which book, counted from 0."""
    players: tuple[int, ...]
    """Which players, counted from 0, as they sit in the first game."""
    size: int
    """How many games there are."""

    @property
    def games(self) -> range:
        """The numbers of its games."""
        return range(self.first, self.first + self.size)

    def seats(self, game: int) -> tuple[int, ...]:
        """Who sits in seat 1, in seat 2, … in a game of this block."""
        ways = seat_orders(len(self.players))
        return tuple(self.players[place] for place in ways[(game - self.first) % len(ways)])


@dataclass(frozen=True)
class Tournament:
    """Everything that decides which games are played, and how."""

    players: tuple[Entrant, ...]
    books: tuple[Book, ...]
    games: int
    """How many games each two players play in each book; an even number, for each seat half of them.

    In a book for more than two, each so many players play as many, or as few more as it takes to share out the seats.
    """
    seed: int = 0
    plies: int = DEFAULT_MAX_PLIES

    def __post_init__(self) -> None:
        check_game_count(self.games)
        if self.games < 2 or self.games % 2:
            raise BookError(f"games={self.games}: expected an even number, so that each seat gets half of them")
        check_game_count(self.total)
        if len({(book.variant, book.source) for book in self.books}) < len(self.books) or not self.books:
            raise BookError("expected at least one book, and each of them once")
        self._check_players()

    def _check_players(self) -> None:
        """Raises `BotError` where these can't play each other in these books."""
        names = [entrant.name for entrant in self.players]
        if len(names) < 2:
            raise BotError("an arena needs at least two players; name them, such as: perfect level:5")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise BotError(f"{quote(twice)} is there twice; name each player once")
        if crowded := next((book for book in self.books if book.rules.players > len(names)), None):
            seats = crowded.rules.players
            raise BotError(f"{crowded.variant} has {seats} seats, and only {len(names)} players are named; name more")
        for book in self.books:
            for entrant in self.players:
                entrant.make(book, Random(0), None)  # whoever can't play is refused before the first game

    @property
    def total(self) -> int:
        """How many games there are."""
        return sum(comb(len(self.players), book.rules.players) * self._size(book) for book in self.books)

    def _size(self, book: Book) -> int:
        """How many games a block of a book has: everybody sits in every seat equally often."""
        seats = book.rules.players
        return -(-self.games // seats) * seats

    @cached_property
    def pairings(self) -> tuple[Pairing, ...]:
        """The games in the order in which they are played: book by book, pair by pair."""
        blocks, first = [], 0
        for number, book in enumerate(self.books):
            for players in combinations(range(len(self.players)), book.rules.players):
                blocks.append(Pairing(first, number, players, self._size(book)))
                first += self._size(book)
        return tuple(blocks)

    @cached_property
    def _firsts(self) -> list[int]:
        """For each block the number of its first game."""
        return [block.first for block in self.pairings]

    def pairing(self, game: int) -> Pairing:
        """The block that a game belongs to."""
        return self.pairings[bisect_right(self._firsts, game) - 1]

    def names(self, game: int) -> tuple[str, ...]:
        """Who sits in seat 1, in seat 2, …."""
        return tuple(self.players[player].name for player in self.pairing(game).seats(game))

    def header(self) -> dict[str, Any]:
        """What tells this tournament from any other."""
        sources = [
            book.source and hashlib.blake2b(book.source.encode(), digest_size=8).hexdigest() for book in self.books
        ]
        return {
            "numberline arena": FILE_FORMAT_VERSION,
            "players": [entrant.name for entrant in self.players],
            "books": [book.variant for book in self.books],
            "sources": sources,
            "games": self.games,
            "seed": self.seed,
            "plies": self.plies,
        }
