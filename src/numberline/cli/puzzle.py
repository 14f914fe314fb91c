"""`numberline puzzle [BOOK]`: positions with one right move, asked at the prompt until you have had enough."""

from __future__ import annotations

import random
from itertools import islice

import click

from numberline.analysis.puzzle import Puzzle, answered, question
from numberline.book.book import Book
from numberline.book.loader import NAMES, book
from numberline.cli import completion
from numberline.cli.options import as_json, in_sentences, print_json, varied, with_settings
from numberline.notation import write_position
from numberline.solver.solution import Solution
from numberline.terminal.exercises import PuzzlePool, PuzzleRun
from numberline.terminal.screen import Screen
from numberline.terminal.strength import kept_score

PRINTED = 10
"""So many puzzles are printed as JSON, unless a number is given."""


@click.command("puzzle", short_help="Solve puzzles: positions with one right move.")
@click.argument("book", required=False, shell_complete=completion.books)
@with_settings
@click.option("--count", type=click.IntRange(1), metavar="N", help="Stop after N puzzles.")
@click.option("--seed", type=int, help="Ask the same puzzles in the same order each time.")
@in_sentences
@as_json
def command(
    book: str | None, settings: tuple[str, ...], count: int | None, seed: int | None, *, plain: bool, as_json: bool
) -> None:
    """Solve puzzles: positions with exactly one right move, of BOOK or of all five games.

    At the prompt, type a move, or help, hint, rules, skip or quit. As JSON the puzzles are printed with their answers.
    """
    pool = PuzzlePool(_books(book, settings), random.Random(seed))
    if as_json:
        print_json([_report(*each) for each in islice(pool, count or PRINTED)])
        return
    score, problem = kept_score()
    if problem:
        click.echo(problem, err=True)
    PuzzleRun(Screen(plain=plain), score, matched=seed is None).ask_all(pool, count)


def _books(name: str | None, settings: tuple[str, ...]) -> list[Book]:
    if name is None and settings:
        raise click.UsageError("--set changes a game; name the game before it.")
    games = [varied(name, settings)] if name else [book(each) for each in NAMES]
    for game in games:
        if game.rules.players > 2:
            raise click.UsageError(f"Puzzles need two players; {game.variant} has {game.rules.players}.")
    return games


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
