"""Rules of a player's level and puzzle rating."""

from __future__ import annotations

MIN_LEVEL, INITIAL_LEVEL, MAX_LEVEL = 1, 3, 10
INITIAL_RATING = 800
ELO_K_FACTOR = 32
"""The maximum rating change after one puzzle."""


def next_level(level: int, *, won: bool | None, helped: bool = False) -> int:
    """Return the level after a game: one higher after a win without help, one lower after a loss.

    >>> next_level(3, won=True), next_level(3, won=True, helped=True), next_level(3, won=None), next_level(1, won=False)
    (4, 3, 3, 1)
    """
    change = {True: not helped, None: 0, False: -1}[won]
    return min(MAX_LEVEL, max(MIN_LEVEL, level + change))


def next_first(last: int, players: int) -> int:
    """Return the player who starts the next game: the one after `last`, who started the previous game (0 if none).

    >>> next_first(0, 2), next_first(1, 2), next_first(2, 2)
    (1, 2, 1)
    """
    return last % players + 1


def next_rating(rating: int, puzzle_rating: int, *, right: bool) -> int:
    """Return a player's Elo rating after a puzzle.

    >>> next_rating(800, 800, right=True), next_rating(800, 1200, right=True), next_rating(800, 400, right=False)
    (816, 829, 771)
    """
    expected = 1 / (1 + 10 ** min(10, (puzzle_rating - rating) / 400))
    return max(0, rating + round(ELO_K_FACTOR * (right - expected)))


def next_streak(streak: int, *, right: bool) -> int:
    return streak + 1 if right else 0
