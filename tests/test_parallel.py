"""Work in this process, in worker processes and on a cluster; a worker that dies loses nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults.test_shutdown import is_there, waited_for
from numberline import parallel
from numberline.errors import MissingExtra
from numberline.parallel import ClusterError, map_unordered, parse_workers
from support import cluster_jobs


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    pytest.importorskip("distributed", reason="a cluster needs the extra cluster")
    with cluster_jobs.cluster(tmp_path_factory.mktemp("dask")) as address:
        yield address


@pytest.mark.parametrize("workers", [1, 2])
def test_every_result_has_the_index_of_its_item(workers: int) -> None:
    done = map_unordered(cluster_jobs.doubled, iter(range(5, 25)), workers=workers)
    assert sorted(done) == [(number, 2 * (5 + number)) for number in range(20)]


def test_one_worker_takes_items_lazily() -> None:
    taken = []

    def pieces_one_by_one() -> Iterator[int]:
        for number in range(3):
            taken.append(number)
            yield number

    done = map_unordered(cluster_jobs.doubled, pieces_one_by_one(), workers=1)
    assert (next(done), taken) == ((0, 0), [0])


def test_exception_of_a_worker_is_raised() -> None:
    with pytest.raises(ValueError, match="three"):
        list(map_unordered(cluster_jobs.three_is_refused, range(10), workers=2))


def test_item_of_a_killed_process_is_retried(tmp_path: Path) -> None:
    asked = [(number, str(tmp_path / "mark")) for number in range(20)]
    assert sorted(map_unordered(cluster_jobs.killed_once, asked, workers=2)) == [
        (number, number) for number in range(20)
    ]


def test_item_that_kills_every_process_is_given_up() -> None:
    with pytest.raises(ClusterError, match="killed 3 times in a row, probably because they ran out of memory"):
        list(map_unordered(cluster_jobs.killed_always, range(10), workers=2))


def test_closing_the_iterator_ends_the_work() -> None:
    done = map_unordered(cluster_jobs.doubled, iter(range(10**9)), workers=2)
    assert next(done)[0] < 10**6
    done.close()
    assert next(done, None) is None


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells which processes live")
def test_worker_processes_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    work = f"list(map_unordered(cluster_jobs.never_done, [{str(tmp_path)!r}] * 2, workers=2))"
    program = [
        sys.executable,
        "-c",
        f"from support import cluster_jobs\nfrom numberline.parallel import map_unordered\n{work}",
    ]
    with subprocess.Popen(program, cwd=Path(__file__).parent, stderr=subprocess.DEVNULL) as ours:
        assert waited_for(lambda: len(list(tmp_path.glob("*.pid"))) == 2)
        ours.kill()
    assert waited_for(lambda: not any(is_there(int(mark.stem)) for mark in tmp_path.glob("*.pid")))


@pytest.mark.parametrize(("text", "workers"), [("1", 1), (" 12 ", 12), ("tcp://10.0.0.5:8786", "tcp://10.0.0.5:8786")])
def test_workers_are_a_number_or_an_address(text: str, workers: int | str) -> None:
    assert parse_workers(text) == workers


@pytest.mark.parametrize("text", ["0", "-1", "two", "", "99999", "tcp://", "tcp://host", "http://host:80", "host:8786"])
def test_invalid_workers_are_rejected(text: str) -> None:
    with pytest.raises(ClusterError, match=r"invalid workers value .*; expected a number of processes such as 2, or"):
        parse_workers(text)


def test_scheduler_that_does_not_answer_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="a cluster needs the extra cluster")
    monkeypatch.setattr(parallel, "CONNECT_TIMEOUT_S", 0.3)
    with pytest.raises(ClusterError, match=r"^no Dask scheduler answered at tcp://127\.0\.0\.1:9 within"):
        list(map_unordered(cluster_jobs.doubled, [1], workers="tcp://127.0.0.1:9"))


def test_missing_dask_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"^Dask is not installed; run: .*\[cluster\]"):
        list(map_unordered(cluster_jobs.doubled, [1], workers="tcp://127.0.0.1:9"))


def test_cluster_gives_the_same_results(dask: str) -> None:
    assert sorted(map_unordered(cluster_jobs.doubled, iter(range(20)), workers=dask)) == [(n, 2 * n) for n in range(20)]


def test_exception_on_a_cluster_is_raised(dask: str) -> None:
    with pytest.raises(ValueError, match="three"):
        list(map_unordered(cluster_jobs.three_is_refused, range(10), workers=dask))


def test_item_of_a_killed_worker_is_retried(dask: str, tmp_path: Path) -> None:
    asked = [(number, str(tmp_path / "mark")) for number in range(20)]
    assert sorted(map_unordered(cluster_jobs.killed_once, asked, workers=dask)) == [
        (number, number) for number in range(20)
    ]


@pytest.mark.soak
def test_item_that_kills_every_worker_is_given_up(dask: str) -> None:
    with pytest.raises(ClusterError, match=r"the same task killed several workers of the cluster at .*; give"):
        list(map_unordered(cluster_jobs.killed_always, range(10), workers=dask))


@pytest.mark.soak
def test_scheduler_without_workers_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "CONNECT_TIMEOUT_S", 1)
    with (
        cluster_jobs.scheduler(tmp_path) as address,
        pytest.raises(ClusterError, match="has no workers; start one with"),
    ):
        list(map_unordered(cluster_jobs.doubled, [1], workers=address))
