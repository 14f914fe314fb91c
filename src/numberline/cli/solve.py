"""`numberline solve VARIANT`: who can force a win, how fast, with which moves; and sweeps over settings."""

from __future__ import annotations

from pathlib import Path

import click

from numberline.analysis.landscape import landscape
from numberline.book.book import Book
from numberline.cli.options import Size, as_json, print_json, say, varied, with_settings
from numberline.cli.sweeping import run_sweep
from numberline.match import Match
from numberline.reports.plots import PlotError, save_landscape
from numberline.rules.position import Position
from numberline.rules.wording import any_of
from numberline.solver.solution import MEMORY, Forced, Solution
from numberline.solver.store import load, save, solve_or_recall
from numberline.solver.table import in_words
from numberline.terminal.landscape import drawn
from numberline.terminal.progress import bar
from numberline.terminal.screen import Screen


@click.command("solve")
@click.argument("book")
@with_settings
@click.option("--at", "moves", default="", metavar="MOVES", help='A position inside the game, such as "3 2 1".')
@click.option("--first", type=click.IntRange(1, 6), default=1, help="Who starts, for --at.")
@click.option("--sweep", "sweeps", multiple=True, metavar="NAME=A..B", help="Solve many variants; once or twice.")
@click.option("--plot", type=click.Path(dir_okay=False, path_type=Path), help="Write a picture (.png, .svg or .pdf).")
@click.option("--save", "save_to", type=click.Path(dir_okay=False, path_type=Path), help="Write the solution (.npz).")
@click.option("--load", "load_from", type=click.Path(dir_okay=False, path_type=Path), help="Read a saved solution.")
@click.option("--memory", type=Size(), default=MEMORY, show_default=in_words(MEMORY), help="The most memory to take.")
@as_json
def command(
    book: str,
    settings: tuple[str, ...],
    moves: str,
    first: int,
    sweeps: tuple[str, ...],
    plot: Path | None,
    save_to: Path | None,
    load_from: Path | None,
    memory: int,
    *,
    as_json: bool,
) -> None:
    """Solve BOOK, a game, a variant or your own .toml file: who can force a win, how fast, with which moves."""
    game = varied(book, settings)
    if sweeps:
        if moves or plot or save_to or load_from:
            raise click.UsageError("--sweep goes with --memory, --set and --json only; leave the others out.")
        run_sweep(game, sweeps, memory=memory, as_json=as_json)
        return
    positions = _positions(game, moves, first)
    solution = _solution(game, load_from, memory)
    if save_to:
        save(solution, save_to)
    if plot:
        _plot(solution, plot)
    if as_json:
        print_json(_report(solution, positions, at=bool(moves)))
    else:
        _tell(solution, positions, at=bool(moves))


def _solution(game: Book, load_from: Path | None, memory: int) -> Solution:
    if load_from:
        loaded = load(load_from)
        if loaded.book != game:
            raise click.UsageError(f"{load_from} holds {loaded.book.variant}, not {game.variant}.")
        return loaded
    with bar(f"Solving {game.variant}") as progress:
        return solve_or_recall(game, memory=memory, progress=progress)


def _positions(game: Book, moves: str, first: int) -> list[Position]:
    """The position that was asked for, or the start, whoever begins."""
    if not moves:
        return [game.start(player) for player in range(1, game.rules.players + 1)]
    match = Match(game, first)
    for move in moves.replace(",", " ").split():
        match.play(move)
    return [match.position]


def _report(solution: Solution, positions: list[Position], *, at: bool) -> dict[str, object]:
    counts = solution.counts()
    return {
        "variant": solution.book.variant,
        "at" if at else "starts": [_position_report(solution, position) for position in positions],
        "positions": {"win": counts.win, "loss": counts.loss, "endless": counts.endless},
        "longest": counts.longest,
        "line": solution.line(positions[0]),
    }


def _position_report(solution: Solution, position: Position) -> dict[str, object]:
    outlook = solution.forced(position)
    return {
        "turn": position.turn,
        "tokens": position.tokens,
        "value": solution.value(position),
        "winner": outlook.player if outlook else None,
        "plies": outlook.plies if outlook else None,
        "best": solution.best(position),
        "moves": {
            move: {"winner": after.player if after else None, "plies": after.plies + 1 if after else None}
            for move, after in solution.worth(position).items()
        },
    }


def _tell(solution: Solution, positions: list[Position], *, at: bool) -> None:
    game = solution.book
    click.echo(f"{game.full_title}\n")
    for position in positions:
        name = game.player_name(position.turn)
        say(f"{name} {'is to move' if at else 'starts'}: {_outlook(solution, position)}")
        for move, after in solution.worth(position).items():
            click.echo(f"  {move:<7}{_won(game, after, later=1)}")
    counts = solution.counts()
    none = "endless" if game.rules.players == 2 else "open"
    say(
        f"\nOf the {sum(counts[:3]):,} positions that can come about, {counts.win:,} are won for who moves, "
        f"{counts.loss:,} lost, {counts.endless:,} {none}. The longest forced win takes {counts.longest:,} plies."
    )
    say(f"Best play: {_line(solution, positions[0])}")
    picture = landscape(solution)
    if picture:
        say(f"\n{picture.title}")
        Screen().draw(drawn(picture, Screen().width or 200))


def _outlook(solution: Solution, position: Position) -> str:
    outlook, best = solution.forced(position), solution.best(position)
    with_best = f", with {any_of(best)}" if outlook and outlook.player == position.turn and best else ""
    return f"{_won(solution.book, outlook)}{with_best}."


def _won(game: Book, outlook: Forced | None, later: int = 0) -> str:
    """Who wins and when, counting the plies that come before."""
    if not outlook:
        return "endless with best play" if game.rules.players == 2 else "nobody can force a win"
    plies = outlook.plies + later
    return f"{game.player_name(outlook.player)} wins in {plies:,} {'ply' if plies == 1 else 'plies'}"


def _line(solution: Solution, position: Position, most: int = 60) -> str:
    moves = solution.line(position)
    told = " ".join(moves[:most])
    if len(moves) > most:
        return f"{told} … ({len(moves):,} plies)"
    return told if solution.forced(position) else f"{told} …"


def _plot(solution: Solution, path: Path) -> None:
    picture = landscape(solution, most=400)
    if not picture:
        wanted = "expected one marker, or two players with a token each, on at most 400 places"
        raise PlotError(f"{solution.book.variant} has no picture: {wanted}")
    save_landscape(picture, solution.book.full_title, path)
    click.echo(f"The picture is in {path}.", err=True)
