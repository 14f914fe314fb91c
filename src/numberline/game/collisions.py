"""A token in the way: both share the place, it blocks landing and passing, or one stops just behind it.

The one-token rule ends at one's own goal: a token there or beyond is not in the way of anybody who has that goal, and
neither is one that is home or out of the game. So `others` are places, each with whether the token there counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_or, where

OtherTokens: TypeAlias = Sequence[tuple[IntOrArray, BoolOrArray]]
"""The places of the other tokens, each with whether that token can be in the way."""


def is_path_blocked(place: IntOrArray, wanted: IntOrArray, heading: int, others: OtherTokens) -> BoolOrArray:
    """Whether a token stands where the move ends or passes; leaving a shared place passes over nobody."""
    blocked: BoolOrArray = False
    for other, counts in others:
        ahead = (other > place) & (other <= wanted) if heading > 0 else (other < place) & (other >= wanted)
        blocked = logical_or(blocked, logical_and(counts, ahead))
    return blocked


def stop_behind(
    place: IntOrArray, wanted: IntOrArray, heading: int, others: OtherTokens, shared_places: tuple[IntOrArray, ...]
) -> IntOrArray:
    """The nearest place, looking back from where the move would end, that no other token stands on.

    Nobody goes further back than to where they stand, and on the places in `free` any number of tokens may stand.
    """
    landed = wanted
    if len(others) > 1:  # one token alone can't push anybody further back than where they stand
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
