"""Schedule of a tournament: players, books, pairings and seats.

Games are numbered, and the random choices in a game depend only on its number and the seed.

Books can include random variants, which test agents on games that they were not trained on. The same seed must always
draw the same variants, so they are drawn from versioned tables in a file rather than from the current rules. Never add
a new rule, value or book to an existing file; create a new version of the file.
"""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from hashlib import blake2b
from itertools import accumulate, combinations, permutations
from math import comb
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from numberline.bots import Bot, BotError, make_bot
from numberline.bots.external import DEFAULT_MOVE_SECONDS, make_external_bot
from numberline.errors import BookError
from numberline.game import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as book_of
from numberline.game.settings import split_variants
from numberline.solver.index import max_positions
from numberline.solver.solution import Solution, solve
from numberline.text import format_large_count, quote

FILE_FORMAT_VERSION = 1
DEFAULT_MAX_PLIES = 500
MAX_GAMES = 100_000_000
TABLES_V1: dict[str, Any] = tomllib.loads(Path(__file__).with_name("random_variants_v1.toml").read_text("utf-8"))
MAX_CHANGED_RULES = 3
MAX_DRAWN_POSITIONS = 5_000
MIN_DRAWN_PLIES = 3
MAX_DRAW_ATTEMPTS = 10_000


def check_game_count(games: int) -> None:
    """Raise `BookError` if `games` exceeds `MAX_GAMES`."""
    if games > MAX_GAMES:
        raise BookError(f"{format_large_count(games)} games are too many; the limit is {MAX_GAMES:,} in total")


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant in a tournament; `make` returns the bot that plays all of the entrant's games in one book.

    The random generator passed to `make` is reseeded before every game.
    """

    name: str
    make: Callable[[Book, Random, Solution | None], Bot]

    @staticmethod
    def from_text(text: str, seconds: float = DEFAULT_MOVE_SECONDS) -> Entrant:
        """Return the entrant for a bot name; `seconds` is the default time per move for external programs."""
        return Entrant(text.strip(), partial(_make_bot, text, seconds))  # a partial, because closures can't be pickled


def _make_bot(text: str, seconds: float, book: Book, rng: Random, solution: Solution | None) -> Bot:
    name, _, detail = (part.strip() for part in text.partition(":"))
    if name.lower() == "exec" and (bot := make_external_bot(detail, book, rng, seconds)):
        return bot
    return make_bot(text, book, rng, solution=solution)


@cache
def seat_orders(seats: int) -> tuple[tuple[int, ...], ...]:
    """Return all seatings of `seats` players; in each block of `seats` seatings, every player takes every seat once.

    >>> seat_orders(2)
    ((0, 1), (1, 0))
    >>> seat_orders(3)[:4]
    ((0, 1, 2), (2, 0, 1), (1, 2, 0), (0, 2, 1))
    """
    orders = ((0, *others) for others in permutations(range(1, seats)))
    return tuple(order[-turn:] + order[:-turn] for order in orders for turn in range(seats))


class Pairing(NamedTuple):
    """All games that a group of players plays in one book, numbered consecutively; seats change after every game."""

    first: int
    book: int
    players: tuple[int, ...]
    """Player indices, in the seat order of the first game."""
    size: int

    @property
    def games(self) -> range:
        return range(self.first, self.first + self.size)

    def seats(self, game: int) -> tuple[int, ...]:
        """Return the indices of a game's players, in seat order."""
        orders = seat_orders(len(self.players))
        return tuple(self.players[index] for index in orders[(game - self.first) % len(orders)])


@dataclass(frozen=True)
class Tournament:
    """The players, books, number of games, seed and ply limit of a tournament, which together determine every game.

    `games` is the number of games per pairing and book; it must be even. In a book for more than two players, it is
    rounded up to a multiple of the number of seats.
    """

    players: tuple[Entrant, ...]
    books: tuple[Book, ...]
    games: int
    seed: int = 0
    plies: int = DEFAULT_MAX_PLIES

    def __post_init__(self) -> None:
        check_game_count(self.games)
        if self.games < 2 or self.games % 2:
            raise BookError(f"games={self.games}: expected a positive even number, so that players can swap seats")
        check_game_count(self.total)
        if len({(book.variant, book.source) for book in self.books}) < len(self.books) or not self.books:
            raise BookError("expected at least one book and no duplicates")
        self._check_players()

    def _check_players(self) -> None:
        names = [entrant.name for entrant in self.players]
        if len(names) < 2:
            raise BotError("an arena needs at least two players, such as 'perfect' and 'level:5'")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise BotError(f"duplicate player {quote(twice)}")
        if crowded := next((book for book in self.books if book.rules.players > len(names)), None):
            seats = crowded.rules.players
            raise BotError(f"{crowded.variant} has {seats} seats, but only {len(names)} players are given")
        for book in self.books:
            for entrant in self.players:
                entrant.make(book, Random(0), None)  # fails early if the bot can't play the book

    @property
    def total(self) -> int:
        """The total number of games."""
        return sum(comb(len(self.players), book.rules.players) * self._size(book) for book in self.books)

    def _size(self, book: Book) -> int:
        """Return the number of games per pairing, chosen so that every player takes every seat equally often."""
        seats = book.rules.players
        return -(-self.games // seats) * seats

    @cached_property
    def pairings(self) -> tuple[Pairing, ...]:
        """All pairings in playing order, book by book."""
        pairings, first = [], 0
        for number, book in enumerate(self.books):
            for players in combinations(range(len(self.players)), book.rules.players):
                pairings.append(Pairing(first, number, players, self._size(book)))
                first += self._size(book)
        return tuple(pairings)

    def pairing(self, game: int) -> Pairing:
        """Return the pairing that a game belongs to."""
        return self.pairings[bisect_right(self.pairings, game, key=itemgetter(0)) - 1]

    def names(self, game: int) -> tuple[str, ...]:
        """Return the names of a game's players, in seat order."""
        return tuple(self.players[player].name for player in self.pairing(game).seats(game))

    def header(self) -> dict[str, Any]:
        """Return the content of a results file's first line, which identifies the tournament."""
        sources = [book.source and blake2b(book.source.encode(), digest_size=8).hexdigest() for book in self.books]
        return {
            "numberline arena": FILE_FORMAT_VERSION,
            "players": [entrant.name for entrant in self.players],
            "books": [book.variant for book in self.books],
            "sources": sources,
            "games": self.games,
            "seed": self.seed,
            "plies": self.plies,
        }


# Books and random variants


def select_books(texts: Iterable[str], drawn: int, seed: int) -> list[str]:
    """Return the comma-separated variants in `texts` and `drawn` random ones, deduplicated; by default, all books."""
    variants = [part for text in texts for part in split_variants(text)] or ([] if drawn else ["all"])
    names = [name for text in variants for name in (NAMES if text.lower() == "all" else (text,))]
    return list(dict.fromkeys([*names, *(game.variant for game in draw(drawn, seed))]))


def draw(count: int, seed: int) -> tuple[Book, ...]:
    """Return `count` different random variants (in rare cases fewer); the same seed always draws the same ones."""
    rng = Random(f"draw/{seed}")
    drawn: dict[str, Book] = {}
    for _ in range(MAX_DRAW_ATTEMPTS):
        if len(drawn) >= count:
            break
        game = _random_variant(rng)
        if game and game.variant not in NAMES and game.variant not in drawn and _is_interesting(game):
            drawn[game.variant] = game
    return tuple(drawn.values())


def _random_variant(rng: Random) -> Book | None:
    """Return a random variant, or None if the drawn settings do not form a valid game."""
    tables = TABLES_V1
    plain = book_of(rng.choice(tables["books"]))
    ends = [word for word in ("end", "target") if word in plain.main_settings]
    settings = [f"{word}={rng.randint(*tables['line_ends'])}" for word in ends]
    strides = "operations" if plain.rules.moves == "operations" else "steps"
    settings.append(f"{strides}={rng.choice(tables[strides])}")
    rules = rng.sample(list(tables["rules"]), rng.randint(0, MAX_CHANGED_RULES))
    settings += [f"{name}={rng.choice(tables['rules'][name])}" for name in rules]
    try:
        return plain.vary(*settings)
    except BookError:
        return None


def _is_interesting(game: Book) -> bool:
    """Return whether the variant is small enough, lasts long enough, and has real decisions."""
    if max_positions(game) > MAX_DRAWN_POSITIONS:
        return False
    solution = solve(game)
    counts, plies = solution.counts(), solution.distance(game.start())
    is_long_enough = plies is None or plies >= MIN_DRAWN_PLIES
    return counts.win > 0 and counts.loss > 0 and is_long_enough and _has_wrong_move(solution)


def _has_wrong_move(solution: Solution) -> bool:
    """Return whether a player can make a mistake somewhere along the line of best play."""
    positions = accumulate(solution.line(), solution.book.after, initial=solution.book.start())
    return any(not evaluated.best for position in positions for evaluated in solution.evaluate_moves(position))
