"""`numberline check BOOK`: what is wrong with a book, or what game it makes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

import click

from numberline.book.book import Book
from numberline.cli import FAILED, completion
from numberline.cli.options import as_json, print_json, rules_report, say, varied, with_settings
from numberline.rules.errors import BookFileError
from numberline.rules.wording import all_of, counted, size_word
from numberline.solver.findings import Findings, explore, search_limit
from numberline.solver.table import most_positions
from numberline.speech.prose import rules_in_prose
from numberline.terminal.screen import bar


@click.command("check", short_help="Say what is wrong with a book, or what game it makes.")
@click.argument("book", shell_complete=completion.books)
@with_settings
@as_json
@click.pass_context
def command(context: click.Context, book: str, settings: tuple[str, ...], *, as_json: bool) -> None:
    """Say what is wrong with BOOK (a game, a variant or your own .toml file), or describe the game it makes."""
    try:
        game = varied(book, settings)
    except BookFileError as error:
        if not as_json:
            raise
        print_json({"ok": False, "problems": error.problems})
        context.exit(FAILED)
    with bar(f"Looking at {game.variant}") as progress:
        findings = explore(game, search_limit(game), progress)
    troubles = _troubles(findings)
    if as_json:
        print_json({"ok": not troubles, "problems": troubles, **rules_report(game), "findings": asdict(findings)})
    else:
        click.echo(game.full_title)
        for section in rules_in_prose(game):
            say(f"{section.heading}: {section.text}")
        click.echo()
        for sentence in _in_words(game, findings):
            say(sentence)
        for trouble in troubles:
            say(f"Problem: {trouble}")
    if troubles:
        context.exit(FAILED)


def _troubles(findings: Findings) -> list[str]:
    """Why nobody would want to play this, however sound its rules are."""
    if not findings.complete or findings.winners:
        return []
    return ["nobody can ever win; change the steps, the start or the goal so that a goal can be reached"]


def _in_words(game: Book, findings: Findings) -> Iterator[str]:
    """What was found, a sentence at a time; of a game that was not searched whole nothing is said never to happen."""
    whole = findings.complete
    if whole:
        yield f"It has {counted(findings.positions, 'position')} in which somebody has to move, whoever starts."
    else:
        size = f"it may have {size_word(most_positions(game))} positions"
        yield f"The game is too large to search whole: {size}; the first {findings.positions:,} were looked at."
    if findings.shortest is not None:
        yield f"The shortest game ends after {counted(findings.shortest, 'turn')}."
    never = [game.player_name(player) for player in game.players if player not in findings.winners]
    if whole and findings.winners and never:
        yield f"{all_of(never)} can never win."
    if findings.goes_round or whole:
        yield "Play can go round for ever." if findings.goes_round else "No position ever comes up twice."
    if findings.hopeless:
        yield f"From {findings.hopeless:,} of the positions nobody can win any more."
    if findings.lost_turns or whole:
        yield "A player can be without a move." if findings.lost_turns else "Nobody is ever without a move."
