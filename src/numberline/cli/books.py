"""`numberline books`, `rules` and `check`: list the games, show their rules, and check books."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from numberline.cli import EXIT_FAILURE, completion
from numberline.cli.options import as_json, load_variant, print_json, print_paragraph, settings_option
from numberline.errors import BookFileError
from numberline.explain.rules_text import describe_rules, describe_setting, opening
from numberline.game.book import Book
from numberline.game.loader import book as load_book
from numberline.game.loader import book_names
from numberline.terminal.console import progress_bar, wrap_text
from numberline.text import format_large_count, join_and, pluralize

if TYPE_CHECKING:
    from numberline.solver.explore import ExplorationReport


@click.command("books", short_help="List the games.")
@as_json
def books(*, as_json: bool) -> None:
    """List all games, including those from installed packages."""
    games = [load_book(name) for name in book_names()]
    if as_json:
        print_json([{"name": game.name, "title": game.title, "about": game.about} for game in games])
        return
    for game in games:
        click.echo(f"{game.name}\n{wrap_text(game.about, 78, '  ')}\n")
    click.echo("Play one with: numberline play flag-chase")


@click.command("rules", short_help="Show the rules of a game or a variant.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@as_json
def rules(book: str, settings: tuple[str, ...], *, as_json: bool) -> None:
    """Show the rules of BOOK: a game, a variant such as "line-runner(end=30)", or your own .toml file."""
    game = load_variant(book, settings)
    if as_json:
        print_json(_rules_report(game))
        return
    click.echo(game.full_title)
    print_paragraph(f"\n{opening(game)}")
    for section in describe_rules(game):
        click.echo(f"\n{section.heading}")
        print_paragraph(section.text, "  ")
    click.echo("\nSettings")
    for setting in filter(lambda setting: game.can_vary(setting.name), game.settings):
        changed = f" (default: {setting.default})" if setting.value != setting.default else ""
        start = f"  {setting.name:<11}{setting.value:<9} "
        print_paragraph(f"{describe_setting(game, setting.name)}{changed}", " " * len(start), start)


def _rules_report(game: Book) -> dict[str, object]:
    return {
        "variant": game.variant,
        "title": game.title,
        "about": opening(game),
        "rules": [section._asdict() for section in describe_rules(game)],
        "settings": [
            {**setting._asdict(), "meaning": describe_setting(game, setting.name)}
            for setting in game.settings
            if game.can_vary(setting.name)
        ],
    }


@click.command("check", short_help="Check a book for problems and describe its game.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@as_json
@click.pass_context
def check(context: click.Context, book: str, settings: tuple[str, ...], *, as_json: bool) -> None:
    """Check BOOK (a game, a variant or your own .toml file) for problems and describe its game."""
    from numberline.solver.explore import exploration_limit, explore

    try:
        game = load_variant(book, settings)
    except BookFileError as error:
        if not as_json:
            raise
        print_json({"ok": False, "problems": error.problems})
        context.exit(EXIT_FAILURE)
    with progress_bar(f"Exploring {game.variant}") as progress:
        findings = explore(game, exploration_limit(game), progress)
    never_won = "no player can ever win; change the steps, the start or the goal so that the goal can be reached"
    problems = [never_won] if findings.complete and not findings.winners else []
    if as_json:
        print_json({"ok": not problems, "problems": problems, **_rules_report(game), "findings": asdict(findings)})
    else:
        click.echo(game.full_title)
        for section in describe_rules(game):
            print_paragraph(f"{section.heading}: {section.text}")
        click.echo()
        for sentence in _describe_findings(game, findings):
            print_paragraph(sentence)
        for problem in problems:
            print_paragraph(f"Problem: {problem}")
    if problems:
        context.exit(EXIT_FAILURE)


def _describe_findings(game: Book, findings: ExplorationReport) -> Iterator[str]:
    """Yield sentences that describe a game; omit those about all positions if some positions were not explored."""
    from numberline.solver.index import max_positions

    complete = findings.complete
    if complete:
        yield f"The game has {pluralize(findings.positions, 'position')}, no matter who starts."
    else:
        size = f"it may have {format_large_count(max_positions(game))} positions"
        yield f"The game is too large to explore completely: {size}; the first {findings.positions:,} were explored."
    if findings.shortest is not None:
        yield f"The shortest game ends after {pluralize(findings.shortest, 'turn')}."
    never = [game.player_name(player) for player in game.players if player not in findings.winners]
    if complete and findings.winners and never:
        yield f"{join_and(never)} can never win."
    if findings.goes_round or complete:
        yield "A game can go on forever." if findings.goes_round else "No position can occur twice in a game."
    if findings.hopeless:
        yield f"In {findings.hopeless:,} of the positions, no player can win any more."
    if findings.lost_turns or complete:
        yield "A player can run out of moves." if findings.lost_turns else "A player always has a move."
