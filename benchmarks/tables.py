"""Output of the benchmarks: tables up to 100 columns wide, in which no text is truncated and no word is broken."""

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
                texts = [str(text) for text in (column.header, *column.cells)]
                column.min_width = max(len(word) for text in texts for word in text.split() or [""])
                column.overflow = "fold"
        console.print(table)
