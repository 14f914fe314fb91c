"""PettingZoo environments."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, seed_test

import numberline as nl
from numberline.envs import env_id
from numberline.envs.observation import ObservationEncoder
from numberline.envs.pettingzoo import BookAEC, env
from support.variants import EVERY


def begun(variant: str, **options: Any) -> BookAEC:
    """Return an environment after its first reset."""
    table = env(variant, **options)
    table.reset()
    return table


@pytest.mark.parametrize("variant", EVERY)
def test_pettingzoo_api_test_passes(variant: str) -> None:
    with warnings.catch_warnings():
        # PettingZoo warns about every dict observation, unless the name of the environment is on its list.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        # It looks at the mask of an agent whose game is over, too.
        warnings.filterwarnings("ignore", r"Action mask numpy array is all zeros \(no legal actions\)")
        api_test(env(variant), num_cycles=60)


@pytest.mark.parametrize("name", nl.NAMES)
def test_pettingzoo_seed_test_passes(name: str) -> None:
    seed_test(lambda: env(name), num_cycles=60)


@pytest.mark.parametrize("name", nl.NAMES)
def test_books_are_in_pettingzoo_registry(name: str) -> None:
    made = pettingzoo.make("aec", env_id(name))
    assert isinstance(made, BookAEC)
    assert made.book == nl.book(name)
    assert str(made) == f"{name.replace('-', '_')}_v0"


def test_any_variant_is_in_pettingzoo_registry() -> None:
    made = pettingzoo.make("aec", "numberline/Book-v0", book="line-runner(end=30)", max_plies=7)
    assert made.book.variant == "line-runner(end=30)"


@pytest.mark.parametrize("variant", EVERY)
def test_games_agree_with_the_engine(variant: str) -> None:
    book, rng = nl.book(variant), np.random.default_rng(3)
    table, observer = env(book, max_plies=80), ObservationEncoder(book)
    for _ in range(3):
        table.reset()
        position, plies = book.start(), 0
        rewards = dict.fromkeys(table.possible_agents, 0.0)
        for agent in table.agent_iter():
            observation, reward, terminated, truncated, _ = table.last()
            rewards[agent] += reward
            if terminated or truncated:
                table.step(None)
                continue
            seat = table.possible_agents.index(agent) + 1
            legal = [table.actions[n] for n in np.flatnonzero(observation["action_mask"])]
            assert seat == position.turn
            assert observation["observation"].tolist() == observer.row(position, seat).tolist()
            assert legal == list(book.moves(position))
            move = str(rng.choice(legal))
            table.step(table.actions.index(move))
            position, plies = book.after(position, move), plies + 1
        outcome = book.outcome(position)
        assert outcome or plies == 80
        won = outcome.winner if outcome else 0
        assert list(rewards.values()) == [
            (1 if seat == won else -1) if won else 0 for seat in range(1, len(rewards) + 1)
        ]


def test_lost_turn_is_an_action() -> None:
    table = begun("reach-the-edge(steps=2)")
    table.step(0)
    assert table.agent_selection == "player_2"
    assert [table.actions[n] for n in np.flatnonzero(table.observe("player_2")["action_mask"])] == ["pass"]
    table.step(1)
    assert table.agent_selection == "player_1"


def test_player_who_is_out_has_no_turns() -> None:
    table = begun("number-reach(players=3, target=11)")
    asked = []
    for move in ("*2", "*2", "*2", "*2", "+1", "+1", "+1"):
        asked.append(table.agent_selection)
        table.step(table.actions.index(move))
    assert asked == [f"player_{number}" for number in (1, 2, 3, 1, 2, 3, 2)]
    assert table.rewards == {"player_1": -1.0, "player_2": 1.0, "player_3": -1.0}


def test_mask_is_empty_for_waiting_agent() -> None:
    table = begun("flag-chase")
    assert table.observe("player_1")["action_mask"].tolist() == [1, 1, 1, 0]
    assert table.observe("player_2")["action_mask"].tolist() == [0, 0, 0, 0]
    assert table.observe("player_2")["observation"].tolist() == [2, 10, 0]


@pytest.mark.parametrize(
    ("variant", "rewards"),
    [("flag-chase", [-1.0, 1.0]), ("number-reach(players=3)", [-1.0, 0.0, 0.0])],
)
def test_illegal_action_loses_with_reason_in_info(variant: str, rewards: list[float]) -> None:
    table = begun(variant)
    table.step(len(table.actions) - 1)
    assert list(table.rewards.values()) == rewards
    assert all(table.terminations.values())
    info: dict[str, Any] = table.infos["player_1"]
    assert {tuple(info) for info in table.infos.values()} == {("reason", "illegal")}
    assert info["illegal"].startswith("pass is not allowed here: you lose a turn only when you have no move.")


def test_illegal_action_raises_and_changes_nothing() -> None:
    table = begun("flag-chase", illegal="raise")
    with pytest.raises(nl.IllegalMove, match="pass is not allowed here"):
        table.step(3)
    assert table.observe("player_1")["action_mask"].tolist() == [1, 1, 1, 0]


def test_infos_always_have_the_same_keys() -> None:
    table = begun("flag-chase")
    keys = {tuple(info) for info in table.infos.values()}
    for action in (2, 2, 1):
        table.step(action)
        keys |= {tuple(info) for info in table.infos.values()}
    assert keys == {("reason", "illegal")}
    assert table.infos["player_2"]["reason"] == "Player 1 reached 5."


def test_images_and_texts_show_the_position() -> None:
    assert begun("flag-chase", render_mode="ansi").render().startswith("0(P1) 1 2")
    assert begun("flag-chase", render_mode="rgb_array").render().ndim == 3
    assert begun("flag-chase").render() is None
