"""What is done with a server's database while nobody plays: upgrade it, and move its matches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from numberline.files import check_parent_dir, open_atomic, open_for_reading
from numberline.text import pluralize

if TYPE_CHECKING:
    from numberline.web.store.transfer import TransferStats

EXPORT_FILE_MODE = 0o600
"""What is exported holds people's names, so only its owner may read it."""


def migrate_database(address: str) -> None:
    """Brings a database to the tables of today, and says from which."""
    from numberline.web.store.migrate import migrate

    before, now = migrate(address)
    if before == now:
        click.echo(f"The database has version {now}, the newest; nothing was to be done.")
    elif before:
        click.echo(f"The database was upgraded from version {before} to {now}.")
    else:
        click.echo(f"A new database of version {now} was made.")


def export_matches(address: str, file: str) -> None:
    """Writes all matches to a file, or to standard output for `-`."""
    from numberline.web.store.postgres import is_postgres
    from numberline.web.store.store import Store, StoreError
    from numberline.web.store.tables import sqlite_path
    from numberline.web.store.transfer import export_matches

    path = None if is_postgres(address) else sqlite_path(address)
    if path and not path.exists():
        raise StoreError(f"There is no database at {path}; name yours with --db")
    with closing(Store(address)) as store, _progress() as tell:
        if file == "-":
            moved = export_matches(store, sys.stdout.buffer, tell)
            sys.stdout.buffer.flush()
        else:
            check_parent_dir(Path(file))
            with open_atomic(Path(file), EXPORT_FILE_MODE) as fresh:
                moved = export_matches(store, fresh, tell)
    click.echo(f"{_said(moved)} exported.", err=True)


def import_matches(address: str, file: str) -> None:
    """Reads all matches of a file into a database, or none."""
    from numberline.web.store.store import Store, StoreError
    from numberline.web.store.transfer import import_matches

    with open_for_reading(Path(file)) as there, closing(Store(address)) as store, _progress() as tell:
        if not there.seekable():
            raise StoreError(f"{file} can be read only once; matches are imported from a file that stays")
        moved = import_matches(store, there, tell)
    known = (
        f", of which {moved.already_stored:,} {'was' if moved.already_stored == 1 else 'were'} here already"
        if moved.already_stored
        else ""
    )
    click.echo(f"{_said(moved)} imported{known}.", err=True)


def _said(moved: TransferStats) -> str:
    return f"{moved.matches:,} {'match' if moved.matches == 1 else 'matches'} with {pluralize(moved.events, 'event')}"


@contextmanager
def _progress() -> Iterator[Callable[[TransferStats], Any]]:
    """Says at a terminal how much was moved so far."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    yield lambda moved: click.echo(f"\r{_said(moved)} …", err=True, nl=False)
    click.echo("\r\033[K", err=True, nl=False)
