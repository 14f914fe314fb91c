"""The power fails under load: writes that were not synced are gone, but nothing that was acknowledged is."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from support.failing_disk import Running
from support.power_loss import ForgetfulDisk
from support.web_players import Load


def lose_power_under_load(folder: Path, failures: int, games: int, *, lies: bool = False) -> int:
    """Play, lose power and play on; return how many writes were not synced at those moments."""
    rng, unsynced = Random(failures), 0
    disk = ForgetfulDisk(folder, folder / "matches.db")
    with Running(folder, **disk.environment) as server:
        load = Load(server, rng)

        async def play_until_the_power_fails() -> None:
            await load.take_up()
            await load.begin(games)
            if lies:
                disk.lie()
            await load.play(rng.randrange(20, 100), server.kill)

        async def play_to_the_end() -> None:
            await load.take_up()
            await load.finish()

        for _ in range(failures):
            server.visit(play_until_the_power_fails())
            server.ended()
            unsynced += disk.lose_power(rng)
            server.start(**disk.environment)
        server.visit(play_to_the_end())
    return unsynced


def test_nothing_acknowledged_is_lost_by_a_power_failure(tmp_path: Path) -> None:
    lose_power_under_load(tmp_path, failures=2, games=5)


def test_disk_that_lies_about_syncing_loses_acknowledged_moves(tmp_path: Path) -> None:
    with pytest.raises(AssertionError) as caught:
        lose_power_under_load(tmp_path, failures=1, games=5, lies=True)
    assert caught.traceback[-1].name == "_compare"  # the players see too few moves


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_by_thirty_power_failures(tmp_path: Path) -> None:
    assert lose_power_under_load(tmp_path, failures=30, games=30)
