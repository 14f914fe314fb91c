"""`numberline learn BOOK`: the secret of a game in five short steps, with something to try after most of them."""

from __future__ import annotations

import click

from numberline.analysis.exercise import Exercise
from numberline.analysis.explanation import why_move
from numberline.analysis.hint import hint
from numberline.analysis.lesson import Lesson, Step, lesson
from numberline.cli.options import as_json, print_json, varied, with_settings
from numberline.notation import write_position
from numberline.solver.solution import Solution
from numberline.solver.store import solve_or_recall
from numberline.terminal.asking import LEAVING, Asking
from numberline.terminal.progress import bar
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.session import Quit


@click.command("learn")
@click.argument("book")
@with_settings
@click.option("--plain", is_flag=True, help="Draw nothing; tell everything in sentences, for a screen reader.")
@as_json
def command(book: str, settings: tuple[str, ...], *, plain: bool, as_json: bool) -> None:
    """Learn the secret of BOOK, a game, a variant or your own .toml file, in five short steps.

    After most steps you are asked for a move; type it, or help, hint, rules, skip or quit.
    """
    game = varied(book, settings)
    if game.rules.players > 2:
        raise click.UsageError(f"Lessons need two players; {game.variant} has {game.rules.players}.")
    with bar(f"Solving {game.variant}") as progress:
        solution = solve_or_recall(game, progress=progress)
    taught = lesson(solution)
    if as_json:
        print_json(_report(taught))
        return
    Class(Screen(plain=plain), solution).teach(taught)


class Class:
    """One run of a lesson at the prompt."""

    def __init__(self, screen: Screen, solution: Solution) -> None:
        self.screen = screen
        self.solution = solution
        self.found = self.tried = 0
        self._somebody_answers = True

    def teach(self, taught: Lesson) -> None:
        """Goes through the steps, until the last or until somebody leaves."""
        self.screen.say(f"{self.solution.book.full_title}, in {len(taught.steps)} steps\n\n")
        try:
            for number, step in enumerate(taught.steps, 1):
                self._step(step, number, len(taught.steps))
        except (Quit, EndOfInput):
            self.screen.say(f"\nThe lesson ends here. {self._result()}".rstrip() + "\n")
            return
        self.screen.say(f"\nThat was the lesson. {self._result()}".rstrip() + "\n")

    def _result(self) -> str:
        return f"You found {self.found} of {self.tried}." if self.tried else ""

    def _step(self, step: Step, number: int, steps: int) -> None:
        self.screen.say(f"\nStep {number} of {steps}: {step.title}\n\n{step.text}\n")
        if step.exercise:
            self.screen.say("\n")
            self._exercise(step.exercise)
        if self.screen.interactive and number < steps:
            self._wait()

    def _wait(self) -> None:
        typed = self.screen.ask("\nEnter for the next step, or quit: ", ["quit"])
        if typed.strip().lower() in LEAVING:
            raise Quit

    def _exercise(self, exercise: Exercise) -> None:
        """Asks for the move and explains it; where a pipe has no more answers, tells it."""
        asking = Asking(self.screen, self.solution, exercise.position)
        if not self._somebody_answers:
            asking.show(exercise.question)
            self.screen.say(f"The answer: {exercise.answer}\n")
            return
        try:
            move = asking.answer(exercise.question)
        except EndOfInput:
            if self.screen.interactive:
                raise
            self._somebody_answers = False
            self.screen.say(f"The answer: {exercise.answer}\n")
            return
        self.tried += move is not None
        self.found += move in exercise.right
        self.screen.say(f"{self._verdict(exercise, move)}\n")

    def _verdict(self, exercise: Exercise, move: str | None) -> str:
        if move is None:
            return f"The answer: {exercise.answer}"
        why = why_move(self.solution, exercise.position, move).text
        if move in exercise.right:
            return f"Right! {why}"
        return f"Not this one. {why} {hint(self.solution, exercise.position, 2).text}"


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
    return {"title": step.title, "text": step.text, "exercise": exercise}
