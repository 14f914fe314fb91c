"""Masked PPO: a network that learns a book by playing a bot, evaluated against the exact solution.

    pip install "numberline[envs]" sb3-contrib
    python examples/masked_ppo.py --book flag-chase --opponent random --steps 20000

The algorithm is `MaskablePPO` from sb3-contrib, which gets the action masks from the environment. The script prints the
network's win rate against the bot and its regret per move, both in those games and over all positions of the book.
"""

from __future__ import annotations

import argparse
from typing import Any, NamedTuple

import gymnasium
import numpy as np

import numberline as nl
from numberline.envs.observation import ObservationEncoder

ENV = "numberline.envs:numberline/Book-v0"
GAMES = 500


class Row(NamedTuple):
    """Evaluation of a network; `regret` is measured in games, `everywhere` over all positions."""

    book: str
    opponent: str
    steps: int
    won: float
    regret: float
    everywhere: float

    def __str__(self) -> str:
        return (
            f"{self.book} against {self.opponent} after {self.steps} steps: {self.won:.1%} won, "
            f"regret {self.regret:.3f} per move in these games, {self.everywhere:.3f} over all positions"
        )


def train(book: str, opponent: str, steps: int, seed: int) -> Any:
    """Return a network trained for `steps` steps."""
    from sb3_contrib import MaskablePPO

    env = gymnasium.make(ENV, book=book, opponent=opponent, seat="alternate")
    model = MaskablePPO("MultiInputPolicy", env, seed=seed, n_steps=512, batch_size=128, learning_rate=1e-3, gamma=1.0)
    model.learn(steps)
    return model


def measure(model: Any, book: str, opponent: str, steps: int, seed: int) -> Row:
    """Play games with the network's preferred moves and return its evaluation."""
    env: Any = gymnasium.make(ENV, book=book, opponent=opponent, seat="alternate", oracle=True).unwrapped
    observation, _ = env.reset(seed=seed)
    games = won = 0
    regrets = []
    while games < GAMES:
        action, _ = model.predict(observation, action_masks=env.action_masks(), deterministic=True)
        observation, reward, terminated, truncated, info = env.step(action)
        regrets.append(info["regret"])
        if terminated or truncated:
            games, won = games + 1, won + (reward > 0)
            observation, _ = env.reset()
    return Row(book, opponent, steps, won / games, float(np.mean(regrets)), regret_everywhere(model, book))


def regret_everywhere(model: Any, book: str) -> float:
    """Return the mean regret of the network's preferred moves over all positions with a choice."""
    game = nl.book(book)
    arrays, observer = nl.solve(game).arrays, ObservationEncoder(game)
    legal = arrays.legal[:, : arrays.choices]
    rows = np.flatnonzero(arrays.live & legal.any(axis=1))
    views = np.stack([observer.rows(arrays.positions, player, arrays.size) for player in game.players])
    observations = {"observation": views[arrays.mover[rows] - 1, rows], "action_mask": legal[rows].astype(np.int8)}
    actions, _ = model.predict(observations, action_masks=legal[rows], deterministic=True)
    return float(arrays.regret[rows, actions].mean())


def main() -> None:
    """Train a network and print its evaluation."""
    parser = argparse.ArgumentParser(
        description="Train masked PPO on a book and evaluate it against the exact solution."
    )
    parser.add_argument("--book", default="flag-chase", help="a book or variant")
    parser.add_argument("--opponent", default="random", help="name of a bot")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    model = train(options.book, options.opponent, options.steps, options.seed)
    print(measure(model, options.book, options.opponent, options.steps, options.seed))  # noqa: T201 - the result


if __name__ == "__main__":
    main()
