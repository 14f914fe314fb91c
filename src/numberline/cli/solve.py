"""`numberline solve BOOK`: the winner with perfect play, and the value of each move."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from numberline.cli import completion, options
from numberline.errors import MoveError
from numberline.explain.queries import build_value_map
from numberline.game import Book, Match, Position
from numberline.reports.charts import PlotError, value_map_chart
from numberline.solver.solution import Solution
from numberline.solver.worth import WIN, Worth
from numberline.terminal.coach import render_value_map, solve_with_progress
from numberline.terminal.console import TextConsole
from numberline.text import join_or, pluralize


@click.command("solve", short_help="Solve a game: who can force a win, and with which moves.")
@click.argument("book", shell_complete=completion.books)
@options.settings_option
@click.option("--at", "moves", metavar="MOVES", help='Solve the position after these moves, such as "3 2 1".')
@options.number_option("--first", 1, 6, "Player who starts; used only with --at.", default=1, show_default=False)
@click.option("--plot", type=options.SVG_FILE, help="Write a chart to this SVG file.")
@options.memory_option
@options.as_json
def command(
    book: str,
    settings: tuple[str, ...],
    moves: str | None,
    first: int,
    plot: Path | None,
    memory: int,
    *,
    as_json: bool,
) -> None:
    """Solve BOOK (a game, a variant or your own .toml file): who can force a win, how fast, and with which moves."""
    game = options.load_variant(book, settings)
    positions = _positions(game, moves, first)
    solution = solve_with_progress(game, memory)
    if plot:
        _plot(solution, plot)
    if as_json:
        options.print_json(_report(solution, positions, at=bool(moves)))
    else:
        _print_report(solution, positions, at=bool(moves))


def _positions(game: Book, moves: str | None, first: int) -> tuple[Position, ...]:
    """Return the position after `moves`; without moves, return one starting position per first player."""
    if not moves:
        return game.starts()
    match = Match(game, first)
    try:
        for move in moves.replace(",", " ").split():
            match.play(move)
    except MoveError as error:
        raise click.BadParameter(str(error), param_hint="--at") from None
    return (match.position,)


# JSON


def _report(solution: Solution, positions: Sequence[Position], *, at: bool) -> dict[str, object]:
    counts = solution.counts()
    return {
        "variant": solution.book.variant,
        "at" if at else "starts": [_position_report(solution, position) for position in positions],
        "positions": {"win": counts.win, "loss": counts.loss, "endless": counts.endless},
        "longest": counts.longest,
        "line": solution.line(positions[0]),
    }


def _position_report(solution: Solution, position: Position) -> dict[str, object]:
    worth = solution.worth(position)
    return {
        "turn": position.turn,
        "tokens": position.tokens,
        "value": worth.value,
        "winner": worth.winner or None,
        "plies": worth.plies,
        "best": solution.best(position),
        "moves": {
            evaluation.move: {"winner": evaluation.worth.winner or None, "plies": evaluation.plies}
            for evaluation in solution.evaluate_moves(position)
        },
    }


# Text


def _print_report(solution: Solution, positions: Sequence[Position], *, at: bool) -> None:
    game = solution.book
    click.echo(f"{game.full_title}\n")
    for position in positions:
        options.print_paragraph(_outlook(solution, position, at=at))
        for evaluation in solution.evaluate_moves(position):
            click.echo(f"  {evaluation.move:<7}{_result(game, evaluation.worth)}")
    counts = solution.counts()
    no_winner = "endless" if game.rules.players == 2 else "open"
    longest = f" The longest forced win takes {pluralize(counts.longest, 'turn')}." if counts.longest else ""
    options.print_paragraph(
        f"\n{pluralize(sum(counts[:3]), 'position')} are reachable: {counts.win:,} won by the player to move, "
        f"{counts.loss:,} lost, {counts.endless:,} {no_winner}.{longest}"
    )
    if best := _line(solution, positions[0]):
        options.print_paragraph(f"Best play: {best}")
    if picture := build_value_map(solution):
        options.print_paragraph(f"\n{picture.title}")
        TextConsole().draw(render_value_map(picture, TextConsole().width or 200))


def _outlook(solution: Solution, position: Position, *, at: bool) -> str:
    game, worth, best = solution.book, solution.worth(position), solution.best(position)
    if not best:
        return f"The game is over: {game.player_name(worth.winner)} has won."
    turn = ("It is {}'s turn" if at else "{} starts").format(game.player_name(position.turn))
    return f"{turn}: {_result(game, worth)}{f', with {join_or(best)}' if worth.value == WIN else ''}."


def _result(game: Book, worth: Worth) -> str:
    if worth.winner:
        return f"{game.player_name(worth.winner)} wins in {pluralize(worth.plies or 0, 'turn')}"
    return "with best play, the game never ends" if game.rules.players == 2 else "no player can force a win"


def _line(solution: Solution, position: Position, max_moves: int = 60) -> str:
    moves = solution.line(position)
    shown = " ".join(moves[:max_moves])
    if len(moves) > max_moves:
        return f"{shown} … ({len(moves):,} turns)"
    return shown if solution.worth(position).winner else f"{shown} …"


def _plot(solution: Solution, path: Path) -> None:
    picture = build_value_map(solution, max_places=400)
    if not picture:
        expected = "expected one shared marker, or two players with one token each, and at most 400 places"
        raise PlotError(f"{solution.book.variant} cannot be drawn: {expected}")
    options.write_chart(path, solution.book.full_title, [value_map_chart(picture)])
