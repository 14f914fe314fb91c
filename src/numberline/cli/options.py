"""Options, argument types and output helpers shared by several commands, and default options from a TOML file."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from numberline.cli import COMMANDS, completion, load_command
from numberline.errors import NumberlineError, RecordError
from numberline.files.safe_read import InvalidTextFile, os_error_reason, read_text
from numberline.files.safe_write import check_overwrite, check_parent_dir, is_stream, write_atomic
from numberline.game import Book, Match
from numberline.game.book_file import parse_toml
from numberline.game.loader import book
from numberline.game.notation import parse_records
from numberline.parallel import ClusterError, cpu_count, parse_workers
from numberline.terminal.console import progress_bar, terminal_width, wrap_text
from numberline.text import pluralize, quote

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_RECORD_BYTES = 50_000_000
_MAX_PARAGRAPH_COLUMNS = 100
_EXAMPLE_CONFIG = '[play]\nnames = "Ann,Bob"\nvs = "auto"'

Item = TypeVar("Item")
Command = TypeVar("Command", bound=Callable[..., Any])


class OutputPath(click.Path):
    """Path of an output file or directory, checked early for a missing parent directory or a wrong extension.

    A hyphen stands for standard output.

    `mark` is a regex that matches in every file of a command; an existing file without it is not overwritten.
    """

    def __init__(self, mark: str = "", *, dir_okay: bool = False, svg: bool = False) -> None:
        super().__init__(dir_okay=dir_okay, path_type=Path)
        self._mark, self._svg = mark, svg

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path("/dev/stdout" if value == "-" else str(super().convert(value, param, ctx)))
        if self._svg:
            from numberline.reports.charts import require_svg  # not needed without --plot

            require_svg(path)
        if not self.dir_okay:
            check_parent_dir(path)
            check_overwrite(path, self._mark)
            if ctx and path in ctx.params.values() and not is_stream(path):
                self.fail(f"'{path}' is also the file of another option.", param, ctx)
        return path


class WholeNumber(click.IntRange):
    """`click.IntRange` whose type is called "whole number" in messages."""

    name = "whole number"


class Seconds(click.FloatRange):
    """`click.FloatRange` whose type is called "number" in messages."""

    name = "number"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        seconds: float = super().convert(value, param, ctx)
        return self.fail("nan is not a valid number.", param, ctx) if isnan(seconds) else seconds


OUTPUT_FILE, TABLE_FILE = OutputPath(), OutputPath("^.*,(fingerprint|opponent),")
PAGE_FILE, SVG_FILE = OutputPath("Made by numberline"), OutputPath('^<svg class="chart"', svg=True)

settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=completion.settings,
    help="Change a setting, such as end=30. Can be repeated.",
)


def number_option(
    name: str, low: int, high: int | None, description: str, **attributes: Any
) -> Callable[[Command], Command]:
    return click.option(name, type=WholeNumber(low, high), metavar="N", help=description, **attributes)


plain_option = click.option("--plain", is_flag=True, help="Print sentences instead of drawings, for screen readers.")
fast_option = click.option("--fast", is_flag=True, help="Don't pause for half a second before each move of a bot.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def bot_option(default: str, description: str) -> Callable[[Command], Command]:
    return click.option("--bot", default=default, metavar="BOT", shell_complete=completion.bots, help=description)


def parse_size(given: str) -> int:
    """Return the number of bytes in a size such as 500MB or 8GiB."""
    match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMGT]?)(i?B)?", given.strip(), re.IGNORECASE)
    size = int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " ")) if match else 0
    if not size:
        raise click.BadParameter(f"'{given}': expected a size such as 500MB or 8GB.")
    return size


def memory_option(command: Command) -> Command:
    """Add the `--memory` option; the solver is imported here because commands without this option may not need it."""
    from numberline.solver.index import DEFAULT_MEMORY_BYTES, format_bytes

    return click.option(
        "--memory",
        metavar="SIZE",
        default=format_bytes(DEFAULT_MEMORY_BYTES),
        callback=lambda _context, _parameter, given: parse_size(given),
        help="Maximum memory for solving.",
    )(command)


players_option = click.option(
    "--players",
    metavar="SKILLS",
    help="One skill for both players, or one for each, such as sight:3,slip:10. [default: slip:25]",
)


def workers_option(default: str | None = None) -> Callable[[Command], Command]:
    def parse(_: click.Context, __: click.Parameter, given: str | None) -> int | str | None:
        with usage_errors(ClusterError, "--workers"):
            return None if given is None else parse_workers(given)

    text = "Number of processes, or the address of a Dask scheduler (tcp://host:8786)."
    return click.option("--workers", default=default, metavar="WORKERS", callback=parse, help=text)


yes_option = click.option("--yes", is_flag=True, help="Start without asking for confirmation, even if the run is long.")


def confirm_large(variants: int, estimate: Callable[[int], str], workers: int | str | None, *, yes: bool) -> None:
    """Ask for confirmation before measuring many variants; `estimate(cores)` describes the expected time as text."""
    cores = workers if isinstance(workers, int) else cpu_count()
    with progress_bar(f"Estimating the time for {variants:,} variants"):
        estimated = f"{pluralize(variants, 'variant')}: about {estimate(cores)} on {pluralize(cores, 'core')}"
    if yes:
        click.echo(f"{estimated}.", err=True)
    elif sys.stdin.isatty():
        click.confirm(f"{estimated}. Start?", abort=True, err=True)
    else:
        raise click.UsageError(f"{estimated}; use --yes to start anyway, or choose fewer variants.")


@contextmanager
def usage_errors(kind: type[NumberlineError], option: str | None = None) -> Iterator[None]:
    """Convert exceptions of type `kind` to usage errors; if `option` is given, the message names that option."""
    try:
        yield
    except kind as error:
        raise click.BadParameter(f"{error}.", param_hint=option) if option else click.UsageError(f"{error}.") from None


def load_variant(name: str, settings: tuple[str, ...]) -> Book:
    """Load a book, variant or book file and apply `settings`."""
    game = book(name)
    return game.vary(*settings) if settings else game


def find_record(given: str | None) -> Path:
    """Return the path of a record file, given that path or the number of a finished game (default: the last one)."""
    if given and (Path(given).exists() or not given.isdecimal()):
        return Path(given)
    from numberline.terminal.records import finished_games  # not needed for a file

    games = print_problems(finished_games())
    if not games:
        raise click.UsageError("You have no finished games yet; play one at a terminal, or specify a record FILE.")
    number = int((given or "1")[:9])
    if not 0 < number <= len(games):
        known = f"you have {pluralize(len(games), 'finished game')}"
        raise click.UsageError(f"'{given}': no such file, and {known}; numberline games lists them.")
    return games[number - 1].path


def print_problems(found: Iterable[Item | str]) -> list[Item]:
    """Print the error messages (strings) in `found` to stderr and return the other items."""
    items = list(found)
    for message in filter(lambda item: isinstance(item, str), items):
        click.echo(message, err=True)
    return [item for item in items if not isinstance(item, str)]


def read_record_file(file: Path) -> list[Match]:
    """Read a record file and return its games."""
    try:
        text = read_text(file, MAX_RECORD_BYTES)
    except InvalidTextFile as error:
        raise RecordError(f"{file}: {error}; expected a game record") from None
    return parse_records(text, str(file))


def match_report(match: Match) -> dict[str, object]:
    """Return the fields that all `--json` reports of a match have in common."""
    outcome = match.outcome._asdict() if match.outcome else None
    return {"variant": match.book.variant, "first": match.first, "names": match.names, "outcome": outcome}


def write_page(path: Path, page: str) -> None:
    write_atomic(path, page)
    click.echo(f"Wrote the page to {path}.", err=True)


def write_chart(path: Path, title: str, charts: Sequence[Element]) -> None:
    from numberline.reports.charts import save_svg  # not needed without --plot

    save_svg(path, title, charts)
    click.echo(f"Wrote the chart to {path}.", err=True)


def print_json(report: Any) -> None:
    click.echo(json.dumps(report, indent=2, ensure_ascii=False))


def print_paragraph(text: str, indent: str = "", start: str = "") -> None:
    """Print a paragraph, wrapped if stdout is a terminal; `start` replaces the indentation of the first line."""
    columns = terminal_width()
    wrapped = wrap_text(text, columns and min(_MAX_PARAGRAPH_COLUMNS, columns), indent)
    click.echo(start + wrapped[len(start) :])


# Default options


class ConfigError(NumberlineError):
    """Error for an invalid configuration file."""


@click.command("config", short_help="Show your default options and where they are stored.")
@as_json
def config(*, as_json: bool) -> None:
    """Show your default options and the configuration file they come from."""
    found = read_defaults()
    if as_json:
        print_json({"file": str(config_path()), "defaults": found})
    elif not found:
        click.echo(f"You have no default options yet. Add some to {config_path()}, such as:\n\n{_EXAMPLE_CONFIG}")
    else:
        click.echo(f"From {config_path()}:")
        for name, defaults in found.items():
            for typed, option in _options(name).items():
                if option.name in defaults:
                    click.echo(f"  {name} --{typed}: {defaults[option.name]}")


def config_path() -> Path:
    from platformdirs import user_config_path

    return user_config_path("numberline") / "config.toml"


def read_defaults() -> dict[str, dict[str, Any]]:
    """Return the default options of each command by parameter, or nothing if there is no configuration file."""
    file = config_path()
    try:
        data = parse_toml(read_text(file, 1_000_000))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as error:
        raise ConfigError(f"{file}: {os_error_reason(error)}; fix or remove the file") from None
    except (InvalidTextFile, tomllib.TOMLDecodeError) as error:
        raise ConfigError(f"{file}: {error}") from None
    except ValueError:
        raise ConfigError(f"{file}: a number has too many digits") from None
    except RecursionError:
        raise ConfigError(f"{file}: nested too deeply; expected a table for each command") from None
    return {name: _command_defaults(file, name, table) for name, table in data.items()}


def _command_defaults(file: Path, name: str, table: Any) -> dict[str, Any]:
    if name not in COMMANDS or not isinstance(table, dict):
        raise ConfigError(f"{file}: {name}: expected a table named after a command: {', '.join(COMMANDS)}")
    options = _options(name)
    # Early versions also accepted the names of parameters, such as `settings` for --set.
    known = {str(option.name).replace("_", "-"): option for option in options.values()} | options
    found = {typed: known.get(typed.replace("_", "-")) for typed in table}
    if unknown := next((typed for typed, option in found.items() if not option), None):
        raise ConfigError(f"{file}: unknown option {name}.{unknown}; choose from {', '.join(sorted(options))}")
    where = f"{file}: {name}"
    return {
        str(option.name): _default_value(f"{where}.{typed}", option, table[typed])
        for typed, option in found.items()
        if option
    }


def _options(command: str) -> dict[str, click.Option]:
    """Return the options of a command by the names that users type, without `--`."""
    options = [option for option in load_command(command).params if isinstance(option, click.Option)]
    return {max(option.opts, key=len)[2:]: option for option in options if not option.hidden}


def _default_value(where: str, option: click.Option, value: Any) -> Any:
    """Return a configured value after checking its type; the command itself validates everything else."""
    if option.is_flag:
        expected, valid = "true or false", isinstance(value, bool)
    elif option.multiple:
        expected, valid = "a list of strings", isinstance(value, list) and all(map(_is_plain, value))
    else:
        expected, valid = "a string or a whole number", _is_plain(value)
    if not valid:
        raise ConfigError(f"{where}: expected {expected}, found {quote(str(value))}")
    return str(value) if isinstance(option.type, click.Path) else value  # a file name such as 2024 is a number in TOML


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        return bool(value) and "\0" not in value  # neither is accepted on a command line
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63
