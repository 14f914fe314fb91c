"""Wrong clocks, extreme dates and unusual time zones do not break anything."""

from __future__ import annotations

import datetime as dt
import io
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import numberline as nl
from numberline.explain.puzzle import daily_puzzles
from numberline.progress.document import Progress, PuzzleStats
from numberline.progress.events import apply
from numberline.terminal import records, saves
from numberline.terminal.console import TextConsole
from numberline.terminal.exercises import PuzzleRun
from numberline.terminal.progress import progress_file
from numberline.terminal.series import Series, SeriesOptions, make_participants
from support.progress import answer

MOMENTS = (
    *("0001-01-01T00:00:00+00:00", "0001-01-01T00:00:00+23:59", "0001-01-01T00:00:00-23:59", "0001-01-01T00:00:00"),
    *("9999-12-31T23:59:59+00:00", "9999-12-31T23:59:59-23:59", "9999-12-31T23:59:59+23:59", "1970-01-01T00:00:00Z"),
)
ZONES = ("UTC", "Pacific/Kiritimati", "XYZ-24:59:59", "XYZ+24:59:59", "Nowhere/At/All", "", ":", "\x01", "A" * 300)


@pytest.fixture(params=ZONES, ids=lambda zone: repr(zone)[:20])
def _zone(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Everything happens in this time zone."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def left_at(moment: str) -> Path:
    """A game that was left at this moment."""
    book = nl.book("flag-chase")
    sitting = Series(SeriesOptions(book=book, participants=make_participants(book, [None, None], ())))
    sitting.current = sitting.options.match(0)
    sitting.current.play("3")
    path = records.create_unique_file(saves.saved_games_dir(), ".json")
    saves._write(sitting, path)
    path.write_text(json.dumps({**json.loads(path.read_text()), "saved": moment}))
    return path


def finished() -> nl.Match:
    """A game that is over."""
    match = nl.Match(nl.book("flag-chase"))
    for move in ("3", "2", "2"):
        match.play(move)
    return match


@pytest.mark.usefixtures("_zone")
def test_games_left_at_the_ends_of_time_are_listed_everywhere() -> None:
    for moment in MOMENTS:
        left_at(moment)
    games = list(saves.saved_games())
    assert len([str(game) for game in games if isinstance(game, saves.SavedGame)]) == len(MOMENTS)


def test_newest_game_is_chosen_by_its_content_not_its_name() -> None:
    newest = left_at("9999-12-31T23:59:59+00:00")
    left_at("0001-01-01T00:00:00+00:00")
    first = next(saves.saved_games())
    assert isinstance(first, saves.SavedGame)
    assert first.path == newest


@pytest.mark.usefixtures("_zone")
def test_games_with_extreme_dates_are_listed() -> None:
    path = records.save_finished_game(finished())
    for stamp in ("00010101-000000-000000-1", "99991231-235959-999999-1", "19700101-000000-000000-1"):
        path.with_stem(stamp).write_text(path.read_text())
    assert len(list(map(str, records.finished_games()))) == 4


def test_finished_game_is_saved_though_the_clock_went_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_FINISHED_GAMES", 2)
    path = records.save_finished_game(finished())
    for year in ("9998", "9999"):
        path.with_stem(f"{year}1231-235959-999999-1").write_text(path.read_text())
    kept = records.save_finished_game(finished())
    assert kept.exists()
    assert len(list(records.finished_games_dir().glob("*.txt"))) == 2


@pytest.mark.parametrize("day", [dt.date.min, dt.date.max, dt.date(1970, 1, 1), dt.date(2024, 2, 29)])
def test_every_day_has_its_five_puzzles(day: dt.date) -> None:
    assert len(daily_puzzles(day)) == 5


@pytest.mark.parametrize("day", [dt.date.min, dt.date.max])
def test_puzzles_are_counted_on_every_day(day: dt.date) -> None:
    after, _ = apply(Progress(), answer(day=day, daily_day=day, index=1))
    assert after.puzzles.daily_results(day) == [None, True, None, None, None]
    assert (after.day, after.streak_on(day)) == (day, 1)


def test_the_puzzles_of_the_last_day_can_be_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO()))
    PuzzleRun(TextConsole()).ask_daily(dt.date.max)
    assert "The daily five for 31 December 9999" in capsys.readouterr().out


def test_a_score_of_very_many_digits_is_damage(capsys: pytest.CaptureFixture[str]) -> None:
    file = progress_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"version": 1, "puzzles": {"asked": 1, "rating": 10**400}}))
    assert PuzzleRun(TextConsole()).stats == PuzzleStats()
    assert "progress.json is damaged and was renamed to" in capsys.readouterr().err
