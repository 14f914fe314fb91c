"""`numberline puzzle [BOOK]`: positions with one right move, asked at the prompt until you have had enough."""

from __future__ import annotations

import datetime as dt
import random
from itertools import islice

import click

from numberline.analysis.drawing import PuzzlePool, daily
from numberline.analysis.puzzle import Puzzle, answered, question
from numberline.book.book import Book
from numberline.book.loader import NAMES, book
from numberline.book.variants import split_variant
from numberline.cli import completion
from numberline.cli.options import as_json, in_sentences, print_json, varied, with_settings
from numberline.notation import write_position
from numberline.solver.solution import Solution
from numberline.speech.changes import changes_in_prose
from numberline.terminal.puzzles import PuzzleRun
from numberline.terminal.screen import Screen, bar
from numberline.terminal.teacher import solved

PRINTED = 10
"""So many puzzles are printed as JSON, unless a number is given."""


@click.command("puzzle", short_help="Solve puzzles: positions with one right move.")
@click.argument("book", required=False, shell_complete=completion.books)
@with_settings
@click.option("--count", type=click.IntRange(1, 1000), metavar="N", help="Stop after N puzzles.")
@click.option("--seed", type=int, help="Ask the same puzzles in the same order each time.")
@click.option("--daily", "of_today", is_flag=True, help="The five puzzles of today, the same for everybody.")
@in_sentences
@as_json
def command(
    book: str | None,
    settings: tuple[str, ...],
    count: int | None,
    seed: int | None,
    *,
    of_today: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Solve puzzles: positions with exactly one right move, of BOOK or of all five games.

    The rules are changed a little, and you are told how; with a variant or --set they are the ones that you give.
    At the prompt, type a move, or help, hint, rules, skip or quit. As JSON the puzzles are printed with their answers.
    """
    if of_today and (book or settings or count or seed is not None):
        raise click.UsageError("--daily asks the same five of everybody; leave out BOOK, --set, --count and --seed.")
    today = dt.datetime.now(dt.UTC).date()
    games = _books(book, settings)
    varies = book is None or _is_plain(games[0], book, settings)
    pool = PuzzlePool(games, random.Random(seed), varied=varies, solve=solved)
    if as_json:
        wanted = len(NAMES) if of_today else count or PRINTED
        with bar("Drawing puzzles") as progress:
            drawn = daily(today) if of_today else islice(pool, wanted)
            reports = []
            for each in drawn:
                reports.append(_report(*each))
                progress(len(reports) / wanted)
        print_json(reports)
        return
    run = PuzzleRun(Screen(plain=plain))
    if of_today:
        run.ask_daily(today)
    else:
        run.ask_all(pool, count, matched=seed is None)


def _is_plain(game: Book, name: str, settings: tuple[str, ...]) -> bool:
    """Whether one of the five games was named and nothing said of its rules."""
    return game.source is None and not settings and not split_variant(name)[1]


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
        "changes": changes_in_prose(solution.book),
        "question": question(solution, puzzle),
        "moves": list(solution.book.moves(puzzle.position)),
        "answer": puzzle.right,
        "value": puzzle.value,
        "plies": puzzle.plies,
        "rating": puzzle.rating,
        "explanation": answered(solution, puzzle, puzzle.right).text,
    }
