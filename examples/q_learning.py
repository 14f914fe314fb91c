"""Tabular Q-learning: an agent that learns Flag Chase by self-play, evaluated against the exact solution.

    python examples/q_learning.py --episodes 400

In plain NumPy: a table with the value of each move in each position, for the player who makes the move. The game is
zero-sum, so the value of a move is minus the value of the best reply. The regret of the agent's preferred moves,
averaged over all positions, falls to zero. The last line is the win rate against a bot, which needs the extra `envs`.
"""

from __future__ import annotations

import argparse
import importlib.util
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import numberline as nl

LEARNING_RATE, DISCOUNT, EXPLORATION = 0.5, 0.9, 0.3
ILLEGAL_VALUE = -np.inf


class Game:
    """A book as arrays with one row per position: successors, winners and the regret of each move."""

    def __init__(self, variant: str) -> None:
        self.book = nl.book(variant)
        arrays = nl.solve(self.book).arrays
        self.moves, self.number = arrays.moves, arrays.number
        self.after, self.legal, self.regret = arrays.after, arrays.legal, arrays.regret
        self.mover, self.winner = arrays.mover, arrays.winner
        self.live = np.flatnonzero(arrays.live)
        """Rows of the reachable positions in which the game is not over."""
        self.starts = [arrays.number(start) for start in self.book.starts()]


class Measure(NamedTuple):
    """Regret per move after `episode` games: the mean over all reachable positions, and for the first move."""

    episode: int
    regret: float
    from_start: float


def train(game: Game, episodes: int, seed: int, every: int = 20) -> tuple[NDArray[np.float64], list[Measure]]:
    """Return the learned move values, and the agent's regret every `every` games."""
    rng = np.random.default_rng(seed)
    worth = np.where(game.legal, 0.0, ILLEGAL_VALUE)
    measures = [measure(game, worth, 0)]
    for episode in range(1, episodes + 1):
        play(game, worth, rng, start=game.starts[episode % 2])
        if episode % every == 0 or episode == episodes:
            measures.append(measure(game, worth, episode))
    return worth, measures


def play(game: Game, worth: NDArray[np.float64], rng: np.random.Generator, start: int) -> None:
    """Play one game against itself, updating the value of every move played."""
    here = start
    while not game.winner[here]:
        legal = np.flatnonzero(game.legal[here])
        favourite = rng.choice(np.flatnonzero(worth[here] == worth[here].max()))
        move = rng.choice(legal) if rng.random() < EXPLORATION else favourite
        there = game.after[here, move]
        if game.winner[there]:
            target = 1.0 if game.winner[there] == game.mover[here] else -1.0
        else:
            target = -DISCOUNT * worth[there].max()
        worth[here, move] += LEARNING_RATE * (target - worth[here, move])
        here = there


def measure(game: Game, worth: NDArray[np.float64], episode: int) -> Measure:
    """Return the regret of the agent's preferred moves; ties count with their mean regret."""
    favoured = worth == worth.max(axis=1, keepdims=True)
    favoured &= game.legal
    each = (game.regret * favoured).sum(axis=1) / np.maximum(1, favoured.sum(axis=1))
    return Measure(episode, float(each[game.live].mean()), float(each[game.starts].mean()))


def win_rate(game: Game, worth: NDArray[np.float64], opponent: str, games: int = 500, seed: int = 1) -> float:
    """Return the agent's win rate against a bot, with alternating seats."""
    from numberline.envs import BookEnv

    env = BookEnv(game.book, opponent=opponent, seat="alternate")
    env.reset(seed=seed)
    won = 0
    for _ in range(games):
        over = False
        while not over:
            favourite = worth[game.number(env.position), : len(game.book.choices)].argmax()
            _, reward, terminated, truncated, _ = env.step(favourite)
            over = terminated or truncated
        won += reward > 0
        env.reset()
    return won / games


def main() -> None:
    """Train the agent and print its regret over time."""
    parser = argparse.ArgumentParser(description="Learn perfect play by tabular Q-learning.")
    parser.add_argument("--variant", default="flag-chase", help="a book or variant for two players")
    parser.add_argument("--opponent", default="random", help="name of the bot to evaluate against")
    parser.add_argument("--episodes", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    game = Game(options.variant)
    worth, measures = train(game, options.episodes, options.seed)
    for at in measures:
        print(  # noqa: T201 - the result
            f"after {at.episode:5} games: regret {at.regret:.3f} per move, {at.from_start:.3f} for the first move"
        )
    if importlib.util.find_spec("gymnasium"):
        won = win_rate(game, worth, options.opponent)
        print(f"{game.book.variant} against {options.opponent}: {won:.1%} won")  # noqa: T201 - the same


if __name__ == "__main__":
    main()
