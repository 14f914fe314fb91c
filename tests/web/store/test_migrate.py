from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from numberline.web.store import tables
from numberline.web.store.migrate import MIGRATIONS_DIR, migrate
from numberline.web.store.store import Store, StoreError
from support.commands import numberline

FIRST = Path(__file__).parents[2] / "data" / "databases" / "first_tables.sql"
SECOND = '''
"""A change that a test has made up."""
from alembic import op
from sqlalchemy import Column, Text

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    op.add_column("match", Column("made_up", Text))
'''


@pytest.fixture(params=["file", pytest.param("postgres", marks=pytest.mark.postgres)])
def blank(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a database without any tables, of each kind in turn."""
    if request.param == "postgres":
        from support.postgres_server import fresh_database, server

        return fresh_database(server())
    return f"sqlite:///{tmp_path / 'blank.db'}"


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file of the first version, with a match in it."""
    path = tmp_path / "old.db"
    with closing(sqlite3.connect(path)) as made:
        made.executescript(FIRST.read_text())
    return path


@pytest.fixture
def later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Path]:
    """Steps with one more that does this, as a later Numberline will have them."""

    def made(step: str) -> Path:
        folder = tmp_path / "migrations"
        (folder / "versions").mkdir(parents=True)
        for path in (MIGRATIONS_DIR / "versions").glob("v*.py"):
            (folder / "versions" / path.name).write_text(path.read_text())
        (folder / "versions" / "v0002.py").write_text(step)
        monkeypatch.setattr(tables, "SCHEMA_VERSION", 2)
        return folder

    return made


def test_newest_migration_is_the_schema_version() -> None:
    assert ScriptDirectory(str(MIGRATIONS_DIR)).get_heads() == [f"{tables.SCHEMA_VERSION:04}"]


def has_current_tables(address: str) -> bool:
    with closing(Store(address)) as store, store.read_transaction() as connection:
        return not compare_metadata(MigrationContext.configure(connection), tables.METADATA)


def test_migrate_creates_the_current_tables(blank: str) -> None:
    assert migrate(blank) == (0, tables.SCHEMA_VERSION)
    assert has_current_tables(blank)


def test_first_version_is_upgraded_to_the_current_tables(old: Path) -> None:
    assert migrate(str(old)) == (1, tables.SCHEMA_VERSION)
    assert has_current_tables(str(old))


def test_new_database_gets_the_newest_version(blank: str) -> None:
    Store(blank).close()
    assert migrate(blank) == (tables.SCHEMA_VERSION, tables.SCHEMA_VERSION)


def test_file_of_the_first_version_is_readable(old: Path) -> None:
    migrate(str(old))
    with closing(Store(str(old))) as store:
        found = store.find("one")
    assert found
    assert ([seat.name for seat in found[1]], [event.what for event in found[2]]) == (["Ann", "Bob"], ["join"])


def test_older_database_names_the_upgrade_command(old: Path, later: Callable[[str], Path]) -> None:
    later(SECOND)
    with pytest.raises(
        StoreError, match=r"older version of Numberline; upgrade it with: numberline web --migrate --db '.*old\.db'"
    ):
        Store(str(old))


def test_upgrade_preserves_all_rows(old: Path, later: Callable[[str], Path]) -> None:
    assert migrate(str(old), later(SECOND)) == (1, 2)
    with closing(sqlite3.connect(old)) as found:
        assert found.execute("SELECT id, made_up FROM match").fetchall() == [("one", None)]
        assert found.execute("PRAGMA user_version").fetchone() == (2,)


@pytest.mark.postgres
def test_older_postgresql_database_is_upgraded(later: Callable[[str], Path]) -> None:
    from support.postgres_server import fresh_database, server

    address = fresh_database(server())
    migrate(address)
    steps = later(SECOND)
    with pytest.raises(
        StoreError, match="was created by an older version of Numberline; upgrade it with: numberline web --migrate"
    ):
        Store(address)
    assert migrate(address, steps) == (1, 2)
    Store(address).close()


def test_failed_migration_is_rolled_back(old: Path, later: Callable[[str], Path]) -> None:
    before = old.read_bytes()
    fails = SECOND.replace('"match", Column', '"nowhere", Column')
    with pytest.raises(StoreError, match=r"the upgrade failed .*; the database was not modified"):
        migrate(str(old), later(fails))
    assert old.read_bytes() == before


def test_newer_database_is_rejected_and_not_modified(blank: str) -> None:
    with closing(Store(blank)) as store:
        store.write_transaction(lambda connection: tables.set_schema_version(connection, tables.SCHEMA_VERSION + 1))
    with pytest.raises(StoreError, match="created by a newer version of Numberline; install that version"):
        migrate(blank)
    with pytest.raises(StoreError, match="created by a newer version of Numberline; install that version"):
        Store(blank)


def test_database_in_use_is_not_upgraded(tmp_path: Path) -> None:
    with closing(Store(str(tmp_path / "used.db"))), pytest.raises(StoreError, match="is in use"):
        migrate(str(tmp_path / "used.db"))


@pytest.mark.parametrize(
    ("module", "unwanted"),
    [("app", {"alembic"}), ("server", {"alembic", "fastapi", "prometheus_client", "sqlalchemy", "websockets"})],
)
def test_startup_does_not_load_what_it_does_not_need(module: str, unwanted: set[str]) -> None:
    code = f"import sys, numberline.web.{module}; print({unwanted} & {{*sys.modules}})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "set()\n"


def test_migrate_command_prints_the_version(tmp_path: Path) -> None:
    ran = [numberline("web", "--migrate", "--db", str(tmp_path / "new.db")) for _ in range(2)]
    assert [(each.code, each.err) for each in ran] == [(0, ""), (0, "")]
    assert [each.out for each in ran] == [
        f"Created a new database (version {tables.SCHEMA_VERSION}).\n",
        f"The database is up to date (version {tables.SCHEMA_VERSION}).\n",
    ]


def test_server_does_not_start_with_a_newer_database(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    with closing(Store(str(path))) as store:
        store.write_transaction(lambda connection: tables.set_schema_version(connection, 99))
    ran = numberline("web", "--no-browser", "--port", "0", "--db", str(path))
    assert (ran.code, ran.err.count("\n")) == (1, 1)
    assert "newer version of Numberline" in ran.err
