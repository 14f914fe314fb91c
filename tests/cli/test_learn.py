"""`numberline learn`: five steps, from a pipe and at real terminals."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

import numberline as nl
from numberline.game.notation import parse_position
from support.commands import numberline
from terminal.test_board import at_a_terminal, code, press_ctrl_c, screen

if TYPE_CHECKING:
    import pexpect

PROMPT = "Your move (or hint, skip, quit): "
ANSWER = "Your answer ("
INTRODUCTION = "Press Enter (or quit): "
ENTER = "Press Enter (or again, back, quit): "
OFFER = "Press Enter to play, or type no: "
CLEARED = re.compile(r"\x1b\[2J\x1b\[H")


@cache
def steps(name: str) -> list[dict[str, Any]]:
    """Return the steps of a lesson from its JSON report."""
    found: list[dict[str, Any]] = json.loads(numberline("learn", name, "--json").out)["steps"]
    return found


def answers(name: str) -> list[str]:
    """Return the right answers to all questions of a lesson, in order."""
    found = []
    for step in steps(name):
        found += [question["paint"] for question in step["questions"]]
        found += [step["exercise"]["right"][0]] if step["exercise"] else []
    return found


def typed(lines: list[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("name", nl.NAMES)
def test_lesson_has_five_steps_with_feedback(name: str) -> None:
    lesson, right = steps(name), answers(name)
    ran = numberline("learn", name, typed=typed(right))
    titles = re.findall(r"^Step (\d) of 5: (.+)$", ran.out, re.MULTILINE)
    assert titles == [(str(number), step["title"]) for number, step in enumerate(lesson, 1)]
    assert all(step["text"].split("\n\n")[-1] in ran.out for step in lesson)
    assert ran.out.count("Right! ") == len(right)
    assert ran.out.endswith(
        f"\nThat was the lesson. You got {len(right)} of {len(right)} right on the first try.\n★★★\n"
    )
    assert (ran.code, ran.err) == (0, "")


@pytest.mark.parametrize("name", nl.NAMES)
def test_piped_lesson_without_answers_prints_them(name: str) -> None:
    ran = numberline("learn", name)
    expected = [step["exercise"]["answer"] for step in steps(name) if step["exercise"]]
    assert re.findall(r"^Here is the answer. (.+)$", ran.out, re.MULTILINE) == expected
    painted = [question["paint"] for step in steps(name) for question in step["questions"]]
    assert re.findall(r"^The answer is (\w+)\. ", ran.out, re.MULTILINE) == painted
    assert ran.out.count(PROMPT) + ran.out.count(ANSWER) == 1
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


def test_lesson_json_has_positions_strip_secret_and_game() -> None:
    report = json.loads(numberline("learn", "number-reach", "--json").out)
    first, trap, *_ = (parse_position(step["position"]) for step in report["steps"])
    assert (first.tokens, trap.tokens) == ((19,), (18,))
    assert report["secret"].startswith("Leave your opponent a trap: 18, ")
    assert report["game"] == {"bot": "master", "seat": 1, "first": 2}
    cells = report["steps"][1]["strip"]["cells"]
    assert [(cell["label"], cell["mark"]) for cell in cells if cell["mark"]] == [("18", "trap"), ("19", "win now")]
    assert [question["cell"]["key"] for question in report["steps"][1]["questions"]] == [19, 18]


def test_strip_is_described_in_words_from_a_pipe() -> None:
    out = numberline("learn", "number-reach").out
    assert "\nThe number on your turn. 18: trap; 19: win now.\n" in out
    assert "\nThe number on your turn. 16: trap; 17: good; 18: trap; 19: win now.\n" in out


def test_wrong_answer_gets_one_sentence_and_another_try() -> None:
    out = numberline("learn", "number-reach", typed="+1\n").out
    reason = "After +1, your opponent answers +1, which makes 12, and then every move loses."
    assert f"{PROMPT}+1\nNot this one. {reason}\nTry once more.\n" in out
    assert "Here is the answer. With *2, you win at once: it makes 20.\n" in out
    assert out.endswith("\nThat was the lesson. You got 0 of 1 right on the first try.\n")


STARS = "To earn all stars, finish the lesson without hint or skip.\n"


def test_only_first_tries_count() -> None:
    out = numberline("learn", "number-reach", typed="+1\n*2\nno\nquit\n").out
    assert f"Try once more.\n{PROMPT}*2\nRight! With *2, you win at once: it makes 20.\n" in out
    assert f"{ANSWER}yes, no, or hint): no\nThe answer is yes. With +1, you win at once: it makes 20.\n" in out
    assert out.endswith("\nThe lesson ends here. You got 0 of 2 right on the first try.\n")


def test_step_taken_again_does_not_count_again() -> None:
    out = numberline("learn", "number-reach", typed="*2\nback\n*2\nno\nagain\nyes\nquit\n").out
    assert out.count("Step 1 of 5") == 2
    assert out.count("Step 2 of 5") == 3
    assert out.endswith("\nThe lesson ends here. You got 1 of 2 right on the first try.\n")


def test_question_about_a_place_answers_a_hint() -> None:
    out = numberline("learn", "number-reach", typed="skip\nhint\nyes\n").out
    assert "hint\nYour moves lead to 20 and 38.\n" in out


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("flag-chase(skip=true)", "Your moves lead to 3, 4, and 5."),
        ("reach-the-edge(steps=2)", "You can't move here."),
    ],
)
def test_hint_to_a_question_names_only_places(name: str, hint: str) -> None:
    assert f"hint\n{hint}\n" in numberline("learn", name, typed="next\nhint\nskip\nhint\nskip\nhint\n").out


def test_hint_costs_a_star() -> None:
    right = answers("number-reach")
    out = numberline("learn", "number-reach", typed=typed(["hint", *right])).out
    assert out.endswith(f"You got {len(right)} of {len(right)} right on the first try.\n★★☆\n{STARS}")


def test_two_wrong_answers_reveal_the_right_one() -> None:
    out = numberline("learn", "line-runner", typed="1\n2\nquit\n").out
    assert out.count("Not this one. ") == 2
    assert out.count("Here is the answer. With 3, you win at once: it takes you to position 20.\n") == 1


def test_exercise_can_be_answered_with_a_place() -> None:
    assert "Right! With 3, you win at once" in numberline("learn", "line-runner", typed="20\n").out
    out = numberline("learn", "line-runner", typed="24\n").out
    assert "'24' is not a move in this game. You can play 1, 2, or 3.\n" in out


def test_unreadable_input_is_explained_and_asked_again() -> None:
    out = numberline("learn", "number-reach", typed="banana\n*2\n?\nyes\n").out
    assert "'banana' can't be read as a move. You can play +1 or *2.\n" in out
    assert "Right! With *2, you win at once: it makes 20." in out
    question = f"{ANSWER}yes, no, or hint): "
    assert f"{question}?\nType yes, no, again, back, skip, hint, or quit.\n{question}yes\nRight! " in out


def test_quit_ends_a_lesson_early() -> None:
    ran = numberline("learn", "number-reach", typed="*2\nquit\n")
    assert ran.out.endswith("\nThe lesson ends here. You got 1 of 1 right on the first try.\n")
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


def walk(terminal: pexpect.spawn[str], name: str) -> list[str]:
    """Answer everything right until the offer of a game; return what each screen showed."""
    right = iter(answers(name))
    terminal.expect_exact(INTRODUCTION)
    shown = str(terminal.before)
    terminal.sendline("")
    while True:
        found = terminal.expect_exact([ANSWER, PROMPT, ENTER, OFFER])
        shown += f"{terminal.before}{terminal.after}"
        if found == 3:
            return CLEARED.split(shown)
        terminal.sendline("" if found == 2 else next(right))


@pytest.mark.parametrize("name", nl.NAMES)
def test_lesson_shows_one_idea_per_screen_that_fits(name: str) -> None:
    with at_a_terminal("learn", name) as terminal:
        first, *screens = (screen(text) for text in walk(terminal, name))
        terminal.sendline("no")
        assert code(terminal) == 0
    asked = sum(len(step["questions"]) for step in steps(name))
    assert len(screens) > 2 * asked + 5
    assert max(len(rows) for rows in screens) <= 24
    assert max(len(row) for rows in screens for row in rows) <= 80
    assert all(any("●" in row for row in rows) for rows in screens[:-1])
    assert any("★★★" in row for row in screens[-1])
    assert first[0].endswith("in 5 steps")
    assert first[2].startswith("You can earn three stars: ")


@pytest.mark.parametrize("columns", [40, 120])
def test_lesson_fits_other_widths(columns: int) -> None:
    with at_a_terminal("learn", "line-runner", columns=columns) as terminal:
        screens = [screen(text) for text in walk(terminal, "line-runner")]
        terminal.sendline("quit")
        assert code(terminal) == 0
    assert max(len(row) for rows in screens for row in rows) <= columns


def test_exercise_boards_have_a_bar_and_strip_stays_visible() -> None:
    with at_a_terminal("learn", "number-reach") as terminal:
        screens = walk(terminal, "number-reach")
        terminal.sendline("quit")
    exercises = [rows for rows in screens if PROMPT in rows]
    examples = [rows for rows in screens if ENTER in rows or ANSWER in rows]
    assert all("┃" in rows for rows in exercises)
    assert not any("┃" in rows for rows in examples)
    assert all("T▼" in rows for rows in screens[screens.index(exercises[1]) : -1])


def test_lesson_ends_with_a_game_against_a_character() -> None:
    with at_a_terminal("learn", "flag-chase") as terminal:
        assert "Try it against the owl? You start.\r\n" in walk(terminal, "flag-chase")[-1]
        terminal.sendline("")
        terminal.expect_exact("You start this time.")
        terminal.expect_exact("Enter your move (1, 2, or 3): ")
        for move in ("3", "2"):
            terminal.sendline(move)
        terminal.expect_exact("What now?")


def test_ctrl_d_ends_a_lesson_and_ctrl_c_exits_with_130() -> None:
    with at_a_terminal("learn", "flag-chase") as terminal:
        terminal.expect_exact(INTRODUCTION)
        terminal.sendeof()
        terminal.expect_exact("The lesson ends here.")
        assert code(terminal) == 0
    with at_a_terminal("learn", "flag-chase") as terminal:
        terminal.expect_exact(INTRODUCTION)
        press_ctrl_c(terminal)
        assert code(terminal) == 130


def test_plain_mode_prints_sentences() -> None:
    with at_a_terminal("learn", "flag-chase", "--plain") as terminal:
        for prompt in (INTRODUCTION, *[ENTER] * 3):
            terminal.expect_exact(prompt)
            terminal.sendline("")
        terminal.expect_exact(PROMPT)
        assert "The goal is tile 5." in (terminal.before or "")
        assert "─" not in (terminal.before or "")
