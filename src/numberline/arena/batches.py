"""Many games at a time: bots whose odds are known play thousands of games side by side, one look-up a ply for all.

The dice of a game are made from the seed, the number of the game and the number of the ply, and from nothing else. So a
game is the same whichever games are played with it, before it, or not at all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.arena.board import Board
from numberline.arena.results import STOPPED, WON, Result, Tally
from numberline.arena.schedule import Block, Tournament

AT_A_TIME = 8_192
"""How many games are played side by side: as many as fit in a processor's cache."""
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_FIRST, _SECOND = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

Words = NDArray[np.uint64]


def mixed(words: Words) -> Words:
    """Each word well shuffled, as splitmix64 does it."""
    words = (words ^ (words >> np.uint64(30))) * _FIRST
    words = (words ^ (words >> np.uint64(27))) * _SECOND
    return words ^ (words >> np.uint64(31))


def keys(seed: int, games: Sequence[int]) -> Words:
    """For each game, what its dice are made from."""
    base = np.array([seed % (1 << 64)], np.uint64)
    return mixed(mixed(base + _GOLDEN) + np.array(games, np.uint64) * _GOLDEN)


def throws(of_games: Words, ply: int) -> NDArray[np.float64]:
    """For each game, a number from 0 to just below 1, for one ply."""
    words = mixed(of_games + np.array([ply + 1], np.uint64) * _GOLDEN)
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


class Batch:
    """Games of one block on their way."""

    def __init__(self, board: Board, tournament: Tournament, block: Block, games: Sequence[int]) -> None:
        self.board = board
        self.limit = tournament.plies
        self.dice = keys(tournament.seed, games)
        self.odds = np.stack([board.odds_of(tournament.players[player]) for player in block.pair])
        self.swapped = (np.array(games) - block.first) % 2
        size = len(games)
        self.at = np.full(size, board.number(board.book.start()), np.int64)
        self.tallies = np.zeros((size, 2, len(Tally._fields)), np.int64)
        self.history: list[tuple[NDArray[Any], NDArray[Any]]] = []
        """For each ply, the games that were still on, and the moves that were made."""

    def play(self) -> None:
        """Plays all games to their end, or to the ply limit."""
        on = np.flatnonzero(self.board.winner[self.at] == 0)
        for ply in range(self.limit):
            if not len(on):
                break
            on = self._ply(on, ply)

    def _ply(self, on: NDArray[Any], ply: int) -> NDArray[Any]:
        """One ply of the games that are still on; which are on after it."""
        board, here = self.board, self.at[on]
        seat = board.mover[here] - 1
        player = seat ^ self.swapped[on]
        move = (throws(self.dice[on], ply)[:, np.newaxis] >= self.odds[player, here]).sum(axis=1)
        choice = board.choice[here]
        regret = board.regret[here, move] * choice
        self.tallies[on, seat] += np.stack([choice, choice & board.best[here, move], regret > 0, regret], axis=1)
        self.at[on] = reached = board.after[here, move]
        self.history.append((on, move.astype(np.int16)))
        still: NDArray[Any] = on[board.winner[reached] == 0]
        return still

    def moves(self) -> list[list[int]]:
        """For each game, its moves in order."""
        made = np.full((len(self.at), max(1, len(self.history))), -1, np.int16)
        for ply, (on, move) in enumerate(self.history):
            made[on, ply] = move
        lengths = (made >= 0).sum(axis=1).tolist()
        return [row[:length] for row, length in zip(made.tolist(), lengths, strict=True)]


def play_batch(board: Board, tournament: Tournament, block: Block, games: Sequence[int]) -> Iterator[Result]:
    """The results of these games of a block, in order."""
    batch = Batch(board, tournament, block, games)
    batch.play()
    texts, variant = board.texts, board.book.variant
    names = [tournament.names(block.first), tournament.names(block.first + 1)]
    positions = board.table.numbering

    @cache
    def ending(number: int) -> tuple[int, str, str]:
        outcome = board.book.outcome(positions.position(number))
        return (outcome.winner, WON, outcome.reason) if outcome else (0, STOPPED, limit_reason(tournament.plies))

    rows = zip(games, batch.at.tolist(), batch.moves(), batch.tallies.tolist(), strict=True)
    for game, number, made, (one, other) in rows:
        winner, end, reason = ending(number)
        moves = tuple([texts[move] for move in made])
        seats = names[(game - block.first) % 2]
        yield Result(game, variant, seats, winner, end, reason, moves, (Tally._make(one), Tally._make(other)))


def limit_reason(plies: int) -> str:
    """What is said of a game that was stopped."""
    return f"The game was stopped after {plies:,} plies."
