"""`numberline find BOOK`: the variants that meet your goals, the fairest first."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from numberline.cli import completion
from numberline.cli.options import (
    ByteSize,
    Workers,
    as_json,
    load_variant,
    print_json,
    print_paragraph,
    settings_option,
)
from numberline.files import check_parent_dir, write_atomic
from numberline.game.variant_syntax import split_variant
from numberline.lab.goals import GoalError, parse_goal, with_default_goals
from numberline.lab.measure import SkillPoint
from numberline.lab.metrics import METRICS, format_metric
from numberline.lab.search import (
    DEFAULT_MAX_CHANGES,
    LARGE_SEARCH_VARIANTS,
    Hit,
    Search,
    SearchResult,
    estimate_seconds,
    play_command,
    result_to_dict,
    search,
)
from numberline.lab.search_space import search_axes
from numberline.lab.sweep import format_duration
from numberline.parallel import cpu_count
from numberline.solver.index import DEFAULT_MEMORY_BYTES, format_bytes
from numberline.terminal.console import progress_bar
from numberline.text import pluralize

REPORTED_METRICS = (
    "length",
    "first",
    "newcomers",
    "decisions",
    "lead_changes",
    "comeback",
    "hidden",
    "skill",
    "sight_needed",
)
"""The metrics that are told of each variant."""


@click.command("find", short_help="Find variants that meet your goals, the fairest first.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@click.option(
    "--goal", "goals", multiple=True, metavar="METRIC=RANGE", help='What it has to be, such as "length=10..20".'
)
@click.option(
    "--change",
    "change",
    multiple=True,
    metavar="NAMES",
    shell_complete=completion.swept_settings,
    help="The settings to change, such as end,steps or end=10..40. [default: the usual ones]",
)
@click.option(
    "--most-changes",
    type=click.IntRange(1, 20),
    default=DEFAULT_MAX_CHANGES,
    show_default=True,
    help="How many settings are changed at once.",
)
@click.option("--top", type=click.IntRange(1, 1000), default=10, show_default=True, help="How many variants are shown.")
@click.option("--workers", type=Workers(), help="Processes, or a Dask scheduler (tcp://host:8786).")
@click.option("--yes", is_flag=True, help="Begin a large search without asking.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="Write the report as JSON to this file.")
@click.option(
    "--memory",
    type=ByteSize(),
    default=DEFAULT_MEMORY_BYTES,
    show_default=format_bytes(DEFAULT_MEMORY_BYTES),
    help="The most memory to take.",
)
@as_json
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
    """Find variants of BOOK that meet goals, ranked by at how many skills they are fair, then by fewest changes."""
    game = load_variant(book, settings)
    try:
        wanted = with_default_goals([parse_goal(goal) for goal in goals])
    except GoalError as error:
        raise click.BadParameter(f"{error}.", param_hint="--goal") from None
    names = [name for text in change for name in ([text] if "=" in text else text.split(","))]
    asked = Search(game, search_axes(game, names), wanted, most_changes, memory)
    if out:
        check_parent_dir(out)
    if game.rules.players > 2:
        raise click.UsageError(f"{game.variant} has {game.rules.players} players; how fair it is can be said for two.")
    _confirm_large_search(asked, workers, yes=yes)
    with progress_bar(f"Trying {asked.size:,} variants of {game.name}") as progress:
        found = search(asked, top=top, workers=workers, progress=progress)
    file = split_variant(book)[0] if game.source else ""
    report = result_to_dict(asked, found, file)
    if out:
        write_atomic(out, json.dumps(report, indent=2, ensure_ascii=False) + "\n")
    if as_json:
        print_json(report)
    else:
        _tell(asked, found, file)
    if found.interrupted:
        context.exit(130)


def _confirm_large_search(asked: Search, workers: int | str | None, *, yes: bool) -> None:
    """Says how large a search is, where it is large, and asks whether to begin."""
    if asked.size <= LARGE_SEARCH_VARIANTS:
        return
    many = workers if isinstance(workers, int) else cpu_count()
    told = (
        f"{asked.size:,} variants: about {format_duration(estimate_seconds(asked, many))} on {pluralize(many, 'core')}"
    )
    if yes:
        click.echo(f"{told}.", err=True)
    elif sys.stdin.isatty():
        click.confirm(f"{told}. Begin?", abort=True, err=True)
    else:
        raise click.UsageError(f"{told}; give --yes to begin it, or change fewer settings.")


# For people


def _tell(asked: Search, found: SearchResult, file: str) -> None:
    goals = ", ".join(map(str, asked.goals))
    changed = ", ".join(axis.name for axis in asked.axes)
    broken = f"Broken off after {found.tried:,} of {asked.size:,} variants. " if found.interrupted else ""
    tried = f"{pluralize(found.tried - found.refused, 'variant')} of {asked.book.title} tried"
    same = f", {found.same:,} of them the same game as a better one" if found.same else ""
    print_paragraph(f"{broken}{tried}{same}. Changed: {changed}; at most {asked.most_changes} at once. Goals: {goals}.")
    if not found.hits:
        print_paragraph(f"\nNone meets every goal.{_kept_out(found)}")
        return
    for number, hit in enumerate(found.hits, 1):
        click.echo()
        _tell_hit(number, hit)
        print_paragraph(play_command(asked.book, hit, file), "   ")


def _kept_out(found: SearchResult) -> str:
    """Which goal excludes how many."""
    told = [f"{goal} keeps out {many:,}" for goal, many in found.missed.most_common()]
    return f" {'; '.join(told)}." if told else ""


def _tell_hit(number: int, hit: Hit) -> None:
    measured = hit.measured
    print_paragraph(f"{number}. {measured.variant}")
    skills = f"fair at {measured.fair_range} of 9 skills"
    changes = pluralize(hit.changes, "change") if hit.changes else "the book itself"
    wins = (
        f"player {measured.winner} wins in {pluralize(measured.plies or 0, 'turn')}" if measured.winner else "endless"
    )
    print_paragraph(f"{skills}; {changes}; with perfect play {wins}", "   ")
    print_paragraph(f"who begins wins: {_curve(measured.curve, took_part=True)}", "   ")
    print_paragraph(f"at other skills: {_curve(measured.curve, took_part=False)}", "   ")
    print_paragraph(
        ", ".join(
            f"{METRICS[name].title} {format_metric(name, measured)}"
            for name in REPORTED_METRICS
            if format_metric(name, measured)
        ),
        "   ",
    )


def _curve(curve: Sequence[SkillPoint], *, took_part: bool) -> str:
    """How often who begins wins at these skills, in percent."""
    told = []
    for kind in ("slip", "sight"):
        points = [point for point in curve if point.took_part == took_part and point.skill.startswith(f"{kind}:")]
        told.append(f"{kind} " + ", ".join(f"{point.skill.partition(':')[2]}: {_percent(point)}" for point in points))
    return "; ".join(told)


def _percent(point: SkillPoint) -> str:
    """One figure, or both where it matters who begins."""
    one, two = (f"{100 * chance:.0f}" for chance in (point.begins_1, point.begins_2))
    return f"{one}%" if one == two else f"{one}/{two}%"
