"""Maintenance of the server's database: migrate, export, import."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from numberline.files.safe_read import open_for_reading
from numberline.files.safe_write import check_parent_dir, open_atomic
from numberline.text import pluralize

if TYPE_CHECKING:
    from numberline.web.store.transfer import TransferStats

EXPORT_FILE_MODE = 0o600  # an export contains the names of players


def migrate_database(address: str) -> None:
    from numberline.web.store.migrate import migrate

    before, after = migrate(address)
    if before == after:
        click.echo(f"The database is up to date (version {after}).")
    elif before:
        click.echo(f"The database was upgraded from version {before} to {after}.")
    else:
        click.echo(f"A new database of version {after} was created.")


def export_matches(address: str, file: str) -> None:
    """Write all matches to a file, or to standard output for `-`."""
    from numberline.web.store.postgres import is_postgres
    from numberline.web.store.store import Store, StoreError
    from numberline.web.store.tables import sqlite_path
    from numberline.web.store.transfer import export_matches

    path = None if is_postgres(address) else sqlite_path(address)
    if path and not path.exists():
        raise StoreError(f"no database at {path}; choose yours with --db")
    with closing(Store(address)) as store, _show_progress() as on_progress:
        if file == "-":
            stats = export_matches(store, sys.stdout.buffer, on_progress)
            sys.stdout.buffer.flush()
        else:
            check_parent_dir(Path(file))
            with open_atomic(Path(file), EXPORT_FILE_MODE) as output:
                stats = export_matches(store, output, on_progress)
    click.echo(f"{_describe(stats)} exported.", err=True)


def import_matches(address: str, file: str) -> None:
    """Import all matches of a file, or none if one is invalid."""
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
    """Show in a terminal how much was transferred so far."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    yield lambda stats: click.echo(f"\r{_describe(stats)} …", err=True, nl=False)
    click.echo("\r\033[K", err=True, nl=False)
