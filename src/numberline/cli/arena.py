"""`numberline arena PLAYERS`: tournaments between bots, with every move evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from numberline.arena import Entrant, Standings, Tournament, run
from numberline.arena.schedule import DEFAULT_MAX_PLIES, select_books
from numberline.bots import BotError
from numberline.bots.external import DEFAULT_MOVE_SECONDS, MAX_MOVE_SECONDS
from numberline.cli import completion, options
from numberline.files.safe_write import open_atomic, write_atomic
from numberline.files.tables import write_csv_rows
from numberline.game.loader import book
from numberline.reports.arena import arena_page, format_percent, standing_tables
from numberline.reports.html import METHOD_NOTES
from numberline.terminal.console import console, progress_bar
from numberline.text import escape_controls, pluralize


@click.command("arena", short_help="Run a tournament between bots and evaluate every move.")
@click.argument("players", nargs=-1, shell_complete=completion.bots)
@click.option(
    "--books",
    "texts",
    multiple=True,
    metavar="BOOKS",
    shell_complete=completion.book_list,
    help='"all", or variants separated by commas. [default: all]',
)
@options.number_option("--draw", 1, 1000, "Also play N random variants (see --seed); without --books, play only these.")
@options.number_option("--games", 2, None, "Number of games for each pair of players in each book.", default=200)
@click.option("--seed", type=int, default=0, help="Random seed.")
@options.number_option("--plies", 1, 100_000, "Declare a game a draw after N turns.", default=DEFAULT_MAX_PLIES)
@click.option(
    "--move-time",
    type=options.Seconds(0.01, MAX_MOVE_SECONDS),
    metavar="SECONDS",
    default=DEFAULT_MOVE_SECONDS,
    help="Seconds per move for external bots, unless the bot's name sets a limit, as in exec:2s:COMMAND.",
)
@options.workers_option("1")
@click.option("--logs", type=click.Path(exists=True, path_type=Path), help="Rank the models in these Inspect logs.")
@click.option("--out", type=options.OUTPUT_FILE, help="Append all games to this file, or resume its tournament.")
@click.option("--csv", "csv_to", type=options.TABLE_FILE, help="Write statistics by book and seat to this CSV file.")
@click.option("--html", "html_to", type=options.PAGE_FILE, help="Write the standings to this HTML file.")
@options.as_json
def command(
    players: tuple[str, ...],
    texts: tuple[str, ...],
    draw: int | None,
    games: int,
    seed: int,
    plies: int,
    move_time: float,
    workers: int | str,
    logs: Path | None,
    out: Path | None,
    csv_to: Path | None,
    html_to: Path | None,
    *,
    as_json: bool,
) -> None:
    """Run a tournament between PLAYERS, for example: perfect level:5 "exec:python my_bot.py"."""
    with options.usage_errors(BotError):
        if logs:
            standings = _logged_standings(logs, players)
        else:
            entrants = tuple(Entrant.from_text(text, move_time) for text in players)
            books = dict.fromkeys(map(book, select_books(texts, draw or 0, seed)))
            tournament = Tournament(entrants, tuple(books), games, seed, plies)
            with progress_bar(f"Playing {tournament.total:,} games") as progress:
                standings = run(tournament, out, progress, workers=workers)
    if csv_to:
        with open_atomic(csv_to) as file:
            write_csv_rows(standings.cells(), file)
    if html_to:
        write_atomic(html_to, arena_page(standings))
    if as_json:
        options.print_json(standings.report())
    else:
        _print_standings(standings)


def _logged_standings(logs: Path, players: tuple[str, ...]) -> Standings:
    context = click.get_current_context()
    fixed_by_logs = {"texts": "--books", "draw": "--draw", "games": "--games", "seed": "--seed", "out": "--out"}
    for name, option in fixed_by_logs.items():
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} can't be used with --logs: the logs determine the games.")
    from numberline.arena.inspect_tasks import build_standings, read_logged_games  # needs Inspect

    with progress_bar("Reading logs") as progress:
        return build_standings(read_logged_games(logs), players, progress)


def _print_standings(standings: Standings) -> None:
    players = standings.players()
    for titles, rows in standing_tables(players):
        _print_table(titles, rows)
    if len(players) > 2:
        _print_table(("player", *(f"against {row['player']}" for row in players)), _cross_table(standings, players))
    for row in players:
        for reason, count in sorted(row["reasons"].items()):
            options.print_paragraph(f"{row['player']} forfeited {pluralize(count, 'game')}: it {reason}")
    options.print_paragraph(METHOD_NOTES["arena"])


def _cross_table(standings: Standings, players: list[dict[str, Any]]) -> list[list[str]]:
    """Return one row per player, with the player's score against each of the others."""
    scores = {(row["player"], row["opponent"]): format_percent(row["score"]) for row in standings.pairs()}
    names = [row["player"] for row in players]
    return [[one, *(scores.get((one, other), "") for other in names)] for one in names]


def _print_table(titles: Sequence[str], rows: list[list[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, title in enumerate(map(escape_controls, titles)):
        table.add_column(title, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(escape_controls, row))
    output = console()
    output = output if output.is_terminal else console(width=250)
    output.print(table)
    click.echo()
