"""Which moves are allowed: every reason for which a move can be refused, each written once.

A move is legal where nothing speaks against it. The same tests tell a player why a move was refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from numberline.rules.answers import Rules
from numberline.rules.arithmetic import Number, Truth, no
from numberline.rules.meeting import Others, in_the_way
from numberline.rules.moves import NOTHING, Move, only_towards_the_goal
from numberline.rules.overshooting import Stretch


class Attempt(NamedTuple):
    """One move tried out in a position."""

    move: Move
    turn: int
    place: Number
    wanted: Number
    stretch: Stretch
    last: Number
    others: Others

    @property
    def heading(self) -> int:
        """Which way the token goes: 1 for right, -1 for left."""
        return self.move.heading[self.turn]


def is_home(attempt: Attempt) -> Truth:
    """A token that has reached its goal moves no more."""
    return attempt.stretch.home(attempt.place)


def leaves_the_line(attempt: Attempt) -> Truth:
    """No token goes off the line, nor past its goal where that is refused."""
    return attempt.stretch.leaves(attempt.wanted, attempt.heading)


def has_a_remainder(attempt: Attempt) -> Truth:
    """A division must come out even."""
    return no(attempt.move.comes_out_even(attempt.place))


def is_blocked(attempt: Attempt) -> Truth:
    """Nobody lands on or passes over a token where tokens block."""
    return in_the_way(attempt.place, attempt.wanted, attempt.heading, attempt.others)


def is_repeated(attempt: Attempt) -> Truth:
    """The stride that the player before has just chosen may be banned; a skipped or a lost turn bans nothing."""
    return (attempt.move.stride == attempt.last) & (attempt.move.stride != NOTHING)


Objection = Callable[[Attempt], Truth]


def objections(rules: Rules) -> tuple[Objection, ...]:
    """What can speak against a move in this book."""
    possible: dict[Objection, bool] = {
        is_home: rules.tokens > 1,
        has_a_remainder: any(operation.sign == "/" for operation in rules.operations),
        leaves_the_line: rules.overshoot == "refused" or not only_towards_the_goal(rules),
        is_blocked: rules.meeting == "blocks",
        is_repeated: rules.repeat == "banned",
    }
    return tuple(objection for objection, can_happen in possible.items() if can_happen)
