"""`numberline web`: the games in a browser, alone, with somebody beside you or with somebody far away."""

from __future__ import annotations

import gc
import re
import sys
from pathlib import Path

import click

from numberline.errors import NumberlineError
from numberline.startup import SIGINT_EXIT_CODE

MISSING_WEB_EXTRA = 'The table in a browser needs a few packages; install them with: pip install "numberline[web]"'


class MissingExtra(NumberlineError):
    """Packages that are not there; the text says how to install them."""


@click.command("web", short_help="Open the games in a browser, for you and for others.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    envvar="NUMBERLINE_HOST",
    help="The address to listen on; 0.0.0.0 lets everybody in your network play.",
)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8000,
    show_default=True,
    envvar="NUMBERLINE_PORT",
    help="The port to listen on; 0 finds a free one.",
)
@click.option(
    "--db",
    "database",
    metavar="PATH|postgresql://…",
    envvar="NUMBERLINE_DB",
    help="Where matches are kept: a file, or a PostgreSQL. [default: numberline.db in your data folder]",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 64),
    default=1,
    show_default=True,
    metavar="N",
    envvar="NUMBERLINE_WORKERS",
    help="How many processes answer; more than one needs PostgreSQL.",
)
@click.option(
    "--public-url",
    default="",
    metavar="URL",
    envvar="NUMBERLINE_PUBLIC_URL",
    help="What links to a match begin with, where the server is reached by another address.",
)
@click.option(
    "--keep",
    type=click.IntRange(1, 36500),
    default=90,
    show_default=True,
    metavar="DAYS",
    envvar="NUMBERLINE_KEEP",
    help="How many days a match is kept after its end.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    envvar="NUMBERLINE_PROXY",
    help="Believe this address, or network, whom it asks for (X-Forwarded-For); this machine always is.",
)
@click.option(
    "--log",
    "log",
    type=click.Choice(["plain", "json"]),
    default="plain",
    show_default=True,
    envvar="NUMBERLINE_LOG",
    help="How the server notes what happens, without names: sentences of what went wrong, or JSON of everything.",
)
@click.option(
    "--metrics",
    is_flag=True,
    envvar="NUMBERLINE_METRICS",
    help="Show /metrics to others, too, not only to this machine.",
)
@click.option(
    "--book",
    "book_files",
    multiple=True,
    metavar="FILE",
    help="Offer the book in this TOML file on the first page, too. Can be given several times.",
)
@click.option("--migrate", is_flag=True, help="Upgrade the database of an older Numberline, and end.")
@click.option("--export", "export_file", metavar="FILE|-", help="Write all matches to a file, and end.")
@click.option("--import", "import_file", metavar="FILE", help="Read all matches of such a file, or none, and end.")
@click.option("--browser/--no-browser", default=None, help="Open the page at once. [default: only at a terminal]")
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
    """Open the games in a browser: play alone, with somebody beside you, or send a friend a link."""
    gc.disable()  # until all is loaded: there is nothing to throw away yet, and the page is there sooner
    try:
        from numberline.web.ops.config import ServerConfig, bind_socket
        from numberline.web.ops.logging import configure_logging
        from numberline.web.server import serve
    except ModuleNotFoundError:
        raise MissingExtra(MISSING_WEB_EXTRA) from None
    if migrate or export_file or import_file:
        _run_maintenance(_address(database), migrate=migrate, export_file=export_file, import_file=import_file)
        return
    host = host.removeprefix("[").removesuffix("]")  # as an address in the newer form stands in a link
    setup = ServerConfig(_address(database), host, port, _checked(public_url), keep, metrics, _addresses(proxies), log)
    setup = setup._replace(books=_read_books(book_files))
    configure_logging(log)
    at = bind_socket(host, port)
    setup = setup._replace(port=at.getsockname()[1])

    def started() -> None:
        _tell(setup.host, setup.port, setup.public_url, local_only=setup.local_only)
        if sys.stdout.isatty() if browser is None else browser:
            import webbrowser

            webbrowser.open(_home(setup.host, setup.port))

    if workers > 1:
        from numberline.web.ops.supervisor import serve_with_workers

        interrupted = serve_with_workers(workers, setup, at, started)
    else:
        interrupted = serve(setup, at, started)
    if interrupted:
        click.echo(err=True)
        click.get_current_context().exit(SIGINT_EXIT_CODE)


def _address(given: str | None) -> str:
    """Where the database is, as an address."""
    if given and "://" in given:
        return given
    if given:
        return f"sqlite:///{Path(given).absolute()}"
    from numberline.terminal.progress import data_dir

    data_dir().mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{data_dir() / 'numberline.db'}"


def _run_maintenance(address: str, *, migrate: bool, export_file: str | None, import_file: str | None) -> None:
    """Does what is asked for with the database, instead of opening the table."""
    from numberline.cli.web_admin import export_matches, import_matches, migrate_database

    if migrate + bool(export_file) + bool(import_file) > 1:
        raise click.UsageError("--migrate, --export and --import are done one at a time.")
    gc.enable()
    if migrate:
        try:
            migrate_database(address)
        except ModuleNotFoundError:
            raise MissingExtra(MISSING_WEB_EXTRA) from None
    elif export_file:
        export_matches(address, export_file)
    elif import_file:
        import_matches(address, import_file)


def _read_books(files: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Return the names and texts of custom books; raise for a name that is taken."""
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


def _addresses(given: tuple[str, ...]) -> tuple[str, ...]:
    """The addresses of proxies; raises where one is none."""
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


def _checked(url: str) -> str:
    """The public address without a stroke at its end."""
    if url and not _is_public(url):
        raise click.BadParameter(
            f"'{url}': expected an address such as https://games.example.org.", param_hint="'--public-url'"
        )
    return url.rstrip("/")


def _is_public(url: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        there = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:  # brackets that do not match, or a port that is none
        return False
    return there and "@" not in parts.netloc and url.isprintable() and not re.search(r"[\s?#]", url)


def _home(host: str, port: int) -> str:
    from numberline.web.ops.config import is_wildcard_host, server_url

    return f"{server_url('127.0.0.1' if is_wildcard_host(host) else host, port)}/"


def _tell(host: str, port: int, public_url: str, *, local_only: bool) -> None:
    """Says where the page is, and for whom."""
    click.echo(f"The table is open at {_home(host, port)}  (Ctrl-C closes it)")
    if local_only:
        click.echo("Links reach only this machine; numberline web --host 0.0.0.0 lets others in your network play.")
        return
    from numberline.web.ops.config import is_wildcard_host, lan_address, server_url

    address = public_url or server_url(lan_address() if is_wildcard_host(host) else host, port)
    click.echo(f"Others open {address}/")
    if sys.stdout.isatty():
        import segno

        segno.make(f"{address}/").terminal(compact=True)
