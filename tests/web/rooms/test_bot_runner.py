"""Bots of the server: levels play without a solution if a variant is too large to solve."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

import numberline as nl
from numberline.solver.index import max_positions
from numberline.web.rooms.bot_runner import BotRunner

LARGE = "line-runner(end=3000)"


def encoder_of(variant: str) -> Any:
    book = nl.book(variant)
    return SimpleNamespace(book=book, max_positions=max_positions(book), bots={})


def test_level_in_a_large_variant_searches_or_slips(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    async def search(_: BotRunner, book: nl.Book, bot: str, position: nl.Position) -> str:
        asked.append(bot)
        return book.moves(position)[0]

    monkeypatch.setattr(BotRunner, "_search", search)
    encoder = encoder_of(LARGE)
    with ThreadPoolExecutor(1) as solver:
        monkeypatch.setattr(solver, "submit", lambda *_: pytest.fail("the variant is too large to solve"))
        runner = BotRunner(solver, Random(1))
        for _ in range(30):
            move = asyncio.run(runner.choose_move(encoder, "easy", encoder.book.start()))
            assert move in encoder.book.moves(encoder.book.start())
    assert set(asked) == {"mcts"}
    assert len(asked) < 30


@pytest.mark.parametrize("bot", ["easy", "auto:7", "level:2"])
def test_level_is_valid_in_a_large_variant(bot: str) -> None:
    with ThreadPoolExecutor(1) as solver:
        assert BotRunner(solver, Random(1)).validate_bot(bot, encoder_of(LARGE), 1000) == bot
