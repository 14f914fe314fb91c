"""Command-line interface: each module parses options, calls the library and prints the result."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from importlib import import_module

import click

from numberline import __version__
from numberline.errors import BookError, BookFileError, NumberlineError, OptionError
from numberline.files.safe_read import os_error_reason
from numberline.startup import SIGINT_EXIT_CODE, exit_on_sigint
from numberline.terminal.console import EndOfInput, escape_output_streams, terminal_width, wrap_text
from numberline.text import did_you_mean, escape_controls, find_similar

COMMANDS = {
    "play": "play:command",
    "resume": "games:resume",
    "rules": "books:rules",
    "check": "books:check",
    "solve": "solve:command",
    "measure": "measure:command",
    "map": "map:command",
    "find": "find:command",
    "print": "print:command",
    "replay": "games:replay",
    "review": "review:command",
    "games": "games:games",
    "progress": "progress:command",
    "ladder": "ladder:command",
    "puzzle": "exercises:puzzle",
    "learn": "exercises:learn",
    "books": "books:books",
    "config": "options:config",
    "web": "servers:web",
    "engine": "servers:engine",
    "mcp": "servers:mcp",
    "arena": "arena:command",
    "export": "export:command",
    "help": ":help_command",
}
"""The module and attribute that implement each command; modules are imported on demand."""

EXIT_OK, EXIT_FAILURE, EXIT_USAGE, EXIT_END_OF_INPUT = 0, 1, 2, 3


def load_command(name: str) -> click.Command:
    module, _, attribute = COMMANDS[name].partition(":")
    command: click.Command = getattr(import_module(f"numberline.cli.{module}".removesuffix(".")), attribute)
    return command


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return load_command(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if any(re.fullmatch("(--[a-z-]+=)?", arg) for arg in args):
            ctx.fail("An argument is empty; give it a value or leave it out.")
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command '{args[0]}'{did_you_mean(args[0], COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    epilog='Run "numberline" without a command for a menu, or "numberline COMMAND --help" for help on a command.',
)
@click.version_option(__version__, prog_name="numberline")
@click.pass_context
def numberline(context: click.Context) -> None:
    """Two-player games on a number line: play them, change their rules and measure the effect."""
    if context.invoked_subcommand != "config":
        context.default_map = import_module("numberline.cli.options").read_defaults()
    if context.invoked_subcommand is None:
        import_module("numberline.cli.play").start_menu(context)


def _complete_command(_: click.Context, __: click.Parameter, typed: str) -> list[str]:
    return [name for name in COMMANDS if name.startswith(typed)]


@click.command("help", short_help="List all commands, or show the options of one.")
@click.argument("command", required=False, shell_complete=_complete_command)
@click.pass_context
def help_command(context: click.Context, command: str | None) -> None:
    """List all commands, or show the options of COMMAND (same as --help)."""
    shown = root = context.find_root()
    if command:
        numberline.resolve_command(root, [command])  # rejects an unknown command
        shown = click.Context(load_command(command), parent=root, info_name=command)
    click.echo(shown.get_help())


def main() -> None:
    """Run the command-line interface and exit; report errors as messages instead of tracebacks."""
    code = run()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        exit_on_sigint()  # prevents a traceback if Ctrl-C is pressed during interpreter shutdown
    sys.exit(code)


def run() -> int:
    """Run the command-line interface and return the exit code."""
    if not _open_missing_streams():
        click.echo("Error: cannot print: standard output is closed", err=True)
        return EXIT_FAILURE
    escape_output_streams()
    if "_NUMBERLINE_COMPLETE" in os.environ:
        import_module("numberline.cli.completion").register()
    try:
        for name in ("SIGTERM", "SIGHUP"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), _exit_on_signal)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        code = numberline.main(standalone_mode=False)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - every error is reported as a message
        return _report_error(error)
    return code if isinstance(code, int) else EXIT_OK  # the code passed to `context.exit`


def _exit_on_signal(number: int, _: object) -> None:
    """Raise `SystemExit` to unwind the stack, so that child processes are terminated too."""
    raise SystemExit(128 + number)


def _open_missing_streams() -> bool:
    """Replace a closed stdin with an empty stream and a closed stderr with a buffer; return whether stdout is open."""
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.StringIO()
    return sys.stdout is not None


def _report_error(error: BaseException) -> int:
    """Print an error and return the exit code."""
    if isinstance(error, click.Abort | KeyboardInterrupt):
        click.echo(err=True)
        return SIGINT_EXIT_CODE
    if isinstance(error, EndOfInput):
        click.echo(str(error) or "The input ended before the game did.", err=True)
        return EXIT_END_OF_INPUT
    if isinstance(error, BrokenPipeError):
        silence_broken_pipe()
        return EXIT_FAILURE
    problems, code = _problems(error)
    message = "\n".join(f"Error: {_to_line(problem)}" for problem in problems)
    click.echo(wrap_text(message, terminal_width(sys.stderr)), err=True)
    return code


_LONG_WORD = re.compile(r"(\S{300})\S{100,}(\S{100})")


def _to_line(problem: str) -> str:
    """Return `problem` as a single line and shorten very long words, because a message can quote any user input."""
    return _LONG_WORD.sub(r"\1…\2", escape_controls(problem.replace("\n", "\\n")))


def _problems(error: BaseException) -> tuple[list[str], int]:
    """Return the error messages and the exit code for an exception."""
    if isinstance(error, click.ClickException):
        context = error.ctx if isinstance(error, click.UsageError) else None
        see = f" See {context.command_path} --help." if context else ""
        if isinstance(error, click.NoSuchOption):
            similar = find_similar(error.option_name, error.possibilities or ())
            error = click.NoSuchOption(error.option_name, possibilities=[similar] if similar else None, ctx=error.ctx)
        message = error.format_message()
        return [f"{message}{'' if message.endswith(('.', '?')) else '.'}{see}" if see else message], EXIT_USAGE
    if isinstance(error, BookFileError):
        return [f"{error.source_name}: {problem}" for problem in error.problems], EXIT_FAILURE
    if isinstance(error, NumberlineError):
        return [str(error)], EXIT_USAGE if isinstance(error, BookError | OptionError) else EXIT_FAILURE
    if isinstance(error, OSError):
        return [f"{error.filename or 'standard output'}: {os_error_reason(error)}"], EXIT_FAILURE
    if isinstance(error, MemoryError) or "failed to map segment" in str(error):  # raised while loading a shared library
        return ["not enough memory; try a smaller variant, or fewer variants"], EXIT_FAILURE
    if os.environ.get("NUMBERLINE_DEBUG"):
        raise error
    reason = f"{type(error).__name__}: {error}".splitlines()[0]
    return [f"internal error ({reason}); set NUMBERLINE_DEBUG=1 for a traceback"], EXIT_FAILURE


def silence_broken_pipe() -> None:
    """Redirect stdout to the null device, so that a closed pipe (`| head`) causes no error when the program exits."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
