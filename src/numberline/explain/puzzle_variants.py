"""Puzzles under changed rules: a rule or two of the game is another one here, so that habit is no help."""

from __future__ import annotations

import random
from collections import Counter
from typing import NamedTuple

from numberline.explain.puzzle import Puzzle, puzzles
from numberline.explain.queries import move_distance
from numberline.game.book import Book
from numberline.game.variant_syntax import split_variant
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution

MAX_TRIVIAL_PLIES = 2
"""Nothing is asked that needs no more turns than these to look ahead: such a win is plain to see."""
INITIAL_VARIANT_COUNT = 6
"""The first puzzles are drawn from so many variants; each puzzle after them opens up one more."""

VARIANT_SETTINGS = {
    "reach-the-edge": """
        reverse=true
        end=10, steps=1,4
        end=14, steps=2,5
        end=16, steps=1,4
        end=17, steps=1,3,5
        end=19, steps=1,3,5
        end=19, steps=1,4
        steps=1,3,4, overshoot=loses
        steps=1-4, reverse=true
        steps=2-4, reverse=true
        end=10, steps=1,3,4, overshoot=loses
        end=11, steps=1,3,4, overshoot=loses
        end=12, steps=1,3,4, overshoot=loses
        end=12, steps=1-4, reverse=true
        end=12, steps=2-4, reverse=true
        end=13, steps=1-4, reverse=true
        end=13, steps=2-4, reverse=true
        end=14, steps=1,3,4, overshoot=loses
        end=14, steps=1-4, reverse=true
        end=14, steps=2-4, reverse=true
        end=16, steps=1-4, reverse=true
        end=16, steps=2-4, reverse=true
        end=17, steps=1,3,4, overshoot=loses
        end=17, steps=1,3,5, overshoot=loses
        end=17, steps=1-4, reverse=true
        end=17, steps=2-4, reverse=true
        end=18, steps=1-4, reverse=true
        end=18, steps=2-4, reverse=true
        end=19, steps=1,3,5, overshoot=loses
        end=19, steps=1-4, reverse=true
        end=19, steps=2-4, reverse=true
        steps=1,2,5, overshoot=loses, reverse=true
        steps=1-4, reverse=true, skip=true
        steps=2,3,5, overshoot=loses, reverse=true
        steps=2-3, overshoot=loses, reverse=true
    """,
    "number-reach": """
        operations="+1 *2 *3"
        operations="+1 +2 *3"
        operations="+2 +3 *2"
        operations="+3 -1 *2"
        target=14
        target=16
        target=24
        target=26
        operations="+2 +3 *2", repeat=banned
        target=15, operations="+1 +2 *3"
        target=19, operations="+2 +3 *2"
        target=21, operations="+4 -1 *2"
        target=22, operations="+2 +3 *2"
        target=23, operations="+4 -1 *2"
        target=24, operations="+1 +2 *3"
        target=24, operations="+2 +3 *2"
        target=27, operations="+1 +2 *3"
        target=30, operations="+1 +2 *3"
        operations="+1 +3 *2", overshoot=refused, repeat=banned
        operations="+2 +3 *2", overshoot=refused, repeat=banned
        target=15, operations="+1 +2 *3", repeat=banned
        target=16, operations="+3 -1 *2", overshoot=refused
        target=18, operations="+2 +3 *2", overshoot=refused
        target=21, operations="+1 +2 *3", overshoot=refused
        target=21, operations="+4 -1 *2", overshoot=refused
        target=23, operations="+2 +3 *2", overshoot=counts
        target=23, operations="+2 +3 *2", overshoot=refused
        target=24, operations="+1 +2 *3", overshoot=refused
        target=24, operations="+2 +3 *2", overshoot=counts
        target=25, operations="+2 +3 *2", repeat=banned
        target=27, operations="+1 +2 *3", overshoot=refused
        target=27, operations="+2 +3 *2", overshoot=refused
    """,
    "number-line-sprint": """
        end=14, steps=1,4
        end=15, steps=1,4
        end=15, steps=2-3
        end=16, steps=2-3
        repeat=banned, skip=true
        steps=1,2,4, repeat=banned
        steps=1,3, overshoot=loses
        steps=1,3,4, repeat=banned
        steps=1-4, repeat=banned
        stuck=passes, repeat=banned
        end=13, steps=1,2,5, repeat=banned
        end=14, steps=1,2,5, repeat=banned
        end=15, steps=1,2,5, repeat=banned
        end=15, steps=1,3,4, repeat=banned
        end=15, steps=1,3,5, overshoot=loses
        end=15, steps=1,3,5, repeat=banned
        steps=1,2,4, meeting=stops, repeat=banned
        steps=1,2,4, repeat=banned, skip=true
        steps=1,3,4, meeting=stops, repeat=banned
        steps=1-4, meeting=stops, repeat=banned
        steps=1-4, repeat=banned, skip=true
        steps=1-4, stuck=passes, repeat=banned
        steps=2-4, meeting=stops, repeat=banned
        steps=2-4, stuck=passes, repeat=banned
    """,
    "flag-chase": """
        repeat=banned
        end=14, repeat=banned
        end=15, repeat=banned
        end=15, steps=2-3
        end=16, repeat=banned
        end=17, repeat=banned
        end=17, steps=2-3
        reverse=true, repeat=banned
        skip=true, repeat=banned
        steps=1-4, repeat=banned
        steps=2-4, repeat=banned
        end=12, flag=5, repeat=banned
        end=14, reverse=true, repeat=banned
        end=14, skip=true, repeat=banned
        end=14, steps=1-4, repeat=banned
        end=15, reverse=true, repeat=banned
        end=15, skip=true, repeat=banned
        end=16, skip=true, repeat=banned
        end=17, reverse=true, repeat=banned
        end=17, skip=true, repeat=banned
        reverse=true, skip=true, repeat=banned
        skip=true, overshoot=loses, repeat=banned
        steps=1-4, overshoot=loses, repeat=banned
        steps=2-3, skip=true, repeat=banned
        steps=2-4, skip=true, repeat=banned
    """,
    "line-runner": """
        end=10, overshoot=refused, repeat=banned
        end=11, overshoot=refused, repeat=banned
        end=12, overshoot=refused, repeat=banned
        end=12, steps=1,3,5, overshoot=refused
        end=13, overshoot=refused, repeat=banned
        end=13, steps=2,3,5, overshoot=refused
        end=14, overshoot=refused, repeat=banned
        end=14, steps=2,3,5, overshoot=refused
        end=15, steps=2,3,5, overshoot=refused
        end=8, overshoot=refused, repeat=banned
        end=9, overshoot=refused, repeat=banned
        steps=2,3,5, overshoot=refused, meeting=shares
        end=10, steps=1,3,4, overshoot=refused
        end=11, steps=1,3,4, overshoot=refused
        end=12, steps=2-3, overshoot=refused
        end=13, steps=1,3,4, overshoot=refused
        end=13, steps=2,5, overshoot=refused
        end=14, steps=1,3,4, overshoot=refused
        end=14, steps=1,3,5, overshoot=refused
        end=14, steps=2,5, overshoot=refused
        end=14, steps=2-3, overshoot=refused
        end=15, steps=1,3,4, overshoot=refused
        end=9, steps=1,3,4, overshoot=refused
        end=9, steps=2-3, overshoot=refused
        steps=2,3,5, overshoot=refused, reverse=true
    """,
}
"""Settings of each book, small changes first, under which the right move is now this one and now that one."""


class SolvedPuzzle(NamedTuple):
    """A puzzle and the solution that it comes from."""

    solution: Solution
    puzzle: Puzzle


class VariantPuzzles:
    """The puzzles of one book under changed rules, drawn one at a time, each once."""

    def __init__(self, book: Book, rng: random.Random) -> None:
        self._rng = rng
        texts = filter(None, map(str.strip, VARIANT_SETTINGS.get(book.name, "").splitlines()))
        # A book that has no changes of its own is asked as it is.
        self._variants = [book.vary(*split_variant(f"{book.name}({text})")[1]) for text in texts] or [book]
        self._left: dict[Book, list[Puzzle]] = {}
        """Of each variant that was drawn from, the puzzles that are still to be asked."""
        self._open = INITIAL_VARIANT_COUNT
        self._right: Counter[str] = Counter()
        """How often each answer was right."""

    def draw(self) -> SolvedPuzzle | None:
        """The next puzzle; None where there are no more."""
        while self._variants:
            varied = self._rng.choice(self._variants[: self._open])
            solution = cached_solution(varied)
            if varied not in self._left:
                self._left[varied] = [
                    puzzle for puzzle in puzzles(solution, self._rng) if puzzle.plies > MAX_TRIVIAL_PLIES
                ]
            left = self._left[varied]
            if left:
                self._open += 1
                chosen = self._one_of(left, solution)
                self._right[chosen.right] += 1
                left.remove(chosen)
                return SolvedPuzzle(solution, chosen)
            self._variants.remove(varied)
        return None

    def _one_of(self, left: list[Puzzle], solution: Solution) -> Puzzle:
        """One of a variant's puzzles; half of the time a wrong move is to go further, where there is such a puzzle.

        Every answer is as likely, but for one that was right in more than a third of the puzzles so far.
        """
        rng, most = self._rng, 1 + self._right.total() // 3
        fresh = [puzzle for puzzle in left if self._right[puzzle.right] < most] or left
        tempting = [puzzle for puzzle in fresh if is_tempting(solution, puzzle)]
        among = rng.choice([fresh, tempting or fresh])
        right = rng.choice(sorted({puzzle.right for puzzle in among}))
        return rng.choice([puzzle for puzzle in among if puzzle.right == right])


def is_tempting(solution: Solution, puzzle: Puzzle) -> bool:
    """Whether a wrong move goes further than the right one."""
    book, position = solution.book, puzzle.position
    lengths = {str(move): move_distance(book, position, move) for move in book.moves(position)}
    return max(lengths.values()) > lengths[puzzle.right]
