"""What the exact answer says about the choice that a player has: which moves are as good as any, which are slips."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from numberline.book.book import Book
from numberline.bots.bot import GameOver
from numberline.rules.position import Position
from numberline.solver.solution import Forced, Solution, solve

KEPT = 8
"""So many solutions are kept for bots to share; the one that nobody asked for longest goes first."""
REMEMBERED = 100_000
"""So many verdicts are kept with a solution."""


class Verdict(NamedTuple):
    """What to think of the legal moves of a position."""

    perfect: tuple[str, ...]
    """Of the best moves, those after which the largest share of the replies is a mistake."""
    worse: tuple[str, ...]
    """The moves that are not among the best: they give something away, in value or in plies."""


class Judge:
    """The verdicts of one solution, each worked out when it is first asked for."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.verdict = lru_cache(REMEMBERED)(self._verdict)

    def _verdict(self, position: Position) -> Verdict:
        best = self.solution.best(position)
        if not best:
            raise GameOver
        worse = tuple(move for move in self.solution.book.moves(position) if move not in best)
        return Verdict(best if len(best) == 1 else self._trickiest(position, best), worse)

    def _trickiest(self, position: Position, moves: tuple[str, ...]) -> tuple[str, ...]:
        traps = {move: self.mistakes(position, move) for move in moves}
        return tuple(move for move in moves if traps[move] == max(traps.values()))

    def mistakes(self, position: Position, move: str) -> float:
        """The share of the replies to a move after which its player can hope for more than before them."""
        after = self.solution.book.after(position, move)
        hope = _hope(self.solution.forced(after), position.turn)
        hopes = [_hope(outlook, position.turn) for outlook in self.solution.worth(after).values()]
        return sum(later > hope for later in hopes) / len(hopes) if hopes else 0.0


def _hope(outlook: Forced | None, player: int) -> int:
    """What a player can hope for: 0 where another can force a win, 1 where nobody can, 2 where the player can."""
    if outlook is None:
        return 1
    return 2 if outlook.player == player else 0


@lru_cache(KEPT)
def solved(book: Book) -> Solution:
    """The solution of a book, worked out once for all who ask."""
    return solve(book)


@lru_cache(KEPT)
def judge(solution: Solution) -> Judge:
    """The judge that all bots with this solution share."""
    return Judge(solution)
