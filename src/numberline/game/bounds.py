"""Going past one's goal: refused, it loses, or it counts as reaching it.

Each player has a stretch of the line to move on. An end of it is a goal of theirs or a wall. A wall is never passed;
what happens past a goal is the book's answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_or
from numberline.game.moves import Move, forward_directions
from numberline.game.rules import Rules


class Bounds(NamedTuple):
    """The part of the line that a player's token moves on; None where nothing ends it on that side."""

    floor: int | None
    ceiling: int | None
    """No move of this player's goes below the one or above the other."""
    left_goal: int | None
    right_goal: int | None
    exact: bool
    """Whether a goal must be hit; else going past it counts as reaching it."""

    def is_out_of_bounds(self, place: IntOrArray, heading: int) -> BoolOrArray:
        """Whether no move that goes this way may end there."""
        return _beyond(place, self.floor, self.ceiling, heading)

    def is_past_goal(self, place: IntOrArray, heading: int) -> BoolOrArray:
        """Whether a move that goes this way and ends there goes past its goal."""
        return _beyond(place, self.left_goal, self.right_goal, heading)

    def has_reached_goal(self, place: IntOrArray) -> BoolOrArray:
        """Whether a token there has reached its goal."""
        if not self.exact:
            return self.is_at_or_past_goal(place)
        at_left = False if self.left_goal is None else place == self.left_goal
        return logical_or(at_left, False if self.right_goal is None else place == self.right_goal)

    def is_at_or_past_goal(self, place: IntOrArray) -> BoolOrArray:
        """Whether a place is a goal or beyond one."""
        at_left = False if self.left_goal is None else place <= self.left_goal
        return logical_or(at_left, False if self.right_goal is None else place >= self.right_goal)

    def open_range(self, line: tuple[int, int]) -> tuple[int, int]:
        """The first and the last place of the line on which a token is not home yet."""
        low, high = line
        return (
            low if self.left_goal is None else max(low, self.left_goal + 1),
            high if self.right_goal is None else min(high, self.right_goal - 1),
        )

    def nearest_goal(self, place: int) -> int:
        """The goal that is nearest to a place."""
        goals = [goal for goal in (self.left_goal, self.right_goal) if goal is not None]
        return min(goals, key=lambda goal: abs(goal - place))

    def distance_to_goal(self, place: int) -> int:
        """How far it is from a place to the nearer goal; below 0 once it is passed."""
        left = [] if self.left_goal is None else [place - self.left_goal]
        right = [] if self.right_goal is None else [self.right_goal - place]
        return min(left + right)


def _beyond(place: IntOrArray, low: IntOrArray | None, high: IntOrArray | None, heading: int) -> BoolOrArray:
    """Whether a place is beyond the end that a move goes to, the right one for heading 1; None for no such end."""
    if heading > 0:
        return False if high is None else place > high
    return False if low is None else place < low


def player_bounds(rules: Rules) -> tuple[Bounds, ...]:
    """Each player's part of the line (`stretches[0]` is nobody's)."""
    nobody = Bounds(None, None, None, None, exact=True)
    return (
        nobody,
        *(
            _bounds_of_player(rules, goals, side)
            for goals, side in zip(rules.goals, forward_directions(rules)[1:], strict=True)
        ),
    )


def _bounds_of_player(rules: Rules, goals: tuple[int, ...], side: int) -> Bounds:
    low, high = rules.line
    left_goal = goals[0] if len(goals) == 2 or side < 0 else None
    right_goal = goals[-1] if len(goals) == 2 or side > 0 else None
    may_pass = rules.overshoot != "refused"
    floor = low if left_goal is None else None if may_pass else max(low, left_goal)
    ceiling = high if right_goal is None else None if may_pass else min(high, right_goal)
    return Bounds(floor, ceiling, left_goal, right_goal, exact=rules.overshoot != "counts")


# How far tokens get


def token_ranges(rules: Rules, choices: Sequence[Move], stretches: Sequence[Bounds]) -> tuple[range, ...]:
    """For each token of a position, the places from the lowest to the highest that it can ever stand on."""
    moves = [move for move in choices if move.token is not None]
    each = [_reachable_range(rules, moves, stretches[player], player) for player in range(1, rules.players + 1)]
    if rules.shared:
        return (range(min(low for low, _ in each), max(high for _, high in each) + 1),)
    return tuple(range(low, high + 1) for low, high in each for _ in range(rules.tokens))


def _reachable_range(rules: Rules, moves: Sequence[Move], stretch: Bounds, player: int) -> tuple[int, int]:
    """The lowest and the highest place that a token of this player can get to."""
    low, high = rules.line
    low = low if stretch.left_goal is None else max(low, stretch.left_goal)
    high = high if stretch.right_goal is None else min(high, stretch.right_goal)
    if rules.overshoot == "counts":
        beyond = [move.target(place, player) for move in moves for place in (low + 1, high - 1)]
        low = min([low, *beyond]) if stretch.left_goal is not None else low
        high = max([high, *beyond]) if stretch.right_goal is not None else high
    start, headings = rules.starts[player - 1], {move.heading[player] for move in moves}
    return low if -1 in headings else start, high if 1 in headings else start
