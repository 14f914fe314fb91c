"""A lesson at the prompt: each step with its board, and something to find out on it."""

from __future__ import annotations

from numberline.explain.lesson import Lesson, LessonStep
from numberline.explain.worksheet import Exercise, feedback
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.terminal.coach import SKIPPED, PositionPrompt
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.prompt import Quit, ask
from numberline.views.lesson import MAX_TRIES


class LessonRun:
    """One run of a lesson at the prompt."""

    def __init__(self, screen: TextConsole, solution: Solution) -> None:
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

    def _step(self, step: LessonStep, number: int, steps: int) -> None:
        self.screen.say(f"\nStep {number} of {steps}: {step.title}\n\n")
        self._board(step.position)
        gap = "\n" if step.exercise else ""
        self.screen.say(f"{step.text}\n{gap}")
        if step.exercise:
            self._exercise(step.exercise)
        if self.screen.interactive and number < steps:
            ask(self.screen, "\nEnter for the next step, or quit: ", lambda typed: typed)

    def _board(self, position: Position) -> None:
        """The board of a step or of an answer; in plain mode the sentences say it all."""
        if not self.screen.plain:
            PositionPrompt(self.screen, self.solution.book, position).board()
            self.screen.say("\n" if self.screen.draws else "")

    def _exercise(self, exercise: Exercise) -> None:
        """Asks for the move, more than once if need be; where a pipe has no more answers, tells it."""
        asked = PositionPrompt(self.screen, self.solution.book, exercise.position)
        if not self._somebody_answers:
            asked.show(exercise.question)
            self.screen.say(f"The answer: {exercise.answer}\n")
            return
        for attempt in range(1, MAX_TRIES + 1):
            move = self._move(asked, exercise.question if attempt == 1 else "Try once more.")
            self.tried += attempt == 1 and self._somebody_answers
            if move == SKIPPED:
                break
            self._show_move(exercise, move)
            self.screen.say(f"{feedback(self.solution, exercise, move)}\n")
            if move in exercise.right:
                self.found += 1
                return
        self.screen.say(f"The answer: {exercise.answer}\n")

    def _move(self, asked: PositionPrompt, question: str) -> str:
        """The move that is answered, or `SKIPPED`, also from here on where a pipe has ended."""
        try:
            return asked.answer(question)
        except EndOfInput:
            if self.screen.interactive:
                raise
            self._somebody_answers = False
            return SKIPPED

    def _show_move(self, exercise: Exercise, move: str) -> None:
        """Where the move leads, for somebody who sits before the board."""
        if self.screen.draws:
            self._board(self.solution.book.after(exercise.position, move))
