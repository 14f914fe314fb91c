"""What several commands take: a variant, its settings, and `--json`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from numberline.book.book import Book
from numberline.book.loader import book
from numberline.files import UnreadableText, read_text
from numberline.match import Match
from numberline.notation import read_records
from numberline.rules.errors import RecordError

Command = TypeVar("Command", bound=Callable[..., Any])

LARGEST_RECORD = 50_000_000
"""Bytes; no longer record is read."""

with_settings = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a setting, such as end=30; can be given several times.",
)
as_json = click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")


def varied(name: str, settings: tuple[str, ...]) -> Book:
    """The book of that name, variant or file, with the settings changed."""
    plain = book(name)
    return plain.vary(*settings) if settings else plain


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
