"""`numberline puzzle [BOOK]`: positions with one right move, asked at the prompt until you have had enough."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import click

from numberline.analysis.hint import hint
from numberline.analysis.puzzle import Puzzle, answered, puzzles, question
from numberline.analysis.values import AnalysisError
from numberline.book.book import Book
from numberline.book.loader import NAMES, book
from numberline.cli.options import as_json, print_json, varied, with_settings
from numberline.notation import write_position
from numberline.solver.solution import Solution
from numberline.solver.store import solve_or_recall
from numberline.speech.prose import rules_in_prose
from numberline.terminal.asking import Asking
from numberline.terminal.progress import bar
from numberline.terminal.screen import EndOfInput, Screen
from numberline.terminal.session import Quit
from numberline.terminal.streak import Progress, load, save

PRINTED = 10
"""So many puzzles are printed as JSON unless told otherwise."""
LOOKED_AT = 6
"""Of so many puzzles the one that fits best is asked."""


@click.command("puzzle")
@click.argument("book", required=False)
@with_settings
@click.option("--count", type=click.IntRange(1), metavar="N", help="Stop after N puzzles.")
@click.option("--seed", type=int, help="Ask the same puzzles in the same order each time.")
@click.option("--plain", is_flag=True, help="Draw nothing; tell everything in sentences, for a screen reader.")
@as_json
def command(
    book: str | None, settings: tuple[str, ...], count: int | None, seed: int | None, *, plain: bool, as_json: bool
) -> None:
    """Solve puzzles: positions with exactly one right move, of BOOK or of all five games.

    At the prompt, type a move, or help, hint, rules, skip or quit. As JSON the puzzles are printed with their answers.
    """
    pool = Pool(_books(book, settings), random.Random(seed))  # noqa: S311 - puzzles, not secrets
    if as_json:
        print_json([_report(*each) for each in islice(pool, count or PRINTED)])
        return
    progress, problem = load()
    if problem:
        click.echo(problem, err=True)
    Sitting(Screen(plain=plain), progress, matched=seed is None).ask_all(pool, count)


def _books(name: str | None, settings: tuple[str, ...]) -> list[Book]:
    if name is None and settings:
        raise click.UsageError("--set changes a game; name the game before it.")
    games = [varied(name, settings)] if name else [book(each) for each in NAMES]
    for game in games:
        if game.rules.players > 2:
            raise click.UsageError(f"Puzzles need two players; {game.variant} has {game.rules.players}.")
    return games


class Drawn(NamedTuple):
    """A puzzle and the solution that it comes from."""

    solution: Solution
    puzzle: Puzzle


class Pool:
    """The puzzles of some books, drawn one at a time, each once."""

    def __init__(self, books: Sequence[Book], rng: random.Random) -> None:
        self._rng = rng
        self._sources = [self._source(game) for game in books]
        self._waiting: list[Drawn] = []

    def __iter__(self) -> Iterator[Drawn]:
        while drawn := self.draw():
            yield drawn

    def draw(self, near: int | None = None) -> Drawn | None:
        """The next puzzle, of a few the one whose rating is nearest; None where there is no other."""
        while self._sources and len(self._waiting) < (1 if near is None else LOOKED_AT):
            source = self._rng.choice(self._sources)
            found = next(source, None)
            if found:
                self._waiting.append(found)
            else:
                self._sources.remove(source)
        if not self._waiting:
            return None
        best = 0
        if near is not None:
            best = min(range(len(self._waiting)), key=lambda n: abs(self._waiting[n].puzzle.rating - near))
        return self._waiting.pop(best)

    def _source(self, game: Book) -> Iterator[Drawn]:
        """The puzzles of one book, which is solved when the first is asked for."""
        with bar(f"Solving {game.variant}") as progress:
            solution = solve_or_recall(game, progress=progress)
        for puzzle in puzzles(solution, self._rng):
            yield Drawn(solution, puzzle)


class Sitting:
    """One run of puzzles at the prompt."""

    def __init__(self, screen: Screen, progress: Progress, *, matched: bool) -> None:
        self.screen = screen
        self.progress = progress
        self.matched = matched
        """Whether the puzzles are chosen to fit the rating."""
        self.asked = self.solved = self.streak = self.longest = 0
        self._kept = True

    def ask_all(self, pool: Pool, count: int | None) -> None:
        """Asks until somebody has had enough, or there are no more."""
        try:
            while count is None or self.asked < count:
                drawn = pool.draw(self.progress.rating if self.matched else None)
                if not drawn:
                    self._no_more()
                    break
                self._ask(drawn)
        except (Quit, EndOfInput):
            pass
        self.screen.say(f"\n{self.summary()}\n")

    def _no_more(self) -> None:
        if not self.asked:
            raise AnalysisError("there is no puzzle here: in no position is exactly one move right")
        self.screen.say("\nThat was the last one: there are no more puzzles here.\n")

    def _ask(self, drawn: Drawn) -> None:
        solution, puzzle = drawn
        goal = next(section.text for section in rules_in_prose(solution.book) if section.heading == "The goal")
        self.screen.say(f"\nPuzzle {self.asked + 1}: {solution.book.full_title}, rated {puzzle.rating}\n{goal}\n\n")
        asking = Asking(self.screen, solution, puzzle.position)
        move = asking.answer(question(solution, puzzle))
        right = move == puzzle.right
        self._count(puzzle, right=right and not asking.told)
        self.screen.say(f"{self._verdict(drawn, move, told=asking.told)}\n")
        if right and not asking.told:
            self.screen.say(f"Streak: {self.streak}.\n")

    def _verdict(self, drawn: Drawn, move: str | None, *, told: bool) -> str:
        """Whether the answer is right, and why."""
        solution, puzzle = drawn
        if move is None:
            return f"Skipped. {hint(solution, puzzle.position, 2).text}"
        why = answered(solution, puzzle, move).text
        if move != puzzle.right:
            return f"Wrong. {why} {hint(solution, puzzle.position, 2).text}"
        return f"Right, but you were told, so it does not count. {why}" if told else f"Right! {why}"

    def _count(self, puzzle: Puzzle, *, right: bool) -> None:
        self.asked += 1
        self.solved += right
        self.streak = self.streak + 1 if right else 0
        self.longest = max(self.longest, self.streak)
        self.progress.answered(puzzle.rating, self.streak, right=right)
        problem = save(self.progress)
        if problem and self._kept:  # said once: it will not get better
            click.echo(problem, err=True)
        self._kept = not problem

    def summary(self) -> str:
        """How it went, and how things stand over all runs."""
        kept = self.progress
        streak = f"best streak {kept.best_streak}"
        overall = f"Over all: {kept.solved} of {kept.asked} solved, {streak}, rating {kept.rating}."
        if not self.asked:
            return f"No puzzle was answered.\n{overall}" if kept.asked else "No puzzle was answered."
        return f"Solved {self.solved} of {self.asked}; longest streak {self.longest}.\n{overall}"


def _report(solution: Solution, puzzle: Puzzle) -> dict[str, object]:
    return {
        "variant": solution.book.variant,
        "position": write_position(puzzle.position),
        "question": question(solution, puzzle),
        "answer": puzzle.right,
        "value": puzzle.value,
        "plies": puzzle.plies,
        "rating": puzzle.rating,
        "explanation": answered(solution, puzzle, puzzle.right).text,
    }
