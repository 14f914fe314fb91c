"""docs/lab.md: its table is what tools/lab_table.py prints, and it explains every metric."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from numberline.lab.metrics import METRICS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "lab.md").read_text()


def test_table_of_the_five_books_is_up_to_date() -> None:
    ran = subprocess.run(
        [sys.executable, ROOT / "tools" / "lab_table.py"], capture_output=True, text=True, timeout=60, check=True
    )
    assert ran.stdout.startswith("| metric | Reach the Edge |")
    assert ran.stdout in PAGE


def test_every_metric_is_explained() -> None:
    explained = PAGE.partition("## What the metrics mean")[2].partition("### The five books")[0]
    assert [metric.title for metric in METRICS.values() if f"\n| {metric.title} | " not in explained] == []
