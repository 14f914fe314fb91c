"""Tabular files: CSV that is safe to open in a spreadsheet, and the import of pyarrow for Parquet."""

from __future__ import annotations

import codecs
import csv
import re
from collections.abc import Iterable
from typing import IO, Any

from numberline.errors import MissingExtra
from numberline.text import escape_controls

LIST_SEPARATOR = "|"  # spreadsheets could read a comma-separated list as a date or a number
# Spreadsheets evaluate text that starts with these characters; the last four are full-width.
_FORMULA = re.compile(r"\s*[-+=@\uff0b\uff0d\uff1d\uff20]")
# Moves, operations and numbers are harmless: at worst, a spreadsheet shows the result of the calculation.
_ARITHMETIC = re.compile(r"[-+][-+*/0-9 ,]*")


def write_csv_rows(rows: Iterable[dict[str, Any]], file: IO[bytes]) -> int:
    """Write rows as CSV and return the row count; list items are separated by `|`, and `-` marks a missing item."""
    writer = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
    count = 0
    for count, row in enumerate(rows, 1):
        if count == 1:
            writer.writerow(row)
        writer.writerow([_csv_cell(value) for value in row.values()])
    return count


def _csv_cell(value: Any) -> Any:
    if isinstance(value, list):
        return LIST_SEPARATOR.join("-" if item is None else str(item) for item in value)
    return _escape_formula(value) if isinstance(value, str) else value


def _escape_formula(text: str) -> str:
    """Escape control characters and text that a spreadsheet would evaluate, but leave moves unchanged.

    >>> [_escape_formula(text) for text in ("+1", "-2", "=1+1", "@SUM(A1)", "-A1")]
    ['+1', '-2', "'=1+1", "'@SUM(A1)", "'-A1"]
    """
    if text[:1].isalnum() and text.isprintable():
        return text  # fast path for the common case
    text = escape_controls(text)
    return f"'{text}" if _FORMULA.match(text) and not _ARITHMETIC.fullmatch(text) else text


def import_pyarrow() -> tuple[Any, Any]:
    """Import `pyarrow` and `pyarrow.parquet`; raise `MissingExtra` if the extra `data` is not installed."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtra("pyarrow", "data") from error
    return pa, parquet
