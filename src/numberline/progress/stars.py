"""Stars for a game of the ladder, a lesson or a puzzle."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.text import spell_ordinal

MAX_STARS = 3
PRACTICE = "This was practice, so it gives no stars."


def stars_for(*, won: bool, helped: bool, mistakes: int) -> int:
    """Return the stars for a result: one for winning, one more without hint or undo, one more without a mistake.

    >>> [stars_for(won=True, helped=helped, mistakes=mistakes) for helped in (True, False) for mistakes in (1, 0)]
    [1, 2, 2, 3]
    """
    return won * (1 + (not helped) + (mistakes == 0))


def puzzle_stars(stars: int, tries: int) -> int:
    """Return the stars for solving a puzzle: its own, one fewer at the second try, but at least one.

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


def missing_stars(*, won: bool, helped: bool, mistakes: Sequence[int]) -> str:
    """Return sentences that say what the missing stars need; an empty string if none is missing.

    `mistakes` has the numbers of the player's moves that were mistakes.

    >>> missing_stars(won=True, helped=True, mistakes=[])
    'One more star: win without hint, why, values or undo.'
    >>> missing_stars(won=True, helped=False, mistakes=[2, 3])
    'One more star: win without a mistake. Your second move was one.'
    """
    if not won:
        return "Your first star: win the game."
    needs = ["without hint, why, values or undo"] * helped + ["without a mistake"] * bool(mistakes)
    count = "Two more stars" if len(needs) > 1 else "One more star"
    named = f" Your {spell_ordinal(mistakes[0])} move was one." if mistakes else ""
    return f"{count}: win {', and '.join(needs)}.{named}" if needs else ""
