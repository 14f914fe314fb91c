"""`numberline web`, `engine` and `mcp`: the web server, and two servers for other programs over stdin and stdout."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

import click

from numberline.cli.options import Command, OutputPath, WholeNumber, bot_option, usage_errors
from numberline.errors import MissingExtra
from numberline.files.safe_read import open_for_reading
from numberline.files.safe_write import open_atomic
from numberline.startup import SIGINT_EXIT_CODE
from numberline.terminal.console import TextConsole
from numberline.terminal.saves import returns_to_menu
from numberline.text import pluralize

if TYPE_CHECKING:
    from numberline.web.ops.config import ServerConfig
    from numberline.web.store.transfer import TransferStats

EXPORT_FILE_MODE = 0o600  # an export contains the names of players
MAX_ENGINE_LINE_BYTES = 2_000_000  # large enough for a protocol line that contains a whole book


def _server_option(name: str, *names: str, **attributes: Any) -> Callable[[Command], Command]:
    """Return an option that an environment variable can also set, such as NUMBERLINE_HOST for `--host`."""
    variable = f"NUMBERLINE_{name.removeprefix('--').replace('-', '_').upper()}"
    return click.option(name, *names, envvar=variable, **attributes)


def _number_option(
    name: str, limits: tuple[int, int], default: int, unit: str, description: str
) -> Callable[[Command], Command]:
    return _server_option(name, type=WholeNumber(*limits), default=default, metavar=unit, help=description)


def _check_public_url(_: click.Context, __: click.Parameter, url: str) -> str:
    """Validate the URL and return it without trailing slashes."""
    if url and not _is_web_address(url):
        expected = "expected a URL such as https://games.example.org or https://example.org/games"
        raise click.BadParameter(f"'{url}': {expected}.")
    return url.rstrip("/")


def _is_web_address(url: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        has_host = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # unmatched brackets, or an invalid port
        return False
    return has_host and "@" not in parts.netloc and url.isprintable() and not re.search(r"[\s?#]", url)


def _check_proxies(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[str, ...]:
    from ipaddress import ip_network

    for text in given:
        try:
            ip_network(text)
        except ValueError:
            expected = "expected an address such as 192.0.2.7, or a network such as 10.0.0.0/8"
            raise click.BadParameter(f"'{text}': {expected}.") from None
    return given


@click.command("web", short_help="Play in a browser, alone or with others.")
@_server_option(
    "--host", default="127.0.0.1", help="Address to listen on; use 0.0.0.0 to let everyone on your network play."
)
@_server_option(
    "--port", type=WholeNumber(0, 65535), metavar="PORT", default=8000, help="Port to listen on; 0 picks a free port."
)
@_server_option(
    "--db",
    "database",
    metavar="PATH|postgresql://…",
    help="Database for matches: a SQLite file, or PostgreSQL. [default: numberline.db in your data folder]",
)
@_number_option("--workers", (1, 64), 1, "N", "Number of server processes; more than one requires PostgreSQL.")
@_server_option(
    "--public-url",
    default="",
    show_default=False,
    metavar="URL",
    callback=_check_public_url,
    help="Public base URL for links to matches, if it differs from the listening address.",
)
@_number_option("--keep", (1, 36500), 90, "DAYS", "Days to keep a finished match before deleting it.")
@_server_option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    callback=_check_proxies,
    help="Trust X-Forwarded-For from this address or network (localhost is always trusted).",
)
@_server_option(
    "--log",
    type=click.Choice(["plain", "json"]),
    default="plain",
    help="Log format: plain (errors only) or JSON (all events). Player names are never logged.",
)
@_number_option("--solvers", (1, 64), 2, "N", "Number of processes for solving and searching.")
@_server_option("--max-connections", type=WholeNumber(40), default=20_000, help="Maximum number of open connections.")
@_server_option("--metrics", is_flag=True, help="Also serve /metrics to remote clients.")
@click.option(
    "--book",
    "book_files",
    multiple=True,
    metavar="FILE",
    help="Also offer the book in this TOML file on the home page. Can be repeated.",
)
@click.option("--migrate", is_flag=True, help="Upgrade a database created by an older version of Numberline and exit.")
@click.option(
    "--export",
    "export_file",
    metavar="FILE|-",
    type=OutputPath('^{"match":'),
    help="Export all matches to a file (- for standard output) and exit.",
)
@click.option("--import", "import_file", metavar="FILE", help="Import all matches from an exported file and exit.")
@click.option(
    "--browser/--no-browser", default=None, help="Open the page in your browser. [default: only in a terminal]"
)
def web(
    host: str,
    port: int,
    database: str | None,
    workers: int,
    book_files: tuple[str, ...],
    export_file: Path | None,
    import_file: str | None,
    *,
    migrate: bool,
    browser: bool | None,
    **settings: Any,
) -> None:
    """Play in a browser: alone, with someone next to you, or with a friend you send a link to."""
    address = _database_address(database)
    try:
        if migrate or export_file or import_file:
            _run_maintenance(address, migrate=migrate, export_file=export_file, import_file=import_file)
            return
        gc.disable()  # for a faster start; re-enabled once everything is loaded
        from numberline.web.ops.config import ServerConfig, bind_socket
        from numberline.web.ops.logging import configure_logging
        from numberline.web.server import serve
    except ModuleNotFoundError:
        raise MissingExtra("The web server", "web") from None
    host = host.removeprefix("[").removesuffix("]")  # IPv6 addresses may be given in URL notation
    books = _read_books(book_files)
    configure_logging(settings["log"])
    listener = bind_socket(host, port)
    config = ServerConfig(address, host, listener.getsockname()[1], books=books, **settings)

    def on_started() -> None:
        _print_addresses(config)
        if sys.stdout.isatty() if browser is None else browser:
            import webbrowser

            webbrowser.open(_local_url(config))

    if workers > 1:
        from numberline.web.ops.supervisor import serve_with_workers

        interrupted = serve_with_workers(workers, config, listener, on_started)
    else:
        interrupted = serve(config, listener, on_started, exits=not returns_to_menu(TextConsole()))
    if interrupted:
        click.echo(err=True)
        if not returns_to_menu(TextConsole()):
            click.get_current_context().exit(SIGINT_EXIT_CODE)


def _database_address(given: str | None) -> str:
    if given and "://" in given:
        return given
    if given:
        return f"sqlite:///{Path(given).absolute()}"
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('numberline', ensure_exists=True) / 'numberline.db'}"


def _run_maintenance(address: str, *, migrate: bool, export_file: Path | None, import_file: str | None) -> None:
    """Run a database maintenance command instead of the server."""
    if migrate + bool(export_file) + bool(import_file) > 1:
        raise click.UsageError("use only one of --migrate, --export and --import")
    if migrate:
        _migrate(address)
    elif export_file:
        _export(address, export_file)
    elif import_file:
        _import(address, import_file)


def _migrate(address: str) -> None:
    from numberline.web.store.migrate import migrate

    before, after = migrate(address)
    if before == after:
        click.echo(f"The database is up to date (version {after}).")
    elif before:
        click.echo(f"Upgraded the database from version {before} to {after}.")
    else:
        click.echo(f"Created a new database (version {after}).")


def _export(address: str, file: Path) -> None:
    """Write all matches to a file."""
    from numberline.web.store.postgres import is_postgres
    from numberline.web.store.store import Store, StoreError
    from numberline.web.store.tables import sqlite_path
    from numberline.web.store.transfer import export_matches

    path = None if is_postgres(address) else sqlite_path(address)
    if path and not path.exists():
        raise StoreError(f"no database at {path}; specify one with --db")
    with (
        closing(Store(address)) as store,
        _show_progress() as on_progress,
        open_atomic(file, EXPORT_FILE_MODE) as output,
    ):
        stats = export_matches(store, output, on_progress)
    click.echo(f"{_describe(stats)} exported.", err=True)


def _import(address: str, file: str) -> None:
    """Import all matches from a file, or none if any of them is invalid."""
    from numberline.web.store.store import Store, StoreError
    from numberline.web.store.transfer import import_matches

    with open_for_reading(Path(file)) as source, closing(Store(address)) as store, _show_progress() as on_progress:
        if not source.seekable():
            raise StoreError(f"cannot import {file}: not a regular file")
        stats = import_matches(store, source, on_progress)
    known = f" ({stats.already_stored:,} already stored)" if stats.already_stored else ""
    click.echo(f"{_describe(stats)} imported{known}.", err=True)


def _describe(stats: TransferStats) -> str:
    return f"{stats.matches:,} {'match' if stats.matches == 1 else 'matches'} with {pluralize(stats.events, 'event')}"


@contextmanager
def _show_progress() -> Iterator[Callable[[TransferStats], Any]]:
    """Yield a callback that shows the number of transferred matches if stderr is a terminal."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    yield lambda stats: click.echo(f"\r{_describe(stats)} …", err=True, nl=False)
    click.echo("\r\033[K", err=True, nl=False)


def _read_books(files: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the name and source text of each custom book."""
    if not files:
        return ()
    from numberline.game.loader import book, book_names

    texts: dict[str, str] = {}
    for file in files:
        custom = book(Path(file))
        if custom.name in (*book_names(), *texts):
            problem = f"{file}: there is already a book named {custom.name}; rename the file."
            raise click.BadParameter(problem, param_hint="'--book'")
        texts[custom.name] = custom.source or ""
    return tuple(texts.items())


def _local_url(config: ServerConfig) -> str:
    from numberline.web.ops.config import server_url

    return f"{server_url('127.0.0.1' if config.listens_on_all else config.host, config.port)}/"


def _print_addresses(config: ServerConfig) -> None:
    click.echo(f"Serving at {_local_url(config)}  (press Ctrl-C to stop)")
    if config.local_only:
        advice = "; use --host 0.0.0.0 to let others on your network play"
        click.echo(f"Only this machine can connect{'' if returns_to_menu(TextConsole()) else advice}.")
        return
    from numberline.web.ops.config import lan_address, server_url

    address = config.public_url or server_url(lan_address() if config.listens_on_all else config.host, config.port)
    click.echo(f"Others can join at {address}/")
    if sys.stdout.isatty():
        import segno

        segno.make(f"{address}/").terminal(compact=True)
        sys.stdout.flush()  # the server runs on, so nothing else would show what is buffered


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
    lines = iter(lambda: read_stdin_line(MAX_ENGINE_LINE_BYTES), b"")
    for reply in EngineSession(bot).respond(line.decode(errors="replace") for line in lines):
        sys.stdout.write(f"{reply}\n")
        sys.stdout.flush()


@click.command("mcp", short_help="Let a language model play through tool calls.")
def mcp() -> None:
    """Serve the games as Model Context Protocol tools over standard input and output."""
    from numberline.envs.mcp import server

    server().run()
