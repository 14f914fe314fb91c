"""Tournaments to test with: small ones by name, and bots that have to be asked for every move."""

from __future__ import annotations

from functools import cache

import numberline as nl
from numberline.arena import Entrant, Result, Tournament
from numberline.arena.batches import play_batch
from numberline.arena.board import Board
from numberline.bots import Bot
from numberline.rules.position import Position


class Plain:
    """A bot that hides what kind of bot it is, so that it has to be asked for every move."""

    def __init__(self, bot: Bot) -> None:
        self.bot = bot
        self.name = bot.name

    def choose(self, position: Position) -> str:
        """What the bot chooses."""
        return self.bot.choose(position)


@cache
def board(variant: str) -> Board:
    """The board of a variant, laid out once."""
    return Board(nl.book(variant))


def hidden(text: str) -> Entrant:
    """The bot of that name, to be played with one game at a time."""
    open_one = Entrant.from_text(text)
    return Entrant(text, lambda book, rng, solution: Plain(open_one.make(book, rng, solution)))


def tournament(*players: str, books: tuple[str, ...] = ("flag-chase",), games: int = 20, seed: int = 1) -> Tournament:
    """Everybody against everybody, in games of at most 60 plies."""
    return Tournament(tuple(map(Entrant.from_text, players)), tuple(map(nl.book, books)), games, seed, plies=60)


def quick_games(one: str, other: str, variant: str, games: int) -> list[Result]:
    """The games of two table bots, played side by side."""
    played = tournament(one, other, books=(variant,), games=games)
    return list(play_batch(board(variant), played, played.blocks[0], range(games)))
