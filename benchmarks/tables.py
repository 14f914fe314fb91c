"""Output of the benchmarks: tables up to 100 columns wide, in which no text is truncated."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

WIDTH = 100


def show(*tables: Table | str) -> None:
    """Print tables and notes."""
    console = Console(width=WIDTH, highlight=False)
    for table in tables:
        if isinstance(table, Table):
            for column in table.columns:
                column.overflow = "fold"
            table.columns[0].no_wrap = True
        console.print(table)
