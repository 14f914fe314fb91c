"""Menus after a game, records, finished games and saved progress."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pexpect
import pytest

import numberline as nl
from numberline.progress.events import NameGiven
from numberline.progress.rules import INITIAL_LEVEL
from numberline.terminal import progress, records
from numberline.terminal.records import RecordFile
from numberline.terminal.series import Series, SeriesOptions, make_participants
from support.commands import numberline
from support.progress import answer, game, store
from terminal.test_board import at_a_terminal, press_ctrl_c

MOVE, CHOICE = "Enter your move (1", "Your choice ("
SHORT = ("play", "flag-chase", "--names", "Ann,Bob")


def typed(terminal: pexpect.spawn[str], *moves: str, prompt: str = MOVE) -> None:
    """Type each of these at its prompt."""
    for move in moves:
        terminal.expect_exact(prompt)
        terminal.sendline(move)
        if move == "resign":
            terminal.expect_exact("Give up this game? (y/n) ")
            terminal.sendline("y")


def finished(*moves: str) -> nl.Match:
    """Return a finished game of Flag Chase."""
    match = nl.Match(nl.book("flag-chase"), names=["Ann", "Bob"])
    for move in moves or ("3", "2", "2"):
        match.play(move)
    return match


def test_menu_after_a_game_offers_again_swap_and_quit() -> None:
    with at_a_terminal(*SHORT, NO_COLOR="1") as terminal:
        typed(terminal, "3", "2", "2")
        typed(terminal, "", prompt=CHOICE)
        terminal.expect_exact("Ann's turn.")
        typed(terminal, "resign")
        terminal.expect_exact("Swap sides: Bob starts")
        typed(terminal, "swap", prompt=CHOICE)
        terminal.expect_exact("Bob's turn.")
        typed(terminal, "resign")
        typed(terminal, "review", prompt=CHOICE)
        typed(terminal, "next", prompt="Move 0 of 1 (")
        terminal.expect_exact("Bob resigned here. Missed win: 2 or 3 could have won.")
        typed(terminal, "stop", prompt="Move 1 of 1 (")
        typed(terminal, "q", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
    games = json.loads(numberline("games", "--json").out)
    assert [(game["names"], game["outcome"]["winner"]) for game in games] == [
        (["Bob", "Ann"], 2),
        (["Ann", "Bob"], 2),
        (["Ann", "Bob"], 1),
    ]


def test_menu_after_a_match_says_that_again_is_a_match() -> None:
    with at_a_terminal("play", "flag-chase", "--rounds", "2", "--names", "Ann,Bob", NO_COLOR="1") as terminal:
        typed(terminal, "resign", "resign")
        terminal.expect_exact("1. Again: the same match of 2 games once more\r\n")


def test_menu_after_play_from_here_leads_to_the_start_menu() -> None:
    path = records.save_finished_game(nl.Match(nl.book("flag-chase"), names=("Ann", "Bob")))
    with at_a_terminal("review", "--step", str(path), NO_COLOR="1") as terminal:
        typed(terminal, "play from here", prompt="Move 0 of 0 (")
        typed(terminal, "resign")
        typed(terminal, "menu", prompt=CHOICE)
        terminal.expect_exact("What would you like to do?")


def test_unnamed_friend_keeps_one_name_after_a_swap() -> None:
    store(NameGiven("Mia"))
    with at_a_terminal("play", "flag-chase", NO_COLOR="1") as terminal:
        terminal.expect_exact("Mia's turn.")
        typed(terminal, "resign")
        typed(terminal, "swap", prompt=CHOICE)
        terminal.expect_exact("Friend's turn.")


def test_decisive_mistake_can_be_played_again() -> None:
    with at_a_terminal("play", "flag-chase", "--vs", "perfect", "--seed", "1", NO_COLOR="1") as terminal:
        typed(terminal, "1", "1")
        terminal.expect(
            r"(Nearly|Good game|Thanks for the game)! Perfect wins\.\r\n☆☆☆ To earn your first star, win the game\.\r\n"
        )
        terminal.expect_exact("On your first move, 3 was better than 1: it could have won.")
        typed(terminal, "try", prompt=CHOICE)
        terminal.expect_exact("You played 1 here. Find something better.")
        typed(terminal, "1")
        terminal.expect_exact("Not 1. Try once more.")
        typed(terminal, "3")
        terminal.expect_exact("Yes, 3 is better.")
        typed(terminal, "2")
        terminal.expect_exact("This was practice, so it gives no stars.")
        terminal.expect_exact("What now?")
        assert "kept it to the end" not in (terminal.before or "")
        typed(terminal, "review", prompt=CHOICE)
        typed(terminal, "", prompt="Move 0 of 3 (")
        typed(terminal, "play from here", prompt="Move 1 of 3 (Enter for next, back, play from here, or stop): ")
        terminal.expect_exact("You play on from here.")
        typed(terminal, "2")
        terminal.expect_exact("This was practice, so it gives no stars.")
        typed(terminal, "quit", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
    assert "against Perfect, " in (listed := numberline("games").out)
    assert listed.count(": practice, you won.\n") == 2


def test_better_move_is_played_for_the_player_after_two_tries() -> None:
    with at_a_terminal("play", "flag-chase", "--vs", "perfect", "--seed", "1", NO_COLOR="1") as terminal:
        typed(terminal, "1", "1")
        typed(terminal, "try", prompt=CHOICE)
        typed(terminal, "1", "1")
        terminal.expect_exact("Not 1 either. 3 is better, so I'll play it for you.")
        typed(terminal, "2")
        terminal.expect_exact("You win, with some help!")


def test_menu_after_a_level_offers_harder_and_easier() -> None:
    with at_a_terminal("play", "flag-chase", "--vs", "level:3", "--seed", "1", NO_COLOR="1") as terminal:
        typed(terminal, "resign")
        typed(terminal, "harder", prompt=CHOICE)
        typed(terminal, "resign")
        terminal.expect_exact("Level 4 wins.")
        typed(terminal, "easier", prompt=CHOICE)
        typed(terminal, "resign")
        terminal.expect_exact("Level 3 wins.")


def test_menu_after_a_character_offers_the_next_one() -> None:
    with at_a_terminal("play", "flag-chase", "--vs", "hard", "--seed", "1", NO_COLOR="1") as terminal:
        typed(terminal, "resign")
        terminal.expect_exact("You resign.")
        terminal.expect_exact("Harder: against the owl")
        typed(terminal, "easier", prompt=CHOICE)
        typed(terminal, "resign")
        terminal.expect_exact("Badger wins.")


def test_sides_that_are_alike_are_not_swapped() -> None:
    with at_a_terminal("play", "number-reach", "--vs", "hard", NO_COLOR="1") as terminal:
        typed(terminal, "resign", prompt="Enter your move (")
        terminal.expect_exact("Again: Fox starts")
        terminal.expect_exact("Harder: against the owl")
        assert "Swap sides" not in (terminal.before or "")


def test_starting_player_alternates_against_the_computer() -> None:
    with at_a_terminal("play", "flag-chase", "--vs", "medium", NO_COLOR="1") as terminal:
        terminal.expect_exact("You start this time.")
        typed(terminal, "resign")
        terminal.expect_exact("Again: Badger starts")
        terminal.expect_exact("Swap sides: you play from the other side")
        typed(terminal, "again", prompt=CHOICE)
        terminal.expect_exact("Badger starts this time.")
        typed(terminal, "resign")
        typed(terminal, "quit", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
    with at_a_terminal("play", "flag-chase", "--vs", "medium", NO_COLOR="1") as terminal:
        terminal.expect_exact("You start this time.")


@pytest.mark.parametrize(("book", "starter"), [("number-reach", "Rabbit starts"), ("line-runner", "You start")])
def test_first_game_against_easy_can_be_won(book: str, starter: str) -> None:
    with at_a_terminal("play", book, "--vs", "easy", NO_COLOR="1") as terminal:
        terminal.expect_exact(f"{starter} this time.")


@pytest.mark.parametrize("option", [["--first", "2"], ["--seed", "1"], ["--seats", "me,easy"]])
def test_starting_player_can_be_set(option: list[str]) -> None:
    opponent = [] if "--seats" in option else ["--vs", "easy"]
    with at_a_terminal("play", "number-reach", *opponent, *option, NO_COLOR="1") as terminal:
        typed(terminal, "resign", prompt="(+1 or *2): ")
        terminal.expect_exact("Again: the same game once more")
        assert "this time" not in (terminal.before or "")


def test_game_with_few_opponents_says_why() -> None:
    with at_a_terminal("play", "flag-chase(steps=1)", "--vs", "hard", NO_COLOR="1") as terminal:
        typed(terminal, "1", prompt="Enter your move (1): ")
        terminal.expect_exact("In this game, all opponents are about equally strong. Your moves matter little.")


def test_another_game_shows_the_start_menu() -> None:
    with at_a_terminal(*SHORT) as terminal:
        typed(terminal, "resign")
        typed(terminal, "another", prompt=CHOICE)
        terminal.expect_exact("What would you like to do?")
        typed(terminal, "quit", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == 0


@pytest.mark.parametrize("ctrl", ["c", "d"])
def test_quit_reports_a_saved_game_after_a_move(ctrl: str) -> None:
    for moves in ([], ["3"]):
        with at_a_terminal(*SHORT) as terminal:
            typed(terminal, *moves)
            terminal.expect_exact(MOVE)
            if ctrl == "c":
                press_ctrl_c(terminal)
            else:
                terminal.sendeof()
                terminal.expect(pexpect.EOF)
            saved = "Game saved. To resume it, type: numberline resume" in (terminal.before or "")
            assert saved is bool(moves)


def test_start_menu_offers_the_saved_game() -> None:
    with at_a_terminal(*SHORT) as terminal:
        typed(terminal, "3", "quit")
        terminal.expect(pexpect.EOF)
    assert numberline(typed="resume\n").err == "Game saved. To resume it, type: numberline resume\n"
    out = numberline(typed="resume\nresign\n").out
    assert "7. Resume: your saved game: Flag Chase\n" in out
    assert "Ann wins the game!\n" in out


def test_piped_game_has_no_menu_and_is_not_saved() -> None:
    assert numberline(*SHORT, typed="3\n2\n2\n").out.endswith("Ann wins the game!\n")
    assert numberline("games").out == "You have no finished games yet. To play a game, type: numberline play\n"


def test_finished_games_are_reviewed_and_replayed_by_number() -> None:
    records.save_finished_game(finished("3", "2", "2"))
    records.save_finished_game(finished("1", "3", "1", "2"))
    assert numberline("games").out.startswith("1. Flag Chase, Ann against Bob, ")
    assert numberline("games").out.endswith(": Ann won after 3 turns.\n")
    assert "Bob won after 4 turns." in numberline("review").out
    assert "Ann won after 3 turns." in numberline("review", "2").out
    assert numberline("replay").out.endswith("Bob wins the game!\n")
    assert numberline("replay", "2").out.endswith("Ann wins the game!\n")
    ran = numberline("review", "3")
    assert (ran.code, "you have 2 finished games; numberline games lists them" in ran.err) == (2, True)


def test_review_without_finished_games_is_an_error() -> None:
    ran = numberline("review")
    assert (ran.code, ran.out) == (2, "")
    assert "You have no finished games yet; play one at a terminal, or specify a record FILE." in ran.err


def test_old_games_are_deleted_and_damaged_ones_quarantined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MAX_FINISHED_GAMES", 3)
    paths = [records.save_finished_game(finished()) for _ in range(5)]
    assert [game.path for game in records.finished_games() if isinstance(game, records.FinishedGame)] == paths[:1:-1]
    paths[-1].write_text("rubbish")
    aside, *left = records.finished_games()
    assert aside == f"{paths[-1].name} is damaged and was renamed to {paths[-1].with_suffix('.damaged')}."
    assert [game.path for game in left if isinstance(game, records.FinishedGame)] == paths[-2:1:-1]


def test_games_that_end_at_the_same_time_are_both_saved(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "_TIMESTAMP_FORMAT", "20300101-000000-000000")
    assert len({records.save_finished_game(finished()) for _ in range(3)}) == 3


def test_resumed_game_is_still_recorded(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    with at_a_terminal(*SHORT, "--record", str(file)) as terminal:
        typed(terminal, "3", "2", "quit")
        terminal.expect(pexpect.EOF)
    assert file.read_text().endswith("2. 2\nresult: unfinished\n")
    numberline("resume", typed="2\n")
    assert file.read_text().endswith("3. 2\nresult: player 1 wins (Player 1 reached 5.)\n")


def test_resumed_game_overwrites_no_other_record(tmp_path: Path) -> None:
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


def test_rematch_is_recorded_in_a_new_file(tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    with at_a_terminal(*SHORT, "--record", str(file)) as terminal:
        typed(terminal, "3", "resign")
        typed(terminal, "again", prompt=CHOICE)
        typed(terminal, "1", "resign")
        typed(terminal, "quit", prompt=CHOICE)
        terminal.expect(pexpect.EOF)
    assert "1. 3\n" in file.read_text()
    assert "1. 1\n" in (tmp_path / "game-2.txt").read_text()


def test_game_continues_if_it_cannot_be_saved(tmp_path: Path) -> None:
    blocked = tmp_path / "data"
    blocked.write_text("")  # a file where the folder should be: not even root can write there
    with at_a_terminal("play", "flag-chase", "--vs", "auto", columns=400, XDG_DATA_HOME=os.fspath(blocked)) as terminal:
        typed(terminal, "", prompt="What's your name?")
        terminal.expect_exact("could not save your progress")
        typed(terminal, "1")
        terminal.expect_exact("you can keep playing, but this game can't be saved.")
        typed(terminal, "resign")
        terminal.expect_exact(CHOICE)
        assert "this game can't be saved" not in (terminal.before or "")
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
        terminal.close()
        assert terminal.exitstatus == 0


def test_file_with_other_content_is_not_used_as_record(tmp_path: Path) -> None:
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


def test_unreadable_progress_is_not_overwritten(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    store(game())
    kept = progress.progress_file().read_text()
    monkeypatch.setattr(progress, "read_text", refused)
    assert progress.load_progress().level("flag-chase") == INITIAL_LEVEL
    assert store(answer()) is None
    assert capsys.readouterr().err.count("your progress could not be read and was left unchanged.\n") == 1
    assert progress.progress_file().read_text() == kept
