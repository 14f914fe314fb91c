"""Options, argument types and output helpers shared by several commands."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from numberline.cli import completion
from numberline.errors import NumberlineError, RecordError
from numberline.files.safe_read import InvalidTextFile, read_text
from numberline.files.safe_write import check_parent_dir, write_atomic
from numberline.game import Book, Match
from numberline.game.loader import book
from numberline.game.notation import parse_records
from numberline.parallel import ClusterError, parse_workers
from numberline.terminal.console import terminal_width, wrap_text

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

MAX_RECORD_BYTES = 50_000_000
_MAX_PARAGRAPH_COLUMNS = 100

Item = TypeVar("Item")
Command = TypeVar("Command", bound=Callable[..., Any])


class OutputPath(click.Path):
    """File or directory to write; for a file, a missing folder or a wrong suffix is reported before the work starts."""

    def __init__(self, *, dir_okay: bool = False, svg: bool = False) -> None:
        super().__init__(dir_okay=dir_okay, path_type=Path)
        self._svg = svg

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        if not str(value):
            self.fail("expected the name of a file, not an empty text.", param, ctx)
        path = Path(str(super().convert(value, param, ctx)))
        if self._svg:
            from numberline.reports.charts import require_svg  # not needed without --plot

            require_svg(path)
        if not self.dir_okay:
            check_parent_dir(path)
        return path


OUTPUT_FILE, SVG_FILE = OutputPath(), OutputPath(svg=True)

settings_option = click.option(
    "--set",
    "settings",
    multiple=True,
    metavar="NAME=VALUE",
    shell_complete=completion.settings,
    help="Change a setting, such as end=30. Can be repeated.",
)
plain_option = click.option("--plain", is_flag=True, help="Print sentences instead of drawings, for screen readers.")
fast_option = click.option("--fast", is_flag=True, help="Don't wait half a second before each move of a bot.")
as_json = click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")


def bot_option(default: str, description: str) -> Callable[[Command], Command]:
    return click.option("--bot", default=default, metavar="BOT", shell_complete=completion.bots, help=description)


class ByteSize(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions
    """A number of bytes, such as 500MB or 8GiB."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        match = re.fullmatch(r"([0-9]{1,15}(?:\.[0-9]{1,9})?) ?([KMGT]?)(i?B)?", str(value).strip(), re.IGNORECASE)
        if not match:
            self.fail(f"'{value}': expected a size such as 500MB or 8GB.", param, ctx)
        return int(float(match[1]) * 1024 ** " KMGT".index(match[2].upper() or " "))


class Workers(click.ParamType):  # type: ignore[type-arg]  # not generic in older versions
    """A number of processes, or the address of a Dask scheduler."""

    name = "workers"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int | str:
        try:
            return parse_workers(str(value))
        except ClusterError as error:
            self.fail(f"{error}.", param, ctx)


def memory_option(command: Command) -> Command:
    """Add the option `--memory`; only commands that call this function need to import the solver."""
    from numberline.solver.index import DEFAULT_MEMORY_BYTES, format_bytes

    size, text = DEFAULT_MEMORY_BYTES, format_bytes(DEFAULT_MEMORY_BYTES)
    option = click.option(
        "--memory", type=ByteSize(), default=size, show_default=text, help="Maximum memory for solving."
    )
    return option(command)


players_option = click.option(
    "--players", metavar="SKILLS", help="Skill of both players, or of each, such as sight:3,slip:10. [default: slip:25]"
)
workers_option = click.option(
    "--workers", type=Workers(), help="Number of processes, or the address of a Dask scheduler (tcp://host:8786)."
)


@contextmanager
def usage_errors(kind: type[NumberlineError], option: str | None = None) -> Iterator[None]:
    """Report errors of this kind as usage errors, naming `option` if it is given."""
    try:
        yield
    except kind as error:
        raise click.BadParameter(f"{error}.", param_hint=option) if option else click.UsageError(f"{error}.") from None


def load_variant(name: str, settings: tuple[str, ...]) -> Book:
    """Load a book, variant or book file and apply `settings`."""
    game = book(name)
    return game.vary(*settings) if settings else game


def find_record(given: str | None) -> Path:
    """Return the path of a record, given as a path or as the number of a finished game; by default, the last game."""
    if given and (Path(given).exists() or not given.isdecimal()):
        return Path(given)
    from numberline.terminal.records import finished_games  # not needed for a file

    games = print_problems(finished_games())
    if not games:
        raise click.UsageError("You have no finished games yet; play one at a terminal, or specify a record FILE.")
    number = int((given or "1")[:9])
    if not 0 < number <= len(games):
        known = (
            f"finished games are numbered 1 to {len(games)}" if len(games) > 1 else "the only finished game is number 1"
        )
        raise click.UsageError(f"'{given}': no such file, and {known}; numberline games lists them.")
    return games[number - 1].path


def print_problems(found: Iterable[Item | str]) -> list[Item]:
    """Print the strings in `found` to stderr as messages and return the other items."""
    items = []
    for item in found:
        if isinstance(item, str):
            click.echo(item, err=True)
        else:
            items.append(item)
    return items


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
