"""Bots with a fixed policy: `random`, `greedy`, and the bots that use the book's solution.

`perfect` wins as fast as possible, loses as late as possible, and keeps an endless game endless. Among its best moves,
it prefers those that make the largest share of the opponent's replies a mistake. `slip:25` plays a random best move, or
with a probability of 25 % a random legal move (fractions such as 12.5 are valid). `sight:3` sees every outcome up to 3
turns ahead and chooses randomly among the moves that look best. `level:N` combines limited sight with slips.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from numberline.bots.bot import Bot, BotError, GameOver, PolicyBot, Probabilities, SharedCache, parse_int
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
    """`random`: plays each legal move with the same probability."""

    usage: ClassVar[str] = "random"

    def probabilities(self, position: Position) -> Probabilities:
        return _uniform(self.book.moves(position))

    def policy(self, arrays: SolutionArrays) -> IntArray:
        legal: IntArray = arrays.legal.astype("i1")
        return legal


class GreedyBot(PolicyBot):
    """`greedy`: plays the move that brings a token furthest towards its goal (the nearer goal if it has two).

    Ties go to the longer move, since a step may be stopped short, and then to the first move in the book's order.
    Skipping a turn counts as progress of 0, a step back as negative progress. If overshooting loses, moves that
    overshoot come last.
    """

    usage: ClassVar[str] = "greedy"

    def probabilities(self, position: Position) -> Probabilities:
        legal = self.book.moves(position)
        if not legal:
            raise GameOver
        return {max(legal, key=lambda move: self._progress_by(position, move)): Fraction(1)}

    def _progress_by(self, position: Position, move: Move) -> tuple[bool, int, int]:
        """Return whether the move is safe, the token's progress, and its progress if nothing were to stop it."""
        if move.token is None:
            return True, 0, 0
        places = self.book.move_effect(position, move)
        before, target, reached = (self.book.distance_to_goal(position.turn, place) for place in places)
        return not (self.book.rules.overshoot == "loses" and reached < 0), before - reached, before - target


class PerfectBot(PolicyBot):
    """`perfect`: always plays a best move; if no solution is given, the book is solved before the first move."""

    usage: ClassVar[str] = "perfect"

    def __init__(self, name: str, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(name, book, rng)
        self._solved: SharedCache[Book, Solution] = SharedCache({book: solution} if solution else {})
        """The solution, once it is known; not pickled, but loaded again on first use."""
        if solution is None and not fits(book):
            self.prepare(lambda _: None)  # the reachable positions may still fit; if not, raise now
        elif solution is not None and solution.book != book:
            raise BotError(
                f"{name} needs the solution of {book.variant}, but was given that of {solution.book.variant}"
            )

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        return PerfectBot("perfect", book, rng, solution) if detail is None else None

    @property
    def solution(self) -> Solution:
        self.prepare(lambda _: None)
        return self._solved[self.book]

    def prepare(self, progress: Callable[[float], None]) -> None:
        if self.book in self._solved:
            return
        from numberline.solver.cache import cached_solution  # only needed before the first move

        try:
            self._solved[self.book] = cached_solution(self.book, progress=progress)
        except TooManyPositions:
            raise BotError(
                f"{self.name} can't play {self.book.variant}: it has too many positions to solve; use mcts instead"
            ) from None

    def probabilities(self, position: Position) -> Probabilities:
        return _uniform([evaluation.move for evaluation in self.solution.hardest_to_answer(position)])

    def policy(self, arrays: SolutionArrays) -> IntArray:
        import numpy as np

        good_replies = (arrays.legal & (arrays.regret == 0)).sum(axis=1)
        replies = np.maximum(1, arrays.legal.sum(axis=1))
        common = math.lcm(*np.unique(replies).tolist())  # allows comparing fractions as integers
        share = np.where(arrays.best, (good_replies * (common // replies))[arrays.after], common + 1)
        weights: IntArray = (arrays.best & (share == share.min(axis=1, keepdims=True))).astype(np.int8)
        return weights


class Skill(NamedTuple):
    """Strength of a bot: the number of turns it looks ahead, and how often it plays a random legal move instead."""

    turns: float = math.inf
    slip_rate: Fraction = Fraction(0)


# Sight in turns and slip percentage of each level. Over the five books, each level scores 57 to 63 % against the one
# below.
_LEVELS = ((0, 100), (2, 65), (3, 50), (4, 30), (5, 15), (6, 5), (8, 10), (10, 10), (12, 10))
LEVELS = {level: Skill(turns, Fraction(slips, 100)) for level, (turns, slips) in enumerate(_LEVELS, 1)}
MAX_LEVEL = len(LEVELS) + 1  # the highest level is `perfect`


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
        """Return the worth as the bot sees it: `open` beyond its sight, but eliminations are always visible."""
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
    """`slip:P`: plays a best move, except for a random legal move in P percent of its turns."""

    usage: ClassVar[str] = "slip:0 to slip:100"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", detail or "", re.ASCII) or Fraction(detail or 0) > 100:
            return None
        percent = Fraction(detail or 0)
        return cls(f"slip:{float(percent):.12g}", Skill(slip_rate=percent / 100), book, rng, solution)


class SightBot(SkilledBot):
    """`sight:D`: sees every outcome up to D turns ahead."""

    usage: ClassVar[str] = f"sight:1 to sight:{MAX_SIGHT_TURNS}"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        turns = parse_int(detail)
        return cls(f"sight:{turns}", Skill(turns), book, rng, solution) if 1 <= turns <= MAX_SIGHT_TURNS else None


class LevelBot(SkilledBot):
    """`level:N`: has limited sight and slips, like a human player; the highest level is perfect."""

    usage: ClassVar[str] = f"level:1 to level:{MAX_LEVEL}"

    @classmethod
    def from_text(cls, detail: str | None, book: Book, rng: Random, solution: Solution | None) -> Bot | None:
        level = parse_int(detail)
        if level == MAX_LEVEL:
            return PerfectBot(f"level:{level}", book, rng, solution)
        return cls(f"level:{level}", LEVELS[level], book, rng, solution) if level in LEVELS else None


def _uniform(moves: Sequence[str]) -> Probabilities:
    """Return equal probabilities for all `moves`; raise `GameOver` if there are none."""
    if not moves:
        raise GameOver
    return dict.fromkeys(moves, Fraction(1, len(moves)))
