"""Bots of the server: which of them solve, which search, and what plays if neither is possible."""

from __future__ import annotations

import asyncio
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

import numberline as nl
from numberline.bots.bot import make_bot
from numberline.bots.mcts import MctsBot
from numberline.web.protocol.errors import ApiError
from numberline.web.protocol.events import is_solvable
from numberline.web.rooms.bot_runner import BotRunner

LARGE = "line-runner(end=3000)"


def encoder_of(variant: str) -> Any:
    book = nl.book(variant)
    return SimpleNamespace(book=book, is_solvable=is_solvable(book))


class Pool:
    """A pool that records the bots it is asked for and can be busy."""

    def __init__(self, *busy: str) -> None:
        self.busy = busy
        self.asked: list[tuple[str, str]] = []

    async def solve(self, _: nl.Book, function: Any, *arguments: Any, **__: Any) -> Any:
        return self._run("solve", function, *arguments)

    async def search(self, function: Any, *arguments: Any, **_: Any) -> Any:
        return self._run("search", function, *arguments, 0.01)

    def _run(self, how: str, function: Any, *arguments: Any) -> Any:
        self.asked.append((how, arguments[1]))
        if how in self.busy:
            raise ApiError("slow_down", "The server is busy.")
        return function(*arguments)


def choose(pool: Any, variant: str, bot: str) -> str:
    encoder = encoder_of(variant)
    return asyncio.run(BotRunner(pool, Random(1)).choose_move(encoder, bot, encoder.book.start()))


def test_level_in_a_large_variant_searches_or_slips() -> None:
    pool: Any = Pool()
    runner, encoder = BotRunner(pool, Random(1)), encoder_of(LARGE)
    for _ in range(30):
        move = asyncio.run(runner.choose_move(encoder, "easy", encoder.book.start()))
        assert move in encoder.book.moves(encoder.book.start())
    assert set(pool.asked) == {("search", "mcts")}
    assert len(pool.asked) < 30


@pytest.mark.parametrize("bot", ["easy", "auto:7", "level:2"])
def test_level_is_valid_in_a_large_variant(bot: str) -> None:
    pool: Any = Pool()
    assert BotRunner(pool, Random(1)).validate_bot(bot, encoder_of(LARGE)) == bot


@pytest.mark.parametrize(
    ("busy", "asked"),
    [
        ([], [("solve", "level:9")]),
        (["solve"], [("solve", "level:9"), ("search", "mcts")]),
        (["solve", "search"], [("solve", "level:9"), ("search", "mcts")]),
    ],
)
def test_bot_plays_even_if_the_pool_is_busy(busy: list[str], asked: list[tuple[str, str]]) -> None:
    pool = Pool(*busy)
    assert choose(pool, "line-runner", "level:9") in nl.book("line-runner").moves(nl.book("line-runner").start())
    assert pool.asked == asked


def test_search_stops_at_its_time_limit() -> None:
    book, done = nl.book("line-runner"), list[float]()
    bot = make_bot("mcts:5000", book, Random(1))
    assert isinstance(bot, MctsBot)
    bot.limit_s = 0.02
    bot.progress = done.append
    bot.choose(book.start())
    assert 0 < len(done) < 5_000
