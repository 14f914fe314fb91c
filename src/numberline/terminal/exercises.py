"""Interactive lessons and puzzles, which ask the player for a move in a given position."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from itertools import islice

from numberline.explain.explanation import explain_move, hint
from numberline.explain.lesson import Lesson, LessonStep
from numberline.explain.puzzle import Puzzle, PuzzlePool, SolvedPuzzle, daily_puzzles, question, refutation
from numberline.explain.queries import AnalysisError
from numberline.explain.rules_text import describe_changes, describe_goal
from numberline.explain.worksheet import Exercise, feedback
from numberline.game.book import Book
from numberline.game.match import Match
from numberline.game.move_text import legal_moves_sentence
from numberline.game.position import Position
from numberline.progress.document import Progress
from numberline.progress.events import LessonFinished, PuzzleAnswered, apply
from numberline.progress.ratings import next_streak
from numberline.progress.stars import draw_stars
from numberline.solver.solution import Solution
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import load_progress, record_event, today, update_progress
from numberline.terminal.prompt import Command, MatchPrompt, Quit, ask
from numberline.views.exercises import MAX_TRIES

_SKIPPED = ""


class _PositionPrompt(MatchPrompt):
    """A prompt for one move in one position."""

    def __init__(self, screen: TextConsole, book: Book, position: Position) -> None:
        super().__init__(Match(book, start=position), screen)
        self._skip = "next" if "skip" in self.match.moves else "skip"  # `skip` is a move in some variants
        self.commands |= {
            "hint": Command("a hint (ask again for the move)", self.hint),
            "rules": Command("the rules of this game", self.rules),
            self._skip: Command("skip this question", lambda: _SKIPPED),
        }

    @property
    def move_revealed(self) -> bool:
        return self.coach.move_revealed_at == 0

    def answer(self, text: str) -> str:
        """Ask until a legal move is entered and return it, or `_SKIPPED`; raise `Quit` or `EndOfInput`."""
        self.show(text)
        return self.ask(f"Your move (or hint, {self._skip}, quit): ", self._read_move)

    def show(self, text: str) -> None:
        """Show the position and the question."""
        self.board()
        if self.screen.draws and not self.screen.plain:
            self.screen.say("\n")
        self.screen.say(f"{text}\n")

    def _read_move(self, typed: str) -> str:
        move = self.match.play(typed).move
        self.match.undo()
        return move


class LessonRun:
    """One run through a lesson, with its score."""

    def __init__(self, screen: TextConsole, solution: Solution) -> None:
        self.screen = screen
        self.solution = solution
        self.found = self.tried = self.mistakes = 0
        self.helped = False
        self._has_input = True

    def teach(self, lesson: Lesson) -> None:
        """Go through the steps of a lesson until the end, or until the player quits."""
        self.screen.say(f"{self.solution.book.full_title}, in {len(lesson.steps)} steps\n\n")
        ending, stars = "That was the lesson.", ""
        try:
            for number, step in enumerate(lesson.steps, 1):
                self._step(step, number, len(lesson.steps))
            stars = self._finish(lesson)
        except (Quit, EndOfInput):
            ending = "The lesson ends here."
        result = f" You found {self.found} of {self.tried}." if self.tried else ""
        self.screen.say(f"\n{ending}{result}{stars}\n")

    def _finish(self, lesson: Lesson) -> str:
        """Record a lesson that the player did to its end; return its stars for a terminal."""
        if not self._has_input:
            return ""
        changes = record_event(LessonFinished(today(), lesson.variant, self.helped, self.mistakes))
        return f" {draw_stars(changes.stars)}" if self.screen.draws else ""

    def _step(self, step: LessonStep, number: int, steps: int) -> None:
        self.screen.say(f"\nStep {number} of {steps}: {step.title}\n\n")
        self._board(step.position)
        gap = "\n" if step.exercise else ""
        self.screen.say(f"{step.text}\n{gap}")
        if step.exercise:
            self._exercise(step.exercise)
        if self.screen.interactive and number < steps:
            ask(self.screen, "\nPress Enter to continue, or type quit: ", lambda typed: typed)

    def _board(self, position: Position) -> None:
        """Show the board, except in plain mode, because there the text of the step describes the position."""
        if not self.screen.plain:
            _PositionPrompt(self.screen, self.solution.book, position).board()
            self.screen.say("\n" if self.screen.draws else "")

    def _exercise(self, exercise: Exercise) -> None:
        """Ask for a move up to `MAX_TRIES` times, then print the answer."""
        prompt = _PositionPrompt(self.screen, self.solution.book, exercise.position)
        if not self._has_input:
            prompt.show(exercise.question)
            self.screen.say(f"The answer: {exercise.answer}\n")
            return
        for attempt in range(1, MAX_TRIES + 1):
            move = self._ask(prompt, exercise.question if attempt == 1 else "Try once more.")
            self.tried += attempt == 1 and self._has_input
            self.helped = self.helped or move == _SKIPPED or prompt.move_revealed
            self.mistakes += attempt == 1 and move not in exercise.right
            if move == _SKIPPED:
                break
            if self.screen.draws:
                self._board(self.solution.book.after(exercise.position, move))
            self.screen.say(f"{feedback(self.solution, exercise, move)}\n")
            if move in exercise.right:
                self.found += 1
                return
        self.screen.say(f"The answer: {exercise.answer}\n")

    def _ask(self, prompt: _PositionPrompt, text: str) -> str:
        """Return the answer; after the end of piped input, skip this and all later exercises."""
        try:
            return prompt.answer(text)
        except EndOfInput:
            if self.screen.interactive:
                raise
            self._has_input = False
            return _SKIPPED


class PuzzleRun:
    """One run of puzzles; `stats` covers all runs."""

    def __init__(self, screen: TextConsole) -> None:
        self.screen = screen
        self.stats = load_progress().puzzles
        self.asked = self.solved = self.streak = self.longest = 0
        self._day: dt.date | None = None
        self._total = ""

    def ask_all(self, pool: PuzzlePool, count: int | None, *, by_rating: bool) -> None:
        """Give the player up to `count` puzzles from the pool; with `by_rating`, choose ones near their rating."""
        puzzles = iter(lambda: pool.draw(self.stats.rating), None) if by_rating else pool
        self._run(puzzles, count)

    def ask_daily(self, day: dt.date) -> None:
        """Present the puzzles for `day`; puzzles already answered that day aren't counted again."""
        puzzles = daily_puzzles(day)
        title = f"The puzzles for {day.day} {day:%B %Y} (UTC)"
        self.screen.say(f"{title}: the same {len(puzzles)} for everyone, one for each game, easiest first.\n")
        self._day = day
        before = sum(result is not None for result in self.stats.daily_results(day))
        if before:
            self.screen.say(f"You have answered {before} of {len(puzzles)} today. They don't count again.\n")
        self._total = f" of {len(puzzles)}"
        self._run(puzzles, len(puzzles))

    def _run(self, puzzles: Iterable[SolvedPuzzle], count: int | None) -> None:
        try:
            for solution, puzzle in islice(puzzles, count):
                self._ask(solution, puzzle)
            if count is None or self.asked < count:
                self._report_empty_pool()
        except (Quit, EndOfInput):
            pass
        self.screen.say(f"\n{self.summary()}\n")

    def _report_empty_pool(self) -> None:
        if not self.asked:
            raise AnalysisError("there are no puzzles here: no position has exactly one right move")
        self.screen.say("\nThat was the last one. There are no more puzzles here.\n")

    def _ask(self, solution: Solution, puzzle: Puzzle) -> None:
        book = solution.book
        rules = f"{describe_changes(book)}\n{describe_goal(book)}".lstrip()
        self.screen.say(f"\nPuzzle {self.asked + 1}{self._total}: {book.title}, rated {puzzle.rating}\n{rules}\n\n")
        prompt = _PositionPrompt(self.screen, book, puzzle.position)
        move = prompt.answer(f"{question(solution, puzzle)}\n{legal_moves_sentence(book.moves(puzzle.position))}")
        solved_alone = move == puzzle.right and not prompt.move_revealed
        self._count(puzzle, right=solved_alone)
        self._show_feedback(prompt, solution, puzzle, move)
        if solved_alone:
            self.screen.say(f"Streak: {self.streak}.\n")

    def _count(self, puzzle: Puzzle, *, right: bool) -> None:
        event = PuzzleAnswered(today(), right, puzzle.rating, self._day, self.asked if self._day else 0)
        self.asked += 1
        self.solved += right
        self.streak = next_streak(self.streak, right=right)
        self.longest = max(self.longest, self.streak)
        stored = update_progress(lambda progress: apply(progress, event)[0])
        self.stats = (stored or apply(Progress(puzzles=self.stats), event)[0]).puzzles

    def _show_feedback(self, prompt: _PositionPrompt, solution: Solution, puzzle: Puzzle, move: str) -> None:
        """Say whether the answer is right and why; after a wrong answer, show its refutation."""
        reason = hint(solution, puzzle.position, 2).text
        if move == _SKIPPED:
            self.screen.say(f"Skipped. {reason}\n")
        elif move == puzzle.right:
            right = "Right! But the hint gave it away, so it doesn't count." if prompt.move_revealed else "Right!"
            self.screen.say(f"{right} {explain_move(solution, puzzle.position, move).text}\n")
        else:
            for number, (played, why) in enumerate(refutation(solution, puzzle, move)):
                self.screen.say(f"{'' if number else 'Wrong. '}{why.text}\n")
                prompt.match.play(played)
                prompt.board()
                self.screen.say("\n" if self.screen.draws else "")
            self.screen.say(f"Only {puzzle.right} {puzzle.asked}. {reason}\n")

    def summary(self) -> str:
        """Return the results of this run and the overall results."""
        stats = self.stats
        streak = f"best streak {stats.best_streak}"
        overall = f"Overall: {stats.solved} of {stats.asked} solved, {streak}, rating {stats.rating}."
        if not self.asked:
            return "You didn't answer any puzzles." + f"\n{overall}" * bool(stats.asked)
        return f"Solved {self.solved} of {self.asked}; longest streak {self.longest}.\n{overall}"
