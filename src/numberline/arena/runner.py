"""A tournament from its first game to its last, or from where it was broken off."""

from __future__ import annotations

import time
import uuid
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from functools import cached_property
from pathlib import Path
from random import Random
from typing import NamedTuple

from numberline.arena.batch import MAX_BATCH_GAMES, Batch, BatchTables, Floats
from numberline.arena.results import GameResult, ResultFile
from numberline.arena.schedule import Pairing, Tournament
from numberline.arena.sequential import CachedBook
from numberline.arena.standings import Standings
from numberline.bots import Bot, Seats
from numberline.game.book import Book
from numberline.parallel import map_unordered
from numberline.solver.cache import cached_solution
from numberline.solver.index import Progress, TooManyPositions
from numberline.solver.solution import Solution

MAX_SOLVE_BYTES = 100_000_000
"""A variant that takes more bytes to solve is played, but what its moves give away is not worked out."""
MAX_BATCHED_POSITIONS = 5_000
"""In a variant with more positions no odds are worked out beforehand: its games are played one at a time."""
INITIAL_CHUNK_GAMES = 20
"""So many games that are played one at a time are given to a worker together, until it is known how long they take."""
TARGET_CHUNK_SECONDS = 1.0
"""So long a worker should be busy with what it is given then."""
MAX_CACHED_BOOKS = 4
"""A worker keeps what it has worked out of so many books."""


def run(
    tournament: Tournament,
    out: Path | None = None,
    progress: Progress = lambda _: None,
    *,
    workers: int | str = 1,
) -> Standings:
    """The standings once all games are played; with a file, the games in it count, and the others are added to it.

    With several workers the games are played by so many processes, or on the Dask cluster at that address. They are
    the same games, and they are written in the same order.
    """
    standings = Standings(tournament)
    with closing(ResultFile(out, tournament)) if out else nullcontext() as file:
        if file:
            file.load(standings.add)
        played = (
            _play_in_process(tournament, standings)
            if workers == 1
            else _play_with_workers(tournament, standings, workers)
        )
        with closing(played):
            for results in played:
                if file:
                    file.add(results)
                for result in results:
                    standings.add(result)
                progress(standings.games / tournament.total)
    return standings


def _play_in_process(tournament: Tournament, standings: Standings) -> Generator[list[GameResult]]:
    """The games that are missing, some at a time."""
    for number in range(len(tournament.books)):
        with closing(BookPlayers(tournament, BookContext(tournament, number))) as bench:
            standings.set_perfect_scores(number, bench.context.solution)
            for block, games in _unplayed_games(tournament, standings, number):
                yield from bench.play(block, games)


def _unplayed_games(tournament: Tournament, standings: Standings, number: int) -> Iterator[tuple[Pairing, list[int]]]:
    """For each block of a book the games that were not played yet."""
    for block in tournament.pairings:
        games = [game for game in block.games if not standings.outcomes[game]] if block.book == number else []
        if games:
            yield block, games


# What games are played from


class BookContext:
    """What is worked out once for a book, however many games are played there."""

    def __init__(self, tournament: Tournament, number: int) -> None:
        self.book: Book = tournament.books[number]
        self.solution: Solution | None = None
        """None where the book is too large for it."""
        with suppress(TooManyPositions):
            self.solution = cached_solution(self.book, memory=MAX_SOLVE_BYTES)
        self.ground = CachedBook(self.book, self.solution, tournament.plies)
        self.policy: dict[int, Floats] = {}
        """For each player of the tournament how likely each of its moves is, as far as it was asked."""

    @cached_property
    def tables(self) -> BatchTables | None:
        """What games side by side are looked up in; None where the book is too large for that."""
        return BatchTables(self.solution) if self.solution and self.solution.size <= MAX_BATCHED_POSITIONS else None


class BookPlayers:
    """The players of one book; each stays there for all its games."""

    def __init__(self, tournament: Tournament, venue: BookContext) -> None:
        self.tournament = tournament
        self.context = venue
        self.rng = Random()  # the dice are thrown anew for every game
        self.bots: Sequence[Bot] = [
            entrant.make(venue.book, self.rng, venue.solution) for entrant in tournament.players
        ]

    def is_batchable(self, block: Pairing) -> bool:
        """Whether all players of a block say how likely each of their moves is, and the book is small."""
        start = self.context.book.start()
        return bool(self.context.tables) and all(
            self.bots[player].probabilities(start) is not None for player in block.players
        )

    def play(self, block: Pairing, games: Sequence[int]) -> Iterator[list[GameResult]]:
        """The results of these games of a block: many at a time where it can be done so."""
        if (lookup := self.context.tables) and self.is_batchable(block):
            odds = [self._odds(lookup, player) for player in block.players]
            for some in _chunks(games, MAX_BATCH_GAMES):
                yield Batch(lookup, self.tournament, block, some).play(odds)
        else:
            for game in games:
                yield [self.play_one(block, game)]

    def _odds(self, lookup: BatchTables, player: int) -> Floats:
        if player not in self.context.policy:
            self.context.policy[player] = lookup.policy(self.bots[player])
        return self.context.policy[player]

    def play_one(self, block: Pairing, game: int) -> GameResult:
        """The result of one game of a block."""
        players = block.seats(game)
        seats = Seats(self.context.book, [self.bots[player] for player in players])
        chance = f"{self.tournament.seed}/{game}"
        self.rng.seed(chance)
        seats.new_game(chance)
        return self.context.ground.play(game, [self.tournament.players[player].name for player in players], seats)

    def close(self) -> None:
        """Sends everybody home."""
        for bot in self.bots:
            bot.close()


def _chunks(games: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """The games, so many at a time."""
    return (games[begin : begin + size] for begin in range(0, len(games), size))


# Several workers


class WorkItem(NamedTuple):
    """Some games of a block that a worker plays."""

    run: str
    """Which run they belong to: what was worked out for another one does not count."""
    tournament: Tournament
    pairing: Pairing
    games: Sequence[int]


def _play_with_workers(tournament: Tournament, standings: Standings, workers: int | str) -> Generator[list[GameResult]]:
    """The games that are missing, played by several workers; the first ones come first."""
    pace: dict[Pairing, float] = {}
    done: dict[int, list[GameResult]] = {}
    due = 0
    with closing(_map_work_items(_work_items(tournament, standings, pace), workers)) as work:
        for number, (played, seconds) in work:
            pace[tournament.pairing(played[0].game)] = seconds / len(played)
            done[number] = played
            while due in done:
                yield done.pop(due)
                due += 1


def _map_work_items(
    errands: Iterator[WorkItem], workers: int | str
) -> Generator[tuple[int, tuple[list[GameResult], float]]]:
    yield from map_unordered(_run_work_item, errands, workers=workers)


def _work_items(tournament: Tournament, standings: Standings, pace: dict[Pairing, float]) -> Iterator[WorkItem]:
    """The games that are missing, in parts; `pace` has the seconds that a game of a block takes, once that is known."""
    this_run = uuid.uuid4().hex
    for number in range(len(tournament.books)):
        with closing(BookPlayers(tournament, BookContext(tournament, number))) as bench:
            standings.set_perfect_scores(number, bench.context.solution)
            for block, games in _unplayed_games(tournament, standings, number):
                quick, begun = bench.is_batchable(block), 0
                while begun < len(games):
                    seconds = pace.get(block, TARGET_CHUNK_SECONDS / INITIAL_CHUNK_GAMES)
                    size = (
                        MAX_BATCH_GAMES
                        if quick
                        else max(1, min(MAX_BATCH_GAMES, int(TARGET_CHUNK_SECONDS / max(seconds, 1e-6))))
                    )
                    yield WorkItem(this_run, tournament, block, games[begun : begun + size])
                    begun += size


_context_cache: dict[tuple[str, int], BookContext] = {}
"""What this worker has worked out, by run and book."""


def _run_work_item(errand: WorkItem) -> tuple[list[GameResult], float]:
    """The results of the games that a worker was given, and how many seconds they took."""
    began = time.monotonic()
    key = errand.run, errand.pairing.book
    venue = _context_cache.get(key) or BookContext(errand.tournament, errand.pairing.book)
    if len(_context_cache) >= MAX_CACHED_BOOKS:
        _context_cache.clear()
    _context_cache[key] = venue
    with closing(BookPlayers(errand.tournament, venue)) as bench:
        played = [result for results in bench.play(errand.pairing, errand.games) for result in results]
    return played, time.monotonic() - began
