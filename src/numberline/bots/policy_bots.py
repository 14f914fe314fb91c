"""Bots with a fixed policy: `random`, `greedy`, and those that use the solution of the book.

`perfect` wins as fast as it can, loses as late as it can, and keeps an endless game endless. Of its best moves it plays
one after which the largest share of the replies is a mistake. `slip:25` plays one of the best moves, but any legal move
with a probability of 25 % (fractions such as 12.5 are valid). `sight:3` sees every outcome at most 3 turns away and
draws among moves that look equal to it. `level:N` combines both.
"""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Self

from numberline.bots.bot import Bot, BotError, GameOver, PolicyBot, Probabilities, parse_int
from numberline.game.book import Book
from numberline.game.moves import Move
from numberline.game.position import Position
from numberline.solver.index import TooManyPositions, fits
from numberline.solver.solution import Solution
from numberline.solver.worth import OPEN, Worth

if TYPE_CHECKING:
    from numberline.solver.arrays import IntArray, SolutionArrays

BEYOND_HORIZON = Worth(OPEN)
MAX_SIGHT_TURNS = 1_000


class RandomBot(PolicyBot):
    """`random`: any legal move, all with the same probability."""

    usage: ClassVar[str] = "random"

    def probabilities(self, position: Position) -> Probabilities:
        return _uniform(self.book.moves(position))

    def policy(self, arrays: SolutionArrays) -> IntArray:
        legal: IntArray = arrays.legal.astype("i1")
        return legal


class GreedyBot(PolicyBot):
    """`greedy`: the move by which a token gets furthest towards its goal (the nearer goal, if it has two).

    Of moves that get equally far it is the longer one (a step may be stopped short), then the first in the book's
    order. A skipped turn counts as a step of 0, a step back as less. If overshooting loses, such moves come last.
    """

    usage: ClassVar[str] = "greedy"

    def probabilities(self, position: Position) -> Probabilities:
        legal = self.book.moves(position)
        if not legal:
            raise GameOver
        return {max(legal, key=lambda move: self._progress_by(position, move)): Fraction(1)}

    def _progress_by(self, position: Position, move: Move) -> tuple[bool, int, int]:
        """Return whether the move is safe, how far the token gets, and how far it would get if nothing stopped it."""
        if move.token is None:
            return True, 0, 0
        before, target, reached = (
            self.book.distance_to_goal(position.turn, place) for place in self.book.move_effect(position, move)
        )
        return not (self.book.rules.overshoot == "loses" and reached < 0), before - reached, before - target


class PerfectBot(PolicyBot):
    """`perfect`: gives nothing away. Without a solution the book is solved before the first move."""

    usage: ClassVar[str] = "perfect"

    def __init__(self, name: str, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(name, book, rng)
        self._solution = solution
        if solution is None and not fits(book):
            self.prepare(lambda _: None)  # the reachable positions may fit; if not, raise now
        elif solution is not None and solution.book != book:
            raise BotError(f"{name} was given the solution of {solution.book.variant}; it needs that of {book.variant}")

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        return PerfectBot("perfect", book, rng, solution) if detail is None else None

    @property
    def solution(self) -> Solution:
        if self._solution is None:
            self.prepare(lambda _: None)
        assert self._solution is not None  # noqa: S101 - `prepare` has just set it
        return self._solution

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_solution": None}  # computed again on first use

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        twin = copy.copy(self)
        twin.rng = copy.deepcopy(self.rng, memo)
        twin.__dict__["_solution"] = self._solution
        memo[id(self)] = twin
        return twin

    def prepare(self, progress: Callable[[float], None]) -> None:
        from numberline.solver.cache import cached_solution  # needed before the first move only

        try:
            self._solution = self._solution or cached_solution(self.book, progress=progress)
        except TooManyPositions:
            raise BotError(
                f"{self.name} can't play {self.book.variant}: it has too many positions to solve; mcts can"
            ) from None

    def probabilities(self, position: Position) -> Probabilities:
        return _uniform([evaluation.move for evaluation in self.solution.hardest_to_answer(position)])

    def policy(self, arrays: SolutionArrays) -> IntArray:
        import numpy as np

        good_replies = (arrays.legal & (arrays.regret == 0)).sum(axis=1)
        replies = np.maximum(1, arrays.legal.sum(axis=1))
        common = math.lcm(*np.unique(replies).tolist())  # compares the shares as integers
        share = np.where(arrays.best, (good_replies * (common // replies))[arrays.after], common + 1)
        weights: IntArray = (arrays.best & (share == share.min(axis=1, keepdims=True))).astype(np.int8)
        return weights


class Skill(NamedTuple):
    """Strength of a bot: how many turns ahead it sees every outcome, and how often it plays any legal move."""

    turns: float = math.inf
    slip_rate: Fraction = Fraction(0)


# Turns and percentage of slips of each level. Over the five books each scores 57 to 63 % against the one below.
_LEVELS = ((0, 100), (2, 65), (3, 50), (4, 30), (5, 15), (6, 5), (8, 10), (10, 10), (12, 10))
LEVELS = {level: Skill(turns, Fraction(slips, 100)) for level, (turns, slips) in enumerate(_LEVELS, 1)}
MAX_LEVEL = len(LEVELS) + 1  # `perfect`


class SkilledBot(PerfectBot):
    """A bot that sees a limited number of turns ahead and sometimes slips."""

    def __init__(self, name: str, skill: Skill, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(name, book, rng, solution)
        self.skill = skill

    def probabilities(self, position: Position) -> Probabilities:
        ranks = {item.move: self._visible(item.worth).rank for item in self.solution.evaluate_moves(position)}
        every = _uniform(list(ranks))
        best = _uniform([move for move, rank in ranks.items() if rank == max(ranks.values())])
        slips = self.skill.slip_rate
        probabilities = {move: slips * share + (1 - slips) * best.get(move, 0) for move, share in every.items()}
        return {move: probability for move, probability in probabilities.items() if probability}

    def _visible(self, worth: Worth) -> Worth:
        """Return the worth that the bot sees; it always sees an elimination."""
        return BEYOND_HORIZON if not worth.out and (worth.plies or 0) > self.skill.turns else worth

    def policy(self, arrays: SolutionArrays) -> IntArray:
        import numpy as np

        values, legal, slips = arrays.move_values, arrays.legal, self.skill.slip_rate
        is_hidden = (values.plies + 1 > self.skill.turns) & ~values.out
        best = values.best_of(np.where(is_hidden, BEYOND_HORIZON.rank, values.rank))
        slip_weights = slips.numerator * best.sum(axis=1, keepdims=True) * legal
        best_weights = (slips.denominator - slips.numerator) * legal.sum(axis=1, keepdims=True) * best
        weights: IntArray = slip_weights + best_weights
        return weights


class SlipBot(SkilledBot):
    """`slip:P`: perfect, but any legal move in P percent of its moves."""

    usage: ClassVar[str] = "slip:0 to slip:100"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", detail or "", re.ASCII) or Fraction(detail or 0) > 100:
            return None
        percent = Fraction(detail or 0)
        return cls(f"slip:{float(percent):.12g}", Skill(slip_rate=percent / 100), book, rng, solution)


class SightBot(SkilledBot):
    """`sight:D`: sees every outcome that is at most D turns away."""

    usage: ClassVar[str] = f"sight:1 to sight:{MAX_SIGHT_TURNS}"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        turns = parse_int(detail)
        return cls(f"sight:{turns}", Skill(turns), book, rng, solution) if 1 <= turns <= MAX_SIGHT_TURNS else None


class LevelBot(SkilledBot):
    """`level:N`: limited sight and slips, like people."""

    usage: ClassVar[str] = f"level:1 to level:{MAX_LEVEL}"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        level = parse_int(detail)
        if level == MAX_LEVEL:
            return PerfectBot(f"level:{level}", book, rng, solution)
        return cls(f"level:{level}", LEVELS[level], book, rng, solution) if level in LEVELS else None


def _uniform(moves: Sequence[str]) -> Probabilities:
    """Return equal probabilities; raise `GameOver` if there is no move."""
    if not moves:
        raise GameOver
    return dict.fromkeys(moves, Fraction(1, len(moves)))
