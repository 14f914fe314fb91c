"""`numberline ladder`: list the steps of a ladder, or play one."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

import click

from numberline.characters import CHARACTERS
from numberline.cli import completion, load_command
from numberline.cli.options import as_json, plain_option, print_json, print_paragraph
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as load_book
from numberline.game.settings import split_variant
from numberline.progress.ladder import LadderStep, first_open_step, stored_ladder
from numberline.progress.rules import draw_stars
from numberline.terminal.console import progress_bar
from numberline.terminal.progress import load_progress


@click.command("ladder", short_help="Climb a ladder of harder and harder games.")
@click.argument("book", required=False, shell_complete=completion.books)
@click.argument("step", required=False, type=int)
@plain_option
@as_json
@click.pass_context
def command(context: click.Context, book: str | None, step: int | None, *, plain: bool, as_json: bool) -> None:
    """List the steps of BOOK's ladder, or play step number STEP.

    Every step introduces one new rule or number, and you can win every step. Without BOOK, list the ladders of all
    games. For a variant or your own .toml file, finding a ladder takes a few seconds.
    """
    games = list(map(load_book, [book] if book else NAMES))
    ladders, stars = list(map(_load_ladder, games)), load_progress().ladder
    if book and step is not None:
        if as_json:
            raise click.UsageError("--json lists the steps; leave out STEP or --json.")
        if not 1 <= step <= len(ladders[0]):
            raise click.BadParameter(f"'{step}': expected a step from 1 to {len(ladders[0])}.", param_hint="STEP")
        chosen = ladders[0][step - 1]
        variant = split_variant(book)[0] + chosen.variant.removeprefix(games[0].name)
        _play(context, chosen, [*["--plain"] * plain, "--", variant])
    elif as_json:
        reports = [
            {"book": game.variant, "steps": [{**each._asdict(), "stars": stars.get(each.id, 0)} for each in steps]}
            for game, steps in zip(games, ladders, strict=True)
        ]
        print_json(reports[0] if book else reports)
    else:
        for game, steps in zip(games, ladders, strict=True):
            click.echo(f"{game.full_title}\n")
            for number, each in enumerate(steps, 1):
                title, opponent = each.short_title, CHARACTERS[each.character].name
                won = f" {draw_stars(stars[each.id])}" if each.id in stars else ""
                print_paragraph(f"{title} ({opponent}): {each.new}{won}", "     ", f"{number:>3}. ")
            click.echo()
        number = first_open_step(games[0], stars) or 1
        click.echo(f"Play a step with: numberline ladder {shlex.quote(book or NAMES[0])} {number}")


def _load_ladder(game: Book) -> Sequence[LadderStep]:
    steps: Sequence[LadderStep] = stored_ladder(game)
    if not steps:
        from numberline.lab.ladder import generate_ladder  # imports the solver

        with progress_bar(f"Looking for a ladder for {game.variant}") as progress:
            steps = generate_ladder(game, progress)
    return steps


def _play(context: click.Context, step: LadderStep, arguments: list[str]) -> None:
    """Play a step by invoking the `play` command."""
    print_paragraph(f"{step.heading}\n{step.introduction}\n")
    play = load_command("play")
    options = ["--vs", step.character, "--first", str(step.first), "--step", step.id, *arguments]
    with play.make_context("play", options, parent=context.find_root()) as game:
        play.invoke(game)
