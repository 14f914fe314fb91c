"""One game at a time: every move is asked for, and a position that was met before is not looked at again."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from numberline.arena.results import FORFEITED, Result, Tally, ending
from numberline.book.book import Book
from numberline.bots import Seats, play_on
from numberline.match import RESIGN, legal_move
from numberline.rules.moves import Move
from numberline.rules.position import Position
from numberline.solver.solution import Solution

REMEMBERED = 100_000
"""So many positions are remembered with what can be played there."""


class Spot:
    """A position as games come by it."""

    __slots__ = ("after", "counts", "moves")

    def __init__(self, book: Book, solution: Solution | None, position: Position) -> None:
        self.after: dict[str, Position] = dict(book.followers(position))
        """Where each legal move leads."""
        self.moves: tuple[Move, ...] = tuple(move for move, _ in book.followers(position))
        self.counts: dict[str, Tally] = {}
        """What each move adds to a tally; nothing where there is no choice."""
        if solution and len(self.moves) > 1:
            judged = solution.judged(position)
            self.counts = {one.move: Tally(1, one.best, one.regret > 0, one.regret) for one in judged}


class Ground:
    """A book on which games are played one after the other."""

    def __init__(self, book: Book, solution: Solution | None, plies: int) -> None:
        self.book = book
        self.solution = solution
        self.plies = plies
        self.start = book.start()
        self.spot = lru_cache(REMEMBERED)(lambda position: Spot(book, solution, position))
        """What is known of a position that can be reached."""
        self.beside = lru_cache(REMEMBERED)(lambda position: Spot(book, None, position))
        """The same where somebody has resigned: nothing is measured there."""
        self.ending = lru_cache(REMEMBERED)(lambda position: ending(book.outcome(position), plies))

    def play(self, game: int, names: Sequence[str], seats: Seats) -> Result:
        """The result of one game of those who sit there."""
        single = Single(self)
        faults = [""] * len(names)
        for forfeit in play_on(single, seats, limit=self.plies):
            if forfeit:
                faults[single.resigned - 1] = forfeit.reason
        winner, end, reason = self.ending(single.position)
        moves = single.made
        if moves and moves[-1] == RESIGN:
            end, reason = FORFEITED, faults[single.resigned - 1]
            moves = moves[:-1]  # whoever forfeits resigns, which does not count as a move
        tallies = single.tallies() if self.solution else None
        found = tuple(faults) if any(faults) else ()
        return Result(game, self.book.variant, tuple(names), winner, end, reason, tuple(moves), tallies, found)


class Single:
    """A game as the arena plays it; what was played is checked as in any match, and looked up where it was before."""

    __slots__ = ("_spot", "_spots", "ground", "length", "made", "moves", "position", "resigned")

    def __init__(self, ground: Ground) -> None:
        self.ground = ground
        self.position = ground.start
        self._spot = ground.spot(ground.start)
        self.moves: Sequence[str] = self._spot.moves
        self._spots: list[tuple[int, Spot]] = []
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
            typed = legal_move(self.ground.book, self.position, typed, spot.moves)
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
        self._spot = (self.ground.beside if self.resigned else self.ground.spot)(reached)
        self.moves = self._spot.moves
        self.length += 1

    def tallies(self) -> tuple[Tally, ...]:
        """How each seat played, until somebody resigned."""
        sums = [[0, 0, 0, 0] for _ in self.ground.book.players]
        for (player, spot), move in zip(self._spots, self.made, strict=True):
            if count := spot.counts.get(move):
                total = sums[player - 1]
                total[0] += count[0]
                total[1] += count[1]
                total[2] += count[2]
                total[3] += count[3]
        return tuple(Tally(*total) for total in sums)
