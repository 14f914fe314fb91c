"""`numberline find BOOK`: variants that meet the given goals, fairest first."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path

import click

from numberline.bots import BotError
from numberline.cli import completion, options
from numberline.files.safe_write import write_atomic
from numberline.game.loader import NAMES
from numberline.game.settings import split_variant
from numberline.lab import search as lab
from numberline.lab.grid import Axis, search_axes
from numberline.lab.measure import parse_players
from numberline.lab.metrics import METRICS, SkillPoint, count_fair_skills, format_metric
from numberline.lab.summary import describe_fair_skills, describe_players, first_player_percent
from numberline.lab.sweep import format_duration
from numberline.solver.batch import row_count
from numberline.solver.markov import WORK_PER_EDGE
from numberline.terminal.coach import announce_measuring
from numberline.terminal.console import progress_bar
from numberline.text import pluralize

ALL_BOOKS = "all"
REPORTED_METRICS = (
    *("length", "gap", "first", "newcomers", "choice", "decisions", "lead_changes", "comeback"),
    *("hidden", "skill", "sight_needed", "dominant_step", "uncertainty", "felt_lead_changes"),
)


@click.command("find", short_help="Find variants that meet your goals, fairest first.")
@click.argument("book", shell_complete=completion.books)
@options.settings_option
@click.option(
    "--goal",
    "goals",
    multiple=True,
    metavar="METRIC=RANGE",
    help='Range of a metric or of the first player\'s win rate at a skill level: "slip:20=45..55%". Can be repeated.',
)
@click.option("--no-default-goals", is_flag=True, help="Check only the goals given with --goal.")
@click.option(
    "--change",
    multiple=True,
    metavar="NAMES",
    shell_complete=completion.swept_settings,
    help="Settings to change, such as end=10..40,steps. [default: all suitable settings]",
)
@options.number_option("--most-changes", 1, 20, "Maximum number of changed settings.", default=lab.DEFAULT_MAX_CHANGES)
@options.players_option
@options.number_option("--top", 1, 1000, "Number of variants to show.", default=10)
@click.option("--long", "is_long", is_flag=True, help="Show the metrics and the win rates at every skill level.")
@options.workers_option()
@options.yes_option
@click.option("--out", type=options.OutputPath(r'^{\n  "book": '), help="Write the report to this JSON file.")
@options.memory_option
@options.as_json
@click.pass_context
def command(
    context: click.Context,
    book: str,
    settings: tuple[str, ...],
    goals: tuple[str, ...],
    change: tuple[str, ...],
    most_changes: int,
    players: str | None,
    top: int,
    workers: int | str | None,
    memory: int,
    out: Path | None,
    *,
    no_default_goals: bool,
    is_long: bool,
    yes: bool,
    as_json: bool,
) -> None:
    """Find variants of BOOK (or of all books, with "all") that meet every goal.

    Variants that are fair at the most skill levels come first.
    """
    games = [options.load_variant(name, settings) for name in (NAMES if book == ALL_BOOKS else [book])]
    with options.usage_errors(lab.GoalError, "--goal"), options.usage_errors(BotError, "--goal"):
        all_goals = lab.parse_goals(goals, defaults=not no_default_goals)
    with options.usage_errors(BotError, "--players"):
        parse_players(players, games[0])
    searches = [lab.Search(game, search_axes(game, change), all_goals, most_changes, memory, players) for game in games]
    if many := next((game for game in games if game.rules.players > 2), None):
        raise click.UsageError(f"{many.variant} has {many.rules.players} players; find supports only two-player games.")
    if (size := sum(search.size for search in searches)) > lab.LARGE_SEARCH_VARIANTS:
        estimates = [partial(lab.estimate_seconds, search) for search in searches]
        options.confirm_large(size, lambda n: format_duration(sum(each(n) for each in estimates)), workers, yes=yes)
    file = split_variant(book)[0] if games[0].source else ""
    runs: list[tuple[lab.Search, lab.SearchResult]] = []
    for search in searches:
        announce_measuring(WORK_PER_EDGE * min(search.size, lab.CHUNK_VARIANTS) * row_count(search.book))
        with progress_bar(f"Trying {search.size:,} variants of {search.book.name}", "Comparing the best") as progress:
            runs.append((search, lab.run_search(search, top=top, workers=workers, progress=progress)))
        if runs[-1][1].interrupted:
            break
    reports = [lab.result_to_dict(search, result, file) for search, result in runs]
    report = reports[0] if book != ALL_BOOKS else {"book": ALL_BOOKS, "books": reports}
    if out:
        write_atomic(out, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    if as_json:
        options.print_json(report)
    else:
        _print_results([*runs], file, top, is_long=is_long)
    if runs[-1][1].interrupted:
        context.exit(130)


def _print_results(runs: list[tuple[lab.Search, lab.SearchResult]], file: str, top: int, *, is_long: bool) -> None:
    if not runs[-1][1].tried:
        click.echo(f"Stopped before any variant of {runs.pop()[0].book.title} was tried.")
    for search, result in runs:
        changed = f"Settings changed: {', '.join(map(_describe_axis, search.axes))}"
        stopped = f"Stopped after {result.tried:,} of {search.size:,} variants. " if result.interrupted else ""
        tried = f"Tried {pluralize(result.tried - result.refused, 'variant')} of {search.book.title}"
        same = f"; {result.same:,} of them are equivalent to a higher-ranked variant" if result.same else ""
        options.print_paragraph(f"{stopped}{tried}{same}. {changed}; up to {search.most_changes} at once.")
    if not runs:
        return
    first = runs[0][0]
    goals = ", ".join(map(str, first.goals)) or "none"
    players = [bot.name for bot in parse_players(first.players, first.book)]
    options.print_paragraph(f"Goals: {goals}. Figures are {describe_players(players)}.\n")
    share = -(-top // len(runs))  # the top hits of every book come before the other hits of any book
    found = [
        (rank >= share, hit.candidate, hit, search.book)
        for search, result in runs
        for rank, hit in enumerate(result.hits)
    ]
    shown = sorted(found, key=itemgetter(0, 1))[:top]
    for number, (_, _, hit, book) in enumerate(sorted(shown, key=itemgetter(1)), 1):
        options.print_paragraph(f"{number:>2}. {_describe_hit(hit)}")
        if is_long:
            for line in (*_details(hit), lab.play_command(book, hit, file)):
                options.print_paragraph(line, "    ")
    if found and not is_long:
        _, _, hit, book = min(shown, key=itemgetter(1))
        click.echo(f"\nTo play the first: {lab.play_command(book, hit, file)}\nAdd --long to show every metric.")
    if not found:
        _print_nearest(runs)


def _describe_axis(axis: Axis) -> str:
    numbers = [value for value in axis.values if isinstance(value, int)]
    return f"{axis.name} ({min(numbers)}..{max(numbers)})" if numbers else axis.name


def _print_nearest(runs: Sequence[tuple[lab.Search, lab.SearchResult]]) -> None:
    missed = sum((result.missed for _, result in runs), start=Counter[str]())
    misses = "; ".join(f"{goal} excludes {pluralize(count, 'variant')}" for goal, count in missed.most_common())
    options.print_paragraph("No variant meets every goal." + (f" {misses}." if misses else ""))
    for search, result in runs:
        click.echo(f"\nThe nearest variants of {search.book.title}:")
        for measured in result.nearest:
            options.print_paragraph(f"{measured.variant}: {'; '.join(lab.describe_misses(search, measured))}.", "   ")


def _describe_hit(hit: lab.Hit) -> str:
    measured = hit.measured
    turns = f"about {pluralize(round(measured.length or 0), 'turn')}" if measured.length else "games may never end"
    similar = f"; {pluralize(len(hit.similar), 'similar variant')}" if hit.similar else ""
    trivial = f"; but {measured.dominant_move} is never a mistake" if measured.dominant_step == 1 else ""
    return f"{measured.variant}: {describe_fair_skills(measured)}; {turns}{trivial}{similar}"


def _details(hit: lab.Hit) -> list[str]:
    measured = hit.measured
    changes = pluralize(hit.candidate.changes, "change") if hit.candidate.changes else "unchanged book"
    turns = pluralize(measured.plies or 0, "turn")
    result = f"player {measured.winner} wins in {turns}" if measured.winner else "the game never ends"
    figures = [(METRICS[name].title, format_metric(name, measured)) for name in REPORTED_METRICS]
    slips, sights = count_fair_skills(measured.curve).values()
    similar = [f"similar: {', '.join(hit.similar)}"] if hit.similar else []
    return [
        f"fair at {slips} of 4 slip and {sights} of 5 sight skills; {changes}; with perfect play, {result}",
        f"first player wins: {_format_curve(measured.curve, in_panel=True)}",
        f"at other skill levels: {_format_curve(measured.curve, in_panel=False)}",
        ", ".join(f"{title} {figure}" for title, figure in figures if figure),
        *similar,
    ]


def _format_curve(curve: Sequence[SkillPoint], *, in_panel: bool) -> str:
    kinds: dict[str, list[str]] = {}
    for point in curve:
        kind, _, number = point.skill.partition(":")
        if point.in_panel == in_panel:
            kinds.setdefault(kind, []).append(f"{number}: {first_player_percent(point)}%")
    return "; ".join(f"{kind} {', '.join(points)}" for kind, points in kinds.items())
