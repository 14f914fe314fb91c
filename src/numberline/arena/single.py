"""One game at a time: for programs, searchers and anybody else who has to be asked for every move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from numberline.arena.batches import limit_reason
from numberline.arena.board import Board
from numberline.arena.results import FORFEITED, STOPPED, WON, Result, Tally
from numberline.arena.schedule import Block, Tournament
from numberline.book.book import Book
from numberline.bots import Bot, Forfeit, Lasting
from numberline.match import Match, Ply
from numberline.rules.errors import MoveError


class Bench:
    """The players of one book between their games: those that last are kept, the others are made anew each time."""

    def __init__(self, tournament: Tournament, book: Book, board: Board | None) -> None:
        self.tournament = tournament
        self.book = book
        self.board = board
        self._kept: dict[int, Bot] = {}

    def seated(self, game: int, seat: int, player: int) -> Bot:
        """The player, ready for a seat in a game."""
        dice = self.tournament.dice(game, seat)
        kept = self._kept.get(player)
        if kept is None:
            solution = self.board.solution if self.board else None
            kept = self.tournament.players[player].make(self.book, dice, solution)
            if not isinstance(kept, Lasting):
                return kept
            self._kept[player] = kept
        if isinstance(kept, Lasting):
            kept.new_game(dice.getrandbits(32))
        return kept

    def close(self) -> None:
        """Sends everybody home."""
        for bot in self._kept.values():
            if isinstance(bot, Lasting):
                bot.close()
        self._kept.clear()


def play_one(bench: Bench, block: Block, game: int) -> Result:
    """The result of one game."""
    book, tournament = bench.book, bench.tournament
    seats = [bench.seated(game, seat, player) for seat, player in enumerate(block.seats(game), 1)]
    match = Match(book)
    winner, end, reason = 0, STOPPED, limit_reason(tournament.plies)
    while not match.outcome and len(match.plies) < tournament.plies:
        try:
            match.play(seats[match.turn - 1].choose(match.position))
        except Forfeit as forfeit:
            winner, end, reason = 3 - match.turn, FORFEITED, forfeit.reason
            break
        except MoveError as error:
            winner, end, reason = 3 - match.turn, FORFEITED, f"made no legal move: {error}"
            break
    if match.outcome:
        (winner, reason), end = match.outcome, WON
    moves = tuple(ply.move for ply in match.plies)
    tallies = _tallies(bench.board, match.plies) if bench.board else None
    return Result(game, book.variant, tournament.names(game), winner, end, reason, moves, tallies)


def play_each(bench: Bench, block: Block, games: Sequence[int]) -> Iterator[Result]:
    """The results of these games of a block, in order."""
    return (play_one(bench, block, game) for game in games)


def _tallies(board: Board, plies: Sequence[Ply]) -> tuple[Tally, Tally]:
    counts = [[0] * len(Tally._fields) for _ in range(2)]
    for ply in plies:
        here, move = board.number(ply.before), board.places[ply.move]
        if board.choice[here]:
            regret = int(board.regret[here, move])
            seen = (1, int(board.best[here, move]), int(regret > 0), regret)
            counts[ply.player - 1] = [sum(pair) for pair in zip(counts[ply.player - 1], seen, strict=True)]
    return Tally(*counts[0]), Tally(*counts[1])
