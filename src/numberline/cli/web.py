"""`numberline web`: the web server for playing in a browser."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from numberline.errors import MissingExtra
from numberline.files.safe_read import open_for_reading
from numberline.files.safe_write import check_parent_dir, open_atomic
from numberline.startup import SIGINT_EXIT_CODE
from numberline.text import pluralize

if TYPE_CHECKING:
    from numberline.web.ops.config import ServerConfig
    from numberline.web.store.transfer import TransferStats

EXPORT_FILE_MODE = 0o600  # an export contains the names of players


@click.command("web", short_help="Play in a browser, alone or with others.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    envvar="NUMBERLINE_HOST",
    help="Address to listen on; use 0.0.0.0 to let everyone on your network play.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    envvar="NUMBERLINE_PORT",
    help="Port to listen on; 0 picks a free port.",
)
@click.option(
    "--db",
    "database",
    metavar="PATH|postgresql://…",
    envvar="NUMBERLINE_DB",
    help="Database for matches: a SQLite file, or PostgreSQL. [default: numberline.db in your data folder]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    envvar="NUMBERLINE_WORKERS",
    help="Number of server processes; more than one requires PostgreSQL.",
)
@click.option(
    "--public-url",
    default="",
    metavar="URL",
    envvar="NUMBERLINE_PUBLIC_URL",
    help="Public base URL for links to matches, if it differs from the listening address.",
)
@click.option(
    "--keep",
    type=click.IntRange(1, 36500),
    default=90,
    show_default=True,
    metavar="DAYS",
    envvar="NUMBERLINE_KEEP",
    help="Days to keep a finished match before deleting it.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    envvar="NUMBERLINE_PROXY",
    help="Trust X-Forwarded-For from this address or network (localhost is always trusted).",
)
@click.option(
    "--log",
    "log",
    type=click.Choice(["plain", "json"]),
    default="plain",
    show_default=True,
    envvar="NUMBERLINE_LOG",
    help="Log format: plain (errors only) or JSON (all events). Player names are never logged.",
)
@click.option(
    "--metrics",
    is_flag=True,
    envvar="NUMBERLINE_METRICS",
    help="Also serve /metrics to remote clients.",
)
@click.option(
    "--book",
    "book_files",
    multiple=True,
    metavar="FILE",
    help="Also offer the book in this TOML file on the home page. Can be repeated.",
)
@click.option("--migrate", is_flag=True, help="Upgrade a database created by an older version of Numberline and exit.")
@click.option(
    "--export", "export_file", metavar="FILE|-", help="Export all matches to a file (- for standard output) and exit."
)
@click.option("--import", "import_file", metavar="FILE", help="Import all matches from an exported file and exit.")
@click.option(
    "--browser/--no-browser", default=None, help="Open the page in your browser. [default: only in a terminal]"
)
def command(
    host: str,
    port: int,
    database: str | None,
    workers: int,
    public_url: str,
    keep: int,
    proxies: tuple[str, ...],
    log: str,
    book_files: tuple[str, ...],
    export_file: str | None,
    import_file: str | None,
    *,
    metrics: bool,
    migrate: bool,
    browser: bool | None,
) -> None:
    """Play in a browser: alone, with someone next to you, or with a friend you send a link."""
    gc.disable()  # re-enabled once everything is loaded, for a faster start
    try:
        from numberline.web.ops.config import ServerConfig, bind_socket
        from numberline.web.ops.logging import configure_logging
        from numberline.web.server import serve
    except ModuleNotFoundError:
        raise MissingExtra("The web server", "web") from None
    if migrate or export_file or import_file:
        _run_maintenance(_database_address(database), migrate=migrate, export_file=export_file, import_file=import_file)
        return
    host = host.removeprefix("[").removesuffix("]")  # IPv6 addresses may be given in URL notation
    config = ServerConfig(
        _database_address(database),
        host,
        port,
        _check_public_url(public_url),
        keep,
        metrics,
        _check_proxies(proxies),
        log,
        _read_books(book_files),
    )
    configure_logging(log)
    listener = bind_socket(host, port)
    config = config._replace(port=listener.getsockname()[1])

    def on_started() -> None:
        _print_addresses(config)
        if sys.stdout.isatty() if browser is None else browser:
            import webbrowser

            webbrowser.open(_local_url(config))

    if workers > 1:
        from numberline.web.ops.supervisor import serve_with_workers

        interrupted = serve_with_workers(workers, config, listener, on_started)
    else:
        interrupted = serve(config, listener, on_started)
    if interrupted:
        click.echo(err=True)
        click.get_current_context().exit(SIGINT_EXIT_CODE)


def _database_address(given: str | None) -> str:
    if given and "://" in given:
        return given
    if given:
        return f"sqlite:///{Path(given).absolute()}"
    from platformdirs import user_data_path

    return f"sqlite:///{user_data_path('numberline', ensure_exists=True) / 'numberline.db'}"


def _run_maintenance(address: str, *, migrate: bool, export_file: str | None, import_file: str | None) -> None:
    """Run a database maintenance command instead of the server."""
    if migrate + bool(export_file) + bool(import_file) > 1:
        raise click.UsageError("use only one of --migrate, --export and --import")
    gc.enable()
    if migrate:
        try:
            _migrate(address)
        except ModuleNotFoundError:
            raise MissingExtra("The web server", "web") from None
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


def _export(address: str, file: str) -> None:
    """Write all matches to a file, or to standard output for `-`."""
    from numberline.web.store.postgres import is_postgres
    from numberline.web.store.store import Store, StoreError
    from numberline.web.store.tables import sqlite_path
    from numberline.web.store.transfer import export_matches

    path = None if is_postgres(address) else sqlite_path(address)
    if path and not path.exists():
        raise StoreError(f"no database at {path}; specify one with --db")
    with closing(Store(address)) as store, _show_progress() as on_progress:
        if file == "-":
            stats = export_matches(store, sys.stdout.buffer, on_progress)
            sys.stdout.buffer.flush()
        else:
            check_parent_dir(Path(file))
            with open_atomic(Path(file), EXPORT_FILE_MODE) as output:
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
    """Show the number of transferred matches if stderr is a terminal."""
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
            raise click.BadParameter(
                f"{file}: there is already a book named {custom.name}; rename the file.", param_hint="'--book'"
            )
        texts[custom.name] = custom.source or ""
    return tuple(texts.items())


def _check_proxies(given: tuple[str, ...]) -> tuple[str, ...]:
    from ipaddress import ip_network

    for text in given:
        try:
            ip_network(text)
        except ValueError:
            raise click.BadParameter(
                f"'{text}': expected an address such as 192.0.2.7, or a network such as 10.0.0.0/8.",
                param_hint="'--proxy'",
            ) from None
    return given


def _check_public_url(url: str) -> str:
    """Validate the URL and return it without trailing slashes."""
    if url and not _is_web_address(url):
        raise click.BadParameter(
            f"'{url}': expected a URL such as https://games.example.org or https://example.org/games.",
            param_hint="'--public-url'",
        )
    return url.rstrip("/")


def _is_web_address(url: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        has_host = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # unmatched brackets, or an invalid port
        return False
    return has_host and "@" not in parts.netloc and url.isprintable() and not re.search(r"[\s?#]", url)


def _local_url(config: ServerConfig) -> str:
    from numberline.web.ops.config import server_url

    return f"{server_url('127.0.0.1' if config.listens_on_all else config.host, config.port)}/"


def _print_addresses(config: ServerConfig) -> None:
    click.echo(f"Serving at {_local_url(config)}  (press Ctrl-C to stop)")
    if config.local_only:
        click.echo("Only this machine can connect; use --host 0.0.0.0 to let others on your network play.")
        return
    from numberline.web.ops.config import lan_address, server_url

    address = config.public_url or server_url(lan_address() if config.listens_on_all else config.host, config.port)
    click.echo(f"Others can join at {address}/")
    if sys.stdout.isatty():
        import segno

        segno.make(f"{address}/").terminal(compact=True)
