"""`numberline learn BOOK`: the secret of a game in five short steps, with something to find out in each."""

from __future__ import annotations

import click

from numberline.cli import completion
from numberline.cli.options import as_json, load_variant, plain_option, print_json, settings_option
from numberline.explain.lesson import Lesson, LessonStep, lesson
from numberline.game.notation import format_position
from numberline.terminal.coach import solve_with_progress
from numberline.terminal.console import TextConsole
from numberline.terminal.lessons import LessonRun


@click.command("learn", short_help="Learn the secret of a game in five steps.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@plain_option
@as_json
def command(book: str, settings: tuple[str, ...], *, plain: bool, as_json: bool) -> None:
    """Learn the secret of BOOK, a game, a variant or your own .toml file, in five short steps.

    In each step you are asked for a move; type it, or help, hint, rules, skip or quit.
    """
    game = load_variant(book, settings)
    if game.rules.players > 2:
        raise click.UsageError(f"Lessons need two players; {game.variant} has {game.rules.players}.")
    solution = solve_with_progress(game)
    taught = lesson(solution)
    if as_json:
        print_json(_report(taught))
        return
    LessonRun(TextConsole(plain=plain), solution).teach(taught)


def _report(taught: Lesson) -> dict[str, object]:
    return {"variant": taught.variant, "steps": [_step_report(step) for step in taught.steps]}


def _step_report(step: LessonStep) -> dict[str, object]:
    asked = step.exercise
    exercise = asked and {
        "position": format_position(asked.position),
        "question": asked.question,
        "right": asked.right,
        "answer": asked.answer,
    }
    board = format_position(step.position)
    return {"title": step.title, "position": board, "text": step.text, "exercise": exercise}
