"""Killed writers leave the old file or the new one, and the next run removes temporary files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from support import kill_runner

for needed in ("numpy", "pyarrow"):
    pytest.importorskip(needed)


def assert_leaves_whole_files(writer: str, times: int, folder: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "support.kill_runner", writer, str(times), str(folder)],
        capture_output=True,
        text=True,
        check=False,
        timeout=3 * times + 30,
    )
    assert (ran.returncode, ran.stdout) == (0, f"{times}\n"), ran.stderr


@pytest.mark.parametrize("writer", kill_runner.WRITERS)
def test_killed_writer_leaves_no_partial_file(writer: str, tmp_path: Path) -> None:
    assert_leaves_whole_files(writer, 10, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("writer", kill_runner.WRITERS)
def test_writer_killed_many_times_leaves_no_partial_file(writer: str, tmp_path: Path) -> None:
    assert_leaves_whole_files(writer, 200, tmp_path)
