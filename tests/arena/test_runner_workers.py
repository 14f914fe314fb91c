"""Several workers: games, files and statistics are the same as with one."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pytest

import numberline as nl
from bots.test_external import EXAMPLE, living
from numberline.arena import Entrant, Tournament, run, runner
from numberline.parallel import ClusterError
from support.commands import numberline_anew
from support.tournaments import BotWithoutPolicyFactory, tournament, without_policy

MIXED = tournament("random", "level:3", "mcts:5", books=("flag-chase", "number-reach(players=3)"), games=30)


def test_two_workers_write_the_same_bytes_as_one(tmp_path: Path) -> None:
    reports = [run(MIXED, tmp_path / str(workers), workers=workers).report() for workers in (1, 2)]
    assert reports[0] == reports[1]
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_command_plays_with_several_workers(tmp_path: Path) -> None:
    command = ("arena", "random", "mcts:3", "--books", "flag-chase", "--games", "50", "--json")
    ran = [numberline_anew(*command, "--workers", many, "--out", str(tmp_path / many)) for many in ("1", "2")]
    assert (ran[0].err, ran[1].err) == ("", "")
    assert ran[0].out == ran[1].out
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_run_of_one_worker_is_resumed_by_two(tmp_path: Path) -> None:
    run(MIXED, tmp_path / "whole")
    whole = (tmp_path / "whole").read_bytes()
    (tmp_path / "part").write_bytes(whole[: len(whole) // 2])
    run(MIXED, tmp_path / "part", workers=2)
    assert (tmp_path / "part").read_bytes() == whole


def test_results_are_written_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    def backwards(function, pieces, *, workers):  # type: ignore[no-untyped-def] # noqa: ANN001, ANN202 - as spread_out
        assert workers == 3
        done = [(number, function(piece)) for number, piece in enumerate(pieces)]
        yield from reversed(done)

    expected = run(MIXED).report()
    monkeypatch.setattr(runner, "map_unordered", backwards)
    order: list[float] = []
    assert run(MIXED, progress=order.append, workers=3).report() == expected
    assert order == sorted(order)


def test_custom_bots_play_in_worker_processes() -> None:
    own = Entrant("own", BotWithoutPolicyFactory("greedy"))
    played = Tournament((own, without_policy("random")), (nl.book("flag-chase"),), 50, seed=1)
    assert run(played, workers=2).report() == run(played).report()


def test_bots_that_cannot_be_pickled_are_rejected_by_workers() -> None:
    own = Entrant("own", lambda book, rng, solution: without_policy("greedy").make(book, rng, solution))
    played = Tournament((own, without_policy("random")), (nl.book("flag-chase"),), 50, seed=1)
    with pytest.raises(ClusterError, match=r"can't be sent to another process .*; define its functions and classes"):
        run(played, workers=2)


def test_external_bots_start_and_end_in_workers() -> None:
    bot = f"exec:{sys.executable} {EXAMPLE}"
    played = tournament(bot, "random", books=("flag-chase",), games=44)
    assert run(played, workers=2).report() == run(played).report()
    until = time.monotonic() + 10
    while living(bot) and time.monotonic() < until:
        time.sleep(0.05)
    assert living(bot) == set()


def test_cluster_plays_the_same_games(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="a cluster needs the extra cluster")
    with distributed.LocalCluster(1, threads_per_worker=2, processes=False, dashboard_address=None) as cluster:
        run(MIXED, tmp_path / "cluster", workers=cluster.scheduler_address)
    run(MIXED, tmp_path / "here")
    assert (tmp_path / "cluster").read_bytes() == (tmp_path / "here").read_bytes()
