"""A network that learns a book by masked PPO against a bot, measured with the exact truth of every position.

    pip install "numberline[envs]" sb3-contrib
    python examples/masked_ppo.py --book flag-chase --opponent random --steps 20000

Stable-Baselines3's contrib has the algorithm; it asks the environment for its masks. What is printed is one row: how
often the network wins against the bot, and what its moves give away, in games and over all positions of the book.
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
    """How well a network plays."""

    book: str
    opponent: str
    steps: int
    won: float
    """The share of the games that it wins against the bot, the seats taken in turns."""
    regret: float
    """The points that it gives away a move in these games."""
    everywhere: float
    """The same over all positions that can be reached, whoever is to move."""

    def __str__(self) -> str:
        return (
            f"{self.book} against {self.opponent} after {self.steps} steps: {self.won:.1%} won, "
            f"regret {self.regret:.3f} a move in these games, {self.everywhere:.3f} over all positions"
        )


def train(book: str, opponent: str, steps: int, seed: int) -> Any:
    """A network that has played so many steps."""
    from sb3_contrib import MaskablePPO

    env = gymnasium.make(ENV, book=book, opponent=opponent, seat="alternate")
    model = MaskablePPO("MultiInputPolicy", env, seed=seed, n_steps=512, batch_size=128, learning_rate=1e-3, gamma=1.0)
    model.learn(steps)
    return model


def measure(model: Any, book: str, opponent: str, steps: int, seed: int) -> Row:
    """How well it plays the moves that it holds for the best."""
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
    """What its moves give away on average over all positions of a book in which there is a choice."""
    game = nl.book(book)
    arrays, observer = nl.solve(game).arrays, ObservationEncoder(game)
    legal = arrays.legal[:, : arrays.choices]
    rows = np.flatnonzero(arrays.live & legal.any(axis=1))
    every = np.stack([observer.rows(arrays.positions, player, arrays.size) for player in game.players])
    shown = {"observation": every[arrays.mover[rows] - 1, rows], "action_mask": legal[rows].astype(np.int8)}
    actions, _ = model.predict(shown, action_masks=legal[rows], deterministic=True)
    return float(arrays.regret[rows, actions].mean())


def main() -> None:
    """Trains and prints the row."""
    parser = argparse.ArgumentParser(description="Masked PPO on a book, measured against the truth.")
    parser.add_argument("--book", default="flag-chase", help="a book or variant")
    parser.add_argument("--opponent", default="random", help="a bot by name")
    parser.add_argument("--steps", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    model = train(asked.book, asked.opponent, asked.steps, asked.seed)
    print(measure(model, asked.book, asked.opponent, asked.steps, asked.seed))  # noqa: T201 - this is what it is run for


if __name__ == "__main__":
    main()
