"""`numberline puzzle` from a pipe and at real terminals: hints, streaks and saved progress."""

from __future__ import annotations

import datetime as dt
import json
import random
import re
from typing import Any

import pytest

import numberline as nl
from numberline.explain.puzzle import DAILY_PUZZLE_COUNT, PuzzlePool, daily_puzzles
from numberline.game.match import Match
from numberline.game.move_text import legal_moves_sentence
from numberline.game.notation import format_record, parse_position
from numberline.progress.rules import INITIAL_RATING
from numberline.terminal import progress
from support.commands import numberline
from support.progress import game, store
from terminal.test_board import at_a_terminal, code, press_ctrl_c, screen

PROMPT = "Your move (or hint, skip, quit): "


def drawn(*arguments: str) -> list[dict[str, Any]]:
    """Return the puzzles for these arguments from their JSON report."""
    found: list[dict[str, Any]] = json.loads(numberline("puzzle", *arguments, "--json").out)
    return found


def wrong(puzzle: dict[str, Any]) -> str:
    """Return a legal move that is not the answer."""
    moves = nl.book(puzzle["variant"]).moves(parse_position(puzzle["position"]))
    return next(move for move in moves if move != puzzle["answer"])


def test_right_answer_is_explained_and_starts_a_streak() -> None:
    first, second = drawn("number-reach", "--seed", "1", "--count", "2")
    typed = f"{first['answer']}\n{second['answer']}\n"
    ran = numberline("puzzle", "number-reach", "--seed", "1", "--count", "2", typed=typed)
    can = legal_moves_sentence(first["moves"])
    assert (
        f"{first['question']}\n{can}\n{PROMPT}{first['answer']}\nRight! {first['explanation']}\n"
        "Streak: 1 solved in a row (best: 1). Your stars from puzzles: 1.\n" in ran.out
    )
    assert "Streak: 2 solved in a row (best: 2). Your stars from puzzles: 2.\n" in ran.out
    assert "\nSolved 2 of 2.\nOverall: 2 of 2 solved, best streak 2, 2 stars.\n" in ran.out
    assert "rat" not in ran.out.lower().split()
    assert (ran.code, ran.err) == (0, "")


def test_wrong_answer_is_explained_and_ends_the_streak() -> None:
    first, second = drawn("line-runner", "--seed", "2", "--count", "2")
    typed = f"{first['answer']}\n{wrong(second)}\n{wrong(second)}\n"
    out = numberline("puzzle", "line-runner", "--seed", "2", "--count", "2", typed=typed).out
    assert "\nNot this one. " in out
    assert " Try once more.\n" in out
    assert f"\nNot this time. {second['explanation']}\nStreak: 0 solved in a row (best: 1). " in out
    assert "Solved 1 of 2." in out


def test_puzzle_states_the_goal_of_the_game() -> None:
    out = numberline("puzzle", "flag-chase(end=10)", "--seed", "1").out
    assert out.startswith("Puzzle 1: Flag Chase, set the trap ★★☆\n")
    assert "\nBe the first to reach exactly tile 5. You move by 1, 2, or 3. You can't go past the goal.\n" in out


def test_second_try_counts_as_solved() -> None:
    (puzzle,) = drawn("number-reach", "--seed", "1", "--count", "1")
    typed = f"{wrong(puzzle)}\n{puzzle['answer']}\n"
    out = numberline("puzzle", "number-reach", "--seed", "1", "--count", "1", typed=typed).out
    assert "Right! " in out
    assert "Solved 1 of 1." in out


def test_traps_are_coloured() -> None:
    found = drawn("number-reach", "--seed", "1", "--count", "40")
    number, puzzle = next((n, each) for n, each in enumerate(found) if each["theme"] == "colour")
    places = puzzle["places"]
    typed = "skip\n" * number + f"?\n99\nhint\n{places[0]}-{places[-1]}\n{puzzle['answer'].replace(' ', ', ')}\n"
    out = numberline("puzzle", "number-reach", "--seed", "1", "--count", str(number + 1), typed=typed).out
    assert (
        f"Type the places, separated by spaces, such as {places[0]} {places[1]}, or none if there is no trap, or:"
        in out
    )
    assert "'99' can't be marked; the places are " in out
    assert f"\nYour traps, such as {places[0]} {places[1]} (or none, hint, skip, quit): hint\n" in out
    assert "\nNot quite. Look at " in out
    assert "Start near the goal. Try each place: if your opponent can win whatever you play, it's a trap.\n" in out
    assert f"Right! {puzzle['explanation']}\nStreak: 1 solved in a row (best: 1). " in out


def test_own_games_become_puzzles() -> None:
    match = Match(nl.book("number-reach"))
    for move in ("*2", "*2", "+1", "*2", "*2"):
        match.play(move)
    assert numberline("puzzle", "--mine").err.startswith("Error: there are no puzzles from your games")
    store(game(variant="number-reach", won=False, record=format_record(match)))
    out = numberline("puzzle", "--mine", typed="+1\n").out
    store(*[game(variant="number-reach", won=False, record=format_record(match))] * 2)
    assert len(drawn("--mine")) == 1
    assert "From your own game. You played *2 here. Find something better.\n" in out
    assert "Right! " in out


def test_own_mistake_is_mentioned_only_in_its_position() -> None:
    match = Match(nl.book("flag-chase"))
    for move in ("1", "3", "1", "2"):
        match.play(move)
    store(game(variant="flag-chase", won=False, record=format_record(match)))
    with at_a_terminal("puzzle", "--mine") as terminal:
        terminal.expect_exact("You played 1 here. Find something better.")
        terminal.sendline("2")
        terminal.expect_exact("Now win in one more move.")
        assert "You played 1 here." not in str(terminal.before)


def test_invalid_moves_are_explained_and_asked_again() -> None:
    (puzzle,) = drawn("reach-the-edge(end=15)", "--seed", "3", "--count", "1")
    position = parse_position(puzzle["position"])
    typed = f"banana\n\n{position.last}\n{puzzle['answer']}\n"
    out = numberline("puzzle", "reach-the-edge(end=15)", "--seed", "3", "--count", "1", typed=typed).out
    assert "'banana' can't be read as a move. You can play " in out
    assert "Type a move, or help.\n" in out
    assert f"You can't play {position.last}: Player {3 - position.turn} just did." in out
    assert out.count(PROMPT) == 5
    assert re.search(r"Good! Your opponent plays \S+\. Now win in ", out)


def test_illegal_step_is_not_read_as_a_place() -> None:
    out = numberline("puzzle", "reach-the-edge(end=15)", "--seed", "5", typed="1\n3\n").out
    assert "You can't play 1: Player 2 just did. You can play 2 or 3.\n" in out
    assert "Right! With 3, you win at once" in out


def test_answer_is_parsed_like_a_move_in_a_game() -> None:
    (puzzle,) = drawn("number-line-sprint", "--seed", "1", "--count", "1")
    sloppy = f"  {puzzle['answer'].lower()} "
    assert (
        "Right!" in numberline("puzzle", "number-line-sprint", "--seed", "1", "--count", "1", typed=sloppy + "\n").out
    )


def test_hint_is_free_but_a_revealed_move_does_not_count() -> None:
    (puzzle,) = drawn("number-reach", "--seed", "1", "--count", "1")
    arguments = ("puzzle", "number-reach", "--seed", "1", "--count", "1")
    nudged = numberline(*arguments, typed=f"hint\n{puzzle['answer']}\n").out
    assert "(Ask again to see the move.)\n" in nudged
    assert "Streak: 1 solved in a row" in nudged
    out = numberline(*arguments, typed=f"hint\nhint\n{puzzle['answer']}\n").out
    assert f"Play {puzzle['answer']}: " in out
    assert "Right! But the hint showed you the move, so this puzzle doesn't count." in out
    assert "Solved 0 of 1." in out


def test_skipped_puzzle_shows_the_answer_and_ends_the_streak() -> None:
    first, second = drawn("number-reach", "--seed", "1", "--count", "2")
    out = numberline("puzzle", "number-reach", "--seed", "1", "--count", "2", typed=f"{first['answer']}\nskip\n").out
    assert f"Skipped. {second['explanation']}" in out
    assert "Solved 1 of 2." in out


def test_next_skips_a_puzzle_if_skip_is_a_move() -> None:
    out = numberline("puzzle", "flag-chase(skip=true)", "--seed", "1", "--count", "1", typed="help\nnext\n").out
    assert "Your move (or hint, next, quit): " in out
    assert "Skipped. Play " in out


@pytest.mark.parametrize("typed", ["", "quit\n", "exit", "hint\n"])
def test_quit_and_end_of_input_print_a_summary(typed: str) -> None:
    ran = numberline("puzzle", typed=typed)
    assert ran.out.endswith("\nYou didn't answer any puzzles.\n")
    assert (ran.code, ran.err) == (0, "")


def test_puzzles_do_not_repeat() -> None:
    out = numberline("puzzle", "flag-chase(end=10)", "--seed", "1", typed="skip\n" * 100).out
    asked = [line for line in out.splitlines() if line.startswith("You are ")]
    assert len(asked) == len(set(asked)) == 30
    assert "That was the last one. There are no more puzzles here.\n" in out


def test_puzzles_come_from_all_books_and_get_harder_in_rounds() -> None:
    found = drawn("--seed", "1", "--count", "25")
    assert {nl.book(puzzle["variant"]).name for puzzle in found} == set(nl.NAMES)
    first, *_, last = (sum(puzzle["stars"] for puzzle in found[number::5]) for number in range(5))
    assert first < last


@pytest.mark.parametrize(("given", "varied"), [("line-runner", True), ("line-runner(end=14, repeat=banned)", False)])
def test_puzzles_vary_the_rules_of_games_but_not_of_variants(given: str, *, varied: bool) -> None:
    found = drawn(given, "--seed", "1", "--count", "9")
    assert ({puzzle["variant"] for puzzle in found} == {given}) is not varied
    assert all(puzzle["changes"].startswith("Here ") for puzzle in found if puzzle["variant"] != "line-runner")


def test_puzzles_with_settings_use_that_variant() -> None:
    found = drawn("flag-chase", "--set", "end=12", "--seed", "1", "--count", "5")
    assert {puzzle["variant"] for puzzle in found} == {"flag-chase(end=12)"}


def test_puzzle_states_changed_rules_and_legal_moves() -> None:
    out = numberline("puzzle", "line-runner(end=14, repeat=banned)", "--seed", "2", typed="skip\n" * 5).out
    assert "\nNew rules: the line ends at 14. You can't repeat your opponent's step.\n" in out
    assert "\nYou can play " in out


def test_daily_puzzles_are_from_five_games_and_get_harder() -> None:
    for day in (dt.date(2026, 1, 1), dt.date(2026, 1, 2), dt.date(2028, 2, 29)):
        found = daily_puzzles(day)
        assert len({each.solution.book.name for each in found}) == len(found) == DAILY_PUZZLE_COUNT
        stars = [each.puzzle.stars for each in found]
        assert stars == sorted(stars)
        assert [each.puzzle for each in found] == [each.puzzle for each in daily_puzzles(day)]
    assert [each.puzzle for each in daily_puzzles(dt.date(2026, 1, 1))] != [
        each.puzzle for each in daily_puzzles(dt.date(2026, 1, 2))
    ]


def test_daily_puzzles_count_once() -> None:
    first = numberline("puzzle", "--daily", typed="next\nskip\n" * 2)
    assert ": the same for everyone, one for each game, easiest first.\n\nPuzzle 1 of 5: " in first.out
    done = progress.load_progress().puzzles.asked
    assert done > 0
    again = numberline("puzzle", "--daily", typed="next\nskip\n" * 12)
    assert f"You've already answered {done} of 5 today. They won't count again.\n" in again.out
    assert progress.load_progress().puzzles.asked == 5
    assert f"To share: Numberline {dt.date.today().day} " in again.out  # noqa: DTZ011 - the player's local date
    once_more = numberline("puzzle", "--daily", typed="next\nskip\n" * 12)
    assert "You've already answered 5 of 5 today. They won't count again.\n" in once_more.out
    assert progress.load_progress().puzzles.asked == 5


@pytest.mark.parametrize("typed", ["quit\r", "BACK\r", "\x04"])
def test_daily_puzzles_can_be_left_before_the_first_one(typed: str) -> None:
    with at_a_terminal("puzzle", "--daily") as terminal:
        terminal.expect_exact("Press Enter (or quit): ")
        terminal.send(typed)
        terminal.expect_exact("You didn't answer any puzzles.")
        assert code(terminal) == 0


def test_daily_puzzles_take_no_other_options() -> None:
    ran = numberline("puzzle", "flag-chase", "--daily")
    assert ran.err.startswith("Error: --daily can't be combined with BOOK, --set, --count, --seed or --mine.")
    assert ran.code == 2


def test_same_seed_asks_the_same_puzzles() -> None:
    first = numberline("puzzle", "--seed", "7", "--count", "3", typed="skip\n" * 3).out
    second = numberline("puzzle", "--seed", "7", "--count", "3", typed="skip\n" * 3).out
    assert first.partition("\nSolved")[0] == second.partition("\nSolved")[0]


def test_puzzle_nearest_to_the_rating_is_asked() -> None:
    def ratings(near: int) -> list[int]:
        pool = PuzzlePool([nl.book("reach-the-edge")], random.Random(1))
        return [found.puzzle.rating for _ in range(10) if (found := pool.draw(near))]

    assert sum(ratings(400)) < sum(ratings(2000))


def test_progress_is_saved_between_runs() -> None:
    (puzzle,) = drawn("number-reach", "--seed", "1", "--count", "1")
    for _ in range(2):
        numberline("puzzle", "number-reach", "--seed", "1", "--count", "1", typed=f"{puzzle['answer']}\n")
    kept = progress.load_progress().puzzles
    assert (kept.asked, kept.solved, kept.best_streak) == (2, 2, 2)
    assert kept.rating > INITIAL_RATING
    arguments = ("puzzle", "number-reach", "--seed", "1", "--count", "1")
    assert "Streak: 3 solved in a row (best: 3)." in numberline(*arguments, typed=f"{puzzle['answer']}\n").out
    assert "Overall: 3 of 3 solved, best streak 3, 3 stars." in numberline("puzzle").out


@pytest.mark.parametrize("content", ["{", "[]", '{"asked": 1}', "\x00", '{"version": 1, "puzzles": {"asked": "1"}}'])
def test_damaged_stats_are_quarantined_and_reported(content: str) -> None:
    file = progress.progress_file()
    file.parent.mkdir(parents=True)
    file.write_text(content)
    ran = numberline("puzzle", "flag-chase", typed="skip\n")
    aside = file.with_suffix(".damaged")
    assert ran.err == f"progress.json is damaged and was renamed to {aside}; your progress was reset.\n"
    assert aside.read_text() == content
    assert (progress.load_progress().puzzles.asked, ran.code) == (1, 0)


def test_unwritable_folder_is_reported_once() -> None:
    folder = progress.progress_file().parent
    folder.parent.mkdir(parents=True)
    folder.write_text("a file where a folder should be")
    ran = numberline("puzzle", "flag-chase", "--count", "3", typed="skip\n" * 3)
    assert ran.err.count("could not save your progress.") == 1
    assert ran.code == 0


def test_three_players_are_rejected() -> None:
    ran = numberline("puzzle", "line-runner(players=3)")
    assert ran.err.startswith("Error: Puzzles need two players; line-runner(players=3) has 3. See ")
    assert ran.code == 2


def test_game_without_puzzles_is_reported() -> None:
    ran = numberline("puzzle", "line-runner(end=1)")
    assert ran.err == "Error: there are no puzzles here: every move is as good as any other\n"
    assert ran.code == 1


def test_too_large_book_gets_no_advice_on_an_option_that_is_missing() -> None:
    ran = numberline("puzzle", "line-runner(end=100000)")
    assert (ran.code, ran.err.endswith("; the limit is 4.0 GiB\n")) == (1, True)


def test_puzzle_settings_need_a_book() -> None:
    ran = numberline("puzzle", "--set", "end=9")
    assert ran.err.startswith("Error: --set requires a BOOK.")
    assert ran.code == 2


def test_plain_mode_prints_sentences() -> None:
    with at_a_terminal("puzzle", "flag-chase(end=10)", "--plain", "--seed", "1") as terminal:
        terminal.expect_exact(PROMPT)
        assert "The goal is tile 5." in (terminal.before or "")
        assert "─" not in (terminal.before or "")


@pytest.mark.parametrize(("name", "columns"), [*zip(nl.NAMES, (40, 80, 120, 40, 80), strict=True)])
def test_puzzle_fits_a_terminal_of_any_width(name: str, columns: int) -> None:
    (puzzle,) = drawn(name, "--seed", "1", "--count", "1")
    with at_a_terminal("puzzle", name, "--seed", "1", "--count", "1", columns=columns) as terminal:
        terminal.expect_exact(PROMPT)
        shown = screen(terminal.before)
        assert any("●" in line for line in shown)
        terminal.sendline("hint")
        terminal.expect_exact(PROMPT)
        shown += screen(terminal.before)
        terminal.sendline("rules")
        terminal.expect_exact("Press Enter")
        shown += screen(terminal.before)
        assert any("The goal: " in line for line in shown)
        terminal.sendline("back")  # to the puzzle
        terminal.expect_exact(PROMPT)
        terminal.sendline(wrong(puzzle))
        terminal.expect_exact(PROMPT)
        again = screen(terminal.before)
        assert "Not this one. " in " ".join(again)
        assert puzzle["question"] in " ".join(line.strip() for line in again)
        shown += again
        terminal.sendline(puzzle["answer"])
        terminal.expect_exact("Press Enter")
        shown += screen(terminal.before)
        assert any("Right!" in line for line in shown)
        terminal.sendline("")
        terminal.expect_exact("Overall: ")
        assert max(len(line.replace("\x1b[2J\x1b[H", "")) for line in shown) <= columns
        assert code(terminal) == 0


def test_ctrl_d_prints_a_summary() -> None:
    with at_a_terminal("puzzle", "flag-chase") as terminal:
        terminal.expect_exact(PROMPT)
        terminal.sendeof()
        terminal.expect_exact("You didn't answer any puzzles.")
        assert code(terminal) == 0


def test_ctrl_c_exits_with_130_and_keeps_the_progress() -> None:
    with at_a_terminal("puzzle", "flag-chase") as terminal:
        terminal.expect_exact(PROMPT)
        terminal.sendline("skip")
        terminal.expect_exact("Press Enter")
        press_ctrl_c(terminal)
        assert code(terminal) == 130
    assert progress.load_progress().puzzles.asked == 1
