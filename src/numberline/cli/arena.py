"""`numberline arena PLAYER_COUNTS`: bots against bots, seats changed after every game, every move measured."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import click
from click.core import ParameterSource

from numberline.arena import Entrant, Standings, Tournament, draw, run
from numberline.arena.schedule import DEFAULT_MAX_PLIES
from numberline.bots import BotError
from numberline.bots.external import DEFAULT_MOVE_SECONDS, MAX_MOVE_SECONDS
from numberline.cli import completion
from numberline.cli.options import as_json, print_json, print_paragraph
from numberline.files import check_parent_dir, open_atomic, write_atomic
from numberline.files.tables import write_csv_rows
from numberline.game.book import Book
from numberline.game.loader import NAMES, book
from numberline.game.variant_syntax import split_variants
from numberline.parallel import parse_workers
from numberline.reports.arena import METHOD_NOTE, arena_page, format_percent, standing_tables
from numberline.terminal.console import console, progress_bar
from numberline.text import escape_controls, pluralize

MISSING_RATINGS_EXTRA = 'Ratings need choix; install it with: pip install "numberline[arena]"'
_FILE = click.Path(dir_okay=False, path_type=Path)


@click.command("arena", short_help="Let bots play bots, and measure every move.")
@click.argument("players", nargs=-1, shell_complete=completion.bots)
@click.option(
    "--books",
    "texts",
    multiple=True,
    metavar="BOOKS",
    shell_complete=completion.book_list,
    help='"all", or variants; commas between. [default: all]',
)
@click.option("--draw", "drawn", type=click.IntRange(1, 1000), help="Play that many variants, drawn by the seed.")
@click.option(
    "--games",
    type=click.IntRange(2),
    default=200,
    show_default=True,
    help="Games that each pair plays in each book.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="The number that all chance comes from.")
@click.option(
    "--plies",
    type=click.IntRange(1, 100_000),
    default=DEFAULT_MAX_PLIES,
    show_default=True,
    help="A game that takes longer is a draw.",
)
@click.option(
    "--move-time",
    type=click.FloatRange(0.01, MAX_MOVE_SECONDS),
    default=DEFAULT_MOVE_SECONDS,
    show_default=True,
    help="Seconds a move for programs that name no limit.",
)
@click.option(
    "--workers",
    default="1",
    show_default=True,
    metavar="WORKERS",
    help="Processes that play, or the address of a Dask scheduler.",
)
@click.option(
    "--logs",
    type=click.Path(exists=True, path_type=Path),
    help="Show the games of language models in Inspect's logs, beside the players.",
)
@click.option("--out", type=_FILE, help="Write every game to this file as it ends; continue it if it is there.")
@click.option("--csv", "csv_to", type=_FILE, help="Write the figures by book, seat and opponent.")
@click.option("--html", "html_to", type=_FILE, help="Write the standings as one page.")
@as_json
def command(
    players: tuple[str, ...],
    texts: tuple[str, ...],
    drawn: int | None,
    games: int,
    seed: int,
    plies: int,
    move_time: float,
    workers: str,
    logs: Path | None,
    out: Path | None,
    csv_to: Path | None,
    html_to: Path | None,
    *,
    as_json: bool,
) -> None:
    """Let PLAYERS play each other, such as: perfect level:5 "exec:python my_bot.py"."""
    for path in (out, csv_to, html_to):
        if path:
            check_parent_dir(path)
    signal.signal(signal.SIGTERM, _leave)
    try:
        if logs:
            standings = _logged(logs, players)
        else:
            entrants = tuple(Entrant.from_text(text, move_time) for text in players)
            tournament = Tournament(entrants, _books(texts, drawn, seed), games, seed, plies)
            many = parse_workers(workers)
            with progress_bar(f"Playing {tournament.total:,} games") as progress:
                standings = run(tournament, out, progress, workers=many)
    except BotError as error:
        raise click.UsageError(f"{error}.") from None
    if csv_to:
        with open_atomic(csv_to) as file:
            write_csv_rows(standings.cells(), file)
    if html_to:
        write_atomic(html_to, arena_page(standings))
    if as_json:
        print_json(standings.report())
    else:
        _tell(standings)


def _logged(logs: Path, players: tuple[str, ...]) -> Standings:
    """The standings of logged games and of these players; what the logs decide can't be asked for."""
    context = click.get_current_context()
    decided = {"texts": "--books", "drawn": "--draw", "games": "--games", "seed": "--seed", "out": "--out"}
    for name, option in decided.items():
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            raise click.UsageError(f"{option} does not go with --logs: the games are those in the logs.")
    from numberline.arena.imported_games import build_standings
    from numberline.arena.inspect_tasks import read_logged_games  # needs Inspect

    with progress_bar("Reading logs") as progress:
        return build_standings(read_logged_games(logs), players, progress)


def _leave(number: int, _: FrameType | None) -> None:
    """Ends the program in good order, so that the programs that play here end with it."""
    sys.exit(128 + number)


def _books(texts: tuple[str, ...], drawn: int | None, seed: int) -> tuple[Book, ...]:
    """The books that were asked for, each once; all five where nothing was."""
    asked = [part for text in texts for part in split_variants(text)] or ([] if drawn else ["all"])
    names = [name for text in asked for name in (NAMES if text.lower() == "all" else (text,))]
    chosen = [book(name) for name in names] + list(draw(drawn, seed) if drawn else ())
    return tuple(dict.fromkeys(chosen))


def _tell(standings: Standings) -> None:
    players = standings.players()
    for titles, rows in standing_tables(players):
        _draw(titles, rows)
    if len(players) > 2:
        _draw(("player", *(f"against {row['player']}" for row in players)), _crossed(standings, players))
    for row in players:
        for reason, count in sorted(row["reasons"].items()):
            print_paragraph(f"{row['player']} forfeited {pluralize(count, 'game')}: it {reason}")
    print_paragraph(METHOD_NOTE)
    if players and players[0]["rating"] is None:
        click.echo(MISSING_RATINGS_EXTRA, err=True)


def _crossed(standings: Standings, players: list[dict[str, Any]]) -> list[list[str]]:
    """For each player a row of the scores against all others."""
    scores = {(row["player"], row["opponent"]): format_percent(row["score"]) for row in standings.pairs()}
    names = [row["player"] for row in players]
    return [[one, *(scores.get((one, other), "") for other in names)] for one in names]


def _draw(titles: Sequence[str], rows: list[list[str]]) -> None:
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for number, title in enumerate(map(escape_controls, titles)):
        table.add_column(title, justify="right" if number else "left", overflow="fold")
    for row in rows:
        table.add_row(*map(escape_controls, row))
    drawing = console()
    drawing = drawing if drawing.is_terminal else console(width=250)
    drawing.print(table)
    click.echo()
