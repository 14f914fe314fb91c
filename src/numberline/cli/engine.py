"""`numberline engine` and `mcp`: bots and games served to other programs over standard input and output."""

from __future__ import annotations

import sys
from random import Random

import click

from numberline.cli.options import bot_option, usage_errors

_MAX_LINE_BYTES = 2_000_000
"""Large enough for a protocol line that contains a whole book."""


@click.command("engine", short_help="Let other programs play against a bot.")
@bot_option("perfect", "Bot to run, such as easy or level:5.")
def engine(bot: str) -> None:
    """Run a bot that speaks the engine protocol (docs/engines.md) over standard input and output."""
    from numberline.bots.bot import BotError, make_bot
    from numberline.bots.engine_protocol import EngineSession
    from numberline.game.loader import NAMES, book
    from numberline.terminal.console import read_stdin_line

    with usage_errors(BotError, "--bot"):
        make_bot(bot, book(NAMES[0]), Random(0))
    lines = iter(lambda: read_stdin_line(_MAX_LINE_BYTES), b"")
    for reply in EngineSession(bot).respond(line.decode(errors="replace") for line in lines):
        sys.stdout.write(f"{reply}\n")
        sys.stdout.flush()


@click.command("mcp", short_help="Let a language model play through tool calls.")
def mcp() -> None:
    """Serve the games as Model Context Protocol tools over standard input and output."""
    from numberline.envs.mcp import server

    server().run()
