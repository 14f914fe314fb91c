"""Stable-Baselines3 and Tianshou with the environments, as their own users would write it."""

from __future__ import annotations

import importlib.util
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv
from gymnasium.wrappers import RecordVideo, TransformObservation

from numberline.envs import env_id
from numberline.envs.pettingzoo import env as table_of

torch = pytest.importorskip("torch", reason="`make soak` installs the clients")
sb3 = pytest.importorskip("sb3_contrib", reason="`make soak` installs the clients")
tianshou = pytest.importorskip("tianshou", reason="`make soak` installs the clients")

pytestmark = pytest.mark.soak
EXAMPLES = Path(__file__).parents[2] / "examples"
FLAG_CHASE = "numberline.envs:numberline/FlagChase-v0"
torch.set_num_threads(1)


@pytest.fixture(scope="module")
def example() -> ModuleType:
    spec = importlib.util.spec_from_file_location("masked_ppo", EXAMPLES / "masked_ppo.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_maskable_ppo_learns_flag_chase(example: ModuleType) -> None:
    untaught, taught = (example.train("flag-chase", "random", steps, seed=1) for steps in (0, 4_096))
    before = example.measure(untaught, "flag-chase", "random", 0, seed=1)
    after = example.measure(taught, "flag-chase", "random", 4_096, seed=1)
    assert before.won < 0.6
    assert after.won > 0.8
    assert after.everywhere < 0.1 < before.everywhere


def test_maskable_ppo_learns_in_worker_processes() -> None:
    from stable_baselines3.common.vec_env import SubprocVecEnv

    envs = SubprocVecEnv([partial(gymnasium.make, FLAG_CHASE) for _ in range(2)], start_method="spawn")
    try:
        model = sb3.MaskablePPO("MultiInputPolicy", envs, seed=1, n_steps=32, batch_size=32, n_epochs=1)
        model.learn(128)
        assert model.num_timesteps >= 128
    finally:
        envs.close()


@pytest.mark.parametrize("name", ["line-runner", "number-line-sprint"])
def test_gymnasium_writes_a_video(name: str, tmp_path: Path) -> None:
    env: Any = RecordVideo(gymnasium.make(env_id(name), render_mode="rgb_array"), str(tmp_path))
    for seed in range(2):
        observation, _ = env.reset(seed=seed)
        over = False
        while not over:
            action = np.flatnonzero(observation["action_mask"])[-1]
            observation, _, terminated, truncated, _ = env.step(action)
            over = terminated or truncated
    env.close()
    assert [path.suffix for path in tmp_path.iterdir() if path.stat().st_size] == [".mp4"] * 2


def test_gymnasium_worker_processes_find_the_ids() -> None:
    envs: Any = AsyncVectorEnv([partial(gymnasium.make, FLAG_CHASE)] * 2, context="spawn")
    observations, _ = envs.reset(seed=1)
    observations, *_ = envs.step(np.argmax(observations["action_mask"], axis=1))
    assert observations["observation"].shape == (2, 3)
    envs.close()


def for_tianshou(env: Any) -> Any:
    """The keys that Tianshou looks for."""
    shown = env.observation_space
    named = spaces.Dict({"obs": shown["observation"], "mask": spaces.MultiBinary(int(env.action_space.n))})
    return TransformObservation(env, lambda seen: {"obs": seen["observation"], "mask": seen["action_mask"] == 1}, named)


def dqn(numbers: int, actions: Any) -> Any:
    """A small DQN."""
    from tianshou.algorithm.modelfree.dqn import DQN, DiscreteQLearningPolicy
    from tianshou.algorithm.optim import AdamOptimizerFactory
    from tianshou.utils.net.common import Net

    net = Net(state_shape=numbers, action_shape=int(actions.n), hidden_sizes=[32, 32])
    policy = DiscreteQLearningPolicy(model=net, action_space=actions, eps_training=0.2, eps_inference=0.05)
    return DQN(policy=policy, optim=AdamOptimizerFactory(lr=1e-3), target_update_freq=50)


def test_tianshou_runs_on_gymnasium() -> None:
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv

    envs = DummyVectorEnv([lambda: for_tianshou(gymnasium.make(FLAG_CHASE, oracle=True)) for _ in range(4)])
    algorithm = dqn(3, envs.action_space[0])
    collector: Any = Collector(algorithm, envs, VectorReplayBuffer(2_000, 4), exploration_noise=True)
    collector.reset()
    assert collector.collect(n_step=400).n_collected_steps >= 400
    with tianshou.utils.torch_utils.policy_within_training_step(algorithm.policy):
        losses = [algorithm.update(buffer=collector.buffer, sample_size=32).loss for _ in range(5)]
    assert np.isfinite(losses).all()


def test_tianshou_runs_on_pettingzoo() -> None:
    from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
    from tianshou.data import Collector, VectorReplayBuffer
    from tianshou.env import DummyVectorEnv
    from tianshou.env.pettingzoo_env import PettingZooEnv

    def made() -> Any:
        return PettingZooEnv(table_of("flag-chase"))

    envs, first = DummyVectorEnv([made for _ in range(3)]), made()
    players = [dqn(3, first.action_space) for _ in first.agents]
    together = MultiAgentOffPolicyAlgorithm(algorithms=players, env=first)
    collector: Any = Collector(together, envs, VectorReplayBuffer(2_000, 3), exploration_noise=True)
    collector.reset()
    assert collector.collect(n_episode=30).n_collected_episodes >= 30
    with tianshou.utils.torch_utils.policy_within_training_step(together.policy):
        assert together.update(buffer=collector.buffer, sample_size=32) is not None
