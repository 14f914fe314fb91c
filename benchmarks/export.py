"""How many rows a second are exported: every position of a large variant, in each format, once it is solved."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.table import Table

import numberline as nl
from numberline.datasets.export import SolvedDataset
from numberline.datasets.writers import FORMATS, load_pyarrow
from tables import show

VARIANT = "line-runner(end=700)"


def measured(form: str, folder: Path, *, numbers: bool) -> tuple[int, float]:
    """The rows, and how many of them were written in a second once the book is solved."""
    answers = SolvedDataset(nl.book(VARIANT), numbers=numbers)
    _ = answers.solution.arrays.live
    began = time.perf_counter()
    with (folder / f"rows.{form}").open("wb") as file:
        count = FORMATS[form](answers.position_frames(), file, answers.book)
    return count, count / (time.perf_counter() - began)


def main() -> None:
    """Prints the table."""
    load_pyarrow()
    table = Table("format", "columns", "rows", "rows a second", title=f"Export of {VARIANT}")
    with tempfile.TemporaryDirectory() as folder:
        for form in reversed(FORMATS):
            for numbers in (False, True):
                count, speed = measured(form, Path(folder), numbers=numbers)
                table.add_row(form, "text and numbers" if numbers else "text", f"{count:,}", f"{speed:,.0f}")
    show(table)


if __name__ == "__main__":
    main()
