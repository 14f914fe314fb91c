"""A player's ladder level, puzzle rating and puzzle results."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

MIN_LEVEL, INITIAL_LEVEL, MAX_LEVEL = 1, 3, 10
INITIAL_RATING = 800
ELO_K_FACTOR = 32
"""The maximum rating change after one puzzle."""


def next_level(level: int, *, won: bool) -> int:
    """Return the ladder level after a game: one higher after a win, one lower after a loss.

    >>> next_level(3, won=True), next_level(1, won=False)
    (4, 1)
    """
    return min(MAX_LEVEL, max(MIN_LEVEL, level + (1 if won else -1)))


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
    expected = 1 / (1 + 10 ** ((puzzle_rating - rating) / 400))
    return max(0, rating + round(ELO_K_FACTOR * (right - expected)))


def next_streak(streak: int, *, right: bool) -> int:
    return streak + 1 if right else 0


@dataclass(slots=True)
class PuzzleStats:
    """A player's puzzle results so far."""

    asked: int = 0
    solved: int = 0
    best_streak: int = 0
    rating: int = INITIAL_RATING
    daily: int = 0
    """Date of the last daily puzzle as a number, such as 20260131; 0 if there was none."""
    daily_done: int = 0
    """Number of daily puzzles answered on that day."""

    def answered_on(self, day: date) -> int:
        """Return the number of daily puzzles that the player has answered on `day`."""
        return self.daily_done if self.daily == _day_number(day) else 0

    def record_answer(self, puzzle_rating: int, streak: int, *, right: bool, day: date | None = None) -> None:
        """Record an answer; `streak` includes this puzzle, and `day` is required for a daily puzzle."""
        self.rating = next_rating(self.rating, puzzle_rating, right=right)
        self.asked += 1
        self.solved += right
        self.best_streak = max(self.best_streak, streak)
        if day:
            self.daily, self.daily_done = _day_number(day), self.answered_on(day) + 1


def _day_number(day: date) -> int:
    return int(f"{day:%Y%m%d}")
