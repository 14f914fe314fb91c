"""The positions that a lesson can show and ask about, and which of them it has used already."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from numberline.explain.exercise import practice_positions, sample_positions
from numberline.explain.losing_patterns import UNREACHABLE_TURNS
from numberline.explain.queries import MAX_ANALYSED_POSITIONS, all_positions, value_preserving
from numberline.game.moves import FORCED_MOVES
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, MoveEvaluation

EXAMPLE_DEPTH_PLIES = 5
"""An example of the rule is best so many turns before the end."""


class LessonMaterial:
    """What there is to choose from in one book."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution
        self.book = solution.book
        self.live = all_positions(solution, MAX_ANALYSED_POSITIONS) or sample_positions(solution)
        practise = practice_positions(solution)
        self.immediate_wins = [at for at in practise if solution.distance(at) == 1]
        """Where one move, or some, win at once, and others do not."""
        self.deeper_exercises = [at for at in practise if solution.distance(at) != 1]
        """The other positions in which something can be thrown away."""
        self.used: set[Position] = set()
        """What is an exercise already."""
        self.shown: set[tuple[int, ...]] = set()
        """Where the tokens stand in what was already shown as lost."""

    @cached_property
    def lost(self) -> list[Position]:
        """The positions that are lost although there is a move: those near to the end first, then the closest races."""
        lost = [
            at for at in self.live if self.solution.value(at) == LOSS and self.book.moves(at)[0] not in FORCED_MOVES
        ]
        return sorted(lost, key=lambda at: (self.depth(at), len(self.book.moves(at)) == 1, self._apart(at)))

    @cached_property
    def one_right_move(self) -> list[Position]:
        """The positions in which one move is right, and does not win at once."""
        return [at for at in self.deeper_exercises if len(self.correct_moves(at)) == 1]

    def first_unused(self, positions: Iterable[Position]) -> Position | None:
        """The first that is no exercise yet, if there is one with tokens elsewhere than in any exercise."""
        new = [at for at in positions if at not in self.used]
        places = {tuple(sorted(at.tokens)) for at in self.used}
        return next((at for at in new if tuple(sorted(at.tokens)) not in places), next(iter(new), None))

    def before(self, lost: Position) -> list[Position]:
        """Positions from which a right move leads to one that is lost as soon as this; first those that lead to it."""
        plies = (self.solution.distance(lost) or 0) + 1
        near = [at for at in self.deeper_exercises if self.solution.distance(at) == plies]
        return sorted(near, key=lambda at: all(judged.after.tokens != lost.tokens for judged in self.correct_moves(at)))

    def next_trap_candidates(self) -> list[Position]:
        """Positions whose one right move leads to a trap that was not shown yet; others after them."""
        fresh = [
            at
            for at in self.one_right_move
            if all(judged.after.tokens not in self.shown for judged in self.correct_moves(at))
        ]
        deeper = [at for at in fresh if self.depth(at) > 3]
        return [*deeper, *fresh, *self.deeper_exercises]

    def correct_moves(self, position: Position) -> tuple[MoveEvaluation, ...]:
        """The right moves."""
        return value_preserving(self.solution.evaluate_moves(position))

    def depth(self, position: Position) -> int:
        """How many turns are left; where whoever moves just loses at once, that comes last."""
        plies = self.solution.distance(position) or 0
        return plies if plies > 1 else UNREACHABLE_TURNS

    def example_depth_error(self, position: Position) -> int:
        """How far a position is from one that is neither too plain nor too deep for an example."""
        return abs(self.depth(position) - EXAMPLE_DEPTH_PLIES)

    def _apart(self, position: Position) -> int:
        """How far apart the players are in what is left to go: a close race is a better example."""
        if self.book.rules.shared:
            return 0
        first, second = (
            sum(self.book.distance_to_goal(p, at) for at in self.book.tokens_of(position, p)) for p in (1, 2)
        )
        return abs(first - second)
