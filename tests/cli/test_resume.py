"""Saved games: left with quit, Ctrl-C or a kill at any moment, and resumed without a loss."""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time

import pexpect
import pytest

from numberline.terminal import saves
from support.commands import numberline
from terminal.test_board import at_a_terminal, press_ctrl_c

PROMPT = "Enter your move (1"


def left() -> list[dict[str, object]]:
    """Return the saved games from their JSON report."""
    games: list[dict[str, object]] = json.loads(numberline("resume", "--json").out)
    return games


def play_some(*moves: str, end: str | None = "quit") -> None:
    """Play some moves of Line Runner at a terminal and leave."""
    with at_a_terminal("play", "line-runner", "--names", "Ann,Bob") as terminal:
        for move in moves:
            terminal.expect_exact(PROMPT)
            terminal.sendline(move)
        terminal.expect_exact(PROMPT)
        if end:
            terminal.sendline(end)
            terminal.expect(pexpect.EOF)
        else:
            press_ctrl_c(terminal)


def test_game_left_with_quit_can_be_resumed() -> None:
    play_some("3", "2")
    assert [game["moves"] for game in left()] == [["3", "2"]]
    with at_a_terminal("resume", NO_COLOR="1") as terminal:
        terminal.expect_exact("Resuming after 2 turns.")
        terminal.expect_exact("Ann's turn.")
        terminal.expect_exact(PROMPT)
        terminal.sendline("resign")
        terminal.expect_exact("Give up this game? (y/n) ")
        terminal.sendline("y")
        terminal.expect_exact("Bob wins!")
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
    assert left() == []


def test_hint_before_quitting_is_remembered() -> None:
    play_some("3", "hint")
    assert [json.loads(path.read_text())["helped"] for path in saves.saved_games_dir().glob("*.json")] == [True]


def test_game_left_with_ctrl_c_can_be_resumed() -> None:
    play_some("3", end=None)
    assert [game["moves"] for game in left()] == [["3"]]


def test_game_without_moves_is_not_saved() -> None:
    play_some()
    assert left() == []


def test_game_with_all_moves_undone_is_not_saved() -> None:
    play_some("3", "undo")
    assert left() == []


def test_saved_games_are_listed_newest_first() -> None:
    play_some("3")
    time.sleep(1.1)
    play_some("1", "1")
    out = numberline("resume", "--list").out
    assert out.startswith("1. Line Runner, Ann against Bob, Ann's turn, ")
    assert "\n2. Line Runner, Ann against Bob, Bob's turn, " in out
    assert "Resuming after 1 turn.\n" in numberline("resume", "2").out
    assert "You have 2 saved games; numberline resume --list lists them." in numberline("resume", "3").err
    assert numberline("resume", "2", "--forget").out.startswith("Deleted: Line Runner")
    assert len(left()) == 1


def test_resume_without_saved_games_says_so() -> None:
    ran = numberline("resume")
    assert (ran.code, ran.out) == (0, "You have no saved games.\n")


def test_damaged_save_is_quarantined_and_others_are_unharmed() -> None:
    play_some("3")
    damaged = saves.saved_games_dir() / "20200101-000000-1.json"
    damaged.write_text('{"format": 1')
    ran = numberline("resume", "--list")
    assert f"20200101-000000-1.json is damaged and was renamed to {damaged.with_suffix('.damaged')}." in ran.err
    assert ran.out.startswith("1. Line Runner")
    assert not damaged.exists()
    assert numberline("resume", "--list").err == ""


def test_match_is_resumed_with_its_score() -> None:
    with at_a_terminal("play", "flag-chase", "--rounds", "3", "--names", "Ann,Bob") as terminal:
        for move in ("3", "1", "2", "1"):
            terminal.expect_exact(PROMPT)
            terminal.sendline(move)
        terminal.expect_exact(PROMPT)
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
    out = numberline("resume", typed="resign\nresign\n").out
    assert "Flag Chase, Ann against Bob, game 2 of 3, Ann's turn, " in out
    assert "Score: Ann: 1, Bob: 1\n" in out


def test_resumed_bot_game_continues_identically() -> None:
    whole = numberline("play", "line-runner", "--vs", "level:3", "--seed", "7", typed="1\n" * 40).out
    with at_a_terminal("play", "line-runner", "--vs", "level:3", "--seed", "7", NO_COLOR="1") as terminal:
        for _ in range(3):
            terminal.expect_exact(PROMPT)
            terminal.sendline("1")
        terminal.expect_exact(PROMPT)
        terminal.sendline("quit")
        terminal.expect(pexpect.EOF)
    rest = numberline("resume", typed="1\n" * 40).out
    assert rest.rstrip().splitlines()[-6:] == whole.rstrip().splitlines()[-6:]


def test_unreadable_save_is_left_alone() -> None:
    play_some("3", "2")
    unreadable = saves.saved_games_dir() / "20200101-000000-1.json"
    unreadable.mkdir()
    ran = numberline("resume", "--list")
    assert ran.err == f"Can't read {unreadable}: is a directory.\n"
    assert unreadable.is_dir()
    assert ran.out.startswith("1. Line Runner, Ann against Bob, Ann's turn, ")


@pytest.mark.parametrize("option", ["--list", "--json"])
def test_list_of_saved_games_takes_no_number(option: str) -> None:
    ran = numberline("resume", "2", option)
    assert (ran.code, ran.out) == (2, "")
    assert "--list and --json show all saved games; leave out NUMBER and --forget." in ran.err


def test_resume_rejects_a_number_past_the_list() -> None:
    play_some("3", "2")
    assert "You have 1 saved game; numberline resume --list lists them." in numberline("resume", "2").err


def kill_at(delay: float, file_of_moves: random.Random) -> tuple[int, list[str]]:
    """Kill a game after a delay; return the number of moves surely played by then, and the moves typed."""
    typed: list[str] = []
    with at_a_terminal("play", "line-runner(end=200)") as terminal:
        taken = 0
        end = time.monotonic() + delay
        try:
            while time.monotonic() < end:
                terminal.expect_exact(PROMPT, timeout=max(0.01, end - time.monotonic()))
                taken = len(typed)
                typed.append(str(file_of_moves.choice((1, 2, 3))))
                terminal.sendline(typed[-1])
        except pexpect.TIMEOUT:
            pass
        os.kill(int(terminal.pid or 0), signal.SIGKILL)
        terminal.wait()
    return taken, typed


def assert_nothing_is_lost(seed: int) -> None:
    rng = random.Random(seed)
    taken, typed = kill_at(0.15 + rng.random() * 0.6, rng)
    games = left()
    assert len(games) == 1 or (not taken and not games)
    if games:
        moves = games[0]["moves"]
        assert isinstance(moves, list)
        assert moves == typed[: len(moves)]
        assert len(moves) >= taken
    for path in saves.saved_games_dir().glob("*.json") if saves.saved_games_dir().exists() else []:
        path.unlink()


@pytest.mark.parametrize("seed", range(20))
def test_kill_loses_only_the_move_being_typed(seed: int) -> None:
    assert_nothing_is_lost(seed)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(20, 220))
def test_two_hundred_kills_lose_nothing(seed: int) -> None:
    assert_nothing_is_lost(seed)


def test_closed_terminal_leaves_a_saved_game() -> None:
    terminal = pexpect.spawn(sys.executable, ["-m", "numberline", "play", "line-runner"], encoding="utf-8", timeout=20)
    terminal.expect_exact(PROMPT)
    terminal.sendline("3")
    terminal.expect_exact("'s turn.")
    terminal.expect_exact(PROMPT)
    terminal.close(force=True)
    assert [game["moves"] for game in left()] == [["3"]]
