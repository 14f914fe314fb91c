"""Batched play: bots with a known policy play thousands of games at once, with a single array lookup per ply.

The random numbers of a game depend only on the seed, the game number and the ply. A game is therefore the same no
matter which other games are played in the same batch or before it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.arena.results import GameResult, MoveQuality, game_ending
from numberline.arena.schedule import Pairing, Tournament, seat_orders
from numberline.bots import Bot
from numberline.solver.solution import Solution

MAX_BATCH_GAMES = 8_192  # as many as fit in the CPU cache
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

Bits = NDArray[np.uint64]
Floats = NDArray[np.float64]


def splitmix64(words: Bits) -> Bits:
    """Apply the output function of the splitmix64 generator to each word."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def game_keys(seed: int, games: Sequence[int]) -> Bits:
    """Return the random key of each game."""
    base = np.array([seed % (1 << 64)], np.uint64)
    return splitmix64(splitmix64(base + _GOLDEN) + np.array(games, np.uint64) * _GOLDEN)


def random_floats(keys: Bits, ply: int) -> Floats:
    """Return one random number in [0, 1) per game for the given ply."""
    words = splitmix64(keys + np.array([ply + 1], np.uint64) * _GOLDEN)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class BatchTables:
    """Arrays precomputed for batched play of a book: move qualities and bot policies."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.arrays = arrays = solution.arrays
        choice = arrays.legal[:, : arrays.choices].sum(axis=1, keepdims=True) > 1
        parts = [arrays.legal, arrays.best, arrays.regret > 0, arrays.regret]
        self.tallies = np.stack([choice * part for part in parts], axis=2).astype(np.int8)
        """The `MoveQuality` of each move in each position; zero in positions without a choice."""

    def policy(self, bot: Bot) -> Floats:
        """Return the cumulative probabilities of the bot's moves for each position."""
        weights = bot.policy(self.arrays)
        assert weights is not None  # noqa: S101 - only bots with a fixed policy are batched
        probabilities = weights / np.maximum(1, weights.sum(axis=1, keepdims=True))
        sums = np.cumsum(probabilities, axis=1)
        later = probabilities[:, ::-1].cumsum(axis=1)[:, -2::-1]
        sums[:, :-1][later <= 0] = 1.0  # exactly 1 from the last possible move on, despite rounding
        sums[:, -1] = 1.0
        return sums


def play_batch(
    tables: BatchTables, policies: Sequence[Floats], tournament: Tournament, pairing: Pairing, games: Sequence[int]
) -> list[GameResult]:
    """Play several games of one pairing simultaneously and return the results; `policies` has one entry per player."""
    book, arrays = tables.solution.book, tables.arrays
    cumulative, keys = np.stack(policies), game_keys(tournament.seed, games)
    orders = np.array(seat_orders(len(pairing.players)))
    order = (np.array(games) - pairing.first) % len(orders)
    seated = orders[order]
    current = np.full(len(games), arrays.number(book.start()), np.int64)
    tallies = np.zeros((*seated.shape, len(MoveQuality._fields)), np.int64)
    history: list[tuple[NDArray[Any], NDArray[Any]]] = []
    active = np.arange(len(games))
    while len(active) and len(history) < tournament.plies:
        rows = current[active]
        seat = arrays.mover[rows] - 1
        drawn = random_floats(keys[active], len(history))[:, np.newaxis]
        move = (drawn >= cumulative[seated[active, seat], rows]).sum(axis=1)
        tallies[active, seat] += tables.tallies[rows, move]
        current[active] = reached = arrays.after[rows, move]
        history.append((active, move.astype(np.int16)))
        active = active[arrays.winner[reached] == 0]
    names = [tournament.names(pairing.first + number) for number in range(min(len(orders), pairing.size))]
    ending = cache(lambda row: game_ending(book.outcome(arrays.position(row)), tournament.plies))
    moves = _moves_by_game(history, len(games), arrays.moves)
    return [
        GameResult(game, book.variant, names[number], *ending(row), played, tuple(MoveQuality(*one) for one in by_seat))
        for game, number, row, played, by_seat in zip(
            games, order.tolist(), current.tolist(), moves, tallies.tolist(), strict=True
        )
    ]


def _moves_by_game(
    history: Sequence[tuple[NDArray[Any], NDArray[Any]]], games: int, texts: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the moves of each game; each entry of `history` has the games in progress at a ply and their moves."""
    played = np.full((games, len(history)), -1, np.int16)
    for ply, (active, move) in enumerate(history):
        played[active, ply] = move
    lengths = (played >= 0).sum(axis=1).tolist()
    return [tuple([texts[move] for move in row[:length]]) for row, length in zip(played.tolist(), lengths, strict=True)]
