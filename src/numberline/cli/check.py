"""`numberline check BOOK`: what is wrong with a book, or what game it makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from numberline.cli import EXIT_FAILURE, completion
from numberline.cli.options import as_json, load_variant, print_json, print_paragraph, rules_report, settings_option
from numberline.errors import BookFileError
from numberline.explain.rules_text import describe_rules
from numberline.game.book import Book
from numberline.solver.explore import ExplorationReport, exploration_limit, explore
from numberline.solver.index import max_positions
from numberline.terminal.console import progress_bar
from numberline.text import format_large_count, join_and, pluralize


@click.command("check", short_help="Say what is wrong with a book, or what game it makes.")
@click.argument("book", shell_complete=completion.books)
@settings_option
@as_json
@click.pass_context
def command(context: click.Context, book: str, settings: tuple[str, ...], *, as_json: bool) -> None:
    """Say what is wrong with BOOK (a game, a variant or your own .toml file), or describe the game it makes."""
    try:
        game = load_variant(book, settings)
    except BookFileError as error:
        if not as_json:
            raise
        print_json({"ok": False, "problems": error.problems})
        context.exit(EXIT_FAILURE)
    with progress_bar(f"Looking at {game.variant}") as progress:
        findings = explore(game, exploration_limit(game), progress)
    troubles = _troubles(findings)
    if as_json:
        print_json({"ok": not troubles, "problems": troubles, **rules_report(game), "findings": asdict(findings)})
    else:
        click.echo(game.full_title)
        for section in describe_rules(game):
            print_paragraph(f"{section.heading}: {section.text}")
        click.echo()
        for sentence in _in_words(game, findings):
            print_paragraph(sentence)
        for trouble in troubles:
            print_paragraph(f"Problem: {trouble}")
    if troubles:
        context.exit(EXIT_FAILURE)


def _troubles(findings: ExplorationReport) -> list[str]:
    """Why nobody would want to play this, however sound its rules are."""
    if not findings.complete or findings.winners:
        return []
    return ["nobody can ever win; change the steps, the start or the goal so that a goal can be reached"]


def _in_words(game: Book, findings: ExplorationReport) -> Iterator[str]:
    """What was found, a sentence at a time; of a game that was not searched whole nothing is said never to happen."""
    whole = findings.complete
    if whole:
        yield f"It has {pluralize(findings.positions, 'position')} in which somebody has to move, whoever starts."
    else:
        size = f"it may have {format_large_count(max_positions(game))} positions"
        yield f"The game is too large to search whole: {size}; the first {findings.positions:,} were looked at."
    if findings.shortest is not None:
        yield f"The shortest game ends after {pluralize(findings.shortest, 'turn')}."
    never = [game.player_name(player) for player in game.players if player not in findings.winners]
    if whole and findings.winners and never:
        yield f"{join_and(never)} can never win."
    if findings.goes_round or whole:
        yield "Play can go round for ever." if findings.goes_round else "No position ever comes up twice."
    if findings.hopeless:
        yield f"From {findings.hopeless:,} of the positions nobody can win any more."
    if findings.lost_turns or whole:
        yield "A player can be without a move." if findings.lost_turns else "Nobody is ever without a move."
