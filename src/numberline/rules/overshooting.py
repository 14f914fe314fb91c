"""Going past one's goal: refused, it loses, or it counts as reaching it.

Each player has a stretch of the line to move on. An end of it is a goal of theirs or a wall. A wall is never passed;
what happens past a goal is the book's answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.rules.answers import Rules
from numberline.rules.arithmetic import Number, Truth, either
from numberline.rules.moves import Move, sides


class Stretch(NamedTuple):
    """The part of the line that a player's token moves on; None where nothing ends it on that side."""

    floor: int | None
    ceiling: int | None
    """No move of this player's goes below the one or above the other."""
    left_goal: int | None
    right_goal: int | None
    exact: bool
    """Whether a goal must be hit; else going past it counts as reaching it."""

    def leaves(self, place: Number, heading: int) -> Truth:
        """Whether no move that goes this way may end there."""
        return _beyond(place, self.floor, self.ceiling, heading)

    def past(self, place: Number, heading: int) -> Truth:
        """Whether a move that goes this way and ends there goes past its goal."""
        return _beyond(place, self.left_goal, self.right_goal, heading)

    def home(self, place: Number) -> Truth:
        """Whether a token there has reached its goal."""
        if not self.exact:
            return self.at_or_past(place)
        at_left = False if self.left_goal is None else place == self.left_goal
        return either(at_left, False if self.right_goal is None else place == self.right_goal)

    def at_or_past(self, place: Number) -> Truth:
        """Whether a place is a goal or beyond one."""
        at_left = False if self.left_goal is None else place <= self.left_goal
        return either(at_left, False if self.right_goal is None else place >= self.right_goal)

    def in_play(self, line: tuple[int, int]) -> tuple[int, int]:
        """The first and the last place of the line on which a token is not home yet."""
        low, high = line
        return (
            low if self.left_goal is None else max(low, self.left_goal + 1),
            high if self.right_goal is None else min(high, self.right_goal - 1),
        )

    def goal_near(self, place: int) -> int:
        """The goal that is nearest to a place."""
        goals = [goal for goal in (self.left_goal, self.right_goal) if goal is not None]
        return min(goals, key=lambda goal: abs(goal - place))

    def left_to_go(self, place: int) -> int:
        """How far it is from a place to the nearer goal; below 0 once it is passed."""
        left = [] if self.left_goal is None else [place - self.left_goal]
        right = [] if self.right_goal is None else [self.right_goal - place]
        return min(left + right)


def _beyond(place: Number, low: Number | None, high: Number | None, heading: int) -> Truth:
    """Whether a place is beyond the end that a move goes to, the right one for heading 1; None for no such end."""
    if heading > 0:
        return False if high is None else place > high
    return False if low is None else place < low


def stretches(rules: Rules) -> tuple[Stretch, ...]:
    """Each player's part of the line (`stretches[0]` is nobody's)."""
    nobody = Stretch(None, None, None, None, exact=True)
    return (nobody, *(_stretch(rules, goals, side) for goals, side in zip(rules.goals, sides(rules)[1:], strict=True)))


def _stretch(rules: Rules, goals: tuple[int, ...], side: int) -> Stretch:
    low, high = rules.line
    left_goal = goals[0] if len(goals) == 2 or side < 0 else None
    right_goal = goals[-1] if len(goals) == 2 or side > 0 else None
    may_pass = rules.overshoot != "refused"
    floor = low if left_goal is None else None if may_pass else max(low, left_goal)
    ceiling = high if right_goal is None else None if may_pass else min(high, right_goal)
    return Stretch(floor, ceiling, left_goal, right_goal, exact=rules.overshoot != "counts")


# How far tokens get


def ranges(rules: Rules, choices: Sequence[Move], stretches: Sequence[Stretch]) -> tuple[range, ...]:
    """For each token of a position, the places from the lowest to the highest that it can ever stand on."""
    moves = [move for move in choices if move.token is not None]
    each = [_reach(rules, moves, stretches[player], player) for player in range(1, rules.players + 1)]
    if rules.shared:
        return (range(min(low for low, _ in each), max(high for _, high in each) + 1),)
    return tuple(range(low, high + 1) for low, high in each for _ in range(rules.tokens))


def _reach(rules: Rules, moves: Sequence[Move], stretch: Stretch, player: int) -> tuple[int, int]:
    """The lowest and the highest place that a token of this player can get to."""
    low, high = rules.line
    low = low if stretch.left_goal is None else max(low, stretch.left_goal)
    high = high if stretch.right_goal is None else min(high, stretch.right_goal)
    if rules.overshoot == "counts":
        beyond = [move.wanted(place, player) for move in moves for place in (low + 1, high - 1)]
        low = min([low, *beyond]) if stretch.left_goal is not None else low
        high = max([high, *beyond]) if stretch.right_goal is not None else high
    start, headings = rules.starts[player - 1], {move.heading[player] for move in moves}
    return low if -1 in headings else start, high if 1 in headings else start
