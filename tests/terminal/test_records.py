"""When a game is over, or left: what is asked, what is kept, and how to come back to it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pexpect
import pytest

import numberline as nl
from numberline.progress.ladder import INITIAL_LEVEL
from numberline.progress.puzzle_stats import PuzzleStats
from numberline.terminal import json_store, progress, records
from numberline.terminal.records import RecordFile
from numberline.terminal.series import Series, SeriesOptions, make_participants
from support.commands import numberline
from terminal.test_board import at_a_terminal

MOVE, CHOICE = "Enter your move (1, 2, or 3): ", "Your choice ("
SHORT = ("play", "flag-chase", "--names", "Ann,Bob")


def typed(terminal: pexpect.spawn[str], *moves: str, prompt: str = MOVE) -> None:
    """Types each of these when it is asked for."""
    for move in moves:
        terminal.expect_exact(prompt)
        terminal.sendline(move)


def finished(*moves: str) -> nl.Match:
    """A finished game of Flag Chase."""
    match = nl.Match(nl.book("flag-chase"), names=["Ann", "Bob"])
    for move in moves or ("3", "2", "2"):
        match.play(move)
    return match


def test_after_a_game_it_can_be_played_again_with_sides_swapped_or_left() -> None:
    with at_a_terminal(*SHORT, NO_COLOR="1") as terminal:
        typed(terminal, "3", "2", "2")
        typed(terminal, "", prompt=CHOICE)
        terminal.expect_exact("Ann, you're on tile 0.")
        typed(terminal, "resign")
        terminal.expect_exact("Swap sides: Bob begins")
        typed(terminal, "swap", prompt=CHOICE)
        terminal.expect_exact("Bob, you're on tile 0.")
        typed(terminal, "resign")
        typed(terminal, "look", prompt=CHOICE)
        terminal.expect_exact("Bob against Ann: Ann won after 1 turn.")
        typed(terminal, "q", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
    games = json.loads(numberline("games", "--json").out)
    assert [(game["names"], game["outcome"]["winner"]) for game in games] == [
        (["Bob", "Ann"], 2),
        (["Ann", "Bob"], 2),
        (["Ann", "Bob"], 1),
    ]


def test_after_a_game_against_a_level_it_can_be_harder_or_easier() -> None:
    with at_a_terminal("play", "flag-chase", "--vs", "level:3", "--seed", "1", NO_COLOR="1") as terminal:
        typed(terminal, "resign")
        typed(terminal, "harder", prompt=CHOICE)
        typed(terminal, "resign")
        terminal.expect_exact("Level 4 wins the game!")
        typed(terminal, "easier", prompt=CHOICE)
        typed(terminal, "resign")
        terminal.expect_exact("Level 3 wins the game!")


def test_another_game_leads_to_the_start_menu() -> None:
    with at_a_terminal(*SHORT) as terminal:
        typed(terminal, "resign")
        typed(terminal, "another", prompt=CHOICE)
        terminal.expect_exact("What would you like to do?")
        typed(terminal, "quit", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == 0


@pytest.mark.parametrize("leave", ["sendintr", "sendeof"])
def test_whoever_leaves_is_told_that_the_game_is_kept_where_something_was_played(leave: str) -> None:
    for moves in ([], ["3"]):
        with at_a_terminal(*SHORT) as terminal:
            typed(terminal, *moves)
            terminal.expect_exact(MOVE)
            getattr(terminal, leave)()
            terminal.expect(pexpect.EOF)
            told = "The game is kept; to go on with it, type: numberline resume." in (terminal.before or "")
            assert told is bool(moves)


def test_the_start_menu_offers_a_game_that_was_left() -> None:
    with at_a_terminal(*SHORT) as terminal:
        typed(terminal, "3", "quit")
        terminal.expect(pexpect.EOF)
    assert numberline(typed="go on\n").err == "The game is kept; to go on with it, type: numberline resume.\n"
    out = numberline(typed="go on\nresign\n").out
    assert "5. Go on: with the game that you left (Flag Chase)\n" in out
    assert "Ann wins the game!\n" in out


def test_from_a_pipe_nothing_is_asked_or_kept_after_a_game() -> None:
    assert numberline(*SHORT, typed="3\n2\n2\n").out.endswith("Ann wins the game!\n")
    assert numberline("games").out == "No finished game is kept yet; numberline play begins one.\n"


def test_the_last_finished_game_is_reviewed_and_replayed_and_any_other_by_its_number() -> None:
    records.save_finished_game(finished("3", "2", "2"))
    records.save_finished_game(finished("1", "3", "1", "2"))
    assert numberline("games").out.startswith("1. flag-chase, Ann against Bob, ")
    assert numberline("games").out.endswith(": Ann won after 3 turns.\n")
    assert "Bob won after 4 turns." in numberline("review").out
    assert "Ann won after 3 turns." in numberline("review", "2").out
    assert numberline("replay").out.endswith("Bob wins the game!\n")
    assert numberline("replay", "2").out.endswith("Ann wins the game!\n")
    ran = numberline("review", "3")
    assert (ran.code, "the kept games have the numbers 1 to 2; numberline games lists them" in ran.err) == (2, True)


def test_without_a_finished_game_there_is_nothing_to_review() -> None:
    ran = numberline("review")
    assert (ran.code, ran.out) == (2, "")
    assert "No finished game is kept yet; play one at a terminal, or give a record FILE." in ran.err


def test_only_the_newest_games_are_kept_and_a_damaged_one_is_set_aside(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_FINISHED_GAMES", 3)
    paths = [records.save_finished_game(finished()) for _ in range(5)]
    assert [game.path for game in records.finished_games() if isinstance(game, records.FinishedGame)] == paths[:1:-1]
    paths[-1].write_text("rubbish")
    aside, *left = records.finished_games()
    assert aside == f"{paths[-1].name} is damaged and was set aside as {paths[-1].with_suffix('.damaged')}."
    assert [game.path for game in left if isinstance(game, records.FinishedGame)] == paths[-2:1:-1]


def test_two_games_that_end_at_the_same_moment_are_both_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "TIMESTAMP_FORMAT", "20300101-000000-000000")
    assert len({records.save_finished_game(finished()) for _ in range(3)}) == 3


def test_a_resumed_game_goes_on_being_recorded(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    with at_a_terminal(*SHORT, "--record", str(file)) as terminal:
        typed(terminal, "3", "2", "quit")
        terminal.expect(pexpect.EOF)
    assert file.read_text().endswith("2. 2\nresult: unfinished\n")
    numberline("resume", typed="2\n")
    assert file.read_text().endswith("3. 2\nresult: player 1 wins (Player 1 reached 5.)\n")


def test_a_resumed_game_overwrites_no_other_record(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    with at_a_terminal(*SHORT, "--record", str(file)) as terminal:
        typed(terminal, "3", "2", "quit")
        terminal.expect(pexpect.EOF)
    file.unlink()
    numberline("play", "line-runner(end=3)", "--record", str(file), typed="3\n")
    other = file.read_text()
    numberline("resume", typed="2\n")
    assert file.read_text() == other
    assert "3. 2\nresult: player 1 wins" in (tmp_path / "game-2.txt").read_text()


def test_a_rematch_is_recorded_in_a_file_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    with at_a_terminal(*SHORT, "--record", str(file)) as terminal:
        typed(terminal, "3", "resign")
        typed(terminal, "again", prompt=CHOICE)
        typed(terminal, "1", "resign")
        typed(terminal, "quit", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
    assert "1. 3\n" in file.read_text()
    assert "1. 1\n" in (tmp_path / "game-2.txt").read_text()


def test_where_nothing_can_be_kept_one_plays_on_and_is_told_once(tmp_path: Path) -> None:
    blocked = tmp_path / "data"
    blocked.write_text("")  # a file where the folder should be: unwritable for everybody, root too
    with at_a_terminal("play", "flag-chase", "--vs", "auto", columns=400, XDG_DATA_HOME=os.fspath(blocked)) as terminal:
        typed(terminal, "1")
        terminal.expect_exact("you can play on, but this game can't be kept.")
        typed(terminal, "resign")
        terminal.expect_exact(CHOICE)
        assert "can't be kept" in (terminal.before or "")  # the level of the next opponent
        assert "this game can't be kept" not in (terminal.before or "")
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == 0


def test_a_file_that_holds_something_else_is_not_taken_for_the_record(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.write_text("my notes\nmore of my notes\n")
    book = nl.book("flag-chase")
    sitting = Series(
        SeriesOptions(book=book, participants=make_participants(book, [None, None], ())), current=nl.Match(book)
    )
    RecordFile(file, sitting).write(sitting)
    assert file.read_text() == "my notes\nmore of my notes\n"
    assert (tmp_path / "game-2.txt").read_text().startswith("numberline record 1\n")


def refused(*_: object) -> str:
    raise PermissionError(13, "Permission denied")


def test_a_level_that_cannot_be_read_now_is_not_overwritten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.record_result("flag-chase", won=True)
    kept = progress.levels_file().read_text()
    monkeypatch.setattr(json_store, "read_text", refused)
    assert progress.current_level("flag-chase") == INITIAL_LEVEL
    assert progress.record_result("line-runner", won=True) is None
    assert capsys.readouterr().err.count("the level of your next opponent is not known, and not changed.\n") == 1
    assert progress.levels_file().read_text() == kept


def test_a_score_that_cannot_be_read_now_is_not_overwritten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    progress.puzzle_stats_store().change(lambda score: score.record_answer(800, 1, right=True))
    kept = progress.puzzles_file().read_text()
    monkeypatch.setattr(json_store, "read_text", refused)
    assert progress.puzzle_stats_store().change(lambda score: score.record_answer(800, 1, right=True)) is None
    assert "your progress is not known, and not changed" in capsys.readouterr().err
    assert progress.puzzles_file().read_text() == kept


def test_a_rating_never_falls_below_nothing() -> None:
    score = PuzzleStats(rating=5)
    for _ in range(50):
        score.record_answer(5, 0, right=False)
    assert score.rating == 0
