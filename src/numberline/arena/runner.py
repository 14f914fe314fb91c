"""Tournament runner that plays in batches or game by game, in one or more processes, and can resume a tournament.

Bots with a known policy play thousands of games at once, with a single array lookup per ply. The random numbers of a
batched game depend only on the seed, the game number and the ply. A game is therefore the same no matter which other
games are played in the same batch or before it.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from functools import cache, cached_property, lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from numberline.arena.results import FORFEITED, GameResult, MoveQuality, ResultFile, game_ending
from numberline.arena.schedule import Pairing, Tournament, seat_orders
from numberline.arena.standings import Standings
from numberline.bots import Bot, Seats, iter_bot_turns
from numberline.game import RESIGN, Book, Match, Position
from numberline.lab.fingerprint import GOLDEN_GAMMA, mix_bits
from numberline.parallel import map_unordered
from numberline.solver.cache import cached_solution
from numberline.solver.index import Progress, TooManyPositions
from numberline.solver.solution import Solution

MAX_SOLVE_BYTES = 100_000_000
"""Memory limit for solving a variant; if a variant needs more, it is played, but its moves are not evaluated."""
MAX_BATCHED_POSITIONS = 5_000
"""Variants with more positions are played one game at a time, since computing all policies would take too long."""
MAX_CACHED_POSITIONS = 100_000
INITIAL_CHUNK_GAMES = 20
TARGET_CHUNK_SECONDS = 1.0
MAX_CACHED_BOOKS = 4
MAX_BATCH_GAMES = 8_192  # as many as fit in the CPU cache

Bits = NDArray[np.uint64]
Floats = NDArray[np.float64]


def run(
    tournament: Tournament, out: Path | None = None, progress: Progress = lambda _: None, *, workers: int | str = 1
) -> Standings:
    """Play a tournament and return its standings; with `out`, resume from that file and append new games to it.

    `workers`, the number of processes or the address of a Dask scheduler, affects neither the games nor their order.
    """
    standings = Standings(tournament)
    with closing(ResultFile(out, tournament)) if out else nullcontext() as file:
        if file:
            file.load(standings.add)
        play = _play_in_process if workers == 1 else partial(_play_with_workers, workers=workers)
        with closing(play(tournament, standings)) as played:
            for results in played:
                if file:
                    file.add(results)
                for result in results:
                    standings.add(result)
                progress(standings.games / tournament.total)
    return standings


def _play_in_process(tournament: Tournament, standings: Standings) -> Generator[list[GameResult]]:
    for players, pairing, games in unplayed_games(tournament, standings):
        yield from players.play(pairing, games)


def unplayed_games(tournament: Tournament, standings: Standings) -> Iterator[tuple[BookPlayers, Pairing, list[int]]]:
    """Yield the games that are missing from the standings, with their players and pairing, book by book."""
    for number, book in enumerate(tournament.books):
        with closing(BookPlayers(tournament, BookContext(book))) as players:
            standings.set_perfect_scores(number, players.context.solution)
            for pairing in (pairing for pairing in tournament.pairings if pairing.book == number):
                if games := [game for game in pairing.games if not standings.outcomes[game]]:
                    yield players, pairing, games


class BookContext:
    """Data computed once per book: the solution, move qualities and bot policies."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.solution: Solution | None = None
        with suppress(TooManyPositions):
            self.solution = cached_solution(book, memory=MAX_SOLVE_BYTES)
        self.policies: dict[int, Floats] = {}
        self._move_quality = lru_cache(MAX_CACHED_POSITIONS)(self._evaluate)

    @cached_property
    def tables(self) -> BatchTables | None:
        """The tables for batched play, or None if the book is too large."""
        return BatchTables(self.solution) if self.solution and self.solution.size <= MAX_BATCHED_POSITIONS else None

    def tallies(self, match: Match) -> tuple[MoveQuality, ...] | None:
        """Return the move quality of each seat up to the first resignation, or None if the book is not solved."""
        if not self.solution:
            return None
        chosen: list[list[MoveQuality]] = [[MoveQuality()] for _ in self.book.players]
        for player, move, before, _ in match.plies:
            if move == RESIGN:
                break
            if quality := self._move_quality(before).get(move):
                chosen[player - 1].append(quality)
        return tuple(MoveQuality(*map(sum, zip(*qualities, strict=True))) for qualities in chosen)

    def _evaluate(self, position: Position) -> dict[str, MoveQuality]:
        moves = self.solution.evaluate_moves(position) if self.solution else ()
        if len(moves) < 2:
            return {}
        return {one.move: MoveQuality(1, one.best, one.regret > 0, one.regret) for one in moves}


class BookPlayers:
    """The bots of a tournament, set up for one book."""

    def __init__(self, tournament: Tournament, context: BookContext) -> None:
        self.tournament = tournament
        self.context = context
        self.rng = Random()  # reseeded for every game
        self.bots = [entrant.make(context.book, self.rng, context.solution) for entrant in tournament.players]
        self._new_match = Match(context.book)
        self._seats = cache(lambda players: Seats(context.book, [self.bots[player] for player in players]))

    def is_batchable(self, pairing: Pairing) -> bool:
        """Return whether the book is small enough and all players of the pairing have a known policy."""
        start = self.context.book.start()
        return bool(self.context.tables) and all(
            self.bots[player].probabilities(start) is not None for player in pairing.players
        )

    def play(self, pairing: Pairing, games: Sequence[int]) -> Iterator[list[GameResult]]:
        """Play games of a pairing, in batches if possible, and yield their results."""
        if (tables := self.context.tables) and self.is_batchable(pairing):
            policies = [self._policy(tables, player) for player in pairing.players]
            for first in range(0, len(games), MAX_BATCH_GAMES):
                batch = games[first : first + MAX_BATCH_GAMES]
                yield play_batch(tables, policies, self.tournament, pairing, batch)
        else:
            for game in games:
                yield [self.play_one(pairing, game)]

    def _policy(self, tables: BatchTables, player: int) -> Floats:
        if player not in self.context.policies:
            self.context.policies[player] = tables.policy(self.bots[player])
        return self.context.policies[player]

    def play_one(self, pairing: Pairing, game: int) -> GameResult:
        """Play one game of a pairing and return its result."""
        plies, seats = self.tournament.plies, self._seats(pairing.seats(game))
        seed = f"{self.tournament.seed}/{game}"
        self.rng.seed(seed)
        seats.new_game(seed)
        match, faults = self._new_match.copy(), [""] * len(seats.bots)
        for forfeit in iter_bot_turns(match, seats, limit=plies):
            if forfeit:
                faults[match.plies[-1].player - 1] = forfeit.reason
        winner, end, reason = game_ending(match.outcome, plies)
        moves = [move for _, move, _, _ in match.plies]
        if moves and moves[-1] == RESIGN:
            end, reason = FORFEITED, faults[match.plies[-1].player - 1]
            moves.pop()  # a forfeit does not count as a move
        names, tallies = self.tournament.names(game), self.context.tallies(match)
        at_fault = tuple(faults) if any(faults) else ()
        return GameResult(game, match.book.variant, names, winner, end, reason, tuple(moves), tallies, at_fault)

    def close(self) -> None:
        """Stop the processes of external bots."""
        for bot in self.bots:
            bot.close()


# Batched play


def game_keys(seed: int, games: Sequence[int]) -> Bits:
    """Return one key per game, from which the game's random numbers are derived."""
    base = np.array([seed % (1 << 64)], np.uint64)
    return mix_bits(mix_bits(base + GOLDEN_GAMMA) + np.array(games, np.uint64) * GOLDEN_GAMMA)


def random_floats(keys: Bits, ply: int) -> Floats:
    """Return one random number in [0, 1) per game for the given ply."""
    words = mix_bits(keys + np.array([ply + 1], np.uint64) * GOLDEN_GAMMA)
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


# Parallel play


def _play_with_workers(tournament: Tournament, standings: Standings, workers: int | str) -> Generator[list[GameResult]]:
    """Play the missing games with several workers; yield the results in game order."""
    seconds_per_game: dict[Pairing, float] = {}
    done: dict[int, list[GameResult]] = {}
    due = 0
    play = partial(_play_chunk, uuid.uuid4().hex, tournament)
    chunks = _chunks(tournament, standings, seconds_per_game)
    with closing(map_unordered(play, chunks, workers=workers)) as work:
        for number, (played, seconds) in work:
            seconds_per_game[tournament.pairing(played[0].game)] = seconds / len(played)
            done[number] = played
            while due in done:
                yield done.pop(due)
                due += 1


def _chunks(
    tournament: Tournament, standings: Standings, seconds_per_game: dict[Pairing, float]
) -> Iterator[tuple[Pairing, list[int]]]:
    """Split the missing games into chunks; game durations measured so far determine how many games go into each."""
    for players, pairing, games in unplayed_games(tournament, standings):
        batchable, first = players.is_batchable(pairing), 0
        while first < len(games):
            seconds = seconds_per_game.get(pairing, TARGET_CHUNK_SECONDS / INITIAL_CHUNK_GAMES)
            size = MAX_BATCH_GAMES
            if not batchable:
                size = max(1, min(size, int(TARGET_CHUNK_SECONDS / max(seconds, 1e-6))))
            yield pairing, games[first : first + size]
            first += size


def _play_chunk(
    run_id: str, tournament: Tournament, chunk: tuple[Pairing, Sequence[int]]
) -> tuple[list[GameResult], float]:
    """Play the games of a chunk; return their results and the elapsed seconds."""
    started = time.monotonic()
    pairing, games = chunk
    with closing(BookPlayers(tournament, _book_context(run_id, tournament.books[pairing.book]))) as players:
        played = [result for results in players.play(pairing, games) for result in results]
    return played, time.monotonic() - started


@lru_cache(MAX_CACHED_BOOKS)
def _book_context(run_id: str, book: Book) -> BookContext:  # noqa: ARG001 - runs must not share policies
    return BookContext(book)
