"""How data is written: as lines of JSON, as CSV, or as Parquet, and a card beside it that says what it is."""

from __future__ import annotations

import codecs
import csv
import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

from numberline import __version__
from numberline.datasets.export import ColumnData, Frame, Row, iter_rows
from numberline.errors import NumberlineError
from numberline.explain.rules_text import describe_rules, opening
from numberline.game.book import Book
from numberline.text import escape_controls

LIST_SEPARATOR = "|"
"""What stands between the parts of a list in CSV: no program takes such a list for a date or a number."""
FrameWriter = Callable[[Iterable[Frame], IO[bytes], Book], int]
"""Writes the rows of a book to a file, and says how many there were."""


class ExportError(NumberlineError):
    """Data that can't be written; the text says what would do."""


def write_jsonl(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """A line of JSON for each row."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    count = 0
    for count, row in enumerate(iter_rows(frames), 1):  # noqa: B007 - what it was last is what comes back
        file.write(f"{encode(row)}\n".encode())
    return count


def write_csv(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """A line for each row, below a line of names; lists have bars between, and what is not known is `-` there."""
    return write_csv_rows(iter_rows(frames), file)


def write_csv_rows(rows: Iterable[Row], file: IO[bytes]) -> int:
    """Writes any rows so, and says how many there were."""
    writer = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
    count = 0
    for count, row in enumerate(rows, 1):
        if count == 1:
            writer.writerow(row)
        writer.writerow([_cell(value) for value in row.values()])
    return count


def _cell(value: Any) -> Any:
    """What stands in a cell; a list of ours in one piece, and a text so that no program obeys it."""
    if isinstance(value, list):
        return LIST_SEPARATOR.join("-" if part is None else str(part) for part in value)
    return _escape_formula(value) if isinstance(value, str) else value


def _escape_formula(text: str) -> str:
    """The text with nothing in it that a spreadsheet works out, or a screen obeys; moves stay as they are.

    >>> [_escape_formula(text) for text in ("+1", "-2", "=1+1", "@SUM(A1)", "-A1")]
    ['+1', '-2', "'=1+1", "'@SUM(A1)", "'-A1"]
    """
    if text[:1].isalnum() and text.isprintable():
        return text  # nearly all are, and there are many
    text = escape_controls(text)
    return f"'{text}" if _FORMULA.match(text) and not _ARITHMETIC.fullmatch(text) else text


_FORMULA = re.compile(r"\s*[-+=@\uff0b\uff0d\uff1d\uff20]")
"""How a text begins that some spreadsheet takes for a formula; the last four are as wide as Chinese characters."""
_ARITHMETIC = re.compile(r"[-+][-+*/0-9 ,]*")
"""Moves, operations and numbers: a spreadsheet can at worst add them up."""


def write_parquet(frames: Iterable[Frame], file: IO[bytes], book: Book) -> int:
    """The rows in columns, with what was exported in the metadata; needs the extra `data`."""
    pa, parquet = load_pyarrow()
    writer, count = None, 0
    try:
        for frame in frames:
            table = pa.table({name: _arrow(pa, cells) for name, cells in frame.items()}, metadata=file_metadata(book))
            writer = writer or parquet.ParquetWriter(file, table.schema)
            writer.write_table(table)
            count += table.num_rows
    finally:
        if writer:
            writer.close()
    return count


def file_metadata(book: Book) -> dict[str, str]:
    """What the metadata of a file says: the variant, the version that made it, and the text of a book of one's own."""
    known = {"numberline.variant": escape_controls(book.variant), "numberline.version": __version__}
    return {**known, "numberline.book": book.source} if book.source else known


def _arrow(pa: Any, cells: ColumnData) -> Any:
    """A column as pyarrow has it."""
    values = cells.values
    if values.ndim == 2:
        return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])
    if cells.categories:
        flat = pa.array(cells.categories).take(pa.array(values))
    elif values.dtype.kind == "O":
        flat = pa.array(values, pa.string())
    else:
        flat = pa.array(values, mask=values < 0 if cells.nullable else None)
    if cells.list_lengths is None:
        return flat
    return pa.ListArray.from_arrays(pa.array(np.append(0, cells.list_lengths.cumsum()).astype(np.int32)), flat)


def load_pyarrow() -> tuple[Any, Any]:
    """The library that writes parquet; where it is not installed, one sentence says how to."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ExportError('parquet needs pyarrow; install it with: pip install "numberline[data]"') from None
    return pa, parquet


FORMATS: dict[str, FrameWriter] = {"jsonl": write_jsonl, "csv": write_csv, "parquet": write_parquet}
"""How rows can be written, by name."""


# The card

COLUMN_DESCRIPTIONS = {
    "game": "which game, counted from 0",
    "ply": "which turn of the game, counted from 1",
    "variant": "the canonical text of the variant",
    "position": "the position in one line: who is to move, the tokens, what is banned, who is out",
    "turn": "the player to move",
    "moves": "the legal moves; `pass` or `out` where there is no choice",
    "value": "`win`, `loss` or `endless` for the player to move; with more than two players `open` for endless",
    "distance": "turns to the end with best play on all sides; nothing where nobody can force one",
    "best": "the best moves, in value and in time",
    "move_values": "the value of each legal move, in the order of `moves`, for the player who makes it",
    "move_distances": "the distance of each legal move, itself counted",
    "observation": "what the player to move sees, as the environments show it",
    "action_mask": "for each action, 1 where it is legal",
    "best_actions": "for each action, 1 where it is one of the best",
    "points": "the value as a number: 1 a win, 0 endless or open, -1 a loss",
    "regret": "for each action, the points that it gives away, from 0 to 2; -1 where it is not legal",
    "prompt": "what a language model is told; nothing where there is no choice",
    "played": "the move that was made",
    "winner": "who won the game in the end; 0 where it was stopped",
}
"""What each column holds."""
CARD_TEMPLATE = """---
pretty_name: {name}
configs:
- config_name: default
  data_files: {data}
tags: [number-line-games, solved-game]
---

# {title}: {rows}

{about}

`{file}` has {rows} of `{variant}`, made by numberline {version} with

```text
{command}
```

{what} Every value, distance and best move is exact: the game was solved to its end. Nothing was sampled from people.

| column | what it holds |
| --- | --- |
{columns}

## The rules

{rules}

## The actions

{actions}
"""


def dataset_card(book: Book, file: Path, count: int, columns: Iterable[str], command: str, *, games: bool) -> str:
    """The page that lies beside a file of data: what it is, how it was made, what its columns hold."""
    every = "Every position is there that can be reached, whoever begins, and in which somebody has to move."
    played = "Every turn of the games is a row, so a position may be there several times."
    text = CARD_TEMPLATE.format(
        name=_yaml_string(book.title),
        data=_yaml_string(file.name),
        title=book.title,
        file=file.name,
        rows=f"{count:,} {'turns' if games else 'positions'}",
        about=opening(book),
        variant=book.variant,
        version=__version__,
        command=command,
        what=played if games else every,
        columns="\n".join(f"| `{name}` | {COLUMN_DESCRIPTIONS[name]} |" for name in columns),
        rules="\n".join(f"- {part.heading}: {part.text}" for part in describe_rules(book)),
        actions=f"Action 0 is the move `{book.choices[0]}`; all of them in order: "
        + ", ".join(f"`{move}`" for move in book.choices)
        + ".",
    )
    return escape_controls(text)


def _yaml_string(text: str) -> str:
    """A text as YAML has it, whatever it holds."""
    return json.dumps(escape_controls(text), ensure_ascii=False)
