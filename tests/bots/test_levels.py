"""Levels and characters: equal steps by exact odds, never worse with the level, and what happens in large variants."""

from __future__ import annotations

import random
import subprocess
import sys
from fractions import Fraction
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings

import numberline as nl
from numberline.bots import make_bot
from numberline.bots.bot import bot_display_name
from numberline.bots.levels import (
    MAX_LEVEL,
    MIN_CHARACTER_SCORE,
    SLIP_SCALE,
    UNCALIBRATED,
    VERSION,
    calibrate,
    calibration_of,
    stored_calibrations,
)
from numberline.bots.mcts import MctsBot
from numberline.characters import AUTO, CHARACTERS, EASY, NAMED
from numberline.solver import cache as solution_cache
from numberline.solver.cache import cached_solution
from numberline.solver.index import TooManyPositions, fits
from numberline.solver.policy_scores import PolicyScores
from numberline.solver.solution import Solution
from support.exact_outcomes import Played
from support.mixtures import book_of, mixtures
from support.variants import reachable

ROOT = Path(__file__).parents[2]
SHIPPED = tuple(stored_calibrations())
LEVELS = [f"level:{level}" for level in range(1, MAX_LEVEL + 1)]
BROUGHT = ("random", "sight:1", "greedy")
"""Policies that people bring: random, win in one, and always the longest move."""
LARGE = "line-runner(tokens=3, end=50)"
SPARSE = 'number-reach(operations="*2 *3", target=1000000000)'


def policy_scores(solution: Solution) -> PolicyScores:
    return PolicyScores(solution.arrays, weights("perfect", solution))


def weights(text: str, solution: Solution) -> Any:
    return make_bot(text, solution.book, random.Random(1), solution=solution).policy(solution.arrays)


@cache
def level_scores(variant: str) -> tuple[list[float], dict[str, list[float]]]:
    """Return the score of each level against the level below, and of all levels against each policy people bring."""
    solution = cached_solution(nl.book(variant))
    scores = policy_scores(solution)
    levels = np.concatenate([scores.policy(weights(level, solution)) for level in LEVELS], axis=2)
    brought = {text: np.repeat(scores.policy(weights(text, solution)), len(LEVELS), axis=2) for text in BROUGHT}
    steps = scores.scores(levels[:, :, 1:], levels[:, :, :-1])
    return steps.tolist(), {text: scores.scores(levels, policy).tolist() for text, policy in brought.items()}


@cache
def score(one: str, other: str, variant: str) -> float:
    solution = cached_solution(nl.book(variant))
    scores = policy_scores(solution)
    return float(scores.scores(*(scores.policy(weights(text, solution)) for text in (one, other)))[0])


def exact(one: str, other: str, variant: str) -> Fraction:
    """Return the score in exact fractions, computed without `PolicyScores`."""
    solution = cached_solution(nl.book(variant))
    bots = [make_bot(text, solution.book, random.Random(1), solution=solution) for text in (one, other)]
    return sum((*Played(solution, *bots).wins(1), *Played(solution, *bots[::-1]).wins(2)), Fraction(0)) / 4


# Calibration


@pytest.mark.parametrize("variant", ["flag-chase", "number-reach", "reach-the-edge(end=6)"])
def test_scores_are_those_of_exact_fractions(variant: str) -> None:
    for one, other in (("level:4", "level:3"), ("perfect", "random"), ("slip:10", "greedy")):
        assert score(one, other, variant) == pytest.approx(float(exact(one, other, variant)), abs=0.005)


@pytest.mark.parametrize("variant", SHIPPED)
def test_levels_have_equal_steps(variant: str) -> None:
    steps, _ = level_scores(variant)
    assert max(steps) - min(steps) < 0.01
    assert np.mean(steps) == pytest.approx(stored_calibrations()[variant].step, abs=0.001)


@pytest.mark.parametrize("name", [name for name in nl.NAMES if name != "flag-chase"])
def test_steps_are_57_to_63_points_if_there_is_room(name: str) -> None:
    assert 0.57 <= (stored_calibrations()[name].step or 0) <= 0.63


def test_flag_chase_has_room_for_small_steps_only() -> None:
    assert score("perfect", "random", "flag-chase") < 0.9  # the seat decides the rest
    assert 0.54 < (stored_calibrations()["flag-chase"].step or 0) < 0.57


@settings(max_examples=25, deadline=None)
@given(mixtures())
def test_any_mixture_has_equal_steps_and_fewer_slips_with_the_level(text: str) -> None:
    book = book_of(text)
    assume(book.rules.players == 2)
    solution = nl.solve(book)
    assume(solution.size)
    found = calibrate(solution)
    assert found.slips[0] == SLIP_SCALE
    assert found.slips[-1] == 0
    assert sorted(set(found.slips), reverse=True) == list(found.slips)
    if found is not UNCALIBRATED:
        slips = np.array(found.slips) / SLIP_SCALE
        steps = policy_scores(solution).slip_scores(slips[1:], slips[:-1])
        assert np.ptp(steps) < 0.01


@pytest.mark.parametrize("variant", SHIPPED)
def test_stored_calibration_is_up_to_date(variant: str) -> None:
    assert calibrate(cached_solution(nl.book(variant))) == stored_calibrations()[variant]


def test_calibrations_are_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("flag-chase(end=13)")
    found = calibration_of(book, nl.solve(book))
    monkeypatch.setattr("numberline.bots.levels.calibrate", lambda _: pytest.fail("needless"))
    assert calibration_of(nl.book("flag-chase(steps=1-3, end=13)"), nl.solve(book)) is found
    assert found.step


def test_book_of_the_same_name_has_its_own_calibration() -> None:
    own = nl.book_from_toml(
        'title = "Own"\n[rules]\nline = [0, 9]\nstart = [0, 0]\ngoal = 9\nmoves = "forward"\nsteps = "1-2"\n',
        "flag-chase",
    )
    assert calibration_of(own, nl.solve(own)) != stored_calibrations()["flag-chase"]


def test_variant_too_large_to_calibrate_has_fixed_slips() -> None:
    solution = nl.solve("line-runner(end=160)")
    assert calibrate(solution) is UNCALIBRATED


def test_more_than_two_players_have_fixed_slips() -> None:
    assert calibrate(nl.solve("number-reach(players=3)")) is UNCALIBRATED


def test_version_is_stored() -> None:
    assert f"\nversion = {VERSION}\n" in (ROOT / "src/numberline/books/levels/calibrations.toml").read_text()


# Strength


@pytest.mark.parametrize("brought", BROUGHT)
@pytest.mark.parametrize("variant", SHIPPED)
def test_results_never_get_worse_with_the_level(variant: str, brought: str) -> None:
    results = level_scores(variant)[1][brought]
    assert all(after >= before - 1e-6 for before, after in pairwise(results))


@pytest.mark.parametrize("variant", nl.NAMES)
def test_random_play_scores_a_quarter_against_easy(variant: str) -> None:
    assert score("random", EASY, variant) >= 0.25


@pytest.mark.parametrize("variant", nl.NAMES)
def test_level_1_is_random_and_master_is_perfect(variant: str) -> None:
    book = nl.book(variant)
    pairs = (("level:1", "random"), ("level:10", "perfect"), ("master", "perfect"))
    made = [tuple(make_bot(text, book, random.Random(1)) for text in pair) for pair in pairs]
    for position in reachable(book):
        if book.moves(position):
            assert all(one.probabilities(position) == other.probabilities(position) for one, other in made)


# Characters


@pytest.mark.parametrize("variant", nl.NAMES)
def test_all_four_characters_differ_clearly_in_the_books(variant: str) -> None:
    assert stored_calibrations()[variant].characters == NAMED
    for weaker, stronger in pairwise(NAMED):
        assert score(stronger, weaker, variant) >= MIN_CHARACTER_SCORE


def test_fewer_characters_are_offered_if_they_play_alike() -> None:
    assert calibrate(nl.solve("flag-chase(steps=1)")).characters == ("master",)


def test_characters_are_spread_over_the_levels() -> None:
    levels = [CHARACTERS[key].level for key in NAMED]
    assert sorted(set(levels)) == levels
    assert levels[-1] == MAX_LEVEL


@pytest.mark.parametrize("key", NAMED)
def test_character_plays_like_its_level(key: str) -> None:
    book = nl.book("line-runner")
    level = make_bot(f"level:{CHARACTERS[key].level}", book, random.Random(1))
    assert make_bot(key, book, random.Random(1)).probabilities(book.start()) == level.probabilities(book.start())


@pytest.mark.parametrize("key", CHARACTERS)
def test_display_name_is_the_animal(key: str) -> None:
    assert bot_display_name(key) == bot_display_name(f"{key}:3") == CHARACTERS[key].name
    assert len(CHARACTERS[key].about.split()) <= 20


# Large variants


def test_large_variant_is_played_without_a_solution() -> None:
    book = nl.book(LARGE)
    bot = make_bot(EASY, book, random.Random(1))
    assert bot.choose(book.start()) in book.moves(book.start())
    assert bot.probabilities(book.start()) is None


@pytest.fixture
def unsolvable(monkeypatch: pytest.MonkeyPatch) -> nl.Book:
    def refuse(*_: object, **__: object) -> Solution:
        raise TooManyPositions

    monkeypatch.setattr(solution_cache, "cached_solution", refuse)
    return nl.book(LARGE)


@pytest.mark.parametrize("text", [AUTO, "level:9"])
def test_any_level_plays_a_variant_too_large_to_solve(text: str, unsolvable: nl.Book) -> None:
    bot = make_bot(text, unsolvable, random.Random(1))
    assert bot.choose(unsolvable.start()) in unsolvable.moves(unsolvable.start())


def test_level_1_searches_nothing_in_a_large_variant(unsolvable: nl.Book, monkeypatch: pytest.MonkeyPatch) -> None:
    bot = make_bot("level:1", unsolvable, random.Random(1))
    monkeypatch.setattr(MctsBot, "_search", lambda *_: pytest.fail("a slip needs no search"))
    moves = {bot.choose(unsolvable.start()) for _ in range(200)}
    assert moves == set(unsolvable.moves(unsolvable.start()))


def test_large_variant_that_can_be_solved_is_played_exactly() -> None:
    book = nl.book(SPARSE)
    assert not fits(book)
    bot = make_bot("master", book, random.Random(1))
    assert bot.probabilities(book.start()) == make_bot("perfect", book, random.Random(1)).probabilities(book.start())


# The page


def test_opponents_page_is_up_to_date() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "tools" / "opponents.py", "--print"],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert ran.stdout == (ROOT / "docs" / "opponents.md").read_text()
