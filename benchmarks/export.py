"""Export speed: rows per second in each format, for all positions of a large solved variant."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

from rich.table import Table

import numberline as nl
from numberline.datasets.export import FORMATS, SolvedDataset
from numberline.files.tables import import_pyarrow
from tables import show

VARIANT = "line-runner(end=700)"


def rows_per_second(form: str, folder: Path, *, numbers: bool) -> tuple[int, float]:
    """Return the number of rows and the rows written per second, not counting the solve."""
    dataset = SolvedDataset(nl.book(VARIANT), numbers=numbers)
    _ = dataset.solution.arrays.live
    started = time.perf_counter()
    with (folder / f"rows.{form}").open("wb") as file:
        count = FORMATS[form](dataset.position_frames(), file, dataset.book)
    return count, count / (time.perf_counter() - started)


def main() -> None:
    import_pyarrow()
    table = Table("format", "columns", "rows", "rows per second", title=f"Export of {VARIANT}")
    with tempfile.TemporaryDirectory() as folder:
        for form in reversed(FORMATS):
            for numbers in (False, True):
                count, speed = rows_per_second(form, Path(folder), numbers=numbers)
                table.add_row(form, "text and numbers" if numbers else "text", f"{count:,}", f"{speed:,.0f}")
    show(table)


if __name__ == "__main__":
    main()
