"""Dataset writers for JSON Lines, CSV and Parquet, and the dataset card that documents a file."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

from numberline import __version__
from numberline.datasets.export import ColumnData, Frame, iter_rows
from numberline.explain.rules_text import describe_rules, opening
from numberline.files.tables import import_pyarrow, write_csv_rows
from numberline.game import Book
from numberline.text import escape_controls

FrameWriter = Callable[[Iterable[Frame], IO[bytes], Book], int]
"""A function that writes frames to a file and returns the number of rows."""


def write_jsonl(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """Write each row as a line of JSON."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    count = 0
    for row in iter_rows(frames):
        file.write(f"{encode(row)}\n".encode())
        count += 1
    return count


def write_csv(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """Write a header line, then one line per row."""
    return write_csv_rows(iter_rows(frames), file)


def write_parquet(frames: Iterable[Frame], file: IO[bytes], book: Book) -> int:
    """Write a Parquet file whose metadata names the variant; requires the `data` extra."""
    pa, parquet = import_pyarrow()
    writer, count = None, 0
    try:
        for frame in frames:
            columns = {name: _to_arrow(pa, column) for name, column in frame.items()}
            table = pa.table(columns, metadata=_file_metadata(book))
            writer = writer or parquet.ParquetWriter(file, table.schema)
            writer.write_table(table)
            count += table.num_rows
    finally:
        if writer:
            writer.close()
    return count


def _file_metadata(book: Book) -> dict[str, str]:
    metadata = {"numberline.variant": escape_controls(book.variant), "numberline.version": __version__}
    return {**metadata, "numberline.book": book.source} if book.source else metadata


def _to_arrow(pa: Any, column: ColumnData) -> Any:
    values = column.values
    if values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    if column.categories:
        flat = pa.array(column.categories).take(pa.array(values))
    elif values.dtype.kind == "O":
        flat = pa.array(values, pa.string())
    else:
        flat = pa.array(values, mask=values < 0 if column.nullable else None)
    if column.list_lengths is None:
        return flat
    return pa.ListArray.from_arrays(pa.array(np.append(0, column.list_lengths.cumsum()).astype(np.int32)), flat)


FORMATS: dict[str, FrameWriter] = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet}


# Dataset card

CARD_TEMPLATE = Path(__file__).with_name("card_template.md").read_text("utf-8")
COLUMN_DESCRIPTIONS: dict[str, str] = tomllib.loads(Path(__file__).with_name("columns.toml").read_text("utf-8"))


def dataset_card(book: Book, file: Path, count: int, columns: Iterable[str], command: str, *, games: bool) -> str:
    """Return the Markdown card for a dataset: how it was generated, its columns, the rules and the actions."""
    actions = ", ".join(f"`{move}`" for move in book.choices)
    text = CARD_TEMPLATE.format(
        name=_yaml_string(book.title),
        data=_yaml_string(file.name),
        book=book,
        file=file,
        rows=f"{count:,} {'turns' if games else 'positions'}",
        about=opening(book),
        version=__version__,
        command=command,
        what="Every turn of the games is a row, so a position may occur several times."
        if games
        else "Every reachable position in which the game is not over is a row.",
        columns="\n".join(f"| `{name}` | {COLUMN_DESCRIPTIONS[name]} |" for name in columns),
        rules="\n".join(f"- {part.heading}: {part.text}" for part in describe_rules(book)),
        actions=f"Action 0 is the move `{book.choices[0]}`; all actions in order: {actions}.",
    )
    return escape_controls(text)


def _yaml_string(text: str) -> str:
    return json.dumps(escape_controls(text), ensure_ascii=False)
