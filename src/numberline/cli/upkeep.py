"""What is done with a server's database while nobody plays: upgrade it, and move its matches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from numberline.files import need_folder, opened, opened_whole
from numberline.rules.wording import counted

if TYPE_CHECKING:
    from numberline.web.moving import Moved

PRIVATE = 0o600
"""What is exported holds people's names, so only its owner may read it."""


def upgrade(address: str) -> None:
    """Brings a database to the tables of today, and says from which."""
    from numberline.web.migrating import migrate

    before, now = migrate(address)
    if before == now:
        click.echo(f"The database has version {now}, the newest; nothing was to be done.")
    elif before:
        click.echo(f"The database was upgraded from version {before} to {now}.")
    else:
        click.echo(f"A new database of version {now} was made.")


def export_to(address: str, file: str) -> None:
    """Writes all matches to a file, or to standard output for `-`."""
    from numberline.web.moving import export
    from numberline.web.postgres import is_postgres
    from numberline.web.schema import read_address
    from numberline.web.store import Store, StoreError

    path = None if is_postgres(address) else read_address(address)
    if path and not path.exists():
        raise StoreError(f"There is no database at {path}; name yours with --db")
    with closing(Store(address)) as store, _progress() as tell:
        if file == "-":
            moved = export(store, sys.stdout.buffer, tell)
            sys.stdout.buffer.flush()
        else:
            need_folder(Path(file))
            with opened_whole(Path(file), PRIVATE) as fresh:
                moved = export(store, fresh, tell)
    click.echo(f"{_said(moved)} exported.", err=True)


def import_from(address: str, file: str) -> None:
    """Reads all matches of a file into a database, or none."""
    from numberline.web.moving import import_
    from numberline.web.store import Store, StoreError

    with opened(Path(file)) as there, closing(Store(address)) as store, _progress() as tell:
        if not there.seekable():
            raise StoreError(f"{file} can be read only once; matches are imported from a file that stays")
        moved = import_(store, there, tell)
    known = f", of which {moved.known:,} {'was' if moved.known == 1 else 'were'} here already" if moved.known else ""
    click.echo(f"{_said(moved)} imported{known}.", err=True)


def _said(moved: Moved) -> str:
    return f"{moved.matches:,} {'match' if moved.matches == 1 else 'matches'} with {counted(moved.events, 'event')}"


@contextmanager
def _progress() -> Iterator[Callable[[Moved], Any]]:
    """Says at a terminal how much was moved so far."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    yield lambda moved: click.echo(f"\r{_said(moved)} …", err=True, nl=False)
    click.echo("\r\033[K", err=True, nl=False)
