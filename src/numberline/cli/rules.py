"""`numberline rules BOOK`: the rules of a variant in prose, and what it can be varied by."""

from __future__ import annotations

import shutil
import sys

import click

from numberline.book.book import Book
from numberline.cli.options import as_json, print_json, varied, with_settings
from numberline.speech.prose import rules_in_prose, setting_in_prose
from numberline.terminal.screen import NARROWEST


@click.command("rules")
@click.argument("book")
@with_settings
@as_json
def command(book: str, settings: tuple[str, ...], *, as_json: bool) -> None:
    """Tell the rules of BOOK: a game, a variant such as "line-runner(end=30)", or your own .toml file."""
    game = varied(book, settings)
    if as_json:
        print_json(report(game))
        return
    click.echo(title(game))
    if game.about:
        click.echo(f"\n{folded(game.about)}")
    for section in rules_in_prose(game):
        click.echo(f"\n{section.heading}\n{folded(section.text, '  ')}")
    click.echo("\nSettings")
    for setting in filter(lambda setting: game.can_vary(setting.name), game.settings):
        changed = f" (the book: {setting.default})" if setting.value != setting.default else ""
        click.echo(f"  {setting.name:<11}{setting.value:<9} {setting_in_prose(game, setting.name)}{changed}")


def report(game: Book) -> dict[str, object]:
    """The rules for programs to read."""
    return {
        "variant": game.variant,
        "title": game.title,
        "about": game.about,
        "rules": [section._asdict() for section in rules_in_prose(game)],
        "settings": [
            {**setting._asdict(), "meaning": setting_in_prose(game, setting.name)}
            for setting in game.settings
            if game.can_vary(setting.name)
        ],
    }


def title(game: Book) -> str:
    """The game's name, and the variant where it is one."""
    return game.title if game.variant == game.name else f"{game.title}: {game.variant}"


def folded(text: str, indent: str = "") -> str:
    """The text folded to the terminal's width; as it is where the output is no terminal."""
    if not sys.stdout.isatty():
        return indent + text
    columns = max(NARROWEST, min(100, shutil.get_terminal_size().columns))
    return click.wrap_text(text, width=columns, initial_indent=indent, subsequent_indent=indent)
