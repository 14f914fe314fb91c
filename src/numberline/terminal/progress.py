"""A bar for work that takes longer than a second; for shorter work nothing is shown."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

PATIENCE = 1.0
"""Seconds before a bar is shown."""


@contextmanager
def bar(what: str) -> Iterator[Callable[[float], None]]:
    """A function to be called with the share of the work that is done; where somebody watches, a bar shows it."""
    began = time.monotonic()
    shown: list[tuple[Any, Any]] = []

    def report(share: float) -> None:
        if not sys.stderr.isatty() or (not shown and time.monotonic() - began < PATIENCE):
            return
        if not shown:
            from rich.console import Console
            from rich.progress import Progress

            progress = Progress(console=Console(stderr=True), transient=True)
            progress.start()
            shown.append((progress, progress.add_task(what, total=1.0)))
        progress, task = shown[0]
        progress.update(task, completed=share)

    try:
        yield report
    finally:
        for progress, _ in shown:
            progress.stop()
