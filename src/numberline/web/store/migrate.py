"""Database migrations."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect
from sqlalchemy.exc import SQLAlchemyError

from numberline.web.store import tables
from numberline.web.store.postgres import error_text, is_postgres, unchecked_postgres_engine
from numberline.web.store.tables import StoreError

MIGRATIONS_DIR = Path(__file__).parent / "migrations"


def migrate(address: str, migrations: Path = MIGRATIONS_DIR) -> tuple[int, int]:
    """Create the tables of an empty database, or apply all pending migrations; if one of them fails, change nothing.

    Returns the schema versions before (0 for a new database) and after the migration.
    """
    with _open_exclusively(address) as engine:
        try:
            with engine.begin() as connection:
                tables.lock_schema(connection)
                return _upgrade(connection, migrations)
        except SQLAlchemyError as error:
            raise StoreError(f"the upgrade failed ({error_text(error)}); the database was not modified") from error


def _upgrade(connection: Connection, migrations: Path) -> tuple[int, int]:
    from alembic.migration import MigrationContext
    from alembic.operations import Operations
    from alembic.script import ScriptDirectory

    before = tables.schema_version(connection) or 0
    if not before and inspect(connection).has_table("match"):
        raise StoreError("the database belongs to another program and was not modified; choose another one with --db")
    if not before:
        tables.create_or_check_schema(connection)
        return 0, tables.SCHEMA_VERSION
    modules = {int(script.revision): script.module for script in ScriptDirectory(str(migrations)).walk_revisions()}
    newest = max(modules)
    if before > newest:
        raise StoreError(tables.version_mismatch_message(connection.engine.url, before))
    with Operations.context(MigrationContext.configure(connection)):
        for number in range(before + 1, newest + 1):
            modules[number].upgrade()
    if before < newest:
        tables.set_schema_version(connection, newest)
    return before, newest


@contextmanager
def _open_exclusively(address: str) -> Iterator[Engine]:
    """Open a database with any schema version; lock the file if it is a SQLite database."""
    with ExitStack() as stack:
        if is_postgres(address):
            engine = unchecked_postgres_engine(address)
        else:
            path = tables.sqlite_path(address)
            if path is None:
                raise StoreError("an in-memory database cannot be upgraded; choose a file with --db")
            stack.callback(tables.FileLock(path).release)
            engine = tables.unchecked_engine(path)
        stack.callback(engine.dispose)
        yield engine
