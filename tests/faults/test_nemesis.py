"""Clients race over real sockets while a nemesis causes faults; all that the server acknowledged is true."""

from __future__ import annotations

import asyncio
import copy
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from support import nemesis
from support.failing_disk import FaultyDisk, Running
from support.nemesis import Fault, Nemesis, check_histories, play_among_faults
from support.postgres_server import Cluster, programs

SOAK_SECONDS = float(os.environ.get("NUMBERLINE_SOAK_SECONDS", "3600"))

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are paused and found as on Linux")

NETWORK: Sequence[Fault] = (Nemesis.delay, Nemesis.cut)
PROCESSES: Sequence[Fault] = (Nemesis.pause, Nemesis.kill)
ALL: Sequence[Fault] = (*NETWORK, *PROCESSES, Nemesis.restart)


def checked(arena: nemesis.Arena, database: str) -> int:
    """Return the number of acknowledged moves after checking the histories; `pytest -s` shows what was done."""
    check_histories(arena, database)
    print(f"\n{arena.acknowledged:,} acknowledged moves in {len(arena.attempts):,} matches; {dict(arena.faults)}")  # noqa: T201 - figures of a soak
    return arena.acknowledged


def survive_on_sqlite(tmp_path: Path, faults: Sequence[Fault], seconds: float, clients: int) -> int:
    disk = FaultyDisk(tmp_path, "DISK_FULL")

    async def fill_disk(caused: Nemesis) -> None:
        disk.break_down()
        await caused.wait()
        disk.work_again()

    with Running(tmp_path, **disk.environment) as server:
        playing = play_among_faults(
            server, (*faults, fill_disk), seconds, Random(27), clients=clients, **disk.environment
        )
        arena = asyncio.run(playing)
        server.terminate()
        assert server.ended() == 0
    return checked(arena, str(server.database))


def survive_on_postgres(tmp_path: Path, faults: Sequence[Fault], seconds: float, clients: int) -> int:
    cluster = Cluster(programs())
    address = cluster.database()

    async def restart_database(_: Nemesis) -> None:
        await asyncio.to_thread(cluster.stop, signal.SIGKILL)
        await asyncio.to_thread(cluster.start)

    try:
        with Running(tmp_path, "--workers", "2", "--db", address) as server:
            playing = play_among_faults(server, (*faults, restart_database), seconds, Random(27), clients=clients)
            arena = asyncio.run(playing)
            server.terminate()
            assert server.ended() == 0
        return checked(arena, address)
    finally:
        cluster.remove()


def test_histories_on_sqlite_are_true_among_faults(tmp_path: Path) -> None:
    assert survive_on_sqlite(tmp_path, (*NETWORK, *PROCESSES), 0, clients=6) >= 40


@pytest.mark.postgres
def test_histories_on_postgres_are_true_among_faults(tmp_path: Path) -> None:
    assert survive_on_postgres(tmp_path, (*NETWORK, *PROCESSES), 0, clients=6) >= 40


@pytest.mark.soak
@pytest.mark.timeout(SOAK_SECONDS + 600)
def test_histories_on_sqlite_stay_true_for_long(tmp_path: Path) -> None:
    assert survive_on_sqlite(tmp_path, ALL, SOAK_SECONDS, clients=30) >= SOAK_SECONDS


@pytest.mark.soak
@pytest.mark.postgres
@pytest.mark.timeout(SOAK_SECONDS + 600)
def test_histories_on_postgres_stay_true_for_long(tmp_path: Path) -> None:
    assert survive_on_postgres(tmp_path, ALL, SOAK_SECONDS, clients=30) >= SOAK_SECONDS


# The check itself


def lost(arena: nemesis.Arena) -> None:
    """Pretend that a move was acknowledged that is not stored."""
    match = next(iter(arena.attempts))
    arena.attempts[match].append(nemesis.Attempt("never", "1", seq=99, ended=1e18))


def renumbered(arena: nemesis.Arena) -> None:
    """Pretend that a move was acknowledged with another number."""
    first = next(attempt for attempts in arena.attempts.values() for attempt in attempts if attempt.seq)
    first.seq += 1


def rejected(arena: nemesis.Arena) -> None:
    """Pretend that a stored move was rejected."""
    first = next(attempt for attempts in arena.attempts.values() for attempt in attempts if attempt.seq)
    first.rejected = True


def reordered(arena: nemesis.Arena) -> None:
    """Pretend that the last move was acknowledged before the first was sent."""
    answered = [attempt for attempt in next(iter(arena.attempts.values())) if attempt.seq]
    max(answered, key=lambda attempt: attempt.seq).ended = min(attempt.started for attempt in answered) - 1


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[nemesis.Arena, str]:
    """A race without faults, and its database."""
    with Running(tmp_path_factory.mktemp("race")) as server:
        arena = asyncio.run(play_among_faults(server, (), 0, Random(1), clients=3))
        server.terminate()
        server.ended()
    return arena, str(server.database)


@pytest.mark.parametrize("lie", [lost, renumbered, rejected, reordered])
def test_check_finds_a_false_history(played: tuple[nemesis.Arena, str], lie: Callable[[nemesis.Arena], None]) -> None:
    arena, database = played
    check_histories(arena, database)
    false = replace(arena, attempts=copy.deepcopy(arena.attempts))
    lie(false)
    with pytest.raises((AssertionError, KeyError)):
        check_histories(false, database)
