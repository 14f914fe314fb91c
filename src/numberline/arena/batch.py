"""Batches of games: bots with a known policy play thousands of games at once, with one look-up per ply for all games.

The random numbers of a game depend only on the seed, the number of the game and the number of the ply. A game is
therefore the same, no matter which other games are played with it or before it.
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

MAX_BATCH_GAMES = 8_192  # as many as fit in a processor's cache
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

Bits = NDArray[np.uint64]
Floats = NDArray[np.float64]


def splitmix64(words: Bits) -> Bits:
    """Return each word mixed as the generator splitmix64 does."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def game_keys(seed: int, games: Sequence[int]) -> Bits:
    """Return the key of each game's random numbers."""
    base = np.array([seed % (1 << 64)], np.uint64)
    return splitmix64(splitmix64(base + _GOLDEN) + np.array(games, np.uint64) * _GOLDEN)


def random_floats(keys: Bits, ply: int) -> Floats:
    """Return a number in [0, 1) for one ply of each game."""
    words = splitmix64(keys + np.array([ply + 1], np.uint64) * _GOLDEN)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class BatchTables:
    """Arrays of a book for batches: the quality of every move, and the policies of bots."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.arrays = arrays = solution.arrays
        choice = arrays.legal[:, : arrays.choices].sum(axis=1, keepdims=True) > 1
        parts = [arrays.legal, arrays.best, arrays.regret > 0, arrays.regret]
        self.tallies = np.stack([choice * part for part in parts], axis=2).astype(np.int8)
        """The `MoveQuality` of each move in each position, zero if there is no choice."""

    def policy(self, bot: Bot) -> Floats:
        """Return the cumulative probabilities of the bot's moves in each position."""
        weights = bot.policy(self.arrays)
        assert weights is not None  # noqa: S101 - only bots with a fixed policy are batched
        probabilities = weights / np.maximum(1, weights.sum(axis=1, keepdims=True))
        sums = np.cumsum(probabilities, axis=1)
        later = probabilities[:, ::-1].cumsum(axis=1)[:, -2::-1]
        sums[:, :-1][later <= 0] = 1.0  # from the last possible move on, despite rounding
        sums[:, -1] = 1.0
        return sums


class Batch:
    """Games of one pairing that are played at once."""

    def __init__(self, tables: BatchTables, tournament: Tournament, pairing: Pairing, games: Sequence[int]) -> None:
        self.tables = tables
        self.tournament = tournament
        self.pairing = pairing
        self.games = games
        start = tables.arrays.number(tables.solution.book.start())
        self.current_rows = np.full(len(games), start, np.int64)
        self.tallies = np.zeros((len(games), len(pairing.players), len(MoveQuality._fields)), np.int64)
        self.history: list[tuple[NDArray[Any], NDArray[Any]]] = []
        """For each ply, the games still in progress and the moves played in them."""

    def play(self, policies: Sequence[Floats]) -> list[GameResult]:
        """Return the results in order; the policies are those of the pairing's players."""
        arrays, quality = self.tables.arrays, self.tables.tallies
        cumulative = np.stack(policies)
        keys = game_keys(self.tournament.seed, self.games)
        orders = np.array(seat_orders(len(self.pairing.players)))
        seated = orders[(np.array(self.games) - self.pairing.first) % len(orders)]
        active = np.arange(len(self.games))
        while len(active) and len(self.history) < self.tournament.plies:
            rows = self.current_rows[active]
            seat = arrays.mover[rows] - 1
            drawn = random_floats(keys[active], len(self.history))[:, np.newaxis]
            move = (drawn >= cumulative[seated[active, seat], rows]).sum(axis=1)
            self.tallies[active, seat] += quality[rows, move]
            self.current_rows[active] = reached = arrays.after[rows, move]
            self.history.append((active, move.astype(np.int16)))
            active = active[arrays.winner[reached] == 0]
        return self._results()

    def _results(self) -> list[GameResult]:
        book, arrays = self.tables.solution.book, self.tables.arrays
        orders = len(seat_orders(len(self.pairing.players)))
        names = cache(lambda order: self.tournament.names(self.pairing.first + order))
        ending = cache(lambda row: game_ending(book.outcome(arrays.position(row)), self.tournament.plies))
        rows = zip(self.games, self.current_rows.tolist(), self._moves(), self.tallies.tolist(), strict=True)
        return [
            GameResult(
                game,
                book.variant,
                names((game - self.pairing.first) % orders),
                *ending(row),
                moves,
                tuple(MoveQuality(*tally) for tally in tallies),
            )
            for game, row, moves, tallies in rows
        ]

    def _moves(self) -> list[tuple[str, ...]]:
        texts = self.tables.arrays.moves
        played = np.full((len(self.current_rows), len(self.history)), -1, np.int16)
        for ply, (active, move) in enumerate(self.history):
            played[active, ply] = move
        lengths = (played >= 0).sum(axis=1).tolist()
        return [
            tuple([texts[move] for move in row[:length]]) for row, length in zip(played.tolist(), lengths, strict=True)
        ]
