"""Legality of moves: bounds on each player's tokens, the `overshoot` rule and the `meeting` rule.

Each player moves on a section of the line. Each end of this section is either a wall, which no move can pass, or one of
the player's goals.

There is one check for each reason why a move can be illegal. A check returns true if the move is illegal, so a move is
legal if all checks return false. `move_text.why_not` describes the check that failed.

A token at or past the mover's goal is never in the way, nor is one that has reached its own goal or is out of the game.
Therefore, every token other than the moving one is represented by its place and by whether it can be in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_not, logical_or, where
from numberline.game.moves import NO_STRIDE, Move, forward_directions, is_forward_only
from numberline.game.rules import Rules

OtherTokens: TypeAlias = Sequence[tuple[IntOrArray, BoolOrArray]]
"""The place of each token other than the moving one, and whether that token can be in the way."""


# Bounds


class Overshoot(NamedTuple):
    """Effect of one value of the `overshoot` rule."""

    legal: bool
    """Whether a move can go past the goal."""
    reaches_goal: bool = False
    eliminates: bool = False


OVERSHOOT = {
    "refused": Overshoot(legal=False),
    "loses": Overshoot(legal=True, eliminates=True),
    "counts": Overshoot(legal=True, reaches_goal=True),
}


class Bounds(NamedTuple):
    """The section of the line on which a player's tokens move; None means that there is no such limit or goal."""

    floor: int | None
    ceiling: int | None
    left_goal: int | None
    right_goal: int | None
    exact: bool
    """Whether a goal must be reached exactly; if not, passing it counts as reaching it."""

    def is_out_of_bounds(self, place: IntOrArray, heading: int) -> BoolOrArray:
        """Return whether `place` is beyond the limit for moves in this direction."""
        return _beyond(place, self.floor, self.ceiling, heading)

    def is_past_goal(self, place: IntOrArray, heading: int) -> BoolOrArray:
        """Return whether a move in this direction that ends at `place` goes past a goal."""
        return _beyond(place, self.left_goal, self.right_goal, heading)

    def has_reached_goal(self, place: IntOrArray) -> BoolOrArray:
        """Return whether a token at `place` has reached its goal."""
        if not self.exact:
            return self.is_at_or_past_goal(place)
        at_left = False if self.left_goal is None else place == self.left_goal
        return logical_or(at_left, False if self.right_goal is None else place == self.right_goal)

    def is_at_or_past_goal(self, place: IntOrArray) -> BoolOrArray:
        at_left = False if self.left_goal is None else place <= self.left_goal
        return logical_or(at_left, False if self.right_goal is None else place >= self.right_goal)

    def open_range(self, line: tuple[int, int]) -> tuple[int, int]:
        """Return the first and last places on the line at which a token has not reached its goal."""
        low = line[0] if self.left_goal is None else max(line[0], self.left_goal + 1)
        high = line[1] if self.right_goal is None else min(line[1], self.right_goal - 1)
        return low, high

    def nearest_goal(self, place: int) -> int:
        goals = [goal for goal in (self.left_goal, self.right_goal) if goal is not None]
        return min(goals, key=lambda goal: abs(goal - place))

    def distance_to_goal(self, place: IntOrArray) -> IntOrArray:
        """Return the distance from `place` to the nearest goal; negative if `place` is past it."""
        if self.left_goal is None or self.right_goal is None:
            return self.right_goal - place if self.left_goal is None else place - self.left_goal
        is_left = place - self.left_goal < self.right_goal - place
        return where(is_left, place - self.left_goal, self.right_goal - place)


def _beyond(place: IntOrArray, low: IntOrArray | None, high: IntOrArray | None, heading: int) -> BoolOrArray:
    """Return whether `place` is beyond `high` (moving right) or `low` (moving left); None means no limit."""
    if heading > 0:
        return False if high is None else place > high
    return False if low is None else place < low


def player_bounds(rules: Rules) -> tuple[Bounds, ...]:
    """Return the bounds of each player, indexed by player number (entry 0 is unused)."""
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
    """Return the range of places that each token can occupy."""
    moves = [move for move in choices if move.token is not None]
    ranges = [_reachable_range(rules, moves, bounds[player], player) for player in range(1, rules.players + 1)]
    if rules.shared:
        return (range(min(low for low, _ in ranges), max(high for _, high in ranges) + 1),)
    return tuple(range(low, high + 1) for low, high in ranges for _ in range(rules.tokens))


def _reachable_range(rules: Rules, moves: Sequence[Move], bounds: Bounds, player: int) -> tuple[int, int]:
    """Return the lowest and highest places that one of this player's tokens can reach."""
    low, high = rules.line
    low = low if bounds.left_goal is None else max(low, bounds.left_goal)
    high = high if bounds.right_goal is None else min(high, bounds.right_goal)
    if OVERSHOOT[rules.overshoot].reaches_goal:
        beyond = [move.target(place, player) for move in moves for place in (low + 1, high - 1)]
        low = min([low, *beyond]) if bounds.left_goal is not None else low
        high = max([high, *beyond]) if bounds.right_goal is not None else high
    start, headings = rules.starts[player - 1], {move.heading[player] for move in moves}
    return low if -1 in headings else start, high if 1 in headings else start


# Legality


class Meeting(NamedTuple):
    """Effect of one value of the `meeting` rule."""

    blocks: bool = False
    """Whether moves that would land on or pass another token are illegal."""
    stops: bool = False
    """Whether a move that would land on another token stops at the nearest free place before it."""


MEETING = {"shares": Meeting(), "blocks": Meeting(blocks=True), "stops": Meeting(stops=True)}


class MoveAttempt(NamedTuple):
    """A move in a position, with all the data that the legality checks need."""

    move: Move
    turn: int
    place: IntOrArray
    target: IntOrArray
    bounds: Bounds
    last: IntOrArray
    others: OtherTokens

    @property
    def heading(self) -> int:
        """Direction of the move: 1 for right, -1 for left."""
        return self.move.heading[self.turn]


def is_home(attempt: MoveAttempt) -> BoolOrArray:
    """Return whether the token has already reached its goal, where it must stay."""
    return attempt.bounds.has_reached_goal(attempt.place)


def leaves_line(attempt: MoveAttempt) -> BoolOrArray:
    """Return whether the move leaves the line, or goes past a goal when overshooting is illegal."""
    return attempt.bounds.is_out_of_bounds(attempt.target, attempt.heading)


def has_remainder(attempt: MoveAttempt) -> BoolOrArray:
    """Return whether the move is a division that leaves a remainder."""
    return logical_not(attempt.move.divides_evenly(attempt.place))


def is_blocked(attempt: MoveAttempt) -> BoolOrArray:
    """Return whether another token is in the way, either at the move's target or before it."""
    place, target = attempt.place, attempt.target
    blocked: BoolOrArray = False
    for other, counts in attempt.others:
        ahead = (other > place) & (other <= target) if attempt.heading > 0 else (other < place) & (other >= target)
        blocked = logical_or(blocked, logical_and(counts, ahead))
    return blocked


def is_repeated(attempt: MoveAttempt) -> BoolOrArray:
    """Return whether the previous player chose the same stride; a skipped or passed turn bans nothing."""
    return (attempt.move.stride == attempt.last) & (attempt.move.stride != NO_STRIDE)


IllegalityCheck = Callable[[MoveAttempt], BoolOrArray]


def illegality_checks(rules: Rules) -> tuple[IllegalityCheck, ...]:
    """Return the checks that can fail under these rules."""
    possible: dict[IllegalityCheck, bool] = {
        is_home: rules.tokens > 1,
        has_remainder: any(operation.sign == "/" for operation in rules.operations),
        leaves_line: not OVERSHOOT[rules.overshoot].legal or not is_forward_only(rules),
        is_blocked: MEETING[rules.meeting].blocks,
        is_repeated: rules.repeat == "banned",
    }
    return tuple(check for check, can_fail in possible.items() if can_fail)


def stop_behind(
    place: IntOrArray, target: IntOrArray, heading: int, others: OtherTokens, shared_places: tuple[IntOrArray, ...]
) -> IntOrArray:
    """Return the first free place, starting at `target` and going back towards `place`.

    A token is never pushed back behind its own place. Any number of tokens can stand on `shared_places`.
    """
    landed = target
    if len(others) > 1:  # one other token can't push the mover back behind its own place
        shared_places = (*shared_places, place)
    for _ in others:
        taken: BoolOrArray = False
        for other, counts in others:
            taken = logical_or(taken, logical_and(counts, other == landed))
        if taken is False:
            break
        for allowed in shared_places:
            taken = logical_and(taken, landed != allowed)
        landed = where(taken, landed - heading, landed)
    return landed
