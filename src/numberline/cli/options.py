"""What several commands take and print: a variant, its settings, a size; paragraphs, and reports as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

from numberline.book.book import Book
from numberline.book.loader import book
from numberline.cli import completion
from numberline.cluster import ClusterError, workers_of
from numberline.files import UnreadableText, read_text
from numberline.match import Match
from numberline.notation import read_records
from numberline.rules.errors import RecordError
from numberline.terminal.screen import folded, window

LARGEST_RECORD = 50_000_000
"""Bytes; no longer record is read."""
WIDEST = 100
"""In a wider window a paragraph is still folded to so many columns: longer lines are hard to read."""

with_settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=completion.settings,
    help="Change a setting, such as end=30; can be given several times.",
)
in_sentences = click.option(
    "--plain", is_flag=True, help="Draw nothing; tell everything in sentences, for a screen reader."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")


class Size(click.ParamType[int]):
    """A number of bytes, such as 500MB or 8GiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"(\d+(?:\.\d+)?) ?([KMGT]?)(i?B)?", str(value).strip(), re.IGNORECASE)
        if not found:
            self.fail(f"'{value}': expected a size such as 500MB or 8GB.", param, ctx)
        return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


class Workers(click.ParamType[int | str]):
    """A number of processes, or the address of a scheduler."""

    name = "workers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """The number, or the address."""
        try:
            return workers_of(str(value))
        except ClusterError as error:
            self.fail(f"{error}.", param, ctx)


def varied(name: str, settings: tuple[str, ...]) -> Book:
    """The book of that name, variant or file, with the settings changed."""
    plain = book(name)
    return plain.vary(*settings) if settings else plain


def record_named(given: str | None) -> Path:
    """The record that is meant: a file, the kept game with that number, or the last game that was finished."""
    if given and (Path(given).exists() or not given.isdecimal()):
        return Path(given)
    from numberline.terminal.records import kept_games  # needed only where no file is given

    games = list(kept_games())
    if not games:
        raise click.UsageError("No finished game is kept yet; play one at a terminal, or give a record FILE.")
    number = int((given or "1")[:9])
    if not 0 < number <= len(games):
        only = f"the kept games have the numbers 1 to {len(games)}" if len(games) > 1 else "only game 1 is kept"
        raise click.UsageError(f"'{given}': there is no such file, and {only}; numberline games lists them.")
    return games[number - 1].path


def recorded(file: Path) -> list[Match]:
    """The games in a record file, played again."""
    try:
        text = read_text(file, LARGEST_RECORD)
    except UnreadableText as error:
        raise RecordError(f"{file}: {error}; expected a record") from None
    return read_records(text, str(file))


def print_json(report: Any) -> None:
    """Prints a report for programs to read."""
    click.echo(json.dumps(report, indent=2, ensure_ascii=False))


def say(text: str, indent: str = "") -> None:
    """Prints a paragraph, folded to the terminal's width; as it stands where the output goes elsewhere."""
    columns = window()
    click.echo(folded(text, columns and min(WIDEST, columns), indent))


def rules_report(game: Book) -> dict[str, object]:
    """The rules of a variant for programs to read."""
    from numberline.speech.prose import opening, rules_in_prose, setting_in_prose  # nobody who only plays waits for it

    return {
        "variant": game.variant,
        "title": game.title,
        "about": opening(game),
        "rules": [section._asdict() for section in rules_in_prose(game)],
        "settings": [
            {**setting._asdict(), "meaning": setting_in_prose(game, setting.name)}
            for setting in game.settings
            if game.can_vary(setting.name)
        ],
    }
