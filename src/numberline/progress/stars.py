"""Stars for a game of the ladder or a lesson."""

from __future__ import annotations

MAX_STARS = 3


def stars_for(*, won: bool, helped: bool, mistakes: int) -> int:
    """Return the stars for a result: one for winning, one more without hint or undo, one more without a mistake.

    >>> [stars_for(won=True, helped=helped, mistakes=mistakes) for helped in (True, False) for mistakes in (1, 0)]
    [1, 2, 2, 3]
    """
    return won * (1 + (not helped) + (mistakes == 0))


def draw_stars(stars: int) -> str:
    """Return stars as symbols.

    >>> draw_stars(2)
    '★★☆'
    """
    return "★" * stars + "☆" * (MAX_STARS - stars)
