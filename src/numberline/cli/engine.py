"""`numberline engine`: any of our bots as a program that other programs can play against, line by line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from random import Random

import click

from numberline.bots.bot import BotError
from numberline.bots.engine_protocol import EngineSession
from numberline.bots.registry import make_bot
from numberline.cli import completion
from numberline.game.loader import NAMES, book
from numberline.terminal.console import read_stdin_line

MAX_LINE_BYTES = 2_000_000
"""No line of the protocol is longer, not even one with a book inside."""


@click.command("engine", short_help="Let other programs play against our bots.")
@click.option(
    "--bot",
    default="perfect",
    show_default=True,
    metavar="BOT",
    shell_complete=completion.bots,
    help="Who plays, such as level:5.",
)
def command(bot: str) -> None:
    """Speak the protocol of docs/engines.md on standard input and output: lines in, moves out."""
    try:
        make_bot(bot, book(NAMES[0]), Random(0))
    except BotError as error:
        raise click.BadParameter(f"{error}.", param_hint="--bot") from None
    for reply in EngineSession(bot).respond(_lines()):
        sys.stdout.write(f"{reply}\n")
        sys.stdout.flush()


def _lines() -> Iterator[str]:
    """The lines of standard input, as they come."""
    while raw := read_stdin_line(MAX_LINE_BYTES):
        yield raw.decode(errors="replace")
