"""Small tournaments, and bots without a policy, which are asked for every move."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

import numberline as nl
from numberline.arena import Entrant, GameResult, Tournament
from numberline.arena.runner import BatchTables, BookContext, BookPlayers, play_batch
from numberline.bots import Bot
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution


class BotWithoutPolicy(Bot):
    """A bot without a policy, which is asked for every move."""

    def __init__(self, bot: Bot) -> None:
        super().__init__(bot.name, bot.book, bot.rng)
        self.bot = bot

    def choose(self, position: Position) -> str:
        return self.bot.choose(position)


@dataclass(frozen=True)
class BotWithoutPolicyFactory:
    """Factory of a bot without a policy; unlike a lambda, it can be sent to another process."""

    name: str

    def __call__(self, book: Book, rng: random.Random, solution: Solution | None) -> BotWithoutPolicy:
        return BotWithoutPolicy(Entrant.from_text(self.name).make(book, rng, solution))


@cache
def batch_tables(variant: str) -> BatchTables:
    """Return the tables of a variant, built once."""
    return BatchTables(cached_solution(nl.book(variant)))


@cache
def cached_bot(text: str, variant: str) -> Bot:
    """Return a bot in a variant, made once."""
    solution = batch_tables(variant).solution
    return Entrant.from_text(text).make(solution.book, random.Random(1), solution)


@cache
def bot_policy(text: str, variant: str) -> NDArray[np.float64]:
    """Return the cumulative probabilities of a bot's moves in each position, computed once."""
    return batch_tables(variant).policy(cached_bot(text, variant))


def without_policy(text: str) -> Entrant:
    """Return an entrant whose games are played one at a time."""
    return Entrant(text, BotWithoutPolicyFactory(text))


def first_book_players(played: Tournament) -> BookPlayers:
    """Return the players of a tournament in its first book."""
    return BookPlayers(played, BookContext(played.books[0]))


def tournament(*players: str, books: tuple[str, ...] = ("flag-chase",), games: int = 20, seed: int = 1) -> Tournament:
    """Return a round robin of games of at most 60 plies."""
    return Tournament(tuple(map(Entrant.from_text, players)), tuple(map(nl.book, books)), games, seed, plies=60)


def play_games_in_batch(one: str, other: str, variant: str, games: int, seed: int = 1) -> list[GameResult]:
    """Play games of two bots with a known policy in one batch."""
    played = tournament(one, other, books=(variant,), games=games, seed=seed)
    policies = [bot_policy(one, variant), bot_policy(other, variant)]
    return play_batch(batch_tables(variant), policies, played, played.pairings[0], range(games))
