"""The examples run: the small agent learns to play perfectly, and says so."""

from __future__ import annotations

import importlib.util
import random
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import numberline as nl
from numberline.bots import make_bot

Q_LEARNING = Path(__file__).parents[2] / "examples" / "q_learning.py"


@pytest.fixture(scope="module")
def agent() -> ModuleType:
    spec = importlib.util.spec_from_file_location("q_learning", Q_LEARNING)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_q_learning_solves_flag_chase(agent: ModuleType) -> None:
    game = agent.Game("flag-chase")
    worth, measures = agent.train(game, episodes=400, seed=1)
    assert measures[0].regret > 0.4
    assert measures[0].from_start > 0.6
    assert measures[-1].regret == measures[-1].from_start == 0
    perfect = make_bot("perfect", game.book, random.Random(1))
    for first in (1, 2):
        match = nl.Match(game.book, first)
        while not match.outcome:
            favourite = game.moves[int(np.argmax(worth[game.number(match.position)]))]
            match.play(favourite if match.turn == first else perfect.choose(match.position))
        assert match.outcome.winner == first


def test_learned_policy_wins_games(agent: ModuleType) -> None:
    pytest.importorskip("gymnasium")
    game = agent.Game("flag-chase")
    knowing, _ = agent.train(game, episodes=400, seed=1)
    ignorant = np.where(game.legal, 0.0, agent.ILLEGAL_VALUE)
    assert agent.win_rate(game, knowing, "perfect") == 0.5  # whoever begins has won
    assert agent.win_rate(game, knowing, "random") > agent.win_rate(game, ignorant, "random") + 0.1


@pytest.mark.parametrize("seed", range(5))
def test_q_learning_succeeds_with_any_seed(agent: ModuleType, seed: int) -> None:
    assert agent.train(agent.Game("flag-chase"), episodes=500, seed=seed)[1][-1].regret == 0


def test_same_seed_learns_the_same(agent: ModuleType) -> None:
    game = agent.Game("flag-chase")
    assert agent.train(game, 60, seed=3)[1] == agent.train(game, 60, seed=3)[1]


def test_regret_agrees_with_the_solver(agent: ModuleType) -> None:
    game = agent.Game("line-runner(end=8)")
    solution, points = nl.solve(game.book), {"win": 1, "endless": 0, "loss": -1}
    assert len(game.live) == len(solution.live)
    for position in solution.live:
        for move, after in game.book.successors(position):
            lost = points[solution.value(position)] - solution.worth(after, position.turn).points
            assert game.regret[game.number(position), game.moves.index(move)] == lost


def test_q_learning_script_prints_falling_regret() -> None:
    ran = subprocess.run(
        [sys.executable, str(Q_LEARNING), "--episodes", "200"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    lines = ran.stdout.splitlines()
    assert lines[0] == "after     0 games: regret 0.439 per move, 0.667 for the first move"
    assert lines[-2] == "after   200 games: regret 0.000 per move, 0.000 for the first move"
    assert lines[-1].startswith("flag-chase against random: ")


@pytest.mark.soak
def test_q_learning_learns_line_runner(agent: ModuleType) -> None:
    measures = agent.train(agent.Game("line-runner"), episodes=40_000, seed=1, every=10_000)[1]
    assert measures[-1].regret < 0.01
