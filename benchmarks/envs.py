"""Speed of the environments, each compared with an alternative in the same run.

Every round measures both sides of a ratio; the tables show medians over rounds. All actions are legal. Except in random
self-play, they are recorded in advance and replayed.

- Random self-play: `VectorEnv.sample` and `VectorEnv.step`, compared with the same game for Pgx, jitted, in batches of
  1,000, 10,000 and 100,000 games.
- `VectorEnv.step`, compared with the same game for Pgx, both with one call per step (as in training) and with one call
  for all steps.
- The time until a variant with a million positions is ready, relative to solving it.
- `VectorEnv.step` with a batch of 10,000, in self-play and against a random bot, compared with Gymnasium's
  `SyncVectorEnv` of the same number of single environments.
- The single environment with a random opponent, compared with a minimal hand-written version without action masks.
- The PettingZoo environment, compared with PettingZoo's tictactoe, each made by `pettingzoo.make` and observed before
  every step. Tictactoe imports pygame for rendering; if it is missing, an empty module replaces it.
"""

from __future__ import annotations

import importlib.util
import os
import random
import statistics
import sys
import tempfile
import time
import types
import unittest.mock
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pettingzoo
from gymnasium.vector import SyncVectorEnv
from rich.table import Table

import numberline as nl
import numberline.envs.pettingzoo
from numberline.envs import BookEnv, VectorEnv, env_id
from numberline.solver import cache
from tables import show

BATCH = 10_000
STEPS = 60
ROUNDS = 9
GAMES = 400


class BareFlagChase:
    """Minimal hand-written Flag Chase: one seat, a random opponent, no action mask, no options."""

    def __init__(self) -> None:
        self.rng = random.Random()

    def reset(self, seed: int | None = None) -> tuple[Any, dict[str, Any]]:
        if seed is not None:
            self.rng.seed(seed)
        self.own, self.other = 0, 10
        return np.array([self.own, self.other], np.int16), {}

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        reward = 0.0
        self.own += action + 1
        if self.own > 5:
            reward = -1.0
        elif self.own == 5:
            reward = 1.0
        else:
            self.other -= self.rng.choice([step for step in (1, 2, 3) if self.other - step >= 5])
            if self.other == 5:
                reward = -1.0
        return np.array([self.own, self.other], np.int16), reward, reward != 0, False, {}


def recorded(envs: Any, steps: int) -> list[Any]:
    """Return random legal actions for `steps` steps after a reset with seed 1."""
    rng = np.random.default_rng(2)
    observations, _ = envs.reset(seed=1)
    actions = []
    for _ in range(steps):
        mask = observations["action_mask"]
        actions.append((rng.random(mask.shape) * mask).argmax(axis=1))
        observations, *_ = envs.step(actions[-1])
    return actions


def vector_rate(envs: Any, actions: list[Any]) -> Callable[[], float]:
    """Return a function that measures steps per second of a vector environment while it replays `actions`."""

    def measure() -> float:
        envs.reset(seed=1)
        began = time.perf_counter()
        for action in actions:
            envs.step(action)
        return BATCH * len(actions) / (time.perf_counter() - began)

    return measure


def single_rate(env: Any, actions: Sequence[int]) -> Callable[[], float]:
    """Return a function that measures steps per second of a single environment, including resets."""

    def measure() -> float:
        env.reset(seed=1)
        began = time.perf_counter()
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return len(actions) / (time.perf_counter() - began)

    return measure


def turns_of_games(env: Any) -> list[list[int | None]]:
    """Return the actions of random games, one list per game."""
    rng = random.Random(3)
    games = []
    for _ in range(GAMES):
        env.reset()
        actions: list[int | None] = []
        for _ in env.agent_iter():
            observation, _, terminated, truncated, _ = env.last()
            legal = np.flatnonzero(observation["action_mask"]).tolist()
            actions.append(None if terminated or truncated else rng.choice(legal))
            env.step(actions[-1])
        games.append(actions)
    return games


def turn_rate(env: Any) -> Callable[[], float]:
    """Return a function that measures turns per second of a PettingZoo environment, including observations."""
    games = turns_of_games(env)

    def measure() -> float:
        began = time.perf_counter()
        for actions in games:
            env.reset()
            for action in actions:
                env.last()
                env.step(action)
        return sum(map(len, games)) / (time.perf_counter() - began)

    return measure


def tictactoe() -> Any:
    """Return PettingZoo's tictactoe environment."""
    if not importlib.util.find_spec("pygame"):
        sys.modules["pygame"] = types.ModuleType("pygame")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # warnings from pygame
        return pettingzoo.make("aec", "classic/tictactoe-v3")


def medians(*ways: Callable[[], float], rounds: int = ROUNDS) -> list[float]:
    """Return the median of each measurement, interleaved so that all see the same load, after a warm-up round."""
    rates = [[way() for way in ways] for _ in range(rounds + 1)][1:]
    return [statistics.median(column) for column in zip(*rates, strict=True)]


def vectors(table: Table, name: str) -> None:
    """Add the row of one book to the table."""
    alone, against = VectorEnv(BATCH, name, opponent="self"), VectorEnv(BATCH, name)
    single = SyncVectorEnv([lambda: BookEnv(name)] * BATCH)
    # A round of the single environments takes as long as a hundred rounds of the others.
    [slow] = medians(vector_rate(single, recorded(single, 3)), rounds=3)
    itself, bot = medians(
        vector_rate(alone, recorded(alone, STEPS)), vector_rate(against, recorded(against, STEPS)), rounds=5 * ROUNDS
    )
    ratios = [f"{rate / slow:,.0f}" for rate in (itself, bot)]
    table.add_row(name, f"{itself / 1e6:,.0f}", f"{bot / 1e6:,.0f}", f"{slow / 1e6:.3f}", *ratios)


def against_pgx() -> Table:
    """Compare with the same game for Pgx: given legal actions, self-play, including resets."""
    from pgx_game import step_rates

    envs = VectorEnv(BATCH, "flag-chase", opponent="self")
    actions = [np.zeros(BATCH, np.int64)] * STEPS
    ours, stepwise, at_once = medians(vector_rate(envs, actions), *step_rates(BATCH, STEPS))
    table = Table("Flag Chase, batch 10,000", "million steps per second", "speed-up of VectorEnv (goal: 5)")
    table.add_row("VectorEnv, one call per step", f"{ours / 1e6:,.1f}", "")
    table.add_row("Pgx on the CPU, one call per step", f"{stepwise / 1e6:,.1f}", f"{ours / stepwise:.1f}")
    table.add_row("Pgx on the CPU, one call for all steps", f"{at_once / 1e6:,.1f}", f"{ours / at_once:.1f}")
    return table


def self_play_rate(games: int, steps: int) -> Callable[[], float]:
    """Return a function that measures steps per second of random self-play."""
    envs = VectorEnv(games, "flag-chase", opponent="self")

    def measure() -> float:
        envs.reset(seed=1)
        began = time.perf_counter()
        for _ in range(steps):
            envs.step(envs.sample())
        return games * steps / (time.perf_counter() - began)

    return measure


def self_play() -> Table:
    """Compare random self-play with Pgx."""
    from pgx_game import self_play_rates

    table = Table(
        "random self-play, batch size",
        "VectorEnv, million steps per second",
        "Pgx, one call per step",
        "Pgx, one call for all",
        "speed-up over Pgx (goal: 3)",
        title="Flag Chase: sampling and stepping",
    )
    for games, steps in ((1_000, 1_000), (10_000, 200), (100_000, 30)):
        ours, stepwise, at_once = medians(self_play_rate(games, steps), *self_play_rates(games, steps), rounds=5)
        rates = [f"{rate / 1e6:,.1f}" for rate in (ours, stepwise, at_once)]
        table.add_row(f"{games:,}", *rates, f"{ours / stepwise:.1f}, {ours / at_once:.1f}")
    return table


def ready() -> Table:
    """Measure the time until a variant with a million positions is ready to play, with the oracle."""
    book = nl.book("line-runner(end=700)")

    def seconds(work: Callable[[], object]) -> Callable[[], float]:
        def measure() -> float:
            cache._SOLUTIONS.clear()  # noqa: SLF001 - a cold cache
            with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, XDG_CACHE_HOME=folder):
                began = time.perf_counter()
                work()
                return time.perf_counter() - began

        return measure

    def opened(opponent: str) -> Callable[[], object]:
        return lambda: VectorEnv(1_000, book, opponent=opponent, oracle=True).reset(seed=1)

    solved, *ours = medians(*map(seconds, (lambda: nl.solve(book), opened("self"), opened("random"))), rounds=5)
    table = Table(f"{book.variant}, with the oracle", "seconds until ready", "relative to solving (goal: under 3)")
    table.add_row("solved", f"{solved:.2f}", "1")
    for name, took in zip(("all seats", "against random"), ours, strict=True):
        table.add_row(name, f"{took:.2f}", f"{took / solved:.1f}")
    return table


def main() -> None:
    if importlib.util.find_spec("pgx"):
        show(self_play(), against_pgx())
    else:
        show('The comparison with Pgx was skipped; to install it: pip install "numberline[bench]"')
    show(ready())
    show(f"Load average: {os.getloadavg()[0]:.2f} on {os.cpu_count()} CPUs")
    columns = ("book", "all seats", "vs random", "Sync", "all / Sync", "random / Sync")
    table = Table(*columns, title="VectorEnv.step, batch 10,000, million steps per second")
    for name in nl.NAMES:
        vectors(table, name)
    show(table)

    actions = [0] * 30_000  # a step of 1, which is always legal
    bare, ours = medians(single_rate(BareFlagChase(), actions), single_rate(BookEnv("flag-chase"), actions))
    table = Table("single environment, Flag Chase", "steps per second", "relative to bare")
    table.add_row("bare, hand-written", f"{bare:,.0f}", "1")
    table.add_row("BookEnv", f"{ours:,.0f}", f"{ours / bare:.2f}")
    show(table)

    table = Table("PettingZoo", "turns per second", "relative to tictactoe")
    theirs = turn_rate(tictactoe())
    for name in nl.NAMES:
        peer, own = medians(theirs, turn_rate(pettingzoo.make("aec", env_id(name))))
        table.add_row(name, f"{own:,.0f}", f"{own / peer:.1f}")
    show(table)


if __name__ == "__main__":
    main()
