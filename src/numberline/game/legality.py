"""Legality of moves, and the `meeting` rule for tokens that are in the way of a move.

There is one check for each reason why a move can be illegal. A check returns true if the move is illegal, so a move is
legal if all checks return false. `move_text.why_not` describes the check that failed.

A token at or past the mover's goal is never in the way, nor is one that has reached its own goal or is out of the game.
For this reason, each of the other tokens is represented by its place and by whether it can be in the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from numberline.game.bounds import OVERSHOOT, Bounds
from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_not, logical_or, where
from numberline.game.moves import NO_STRIDE, Move, is_forward_only
from numberline.game.rules import Rules

OtherTokens: TypeAlias = Sequence[tuple[IntOrArray, BoolOrArray]]
"""The place of each other token, and whether it can be in the way."""


class Meeting(NamedTuple):
    """Effect of one value of the `meeting` rule."""

    blocks: bool = False
    """Whether moves that would land on or pass another token are illegal."""
    stops: bool = False
    """Whether a move that would land on another token stops one place short of it."""


MEETING = {"shares": Meeting(), "blocks": Meeting(blocks=True), "stops": Meeting(stops=True)}


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
    """Return whether a token stands between the start (exclusive) and the end (inclusive) of the move."""
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
