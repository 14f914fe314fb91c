"""`numberline help [COMMAND]`: what there is to type, and the options of one command."""

from __future__ import annotations

import click
from click.shell_completion import CompletionItem


def _commands(context: click.Context, _: click.Parameter, typed: str) -> list[CompletionItem[str]]:
    group = context.find_root().command
    names = group.list_commands(context) if isinstance(group, click.Group) else []
    return [CompletionItem(name) for name in names if name.startswith(typed)]


@click.command("help", short_help="Show this list, or the options of a command.")
@click.argument("command", required=False, shell_complete=_commands)
@click.pass_context
def command(context: click.Context, command: str | None) -> None:
    """Show the commands, or what COMMAND does and takes; the same as --help."""
    above = context.find_root()
    if command and isinstance(above.command, click.Group):
        _, found, _ = above.command.resolve_command(above, [command])
        if found:
            click.echo(found.get_help(click.Context(found, parent=above, info_name=command)))
        return
    click.echo(above.get_help())
