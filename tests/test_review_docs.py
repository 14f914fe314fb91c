"""The samples in the page on reviews, puzzles and lessons are what the commands print."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "review-puzzles-lessons.md"


def printed(command: str, folder: Path) -> str:
    """What a line of shell prints, run where `numberline` is this one."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=60, check=False
    )
    return ran.stdout.decode()


def test_every_sample_is_what_the_command_prints(tmp_path: Path) -> None:
    samples = re.findall(r"```text\n(\$ .*?)```", PAGE.read_text(), re.DOTALL)
    assert len(samples) == 3
    for sample in samples:
        for command, expected in re.findall(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", sample, re.MULTILINE):
            assert printed(command, tmp_path) == expected
