"""The samples in the documentation are what the commands print."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = {
    page: samples
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if (samples := re.findall(r"```text\n(\$ .*?)```", page.read_text(), re.DOTALL))
}
NOT_RUN = re.compile(r"numberline engine|my-game\.toml")
"""A conversation, in which lines of two programs alternate; and a file of the reader's own."""


def printed(command: str, folder: Path) -> str:
    """What a line of shell prints, run where `numberline` is this one; where it fails, what it complains of."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=60, check=False
    )
    return (ran.stderr if ran.returncode in {1, 2} else ran.stdout).decode()


@pytest.mark.parametrize("page", SAMPLES, ids=lambda page: page.stem)
def test_every_sample_is_what_the_command_prints(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for sample in SAMPLES[page]:
        for command, expected in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", sample, re.MULTILINE):
            assert NOT_RUN.search(command) or printed(command, tmp_path) == expected


def test_the_pages_with_most_samples_are_among_them() -> None:
    assert {"variants", "solving", "review-puzzles-lessons", "reach-the-edge"} <= {page.stem for page in SAMPLES}
