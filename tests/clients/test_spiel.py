"""OpenSpiel's AlphaZero, whose actors are processes that know nothing of the books."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("flax", reason="`make soak` installs the clients")
pyspiel = pytest.importorskip("pyspiel", reason="`make soak` installs the clients")

from numberline.envs import openspiel  # noqa: E402 - only where OpenSpiel is

pytestmark = pytest.mark.soak


def test_alpha_zero_actors_start_and_play(tmp_path: Path) -> None:
    from open_spiel.python.algorithms.alpha_zero import alpha_zero

    openspiel.register()
    wanted: dict[str, object] = {
        "game": "python_flag_chase",
        "path": str(tmp_path),
        "learning_rate": 0.01,
        "weight_decay": 1e-4,
        "decouple_weight_decay": True,
        "train_batch_size": 8,
        "replay_buffer_size": 64,
        "replay_buffer_reuse": 2,
        "max_steps": 1,
        "checkpoint_freq": 1,
        "actors": 1,
        "evaluators": 0,
        "uct_c": 1,
        "max_simulations": 4,
        "policy_alpha": 0.25,
        "policy_epsilon": 1,
        "temperature": 1,
        "temperature_drop": 4,
        "evaluation_window": 5,
        "eval_levels": 2,
        "nn_model": "mlp",
        "nn_width": 16,
        "nn_depth": 1,
        "observation_shape": None,
        "output_size": None,
        "verbose": False,
        "quiet": True,
    }
    alpha_zero.alpha_zero(alpha_zero.Config(**wanted))
    assert "Game 1" in (tmp_path / "log-actor-0.txt").read_text()
