"""`numberline puzzle`: asked from a pipe and at real terminals, with hints, a streak, and progress that is kept."""

from __future__ import annotations

import datetime as dt
import json
import random
from typing import Any

import pytest

import numberline as nl
from numberline.explain.puzzle import PuzzlePool, daily_puzzles
from numberline.game.move_text import legal_moves_sentence
from numberline.game.notation import parse_position
from numberline.progress.puzzle_stats import INITIAL_RATING, PuzzleStats
from numberline.terminal import progress
from support.commands import numberline
from terminal.test_board import at_a_terminal, code, screen

PROMPT = "Your move (or hint, skip, quit): "


def drawn(*arguments: str) -> list[dict[str, Any]]:
    """The puzzles that are asked with these arguments."""
    found: list[dict[str, Any]] = json.loads(numberline("puzzle", *arguments, "--json").out)
    return found


def wrong(puzzle: dict[str, Any]) -> str:
    """A legal move that is not the answer."""
    moves = nl.book(puzzle["variant"]).moves(parse_position(puzzle["position"]))
    return next(move for move in moves if move != puzzle["answer"])


def test_a_right_answer_is_explained_and_begins_a_streak() -> None:
    first, second = drawn("number-reach", "--seed", "1", "--count", "2")
    typed = f"{first['answer']}\n{second['answer']}\n"
    ran = numberline("puzzle", "number-reach", "--seed", "1", "--count", "2", typed=typed)
    can = legal_moves_sentence(first["moves"])
    assert (
        f"{first['question']}\n{can}\n{PROMPT}{first['answer']}\nRight! {first['explanation']}\nStreak: 1.\n" in ran.out
    )
    assert "Streak: 2.\n" in ran.out
    assert "\nSolved 2 of 2; longest streak 2.\nOverall: 2 of 2 solved, best streak 2, rating " in ran.out
    assert (ran.code, ran.err) == (0, "")


def test_a_wrong_answer_is_explained_with_the_right_one_and_ends_the_streak() -> None:
    first, second = drawn("line-runner", "--seed", "2", "--count", "2")
    typed = f"{first['answer']}\n{wrong(second)}\n"
    out = numberline("puzzle", "line-runner", "--seed", "2", "--count", "2", typed=typed).out
    assert f"\nWrong. With {wrong(second)}, you " in out
    assert f" Play {second['answer']}: it " in out
    assert "Solved 1 of 2; longest streak 1." in out


def test_the_goal_of_the_game_is_told_with_the_puzzle() -> None:
    out = numberline("puzzle", "flag-chase(end=10)", "--seed", "1").out
    assert out.startswith("Puzzle 1: Flag Chase, rated ")
    assert "\nBe the first to reach exactly tile 5.\n" in out


def test_rubbish_and_illegal_moves_are_explained_and_asked_again() -> None:
    (puzzle,) = drawn("reach-the-edge(end=15)", "--seed", "3", "--count", "1")
    position = parse_position(puzzle["position"])
    typed = f"banana\n\n{position.last}\n{puzzle['answer']}\n"
    out = numberline("puzzle", "reach-the-edge(end=15)", "--seed", "3", "--count", "1", typed=typed).out
    assert "'banana' can't be read as a move. You can play " in out
    assert "Type a move, or help.\n" in out
    assert f"'{position.last}' is not allowed here: the player before you just chose that." in out
    assert out.count(PROMPT) == 4
    assert "Right!" in out


def test_an_answer_is_read_as_forgivingly_as_a_move_in_a_game() -> None:
    (puzzle,) = drawn("number-line-sprint", "--seed", "1", "--count", "1")
    sloppy = f"  {puzzle['answer'].lower()} "
    assert (
        "Right!" in numberline("puzzle", "number-line-sprint", "--seed", "1", "--count", "1", typed=sloppy + "\n").out
    )


def test_a_nudge_is_free_but_a_told_move_does_not_count() -> None:
    (puzzle,) = drawn("number-reach", "--seed", "1", "--count", "1")
    arguments = ("puzzle", "number-reach", "--seed", "1", "--count", "1")
    nudged = numberline(*arguments, typed=f"hint\n{puzzle['answer']}\n").out
    assert "(Ask again for the move.)\n" in nudged
    assert "Streak: 1." in nudged
    told = numberline(*arguments, typed=f"hint\nhint\n{puzzle['answer']}\n").out
    assert f"Play {puzzle['answer']}: " in told
    assert "Right, but you were told, so it does not count." in told
    assert "Solved 0 of 1; longest streak 0." in told


def test_a_skipped_puzzle_is_answered_and_ends_the_streak() -> None:
    first, second = drawn("number-reach", "--seed", "1", "--count", "2")
    out = numberline("puzzle", "number-reach", "--seed", "1", "--count", "2", typed=f"{first['answer']}\nskip\n").out
    assert f"Skipped. Play {second['answer']}: " in out
    assert "Solved 1 of 2; longest streak 1." in out


def test_where_skip_is_a_move_next_goes_on() -> None:
    out = numberline("puzzle", "flag-chase(skip=true)", "--seed", "1", "--count", "1", typed="help\nnext\n").out
    assert "Your move (or hint, next, quit): " in out
    assert "Skipped. Play " in out


@pytest.mark.parametrize("typed", ["", "quit\n", "exit", "hint\n"])
def test_leaving_and_the_end_of_input_end_with_a_summary_and_code_0(typed: str) -> None:
    ran = numberline("puzzle", typed=typed)
    assert ran.out.endswith("\nNo puzzle was answered.\n")
    assert (ran.code, ran.err) == (0, "")


def test_no_puzzle_comes_twice_until_there_are_no_more() -> None:
    out = numberline("puzzle", "flag-chase(end=10)", "--seed", "1", typed="skip\n" * 100).out
    asked = [line for line in out.splitlines() if line.startswith("You are ")]
    assert len(asked) == len(set(asked)) == 12
    assert "That was the last one: there are no more puzzles here.\n" in out


def test_puzzles_are_drawn_over_all_five_books_and_each_has_one_right_move() -> None:
    found = drawn("--seed", "1", "--count", "60")
    assert {nl.book(puzzle["variant"]).name for puzzle in found} == set(nl.NAMES)
    assert len({(puzzle["variant"], puzzle["position"]) for puzzle in found}) == 60
    for puzzle in found:
        solution = nl.solve(nl.book(puzzle["variant"]))
        assert solution.best(parse_position(puzzle["position"])) == (puzzle["answer"],)


@pytest.mark.parametrize(("given", "varied"), [("line-runner", True), ("line-runner(end=14, repeat=banned)", False)])
def test_a_game_is_asked_under_changed_rules_and_a_variant_under_its_own(given: str, *, varied: bool) -> None:
    found = drawn(given, "--seed", "1", "--count", "5")
    assert ({puzzle["variant"] for puzzle in found} == {given}) is not varied
    assert all(puzzle["changes"].startswith("Here ") for puzzle in found)


def test_settings_keep_to_that_very_variant() -> None:
    found = drawn("flag-chase", "--set", "end=12", "--seed", "1", "--count", "5")
    assert {puzzle["variant"] for puzzle in found} == {"flag-chase(end=12)"}


def test_what_was_changed_and_what_can_be_played_is_said() -> None:
    out = numberline("puzzle", "line-runner(end=14, repeat=banned)", "--seed", "1").out
    assert "\nHere the line ends at 14, and you can't repeat your opponent's step.\n" in out
    assert "\nYou can play " in out


def test_puzzles_grow_harder_in_rounds_of_five() -> None:
    ratings = [puzzle["rating"] for puzzle in drawn("--seed", "1", "--count", "30")]
    first, *_, last = (sum(ratings[number::5]) for number in range(5))
    assert first + 6 * 100 < last


def test_a_wrong_answer_is_played_out_on_the_board_with_what_punishes_it() -> None:
    (puzzle,) = drawn("line-runner(end=12)", "--seed", "1", "--count", "1")
    typed = f"{wrong(puzzle)}\n"
    out = numberline("puzzle", "line-runner(end=12)", "--seed", "1", "--count", "1", typed=typed).out
    assert out.count("Positions: ") == 3
    assert f"\nOnly {puzzle['answer']} wins. Play {puzzle['answer']}: " in out


def test_the_puzzles_of_a_day_are_one_of_each_game_and_grow_harder() -> None:
    for day in (dt.date(2026, 1, 1), dt.date(2026, 1, 2), dt.date(2028, 2, 29)):
        found = daily_puzzles(day)
        assert sorted(each.solution.book.name for each in found) == sorted(nl.NAMES)
        ratings = [each.puzzle.rating for each in found]
        assert ratings == sorted(ratings)
        assert [each.puzzle for each in found] == [each.puzzle for each in daily_puzzles(day)]
    assert [each.puzzle for each in daily_puzzles(dt.date(2026, 1, 1))] != [
        each.puzzle for each in daily_puzzles(dt.date(2026, 1, 2))
    ]


def test_the_puzzles_of_the_day_can_be_done_again_but_count_once() -> None:
    first = numberline("puzzle", "--daily", typed="next\nskip\n" * 2)
    assert ": the same 5 for everybody, one of each game, the easiest first.\n\nPuzzle 1 of 5: " in first.out
    done = json.loads(progress.puzzles_file().read_text())["asked"]
    assert done > 0
    again = numberline("puzzle", "--daily", typed="next\nskip\n" * 12)
    assert f"You have answered {done} of 5 today. The first {done} don't count again.\n" in again.out
    assert json.loads(progress.puzzles_file().read_text())["asked"] == 5
    once_more = numberline("puzzle", "--daily", typed="next\nskip\n" * 12)
    assert "You have answered 5 of 5 today. They don't count again.\n" in once_more.out
    assert json.loads(progress.puzzles_file().read_text())["asked"] == 5


def test_the_day_leaves_nothing_to_choose() -> None:
    ran = numberline("puzzle", "flag-chase", "--daily")
    assert ran.err.startswith(
        "Error: --daily asks the same five of everybody; leave out BOOK, --set, --count and --seed."
    )
    assert ran.code == 2


def test_a_score_that_was_kept_before_there_were_daily_puzzles_is_still_read() -> None:
    file = progress.puzzles_file()
    file.parent.mkdir(parents=True)
    file.write_text('{"asked": 7, "solved": 3, "best_streak": 2, "rating": 900}')
    assert "Overall: 3 of 7 solved, best streak 2, rating 900." in numberline("puzzle").out


def test_the_same_seed_asks_the_same_puzzles_whatever_happened_before() -> None:
    first = numberline("puzzle", "--seed", "7", "--count", "3", typed="skip\n" * 3).out
    second = numberline("puzzle", "--seed", "7", "--count", "3", typed="skip\n" * 3).out
    assert first.partition("\nSolved")[0] == second.partition("\nSolved")[0]


def test_of_a_few_puzzles_the_one_nearest_to_the_rating_is_asked() -> None:
    def ratings(near: int) -> list[int]:
        pool = PuzzlePool([nl.book("reach-the-edge")], random.Random(1))
        return [found.puzzle.rating for _ in range(10) if (found := pool.draw(near))]

    assert sum(ratings(400)) < sum(ratings(2000))


def test_progress_is_kept_between_runs() -> None:
    (puzzle,) = drawn("number-reach", "--seed", "1", "--count", "1")
    for _ in range(2):
        numberline("puzzle", "number-reach", "--seed", "1", "--count", "1", typed=f"{puzzle['answer']}\n")
    kept = json.loads(progress.puzzles_file().read_text())
    assert (kept["asked"], kept["solved"], kept["best_streak"]) == (2, 2, 1)
    assert kept["rating"] > INITIAL_RATING
    assert "Overall: 2 of 2 solved, best streak 1, rating " in numberline("puzzle").out


@pytest.mark.parametrize("content", ["{", "[]", '{"asked": 1}', "\x00", '{"asked": "1", "solved": 0}'])
def test_a_damaged_file_is_set_aside_and_said_so(content: str) -> None:
    file = progress.puzzles_file()
    file.parent.mkdir(parents=True)
    file.write_text(content)
    ran = numberline("puzzle", "flag-chase", typed="skip\n")
    aside = file.with_suffix(".damaged")
    assert ran.err == f"puzzles.json is damaged and was set aside as {aside}; your progress begins anew.\n"
    assert aside.read_text() == content
    assert (json.loads(file.read_text())["asked"], ran.code) == (1, 0)


def test_a_folder_that_cannot_be_written_to_is_said_once() -> None:
    folder = progress.puzzles_file().parent
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where a folder should be")
    ran = numberline("puzzle", "flag-chase", "--count", "3", typed="skip\n" * 3)
    assert ran.err.count("your progress can't be kept.") == 1
    assert ran.code == 0


def test_the_rating_rises_more_for_a_hard_puzzle_and_falls_more_for_an_easy_one() -> None:
    easy, hard = PuzzleStats(), PuzzleStats()
    easy.record_answer(400, 1, right=True)
    hard.record_answer(1400, 1, right=True)
    assert INITIAL_RATING < easy.rating < hard.rating
    easy, hard = PuzzleStats(), PuzzleStats()
    easy.record_answer(400, 0, right=False)
    hard.record_answer(1400, 0, right=False)
    assert easy.rating < hard.rating <= INITIAL_RATING


def test_more_than_two_players_get_one_sentence() -> None:
    ran = numberline("puzzle", "line-runner(players=3)")
    assert ran.err.startswith("Error: Puzzles need two players; line-runner(players=3) has 3. See ")
    assert ran.code == 2


def test_a_game_without_puzzles_says_so() -> None:
    ran = numberline("puzzle", "line-runner(end=1)")
    assert ran.err == "Error: there is no puzzle here: no position has exactly one right move\n"
    assert ran.code == 1


def test_settings_need_a_game() -> None:
    ran = numberline("puzzle", "--set", "end=9")
    assert ran.err.startswith("Error: --set changes a game; name the game before it.")
    assert ran.code == 2


def test_in_plain_mode_everything_is_told_in_sentences() -> None:
    with at_a_terminal("puzzle", "flag-chase(end=10)", "--plain", "--seed", "1") as terminal:
        terminal.expect_exact(PROMPT)
        assert "The goal is tile 5." in (terminal.before or "")
        assert "─" not in (terminal.before or "")


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("name", nl.NAMES)
def test_at_a_terminal_of_any_width_the_line_is_drawn_and_everything_fits(name: str, columns: int) -> None:
    (puzzle,) = drawn(name, "--seed", "1", "--count", "1")
    with at_a_terminal("puzzle", name, "--seed", "1", "--count", "1", columns=columns) as terminal:
        terminal.expect_exact(PROMPT)
        shown = screen(terminal.before)
        assert any("●" in line for line in shown)
        terminal.sendline("hint")
        terminal.expect_exact(PROMPT)
        shown += screen(terminal.before)
        terminal.sendline(puzzle["answer"])
        terminal.expect_exact("Streak: 1.")
        shown += screen(terminal.before)
        terminal.expect_exact("Overall: ")
        assert max(map(len, shown)) <= columns
        assert code(terminal) == 0


def test_ctrl_d_at_a_terminal_leaves_with_a_summary() -> None:
    with at_a_terminal("puzzle", "flag-chase") as terminal:
        terminal.expect_exact(PROMPT)
        terminal.sendeof()
        terminal.expect_exact("No puzzle was answered.")
        assert code(terminal) == 0


def test_ctrl_c_leaves_with_code_130_and_keeps_what_was_solved() -> None:
    with at_a_terminal("puzzle", "flag-chase") as terminal:
        terminal.expect_exact(PROMPT)
        terminal.sendline("skip")
        terminal.expect_exact(PROMPT)
        terminal.sendintr()
        assert code(terminal) == 130
    assert json.loads(progress.puzzles_file().read_text())["asked"] == 1
