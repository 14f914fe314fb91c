"""`numberline learn BOOK`: the secret of a game in five short steps, with something to find out in each."""

from __future__ import annotations

import click

from numberline.analysis.lesson import Lesson, Step, lesson
from numberline.cli import completion
from numberline.cli.options import as_json, in_sentences, print_json, varied, with_settings
from numberline.notation import write_position
from numberline.terminal.lessons import LessonRun
from numberline.terminal.screen import Screen
from numberline.terminal.teacher import solved


@click.command("learn", short_help="Learn the secret of a game in five steps.")
@click.argument("book", shell_complete=completion.books)
@with_settings
@in_sentences
@as_json
def command(book: str, settings: tuple[str, ...], *, plain: bool, as_json: bool) -> None:
    """Learn the secret of BOOK, a game, a variant or your own .toml file, in five short steps.

    In each step you are asked for a move; type it, or help, hint, rules, skip or quit.
    """
    game = varied(book, settings)
    if game.rules.players > 2:
        raise click.UsageError(f"Lessons need two players; {game.variant} has {game.rules.players}.")
    solution = solved(game)
    taught = lesson(solution)
    if as_json:
        print_json(_report(taught))
        return
    LessonRun(Screen(plain=plain), solution).teach(taught)


def _report(taught: Lesson) -> dict[str, object]:
    return {"variant": taught.variant, "steps": [_step_report(step) for step in taught.steps]}


def _step_report(step: Step) -> dict[str, object]:
    asked = step.exercise
    exercise = asked and {
        "position": write_position(asked.position),
        "question": asked.question,
        "right": asked.right,
        "answer": asked.answer,
    }
    board = write_position(step.position)
    return {"title": step.title, "position": board, "text": step.text, "exercise": exercise}
