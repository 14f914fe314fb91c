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

from numberline.arena.results import Result, Tally, ending
from numberline.arena.schedule import Block, Tournament, seatings
from numberline.bots import Bot
from numberline.solver.solution import Solution

AT_A_TIME = 8_192
"""How many games are played side by side: as many as fit in a processor's cache."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

Bits = NDArray[np.uint64]
Floats = NDArray[np.float64]


def mixed(words: Bits) -> Bits:
    """Each word well shuffled, as splitmix64 does it."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def keys(seed: int, games: Sequence[int]) -> Bits:
    """For each game, what its dice are made from."""
    base = np.array([seed % (1 << 64)], np.uint64)
    return mixed(mixed(base + _GOLDEN) + np.array(games, np.uint64) * _GOLDEN)


def throws(of_games: Bits, ply: int) -> Floats:
    """For each game, a number from 0 to just below 1, for one ply."""
    words = mixed(of_games + np.array([ply + 1], np.uint64) * _GOLDEN)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class Lookup:
    """What games side by side are looked up in: what each move of each position counts, and how likely it is."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.columns = columns = solution.columns
        choice = columns.legal[:, : columns.choices].sum(axis=1, keepdims=True) > 1
        seen = [columns.legal, columns.best, columns.regret > 0, columns.regret]
        self.tallies = np.stack([choice * part for part in seen], axis=2).astype(np.int8)
        """For each position and move, what it adds to a `Tally`: nothing where there was no choice."""

    def odds(self, bot: Bot) -> Floats:
        """For each position and move, how likely the bot is to play this move or one before it."""
        places: dict[str, int] = {move: place for place, move in enumerate(self.columns.moves)}
        chances = np.zeros(self.columns.after.shape)
        for position in self.solution.live:
            row = chances[self.columns.number(position)]
            for move, chance in (bot.odds(position) or {}).items():
                row[places[move]] = chance
        sums = np.cumsum(chances, axis=1)
        later = chances[:, ::-1].cumsum(axis=1)[:, -2::-1]
        sums[:, :-1][later <= 0] = 1.0  # from the last possible move on, whatever the sums were rounded to
        sums[:, -1] = 1.0
        return sums


class Batch:
    """Games of one block that are played side by side."""

    def __init__(self, lookup: Lookup, tournament: Tournament, block: Block, games: Sequence[int]) -> None:
        self.lookup = lookup
        self.tournament = tournament
        self.block = block
        self.games = games
        start = lookup.columns.number(lookup.solution.book.start())
        self.at = np.full(len(games), start, np.int64)
        """For each game, the row of the position that it has reached."""
        self.tallies = np.zeros((len(games), len(block.players), len(Tally._fields)), np.int64)
        self.history: list[tuple[NDArray[Any], NDArray[Any]]] = []
        """For each ply, the games that were still on, and the moves that were made."""

    def play(self, odds: Sequence[Floats]) -> list[Result]:
        """The results of the games, in order; the odds are those of the block's players, the first player's first."""
        columns, added = self.lookup.columns, self.lookup.tallies
        each = np.stack(odds)
        dice = keys(self.tournament.seed, self.games)
        ways = np.array(seatings(len(self.block.players)))
        sits = ways[(np.array(self.games) - self.block.first) % len(ways)]
        on = np.arange(len(self.games))
        while len(on) and len(self.history) < self.tournament.plies:
            here = self.at[on]
            seat = columns.mover[here] - 1
            thrown = throws(dice[on], len(self.history))[:, np.newaxis]
            move = (thrown >= each[sits[on, seat], here]).sum(axis=1)
            self.tallies[on, seat] += added[here, move]
            self.at[on] = reached = columns.after[here, move]
            self.history.append((on, move.astype(np.int16)))
            on = on[columns.winner[reached] == 0]
        return self._results()

    def _results(self) -> list[Result]:
        book, columns = self.lookup.solution.book, self.lookup.columns
        seats = cache(lambda way: self.tournament.names(self.block.first + way))
        ways = len(seatings(len(self.block.players)))
        end = cache(lambda row: ending(book.outcome(columns.position(row)), self.tournament.plies))
        rows = zip(self.games, self.at.tolist(), self._moves(), self.tallies.tolist(), strict=True)
        return [
            Result(
                game,
                book.variant,
                seats((game - self.block.first) % ways),
                *end(row),
                moves,
                tuple(Tally(*tally) for tally in tallies),
            )
            for game, row, moves, tallies in rows
        ]

    def _moves(self) -> list[tuple[str, ...]]:
        """For each game, its moves in order."""
        texts = self.lookup.columns.moves
        made = np.full((len(self.at), len(self.history)), -1, np.int16)
        for ply, (on, move) in enumerate(self.history):
            made[on, ply] = move
        lengths = (made >= 0).sum(axis=1).tolist()
        return [
            tuple([texts[move] for move in row[:length]]) for row, length in zip(made.tolist(), lengths, strict=True)
        ]
