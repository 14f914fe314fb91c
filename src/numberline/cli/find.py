"""`numberline find BOOK`: variants that meet the given goals, fairest first."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from numberline.cli import completion, options
from numberline.files.safe_write import write_atomic
from numberline.game.settings import split_variant
from numberline.lab.grid import search_axes
from numberline.lab.metrics import METRICS, SkillPoint, format_metric
from numberline.lab.search import (
    DEFAULT_MAX_CHANGES,
    LARGE_SEARCH_VARIANTS,
    GoalError,
    Hit,
    Search,
    SearchResult,
    estimate_seconds,
    parse_goal,
    play_command,
    result_to_dict,
    run_search,
    with_default_goals,
)
from numberline.lab.summary import first_player_percent
from numberline.lab.sweep import format_duration
from numberline.parallel import cpu_count
from numberline.terminal.console import progress_bar
from numberline.text import pluralize

REPORTED_METRICS = (
    *("length", "first", "newcomers", "decisions", "lead_changes", "comeback"),
    *("hidden", "skill", "sight_needed"),
)


@click.command("find", short_help="Find variants that meet your goals, fairest first.")
@click.argument("book", shell_complete=completion.books)
@options.settings_option
@click.option(
    "--goal",
    "goals",
    multiple=True,
    metavar="METRIC=RANGE",
    help='Required range of a metric, such as "length=10..20". Can be repeated.',
)
@click.option(
    "--change",
    multiple=True,
    metavar="NAMES",
    shell_complete=completion.swept_settings,
    help="Settings to change, such as end,steps or end=10..40. [default: all suitable settings]",
)
@click.option(
    "--most-changes",
    type=click.IntRange(1, 20),
    default=DEFAULT_MAX_CHANGES,
    help="Maximum number of settings changed at once.",
)
@click.option("--top", type=click.IntRange(1, 1000), default=10, help="Number of variants to show.")
@options.workers_option
@click.option("--yes", is_flag=True, help="Start a large search without asking for confirmation.")
@click.option("--out", type=options.OUTPUT_FILE, help="Write the report to this JSON file.")
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
    top: int,
    workers: int | str | None,
    memory: int,
    out: Path | None,
    *,
    yes: bool,
    as_json: bool,
) -> None:
    """Find variants of BOOK that meet all goals; the fairest come first, then those with the fewest changes."""
    game = options.load_variant(book, settings)
    with options.usage_errors(GoalError, "--goal"):
        all_goals = with_default_goals([parse_goal(goal) for goal in goals])
    names = [name for text in change for name in ([text] if "=" in text else text.split(","))]
    search = Search(game, search_axes(game, names), all_goals, most_changes, memory)
    if game.rules.players > 2:
        raise click.UsageError(f"{game.variant} has {game.rules.players} players; find supports only two-player games.")
    _confirm_large_search(search, workers, yes=yes)
    with progress_bar(f"Trying {search.size:,} variants of {game.name}") as progress:
        result = run_search(search, top=top, workers=workers, progress=progress)
    file = split_variant(book)[0] if game.source else ""
    report = result_to_dict(search, result, file)
    if out:
        write_atomic(out, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    if as_json:
        options.print_json(report)
    else:
        _print_result(search, result, file)
    if result.interrupted:
        context.exit(130)


def _confirm_large_search(search: Search, workers: int | str | None, *, yes: bool) -> None:
    if search.size <= LARGE_SEARCH_VARIANTS:
        return
    cores = workers if isinstance(workers, int) else cpu_count()
    duration = format_duration(estimate_seconds(search, cores))
    estimate = f"{search.size:,} variants: about {duration} on {pluralize(cores, 'core')}"
    if yes:
        click.echo(f"{estimate}.", err=True)
    elif sys.stdin.isatty():
        click.confirm(f"{estimate}. Start?", abort=True, err=True)
    else:
        raise click.UsageError(f"{estimate}; use --yes to start anyway, or change fewer settings.")


def _print_result(search: Search, result: SearchResult, file: str) -> None:
    goals = ", ".join(map(str, search.goals))
    changed = ", ".join(axis.name for axis in search.axes)
    stopped = f"Stopped after {result.tried:,} of {search.size:,} variants. " if result.interrupted else ""
    tried = f"Tried {pluralize(result.tried - result.refused, 'variant')} of {search.book.title}"
    same = f"; {result.same:,} of them are equivalent to a higher-ranked variant" if result.same else ""
    options.print_paragraph(
        f"{stopped}{tried}{same}. Changed: {changed}; up to {search.most_changes} at once. Goals: {goals}."
    )
    if not result.hits:
        misses = "; ".join(f"{goal} excludes {count:,}" for goal, count in result.missed.most_common())
        options.print_paragraph("\nNo variant meets every goal." + (f" {misses}." if misses else ""))
    for number, hit in enumerate(result.hits, 1):
        click.echo()
        _print_hit(number, hit)
        options.print_paragraph(play_command(search.book, hit, file), "   ")


def _print_hit(number: int, hit: Hit) -> None:
    measured = hit.measured
    options.print_paragraph(f"{number}. {measured.variant}")
    changes = pluralize(hit.changes, "change") if hit.changes else "unchanged book"
    turns = pluralize(measured.plies or 0, "turn")
    result = f"player {measured.winner} wins in {turns}" if measured.winner else "the game never ends"
    figures = [(METRICS[name].title, format_metric(name, measured)) for name in REPORTED_METRICS]
    for line in (
        f"fair at {measured.fair_range} of 9 skill levels; {changes}; with perfect play, {result}",
        f"first player wins: {_format_curve(measured.curve, took_part=True)}",
        f"at other skill levels: {_format_curve(measured.curve, took_part=False)}",
        ", ".join(f"{title} {figure}" for title, figure in figures if figure),
    ):
        options.print_paragraph(line, "   ")


def _format_curve(curve: Sequence[SkillPoint], *, took_part: bool) -> str:
    kinds: dict[str, list[str]] = {"slip": [], "sight": []}
    for point in curve:
        kind, _, number = point.skill.partition(":")
        if point.took_part == took_part:
            kinds[kind].append(f"{number}: {first_player_percent(point)}%")
    return "; ".join(f"{kind} {', '.join(points)}" for kind, points in kinds.items())
