"""Levels, puzzle ratings and streaks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numberline.progress.rules import (
    ELO_K_FACTOR,
    INITIAL_LEVEL,
    MAX_LEVEL,
    MIN_LEVEL,
    next_level,
    next_rating,
    next_streak,
)

RATINGS = st.integers(0, 4000)


@pytest.mark.parametrize(
    ("rating", "puzzle", "solved", "failed"),
    [
        (800, 800, 816, 784),
        (800, 1000, 824, 792),
        (800, 600, 808, 776),
        (800, 1200, 829, 797),
        (1500, 900, 1501, 1469),
        (10, 10, 26, 0),
    ],
)
def test_next_rating_is_the_elo_formula(rating: int, puzzle: int, solved: int, failed: int) -> None:
    assert next_rating(rating, puzzle, right=True) == solved
    assert next_rating(rating, puzzle, right=False) == failed


@given(RATINGS, RATINGS)
def test_answers_change_the_rating_by_the_k_factor_in_all(rating: int, puzzle: int) -> None:
    up, down = next_rating(rating, puzzle, right=True) - rating, rating - next_rating(rating, puzzle, right=False)
    assert 0 <= up <= ELO_K_FACTOR
    assert 0 <= down <= min(rating, ELO_K_FACTOR)
    assert up + down in {ELO_K_FACTOR, up + rating}


def test_streak_grows_with_right_answers_and_ends_with_a_wrong_one() -> None:
    assert (next_streak(4, right=True), next_streak(4, right=False)) == (5, 0)


def test_level_goes_one_up_after_a_win_and_one_down_after_a_loss() -> None:
    assert (next_level(INITIAL_LEVEL, won=True), next_level(INITIAL_LEVEL, won=False)) == (4, 2)


def test_level_stays_within_its_bounds() -> None:
    assert (next_level(MAX_LEVEL, won=True), next_level(MIN_LEVEL, won=False)) == (10, 1)


def test_only_a_win_without_help_raises_the_level() -> None:
    assert (next_level(5, won=True, helped=True), next_level(5, won=None), next_level(5, won=False, helped=True)) == (
        5,
        5,
        4,
    )


def test_extreme_ratings_do_not_overflow() -> None:
    assert next_rating(0, 10**9, right=False) == 0
    assert next_rating(10**9, 0, right=True) == 10**9
