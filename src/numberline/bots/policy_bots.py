"""Bots with a fixed policy: `random`, `greedy`, and the bots that use the book's solution.

`perfect` wins as fast as possible and keeps an endless game endless. Among its best moves, it prefers those after which
the largest share of the opponent's replies are mistakes. In a lost position with two players, it keeps fighting: it
chooses in this way among all legal moves, and breaks ties in favour of the longest move. `slip:25` plays a random legal
move with a probability of 25% and a random best move otherwise (percentages such as 12.5 are also valid). `sight:3`
sees every outcome up to 3 turns ahead and chooses randomly among the moves that look best.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from numberline.bots.bot import Bot, BotError, GameOver, PolicyBot, Probabilities, SharedCache, parse_int
from numberline.game import Book, Move, Position
from numberline.solver.index import TooManyPositions, fits
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, OPEN, Worth

if TYPE_CHECKING:
    from numberline.solver.arrays import BoolArray, IntArray, SolutionArrays

BEYOND_HORIZON = Worth(OPEN)
MAX_SIGHT_TURNS = 1_000
MAX_PROGRESS = 1 << 40


class RandomBot(PolicyBot):
    """`random`: plays each legal move with the same probability."""

    usage: ClassVar[str] = "random"

    def probabilities(self, position: Position) -> Probabilities:
        return uniform(self.book.moves(position))

    def policy(self, arrays: SolutionArrays) -> IntArray:
        return arrays.legal.astype("i1")


class GreedyBot(PolicyBot):
    """`greedy`: plays the move that makes the most progress towards a token's goal (the nearer goal if it has two).

    Ties go to the longer move, since a step may be stopped short, and then to the first move in the book's order.
    Skipping a turn counts as no progress, and a step back as negative progress. If overshooting loses, moves that
    overshoot come last.
    """

    usage: ClassVar[str] = "greedy"

    def probabilities(self, position: Position) -> Probabilities:
        if not (legal := self.book.moves(position)):
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
        """The solution, once it is known; it is not pickled, and an unpickled bot loads it again on first use."""
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
        if self.book.rules.players > 2 or self.solution.value(position) != LOSS:
            return uniform([evaluation.move for evaluation in self.solution.hardest_to_answer(position)])
        costs = {
            evaluation.move: (self._good_share(evaluation.after), -self.book.progress(position, evaluation.move))
            for evaluation in self.solution.evaluate_moves(position)
        }
        return uniform([move for move, cost in costs.items() if cost == min(costs.values())])

    def _good_share(self, position: Position) -> Fraction:
        """Return the fraction of correct replies; more than 1 if the game is over."""
        replies = self.solution.evaluate_moves(position)
        return Fraction(sum(reply.keeps_value for reply in replies), len(replies)) if replies else Fraction(2)

    def policy(self, arrays: SolutionArrays) -> IntArray:
        import numpy as np

        legal = arrays.legal
        good_replies = (legal & (arrays.regret == 0)).sum(axis=1)
        replies = np.maximum(1, legal.sum(axis=1))
        common = math.lcm(*np.unique(replies).tolist())  # allows comparing fractions as integers
        share = (good_replies * (common // replies))[arrays.after]
        lost = (arrays.points(arrays.mover) < 0)[:, np.newaxis] & (self.book.rules.players == 2)
        share[lost & (arrays.winner != 0)[arrays.after]] = common + 1
        share = np.where(np.where(lost, legal, arrays.best), share, common + 2)
        hardest = legal & (share == share.min(axis=1, keepdims=True))
        weights: IntArray = (hardest & _is_longest(arrays, hardest, np.flatnonzero(lost))).astype(np.int8)
        return weights


class Skill(NamedTuple):
    """Strength of a bot: the number of turns it looks ahead, and the probability that it plays a random legal move."""

    turns: float = math.inf
    slip_rate: Fraction = Fraction(0)


class SkilledBot(PerfectBot):
    """A bot that sees a limited number of turns ahead and sometimes slips."""

    def __init__(self, name: str, skill: Skill, book: Book, rng: Random, solution: Solution | None = None) -> None:
        super().__init__(name, book, rng, solution)
        self.skill = skill

    def probabilities(self, position: Position) -> Probabilities:
        ranks = {item.move: self._visible(item.worth).rank for item in self.solution.evaluate_moves(position)}
        best = uniform([move for move, rank in ranks.items() if rank == max(ranks.values())])
        return mix_probabilities(self.skill.slip_rate, list(ranks), best)

    def _visible(self, worth: Worth) -> Worth:
        """Return the worth as the bot sees it: `open` if the end is out of sight; eliminations are always visible."""
        return BEYOND_HORIZON if not worth.out and (worth.plies or 0) > self.skill.turns else worth

    def policy(self, arrays: SolutionArrays) -> IntArray:
        import numpy as np

        values = arrays.move_values
        is_hidden = (values.plies + 1 > self.skill.turns) & ~values.out
        best = values.best_of(np.where(is_hidden, BEYOND_HORIZON.rank, values.rank))
        return mix_weights(self.skill.slip_rate, arrays.legal, best)


class SlipBot(SkilledBot):
    """`slip:P`: plays a random legal move in P percent of its turns, and otherwise a best move."""

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


def _is_longest(arrays: SolutionArrays, moves: BoolArray, rows: IntArray) -> BoolArray:
    """Return a mask of the moves: in `rows`, those of `moves` that make the most progress; in other rows, all moves."""
    import numpy as np

    longest = np.ones(moves.shape, np.bool_)
    for player in arrays.book.players:
        own = rows[arrays.mover[rows] == player]
        position = arrays.positions_at(own)._replace(turn=player)
        progress = np.stack(
            [np.broadcast_to(arrays.book.progress(position, move), own.shape) for move in arrays.moves], axis=1
        )
        progress = np.where(moves[own], progress, -MAX_PROGRESS)
        longest[own] = progress == progress.max(axis=1, keepdims=True)
    return longest


def mix_probabilities(slip_rate: Fraction, legal: Sequence[str], best: Probabilities) -> Probabilities:
    """Return the move probabilities of a player who follows `best`, but plays a random legal move when slipping."""
    mixed = {move: slip_rate / len(legal) + (1 - slip_rate) * best.get(move, 0) for move in legal}
    return {move: probability for move, probability in mixed.items() if probability}


def mix_weights(slip_rate: Fraction, legal: BoolArray, best: IntArray) -> IntArray:
    """Return the result of `mix_probabilities` for all positions, as integer weights; `best` also contains weights."""
    slip_weights = slip_rate.numerator * best.sum(axis=1, keepdims=True) * legal
    best_weights = (slip_rate.denominator - slip_rate.numerator) * legal.sum(axis=1, keepdims=True) * best
    weights: IntArray = slip_weights + best_weights
    return weights


def uniform(moves: Sequence[str]) -> Probabilities:
    """Return equal probabilities for all `moves`; raise `GameOver` if there are none."""
    if not moves:
        raise GameOver
    return dict.fromkeys(moves, Fraction(1, len(moves)))
