"""Games that somebody else has led, such as Inspect with a language model: shown as standings beside our bots."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import closing
from typing import NamedTuple

from numberline.arena.results import FORFEITED, GameResult
from numberline.arena.runner import BookContext, BookPlayers
from numberline.arena.schedule import Entrant, Tournament
from numberline.arena.sequential import ArenaMatch, CachedBook
from numberline.arena.standings import Standings
from numberline.bots import Bot, BotError
from numberline.errors import MoveError, RecordError
from numberline.game.loader import book as book_of
from numberline.solver.index import Progress

UNFINISHED = "unfinished"
"""How a game ended that was broken off by who led it; for its player that is a loss."""


class LoggedGame(NamedTuple):
    """A game of somebody against one of our bots."""

    player: str
    opponent: str
    book: str
    """By its name, as a variant, or as a file."""
    seat: int
    """Where the player sat, counted from 1."""
    winner: int
    end: str
    reason: str
    moves: str

    @property
    def seats(self) -> tuple[str, ...]:
        """Who sat in seat 1 and who in seat 2."""
        return (self.player, self.opponent) if self.seat == 1 else (self.opponent, self.player)


def build_standings(
    games: Iterable[LoggedGame], bots: Sequence[str] = (), progress: Progress = lambda _: None
) -> Standings:
    """The standings of all who played, and of these bots besides; our bots play as many games against each other."""
    waiting: defaultdict[tuple[str, tuple[str, ...]], list[LoggedGame]] = defaultdict(list)
    for game in games:
        waiting[game.book, game.seats].append(game)
    if not waiting:
        raise BotError("there is no game of Numberline in these logs")
    found = [game for some in waiting.values() for game in some]
    theirs = dict.fromkeys(game.player for game in found)
    ours = dict.fromkeys([*bots, *(game.opponent for game in found)])
    names = list(dict.fromkeys(game.book for game in found))
    books = tuple(map(book_of, names))
    if crowded := next((book for book in books if book.rules.players != 2), None):
        raise BotError(f"{crowded.variant} has {crowded.rules.players} seats; standings of logs are for two")
    entrants = (*map(_external_entrant, theirs), *map(Entrant.from_text, ours))
    tournament = Tournament(entrants, books, 2 * max(map(len, waiting.values())))
    standings = Standings(tournament)
    for number, name in enumerate(names):
        with closing(BookPlayers(tournament, BookContext(tournament, number))) as bench:
            standings.set_perfect_scores(number, bench.context.solution)
            for block in (block for block in tournament.pairings if block.book == number):
                if min(block.players) < len(theirs):
                    here = ((game, waiting.get((name, tournament.names(game)))) for game in block.games)
                    results = [_result(game, bench.context.ground, some.pop(0)) for game, some in here if some]
                else:
                    results = [result for some in bench.play(block, block.games) for result in some]
                for result in results:
                    standings.add(result)
        progress((number + 1) / len(names))
    return standings


def _external_entrant(name: str) -> Entrant:
    """Somebody who has played elsewhere, and is asked for nothing here."""
    return Entrant(name, lambda book, rng, _: Bot(name, book, rng))


def _result(game: int, ground: CachedBook, logged: LoggedGame) -> GameResult:
    """The game as the arena would have it, every move measured."""
    single, moves = ArenaMatch(ground), tuple(logged.moves.split())
    try:
        for move in moves:
            single.play(move)
    except MoveError as error:
        raise RecordError(f"a game of {logged.player} in {logged.book} can't be played again: {error}") from None
    lost = logged.end in {FORFEITED, UNFINISHED}
    winner = 3 - logged.seat if logged.end == UNFINISHED else logged.winner
    faults = tuple(logged.reason if lost and seat != winner else "" for seat in (1, 2))
    end = FORFEITED if lost else logged.end
    tallies = single.tallies() if ground.solution else None
    return GameResult(
        game, ground.book.variant, logged.seats, winner, end, logged.reason, moves, tallies, faults if lost else ()
    )
