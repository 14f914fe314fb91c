"""A token in the way: both share the place, it blocks landing and passing, or one stops just behind it.

The one-token rule ends at one's own goal: a token there or beyond is not in the way of anybody who has that goal, and
neither is one that is home or out of the game. So `others` are places, each with whether the token there counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from numberline.rules.arithmetic import Number, Truth, both, either, where

Others: TypeAlias = Sequence[tuple[Number, Truth]]
"""The places of the other tokens, each with whether that token can be in the way."""


def in_the_way(place: Number, wanted: Number, heading: int, others: Others) -> Truth:
    """Whether a token stands where the move ends or passes; leaving a shared place passes over nobody."""
    blocked: Truth = False
    for other, counts in others:
        ahead = (other > place) & (other <= wanted) if heading > 0 else (other < place) & (other >= wanted)
        blocked = either(blocked, both(counts, ahead))
    return blocked


def just_behind(place: Number, wanted: Number, heading: int, others: Others, free: tuple[Number, ...]) -> Number:
    """The nearest place, looking back from where the move would end, that no other token stands on.

    Nobody goes further back than to where they stand, and on the places in `free` any number of tokens may stand.
    """
    landed = wanted
    if len(others) > 1:  # one token alone can't push anybody further back than where they stand
        free = (*free, place)
    for _ in others:
        taken: Truth = False
        for other, counts in others:
            taken = either(taken, both(counts, other == landed))
        if taken is False:
            break
        for allowed in free:
            taken = both(taken, landed != allowed)
        landed = where(taken, landed - heading, landed)
    return landed
