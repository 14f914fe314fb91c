"""Copies and pickles of environments and bots."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from random import Random
from typing import Any

import numpy as np
import pytest

import numberline as nl
from numberline.bots import make_bot
from numberline.bots.external import ExternalBot
from numberline.envs import BookEnv, TextEnv
from numberline.envs.pettingzoo import BookAEC
from numberline.game.graph import PositionGraph

BOTS = ("random", "greedy", "level:3", "perfect", "slip:20", "sight:2", "mcts:20")


def pickled(thing: Any) -> Any:
    """Return the object after pickling and unpickling."""
    return pickle.loads(pickle.dumps(thing))  # noqa: S301 - our own


WAYS = (pickled, copy.deepcopy)


def dice(seed: int) -> Random:
    """Return a random generator with a fixed seed."""
    return Random(seed)


def trace(env: BookEnv, rng: np.random.Generator, steps: int = 40) -> list[Any]:
    """Return the results of random legal actions; a game that ends is followed by another."""
    results = []
    for _ in range(steps):
        observation, *rest, info = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
        results.append(
            (observation["observation"].tolist(), *rest, {**info, "action_mask": info["action_mask"].tolist()})
        )
        if rest[1] or rest[2]:
            env.reset()
    return results


@pytest.mark.parametrize("again", WAYS)
@pytest.mark.parametrize("opponent", [*BOTS, "self"])
def test_copied_env_continues_alike_and_independently(opponent: str, again: Any) -> None:
    env = BookEnv("line-runner", opponent=opponent, seat="alternate")
    env.reset(seed=3)
    trace(env, np.random.default_rng(1))
    twin = again(env)
    ours = trace(env, np.random.default_rng(2))
    assert ours == trace(twin, np.random.default_rng(2))


@pytest.mark.parametrize("again", WAYS)
def test_copied_env_has_its_oracle(again: Any) -> None:
    env = BookEnv("flag-chase", opponent="greedy", oracle=True)
    env.reset(seed=1)
    *_, info = again(env).step(0)
    assert (info["value"], info["regret"]) == (-1, 2)


@pytest.mark.parametrize("variant", ["flag-chase", "line-runner(end=60)"])
def test_copied_env_shares_the_position_graph(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    env = BookEnv(variant, opponent="level:3", oracle=True)
    env.reset(seed=1)
    env.step(int(np.argmax(env.action_masks())))

    def refuse(*_: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(PositionGraph, "__init__", refuse)
    monkeypatch.setattr(nl.Book, "__init__", refuse)
    twin = copy.deepcopy(env)
    assert twin._node is env._node
    assert twin.book is env.book


@pytest.mark.parametrize("again", WAYS)
def test_copied_aec_continues_independently(again: Any) -> None:
    table = BookAEC("flag-chase")
    table.reset()
    table.step(2)
    twin = again(table)
    table.step(0)
    twin.step(2)
    assert [each.observe("player_1")["observation"].tolist() for each in (table, twin)] == [[1, 3, 9], [1, 3, 7]]
    twin.step(1)
    assert (twin.rewards["player_1"], table.rewards["player_1"]) == (1.0, 0.0)


@pytest.mark.parametrize("again", WAYS)
def test_copied_text_env_continues_alike_and_independently(again: Any) -> None:
    env = TextEnv("flag-chase", opponent="random", oracle=True)
    env.reset(seed=5)
    env.step("[1]")
    twin = again(env)
    assert env.step("[1]") == twin.step("[1]")
    env.step("[1]")
    assert twin.match.length < env.match.length


@pytest.mark.parametrize("again", WAYS)
@pytest.mark.parametrize("name", BOTS)
def test_copied_bot_chooses_alike(name: str, again: Any) -> None:
    book = nl.book("line-runner")
    bot = make_bot(name, book, dice(4))
    bot.choose(book.start())
    twin = again(bot)
    positions = nl.solve(book).live[:40]
    assert [bot.choose(position) for position in positions] == [twin.choose(position) for position in positions]


@pytest.mark.parametrize("again", WAYS)
def test_copied_external_bot_starts_its_own_process(again: Any) -> None:
    book = nl.book("flag-chase")
    bot = make_bot(f"exec:{sys.executable} -m numberline engine --bot greedy", book, dice(1))
    assert isinstance(bot, ExternalBot)
    assert bot.choose(book.start()) == "3"
    twin = again(bot)
    alone = twin.process
    try:
        assert alone is None
        assert twin.choose(book.start()) == "3"
        assert bot.process
        assert twin.process is not bot.process
    finally:
        bot.close()
        twin.close()


def test_env_unpickles_in_a_fresh_process() -> None:
    env = BookEnv("line-runner(end=9)", opponent="perfect", oracle=True)
    env.reset(seed=1)
    program = (
        "import pickle, sys; env = pickle.load(sys.stdin.buffer); print(env.step(0)[-1]['value'], env.book.variant)"
    )
    done = subprocess.run([sys.executable, "-c", program], input=pickle.dumps(env), capture_output=True, check=True)
    assert done.stdout.decode().split() == [str(env.step(0)[-1]["value"]), "line-runner(end=9)"]
