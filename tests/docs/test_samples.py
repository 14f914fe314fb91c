"""Samples in the documentation: the output of the commands they show.

Run this file as a script to write the present output into all pages, or into those named as arguments.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAMPLES = {
    page: samples
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    if (samples := re.findall(r"```text\n(\$ .*?)```", page.read_text(), re.DOTALL))
}
COMMAND = re.compile(r"^\$ (.+)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
# A dialogue of two programs, and a file that the reader writes.
NOT_RUN = re.compile(r"numberline engine|my-game\.toml")


def run_command(command: str, folder: Path) -> str:
    """Run a shell command with this `numberline`; return its output, or its errors if it fails."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONUTF8": "1"}
    ran = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, timeout=60, check=False
    )
    return (ran.stderr if ran.returncode in {1, 2} else ran.stdout).decode()


def commands(page: Path) -> list[tuple[str, str]]:
    """Return the commands of a page, each with the output that the page shows."""
    return [found for sample in SAMPLES[page] for found in COMMAND.findall(sample) if not NOT_RUN.search(found[0])]


@pytest.mark.parametrize("page", SAMPLES, ids=lambda page: page.stem)
def test_sample_shows_output_of_its_command(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    for command, expected in commands(page):
        assert run_command(command, tmp_path) == expected


def test_samples_are_found_on_pages_with_many() -> None:
    assert {"variants", "solving", "review-puzzles-lessons", "reach-the-edge"} <= {page.stem for page in SAMPLES}


def update(page: Path, folder: Path) -> None:
    """Write the present output of every command into the page."""
    shutil.copytree(ROOT / "docs", folder / "docs")
    for kind in ("DATA", "STATE", "CONFIG", "CACHE"):  # as in the tests: without the user's own files
        os.environ[f"XDG_{kind}_HOME"] = str(folder / "home" / kind.lower())
    text = page.read_text()
    for command, shown in commands(page):
        text = text.replace(f"$ {command}\n{shown}", f"$ {command}\n{run_command(command, folder)}")
    page.write_text(text)


if __name__ == "__main__":
    chosen = sys.argv[1:]
    for page in SAMPLES:
        if not chosen or page.stem in chosen:
            with tempfile.TemporaryDirectory() as name:
                update(page, Path(name))
