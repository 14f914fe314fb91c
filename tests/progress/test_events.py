"""Events: stars, levels, who started, day streaks and puzzle results."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numberline.progress.document import Game, Progress, ProgressError
from numberline.progress.events import (
    Changes,
    GameFinished,
    LessonFinished,
    NameGiven,
    PuzzleAnswered,
    apply,
    decode_event,
)
from numberline.progress.rules import INITIAL_LEVEL, next_rating, stars_for
from support.progress import DAY, answer, game


@pytest.mark.parametrize(
    ("won", "helped", "mistakes", "stars"),
    [(1, 0, 0, 3), (1, 1, 0, 2), (1, 0, 1, 2), (1, 1, 2, 1), (0, 0, 0, 0)],
)
def test_stars_of_a_ladder_step(won: int, helped: int, mistakes: int, stars: int) -> None:
    after, changes = apply(Progress(), game(won=bool(won), step="flag-chase-3", helped=bool(helped), mistakes=mistakes))
    assert (after.ladder.get("flag-chase-3", 0), after.stars, changes.stars) == (stars, stars, stars)
    assert after.games[0].stars == stars == stars_for(won=bool(won), helped=bool(helped), mistakes=mistakes)


def test_practice_gives_no_stars_and_leaves_ladder_and_level() -> None:
    won = game(step="flag-chase-3", bot="auto:3")
    after, changes = apply(Progress(), replace(won, game=replace(won.game, practice=True)))
    assert (after.ladder, after.games[0].stars, changes.stars) == ({}, 0, 0)
    assert after.level("flag-chase") == INITIAL_LEVEL


def test_win_against_a_person_gives_no_stars() -> None:
    after, changes = apply(Progress(), game(bot=""))
    assert (after.games[0].won, after.games[0].stars, changes.stars) == (True, 0, 0)


def test_the_most_stars_of_a_step_count() -> None:
    after = Progress()
    for mistakes in (1, 0, 4):
        after, _ = apply(after, game(step="sprint-1", mistakes=mistakes))
    assert after.ladder == {"sprint-1": 3}


def test_game_outside_the_ladder_gives_no_stars_to_the_ladder() -> None:
    assert apply(Progress(), game())[0].ladder == {}


def test_most_stars_against_each_character_are_counted() -> None:
    after = Progress()
    for bot, mistakes, won in (("easy", 1, True), ("easy", 0, True), ("easy", 4, True), ("hard", 0, False)):
        after, _ = apply(after, game(bot=bot, mistakes=mistakes, won=won))
    for bot, step in (("random", ""), ("", ""), ("hard", "flag-chase-1")):
        after, _ = apply(after, game(bot=bot, step=step))
    assert (after.wins, after.ladder, after.stars) == ({"flag-chase easy": 3}, {"flag-chase-1": 3}, 6)


def test_only_the_adaptive_opponent_changes_the_level() -> None:
    levels = [apply(Progress(), game(bot=bot))[0].level("flag-chase") for bot in ("auto:3", "auto", "hard", "")]
    assert levels == [INITIAL_LEVEL + 1, INITIAL_LEVEL + 1, INITIAL_LEVEL, INITIAL_LEVEL]


@pytest.mark.parametrize(
    ("result", "change", "word"),
    [
        ({"won": True}, 1, "stronger"),
        ({"won": True, "helped": True}, 0, ""),
        ({"won": None}, 0, ""),
        ({"won": False, "helped": True}, -1, "easier"),
    ],
)
def test_level_change_is_reported(result: dict[str, Any], change: int, word: str) -> None:
    after, changes = apply(Progress(), game(**result, variant="flag-chase(flag=9)"))
    assert after.level("flag-chase") == INITIAL_LEVEL + change
    assert changes.level == (INITIAL_LEVEL + change if change else 0)
    assert changes.sentences == ((f"The chameleon gets a little {word}.",) if word else ())


def test_opponent_and_first_player_are_remembered_by_book() -> None:
    after, _ = apply(Progress(), game(bot="hard", first=2))
    after, _ = apply(after, game(bot="auto:4", variant="sprint"))
    assert (after.opponents, after.starts) == ({"flag-chase": "hard", "sprint": "auto"}, {"flag-chase": 2})


def test_game_with_an_id_counts_once() -> None:
    once, _ = apply(Progress(), game(id="a"))
    again, changes = apply(once, game(id="a", day=DAY + timedelta(days=1)))
    assert (again, changes) == (once, Changes())
    assert len(apply(once, game(id="b"))[0].games) == 2


@given(st.lists(st.integers(0, 3), max_size=12))
def test_day_streak_counts_days_in_a_row(gaps: list[int]) -> None:
    progress, day, expected = Progress(), DAY, 0
    for gap in gaps:
        expected = max(1, expected) if gap == 0 else expected + 1 if gap == 1 else 1
        day += timedelta(days=gap)
        progress, _ = apply(progress, answer(day=day))
        assert (progress.day, progress.streak_on(day)) == (day, expected)
        assert progress.streak_on(day + timedelta(days=1)) == expected
        assert progress.streak_on(day + timedelta(days=2)) == 0


def test_clock_that_was_set_back_keeps_the_streak() -> None:
    progress, _ = apply(Progress(day=DAY, day_streak=4), answer(day=DAY - timedelta(days=30)))
    assert (progress.day, progress.day_streak) == (DAY, 4)


def test_streak_is_said_once_a_day() -> None:
    before = Progress(day=DAY - timedelta(days=1), day_streak=2)
    after, first = apply(before, answer())
    _, second = apply(after, answer())
    assert (first.streak, first.sentences) == (3, ("You've played 3 days in a row.",))
    assert second == Changes(stars=1)


def test_answers_are_counted_and_rated() -> None:
    progress = Progress()
    for right in (True, True, False, True):
        progress, _ = apply(progress, answer(right=right, rating=1000))
    stats = progress.puzzles
    assert (stats.asked, stats.solved, stats.streak, stats.best_streak) == (4, 3, 1, 2)
    rating = 800
    for right in (True, True, False, True):
        rating = next_rating(rating, 1000, right=right)
    assert stats.rating == rating


@pytest.mark.parametrize(("stars", "tries", "earned"), [(1, 1, 1), (1, 2, 1), (3, 1, 3), (3, 2, 2)])
def test_solved_puzzle_earns_its_stars(stars: int, tries: int, earned: int) -> None:
    progress, changes = apply(Progress(), answer(stars=stars, tries=tries))
    assert (progress.puzzles.stars, changes.stars) == (earned, earned)
    missed, changes = apply(progress, answer(right=False, stars=stars, tries=2))
    assert (missed.puzzles.stars, changes.stars) == (earned, 0)


def test_second_try_solves_a_puzzle_but_lowers_the_rating() -> None:
    progress, _ = apply(Progress(), answer(tries=2))
    assert (progress.puzzles.solved, progress.puzzles.streak) == (1, 1)
    assert progress.puzzles.rating < Progress().puzzles.rating


def test_daily_results_are_shared_once_all_are_answered() -> None:
    progress = Progress()
    for index in range(5):
        assert progress.puzzles.share_line(DAY) == ""
        progress, _ = apply(progress, answer(right=index != 2, daily_day=DAY, index=index))
    assert progress.puzzles.share_line(DAY) == "Numberline 31 Jan ★★☆★★"
    assert progress.puzzles.share_line(DAY + timedelta(days=1)) == ""


def test_daily_puzzle_counts_once_and_other_days_start_again() -> None:
    progress, _ = apply(Progress(), answer(daily_day=DAY, index=2))
    assert apply(progress, answer(right=False, daily_day=DAY, index=2))[0] == progress
    progress, _ = apply(progress, answer(right=False, daily_day=DAY, index=0))
    assert progress.puzzles.daily_results(DAY) == [False, None, True, None, None]
    progress, _ = apply(progress, answer(daily_day=DAY + timedelta(days=1), index=1))
    assert progress.puzzles.daily_results(DAY + timedelta(days=1)) == [None, True, None, None, None]
    assert progress.puzzles.asked == 3


def test_lesson_keeps_its_most_stars() -> None:
    progress = Progress()
    for mistakes in (0, 3):
        progress, changes = apply(progress, LessonFinished(DAY, "sprint", helped=False, mistakes=mistakes))
    assert (progress.lessons, changes.stars) == ({"sprint": 3}, 2)


def test_name_can_be_given_changed_and_left_out() -> None:
    skipped, _ = apply(Progress(), NameGiven(""))
    assert (skipped.name, skipped.name_asked, skipped.day) == ("", True, None)
    assert apply(skipped, NameGiven("Ada"))[0].name == "Ada"


EVENTS: list[tuple[dict[str, Any], object]] = [
    ({"kind": "name", "name": " Ada  L "}, NameGiven("Ada L")),
    ({"kind": "puzzle", "day": "2026-01-31", "right": True}, PuzzleAnswered(DAY, right=True)),
    ({"kind": "lesson", "day": "2026-01-31", "variant": "sprint"}, LessonFinished(DAY, "sprint")),
    ({"kind": "game", "game": {"won": None, "day": "2026-01-31"}, "bot": "hard"}, GameFinished(Game(day=DAY), "hard")),
]


@pytest.mark.parametrize(("content", "event"), EVENTS)
def test_event_is_decoded(content: dict[str, Any], event: object) -> None:
    assert decode_event(content) == event


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (None, "event: expected an object"),
        ({}, "event.kind: expected one of game, match, puzzle, lesson, name"),
        ({"kind": []}, "event.kind: expected one of game, match, puzzle, lesson, name"),
        ({"kind": "name"}, "event: required fields of a name event are missing"),
        ({"kind": "name", "name": "x" * 41}, "a name can have at most 40 characters"),
        ({"kind": "puzzle", "right": True, "day": "today"}, "event.day: expected a date such as 2026-01-31"),
        (
            {"kind": "puzzle", "right": True, "day": "2026-01-31", "stars": 4},
            "event: expected 1 to 3 stars, and at least one try",
        ),
        (
            {"kind": "puzzle", "right": True, "day": "2026-01-31", "index": 5},
            "event.index: expected a number from 0 to 4",
        ),
    ],
)
def test_invalid_event_is_explained(content: object, problem: str) -> None:
    with pytest.raises(ProgressError) as error:
        decode_event(content)
    assert str(error.value) == problem


def test_day_of_an_event_can_be_any_date() -> None:
    for day in (date.min, date.max):
        assert apply(Progress(), answer(day=day))[0].day == day
