"""Bringing the database of an older Numberline to the tables of today."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Engine, create_engine, func, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from numberline.web.store.postgres import MISSING_DRIVER_MESSAGE, error_text, is_postgres, postgres_url
from numberline.web.store.tables import (
    APPLICATION_ID,
    FileLock,
    StoreError,
    check_file_signature,
    schema_version,
    set_schema_version,
    sqlite_path,
    unchecked_engine,
    version_mismatch_message,
)

MIGRATIONS_DIR = Path(__file__).parent / "migrations"
"""Where Alembic finds one file for each change of the tables."""


class MigrationResult(NamedTuple):
    """From which tables to which a database was brought; 0 are none."""

    before: int
    now: int


def migrate(address: str, steps: Path = MIGRATIONS_DIR) -> MigrationResult:
    """Makes all changes that a database lacks, or none of them where one fails."""
    with _alone_with(address) as engine:
        try:
            with engine.begin() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(select(func.pg_advisory_xact_lock(APPLICATION_ID)))
                return _changed(connection, steps)
        except SQLAlchemyError as error:
            raise StoreError(f"The database could not be upgraded ({error_text(error)}), so it is as it was") from error


def _changed(connection: Connection, steps: Path) -> MigrationResult:
    """What is at the end of all steps that lie ahead of a database."""
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    before = schema_version(connection) or 0
    if not before and inspect(connection).has_table("match"):
        raise StoreError("The database holds another program's tables, so it was left as it is; name another with --db")
    ahead = {int(step.revision): step.module for step in ScriptDirectory(str(steps)).walk_revisions()}
    newest = max(ahead)
    if before > newest:
        raise StoreError(version_mismatch_message(connection.engine.url, before))
    with Operations.context(MigrationContext.configure(connection)):
        for number in range(before + 1, newest + 1):
            ahead[number].upgrade()
    if before < newest:
        set_schema_version(connection, newest)
    return MigrationResult(before, newest)


@contextmanager
def _alone_with(address: str) -> Iterator[Engine]:
    """The database while no other process has its file."""
    lock = None
    if is_postgres(address):
        try:
            engine = create_engine(postgres_url(address), hide_parameters=True)
        except ModuleNotFoundError:
            raise StoreError(MISSING_DRIVER_MESSAGE) from None
    else:
        path = sqlite_path(address)
        if path is None:
            raise StoreError("A database in memory is never old; name a file with --db")
        check_file_signature(path)
        lock = FileLock(path)
        engine = unchecked_engine(path)
    try:
        yield engine
    finally:
        engine.dispose()
        if lock:
            lock.release()
