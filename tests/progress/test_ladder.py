"""Levels of the next computer opponent."""

from __future__ import annotations

from numberline.progress.ladder import INITIAL_LEVEL, MAX_LEVEL, MIN_LEVEL, next_level


def test_level_goes_one_up_after_a_win_and_one_down_after_a_loss() -> None:
    assert (next_level(INITIAL_LEVEL, won=True), next_level(INITIAL_LEVEL, won=False)) == (4, 2)


def test_level_stays_within_its_bounds() -> None:
    assert (next_level(MAX_LEVEL, won=True), next_level(MIN_LEVEL, won=False)) == (10, 1)
