"""The value along a game: after each turn, who can force the win and how near the end is."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple


class Point(NamedTuple):
    """What could be forced at one moment of a game."""

    number: int
    """After how many plies."""
    winner: int
    """Who could force a win then; 0 for nobody."""
    plies: int | None
    """In how many turns."""


class Bar(NamedTuple):
    """One column of a chart: how far it goes up and down, from 0 to 1; both where several plies share it."""

    up: float
    down: float
    mistake: bool


def heights(series: Sequence[Point]) -> list[float]:
    """For each point from -1 to 1 how near the end is: above 0 where player 1 can force the win, below for player 2.

    1 is the end itself; the game's longest way to a forced win is the lowest bar. 0 is where nobody can force one.
    """
    longest = max((point.plies or 0 for point in series), default=0)
    return [_height(point, longest) for point in series]


def _height(point: Point, longest: int) -> float:
    if not point.winner:
        return 0.0
    near = 1 - (point.plies or 0) / (longest + 1)
    return near if point.winner == 1 else -near


def bars_of(curve: Sequence[float], mistakes: Collection[int], each: int) -> list[Bar]:
    """The columns, each of so many points: the furthest that it goes to either side."""
    parts = [range(begin, min(begin + each, len(curve))) for begin in range(0, len(curve), each)]
    return [
        Bar(
            max(0.0, *(curve[n] for n in part)),
            max(0.0, *(-curve[n] for n in part)),
            any(n in mistakes for n in part),
        )
        for part in parts
    ]
