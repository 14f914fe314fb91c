"""The progress document: its JSON, its bounds, and merging."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from numberline.progress.document import (
    EXPORT_PREFIX,
    MAX_DOCUMENT_BYTES,
    MAX_GAMES,
    TABLES,
    Game,
    NewerFormat,
    Progress,
    ProgressError,
    PuzzleStats,
    decode,
    encode,
    export_text,
    greeting,
    import_text,
    merge,
    trim,
)

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
COUNTS = st.integers(0, 10**9)
DAYS = st.none() | st.dates()
TABLE = st.dictionaries(TEXTS, st.integers(1, 3), max_size=4)
GAMES = st.builds(
    Game, id=TEXTS, variant=TEXTS, won=st.none() | st.booleans(), opponent=TEXTS, day=DAYS, moment=TEXTS, record=TEXTS
)
PUZZLES = st.builds(
    PuzzleStats,
    asked=COUNTS,
    rating=COUNTS,
    daily_day=DAYS,
    daily=st.lists(st.none() | st.booleans(), max_size=5).map(tuple),
)
DOCUMENTS = st.builds(
    Progress,
    name=TEXTS,
    name_asked=st.booleans(),
    day=DAYS,
    day_streak=COUNTS,
    puzzles=PUZZLES,
    opponents=st.dictionaries(TEXTS, TEXTS, max_size=4),
    games=st.lists(GAMES, max_size=4).map(tuple),
    **{name: TABLE for name in TABLES if name != "opponents"},
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)


@given(DOCUMENTS)
def test_document_survives_json(progress: Progress) -> None:
    assert decode(json.loads(json.dumps(encode(progress)))) == progress


@given(DOCUMENTS)
def test_document_survives_export(progress: Progress) -> None:
    assert import_text(f"  {export_text(progress)}\n") == progress


@given(DOCUMENTS, st.data())
def test_damaged_export_is_rejected(progress: Progress, data: st.DataObject) -> None:
    text = export_text(progress)
    at = data.draw(st.integers(len(EXPORT_PREFIX), len(text) - 1))
    damaged = data.draw(st.sampled_from([text[:at], text[:at] + "!" + text[at:], text[:at] + text[at + 1 :]]))
    with pytest.raises(ProgressError, match="damaged or incomplete"):
        import_text(damaged)


def test_export_of_too_much_data_is_rejected() -> None:
    bomb = replace(Progress(), games=(Game(record="x" * 4000),) * 90)
    assert len(export_text(bomb)) < 5_000
    with pytest.raises(ProgressError, match="damaged or incomplete"):
        import_text(export_text(bomb))


@pytest.mark.parametrize(
    "text", ["", "hello", EXPORT_PREFIX, f"{EXPORT_PREFIX}é", f"{EXPORT_PREFIX}====", "numberline2-abc"]
)
def test_other_text_is_rejected(text: str) -> None:
    with pytest.raises(ProgressError):
        import_text(text)


@given(JSON)
def test_any_json_is_a_document_or_an_error(content: Any) -> None:
    for value in (content, {"version": 1, "games": [content]}, {"version": 1, "puzzles": content}):
        with suppress(ProgressError, NewerFormat):
            assert isinstance(decode(value), Progress)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ([], "progress: expected an object"),
        ({}, "progress.version: expected a number from 0 to 1000000000"),
        ({"version": 1, "starz": 3}, "progress: unknown field 'starz'"),
        ({"version": 1, "day_streak": -1}, "progress.day_streak: expected a number from 0 to 1000000000"),
        ({"version": 1, "day_streak": True}, "progress.day_streak: expected a number from 0 to 1000000000"),
        ({"version": 1, "day": "20260131"}, "progress.day: expected a date such as 2026-01-31"),
        ({"version": 1, "name": "x" * 4001}, "progress.name: expected valid text of at most 4,000 characters"),
        ({"version": 1, "name": "\ud800"}, "progress.name: expected valid text of at most 4,000 characters"),
        ({"version": 1, "games": {}}, "progress.games: expected a list"),
        ({"version": 1, "games": [{"won": 1}]}, "progress.games.0.won: expected true or false"),
        ({"version": 1, "ladder": {"a": "b"}}, "progress.ladder: expected a number from 0 to 1000000000"),
    ],
)
def test_error_names_the_field(content: object, problem: str) -> None:
    with pytest.raises(ProgressError) as error:
        decode(content)
    assert str(error.value) == problem


def test_newer_version_is_not_damage() -> None:
    with pytest.raises(NewerFormat):
        decode({"version": 2, "anything": "else"})


def test_oldest_games_are_dropped() -> None:
    games = tuple(Game(id=str(number)) for number in range(MAX_GAMES + 5))
    assert [game.id for game in trim(Progress(games=games)).games][:: MAX_GAMES - 1] == ["5", "104"]


@settings(max_examples=10)
@given(st.integers(0, 20), st.integers(0, 4000), st.integers(0, 240))
def test_trimmed_document_fits(games: int, letters: int, keys: int) -> None:
    game = Game(moment="é" * letters, record="é" * letters)
    full = Progress(games=(game,) * games, ladder={f"{'k' * 300}{number}": 3 for number in range(keys)})
    trimmed = trim(full)
    assert len(json.dumps(encode(trimmed))) <= MAX_DOCUMENT_BYTES
    assert trimmed == full or len(trimmed.games) < games or not trimmed.games or not trimmed.games[0].record


def test_oldest_games_lose_their_records_before_their_stars() -> None:
    games = trim(Progress(games=(Game(stars=3, record="r" * 1000),) * MAX_GAMES)).games
    assert [game.stars for game in games] == [3] * MAX_GAMES
    assert (games[0].record, games[-1].record) == ("", "r" * 1000)


@given(DOCUMENTS, DOCUMENTS)
def test_merging_loses_no_stars_and_no_games(one: Progress, other: Progress) -> None:
    both = merge(one, other)
    for each in (one, other):
        assert all(both.ladder[step] >= stars for step, stars in each.ladder.items())
        assert all(both.lessons[step] >= stars for step, stars in each.lessons.items())
        assert all(both.wins[key] >= stars for key, stars in each.wins.items())
        assert {game.id for game in each.games} <= {game.id for game in both.games}
        assert both.puzzles.asked >= each.puzzles.asked
    assert merge(both, other) == both


def test_merging_takes_levels_and_name_from_the_device_used_last() -> None:
    old = Progress(name="Ada", day=date(2026, 1, 1), day_streak=9, levels={"sprint": 2, "flag-chase": 2})
    new = Progress(day=date(2026, 1, 5), day_streak=2, levels={"flag-chase": 5})
    for both in (merge(old, new), merge(new, old)):
        assert (both.name, both.day_streak, both.levels) == ("Ada", 2, {"sprint": 2, "flag-chase": 5})


def test_merging_keeps_a_name_that_is_set() -> None:
    own, other = Progress(name="Ada", day=date(2026, 1, 1)), Progress(name="Bo", day=date(2026, 1, 5))
    assert (merge(own, other).name, merge(Progress(), other).name) == ("Ada", "Bo")


def test_greeting_follows_the_results() -> None:
    day = date(2026, 1, 31)
    assert greeting(Progress(), day) == ""
    assert greeting(Progress(day=day, day_streak=1), day) == "Hello again!"
    ada = Progress(name="Ada", day=day, day_streak=3, lessons={"sprint": 1})
    assert greeting(ada, day) == "Hello, Ada! You have 1 star. You've played 3 days in a row."
    assert greeting(ada, date(2026, 2, 2)) == "Hello, Ada! You have 1 star."
