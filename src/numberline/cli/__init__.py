"""The command line: one module a command, which parses, calls and prints."""

from __future__ import annotations

import io
import os
import re
import signal
import sys
from importlib import import_module

import click

from numberline import __version__
from numberline.errors import BookError, BookFileError, NumberlineError
from numberline.files import os_error_reason
from numberline.startup import SIGINT_EXIT_CODE, exit_on_sigint
from numberline.terminal.console import EndOfInput, escape_output_streams, terminal_width, wrap_text
from numberline.text import did_you_mean, escape_controls

COMMANDS = (
    "play",
    "resume",
    "rules",
    "check",
    "solve",
    "measure",
    "map",
    "find",
    "print",
    "replay",
    "review",
    "games",
    "puzzle",
    "learn",
    "books",
    "config",
    "web",
    "engine",
    "mcp",
    "arena",
    "export",
    "help",
)
"""Each command is `command` in the module of its name; it is loaded when it is called."""

EXIT_OK, EXIT_FAILURE, EXIT_USAGE, EXIT_END_OF_INPUT = 0, 1, 2, 3
"""The exit codes: done, quit or resigned; a file or a run failed; wrong command line; end of input."""


class _LazyGroup(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command: click.Command = import_module(f"numberline.cli.{cmd_name}").command
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not args[0].startswith("-") and not ctx.resilient_parsing:
            ctx.fail(f"No such command '{args[0]}'{did_you_mean(args[0], COMMANDS)}.")
        return super().resolve_command(ctx, args)


@click.group(
    cls=_LazyGroup,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog='Called without a command, it asks what you would like to do. See "numberline play --help".',
)
@click.version_option(__version__, prog_name="numberline")
@click.pass_context
def numberline(context: click.Context) -> None:
    """Two-player games on a number line: play them, change their rules, see what that does."""
    if context.invoked_subcommand != "config":
        config = import_module("numberline.cli.config")
        context.default_map = config.defaults()
    if context.invoked_subcommand is None:
        import_module("numberline.cli.menu").start_menu(context)


def _help_for(error: click.ClickException) -> str:
    """Where to read on, for a command line that was not understood."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f" See {context.command_path} --help." if context else ""


def main() -> None:
    """Runs the command line; every error is one sentence, never a traceback."""
    code = run()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        exit_on_sigint()  # nothing is left to be interrupted
    sys.exit(code)


def run() -> int:
    """The exit code of the command line."""
    if not _has_streams():
        click.echo("Error: there is nowhere to print to: the standard output is closed", err=True)
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
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - nobody is shown a traceback unasked
        return _report_error(error)
    return code if isinstance(code, int) else EXIT_OK  # what `context.exit` was given


def _exit_on_signal(number: int, _: object) -> None:
    """Leaves in good order when the program is told to end: what it started ends with it."""
    raise SystemExit(128 + number)


def _has_streams() -> bool:
    """Whether there is an output; a closed input is one that has ended, and errors that nobody reads go nowhere."""
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.StringIO()
    return sys.stdout is not None


def _report_error(error: BaseException) -> int:
    """The exit code for what went wrong, which is said in a sentence."""
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
    said = "\n".join(f"Error: {_in_a_line(problem)}" for problem in problems)
    click.echo(wrap_text(said, terminal_width(sys.stderr)), err=True)
    return code


_LONG = re.compile(r"(\S{300})\S{100,}(\S{100})")
"""A word, or a number, of which nobody reads the middle."""


def _in_a_line(problem: str) -> str:
    """A sentence as it is printed, whatever is repeated in it of what was given."""
    return _LONG.sub(r"\1…\2", escape_controls(problem.replace("\n", "\\n")))


def _problems(error: BaseException) -> tuple[list[str], int]:
    """What went wrong, in a sentence or several, and the exit code for it."""
    if isinstance(error, click.ClickException):
        return [error.format_message() + _help_for(error)], EXIT_USAGE
    if isinstance(error, BookFileError):
        return [f"{error.source_name}: {problem}" for problem in error.problems], EXIT_FAILURE
    if isinstance(error, NumberlineError):
        return [str(error)], EXIT_USAGE if isinstance(error, BookError) else EXIT_FAILURE
    if isinstance(error, OSError):
        return [f"{error.filename or 'the standard output'}: {os_error_reason(error)}"], EXIT_FAILURE
    if isinstance(error, MemoryError) or "failed to map segment" in str(error):  # of a library that is loaded late
        return ["there is not enough memory for this; something smaller may do"], EXIT_FAILURE
    if os.environ.get("NUMBERLINE_DEBUG"):
        raise error
    mistake = f"{type(error).__name__}: {error}".splitlines()[0]
    return [f"Numberline has made a mistake ({mistake}); NUMBERLINE_DEBUG=1 shows where"], EXIT_FAILURE


def silence_broken_pipe() -> None:
    """Keeps a reader that went away (`| head`) from being an error at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
