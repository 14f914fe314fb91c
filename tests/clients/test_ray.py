"""RLlib's own module for masked actions with the environments, by the lines that the documentation has."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="`make soak` installs the clients")

pytestmark = pytest.mark.soak
PAGE = Path(__file__).parents[2] / "docs" / "environments.md"


def lines_of_the_page() -> str:
    """The block of the page that makes an environment for RLlib."""
    blocks: list[str] = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    return next(block for block in blocks if "def for_rllib" in block)


def test_rllib_trains_with_masked_actions() -> None:
    import ray
    from ray.rllib.algorithms.ppo import PPOConfig
    from ray.rllib.core.rl_module.rl_module import RLModuleSpec
    from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

    names: dict[str, Any] = {}
    exec(lines_of_the_page(), names)  # noqa: S102 - our own page
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    try:
        config = (
            PPOConfig()
            .environment("flag_chase")
            .env_runners(num_env_runners=1, rollout_fragment_length=64)
            .training(train_batch_size_per_learner=128, minibatch_size=64, num_epochs=1)
            .rl_module(rl_module_spec=RLModuleSpec(module_class=ActionMaskingTorchRLModule))
        )
        algorithm = config.build_algo()
        results = [algorithm.train() for _ in range(2)]
        assert results[-1]["env_runners"]["num_env_steps_sampled_lifetime"] >= 256
        algorithm.stop()
    finally:
        ray.shutdown()
