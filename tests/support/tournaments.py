"""Small tournaments, and bots without a policy, which are asked for every move."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import numberline as nl
from numberline.arena import Entrant, GameResult, Tournament
from numberline.arena.batch import BatchTables, play_batch
from numberline.arena.runner import BookContext, BookPlayers
from numberline.bots import Bot
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution


class Plain(Bot):
    """A bot without a policy, which is asked for every move."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot.name, bot.book, bot.rng)
        self.bot = bot

    def choose(self, position: Position) -> str:
        return self.bot.choose(position)


@dataclass(frozen=True)
class PlainFactory:
    """Factory of a bot without a policy; unlike a lambda, it can be sent to another process."""

    name: str

    def __call__(self, book: Book, rng: random.Random, solution: Solution | None) -> Plain:
        return Plain(Entrant.from_text(self.name).make(book, rng, solution))


@cache
def lookup(variant: str) -> BatchTables:
    """What games of a variant are looked up in, laid out once."""
    return BatchTables(cached_solution(nl.book(variant)))


@cache
def made(text: str, variant: str) -> Bot:
    """The bot of that name in a variant, made once."""
    solution = lookup(variant).solution
    return Entrant.from_text(text).make(solution.book, random.Random(1), solution)


@cache
def odds(text: str, variant: str) -> NDArray[np.float64]:
    """How likely the bot of that name is to play each move of each position, or one before it; worked out once."""
    return lookup(variant).policy(made(text, variant))


def hidden(text: str) -> Entrant:
    """Return an entrant whose games are played one at a time."""
    return Entrant(text, PlainFactory(text))


def bench(played: Tournament) -> BookPlayers:
    """The players of a tournament in its first book."""
    return BookPlayers(played, BookContext(played, 0))


def tournament(*players: str, books: tuple[str, ...] = ("flag-chase",), games: int = 20, seed: int = 1) -> Tournament:
    """Return a round robin of games of at most 60 plies."""
    return Tournament(tuple(map(Entrant.from_text, players)), tuple(map(nl.book, books)), games, seed, plies=60)


def quick_games(one: str, other: str, variant: str, games: int, seed: int = 1) -> list[GameResult]:
    """The games of two bots whose odds are known, played side by side."""
    played = tournament(one, other, books=(variant,), games=games, seed=seed)
    policies = [odds(one, variant), odds(other, variant)]
    return play_batch(lookup(variant), policies, played, played.pairings[0], range(games))
