"""The level of the next computer opponent."""

from __future__ import annotations

MIN_LEVEL, INITIAL_LEVEL, MAX_LEVEL = 1, 3, 10


def next_level(level: int, *, won: bool) -> int:
    """Return the level after a game: one up after a win, one down after a loss.

    >>> next_level(3, won=True), next_level(1, won=False)
    (4, 1)
    """
    return min(MAX_LEVEL, max(MIN_LEVEL, level + (1 if won else -1)))
