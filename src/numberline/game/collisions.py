"""The `meeting` rule, which says what happens when a token is in the way of a move.

A token at or past the mover's goal is never in the way, nor is one that has reached its own goal or is out of the game.
For this reason, each of the other tokens is represented by its place and by whether it can be in the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from numberline.game.elementwise import BoolOrArray, IntOrArray, logical_and, logical_or, where

OtherTokens: TypeAlias = Sequence[tuple[IntOrArray, BoolOrArray]]
"""The place of each other token, and whether it can be in the way."""


class Meeting(NamedTuple):
    """Effect of one value of the `meeting` rule."""

    blocks: bool = False
    """Whether moves that would land on or pass another token are illegal."""
    stops: bool = False
    """Whether a move that would land on another token stops one place short of it."""


MEETING = {"shares": Meeting(), "blocks": Meeting(blocks=True), "stops": Meeting(stops=True)}


def is_path_blocked(place: IntOrArray, target: IntOrArray, heading: int, others: OtherTokens) -> BoolOrArray:
    """Return whether a token stands between `place` (exclusive) and `target` (inclusive)."""
    blocked: BoolOrArray = False
    for other, counts in others:
        ahead = (other > place) & (other <= target) if heading > 0 else (other < place) & (other >= target)
        blocked = logical_or(blocked, logical_and(counts, ahead))
    return blocked


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
