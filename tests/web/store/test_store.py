from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event as hooks

from numberline.web.store import tables
from numberline.web.store.store import Event, Store, StoreError
from support.stores import a_match, an_event, some_seats


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "tables.db"


EVERYWHERE = pytest.mark.parametrize(
    "address", ["file", "memory", pytest.param("postgres", marks=pytest.mark.postgres)], indirect=True
)


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with closing(Store(address)) as opened:
        yield opened


@pytest.fixture
def filed(path: Path) -> Iterator[Store]:
    with closing(Store(str(path))) as opened:
        yield opened


def test_find_returns_what_was_stored(store: Store) -> None:
    store.create(a_match(), some_seats())
    store.append([an_event(seq=2), an_event(seq=1)])
    assert store.find("m") == (a_match(), some_seats(), [an_event(seq=1), an_event(seq=2)])


def test_find_returns_none_for_an_unknown_match(store: Store) -> None:
    assert store.find("nobody's") is None


def test_store_survives_a_restart(address: str) -> None:
    with closing(Store(address)) as first:
        first.create(a_match(), some_seats())
        first.append([an_event()])
    with closing(Store(address)) as second:
        assert second.find("m") == (a_match(), some_seats(), [an_event()])


def test_create_rejects_a_taken_id(store: Store) -> None:
    store.create(a_match(), some_seats())
    with pytest.raises(StoreError, match="could not be saved"):
        store.create(a_match(created=2.0), [])
    assert store.find("m") == (a_match(), some_seats(), [])


def test_events_since_returns_later_events(store: Store) -> None:
    store.append([an_event(seq=seq) for seq in range(1, 6)] + [an_event("other")])
    assert store.events_since("m", 3) == [an_event(seq=4), an_event(seq=5)]


def test_append_accepts_an_empty_batch(store: Store) -> None:
    assert store.append([]) == set()


def test_append_stores_the_batch_except_conflicts(store: Store) -> None:
    store.append([an_event(seq=1)])
    late = [an_event(seq=1, request="new"), an_event(seq=2), an_event(seq=3, request="request-1"), an_event("other")]
    assert store.append(late) == {("m", 2), ("other", 1)}
    assert store.events_since("m", 0) == [an_event(seq=1), an_event(seq=2)]


def test_append_stores_a_large_batch_in_one_transaction(store: Store) -> None:
    events = [an_event(f"m{number}", seq) for number in range(50) for seq in range(1, 51)]
    assert len(store.append(events)) == 2500


@settings(max_examples=60)
@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("ab"), st.integers(1, 4), st.sampled_from("pqrs")), max_size=6), max_size=6
    )
)
def test_append_keeps_numbers_and_requests_unique(
    batches: list[list[tuple[str, int, str]]],
) -> None:
    with closing(Store("sqlite://")) as store:
        stored: list[tuple[str, int]] = []
        for number, batch in enumerate(batches):
            events = [an_event(match, seq, request=request, what=f"{number}") for match, seq, request in batch]
            stored += store.append(events)
        kept = store.events_since("a", 0) + store.events_since("b", 0)
        assert sorted(stored) == [event[:2] for event in kept]
        assert len({(event.match, event.request) for event in kept}) == len(kept)
        offered = {asked for batch in batches for asked in batch}
        free = {(match, seq) for match, seq, _ in offered} - set(stored)
        assert all((event.match, event.seq, event.request) in offered for event in kept)
        used = {(event.match, event.request) for event in kept}
        assert all((match, request) in used for match, seq, request in offered if (match, seq) in free)


def test_claim_gives_the_seat_and_stores_its_event(store: Store) -> None:
    store.create(a_match(), some_seats())
    assert store.claim("m", "invite", "Ben", "token of Ben", an_event(what="join")) == 2
    found = store.find("m")
    assert found
    assert found[1][1] == (2, "Ben", None, "token of Ben", "invite", an_event().at)
    assert found[2] == [an_event(what="join")._replace(seat=2)]


@pytest.mark.parametrize(("match", "invite"), [("m", "wrong"), ("other", "invite")])
def test_claim_rejects_another_invite(store: Store, match: str, invite: str) -> None:
    store.create(a_match(), some_seats())
    assert store.claim(match, invite, "Ben", "token", an_event(match)) is None
    assert store.events_since(match, 0) == []


@EVERYWHERE
def test_one_of_200_concurrent_claims_wins(address: str) -> None:
    with closing(Store(address)) as store, ThreadPoolExecutor(20) as pool:
        store.create(a_match(), some_seats())

        def claim(number: int) -> int | None:
            return store.claim("m", "invite", f"name {number}", f"token {number}", an_event(request=f"r{number}"))

        seats = list(pool.map(claim, range(200)))
        found = store.find("m")
    assert sorted(seat for seat in seats if seat) == [2]
    assert found
    assert found[1][1].token_hash == f"token {seats.index(2)}"
    assert [event.request for event in found[2]] == [f"r{seats.index(2)}"]


@EVERYWHERE
def test_store_is_safe_for_concurrent_threads(address: str) -> None:
    with closing(Store(address)) as store, ThreadPoolExecutor(8) as pool:

        def play(number: int) -> list[Event]:
            for seq in range(1, 11):
                store.append([an_event(f"m{number}", seq)])
                store.events_since(f"m{number - 1}", 0)
            return store.events_since(f"m{number}", 0)

        kept = list(pool.map(play, range(8)))
    assert kept == [[an_event(f"m{number}", seq) for seq in range(1, 11)] for number in range(8)]


def test_seat_stays_free_if_its_event_conflicts(store: Store) -> None:
    store.create(a_match(), some_seats())
    store.append([an_event()])
    with pytest.raises(StoreError, match="try again"):
        store.claim("m", "invite", "Ben", "token", an_event(request="join"))
    assert store.claim("m", "invite", "Ben", "token", an_event(seq=2)) == 2


def test_ended_match_is_finished_and_has_its_score(store: Store) -> None:
    store.create(a_match("old", created=1.0), [])
    store.create(a_match("new", created=2.0), [])
    store.create(a_match("newer", created=3.0), [])
    store.end("old", 5.0, [2, 1])
    found = store.find("old")
    assert found
    assert (found[0].ended, found[0].score) == (5.0, [2, 1])
    assert store.unfinished_matches() == ["new", "newer"]


def test_deleted_match_leaves_no_bytes_in_the_files(filed: Store, path: Path) -> None:
    for name in ("m", "other"):
        filed.create(a_match(name), some_seats())
    filed.claim("m", "invite", "Bartholomew", "secret token", an_event(what="a telling event"))
    filed.claim("other", "invite", "Carla", "another", an_event("other"))
    filed.delete("m")
    left = b"".join(file.read_bytes() for file in path.parent.iterdir())
    assert b"Carla" in left
    assert [word for word in (b"Bartholomew", b"secret token", b"a telling event") if word in left] == []
    assert (filed.find("m"), filed.events_since("m", 0)) == (None, [])


def test_delete_removes_one_match_only(store: Store) -> None:
    for name in ("m", "other"):
        store.create(a_match(name), some_seats())
        store.append([an_event(name)])
    store.delete("m")
    assert (store.find("m"), store.events_since("m", 0)) == (None, [])
    assert store.find("other") == (a_match("other"), some_seats(), [an_event("other")])


def test_new_events_returns_unknown_events_and_deleted_matches(store: Store) -> None:
    for name in ("ahead", "level", "new"):
        store.create(a_match(name), [])
    store.append([an_event(name, seq) for name in ("ahead", "level") for seq in (1, 2, 3)])
    assert store.new_events({"ahead": 1, "level": 3, "new": 0, "gone": 2}) == {
        "ahead": [an_event("ahead", 2), an_event("ahead", 3)],
        "gone": None,
    }


def test_new_events_handles_many_matches(store: Store) -> None:
    names = [f"m{number}" for number in range(1200)]
    store.create(a_match("m7"), [])
    store.append([an_event("m7", seq) for seq in range(1, 1201)])
    news = store.new_events(dict.fromkeys(names, 0))
    assert len(news) == 1200
    assert news["m7"] == [an_event("m7", seq) for seq in range(1, 1201)]


def test_unfinished_matches_by_last_event(store: Store) -> None:
    for name, created, ended in (("left", 1.0, None), ("begun", 4.0, None), ("over", 4.0, 5.0), ("on", 1.0, None)):
        store.create(a_match(name, created=created, ended=ended), [])
    store.append([an_event("left")._replace(at=4.5), an_event("on")._replace(at=4.5), an_event("on", 2)])
    assert store.unfinished_matches(3.0, 5.0) == ["left", "begun"]


def test_delete_ended_before_keeps_other_matches(store: Store) -> None:
    for name, ended in (("old", 10.0), ("late", 30.0), ("live", None)):
        store.create(a_match(name, ended=ended), some_seats())
        store.append([an_event(name)])
    assert store.delete_ended_before(20.0) == 1
    assert [name for name in ("old", "late", "live") if store.find(name)] == ["late", "live"]
    assert store.events_since("old", 0) == []


def test_unfinished_matches_by_inactivity(store: Store) -> None:
    for name, created, ended in (("left", 1.0, None), ("begun", 9.0, None), ("over", 2.0, 3.0), ("played", 1.5, None)):
        store.create(a_match(name, created=created, ended=ended), [])
    store.append([an_event("left")._replace(at=2.0), an_event("played")._replace(at=8.0)])
    assert store.unfinished_matches(before=5.0) == ["left"]


# Damage


@EVERYWHERE
def test_undamaged_file_passes_the_check(store: Store) -> None:
    store.append([an_event()])
    assert not store.check_file()
    assert store.append([an_event(seq=2)])


@pytest.mark.parametrize("at", [0, 4096, 8192])
def test_nothing_is_written_to_a_damaged_file(path: Path, at: int) -> None:
    with closing(Store(str(path))) as store:
        store.append(MANY)
    with closing(Store(str(path))) as store:
        with path.open("r+b") as file:
            file.seek(at)
            file.write(bytes(4096))
        assert store.check_file()
        with pytest.raises(StoreError, match="the database file is damaged"):
            store.append([an_event()])


# Other programs


def test_delete_does_not_wait_for_a_reader(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BUSY_TIMEOUT_MS", 10_000_000)  # waiting for it would never end
    with closing(Store(str(path))) as store, closing(sqlite3.connect(path, isolation_level=None)) as reader:
        for name in ("m", "other"):
            store.create(a_match(name), some_seats())
        reader.execute("BEGIN")
        reader.execute("SELECT * FROM event").fetchall()
        store.append([an_event(what="a telling event")])
        store.delete("m")
        assert store.checkpoint_due
        assert store.append([an_event("other")])
        reader.execute("COMMIT")
        store.checkpoint()
        assert not store.checkpoint_due
        assert b"a telling event" not in path.with_name(f"{path.name}-wal").read_bytes()


def test_locked_database_rejects_writes_until_it_is_released(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "BUSY_TIMEOUT_MS", 1)
    with closing(Store(str(path))) as store, closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreError, match=r"could not be saved; try again in a moment \(database is locked\)"):
            store.append([an_event()])
        assert store.events_since("m", 0) == []
        other.execute("COMMIT")
        other.execute("BEGIN")
        other.execute("SELECT * FROM event").fetchall()  # a lock is not a failed disk, so a reader does not matter
        assert store.append([an_event()])


# Failures


def fill_up(store: Store) -> Callable[[], None]:
    """A disk that is full until what comes back is called."""

    def limit(driver: sqlite3.Connection, _record: object) -> None:
        driver.execute("PRAGMA max_page_count = 1")  # SQLite takes this as: no more than there are now

    hooks.listen(store._engine, "connect", limit)
    store._engine.dispose()

    def make_room() -> None:
        hooks.remove(store._engine, "connect", limit)
        store._engine.dispose()

    return make_room


MANY = [an_event(f"m{number}", what="R2" * 50) for number in range(500)]


def test_store_recovers_from_a_full_disk(filed: Store) -> None:
    filed.append([an_event("before")])
    make_room = fill_up(filed)
    with pytest.raises(StoreError, match=r"could not be saved; try again in a moment \(database or disk is full\)"):
        filed.append(MANY)
    assert filed.events_since("m0", 0) == []
    assert filed.events_since("before", 0) == [an_event("before")]
    make_room()
    assert len(filed.append(MANY)) == len(MANY)


def failing_commit(store: Store, monkeypatch: pytest.MonkeyPatch, *, committed: bool) -> None:
    """The next commit, and no other, is said to have failed; what was to be committed may be there all the same."""
    dialect = store._engine.dialect
    commit = dialect.do_commit

    def fail(driver: Any) -> None:
        monkeypatch.setattr(dialect, "do_commit", commit)
        if committed:
            commit(driver)
        assert dialect.dbapi
        raise dialect.dbapi.OperationalError("disk I/O error")

    monkeypatch.setattr(dialect, "do_commit", fail)


def test_stored_work_is_acknowledged_after_a_failed_commit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    store.append([an_event()])
    failing_commit(store, monkeypatch, committed=True)
    assert store.append([an_event(), an_event(seq=2)]) == {("m", 2)}
    assert store.events_since("m", 1) == [an_event(seq=2)]


def test_failed_commit_ignores_events_of_other_writers(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = store._engine.dialect
    commit = dialect.do_commit

    def fail(driver: Any) -> None:
        monkeypatch.setattr(dialect, "do_commit", commit)
        driver.rollback()
        store.append([an_event(what="L1")])
        assert dialect.dbapi
        raise dialect.dbapi.OperationalError("the line is cut")

    monkeypatch.setattr(dialect, "do_commit", fail)
    with pytest.raises(StoreError, match="could not be saved"):
        store.append([an_event(what="R2")])
    assert store.events_since("m", 0) == [an_event(what="L1")]


def test_nothing_is_acknowledged_until_the_log_is_on_the_disk(filed: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    failing_commit(filed, monkeypatch, committed=True)
    with monkeypatch.context() as failing:
        failing.setattr(tables, "checkpoint_wal", lambda _: False)
        for seq in (1, 2):
            with pytest.raises(StoreError, match="could not be saved"):
                filed.append([an_event(seq=seq)])
    assert filed.append([an_event(seq=1), an_event(seq=2)]) == {("m", 2)}


def test_rolled_back_work_is_reported_and_can_be_retried(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    failing_commit(store, monkeypatch, committed=False)
    with pytest.raises(StoreError, match=r"could not be saved; try again in a moment \(disk I/O error\)"):
        store.append([an_event(), an_event("other")])
    assert store.events_since("m", 0) == []
    assert store.append([an_event(), an_event("other")]) == {("m", 1), ("other", 1)}


@pytest.mark.parametrize("committed", [True, False])
def test_create_and_claim_report_exactly_what_is_stored(
    committed: bool,  # noqa: FBT001  # pytest passes it by name
    store: Store,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def said(work: Callable[[], object]) -> bool:
        failing_commit(store, monkeypatch, committed=committed)
        try:
            work()
        except StoreError:
            return False
        return True

    assert said(lambda: store.create(a_match("first"), [])) is committed
    store.create(a_match(), some_seats())
    assert said(lambda: store.claim("m", "invite", "Ben", "token", an_event())) is committed
    found = store.find("m")
    assert found
    assert (found[1][1].token_hash, found[2]) == (("token", [an_event()._replace(seat=2)]) if committed else (None, []))


def test_database_in_memory_survives_a_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    with closing(Store("sqlite://")) as store:
        store.append([an_event()])
        failing_commit(store, monkeypatch, committed=False)
        with pytest.raises(StoreError):
            store.append([an_event(seq=2)])
        assert store.events_since("m", 0) == [an_event()]


def test_error_contains_no_player_name(store: Store) -> None:
    seat = some_seats()[0]._replace(name="Bartholomew")
    with pytest.raises(StoreError) as failed:
        store.create(a_match(), [seat, seat])
    assert "Bartholomew" not in f"{failed.value} {failed.value.__cause__}"
    assert store.find("m") is None


def test_failed_read_is_reported_in_one_sentence(filed: Store, path: Path) -> None:
    filed._engine.dispose()
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 30000)
    with pytest.raises(StoreError, match=r"could not be read; try again in a moment \(.*\)"):
        filed.find("m")


def test_close_waits_for_a_read_in_another_thread(path: Path) -> None:
    store, closed = Store(str(path)), list[object]()
    hooks.listen(store._engine, "close", lambda connection, _: closed.append(connection))
    with ThreadPoolExecutor(1) as pool:
        with store.read_transaction() as connection:
            used = connection.connection.dbapi_connection
            closing_store = pool.submit(store.close)
            assert not closing_store.done()
        closing_store.result(timeout=20)
    assert used in closed


def test_closed_store_reads_nothing(path: Path) -> None:
    store = Store(str(path))
    store.close()
    with pytest.raises(StoreError, match="could not be read"):
        store.unfinished_matches()
