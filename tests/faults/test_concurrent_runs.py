"""Two programs at once lose nothing of each other's: games, progress, levels."""

from __future__ import annotations

import json
import subprocess
import sys

import pexpect
import pytest

from cli.test_resume import PROMPT, left, play_some
from numberline.progress.rules import INITIAL_LEVEL
from numberline.terminal import progress, saves
from support.commands import numberline
from terminal.test_board import at_a_terminal

ANSWER = """
from support.progress import answer, game, store
for _ in range(10):
    store(answer())
store(game())
"""


def test_answers_of_six_runs_at_once_all_count() -> None:
    runs = [subprocess.Popen([sys.executable, "-c", ANSWER]) for _ in range(6)]
    assert [run.wait(60) for run in runs] == [0] * 6
    assert progress.load_progress().puzzles.asked == 60
    assert progress.load_progress().level("flag-chase") == INITIAL_LEVEL + 6


def test_two_games_started_at_the_same_time_are_both_saved() -> None:
    with at_a_terminal("play", "line-runner") as one, at_a_terminal("play", "line-runner") as other:
        for terminal in (one, other):
            terminal.expect_exact(PROMPT)
        for terminal, move in ((one, "1"), (other, "3")):
            terminal.sendline(move)
        for terminal in (one, other):
            terminal.expect_exact(PROMPT)
            terminal.sendline("quit")
            terminal.expect(pexpect.EOF)
    assert sorted(str(game["moves"]) for game in left()) == ["['1']", "['3']"]


def test_game_in_play_is_not_resumed_in_another_terminal() -> None:
    play_some("3", "2")
    with at_a_terminal("resume") as terminal:
        terminal.expect_exact(PROMPT)
        for arguments in ((), ("--forget",)):
            ran = numberline("resume", *arguments)
            assert ran.err.startswith("Error: this game is open in another window; numberline resume --list shows all")
            assert ran.code == 1
        terminal.sendline("1")
        terminal.expect_exact(PROMPT)
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
    assert [game["moves"] for game in left()] == [["3", "2", "1"]]


def test_new_game_in_play_is_not_resumed_elsewhere() -> None:
    with at_a_terminal("play", "line-runner") as terminal:
        terminal.expect_exact(PROMPT)
        terminal.sendline("1")
        terminal.expect_exact(PROMPT)
        assert "is open in another window" in numberline("resume").err
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
    assert "Resuming after 1 turn." in numberline("resume").out


WRONG = {
    "no variant": {"variant": None},
    "games that are no number": {"games": "x"},
    "no games": {"games": 0},
    "a guest too many": {"guests": [["a", None]] * 3},
    "guests that are no pairs": {"guests": [1, 2]},
    "a record that is no text": {"record": 5},
    "another book's game": {"variant": "flag-chase"},
    "a moment that is none": {"saved": "soon"},
    "a seed that is a list": {"seed": []},
    "a program that is a number": {"guests": [["a", 1], ["b", None]]},
}


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG)
def test_one_game_that_makes_no_sense_costs_no_other(wrong: dict[str, object]) -> None:
    play_some("3", "2")
    [good] = saves.saved_games_dir().glob("*.json")
    bad = good.with_name("20200101-000000-000000-1.json")
    bad.write_text(json.dumps({**json.loads(good.read_text()), **wrong}))
    ran = numberline("resume", "--list")
    assert ran.err == f"{bad.name} is damaged and was renamed to {bad.with_suffix('.damaged')}.\n"
    assert ran.out.startswith("1. Line Runner")
    assert ran.code == 0


def test_game_of_a_newer_version_is_reported_and_left_alone() -> None:
    play_some("3", "2")
    [good] = saves.saved_games_dir().glob("*.json")
    newer = good.with_name("20200101-000000-000000-1.json")
    newer.write_text('{"format": 2}')
    ran = numberline("resume", "--list")
    assert ran.err == f"{newer} was saved by a newer version of Numberline; use that version to resume it.\n"
    assert newer.read_text() == '{"format": 2}'


def test_progress_of_a_newer_version_is_reported_and_left_alone() -> None:
    file = progress.progress_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"version": 2}')
    ran = numberline("puzzle", "flag-chase", "--count", "2", typed="skip\n" * 2)
    unread = "your progress could not be read and was left unchanged"
    assert ran.err == f"{file} was saved by a newer version of Numberline; {unread}.\n"
    assert file.read_text() == '{"version": 2}'


def test_last_played_game_is_the_newest_with_any_file_name() -> None:
    play_some("3", "2")
    [first] = saves.saved_games_dir().glob("*.json")
    content = json.loads(first.read_text())
    first.with_name("99991231-000000-000000-1.json").write_text(json.dumps({**content, "saved": "1970-01-01T00:00:00"}))
    first.with_name("10000101-000000-000000-1.json").write_text(
        json.dumps({**content, "saved": "9999-12-31T23:59:59-23:59"})
    )
    moments = [line.partition(", Ann against Bob, ")[2][:4] for line in numberline("resume", "--list").out.splitlines()]
    assert moments == sorted(moments, reverse=True)
    assert len(moments) == 3
