from __future__ import annotations

import os
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from numberline.web.store.store import Store, StoreError
from numberline.web.store.tables import APPLICATION_ID, SCHEMA_VERSION
from support.stores import an_event


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tables.db"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    with closing(Store(str(path))) as opened:
        yield opened


def opened_and_closed(address: str | Path) -> None:
    Store(str(address)).close()


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_path_and_address_open_the_same_file(form: str, tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "tables.db"
    opened_and_closed(form.format(path))
    assert path.read_bytes().startswith(b"SQLite format 3")


def test_database_file_is_private(store: Store, path: Path) -> None:
    store.append([an_event()])
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(["tables.db", "tables.db-wal", "tables.db-shm", "tables.db.lock"], 0o600)


def test_commits_are_synchronous(store: Store) -> None:
    with store._engine.connect() as connection:
        answers = [connection.exec_driver_sql(f"PRAGMA {name}").scalar() for name in ("journal_mode", "synchronous")]
    assert answers == ["wal", 2]


def test_page_caches_stay_small(store: Store) -> None:
    with store._engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA cache_size").scalar() == -1000  # kilobytes


def test_connection_used_last_is_used_first(store: Store) -> None:
    first, second = store._engine.connect(), store._engine.connect()
    last_used = second.connection.dbapi_connection
    first.close()
    second.close()
    with store._engine.connect() as connection:
        assert connection.connection.dbapi_connection is last_used


@pytest.mark.parametrize("with_another", [False, True], ids=["removed", "replaced"])
def test_removed_or_replaced_file_is_reported(store: Store, path: Path, *, with_another: bool) -> None:
    store.append([an_event()])
    path.rename(path.with_name("moved"))
    if with_another:
        path.write_bytes(path.with_name("moved").read_bytes())
    with pytest.raises(StoreError, match="was removed or replaced while the server was running; restart the server"):
        store.append([an_event(seq=2)])
    with pytest.raises(StoreError, match="was removed or replaced"):
        store.find("m")
    path.with_name("moved").rename(path)
    assert store.append([an_event(seq=2)]) == {("m", 2)}


def test_file_in_use_is_rejected(store: Store, path: Path) -> None:
    with pytest.raises(StoreError) as refused:
        Store(f"sqlite:///{path}")
    assert str(refused.value) == (
        f"{path} is in use by another numberline web process; stop it first, or choose another file with --db"
    )
    assert store.append([an_event()]) == {("m", 1)}


def test_closed_file_can_be_reopened(path: Path) -> None:
    opened_and_closed(path)
    opened_and_closed(path)


def test_forked_process_releases_the_lock(path: Path) -> None:
    store = Store(str(path))
    (begun, begin), (ended, end) = os.pipe(), os.pipe()
    child = os.fork()
    if not child:  # it lives until the pipe ends, as a bot's process may outlive the server
        os.close(end)
        os.write(begin, b"!")
        os.read(ended, 1)
        os._exit(0)
    os.read(begun, 1)
    store.close()
    try:
        opened_and_closed(path)
    finally:
        for pipe in (end, ended, begin, begun):
            os.close(pipe)
        os.waitpid(child, 0)


def no_database(path: Path) -> None:
    path.write_text("Dear diary, today I won.\n" * 20)


def of_another_program(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE moz_places (url)")


def of_a_newer_numberline(path: Path) -> None:
    opened_and_closed(path)
    with closing(sqlite3.connect(path)) as newer:
        newer.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")


def cut_short(path: Path) -> None:
    opened_and_closed(path)
    path.write_bytes(path.read_bytes()[:5000])


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (no_database, "{path} is not a Numberline database and was not modified"),
        (of_another_program, "{path} is not a Numberline database and was not modified"),
        (of_a_newer_numberline, "{path} was created by a newer version of Numberline; install that version"),
        (cut_short, "cannot use {path} as a database"),
        (Path.mkdir, "cannot read {path} (is a directory)"),
    ],
)
def test_foreign_file_is_rejected_and_not_modified(make: Callable[[Path], None], sentence: str, path: Path) -> None:
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(StoreError) as refused:
        Store(str(path))
    assert str(refused.value).startswith(sentence.format(path=path))
    assert str(refused.value).endswith("choose another file with --db")
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_empty_file_becomes_a_database(path: Path) -> None:
    path.touch()
    opened_and_closed(path)
    header = path.read_bytes()[:100]
    assert header[68:72] == APPLICATION_ID.to_bytes(4)


def test_read_only_folder_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match=r"cannot (read|write) .* \(.*\); choose another file with --db"):
        Store(str(tmp_path / "file" / "tables.db"))


def test_read_only_file_is_reported(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    really = os.open

    def refuse(name: str | Path, flags: int, mode: int = 0o777) -> int:
        if flags & os.O_RDWR:
            raise PermissionError(13, "Permission denied")
        return really(name, flags, mode)

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(StoreError) as refused:
        Store(str(path))
    assert str(refused.value) == f"cannot write {path} (permission denied); choose another file with --db"


@pytest.mark.parametrize("address", ["mysql://me:secret@there/db", "nonsense://", "://"])
def test_invalid_address_is_reported_without_the_password(address: str) -> None:
    with pytest.raises(StoreError, match=r"use a file path( or|,) sqlite:///path") as refused:
        Store(address)
    assert "secret" not in str(refused.value)
