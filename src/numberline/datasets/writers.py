"""Writers of datasets: JSON lines, CSV or Parquet, and a card that documents the file next to it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import numpy as np

from numberline import __version__
from numberline.datasets.export import ColumnData, Frame, iter_rows
from numberline.explain.rules_text import describe_rules, opening
from numberline.files.tables import import_pyarrow, write_csv_rows
from numberline.game.book import Book
from numberline.text import escape_controls

FrameWriter = Callable[[Iterable[Frame], IO[bytes], Book], int]
"""Writes frames to a file and returns the number of rows."""


def write_jsonl(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """Write one line of JSON per row."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    count = 0
    for row in iter_rows(frames):
        file.write(f"{encode(row)}\n".encode())
        count += 1
    return count


def write_csv(frames: Iterable[Frame], file: IO[bytes], _: Book) -> int:
    """Write one line per row, after a header line."""
    return write_csv_rows(iter_rows(frames), file)


def write_parquet(frames: Iterable[Frame], file: IO[bytes], book: Book) -> int:
    """Write a Parquet file whose metadata names the variant; requires the extra `data`."""
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

COLUMN_DESCRIPTIONS = {
    "game": "the index of the game, from 0",
    "ply": "the number of the turn in the game, from 1",
    "variant": "the canonical text of the variant",
    "position": "the position in one line: player to move, tokens, banned move, players who are out",
    "turn": "the player to move",
    "moves": "the legal moves; `pass` or `out` if there is no choice",
    "value": "`win`, `loss` or `endless` for the player to move; with more than two players `open`, not `endless`",
    "distance": "turns to the end with perfect play; missing if no player can force an end",
    "best": "the best moves, by value and then by distance",
    "move_values": "the value of each legal move for the player to move, in the order of `moves`",
    "move_distances": "the distance of each legal move, itself included; missing if no player can force an end",
    "observation": "what the player to move observes in the environments",
    "action_mask": "1 for each legal action, otherwise 0",
    "best_actions": "1 for each best action, otherwise 0",
    "points": "the value as a number: 1 for a win, 0 for endless or open, -1 for a loss",
    "regret": "the points that each action loses, from 0 to 2; -1 for an illegal action",
    "prompt": "the prompt for a language model; missing if there is no choice",
    "played": "the move that was played",
    "winner": "the winner of the game; 0 if it was stopped",
}
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

{what} Every value, distance and best move is exact, because the game is solved. No data of people is included.

| column | content |
| --- | --- |
{columns}

## The rules

{rules}

## The actions

{actions}
"""


def dataset_card(book: Book, file: Path, count: int, columns: Iterable[str], command: str, *, games: bool) -> str:
    """Return the Markdown page about a dataset: how it was made, its columns, the rules and the actions."""
    actions = ", ".join(f"`{move}`" for move in book.choices)
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
