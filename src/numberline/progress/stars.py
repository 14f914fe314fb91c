"""Stars for a game of the ladder, a lesson or a puzzle."""

from __future__ import annotations

from numberline.text import join_and

MAX_STARS = 3


def stars_for(*, won: bool, helped: bool, mistakes: int) -> int:
    """Return the stars for a result: one for winning, one more without hint or undo, one more without a mistake.

    >>> [stars_for(won=True, helped=helped, mistakes=mistakes) for helped in (True, False) for mistakes in (1, 0)]
    [1, 2, 2, 3]
    """
    return won * (1 + (not helped) + (mistakes == 0))


def puzzle_stars(stars: int, tries: int) -> int:
    """Return the stars for solving a puzzle of so many stars: one fewer at the second try, but at least one.

    >>> [puzzle_stars(stars, tries) for stars in (1, 3) for tries in (1, 2)]
    [1, 1, 3, 2]
    """
    return max(1, stars + 1 - tries)


def draw_stars(stars: int) -> str:
    """Return stars as symbols.

    >>> draw_stars(2)
    '★★☆'
    """
    return "★" * stars + "☆" * (MAX_STARS - stars)


def missing_stars(*, won: bool, helped: bool, mistakes: int) -> str:
    """Return a sentence that says what the missing stars need; an empty string if none is missing.

    >>> missing_stars(won=True, helped=True, mistakes=0)
    'One more star: win in one go, without hints or values.'
    """
    if not won:
        return "Your first star: win the game."
    needs = ["in one go, without hints or values"] * helped + ["without a mistake"] * (mistakes > 0)
    count = "Two more stars" if len(needs) > 1 else "One more star"
    return f"{count}: win {join_and(needs)}." if needs else ""
