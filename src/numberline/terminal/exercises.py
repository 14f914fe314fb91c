"""The steps of a lesson at the prompt, with something to try after most of them."""

from __future__ import annotations

from numberline.analysis.exercise import Exercise
from numberline.analysis.explanation import why_move
from numberline.analysis.hint import hint
from numberline.analysis.lesson import Lesson, Step
from numberline.solver.solution import Solution
from numberline.terminal.prompt import Quit, ask
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.teacher import SKIPPED, Question


class LessonRun:
    """One run of a lesson at the prompt."""

    def __init__(self, screen: Screen, solution: Solution) -> None:
        self.screen = screen
        self.solution = solution
        self.found = self.tried = 0
        self._somebody_answers = True

    def teach(self, lesson: Lesson) -> None:
        """Goes through the steps, until the last or until somebody leaves."""
        self.screen.say(f"{self.solution.book.full_title}, in {len(lesson.steps)} steps\n\n")
        ended = "That was the lesson."
        try:
            for number, step in enumerate(lesson.steps, 1):
                self._step(step, number, len(lesson.steps))
        except (Quit, EndOfInput):
            ended = "The lesson ends here."
        result = f" You found {self.found} of {self.tried}." if self.tried else ""
        self.screen.say(f"\n{ended}{result}\n")

    def _step(self, step: Step, number: int, steps: int) -> None:
        gap = "\n" if step.exercise else ""
        self.screen.say(f"\nStep {number} of {steps}: {step.title}\n\n{step.text}\n{gap}")
        if step.exercise:
            self._exercise(step.exercise)
        if self.screen.interactive and number < steps:
            ask(self.screen, "\nEnter for the next step, or quit: ", lambda typed: typed)

    def _exercise(self, exercise: Exercise) -> None:
        """Asks for the move and explains it; where a pipe has no more answers, tells it."""
        asked = Question(self.screen, self.solution.book, exercise.position)
        if not self._somebody_answers:
            asked.show(exercise.question)
            self.screen.say(f"The answer: {exercise.answer}\n")
            return
        try:
            move = asked.answer(exercise.question)
        except EndOfInput:
            if self.screen.interactive:
                raise
            self._somebody_answers = False
            move = SKIPPED
        self.tried += move != SKIPPED
        self.found += move in exercise.right
        self.screen.say(f"{self._answered(exercise, move)}\n")

    def _answered(self, exercise: Exercise, move: str) -> str:
        """Whether the answer is right, and why."""
        if move == SKIPPED:
            return f"The answer: {exercise.answer}"
        why = why_move(self.solution, exercise.position, move).text
        if move in exercise.right:
            return f"Right! {why}"
        return f"Not this one. {why} {hint(self.solution, exercise.position, 2).text}"
