"""Puzzles at the prompt, until you have had enough; and the five of the day."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable

from numberline.explain.hint import hint
from numberline.explain.puzzle import (
    Puzzle,
    PuzzlePool,
    SolvedPuzzle,
    daily_puzzles,
    explain_answer,
    question,
    refutation,
)
from numberline.explain.queries import AnalysisError
from numberline.explain.rules_text import describe_changes, describe_goal
from numberline.game.move_text import legal_moves_sentence
from numberline.progress.puzzle_stats import PuzzleStats, next_streak
from numberline.solver.solution import Solution
from numberline.terminal.coach import SKIPPED, PositionPrompt
from numberline.terminal.console import EndOfInput, TextConsole
from numberline.terminal.progress import puzzle_stats_store
from numberline.terminal.prompt import Quit


class PuzzleRun:
    """One run of puzzles at the prompt."""

    def __init__(self, screen: TextConsole) -> None:
        self.screen = screen
        self._notebook = puzzle_stats_store()
        self.score = self._notebook.read()
        """How things stand over all runs, of which there may be others at this moment."""
        self.asked = self.solved = self.streak = self.longest = 0

    def ask_all(self, pool: PuzzlePool, count: int | None, *, by_rating: bool) -> None:
        """Asks until somebody has had enough, or there are no more; `matched`: those that fit the rating."""
        endless = iter(lambda: pool.draw(self.score.rating), None) if by_rating else pool
        self._run(endless, count)

    def ask_daily(self, day: dt.date) -> None:
        """Asks the puzzles of a day; those that were answered on that day before don't count again."""
        found = daily_puzzles(day)
        title = f"The puzzles of {day.day} {day:%B %Y} (UTC)"
        self.screen.say(f"{title}: the same {len(found)} for everybody, one of each game, the easiest first.\n")
        before = self.score.answered_on(day)
        if before:
            which = "They don't" if before == len(found) else f"The first {before} don't"
            self.screen.say(f"You have answered {before} of {len(found)} today. {which} count again.\n")
        self._run(found, len(found), counted_before=before, of=f" of {len(found)}", day=day)

    def _run(
        self,
        drawn: Iterable[SolvedPuzzle],
        count: int | None,
        *,
        counted_before: int = 0,
        of: str = "",
        day: dt.date | None = None,
    ) -> None:
        source = iter(drawn)
        try:
            while count is None or self.asked < count:
                found = next(source, None)
                if not found:
                    self._no_more()
                    break
                self._ask(*found, of=of, day=day, counts=self.asked >= counted_before)
        except (Quit, EndOfInput):
            pass
        self.screen.say(f"\n{self.summary()}\n")

    def _no_more(self) -> None:
        if not self.asked:
            raise AnalysisError("there is no puzzle here: no position has exactly one right move")
        self.screen.say("\nThat was the last one: there are no more puzzles here.\n")

    def _ask(self, solution: Solution, puzzle: Puzzle, *, of: str, day: dt.date | None, counts: bool) -> None:
        book = solution.book
        goal = describe_goal(book)
        rules = f"{describe_changes(book)}\n{goal}".lstrip()
        self.screen.say(f"\nPuzzle {self.asked + 1}{of}: {book.title}, rated {puzzle.rating}\n{rules}\n\n")
        asked = PositionPrompt(self.screen, book, puzzle.position)
        move = asked.answer(f"{question(solution, puzzle)}\n{legal_moves_sentence(book.moves(puzzle.position))}")
        solved_alone = move == puzzle.right and not asked.move_revealed
        self._count(puzzle, right=solved_alone, counts=counts, day=day)
        self._verdict(asked, solution, puzzle, move)
        if solved_alone:
            self.screen.say(f"Streak: {self.streak}.\n")

    def _count(self, puzzle: Puzzle, *, right: bool, counts: bool, day: dt.date | None) -> None:
        self.asked += 1
        self.solved += right
        self.streak = next_streak(self.streak, right=right)
        self.longest = max(self.longest, self.streak)
        if not counts:
            return

        def change(score: PuzzleStats) -> None:
            score.record_answer(puzzle.rating, self.streak, right=right, day=day)

        kept = self._notebook.change(change)
        if kept is None:
            change(self.score)
        else:
            self.score = kept

    def _verdict(self, asked: PositionPrompt, solution: Solution, puzzle: Puzzle, move: str) -> None:
        """Says whether the answer is right, and why; a wrong one is played out with the answer that punishes it."""
        told = hint(solution, puzzle.position, 2).text
        if move == SKIPPED:
            self.screen.say(f"Skipped. {told}\n")
        elif move == puzzle.right:
            right = "Right, but you were told, so it does not count." if asked.move_revealed else "Right!"
            self.screen.say(f"{right} {explain_answer(solution, puzzle, move).text}\n")
        else:
            for number, (played, why) in enumerate(refutation(solution, puzzle, move)):
                self.screen.say(f"{'' if number else 'Wrong. '}{why.text}\n")
                asked.match.play(played)
                asked.board()
                self.screen.say("\n" if self.screen.draws else "")
            self.screen.say(f"Only {puzzle.right} {puzzle.asked}. {told}\n")

    def summary(self) -> str:
        """How it went, and how things stand over all runs."""
        kept = self.score
        streak = f"best streak {kept.best_streak}"
        overall = f"Overall: {kept.solved} of {kept.asked} solved, {streak}, rating {kept.rating}."
        if not self.asked:
            return f"No puzzle was answered.\n{overall}" if kept.asked else "No puzzle was answered."
        return f"Solved {self.solved} of {self.asked}; longest streak {self.longest}.\n{overall}"
