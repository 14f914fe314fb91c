"""A tournament from its first game to its last, or from where it was broken off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, nullcontext, suppress
from functools import cached_property
from itertools import islice
from pathlib import Path
from random import Random

from numberline.arena.batch import AT_A_TIME, Batch, Lookup
from numberline.arena.results import FORFEITED, Result, ResultFile, Tally, ending
from numberline.arena.schedule import Block, Tournament
from numberline.arena.standings import Standings
from numberline.book.book import Book
from numberline.bots import Seats, play_out
from numberline.match import Match, Ply
from numberline.solver.solution import Solution
from numberline.solver.store import solution_of
from numberline.solver.table import Progress, TooLarge

MEMORY = 100_000_000
"""A variant that takes more bytes to solve is played, but what its moves give away is not worked out."""
QUICK = 5_000
"""In a variant with more positions no odds are worked out beforehand: its games are played one at a time."""


def run(tournament: Tournament, out: Path | None = None, progress: Progress = lambda _: None) -> Standings:
    """The standings once all games are played; with a file, the games in it count, and the others are added to it."""
    standings = Standings(tournament)
    with closing(ResultFile(out, tournament)) if out else nullcontext() as file:
        for result in file.results() if file else ():
            standings.add(result)
        for results in _played(tournament, standings):
            if file:
                file.add(results)
            for result in results:
                standings.add(result)
            progress(standings.games / tournament.total)
    return standings


def _played(tournament: Tournament, standings: Standings) -> Iterator[list[Result]]:
    """The games that are missing, some at a time."""
    for number, book in enumerate(tournament.books):
        with closing(Bench(tournament, book)) as bench:
            standings.set_ceiling(number, bench.solution)
            for block in (block for block in tournament.blocks if block.book == number):
                games = range(block.first, block.first + tournament.games)
                yield from bench.play(block, (game for game in games if not standings.outcomes[game]))


class Bench:
    """The players of one book; each stays there for all its games."""

    def __init__(self, tournament: Tournament, book: Book) -> None:
        self.tournament = tournament
        self.book = book
        self.solution: Solution | None = None
        """None where the book is too large for it."""
        with suppress(TooLarge):
            self.solution = solution_of(book, memory=MEMORY)
        self.rng = Random()  # they are thrown anew for every game
        self.bots = [entrant.make(book, self.rng, self.solution) for entrant in tournament.players]

    @cached_property
    def _lookup(self) -> Lookup | None:
        return Lookup(self.solution) if self.solution and self.solution.size <= QUICK else None

    def play(self, block: Block, games: Iterator[int]) -> Iterator[list[Result]]:
        """The results of these games of a block: many at a time where both players say how likely each move is."""
        bots, start = [self.bots[player] for player in block.pair], self.book.start()
        if self._lookup and all(bot.odds(start) is not None for bot in bots):
            while some := list(islice(games, AT_A_TIME)):
                yield Batch(self._lookup, self.tournament, block, some).play(bots)
        else:
            for game in games:
                yield [self.play_one(block, game)]

    def play_one(self, block: Block, game: int) -> Result:
        """The result of one game of a block."""
        match = Match(self.book)
        seats = Seats(self.book, [self.bots[player] for player in block.seats(game)])
        chance = f"{self.tournament.seed}/{game}"
        self.rng.seed(chance)
        seats.new_game(chance)
        forfeit = play_out(match, seats, limit=self.tournament.plies)
        winner, end, reason = ending(match.outcome, self.tournament.plies)
        if forfeit:
            end, reason = FORFEITED, forfeit.reason
        plies = match.plies[:-1] if forfeit else match.plies  # whoever forfeits resigns, which does not count as a move
        tallies = (_tally(self.solution, plies, 1), _tally(self.solution, plies, 2)) if self.solution else None
        moves = tuple(ply.move for ply in plies)
        return Result(game, self.book.variant, self.tournament.names(game), winner, end, reason, moves, tallies)

    def close(self) -> None:
        """Sends everybody home."""
        for bot in self.bots:
            bot.close()


def _tally(solution: Solution, plies: Sequence[Ply], player: int) -> Tally:
    """How a player played, by the solution."""
    seen = [Tally()]
    for ply in plies:
        judged = solution.judged(ply.before)
        if ply.player == player and len(judged) > 1:
            made = next(one for one in judged if one.move == ply.move)
            seen.append(Tally(1, made.best, made.regret > 0, made.regret))
    return Tally(*map(sum, zip(*seen, strict=True)))
