"""The rule `meeting`: what a token in the way does to a move.

A token on or beyond the mover's goal is not in the way, nor is one that is home or out of the game. So the other tokens
are places, each with whether the token there counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_or, where

OtherTokens: TypeAlias = Sequence[tuple[IntOrArray, BoolOrArray]]
"""Places of the other tokens, each with whether that token can be in the way."""


class Meeting(NamedTuple):
    """Consequences of a value of the rule `meeting`."""

    blocks: bool = False
    """No move lands on a token or passes it."""
    stops: bool = False
    """A move that would land on a token ends one place before it."""


MEETING = {"shares": Meeting(), "blocks": Meeting(blocks=True), "stops": Meeting(stops=True)}


def is_path_blocked(place: IntOrArray, target: IntOrArray, heading: int, others: OtherTokens) -> BoolOrArray:
    """Return whether a token stands where the move ends or passes; leaving a shared place passes no token."""
    blocked: BoolOrArray = False
    for other, counts in others:
        ahead = (other > place) & (other <= target) if heading > 0 else (other < place) & (other >= target)
        blocked = logical_or(blocked, logical_and(counts, ahead))
    return blocked


def stop_behind(
    place: IntOrArray, target: IntOrArray, heading: int, others: OtherTokens, shared_places: tuple[IntOrArray, ...]
) -> IntOrArray:
    """Return the place closest to the target, looking back from it, on which no other token stands.

    A token never goes further back than its own place. Any number of tokens may stand on `shared_places`.
    """
    landed = target
    if len(others) > 1:  # a single token can't push another further back than its own place
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
