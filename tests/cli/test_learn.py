"""`numberline learn`: five steps, from a pipe and at real terminals."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

import numberline as nl
from numberline.game.notation import parse_position
from support.commands import numberline
from terminal.test_board import at_a_terminal, code, press_ctrl_c, screen

PROMPT = "Your move (or hint, skip, quit): "
ENTER = "Press Enter to continue, or type quit: "


def steps(name: str) -> list[dict[str, Any]]:
    """Return the steps of a lesson from its JSON report."""
    found: list[dict[str, Any]] = json.loads(numberline("learn", name, "--json").out)["steps"]
    return found


@pytest.mark.parametrize("name", nl.NAMES)
def test_lesson_has_five_steps_with_feedback(name: str) -> None:
    lesson = steps(name)
    typed = "".join(f"{step['exercise']['right'][0]}\n" for step in lesson if step["exercise"])
    ran = numberline("learn", name, typed=typed)
    titles = re.findall(r"^Step (\d) of 5: (.+)$", ran.out, re.MULTILINE)
    assert titles == [(str(number), step["title"]) for number, step in enumerate(lesson, 1)]
    assert all(step["text"] in ran.out for step in lesson)
    asked = typed.count("\n")
    assert ran.out.count("Right! ") == asked
    assert ran.out.endswith(f"\nThat was the lesson. You found {asked} of {asked}.\n")
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("name", nl.NAMES)
def test_piped_lesson_without_answers_prints_them(name: str) -> None:
    ran = numberline("learn", name)
    answers = [step["exercise"]["answer"] for step in steps(name) if step["exercise"]]
    assert re.findall(r"^The answer: (.+)$", ran.out, re.MULTILINE) == answers
    assert ran.out.count(PROMPT) == 1
    assert ran.out.endswith("\nThat was the lesson.\n")
    assert ran.code == 0


def test_right_answers_keep_the_value_of_the_position() -> None:
    for name in nl.NAMES:
        solution = nl.solve(nl.book(name))
        for exercise in (step["exercise"] for step in steps(name) if step["exercise"]):
            position = parse_position(exercise["position"])
            for move in exercise["right"]:
                (judged,) = (each for each in solution.evaluate_moves(position) if each.move == move)
                assert judged.worth.winner in {position.turn, 0}


def test_lesson_json_has_the_position_of_each_step() -> None:
    first, trap, *_ = (parse_position(step["position"]) for step in steps("number-reach"))
    assert (first.tokens, trap.tokens) == ((19,), (18,))


def test_wrong_answer_is_explained_with_the_right_one() -> None:
    out = numberline("learn", "number-reach", typed="+1\n").out
    assert f"{PROMPT}+1\nNot this one. Playing +1 makes 11. Your opponent's best answer is +1, which makes 12. " in out
    assert "Then you lose if your opponent makes no mistake.\n" in out
    assert "Try once more.\n" in out
    assert "The answer: Play *2: it makes 20, so you win at once.\n" in out
    assert out.endswith("\nThat was the lesson. You found 0 of 1.\n")


def test_right_answer_at_the_second_try_counts() -> None:
    out = numberline("learn", "number-reach", typed="+1\n*2\nquit\n").out
    assert f"Try once more.\n{PROMPT}*2\nRight! With *2, you win at once: it makes 20.\n" in out
    assert out.endswith("\nThe lesson ends here. You found 1 of 1.\n")


def test_two_wrong_answers_reveal_the_right_one() -> None:
    out = numberline("learn", "line-runner", typed="1\n2\nquit\n").out
    assert out.count("Not this one. ") == 2
    assert out.count("The answer: Play 3: it takes you to position 20, so you win at once.\n") == 1


def test_unreadable_input_is_explained_and_asked_again() -> None:
    out = numberline("learn", "number-reach", typed="banana\n*2\n").out
    assert "'banana' can't be read as a move. You can play +1 or *2.\n" in out
    assert "Right! With *2, you win at once: it makes 20." in out


def test_quit_ends_a_lesson_early() -> None:
    ran = numberline("learn", "number-reach", typed="*2\nquit\n")
    assert ran.out.endswith("\nThe lesson ends here. You found 1 of 1.\n")
    assert "Step 4" not in ran.out
    assert ran.code == 0


def test_variant_has_its_own_lesson() -> None:
    lesson = numberline("learn", "number-reach", "--set", "target=30").out
    assert lesson.startswith("Number Reach: number-reach(target=30), in 5 steps\n\nStep 1 of 5: The goal\n")
    assert "You win if you make the number exactly 30." in lesson


def test_three_players_are_rejected() -> None:
    ran = numberline("learn", "line-runner(players=3)")
    assert ran.err.startswith("Error: Lessons need two players; line-runner(players=3) has 3. See ")
    assert ran.code == 2


def test_unknown_book_is_one_sentence() -> None:
    ran = numberline("learn", "chess")
    assert ran.err.startswith("Error: ")
    assert (ran.err.count("\n"), ran.code) == (1, 2)


@pytest.mark.parametrize("columns", [40, 80, 120])
@pytest.mark.parametrize("name", nl.NAMES)
def test_lesson_at_a_terminal_waits_for_enter_and_fits(name: str, columns: int) -> None:
    shown: list[str] = []
    with at_a_terminal("learn", name, columns=columns) as terminal:
        for number, step in enumerate(steps(name), 1):
            if step["exercise"]:
                terminal.expect_exact(PROMPT)
                shown += screen(terminal.before)
                terminal.sendline(step["exercise"]["right"][-1])
            if number < 5:
                terminal.expect_exact(ENTER)
                shown += screen(terminal.before)
                assert f"Step {number + 1} of 5" not in "".join(shown)
                terminal.sendline("")
        terminal.expect_exact("That was the lesson.")
        shown += screen(terminal.before)
        assert max(map(len, shown)) <= columns
        assert any("●" in line for line in shown)
        assert code(terminal) == 0


def test_ctrl_d_ends_a_lesson_and_ctrl_c_exits_with_130() -> None:
    with at_a_terminal("learn", "flag-chase") as terminal:
        terminal.expect_exact(PROMPT)
        terminal.sendeof()
        terminal.expect_exact("The lesson ends here.")
        assert code(terminal) == 0
    with at_a_terminal("learn", "flag-chase") as terminal:
        terminal.expect_exact(PROMPT)
        press_ctrl_c(terminal)
        assert code(terminal) == 130


def test_plain_mode_prints_sentences() -> None:
    with at_a_terminal("learn", "flag-chase", "--plain") as terminal:
        terminal.expect_exact(PROMPT)
        assert "The goal is tile 5." in (terminal.before or "")
        assert "─" not in (terminal.before or "")
