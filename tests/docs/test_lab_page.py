"""docs/lab.md and docs/cluster.md: their tables are what the tools print, and their commands run."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import numberline as nl
from numberline.lab.metrics import METRICS
from support import cluster_jobs

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "lab.md").read_text()
CLUSTER_PAGE = (ROOT / "docs" / "cluster.md").read_text()
BEST = PAGE.partition("### The best of each book")[2].partition("\n## ")[0]


def run_tool(name: str, seconds: int) -> str:
    command = [sys.executable, str(ROOT / "tools" / name)]
    return subprocess.run(command, capture_output=True, text=True, timeout=seconds, check=True).stdout


def test_table_of_the_five_books_is_up_to_date() -> None:
    printed = run_tool("lab_table.py", 60)
    assert printed.startswith("| metric | Reach the Edge |")
    assert printed in PAGE


def test_every_metric_is_explained() -> None:
    explained = PAGE.partition("## What the metrics mean")[2].partition("### The five books")[0]
    assert [metric.title for metric in METRICS.values() if f"\n| {metric.title} | " not in explained] == []


# The best variants of each book


@pytest.mark.soak
def test_tables_of_the_best_variants_are_up_to_date() -> None:
    assert run_tool("lab_finds.py", 1800) in BEST


@pytest.mark.parametrize("name", nl.NAMES)
def test_best_variants_are_fair_and_leave_a_choice(name: str) -> None:
    rows = re.findall(rf"^\| `({name}[^`]*)` \| [^|]+ \| ([\d.]+) \| ([\d.]+) \|", BEST, re.MULTILINE)
    assert 0 < len(rows) <= 10 or f"**{nl.book(name).title}**: no variant" in BEST
    for variant, gap, choice in rows:
        measured = nl.measure(variant)
        assert (f"{measured['gap']:.3f}", f"{measured['choice']:.2f}") == (gap, choice)
        assert measured["gap"] <= 0.1
        assert measured["choice"] >= 0.5


# Commands


def run_script(page: str, folder: Path, **variables: str) -> None:
    """Run all `numberline` commands of a page as one script."""
    blocks = re.findall(r"```console\n(.*?)```", page, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("numberline ")]
    assert lines
    shutil.copy(ROOT / "docs" / "example-book.toml", folder / "my-game.toml")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "PYTHONUTF8": "1"} | variables
    script = "\n".join(["set -e", *lines])
    ran = subprocess.run(
        ["/bin/sh", "-c", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert ran.returncode == 0, ran.stderr


@pytest.mark.soak
def test_commands_of_the_lab_page_run(tmp_path: Path) -> None:
    run_script(PAGE, tmp_path, QUICK="--change repeat")
    for name in ("page.html", "curve.svg", "both.svg", "map.html", "map.svg", "maps/reach/_map.json", "sheet.html"):
        assert (tmp_path / name).exists(), name


@pytest.mark.soak
def test_commands_of_the_cluster_page_run(tmp_path: Path) -> None:
    with cluster_jobs.cluster(tmp_path) as address:
        run_script(CLUSTER_PAGE.replace("tcp://127.0.0.1:8786", address), tmp_path, END="12")
    for module in ("pandas", "polars", "duckdb"):
        pytest.importorskip(module)
    [code] = re.findall(r"```python\n(.*?)```", CLUSTER_PAGE, re.DOTALL)
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, timeout=60, check=True)
