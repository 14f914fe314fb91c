"""Which moves are allowed: every reason for which a move can be refused, each written once.

A move is legal where nothing speaks against it. The same tests tell a player why a move was refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from numberline.game.bounds import Bounds
from numberline.game.collisions import OtherTokens, is_path_blocked
from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_not
from numberline.game.moves import NO_STRIDE, Move, is_forward_only
from numberline.game.rules import Rules


class MoveAttempt(NamedTuple):
    """One move tried out in a position."""

    move: Move
    turn: int
    place: IntOrArray
    target: IntOrArray
    bounds: Bounds
    last: IntOrArray
    others: OtherTokens

    @property
    def heading(self) -> int:
        """Which way the token goes: 1 for right, -1 for left."""
        return self.move.heading[self.turn]


def is_home(attempt: MoveAttempt) -> BoolOrArray:
    """A token that has reached its goal moves no more."""
    return attempt.bounds.has_reached_goal(attempt.place)


def leaves_line(attempt: MoveAttempt) -> BoolOrArray:
    """No token goes off the line, nor past its goal where that is refused."""
    return attempt.bounds.is_out_of_bounds(attempt.target, attempt.heading)


def has_remainder(attempt: MoveAttempt) -> BoolOrArray:
    """A division must come out even."""
    return logical_not(attempt.move.divides_evenly(attempt.place))


def is_blocked(attempt: MoveAttempt) -> BoolOrArray:
    """Nobody lands on or passes over a token where tokens block."""
    return is_path_blocked(attempt.place, attempt.target, attempt.heading, attempt.others)


def is_repeated(attempt: MoveAttempt) -> BoolOrArray:
    """The stride that the player before has just chosen may be banned; a skipped or a lost turn bans nothing."""
    return (attempt.move.stride == attempt.last) & (attempt.move.stride != NO_STRIDE)


IllegalityCheck = Callable[[MoveAttempt], BoolOrArray]


def illegality_checks(rules: Rules) -> tuple[IllegalityCheck, ...]:
    """What can speak against a move in this book."""
    possible: dict[IllegalityCheck, bool] = {
        is_home: rules.tokens > 1,
        has_remainder: any(operation.sign == "/" for operation in rules.operations),
        leaves_line: rules.overshoot == "refused" or not is_forward_only(rules),
        is_blocked: rules.meeting == "blocks",
        is_repeated: rules.repeat == "banned",
    }
    return tuple(objection for objection, can_happen in possible.items() if can_happen)
