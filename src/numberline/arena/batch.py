"""Many games at a time: bots whose odds are known play thousands of games side by side, one look-up a ply for all.

The dice of a game are made from the seed, the number of the game and the number of the ply, and from nothing else. So a
game is the same whichever games are played with it, before it, or not at all.
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

MAX_BATCH_GAMES = 8_192
"""How many games are played side by side: as many as fit in a processor's cache."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

Bits = NDArray[np.uint64]
Floats = NDArray[np.float64]


def splitmix64(words: Bits) -> Bits:
    """Each word well shuffled, as splitmix64 does it."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def game_keys(seed: int, games: Sequence[int]) -> Bits:
    """For each game, what its dice are made from."""
    base = np.array([seed % (1 << 64)], np.uint64)
    return splitmix64(splitmix64(base + _GOLDEN) + np.array(games, np.uint64) * _GOLDEN)


def random_floats(of_games: Bits, ply: int) -> Floats:
    """For each game, a number from 0 to just below 1, for one ply."""
    words = splitmix64(of_games + np.array([ply + 1], np.uint64) * _GOLDEN)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class BatchTables:
    """What games side by side are looked up in: what each move of each position counts, and how likely it is."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.columns = columns = solution.arrays
        choice = columns.legal[:, : columns.choices].sum(axis=1, keepdims=True) > 1
        seen = [columns.legal, columns.best, columns.regret > 0, columns.regret]
        self.tallies = np.stack([choice * part for part in seen], axis=2).astype(np.int8)
        """For each position and move, what it adds to a `MoveQuality`: nothing where there was no choice."""

    def policy(self, bot: Bot) -> Floats:
        """For each position and move, how likely the bot is to play this move or one before it."""
        weights = bot.policy(self.columns)
        assert weights is not None  # noqa: S101 - only bots with a fixed policy are batched
        chances = weights / np.maximum(1, weights.sum(axis=1, keepdims=True))
        sums = np.cumsum(chances, axis=1)
        later = chances[:, ::-1].cumsum(axis=1)[:, -2::-1]
        sums[:, :-1][later <= 0] = 1.0  # from the last possible move on, whatever the sums were rounded to
        sums[:, -1] = 1.0
        return sums


class Batch:
    """Games of one block that are played side by side."""

    def __init__(self, lookup: BatchTables, tournament: Tournament, block: Pairing, games: Sequence[int]) -> None:
        self.tables = lookup
        self.tournament = tournament
        self.pairing = block
        self.games = games
        start = lookup.columns.number(lookup.solution.book.start())
        self.current_rows = np.full(len(games), start, np.int64)
        """For each game, the row of the position that it has reached."""
        self.tallies = np.zeros((len(games), len(block.players), len(MoveQuality._fields)), np.int64)
        self.history: list[tuple[NDArray[Any], NDArray[Any]]] = []
        """For each ply, the games that were still on, and the moves that were made."""

    def play(self, odds: Sequence[Floats]) -> list[GameResult]:
        """The results of the games, in order; the odds are those of the block's players, the first player's first."""
        columns, added = self.tables.columns, self.tables.tallies
        each = np.stack(odds)
        dice = game_keys(self.tournament.seed, self.games)
        ways = np.array(seat_orders(len(self.pairing.players)))
        sits = ways[(np.array(self.games) - self.pairing.first) % len(ways)]
        on = np.arange(len(self.games))
        while len(on) and len(self.history) < self.tournament.plies:
            here = self.current_rows[on]
            seat = columns.mover[here] - 1
            thrown = random_floats(dice[on], len(self.history))[:, np.newaxis]
            move = (thrown >= each[sits[on, seat], here]).sum(axis=1)
            self.tallies[on, seat] += added[here, move]
            self.current_rows[on] = reached = columns.after[here, move]
            self.history.append((on, move.astype(np.int16)))
            on = on[columns.winner[reached] == 0]
        return self._results()

    def _results(self) -> list[GameResult]:
        book, columns = self.tables.solution.book, self.tables.columns
        seats = cache(lambda way: self.tournament.names(self.pairing.first + way))
        ways = len(seat_orders(len(self.pairing.players)))
        end = cache(lambda row: game_ending(book.outcome(columns.position(row)), self.tournament.plies))
        rows = zip(self.games, self.current_rows.tolist(), self._moves(), self.tallies.tolist(), strict=True)
        return [
            GameResult(
                game,
                book.variant,
                seats((game - self.pairing.first) % ways),
                *end(row),
                moves,
                tuple(MoveQuality(*tally) for tally in tallies),
            )
            for game, row, moves, tallies in rows
        ]

    def _moves(self) -> list[tuple[str, ...]]:
        """For each game, its moves in order."""
        texts = self.tables.columns.moves
        made = np.full((len(self.current_rows), len(self.history)), -1, np.int16)
        for ply, (on, move) in enumerate(self.history):
            made[on, ply] = move
        lengths = (made >= 0).sum(axis=1).tolist()
        return [
            tuple([texts[move] for move in row[:length]]) for row, length in zip(made.tolist(), lengths, strict=True)
        ]
