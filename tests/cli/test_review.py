"""`numberline review`: text, charts, SVG, HTML and JSON of a recorded game."""

from __future__ import annotations

import json
import os
import random
import sys
from pathlib import Path

import pexpect
import pytest

import numberline as nl
from numberline.cli.review import report
from numberline.explain.review import MoveMark, review
from numberline.game.notation import format_record
from numberline.terminal.review import render_review, render_review_chart, review_in_sentences, value_bar
from support.commands import numberline, numberline_anew
from support.variants import EVERY
from terminal.test_board import at_a_terminal

LOST_WIN = ("3", "1", "3", "2", "3", "2", "1", "3")
"""A game of Reach the Edge in which the seventh move throws the win away."""


def played(variant: str, *moves: str, names: tuple[str, ...] = ("Ann", "Bob")) -> nl.Match:
    """Return a match with these moves."""
    match = nl.Match(nl.book(variant), 1, names)
    for move in moves:
        if move == "resign":
            match.resign()
        else:
            match.play(move)
    return match


def at_random(variant: str, seed: int, most: int = 400) -> nl.Match:
    """Return a match of random moves."""
    rng = random.Random(seed)
    match = played(variant)
    while match.moves and len(match.plies) < most:
        match.play(rng.choice(match.moves))
    return match


def written(folder: Path, *matches: nl.Match) -> str:
    """Write these games to a file and return its path."""
    file = folder / "games.txt"
    file.write_text("\n".join(map(format_record, matches)))
    return str(file)


def test_review_shows_values_and_mark_of_each_move(tmp_path: Path) -> None:
    ran = numberline("review", written(tmp_path, played("reach-the-edge", *LOST_WIN)), "--notation")
    assert ran.out.startswith(
        "Reach the Edge\n"
        "Ann against Bob: unfinished after 8 turns.\n\n"
        "       move before after\n"
        " 1 Ann 3    W▲11   W▲10   !! the only winning move\n"
        " 2 Bob 1    L▼10   L▼7    ?! 2 would have delayed the loss\n"
    )
    assert " 7 Ann 1    W▲3    L▼19   ?? missed win: 3 could have won\n" in ran.out
    assert "W▲ wins, L▼ loses (for the player who moved; the number counts the turns left)\n" in ran.out
    assert "!! the only winning move, ?! not the best, ?? missed win\n" in ran.out
    assert (ran.code, ran.err) == (0, "")


def test_review_ends_with_chart_turning_point_and_accuracy(tmp_path: Path) -> None:
    out = numberline("review", written(tmp_path, played("reach-the-edge", *LOST_WIN)), "--notation").out
    assert out.endswith(
        "Ann has a sure win\n"
        "                  ▄▄\n"
        "      ▄▄ ██ ██ ██ ██\n"
        "██ ██ ██ ██ ██ ██ ██\n"
        "██ ██ ██ ██ ██ ██ ██\n"
        "───────────────────────────\n"
        "                     ▀▀ ▀▀\n"
        "Bob has a sure win\n"
        "                     ?\n"
        "0              5\n\n"
        "On Ann's fourth move, 3 was better than 1: it could have won.\n"
        "Ann: 4 moves mattered\n"
        "Bob: 4 moves mattered\n"
    )


def test_review_covers_all_games_of_a_file_or_one(tmp_path: Path) -> None:
    file = written(tmp_path, played("flag-chase", "3", "2", "2"), played("number-reach", "+1"))
    out = numberline("review", file).out
    assert [line for line in out.splitlines() if line.startswith("Game ")] == ["Game 1 of 2", "Game 2 of 2"]
    assert "Flag Chase\nAnn against Bob: Ann won after 3 turns.\n" in out
    assert numberline("review", file, "--game", "2").out.startswith("Number Reach\n")


def test_review_rejects_a_game_number_past_the_file(tmp_path: Path) -> None:
    file = written(tmp_path, played("flag-chase", "3"))
    ran = numberline("review", file, "--game", "2")
    assert ran.err == (f"Error: Invalid value for --game: 2: {file} has only 1 game. See numberline review --help.\n")
    assert ran.code == 2


def test_review_of_a_game_without_moves_is_short(tmp_path: Path) -> None:
    ran = numberline("review", written(tmp_path, played("flag-chase")))
    assert ran.out == "Flag Chase\nAnn against Bob: unfinished after 0 turns.\n\nThere are no moves yet.\n"
    assert ran.code == 0


def test_resigning_a_won_game_is_the_turning_point(tmp_path: Path) -> None:
    out = numberline("review", written(tmp_path, played("reach-the-edge", "resign"))).out
    assert "On Ann's first move, Ann gave up, but 3 could still have won.\n" in out


def test_three_players_are_rejected(tmp_path: Path) -> None:
    match = played("line-runner(players=3)", "3", names=("Ann", "Bob", "Cy"))
    file = written(tmp_path, match)
    ran = numberline("review", file)
    assert ran.err == "Error: reviews need two players; line-runner(players=3) has 3\n"
    assert (ran.code, ran.out) == (1, "")


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"numberline record 1\nvariant: chess\n"])
def test_review_rejects_a_file_that_is_not_a_record(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "bad.txt"
    file.write_bytes(content)
    ran = numberline("review", str(file))
    assert ran.err.startswith(f"Error: {file}")
    assert (ran.err.count("\n"), ran.code) == (1, 1)


def test_missing_file_is_one_sentence() -> None:
    ran = numberline("review", "nowhere.txt")
    assert (ran.err, ran.code) == ("Error: nowhere.txt: no such file or directory\n", 1)


def test_json_report_has_the_same_content(tmp_path: Path) -> None:
    file = written(tmp_path, played("reach-the-edge", *LOST_WIN))
    (report,) = json.loads(numberline("review", file, "--json").out)
    assert report["plies"][6] == {
        "number": 7,
        "player": 1,
        "move": "1",
        "position": "2 3 last=1",
        "before": {"value": "win", "plies": 3},
        "after": {"value": "loss", "plies": 19},
        "mark": {"symbol": "??", "word": "missed win"},
        "better": ["3"],
        "credit": 0,
        "comment": "missed win: 3 could have won",
    }
    assert report["turning_point"]["ply"] == 7
    assert report["accuracy"][0] == {"player": 1, "share": 0.75, "counted": 4}
    assert len(report["series"]) == len(LOST_WIN) + 1


@pytest.mark.parametrize("name", nl.NAMES)
@pytest.mark.parametrize("width", [40, 80, 120])
def test_review_fits_the_window(name: str, width: int) -> None:
    solution = nl.solve(nl.book(name))
    for seed in range(5):
        lines = render_review(review(solution, at_random(name, seed)), width)
        assert max(line.cell_len for line in lines) <= width


@pytest.mark.parametrize("variant", [variant for variant in EVERY if nl.book(variant).rules.players == 2])
def test_every_variant_can_be_reviewed(variant: str) -> None:
    solution = nl.solve(nl.book(variant))
    for seed in range(3):
        match = at_random(variant, seed)
        found = review(solution, match)
        assert max(line.cell_len for line in render_review(found, 40)) <= 40
        assert [sentence.split(":")[0] for sentence in review_in_sentences(found)[1:-3]] == [
            f"Move {number}" for number in range(1, len(match.plies) + 1)
        ]
        json.dumps(report(match, found))


def test_plain_mode_prints_sentences(tmp_path: Path) -> None:
    out = numberline("review", written(tmp_path, played("reach-the-edge", *LOST_WIN)), "--plain").out
    assert out.splitlines()[7:9] == [
        "Move 6: Bob played 2. Before: loses within 4 turns. After: loses within 3 turns.",
        (
            "Move 7: Ann played 1. Before: wins within 3 turns. After: loses within 19 turns. "
            "Missed win: 3 could have won."
        ),
    ]
    assert out.endswith("Bob: 4 moves mattered.\n")
    assert not {"█", "▲", "─"} & set(out)


def test_chart_of_a_long_game_fits_the_window() -> None:
    match = at_random("line-runner(end=300, steps=1-2)", 1)
    found = review(nl.solve(match.book), match)
    assert len(found.series) > 240
    for width in (40, 80, 120):
        chart = render_review_chart(found.curve, found.names, set(), width)
        assert max(line.cell_len for line in chart) <= width


def test_chart_goes_up_for_player_1_and_down_for_player_2() -> None:
    lines = [line.plain for line in render_review_chart([0.5, 0.0, -1.0], ("Ann", "Bob"), {2}, 80)]
    assert lines == [
        "Ann has a sure win",
        "██",
        "██",
        "───●─────",
        "      ██",
        "      ██",
        "      ██",
        "      ██",
        "Bob has a sure win",
        "      ?",
        "0",
    ]


def test_plies_that_share_a_column_show_both_sides() -> None:
    lines = [line.plain for line in render_review_chart([1.0, -0.5] * 20, ("Ann", "Bob"), set(), 20)]
    assert lines[1] == lines[4] == lines[6] == lines[7] == "█" * 20


def test_chart_is_ascii_if_the_encoding_needs_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in (("PYTHONUTF8", "0"), ("PYTHONIOENCODING", "ascii"), ("LC_ALL", "C")):
        monkeypatch.setenv(name, value)
    file = written(tmp_path, played("reach-the-edge", *LOST_WIN, names=("Änn", "Bob")))
    out = numberline_anew("review", file, "--notation").out
    assert " 7 ?nn 1    W^3    Lv19   ?? missed win: 3 could have won\n" in out
    assert "## ## ## ## ## ## ##\n---------------------------\n" in out


def test_name_cannot_send_commands_to_the_terminal(tmp_path: Path) -> None:
    ran = numberline("review", written(tmp_path, played("flag-chase", "3", names=("\x1b[31mAnn", "Bob"))))
    assert "\x1b" not in ran.out + ran.err
    assert "\\u001b[31mAnn against Bob" in ran.out


def test_values_on_a_terminal_have_letter_shape_and_colour(tmp_path: Path) -> None:
    file = written(tmp_path, played("reach-the-edge", *LOST_WIN))
    environment = {**os.environ, "TERM": "xterm-256color", "PYTHONUTF8": "1"}
    out = str(
        pexpect.run(
            f"{sys.executable} -m numberline review --notation {file}", encoding="utf-8", env=environment, timeout=20
        )
    )
    assert "\x1b[32mW▲3" in out
    assert "\x1b[31mL▼19" in out


def test_marks_have_words_and_distinct_symbols() -> None:
    symbols = [mark.symbol for mark in MoveMark if mark.symbol]
    assert len(set(symbols)) == len(symbols)
    assert all(mark.word for mark in MoveMark)


def test_record_of_ten_thousand_plies_is_reviewed(tmp_path: Path) -> None:
    rng = random.Random(1)
    book = nl.book('number-reach(operations="+1 -1 *2")')
    match = nl.Match(book)
    for _ in range(10_000):
        match.play(rng.choice([move for move in match.moves if not book.outcome(book.after(match.position, move))]))
    file = written(tmp_path, match)
    out = numberline("review", file).out
    assert "\n10000 Player 2 " in out


def test_review_shows_a_bar_and_words_for_each_move(tmp_path: Path) -> None:
    out = numberline("review", written(tmp_path, played("reach-the-edge", *LOST_WIN))).out
    assert out.startswith(
        "Reach the Edge\n"
        "Ann against Bob: unfinished after 8 turns.\n\n"
        "       move who wins\n"
        " 1 Ann 3    ██████████ the only winning move\n"
    )
    assert " 7 Ann 1    ░░░░░░░░░░ missed win: 3 could have won\n" in out
    assert "Full bar: Ann has a sure win. Empty bar: Bob has one. Half full: neither has.\n" in out
    assert not {"▲", "▼", "%"} & set(out)


def test_review_names_tokens_by_their_letters(tmp_path: Path) -> None:
    moves = ("1:2", "1:3", "2:1", "2:2", "1:3", "2:3")
    out = numberline("review", written(tmp_path, played("line-runner(tokens=2, end=6)", *moves))).out
    assert " 1 Ann a2   " in out
    assert not {move for move in moves if move in out}


def test_bar_is_on_the_side_of_the_winner() -> None:
    assert [value_bar(winner, side).count("█") for side in (1, 2) for winner in (1, 0, 2)] == [10, 5, 0, 0, 5, 10]


def test_review_shows_one_move_per_screen(tmp_path: Path) -> None:
    file = written(tmp_path, played("flag-chase", "3", "2", "2"))
    with pexpect.spawn(sys.executable, ["-m", "numberline", "review", "--step", file], encoding="utf-8") as terminal:
        terminal.expect_exact("Move 0 of 3 (")
        terminal.sendline("")
        terminal.expect_exact("██████████ Ann has a sure win")
        terminal.expect_exact("Move 1 of 3 (")
        assert len((terminal.before or "").splitlines()) < 24
        terminal.sendline("forward")
        terminal.expect_exact("Type next, back, stop, or play.")
        terminal.sendline("stop")
        terminal.expect(pexpect.EOF)


def test_plain_review_of_one_move_has_no_bar(tmp_path: Path) -> None:
    file = written(tmp_path, played("flag-chase", "3", "2", "2"))
    with at_a_terminal("review", "--step", "--plain", file) as terminal:
        terminal.expect_exact("Move 0 of 3 (")
        terminal.sendline("")
        terminal.expect_exact("Move 1 of 3 (")
        assert "\r\nAnn has a sure win.\r\n" in (terminal.before or "")
        assert "bar" not in (terminal.before or "")
