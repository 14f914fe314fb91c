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

from numberline.arena.batch import AT_A_TIME, Batch, Floats, Lookup
from numberline.arena.results import Result, ResultFile
from numberline.arena.schedule import Block, Tournament
from numberline.arena.single import Ground
from numberline.arena.standings import Standings
from numberline.book.book import Book
from numberline.bots import Bot, Seats
from numberline.cluster import spread_out
from numberline.solver.solution import Solution
from numberline.solver.store import solution_of
from numberline.solver.table import Progress, TooLarge

MEMORY = 100_000_000
"""A variant that takes more bytes to solve is played, but what its moves give away is not worked out."""
QUICK = 5_000
"""In a variant with more positions no odds are worked out beforehand: its games are played one at a time."""
FEW = 20
"""So many games that are played one at a time are given to a worker together, until it is known how long they take."""
SECONDS = 1.0
"""So long a worker should be busy with what it is given then."""
KEPT = 4
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
            file.take_up(standings.add)
        played = _played(tournament, standings) if workers == 1 else _spread(tournament, standings, workers)
        with closing(played):
            for results in played:
                if file:
                    file.add(results)
                for result in results:
                    standings.add(result)
                progress(standings.games / tournament.total)
    return standings


def _played(tournament: Tournament, standings: Standings) -> Generator[list[Result]]:
    """The games that are missing, some at a time."""
    for number in range(len(tournament.books)):
        with closing(Bench(tournament, Venue(tournament, number))) as bench:
            standings.set_perfect(number, bench.venue.solution)
            for block, games in _missing(tournament, standings, number):
                yield from bench.play(block, games)


def _missing(tournament: Tournament, standings: Standings, number: int) -> Iterator[tuple[Block, list[int]]]:
    """For each block of a book the games that were not played yet."""
    for block in tournament.blocks:
        games = [game for game in block.games if not standings.outcomes[game]] if block.book == number else []
        if games:
            yield block, games


# What games are played from


class Venue:
    """What is worked out once for a book, however many games are played there."""

    def __init__(self, tournament: Tournament, number: int) -> None:
        self.book: Book = tournament.books[number]
        self.solution: Solution | None = None
        """None where the book is too large for it."""
        with suppress(TooLarge):
            self.solution = solution_of(self.book, memory=MEMORY)
        self.ground = Ground(self.book, self.solution, tournament.plies)
        self.odds: dict[int, Floats] = {}
        """For each player of the tournament how likely each of its moves is, as far as it was asked."""

    @cached_property
    def lookup(self) -> Lookup | None:
        """What games side by side are looked up in; None where the book is too large for that."""
        return Lookup(self.solution) if self.solution and self.solution.size <= QUICK else None


class Bench:
    """The players of one book; each stays there for all its games."""

    def __init__(self, tournament: Tournament, venue: Venue) -> None:
        self.tournament = tournament
        self.venue = venue
        self.rng = Random()  # the dice are thrown anew for every game
        self.bots: Sequence[Bot] = [
            entrant.make(venue.book, self.rng, venue.solution) for entrant in tournament.players
        ]

    def is_quick(self, block: Block) -> bool:
        """Whether all players of a block say how likely each of their moves is, and the book is small."""
        start = self.venue.book.start()
        return bool(self.venue.lookup) and all(self.bots[player].odds(start) is not None for player in block.players)

    def play(self, block: Block, games: Sequence[int]) -> Iterator[list[Result]]:
        """The results of these games of a block: many at a time where it can be done so."""
        if (lookup := self.venue.lookup) and self.is_quick(block):
            odds = [self._odds(lookup, player) for player in block.players]
            for some in _parts(games, AT_A_TIME):
                yield Batch(lookup, self.tournament, block, some).play(odds)
        else:
            for game in games:
                yield [self.play_one(block, game)]

    def _odds(self, lookup: Lookup, player: int) -> Floats:
        if player not in self.venue.odds:
            self.venue.odds[player] = lookup.odds(self.bots[player])
        return self.venue.odds[player]

    def play_one(self, block: Block, game: int) -> Result:
        """The result of one game of a block."""
        players = block.seats(game)
        seats = Seats(self.venue.book, [self.bots[player] for player in players])
        chance = f"{self.tournament.seed}/{game}"
        self.rng.seed(chance)
        seats.new_game(chance)
        return self.venue.ground.play(game, [self.tournament.players[player].name for player in players], seats)

    def close(self) -> None:
        """Sends everybody home."""
        for bot in self.bots:
            bot.close()


def _parts(games: Sequence[int], size: int) -> Iterator[Sequence[int]]:
    """The games, so many at a time."""
    return (games[begin : begin + size] for begin in range(0, len(games), size))


# Several workers


class Errand(NamedTuple):
    """Some games of a block that a worker plays."""

    run: str
    """Which run they belong to: what was worked out for another one does not count."""
    tournament: Tournament
    block: Block
    games: Sequence[int]


def _spread(tournament: Tournament, standings: Standings, workers: int | str) -> Generator[list[Result]]:
    """The games that are missing, played by several workers; the first ones come first."""
    pace: dict[Block, float] = {}
    done: dict[int, list[Result]] = {}
    due = 0
    with closing(_working(_errands(tournament, standings, pace), workers)) as work:
        for number, (played, seconds) in work:
            pace[tournament.block(played[0].game)] = seconds / len(played)
            done[number] = played
            while due in done:
                yield done.pop(due)
                due += 1


def _working(errands: Iterator[Errand], workers: int | str) -> Generator[tuple[int, tuple[list[Result], float]]]:
    yield from spread_out(_run_errand, errands, workers=workers)


def _errands(tournament: Tournament, standings: Standings, pace: dict[Block, float]) -> Iterator[Errand]:
    """The games that are missing, in parts; `pace` has the seconds that a game of a block takes, once that is known."""
    this_run = uuid.uuid4().hex
    for number in range(len(tournament.books)):
        with closing(Bench(tournament, Venue(tournament, number))) as bench:
            standings.set_perfect(number, bench.venue.solution)
            for block, games in _missing(tournament, standings, number):
                quick, begun = bench.is_quick(block), 0
                while begun < len(games):
                    seconds = pace.get(block, SECONDS / FEW)
                    size = AT_A_TIME if quick else max(1, min(AT_A_TIME, int(SECONDS / max(seconds, 1e-6))))
                    yield Errand(this_run, tournament, block, games[begun : begun + size])
                    begun += size


_venues: dict[tuple[str, int], Venue] = {}
"""What this worker has worked out, by run and book."""


def _run_errand(errand: Errand) -> tuple[list[Result], float]:
    """The results of the games that a worker was given, and how many seconds they took."""
    began = time.monotonic()
    key = errand.run, errand.block.book
    venue = _venues.get(key) or Venue(errand.tournament, errand.block.book)
    if len(_venues) >= KEPT:
        _venues.clear()
    _venues[key] = venue
    with closing(Bench(errand.tournament, venue)) as bench:
        played = [result for results in bench.play(errand.block, errand.games) for result in results]
    return played, time.monotonic() - began
