"""Games at a real terminal: boards at several widths, colours, Ctrl-C and Ctrl-D."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pexpect
import pytest

import numberline as nl
from numberline.explain.narrator import Narrator
from numberline.game.notation import format_record
from numberline.game.position import Position
from numberline.terminal.board import render_board
from numberline.terminal.console import wrap_text
from numberline.views.board import book_view, position_view
from support.progress import skip_name_question

COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@contextmanager
def at_a_terminal(*arguments: str, columns: int = 80, **environment: str) -> Iterator[pexpect.spawn[str]]:
    """Start the command line in a new terminal of that width; it doesn't ask for a name."""
    skip_name_question()
    clean = {name: value for name, value in os.environ.items() if name not in {"NO_COLOR", "COLUMNS", "LINES"}}
    terminal = pexpect.spawn(
        sys.executable,
        ["-m", "numberline", *arguments],
        dimensions=(50, columns),
        encoding="utf-8",
        timeout=20,
        env={**clean, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
    )
    try:
        yield terminal
    finally:
        terminal.close(force=True)


def press_ctrl_c(terminal: pexpect.spawn[str]) -> None:
    """Press Ctrl-C until the program ends.

    Python's `input` misses a signal that arrives between printing the prompt and waiting for a key.
    """
    for _ in range(5):
        terminal.sendintr()
        if terminal.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=5) == 0:
            return
    pytest.fail(f"The program ignored Ctrl-C five times: {terminal}")


def code(terminal: pexpect.spawn[str]) -> int | None:
    """Return the exit code."""
    terminal.expect(pexpect.EOF)
    terminal.close()
    return terminal.exitstatus


def screen(text: str | None) -> list[str]:
    """Return the printed text without colours."""
    return COLOUR.sub("", text or "").replace("\r", "").split("\n")


def test_error_is_wrapped_between_words() -> None:
    with at_a_terminal("play", "chess", columns=40) as terminal:
        terminal.expect(pexpect.EOF)
        said = str(terminal.before).splitlines()
    assert " ".join(line.strip() for line in said).startswith("Error: unknown book 'chess'; expected reach-the-edge,")
    assert max(map(len, said)) <= 40


def test_board_shows_the_tokens() -> None:
    with at_a_terminal("play", "flag-chase") as terminal:
        terminal.expect_exact("Enter your move (1")
        assert screen(terminal.before)[:4] == [
            "Flag Chase",
            "P1                  ⚑                   P2",
            "●───┼───┼───┼───┼───◆───┼───┼───┼───┼───●",
            "0   1   2   3   4   5   6   7   8   9   10",
        ]


def test_game_is_played_with_real_keys() -> None:
    with at_a_terminal("play", "flag-chase", NO_COLOR="1") as terminal:
        for move in ("3", "2", "2"):
            terminal.expect_exact("Enter your move (1")
            terminal.sendline(move)
        terminal.expect_exact("Player 1 wins!")
        terminal.expect_exact("Your choice (1-")
        terminal.sendline("quit")
        assert code(terminal) == 0


def test_ctrl_c_leaves_cleanly_with_code_130() -> None:
    with at_a_terminal("play", "flag-chase") as terminal:
        terminal.expect_exact("Enter your move (1")
        press_ctrl_c(terminal)
        assert "Traceback" not in (terminal.before or "")
        terminal.close()
        assert terminal.exitstatus == 130


def test_ctrl_d_prints_one_sentence_and_exits_with_3() -> None:
    with at_a_terminal("play", "flag-chase") as terminal:
        terminal.expect_exact("Enter your move (1")
        terminal.sendeof()
        terminal.expect_exact("The input ended before the game did.")
        assert code(terminal) == 3


def test_game_is_chosen_from_the_list() -> None:
    with at_a_terminal() as terminal:
        terminal.expect_exact("Your choice (1-")
        terminal.sendline("f")
        terminal.expect_exact(f"Which game (1-{len(nl.NAMES)}, Enter for Reach the Edge, or quit): ")
        terminal.sendline("5")
        terminal.expect_exact("What's your friend's name? (Enter to skip) ")
        terminal.sendline("Ben")
        terminal.expect_exact("Line Runner\r\n")
        terminal.expect_exact("Enter your move")
        terminal.sendline("3")
        terminal.expect_exact("Enter your move")
        terminal.sendline("quit")
        terminal.expect_exact("Game saved. To resume it, choose Resume.")
        terminal.expect_exact("Your choice (1-")
        terminal.sendline("resume")
        terminal.expect_exact("Enter your move")
        terminal.sendline("quit")
        terminal.expect_exact("Your choice (1-")
        terminal.sendline("quit")
        assert code(terminal) == 0


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("name", nl.NAMES)
def test_output_fits_the_window(name: str, columns: int) -> None:
    question = Narrator(nl.Match(nl.book(name))).ask()
    with at_a_terminal("play", name, columns=columns) as terminal:
        terminal.expect_exact(" ".join(question.split()[:3]))
        assert max(map(len, screen(terminal.before))) <= columns


def test_players_have_colours_unless_no_color_is_set() -> None:
    with at_a_terminal("play", "flag-chase") as terminal:
        terminal.expect_exact("Enter your move")
        assert "\x1b[36mP1" in (terminal.before or "")
    with at_a_terminal("play", "flag-chase", NO_COLOR="1") as terminal:
        terminal.expect_exact("Enter your move")
        assert not re.search(r"\x1b\[[0-9;]*3[0-9]m", terminal.before or "")
        assert "P1" in (terminal.before or "")


def test_name_has_the_colour_of_its_token() -> None:
    with at_a_terminal("play", "flag-chase", "--names", "Ann,Bob") as terminal:
        terminal.expect_exact("Enter your move")
        assert (terminal.before or "").count("\x1b[36mAnn\x1b[0m") == 2


def test_tokens_have_names_or_a_legend() -> None:
    with at_a_terminal("play", "flag-chase", "--names", "Ann,Bob", NO_COLOR="1") as terminal:
        terminal.expect_exact("Enter your move")
        assert screen(terminal.before)[1] == "Ann                 ⚑                   Bob"
    with at_a_terminal("play", "flag-chase", "--names", f"{'Ann' * 13},Bob", NO_COLOR="1") as terminal:
        terminal.expect_exact("Enter your move")
        assert screen(terminal.before)[1].startswith("P1 ")
        assert screen(terminal.before)[5:7] == ["P1: " + "Ann" * 13, "P2: Bob"]


def test_help_line_is_printed_once_and_legal_moves_when_fewer() -> None:
    with at_a_terminal("play", "flag-chase", NO_COLOR="1") as terminal:
        terminal.expect_exact("You can't go past the goal.\r\n")
        terminal.expect_exact("Type rules or ? for help.")
        terminal.expect_exact("Enter your move")
        assert "would take you" not in (terminal.before or "")
        for move in ("3", "1"):
            terminal.sendline(move)
            terminal.expect_exact("Enter your move")
            assert "help" not in (terminal.before or "")
        assert "3 would take you past the flag, so play 1 or 2.\r\n" in (terminal.before or "")


@pytest.mark.parametrize("name", nl.NAMES)
def test_turn_against_the_computer_fits_on_14_lines(name: str) -> None:
    with at_a_terminal("play", name, "--vs", "master", "--seed", "1", "--fast", NO_COLOR="1") as terminal:
        terminal.expect_exact("Enter your move")
        terminal.sendline({"number-reach": "+1", "number-line-sprint": "R1"}.get(name, "1"))
        terminal.expect_exact("Enter your move")
        lines = screen(terminal.before)
    assert len(lines) <= 14, lines
    assert lines[1].startswith("You "), lines
    assert "Player" not in "".join(line for line in lines if line.endswith(".")), lines


def test_lost_turn_says_why_there_is_no_move() -> None:
    with at_a_terminal("play", "reach-the-edge(steps=2)", "--vs", "perfect", "--seed", "1", NO_COLOR="1") as terminal:
        terminal.expect_exact("Enter your move")
        terminal.sendline("2")
        terminal.expect_exact("Perfect can't move: every move is banned, so Perfect misses a turn.")


def test_winning_position_is_drawn() -> None:
    with at_a_terminal("play", "number-line-sprint(end=3)", NO_COLOR="1") as terminal:
        terminal.expect_exact("Enter your move")
        terminal.sendline("R1")
        terminal.expect_exact("Player 1 wins!")
        assert "◆───●───●" in screen(terminal.before)


def test_ascii_terminal_gets_an_ascii_board() -> None:
    with at_a_terminal("play", "flag-chase", PYTHONUTF8="0", PYTHONIOENCODING="ascii", LC_ALL="C") as terminal:
        terminal.expect_exact("Enter your move")
        assert "o---+---+---+---+---#---+---+---+---+---o" in screen(terminal.before)


def test_replay_steps_forwards_and_backwards(tmp_path: Path) -> None:
    match = nl.Match(nl.book("flag-chase"))
    match.play("3")
    match.play("2")
    file = tmp_path / "game.txt"
    file.write_text(format_record(match))
    with at_a_terminal("replay", str(file), "--step", NO_COLOR="1") as terminal:
        terminal.expect_exact("Move 0 of 2 (Enter for next, back, or stop): ")
        terminal.sendline("")
        terminal.expect_exact("Player 1 moves to tile 3.")
        terminal.sendline("next")
        terminal.expect_exact("The record ends here. The game is unfinished.")
        terminal.sendline("back")
        terminal.expect_exact("Move 1 of 2 (")
        terminal.sendline("stop")
        assert code(terminal) == 0


def lines(variant: str, width: int, **position: object) -> list[str]:
    """Return the board of a position without colours."""
    book = nl.book(variant)
    shown = position_view(book, book.start()._replace(**position))  # type: ignore[arg-type]  # any field
    return [line.plain for line in render_board(book_view(book), shown, width)]


def test_long_line_continues_in_the_next_row() -> None:
    drawn = lines("line-runner", 40)
    assert drawn[2] == "●──┼──┼──┼──┼──┼──┼──┼──┼──┼──┼"
    assert drawn[-1] == "11 12 13 14 15 16 17 18 19 20"


def test_very_long_line_shows_tokens_and_goal() -> None:
    drawn = lines("line-runner(end=5000)", 60, tokens=(2500, 0))
    assert any("2500" in line.split() for line in drawn)
    assert any(line.endswith(" 5000") for line in drawn)
    assert len(drawn) < 20


def test_labels_without_room_go_a_line_higher() -> None:
    drawn = lines("number-line-sprint(players=3)", 34, tokens=(6, 6, 7))
    assert [line.strip(" ⚑") for line in drawn[1:3]] == ["P3", "P1/P2"]


@pytest.mark.parametrize("width", range(20, 130))
def test_board_fits_any_window(width: int) -> None:
    for variant in ("line-runner(tokens=3)", "number-line-sprint(players=6)", "reach-the-edge(end=1000000)"):
        book = nl.book(variant)
        for position in (book.start(), Position(2, tuple(range(3, 3 + len(book.start().tokens))))):
            lines = render_board(book_view(book), position_view(book, position), width)
            assert max(len(line) for line in lines) <= width


@pytest.mark.parametrize("width", [14, 20, 40, 200])
def test_wrapped_text_keeps_words_lines_and_indent(width: int) -> None:
    text = "Move one to three places, never off the line.\n\nWho reaches the end-of-line first wins."
    lines = wrap_text(text, width, "  ").split("\n")
    assert " ".join(lines).split() == text.split()
    assert all(line.startswith("  ") and len(line) <= width for line in lines if line)
    assert lines.count("") == 1
    assert wrap_text(text, None) == text


def test_rules_fit_the_terminal_without_breaking_words() -> None:
    with at_a_terminal("rules", "line-runner", NO_COLOR="1") as terminal:
        assert code(terminal) == 0
        shown = screen(terminal.before)
    settings = shown[shown.index("Settings") + 1 :]
    assert max(map(len, shown)) <= 80
    assert all(line[23:24].strip() for line in settings if line)  # continued lines start below the text


def test_board_is_drawn_again_on_enter_and_after_a_long_answer() -> None:
    with at_a_terminal("play", "flag-chase", "--vs", "perfect", "--fast", NO_COLOR="1") as terminal:
        for typed in ("", "board", "rules", "hint"):
            terminal.expect_exact("Enter your move")
            terminal.sendline(typed)
            terminal.expect_exact("Enter your move")
            drawn = any(line.startswith("P1 ") or "┼───" in line for line in screen(terminal.before))
            assert drawn == (typed != "hint")
            terminal.sendline("moves")
