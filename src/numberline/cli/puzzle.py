"""`numberline puzzle [BOOK]`: positions with one right move, asked at the prompt until you have had enough."""

from __future__ import annotations

import datetime as dt
import random
from itertools import islice

import click

from numberline.cli import completion
from numberline.cli.options import as_json, load_variant, plain_option, print_json, settings_option
from numberline.explain.puzzle import Puzzle, PuzzlePool, daily_puzzles, explain_answer, question
from numberline.explain.rules_text import describe_changes
from numberline.game.book import Book
from numberline.game.loader import NAMES, book
from numberline.game.notation import format_position
from numberline.game.variant_syntax import split_variant
from numberline.solver.solution import Solution
from numberline.terminal.coach import solve_with_progress
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.puzzles import PuzzleRun

DEFAULT_JSON_COUNT = 10
"""So many puzzles are printed as JSON, unless a number is given."""


@click.command("puzzle", short_help="Solve puzzles: positions with one right move.")
@click.argument("book", required=False, shell_complete=completion.books)
@settings_option
@click.option("--count", type=click.IntRange(1, 1000), metavar="N", help="Stop after N puzzles.")
@click.option("--seed", type=int, help="Ask the same puzzles in the same order each time.")
@click.option("--daily", "of_today", is_flag=True, help="The five puzzles of today, the same for everybody.")
@plain_option
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
    pool = PuzzlePool(games, random.Random(seed), varied=varies, solve=solve_with_progress)
    if as_json:
        wanted = len(NAMES) if of_today else count or DEFAULT_JSON_COUNT
        with progress_bar("Drawing puzzles") as progress:
            drawn = daily_puzzles(today) if of_today else islice(pool, wanted)
            reports = []
            for each in drawn:
                reports.append(_report(*each))
                progress(len(reports) / wanted)
        print_json(reports)
        return
    run = PuzzleRun(TextConsole(plain=plain))
    if of_today:
        run.ask_daily(today)
    else:
        run.ask_all(pool, count, by_rating=seed is None)


def _is_plain(game: Book, name: str, settings: tuple[str, ...]) -> bool:
    """Whether one of the five games was named and nothing said of its rules."""
    return game.source is None and not settings and not split_variant(name)[1]


def _books(name: str | None, settings: tuple[str, ...]) -> list[Book]:
    if name is None and settings:
        raise click.UsageError("--set changes a game; name the game before it.")
    games = [load_variant(name, settings)] if name else [book(each) for each in NAMES]
    for game in games:
        if game.rules.players > 2:
            raise click.UsageError(f"Puzzles need two players; {game.variant} has {game.rules.players}.")
    return games


def _report(solution: Solution, puzzle: Puzzle) -> dict[str, object]:
    return {
        "variant": solution.book.variant,
        "position": format_position(puzzle.position),
        "changes": describe_changes(solution.book),
        "question": question(solution, puzzle),
        "moves": list(solution.book.moves(puzzle.position)),
        "answer": puzzle.right,
        "value": puzzle.value,
        "plies": puzzle.plies,
        "rating": puzzle.rating,
        "explanation": explain_answer(solution, puzzle, puzzle.right).text,
    }
