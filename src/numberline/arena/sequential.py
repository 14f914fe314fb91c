"""One game at a time: every move is asked for, and a position that was met before is not looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from numberline.arena.results import FORFEITED, GameResult, MoveQuality, game_ending
from numberline.bots import Seats, iter_bot_turns
from numberline.game.book import Book
from numberline.game.match import RESIGN, parse_legal_move
from numberline.game.moves import Move
from numberline.game.position import Position
from numberline.solver.solution import Solution

MAX_CACHED_POSITIONS = 100_000
"""So many positions are remembered with what can be played there."""


class CachedPosition:
    """A position as games come by it."""

    __slots__ = ("after", "counts", "moves")

    def __init__(self, book: Book, solution: Solution | None, position: Position) -> None:
        self.after: dict[str, Position] = dict(book.successors(position))
        """Where each legal move leads."""
        self.moves: tuple[Move, ...] = tuple(move for move, _ in book.successors(position))
        self.counts: dict[str, MoveQuality] = {}
        """What each move adds to a tally; nothing where there is no choice."""
        if solution and len(self.moves) > 1:
            judged = solution.evaluate_moves(position)
            self.counts = {one.move: MoveQuality(1, one.best, one.regret > 0, one.regret) for one in judged}


class CachedBook:
    """A book on which games are played one after the other."""

    def __init__(self, book: Book, solution: Solution | None, plies: int) -> None:
        self.book = book
        self.solution = solution
        self.plies = plies
        self.start = book.start()
        self.cached_position = lru_cache(MAX_CACHED_POSITIONS)(
            lambda position: CachedPosition(book, solution, position)
        )
        """What is known of a position that can be reached."""
        self.unscored_position = lru_cache(MAX_CACHED_POSITIONS)(lambda position: CachedPosition(book, None, position))
        """The same where somebody has resigned: nothing is measured there."""
        self.ending = lru_cache(MAX_CACHED_POSITIONS)(lambda position: game_ending(book.outcome(position), plies))

    def play(self, game: int, names: Sequence[str], seats: Seats) -> GameResult:
        """The result of one game of those who sit there."""
        single = ArenaMatch(self)
        faults = [""] * len(names)
        for forfeit in iter_bot_turns(single, seats, limit=self.plies):
            if forfeit:
                faults[single.resigned - 1] = forfeit.reason
        winner, end, reason = self.ending(single.position)
        moves = single.made
        if moves and moves[-1] == RESIGN:
            end, reason = FORFEITED, faults[single.resigned - 1]
            moves = moves[:-1]  # whoever forfeits resigns, which does not count as a move
        tallies = single.tallies() if self.solution else None
        found = tuple(faults) if any(faults) else ()
        return GameResult(game, self.book.variant, tuple(names), winner, end, reason, tuple(moves), tallies, found)


class ArenaMatch:
    """A game as the arena plays it; what was played is checked as in any match, and looked up where it was before."""

    __slots__ = ("_spot", "_spots", "ground", "length", "made", "moves", "position", "resigned")

    def __init__(self, ground: CachedBook) -> None:
        self.ground = ground
        self.position = ground.start
        self._spot = ground.cached_position(ground.start)
        self.moves: Sequence[str] = self._spot.moves
        self._spots: list[tuple[int, CachedPosition]] = []
        """For each ply who played, and where."""
        self.made: list[str] = []
        """The moves, in order."""
        self.length = 0
        self.resigned = 0
        """The player who resigned last."""

    def play(self, typed: str) -> None:
        """Plays a move; an unreadable or illegal one raises and changes nothing."""
        spot = self._spot
        reached = spot.after.get(typed)
        if reached is None:
            typed = parse_legal_move(self.ground.book, self.position, typed, spot.moves)
            reached = spot.after[typed]
        self._go(typed, reached)

    def resign(self) -> None:
        """Puts the player to move out of the game."""
        self.resigned = self.position.turn
        self._go(RESIGN, self.ground.book.resigned(self.position))

    def _go(self, move: str, reached: Position) -> None:
        self._spots.append((self.position.turn, self._spot))
        self.made.append(move)
        self.position = reached
        self._spot = (self.ground.unscored_position if self.resigned else self.ground.cached_position)(reached)
        self.moves = self._spot.moves
        self.length += 1

    def tallies(self) -> tuple[MoveQuality, ...]:
        """How each seat played, until somebody resigned."""
        sums = [[0, 0, 0, 0] for _ in self.ground.book.players]
        for (player, spot), move in zip(self._spots, self.made, strict=True):
            if count := spot.counts.get(move):
                total = sums[player - 1]
                total[0] += count[0]
                total[1] += count[1]
                total[2] += count[2]
                total[3] += count[3]
        return tuple(MoveQuality(*total) for total in sums)
