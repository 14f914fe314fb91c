"""`numberline learn` and `puzzle`: interactive lessons and puzzles."""

from __future__ import annotations

import random
from itertools import islice

import click

from numberline.cli import completion
from numberline.cli.options import as_json, load_variant, number_option, plain_option, print_json, settings_option
from numberline.cli.play import start_menu
from numberline.explain.lesson import LessonGame, LessonStep, lesson
from numberline.explain.puzzle import DAILY_PUZZLE_COUNT, Puzzle, PuzzlePool, SolvedPuzzle, daily_puzzles, own_puzzle
from numberline.explain.rules_text import describe_changes
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as load_book
from numberline.game.notation import format_position, parse_records
from numberline.game.settings import split_variant
from numberline.solver.solution import Solution
from numberline.terminal.coach import solve_with_progress
from numberline.terminal.console import TextConsole, progress_bar
from numberline.terminal.exercises import LessonRun, PuzzleRun
from numberline.terminal.menu import play_with_rematches
from numberline.terminal.progress import load_progress, today
from numberline.terminal.series import Series, SeriesOptions, make_participants
from numberline.views.match import to_json

_DEFAULT_JSON_COUNT = 10


@click.command("learn", short_help="Learn the secret of a game in five steps.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@plain_option
@as_json
def learn(book: str, settings: tuple[str, ...], *, plain: bool, as_json: bool) -> None:
    """Learn the secret of BOOK (a game, a variant or your own .toml file) in five short steps.

    The lesson works backwards from the end of the game. In most games, your answers fill in a picture of where you can
    win. Most steps also ask you for a move. Type the move, the place to go to, or one of: help, hint, rules, skip,
    again, back, quit.
    """
    game = load_variant(book, settings)
    _require_two_players("Lessons", game)
    solution = solve_with_progress(game)
    taught = lesson(solution)
    if as_json:
        steps = [_step_report(step) for step in taught.steps]
        print_json({"variant": taught.variant, "steps": steps, "secret": taught.secret, "game": taught.game._asdict()})
        return
    screen = TextConsole(plain=plain)
    if LessonRun(screen, solution).teach(taught):
        _play(screen, game, taught.game)


def _play(screen: TextConsole, book: Book, game: LessonGame) -> None:
    """Play the practice game that follows a lesson."""
    names = [name] if (name := load_progress().name) else []
    seats = make_participants(book, [None if player == game.seat else game.bot for player in book.players], names)
    seed = random.randrange(1 << 32)
    options = SeriesOptions(book=book, participants=seats, first=game.first, seed=seed, takes_turns=True)
    screen.say("\n")
    if play_with_rematches(Series(options), screen):
        start_menu(click.get_current_context(), screen)


def _require_two_players(feature: str, game: Book) -> None:
    if game.rules.players > 2:
        raise click.UsageError(f"{feature} need two players; {game.variant} has {game.rules.players}.")


def _step_report(step: LessonStep) -> dict[str, object]:
    exercise = step.exercise and {**step.exercise._asdict(), "position": format_position(step.exercise.position)}
    position = format_position(step.position)
    questions = [{**to_json(each), "position": format_position(each.position)} for each in step.questions]
    painted = {"questions": questions, "strip": to_json(step.strip)}
    return {"title": step.title, "position": position, **painted, "text": step.text, "exercise": exercise}


@click.command("puzzle", short_help="Solve puzzles: find the winning move, set a trap.")
@click.argument("book", required=False, shell_complete=completion.books)
@settings_option
@number_option("--count", 1, 1000, "Stop after N puzzles.")
@click.option("--seed", type=int, help="Random seed; the same seed gives the same puzzles in the same order.")
@click.option("--daily", "is_daily", is_flag=True, help="Solve today's five puzzles, the same for everyone.")
@click.option("--mine", "is_own", is_flag=True, help="Solve puzzles made from games that you lost.")
@plain_option
@as_json
def puzzle(
    book: str | None,
    settings: tuple[str, ...],
    count: int | None,
    seed: int | None,
    *,
    is_daily: bool,
    is_own: bool,
    plain: bool,
    as_json: bool,
) -> None:
    """Solve puzzles from BOOK or from all games.

    There are four kinds of puzzles: win now, set the trap, save yourself, and colour the traps. About half of the
    puzzles for a built-in game use slightly different rules, which are explained first. Puzzles for a variant, or with
    --set, don't change the rules. You have two tries. Type a move, the places that are traps, or one of: help, hint,
    rules, skip, quit. With --json, print the puzzles with their answers.
    """
    if (is_daily or is_own) and (book or settings or count or seed is not None or (is_daily and is_own)):
        first, other = ("--daily", "--mine") if is_daily else ("--mine", "--daily")
        raise click.UsageError(f"{first} can't be combined with BOOK, --set, --count, --seed or {other}.")
    day = today()
    games = _load_books(book, settings)
    is_builtin = games[0].source is None and not settings  # `book` itself may still contain settings
    varied = book is None or (is_builtin and not split_variant(book)[1])
    solved = load_progress().puzzles.solved if seed is None and not as_json else 0
    pool = PuzzlePool(games, random.Random(seed), varied=varied, solved=solved, solve=solve_with_progress)
    own = _own_puzzles() if is_own else []
    if as_json:
        total = DAILY_PUZZLE_COUNT if is_daily else count or _DEFAULT_JSON_COUNT
        with progress_bar("Selecting puzzles") as progress:
            reports = []
            chosen = daily_puzzles(day) if is_daily else [each for _, each in own] if is_own else islice(pool, total)
            for solution, drawn in chosen:
                reports.append(_puzzle_report(solution, drawn))
                progress(len(reports) / total)
        print_json(reports)
        return
    run = PuzzleRun(TextConsole(plain=plain))
    if is_own:
        run.ask_own(own)
    elif is_daily:
        run.ask_daily(day)
    else:
        run.ask_all(pool, count, by_rating=seed is None)


def _load_books(name: str | None, settings: tuple[str, ...]) -> list[Book]:
    if name is None and settings:
        raise click.UsageError("--set requires a BOOK.")
    games = [load_variant(name, settings)] if name else [load_book(builtin) for builtin in NAMES]
    for game in games:
        _require_two_players("Puzzles", game)
    return games


def _own_puzzles() -> list[tuple[str, SolvedPuzzle]]:
    """Return the distinct puzzles from games that the player lost, newest game first, each with an introduction."""
    found: dict[object, tuple[str, SolvedPuzzle]] = {}
    for game in reversed(load_progress().games):
        for match in parse_records(game.record, "the record") if game.record and game.won is False else ():
            if match.book.rules.players == 2:
                solution = solve_with_progress(match.book)
                if view := own_puzzle(solution, match):
                    key = match.book.variant, view.puzzle.position
                    found.setdefault(key, (view.intro, SolvedPuzzle(solution, view.puzzle)))
    return list(found.values())


def _puzzle_report(solution: Solution, drawn: Puzzle) -> dict[str, object]:
    return {
        "variant": solution.book.variant,
        "position": format_position(drawn.position),
        "changes": describe_changes(solution.book),
        "question": drawn.question(solution),
        "moves": list(solution.book.moves(drawn.position)),
        "answer": str(drawn.right),
        "value": drawn.value,
        "plies": drawn.plies,
        "rating": drawn.rating,
        "theme": drawn.theme,
        "stars": drawn.stars,
        "answers": list(drawn.answers),
        "places": list(drawn.places),
        "explanation": drawn.explain_answer(solution, drawn.right),
    }
