"""`numberline mcp`: the games as tools that a language model calls by itself."""

from __future__ import annotations

import click


@click.command("mcp", short_help="Let a language model play by calling tools.")
def command() -> None:
    """Speak the Model Context Protocol on standard input and output, as the programs expect that start it."""
    from numberline.envs.mcp import server  # the SDK takes its time, and not everybody has it

    server().run()
