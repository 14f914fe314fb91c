from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Thread

import psycopg
import pytest

from numberline.errors import MissingExtra
from numberline.web.store import postgres as module
from numberline.web.store.store import Store, StoreError
from support.postgres_server import Cluster, empty_database, programs
from support.stores import a_match, an_event, some_seats

pytestmark = pytest.mark.postgres


@pytest.fixture
def address() -> str:
    return empty_database()


@pytest.fixture
def store(address: str) -> Iterator[Store]:
    with closing(Store(address)) as opened:
        yield opened


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("postgresql://me:secret@127.0.0.1:1/games", "connection refused"),
        ("postgresql://me:secret@no-such-host.invalid/games", "failed to resolve host"),
        ("postgresql://me:secret@127.0.0.1:x/games", "invalid database address"),
        ("postgresql://me:secret@127.0.0.1:1/games?nonsense=1", "nonsense"),
    ],
)
def test_connection_error_does_not_contain_the_password(wrong: str, said: str) -> None:
    with pytest.raises(StoreError) as refused:
        Store(wrong)
    sentence = f"{refused.value}"
    assert said in sentence
    assert "use postgresql://name:password@host/database" in sentence
    assert ("secret" in sentence, "\n" in sentence) == (False, False)


def test_connection_error_names_a_missing_database(address: str) -> None:
    with pytest.raises(StoreError, match=r'database "no_such" does not exist'):
        Store(f"{address.rpartition('/')[0]}/no_such")


def test_missing_driver_names_the_install_command(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    def missing(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'psycopg'")

    monkeypatch.setattr(module, "create_engine", missing)
    with pytest.raises(MissingExtra, match=r"PostgreSQL support is not installed; run: .*postgres"):
        Store(address)


def test_empty_database_can_be_opened_concurrently(address: str) -> None:
    with psycopg.connect(address) as connection:
        connection.execute("DROP TABLE IF EXISTS match, seat, event, alembic_version")
    with ThreadPoolExecutor(4) as pool:
        for store in pool.map(Store, [address] * 4):
            store.close()


def test_deadlock_is_retried(store: Store, address: str) -> None:
    first, second = an_event("a"), an_event("b")
    watcher = psycopg.connect(address, autocommit=True)
    with watcher, psycopg.connect(address) as other, ThreadPoolExecutor(1) as pool:
        other.execute("SET deadlock_timeout = '1min'")  # so that the store's transaction is the one that is cancelled

        def take(match: str) -> None:
            values = "VALUES (%s, 1, 1, 'R1', 'other', 0, 0) ON CONFLICT DO NOTHING"
            other.execute(f"INSERT INTO event (match, seq, seat, what, request, spent_ms, at) {values}", [match])

        take("b")
        waiting = pool.submit(store.append, [second, first])
        while watcher.execute("SELECT count(*) FROM pg_locks WHERE NOT granted").fetchone() == (0,):
            time.sleep(0.01)
        take("a")
        other.commit()
        assert waiting.result() == set()
    assert [store.events_since(match, 0)[0].request for match in "ab"] == ["other", "other"]


def test_lost_idle_connection_is_replaced(store: Store, address: str) -> None:
    store.append([an_event()])
    with psycopg.connect(address, autocommit=True) as other:
        other.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert store.append([an_event(seq=2)]) == {("m", 2)}


def test_notification_contains_no_player_name(store: Store, address: str) -> None:
    with psycopg.connect(address, autocommit=True) as listening:
        listening.execute("LISTEN numberline")
        store.create(a_match(), some_seats())
        store.claim("m", "invite", "Bartholomew", "a token", an_event())
        store.append([an_event("x"), an_event("m", 2)])
        payloads = [notice.payload for notice in listening.notifies(timeout=5, stop_after=2)]
    assert payloads == [f"{store.name} m", f"{store.name} m x"]


def test_long_notification_is_split(store: Store, address: str) -> None:
    names = [f"{number:016}" for number in range(1000)]
    with psycopg.connect(address, autocommit=True) as listening:
        listening.execute("LISTEN numberline")
        store.append([an_event(name) for name in names])
        payloads = [notice.payload.split() for notice in listening.notifies(timeout=5, stop_after=3)]
    assert [name for words in payloads for name in words[1:]] == names
    assert {words[0] for words in payloads} == {store.name}


def race(address: str, matches: int, length: int) -> int:
    """Let two processes play the same matches, check that all acknowledged events are stored, and count the winners."""
    command = [sys.executable, "-m", "support.event_race", address]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    runners = [
        subprocess.Popen([*command, name, str(matches), str(length)], **pipes)  # type: ignore[call-overload]  # the pipes
        for name in ("one", "two")
    ]
    for runner in runners:
        assert runner.stdout.readline() == "ready\n"
    for runner in runners:
        runner.stdin.write("go\n")
        runner.stdin.flush()
    with ThreadPoolExecutor(2) as pool:
        printed = list(pool.map(lambda runner: runner.communicate()[0].splitlines(), runners))
    won = {(match, int(seq)): request for lines in printed for match, seq, request in map(str.split, lines)}
    assert [runner.returncode for runner in runners] == [0, 0]
    assert sum(map(len, printed)) == len(won) == matches * length
    with closing(Store(address)) as store:
        for match in (f"m{number}" for number in range(matches)):
            kept = store.events_since(match, 0)
            assert [(event.seq, event.request) for event in kept] == [
                (seq, won[match, seq]) for seq in range(1, length + 1)
            ]
    return len({request.partition("-")[0] for request in won.values()})


def test_racing_processes_lose_nothing_in_50_matches(address: str) -> None:
    race(address, 50, 20)  # on a busy machine one may be done before the other begins


@pytest.mark.soak
def test_racing_processes_lose_nothing_in_1000_matches(address: str) -> None:
    assert race(address, 1_000, 96) == 2


def ended_under_load(cluster: Cluster, ends: list[signal.Signals], breath: float) -> None:
    """PostgreSQL is ended in each of these ways under load: everything that was acknowledged is there, without gaps."""
    address = cluster.database()
    with subprocess.Popen(
        [sys.executable, "-m", "support.stores", address, "20"], stdout=subprocess.PIPE, text=True
    ) as load:
        printed: list[str] = []
        assert load.stdout
        reader = Thread(target=printed.extend, args=[load.stdout])
        reader.start()
        try:
            for how in ends:
                before = acknowledged(printed)
                while len(acknowledged(printed)) < len(before) + 100:
                    time.sleep(breath)
                cluster.stop(how)
                cluster.start()
            before = acknowledged(printed)
            while len(acknowledged(printed)) < len(before) + 100:
                time.sleep(breath)
        finally:
            load.kill()
            reader.join()
    with closing(Store(address)) as store:
        kept = {f"m{number}": store.events_since(f"m{number}", 0) for number in range(20)}
    for match, events in kept.items():
        assert events == [an_event(match, seq) for seq in range(1, len(events) + 1)]
    lost = acknowledged(printed) - {event[:2] for events in kept.values() for event in events}
    assert lost == set()


def acknowledged(printed: list[str]) -> set[tuple[str, int]]:
    pairs = (line.split() for line in tuple(printed) if line.endswith("\n"))
    return {(match, int(seq)) for match, seq in pairs if int(seq) > 0}


@pytest.fixture
def cluster() -> Iterator[Cluster]:
    """A PostgreSQL of the test's own, to be ended as it likes."""
    own = Cluster(programs())
    yield own
    own.remove()


def test_nothing_is_lost_when_postgresql_stops_or_is_killed(cluster: Cluster) -> None:
    ended_under_load(cluster, [signal.SIGINT, signal.SIGKILL], 0.05)


@pytest.mark.soak
def test_nothing_is_lost_when_postgresql_ends_twenty_times(cluster: Cluster) -> None:
    ended_under_load(cluster, [signal.SIGINT, signal.SIGKILL] * 10, 0.2)
