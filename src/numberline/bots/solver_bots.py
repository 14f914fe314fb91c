"""Bots that know the truth of every position, and act on all of it or on as much as they are meant to see.

`perfect` wins as fast as it can. Where it is lost it holds out as long as it can, and where nobody can force a win it
keeps it so. Of the moves that do, it plays one after which the largest share of the replies is a mistake.

`slip:25` plays one of the best moves, but with a chance of 25 % any legal move. `sight:3` sees every outcome that is at
most 3 turns away, and guesses among moves that look alike to it. `level:N` does both: like people it sees some turns
ahead, and slips now and then.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from numberline.bots.bot import BotError, GameOver, Policy, PolicyBot
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.index import TooManyPositions, fits
from numberline.solver.solution import Solution
from numberline.solver.worth import OPEN, Worth

if TYPE_CHECKING:
    from numberline.solver.arrays import IntArray, SolutionArrays

BEYOND_HORIZON = Worth(OPEN)
"""What an outcome counts that is too far away to be seen."""


class Skill(NamedTuple):
    """How well a bot plays."""

    turns: float = math.inf
    """How many turns ahead it sees every outcome."""
    slip_rate: Fraction = Fraction(0)
    """How likely it is to play any legal move at all."""


def _level(turns: int, percent: int) -> Skill:
    return Skill(turns, Fraction(percent, 100))


LEVELS: dict[int, Skill] = {
    1: _level(0, 100),
    2: _level(2, 65),
    3: _level(3, 50),
    4: _level(4, 30),
    5: _level(5, 15),
    6: _level(6, 5),
    7: _level(8, 10),
    8: _level(10, 10),
    9: _level(12, 10),
}
"""The levels below 10, which is `perfect`. Each scores 57 to 63 % against the one below it, over the five books."""
MAX_LEVEL = 10


class PerfectBot(PolicyBot):
    """`perfect`: never gives anything away. Without a solution the book is solved when the first move is asked for."""

    def __init__(self, name: str, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(name, book, rng)
        self._solution = solution
        if solution is None and not fits(book):
            self.prepare(lambda _: None)  # few of its positions may be reachable; else it is refused now, not later
        elif solution is not None and solution.book != book:
            raise BotError(f"{name} was given the solution of {solution.book.variant}; it needs that of {book.variant}")

    @property
    def solution(self) -> Solution:
        """The exact answers that it plays by."""
        if self._solution is None:
            self.prepare(lambda _: None)
        assert self._solution is not None  # noqa: S101 - `prepare` has just set it
        return self._solution

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_solution": None}  # worked out again where it is asked for

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = copy.copy(self)
        twin.rng = copy.deepcopy(self.rng, memo)
        twin.__dict__["_solution"] = self._solution
        memo[id(self)] = twin
        return twin

    def prepare(self, progress: Callable[[float], None]) -> None:
        """Solves the book, if that was not done before."""
        from numberline.solver.cache import cached_solution  # nobody waits for it before the first question

        try:
            self._solution = self._solution or cached_solution(self.book, progress=progress)
        except TooManyPositions:
            raise BotError(
                f"{self.name} can't play {self.book.variant}: it has too many positions to solve; mcts can"
            ) from None

    def policy(self, position: Position) -> Policy:
        """The same chance for each of the best moves that are hardest to answer."""
        return _even([judged.move for judged in self.solution.hardest_to_answer(position)])

    def weights(self, columns: SolutionArrays) -> IntArray:
        """The same for each of the best moves after which the smallest share of the replies is right."""
        import numpy as np

        right = (columns.legal & (columns.regret == 0)).sum(axis=1)
        replies = np.maximum(1, columns.legal.sum(axis=1))
        whole = math.lcm(*np.unique(replies).tolist())  # so that shares are compared as whole numbers
        share = np.where(columns.best, (right * (whole // replies))[columns.after], whole + 1)
        hardest = columns.best & (share == share.min(axis=1, keepdims=True))
        weights: IntArray = hardest[:, : columns.choices].astype(np.int8)
        return weights


class SkilledBot(PerfectBot):
    """`slip:P`, `sight:D` and `level:N`: sees only so far, and slips now and then."""

    def __init__(self, name: str, skill: Skill, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(name, book, rng, solution)
        self.skill = skill

    def policy(self, position: Position) -> Policy:
        """Every legal move has its share of the slips; those that are best as far as the bot sees share the rest."""
        ranks = {judged.move: self._seen(judged.worth).rank for judged in self.solution.evaluate_moves(position)}
        every = _even(list(ranks))
        best = _even([move for move, rank in ranks.items() if rank == max(ranks.values())])
        slips = self.skill.slip_rate
        odds = {move: slips * share + (1 - slips) * best.get(move, 0) for move, share in every.items()}
        return {move: chance for move, chance in odds.items() if chance}

    def weights(self, columns: SolutionArrays) -> IntArray:
        """The shares of the slips, and those of the moves that are best as far as the bot sees."""
        import numpy as np

        judged = columns.move_values_at(slice(None))
        far = (judged.plies + 1 > self.skill.turns) & ~judged.out
        rank = np.where(far, 0, judged.rank)
        rank[~columns.legal] = judged.rank.min(initial=0)
        best = columns.legal & (rank == rank.max(axis=1, keepdims=True))
        slips, every = self.skill.slip_rate, columns.legal.sum(axis=1, keepdims=True)
        shared = slips.numerator * best.sum(axis=1, keepdims=True) * columns.legal
        weights: IntArray = shared + (slips.denominator - slips.numerator) * every * best
        return weights[:, : columns.choices]

    def _seen(self, worth: Worth) -> Worth:
        """What a move is worth as far as the bot sees; that it is out after it, it always sees."""
        return BEYOND_HORIZON if not worth.out and (worth.plies or 0) > self.skill.turns else worth


def _even(moves: Sequence[str]) -> Policy:
    """The same chance for each of these moves; raises `GameOver` where there is none."""
    if not moves:
        raise GameOver
    return dict.fromkeys(moves, Fraction(1, len(moves)))
