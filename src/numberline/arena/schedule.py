"""Who plays whom, in which book, in which seat: every game has a number, and all its chance comes from that."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from random import Random
from typing import Any, NamedTuple

from numberline.book.book import Book
from numberline.bots import Bot, BotError, make_bot
from numberline.bots.program import SECONDS, program_bot
from numberline.rules.errors import BookError, shown
from numberline.solver.solution import Solution

FORMAT = 1
PLIES = 500
"""A game is stopped after so many plies, unless another limit is given, and counts as a draw."""
MOST_GAMES = 100_000_000


@dataclass(frozen=True, slots=True)
class Entrant:
    """Somebody who takes part: a bot by name, a program, or any other `Bot` that can be made for a book."""

    name: str
    make: Callable[[Book, Random, Solution | None], Bot]
    """Gives the bot, which plays all games in a book; the dice are thrown anew, by its number, for every game."""

    @staticmethod
    def from_text(text: str, seconds: float = SECONDS) -> Entrant:
        """The bot of that name; a program that names no limit of its own has so many seconds for a move."""
        name, _, detail = (part.strip() for part in text.partition(":"))

        def make(book: Book, rng: Random, solution: Solution | None) -> Bot:
            if name.lower() == "exec" and (bot := program_bot(detail, book, rng, seconds)):
                return bot
            return make_bot(text, book, rng, solution=solution)

        return Entrant(text.strip(), make)


class Block(NamedTuple):
    """All games of two players in one book; they are numbered one after the other, and the seats change each time."""

    first: int
    """The number of the first game."""
    book: int
    """Which book, counted from 0."""
    pair: tuple[int, int]
    """Which players, counted from 0; the first of them sits in seat 1 in the first game, and in every other one."""

    def seats(self, game: int) -> tuple[int, int]:
        """Who sits in seat 1 and who in seat 2 in a game of this block."""
        return self.pair if (game - self.first) % 2 == 0 else self.pair[::-1]


@dataclass(frozen=True)
class Tournament:
    """Everything that decides which games are played, and how."""

    players: tuple[Entrant, ...]
    books: tuple[Book, ...]
    games: int
    """How many games each two players play in each book; an even number, for each seat half of them."""
    seed: int = 0
    plies: int = PLIES

    def __post_init__(self) -> None:
        if self.games < 2 or self.games % 2:
            raise BookError(f"games={self.games}: expected an even number, so that each seat gets half of them")
        if self.total > MOST_GAMES:
            raise BookError(f"{self.total:,} games are too many; expected at most {MOST_GAMES:,} in all")
        if len({(book.variant, book.source) for book in self.books}) < len(self.books) or not self.books:
            raise BookError("expected at least one book, and each of them once")
        self._check_players()

    def _check_players(self) -> None:
        """Raises `BotError` where these can't play each other in these books."""
        names = [entrant.name for entrant in self.players]
        if len(names) < 2:
            raise BotError("an arena needs at least two players; name them, such as: perfect level:5")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise BotError(f"{shown(twice)} is there twice; name each player once")
        if crowded := next((book for book in self.books if book.rules.players != 2), None):
            raise BotError(f"{crowded.variant} has {crowded.rules.players} players; the arena is for two")
        for book in self.books:
            for entrant in self.players:
                entrant.make(book, Random(0), None)  # whoever can't play is refused before the first game

    @property
    def total(self) -> int:
        """How many games there are."""
        players = len(self.players)
        return players * (players - 1) // 2 * len(self.books) * self.games

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """The games in the order in which they are played: book by book, pair by pair."""
        pairs = list(combinations(range(len(self.players)), 2))
        asked = [(book, pair) for book in range(len(self.books)) for pair in pairs]
        return tuple(Block(number * self.games, book, pair) for number, (book, pair) in enumerate(asked))

    def block(self, game: int) -> Block:
        """The block that a game belongs to."""
        return self.blocks[game // self.games]

    def names(self, game: int) -> tuple[str, str]:
        """Who sits in seat 1 and who in seat 2."""
        one, other = self.block(game).seats(game)
        return self.players[one].name, self.players[other].name

    def header(self) -> dict[str, Any]:
        """What tells this tournament from any other."""
        sources = [
            book.source and hashlib.blake2b(book.source.encode(), digest_size=8).hexdigest() for book in self.books
        ]
        return {
            "numberline arena": FORMAT,
            "players": [entrant.name for entrant in self.players],
            "books": [book.variant for book in self.books],
            "sources": sources,
            "games": self.games,
            "seed": self.seed,
            "plies": self.plies,
        }
