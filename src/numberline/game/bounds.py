"""Bounds of the line and the rule `overshoot`: what happens to a move past the player's goal.

Each player moves on a part of the line. Each end of it is a wall, which no move passes, or a goal of the player's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_or
from numberline.game.moves import Move, forward_directions
from numberline.game.rules import Rules


class Overshoot(NamedTuple):
    """Consequences of a value of the rule `overshoot`."""

    legal: bool
    """A move may go past the goal."""
    reaches_goal: bool = False
    eliminates: bool = False


OVERSHOOT = {
    "refused": Overshoot(legal=False),
    "loses": Overshoot(legal=True, eliminates=True),
    "counts": Overshoot(legal=True, reaches_goal=True),
}


class Bounds(NamedTuple):
    """The part of the line that a player's tokens move on; None if a side is unbounded."""

    floor: int | None
    ceiling: int | None
    left_goal: int | None
    right_goal: int | None
    exact: bool
    """A goal must be hit exactly; otherwise passing it counts as reaching it."""

    def is_out_of_bounds(self, place: IntOrArray, heading: int) -> BoolOrArray:
        """Return whether no move in this direction may end there."""
        return _beyond(place, self.floor, self.ceiling, heading)

    def is_past_goal(self, place: IntOrArray, heading: int) -> BoolOrArray:
        """Return whether a move in this direction that ends there passes its goal."""
        return _beyond(place, self.left_goal, self.right_goal, heading)

    def has_reached_goal(self, place: IntOrArray) -> BoolOrArray:
        """Return whether a token there has reached its goal."""
        if not self.exact:
            return self.is_at_or_past_goal(place)
        at_left = False if self.left_goal is None else place == self.left_goal
        return logical_or(at_left, False if self.right_goal is None else place == self.right_goal)

    def is_at_or_past_goal(self, place: IntOrArray) -> BoolOrArray:
        """Return whether a place is a goal or beyond one."""
        at_left = False if self.left_goal is None else place <= self.left_goal
        return logical_or(at_left, False if self.right_goal is None else place >= self.right_goal)

    def open_range(self, line: tuple[int, int]) -> tuple[int, int]:
        """Return the first and the last place of the line on which a token is not home yet."""
        low = line[0] if self.left_goal is None else max(line[0], self.left_goal + 1)
        high = line[1] if self.right_goal is None else min(line[1], self.right_goal - 1)
        return low, high

    def nearest_goal(self, place: int) -> int:
        """Return the goal nearest to a place."""
        goals = [goal for goal in (self.left_goal, self.right_goal) if goal is not None]
        return min(goals, key=lambda goal: abs(goal - place))

    def distance_to_goal(self, place: int) -> int:
        """Return the distance to the nearest goal; negative once it is passed."""
        left = [] if self.left_goal is None else [place - self.left_goal]
        right = [] if self.right_goal is None else [self.right_goal - place]
        return min(left + right)


def _beyond(place: IntOrArray, low: IntOrArray | None, high: IntOrArray | None, heading: int) -> BoolOrArray:
    """Return whether a place is beyond the end in the direction of a move; None stands for no end."""
    if heading > 0:
        return False if high is None else place > high
    return False if low is None else place < low


def player_bounds(rules: Rules) -> tuple[Bounds, ...]:
    """Return the bounds of each player, indexed by the player's number (index 0 is unused)."""
    unused = Bounds(None, None, None, None, exact=True)
    sides = forward_directions(rules)[1:]
    return (unused, *(_bounds_of_player(rules, *pair) for pair in zip(rules.goals, sides, strict=True)))


def _bounds_of_player(rules: Rules, goals: tuple[int, ...], side: int) -> Bounds:
    low, high = rules.line
    left_goal = goals[0] if len(goals) == 2 or side < 0 else None
    right_goal = goals[-1] if len(goals) == 2 or side > 0 else None
    overshoot = OVERSHOOT[rules.overshoot]
    floor = low if left_goal is None else None if overshoot.legal else max(low, left_goal)
    ceiling = high if right_goal is None else None if overshoot.legal else min(high, right_goal)
    return Bounds(floor, ceiling, left_goal, right_goal, exact=not overshoot.reaches_goal)


def token_ranges(rules: Rules, choices: Sequence[Move], bounds: Sequence[Bounds]) -> tuple[range, ...]:
    """Return for each token the range of places that it can ever stand on."""
    moves = [move for move in choices if move.token is not None]
    ranges = [_reachable_range(rules, moves, bounds[player], player) for player in range(1, rules.players + 1)]
    if rules.shared:
        return (range(min(low for low, _ in ranges), max(high for _, high in ranges) + 1),)
    return tuple(range(low, high + 1) for low, high in ranges for _ in range(rules.tokens))


def _reachable_range(rules: Rules, moves: Sequence[Move], bounds: Bounds, player: int) -> tuple[int, int]:
    """Return the lowest and the highest place that a token of this player can reach."""
    low, high = rules.line
    low = low if bounds.left_goal is None else max(low, bounds.left_goal)
    high = high if bounds.right_goal is None else min(high, bounds.right_goal)
    if OVERSHOOT[rules.overshoot].reaches_goal:
        beyond = [move.target(place, player) for move in moves for place in (low + 1, high - 1)]
        low = min([low, *beyond]) if bounds.left_goal is not None else low
        high = max([high, *beyond]) if bounds.right_goal is not None else high
    start, headings = rules.starts[player - 1], {move.heading[player] for move in moves}
    return low if -1 in headings else start, high if 1 in headings else start
