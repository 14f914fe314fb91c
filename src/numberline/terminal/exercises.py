"""Something to try at the prompt: puzzles until you have had enough."""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from numberline.analysis.facts import AnalysisError
from numberline.analysis.hint import hint
from numberline.analysis.puzzle import Puzzle, answered, puzzles, question
from numberline.book.book import Book
from numberline.solver.solution import Solution
from numberline.speech.prose import rules_in_prose
from numberline.terminal.prompt import Quit
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.strength import PuzzleScore, keep_score
from numberline.terminal.teacher import SKIPPED, Question, solved

LOOKED_AT = 6
"""The puzzle that fits best is chosen from so many."""


class DrawnPuzzle(NamedTuple):
    """A puzzle and the solution that it comes from."""

    solution: Solution
    puzzle: Puzzle


class PuzzlePool:
    """The puzzles of some books, drawn one at a time, each once."""

    def __init__(self, books: Sequence[Book], rng: random.Random) -> None:
        self._rng = rng
        self._sources = [self._source(game) for game in books]
        self._waiting: list[DrawnPuzzle] = []

    def __iter__(self) -> Iterator[DrawnPuzzle]:
        while drawn := self.draw():
            yield drawn

    def draw(self, near: int | None = None) -> DrawnPuzzle | None:
        """The next puzzle, from a few the one with the nearest rating; None where there are no more."""
        while self._sources and len(self._waiting) < (1 if near is None else LOOKED_AT):
            source = self._rng.choice(self._sources)
            found = next(source, None)
            if found:
                self._waiting.append(found)
            else:
                self._sources.remove(source)
        if not self._waiting:
            return None
        ratings = [drawn.puzzle.rating for drawn in self._waiting]
        best = 0 if near is None else min(range(len(ratings)), key=lambda n: abs(ratings[n] - near))
        return self._waiting.pop(best)

    def _source(self, game: Book) -> Iterator[DrawnPuzzle]:
        """The puzzles of one book, which is solved when the first is asked for."""
        solution = solved(game)
        for puzzle in puzzles(solution, self._rng):
            yield DrawnPuzzle(solution, puzzle)


class PuzzleRun:
    """One run of puzzles at the prompt."""

    def __init__(self, screen: Screen, score: PuzzleScore, *, matched: bool) -> None:
        self.screen = screen
        self.score = score
        self.matched = matched
        """Whether the puzzles are chosen to fit the rating."""
        self.asked = self.solved = self.streak = self.longest = 0
        self._kept = True

    def ask_all(self, pool: PuzzlePool, count: int | None) -> None:
        """Asks until somebody has had enough, or there are no more."""
        try:
            while count is None or self.asked < count:
                drawn = pool.draw(self.score.rating if self.matched else None)
                if not drawn:
                    self._no_more()
                    break
                self._ask(*drawn)
        except (Quit, EndOfInput):
            pass
        self.screen.say(f"\n{self.summary()}\n")

    def _no_more(self) -> None:
        if not self.asked:
            raise AnalysisError("there is no puzzle here: no position has exactly one right move")
        self.screen.say("\nThat was the last one: there are no more puzzles here.\n")

    def _ask(self, solution: Solution, puzzle: Puzzle) -> None:
        book = solution.book
        goal = next(section.text for section in rules_in_prose(book) if section.heading == "The goal")
        self.screen.say(f"\nPuzzle {self.asked + 1}: {book.full_title}, rated {puzzle.rating}\n{goal}\n\n")
        asked = Question(self.screen, book, puzzle.position)
        move = asked.answer(question(solution, puzzle))
        solved_alone = move == puzzle.right and not asked.move_named
        self._count(puzzle, right=solved_alone)
        self.screen.say(f"{_verdict(solution, puzzle, move, named=asked.move_named)}\n")
        if solved_alone:
            self.screen.say(f"Streak: {self.streak}.\n")

    def _count(self, puzzle: Puzzle, *, right: bool) -> None:
        self.asked += 1
        self.solved += right
        self.streak = self.streak + 1 if right else 0
        self.longest = max(self.longest, self.streak)
        self.score.answered(puzzle.rating, self.streak, right=right)
        problem = keep_score(self.score)
        if problem and self._kept:  # said once: it will not get better
            print(problem, file=sys.stderr)  # noqa: T201 - the screen is for the puzzles
        self._kept = not problem

    def summary(self) -> str:
        """How it went, and how things stand over all runs."""
        kept = self.score
        streak = f"best streak {kept.best_streak}"
        overall = f"Overall: {kept.solved} of {kept.asked} solved, {streak}, rating {kept.rating}."
        if not self.asked:
            return f"No puzzle was answered.\n{overall}" if kept.asked else "No puzzle was answered."
        return f"Solved {self.solved} of {self.asked}; longest streak {self.longest}.\n{overall}"


def _verdict(solution: Solution, puzzle: Puzzle, move: str, *, named: bool) -> str:
    """Whether the answer to a puzzle is right, and why."""
    if move == SKIPPED:
        return f"Skipped. {hint(solution, puzzle.position, 2).text}"
    why = answered(solution, puzzle, move).text
    if move != puzzle.right:
        return f"Wrong. {why} {hint(solution, puzzle.position, 2).text}"
    return f"Right, but you were told, so it does not count. {why}" if named else f"Right! {why}"
