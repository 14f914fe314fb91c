"""What several commands take and print: a variant, its settings, a size; paragraphs, and reports as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click

from numberline.cli import completion
from numberline.errors import RecordError
from numberline.files import InvalidTextFile, read_text
from numberline.game.book import Book
from numberline.game.loader import book
from numberline.game.match import Match
from numberline.game.notation import parse_records
from numberline.parallel import ClusterError, parse_workers
from numberline.terminal.console import terminal_width, wrap_text

MAX_RECORD_BYTES = 50_000_000
"""Bytes; no longer record is read."""
MAX_PARAGRAPH_COLUMNS = 100
"""In a wider window a paragraph is still folded to so many columns: longer lines are hard to read."""

settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=completion.settings,
    help="Change a setting, such as end=30; can be given several times.",
)
plain_option = click.option(
    "--plain", is_flag=True, help="Draw nothing; tell everything in sentences, for a screen reader."
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")


class ByteSize(click.ParamType[int]):
    """A number of bytes, such as 500MB or 8GiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        found = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMGT]?)(i?B)?", str(value).strip(), re.IGNORECASE)
        if not found:
            self.fail(f"'{value}': expected a size such as 500MB or 8GB.", param, ctx)
        return int(float(found[1]) * 1024 ** " KMGT".index(found[2].upper() or " "))


class Workers(click.ParamType[int | str]):
    """A number of processes, or the address of a scheduler."""

    name = "workers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        """The number, or the address."""
        try:
            return parse_workers(str(value))
        except ClusterError as error:
            self.fail(f"{error}.", param, ctx)


def load_variant(name: str, settings: tuple[str, ...]) -> Book:
    """The book of that name, variant or file, with the settings changed."""
    plain = book(name)
    return plain.vary(*settings) if settings else plain


def find_record(given: str | None) -> Path:
    """The record that is meant: a file, the kept game with that number, or the last game that was finished."""
    if given and (Path(given).exists() or not given.isdecimal()):
        return Path(given)
    from numberline.terminal.records import FinishedGame, finished_games  # needed only where no file is given

    found = list(finished_games())
    games = [game for game in found if isinstance(game, FinishedGame)]
    for problem in (game for game in found if isinstance(game, str)):
        click.echo(problem, err=True)
    if not games:
        raise click.UsageError("No finished game is kept yet; play one at a terminal, or give a record FILE.")
    number = int((given or "1")[:9])
    if not 0 < number <= len(games):
        only = f"the kept games have the numbers 1 to {len(games)}" if len(games) > 1 else "only game 1 is kept"
        raise click.UsageError(f"'{given}': there is no such file, and {only}; numberline games lists them.")
    return games[number - 1].path


def read_record_file(file: Path) -> list[Match]:
    """The games in a record file, played again."""
    try:
        text = read_text(file, MAX_RECORD_BYTES)
    except InvalidTextFile as error:
        raise RecordError(f"{file}: {error}; expected a record") from None
    return parse_records(text, str(file))


def print_json(report: Any) -> None:
    """Prints a report for programs to read."""
    click.echo(json.dumps(report, indent=2, ensure_ascii=False))


def print_paragraph(text: str, indent: str = "") -> None:
    """Prints a paragraph, folded to the terminal's width; as it stands where the output goes elsewhere."""
    columns = terminal_width()
    click.echo(wrap_text(text, columns and min(MAX_PARAGRAPH_COLUMNS, columns), indent))


def rules_report(game: Book) -> dict[str, object]:
    """The rules of a variant for programs to read."""
    from numberline.explain.rules_text import describe_rules, describe_setting, opening

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
