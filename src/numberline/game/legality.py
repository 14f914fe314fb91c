"""Legality of moves: one check for each reason why a move can be illegal.

A check returns true if the move is illegal, so a move is legal if all checks return false. `move_text.why_not`
describes the check that failed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from numberline.game.bounds import OVERSHOOT, Bounds
from numberline.game.collisions import MEETING, OtherTokens, is_path_blocked
from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_not
from numberline.game.moves import NO_STRIDE, Move, is_forward_only
from numberline.game.rules import Rules


class MoveAttempt(NamedTuple):
    """A move in a position, with everything that the checks need."""

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
    """Return whether a division leaves a remainder."""
    return logical_not(attempt.move.divides_evenly(attempt.place))


def is_blocked(attempt: MoveAttempt) -> BoolOrArray:
    """Return whether the move lands on or passes over a blocking token."""
    return is_path_blocked(attempt.place, attempt.target, attempt.heading, attempt.others)


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
