"""Rules for stars, levels, puzzle ratings and streaks."""

from __future__ import annotations

from collections.abc import Sequence

from numberline.text import spell_ordinal

MAX_STARS = 3
PRACTICE = "This was practice, so it gives no stars."
TWO_STARS = "With more than two players, you can earn two stars."


def stars_for(*, won: bool, helped: bool, mistakes: int) -> int:
    """Return the stars for a result: one for winning, one more for using no help, and one more for making no mistake.

    >>> [stars_for(won=True, helped=helped, mistakes=mistakes) for helped in (True, False) for mistakes in (1, 0)]
    [1, 2, 2, 3]
    """
    return won * (1 + (not helped) + (mistakes == 0))


def puzzle_stars(stars: int, tries: int) -> int:
    """Return the stars for solving a puzzle: those of the puzzle, less one for each extra try, but at least one.

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
    """Return sentences that say how to get the missing stars; an empty string if none is missing.

    `mistakes` contains the numbers of the player's moves that were mistakes.

    >>> missing_stars(won=True, helped=True, mistakes=[])
    'To earn one more star, win without using hint, why, values or undo.'
    >>> missing_stars(won=True, helped=False, mistakes=[2, 3])
    'To earn one more star, win without a mistake. Your second move was a mistake.'
    """
    if not won:
        return "To earn your first star, win the game."
    needs = ["without using hint, why, values or undo"] * helped + ["without a mistake"] * bool(mistakes)
    count = "two more stars" if len(needs) > 1 else "one more star"
    named = f" Your {spell_ordinal(mistakes[0])} move was a mistake." if mistakes else ""
    return f"To earn {count}, win {', and '.join(needs)}.{named}" if needs else ""


# Levels and ratings

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
