"""Puzzles drawn from books: one after the other, as hard as they should be, and the five of a day."""

from __future__ import annotations

import datetime as dt
import random
from collections.abc import Callable, Iterator, Sequence

from numberline.explain.puzzle import puzzles
from numberline.explain.puzzle_variants import SolvedPuzzle, VariantPuzzles
from numberline.game.book import Book
from numberline.game.loader import NAMES, book
from numberline.solver.cache import cached_solution
from numberline.solver.solution import Solution

CANDIDATE_COUNT = 6
"""The puzzle that fits best is chosen from so many."""
EASY_RATING, RATING_STEP, PUZZLES_PER_ROUND = 850, 100, 5
"""How hard a puzzle should be where it is not chosen to fit somebody: each of a round is harder than the one before."""


class PuzzlePool:
    """The puzzles of some books, drawn one at a time, each once; `varied`: under rules that are changed a little."""

    def __init__(
        self,
        books: Sequence[Book],
        rng: random.Random,
        *,
        varied: bool = False,
        solve: Callable[[Book], Solution] = cached_solution,
    ) -> None:
        self.varied = varied
        self._solve = solve
        self._rng = rng
        self._sources = [self._twists(game) if varied else self._source(game) for game in books]
        self._waiting: list[SolvedPuzzle] = []

    def __iter__(self) -> Iterator[SolvedPuzzle]:
        number = 0
        while drawn := self.draw(EASY_RATING + RATING_STEP * (number % PUZZLES_PER_ROUND) if self.varied else None):
            number += 1
            yield drawn

    def draw(self, near: int | None = None) -> SolvedPuzzle | None:
        """The next puzzle, from a few the one with the nearest rating; None where there are no more."""
        while self._sources and len(self._waiting) < (1 if near is None else CANDIDATE_COUNT):
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

    def _source(self, game: Book) -> Iterator[SolvedPuzzle]:
        """The puzzles of one book, which is solved when the first is asked for."""
        solution = self._solve(game)
        for puzzle in puzzles(solution, self._rng):
            yield SolvedPuzzle(solution, puzzle)

    def _twists(self, game: Book) -> Iterator[SolvedPuzzle]:
        """The puzzles of one book under changed rules."""
        twists = VariantPuzzles(game, self._rng)
        while drawn := twists.draw():
            yield drawn


def daily_puzzles(day: dt.date) -> list[SolvedPuzzle]:
    """The five puzzles of a day, the same for everybody: one of each game, the easiest first."""
    rng = random.Random(day.isoformat())
    names = rng.sample(NAMES, len(NAMES))
    pools = [PuzzlePool([book(name)], rng, varied=True) for name in names]
    drawn = [pool.draw(EASY_RATING + RATING_STEP * number) for number, pool in enumerate(pools)]
    return sorted(filter(None, drawn), key=lambda found: found.puzzle.rating)
