"""Database migrations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from sqlalchemy import Connection, Engine, create_engine, func, inspect, select
from sqlalchemy.exc import SQLAlchemyError

from numberline.errors import MissingExtra
from numberline.web.store.postgres import error_text, is_postgres, postgres_url
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


class MigrationResult(NamedTuple):
    """Schema versions before and after the migration; 0 for a new database."""

    before: int
    after: int


def migrate(address: str, migrations: Path = MIGRATIONS_DIR) -> MigrationResult:
    """Apply all pending migrations, or none if one of them fails."""
    with _open_exclusively(address) as engine:
        try:
            with engine.begin() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(select(func.pg_advisory_xact_lock(APPLICATION_ID)))
                return _upgrade(connection, migrations)
        except SQLAlchemyError as error:
            raise StoreError(f"the upgrade failed ({error_text(error)}); the database was not modified") from error


def _upgrade(connection: Connection, migrations: Path) -> MigrationResult:
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    before = schema_version(connection) or 0
    if not before and inspect(connection).has_table("match"):
        raise StoreError("the database belongs to another program and was not modified; choose another one with --db")
    modules = {int(script.revision): script.module for script in ScriptDirectory(str(migrations)).walk_revisions()}
    newest = max(modules)
    if before > newest:
        raise StoreError(version_mismatch_message(connection.engine.url, before))
    with Operations.context(MigrationContext.configure(connection)):
        for number in range(before + 1, newest + 1):
            modules[number].upgrade()
    if before < newest:
        set_schema_version(connection, newest)
    return MigrationResult(before, newest)


@contextmanager
def _open_exclusively(address: str) -> Iterator[Engine]:
    """Open a database with any schema version; lock the file if it is a SQLite database."""
    lock = None
    if is_postgres(address):
        try:
            engine = create_engine(postgres_url(address), hide_parameters=True)
        except ModuleNotFoundError:
            raise MissingExtra("PostgreSQL support", "postgres") from None
    else:
        path = sqlite_path(address)
        if path is None:
            raise StoreError("an in-memory database cannot be upgraded; choose a file with --db")
        check_file_signature(path)
        lock = FileLock(path)
        engine = unchecked_engine(path)
    try:
        yield engine
    finally:
        engine.dispose()
        if lock:
            lock.release()
