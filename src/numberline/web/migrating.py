"""Bringing the database of an older Numberline to the tables of today."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Engine, create_engine, func, inspect, make_url, select
from sqlalchemy.exc import SQLAlchemyError

from numberline.rules.errors import NumberlineError
from numberline.web.schema import (
    PROGRAM,
    FileLock,
    StoreError,
    mark_version,
    read_address,
    refuse_strangers,
    unchecked_engine,
    version_of,
    wrong_version,
)

STEPS = Path(__file__).parent / "migrations"
"""Where Alembic finds one file for each change of the tables."""


class Migrated(NamedTuple):
    """From which tables to which a database was brought; 0 are none."""

    before: int
    now: int


def migrate(address: str, steps: Path = STEPS) -> Migrated:
    """Makes all changes that a database lacks, or none of them where one fails."""
    with _alone_with(address) as engine:
        try:
            with engine.begin() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(select(func.pg_advisory_xact_lock(PROGRAM)))
                return _changed(connection, steps)
        except SQLAlchemyError as error:
            reason = getattr(error, "orig", None) or type(error).__name__
            raise StoreError(f"The database could not be upgraded ({reason}), so it is as it was") from error


def _changed(connection: Connection, steps: Path) -> Migrated:
    """What is at the end of all steps that lie ahead of a database."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    before = version_of(connection) or 0
    if not before and inspect(connection).has_table("match"):
        raise StoreError("The database holds another program's tables, so it was left as it is; name another with --db")
    ahead = {int(step.revision): step.module for step in ScriptDirectory(str(steps)).walk_revisions()}
    newest = max(ahead)
    if before > newest:
        raise StoreError(wrong_version(connection.engine.url, before))
    with Operations.context(MigrationContext.configure(connection)):
        for number in range(before + 1, newest + 1):
            ahead[number].upgrade()
    if before < newest:
        mark_version(connection, newest)
    return Migrated(before, newest)


@contextmanager
def _alone_with(address: str) -> Iterator[Engine]:
    """The database while no other process has its file."""
    if "://" in address and not address.startswith("sqlite"):
        try:
            engine = create_engine(make_url(address), hide_parameters=True)
        except (SQLAlchemyError, ImportError) as error:
            raise NumberlineError(str(error)) from None
        lock = None
    else:
        path = read_address(address)
        if path is None:
            raise StoreError("A database in memory is never old; name a file with --db")
        refuse_strangers(path)
        lock = FileLock(path)
        engine = unchecked_engine(path)
    try:
        yield engine
    finally:
        engine.dispose()
        if lock:
            lock.release()
