"""A tournament from its first game to its last, or from where it was broken off."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path

from numberline.arena.batches import AT_A_TIME, play_batch
from numberline.arena.board import Board, measurable, quick
from numberline.arena.players import plays_by_table
from numberline.arena.results import Ledger, Result
from numberline.arena.schedule import Block, Tournament
from numberline.arena.single import Bench, play_each
from numberline.arena.standings import Standings
from numberline.book.book import Book
from numberline.solver.table import Progress


def run(tournament: Tournament, out: Path | None = None, progress: Progress = lambda _: None) -> Standings:
    """The standings once all games are played; with a file, the games in it count, and the others are added to it."""
    standings = Standings(tournament)
    with Ledger(out, tournament) if out else nullcontext() as ledger:
        for result in ledger.results() if ledger else ():
            standings.add(result)
        for results in _played(tournament, standings):
            if ledger:
                ledger.add(results)
            for result in results:
                standings.add(result)
            progress(standings.games / tournament.total)
    return standings


def _played(tournament: Tournament, standings: Standings) -> Iterator[list[Result]]:
    """The games that are missing, a handful at a time."""
    for number, book in enumerate(tournament.books):
        board = Board(book) if measurable(book) else None
        standings.set_ceiling(number, board)
        bench = Bench(tournament, book, board)
        try:
            for block in (block for block in tournament.blocks if block.book == number):
                yield from _block(tournament, standings, bench, block)
        finally:
            bench.close()


def _block(tournament: Tournament, standings: Standings, bench: Bench, block: Block) -> Iterator[list[Result]]:
    missing = tournament.missing(block, standings.outcomes)
    at_a_time, play = 1, _one_by_one(bench, block)
    if bench.board and quick(bench.book) and all(_by_table(tournament, player, bench.book) for player in block.pair):
        at_a_time, play = AT_A_TIME, _side_by_side(bench.board, tournament, block)
    while games := list(islice(missing, at_a_time)):
        yield play(games)


def _by_table(tournament: Tournament, player: int, book: Book) -> bool:
    return plays_by_table(tournament.players[player].make(book, tournament.dice(0, 0), None))


def _one_by_one(bench: Bench, block: Block) -> Callable[[list[int]], list[Result]]:
    return lambda games: list(play_each(bench, block, games))


def _side_by_side(board: Board, tournament: Tournament, block: Block) -> Callable[[list[int]], list[Result]]:
    return lambda games: list(play_batch(board, tournament, block, games))
