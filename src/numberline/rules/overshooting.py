"""Going past one's goal: refused, it loses, or it counts as reaching it.

Each player has a stretch of the line to move on. An end of it is a goal of theirs or a wall. A wall is never passed;
what happens past a goal is the book's answer.
"""

from __future__ import annotations

from typing import NamedTuple

from numberline.rules.answers import Rules
from numberline.rules.arithmetic import Number, Truth

FAR = 1 << 62
"""Further than any line goes."""


class Stretch(NamedTuple):
    """The part of the line that a player's token moves on."""

    floor: int
    ceiling: int
    """No token of this player's may go below the one or above the other."""
    left_goal: int
    right_goal: int
    """At or beyond these a token is home; far off the line where there is no goal on that side."""

    def leaves(self, place: Number) -> Truth:
        """Whether no token may get there."""
        return _outside(place, self.floor, self.ceiling)

    def home(self, place: Number) -> Truth:
        """Whether a token there has reached its goal."""
        return _outside(place, self.left_goal + 1, self.right_goal - 1)

    def past(self, place: Number) -> Truth:
        """Whether a token there is beyond its goal."""
        return _outside(place, self.left_goal, self.right_goal)


def _outside(place: Number, low: int, high: int) -> Truth:
    """Whether a place is below the one or above the other; a far one is not looked at."""
    if low <= 1 - FAR:
        return place > high
    if high >= FAR - 1:
        return place < low
    return (place < low) | (place > high)


def stretches(rules: Rules, forward: tuple[int, ...]) -> tuple[Stretch, ...]:
    """Each player's part of the line (`stretches[0]` is nobody's)."""
    nobody = Stretch(0, 0, 0, 0)
    return (nobody, *(_stretch(rules, goals, side) for goals, side in zip(rules.goals, forward[1:], strict=True)))


def _stretch(rules: Rules, goals: tuple[int, ...], side: int) -> Stretch:
    low, high = rules.line
    left_goal = goals[0] if len(goals) == 2 or side < 0 else -FAR
    right_goal = goals[-1] if len(goals) == 2 or side > 0 else FAR
    may_pass = rules.overshoot != "refused"
    return Stretch(
        floor=-FAR if may_pass and left_goal != -FAR else max(low, left_goal),
        ceiling=FAR if may_pass and right_goal != FAR else min(high, right_goal),
        left_goal=left_goal,
        right_goal=right_goal,
    )
