"""A book as data: every position that can come about, or games that were played, with the exact worth of every move."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from random import Random
from typing import IO, Any

from numberline.book.book import Book
from numberline.bots import Bot, Lasting, make_bot
from numberline.notation import write_position
from numberline.rules.errors import NumberlineError
from numberline.rules.position import Position
from numberline.solver.retrograde import forced, reached
from numberline.solver.solution import MEMORY, Forced, Solution
from numberline.solver.table import Progress, Table, make_table

Row = dict[str, Any]
AT_A_TIME = 10_000
"""How many rows are written at a time where a format is written in blocks."""
PLIES = 500
"""A sampled game is stopped after so many plies."""


class ExportError(NumberlineError):
    """Data that can't be written; the text says what would do."""


class Answers:
    """A solved book, and the rows that can be made of it."""

    def __init__(self, book: Book, *, memory: int = MEMORY, progress: Progress = lambda _: None) -> None:
        self.book = book
        self.table: Table = make_table(book, memory=memory, progress=lambda share: progress(share / 2))
        columns = forced(self.table, lambda share: progress(0.5 + share / 2))
        self.solution = Solution(book, self.table.numbering, columns)
        self._nobody = "endless" if book.rules.players == 2 else "open"

    def positions(self, progress: Progress = lambda _: None) -> Iterator[Row]:
        """A row for each position that can come about, whoever begins, and in which somebody has to move."""
        numbers = self._numbers()
        for count, number in enumerate(numbers):
            if count % 1000 == 0:
                progress(count / len(numbers))
            yield self.row(self.table.numbering.position(number))

    def _numbers(self) -> list[int]:
        """The numbers of these positions, in an order that does not depend on how they are numbered."""
        book, numbering = self.book, self.table.numbering
        starts = [numbering.number(book.start(first)) for first in range(1, book.rules.players + 1)]
        marks = reached(self.table, starts)
        live = [number for number, mark in enumerate(marks) if mark and not self.table.winner[number]]
        return sorted(live, key=lambda number: _order(numbering.position(number)))

    def games(self, count: int, bot: str, seed: int, plies: int = PLIES) -> Iterator[Row]:
        """A row for each ply of so many games of a bot with itself; each game's chance comes from the seed."""
        for game in range(count):
            rng = Random(f"{seed}/{game}")  # noqa: S311 - dice, not secrets
            player = make_bot(bot, self.book, rng, solution=self.solution)
            try:
                yield from self._game(game, player, plies)
            finally:
                if isinstance(player, Lasting):
                    player.close()

    def _game(self, game: int, player: Bot, plies: int) -> Iterator[Row]:
        position, played = self.book.start(), list[tuple[Position, str]]()
        while not self.book.outcome(position) and len(played) < plies:
            played.append((position, player.choose(position)))
            position = self.book.after(position, played[-1][1])
        outcome = self.book.outcome(position)
        winner = outcome.winner if outcome else 0
        for ply, (before, move) in enumerate(played, 1):
            yield {"game": game, "ply": ply, **self.row(before), "played": move, "winner": winner}

    def row(self, position: Position) -> Row:
        """What is told of one position."""
        worth = self.solution.worth(position)
        return {
            "variant": self.book.variant,
            "position": write_position(position),
            "turn": position.turn,
            "moves": list(worth),
            "value": self.solution.value(position),
            "distance": self.solution.distance(position),
            "best": list(self.solution.best(position)),
            "move_values": [self._value(outlook, position.turn) for outlook in worth.values()],
            "move_distances": [outlook.plies + 1 if outlook else None for outlook in worth.values()],
        }

    def _value(self, outlook: Forced | None, player: int) -> str:
        if outlook is None:
            return self._nobody
        return "win" if outlook.player == player else "loss"


def _order(position: Position) -> tuple[Any, ...]:
    return position.turn, position.out, position.last, position.tokens


# The formats


def write_jsonl(rows: Iterable[Row], file: IO[bytes]) -> None:
    """A line of JSON for each row."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for row in rows:
        file.write(f"{encode(row)}\n".encode())


def write_csv(rows: Iterable[Row], file: IO[bytes]) -> None:
    """A line for each row, below a line of names; lists have spaces between, and what is not known is `-` there."""
    writer = None
    for row in rows:
        if writer is None:
            writer = csv.writer(_Text(file), lineterminator="\n")
            writer.writerow(row)
        writer.writerow([_flat(value) for value in row.values()])


def _flat(value: Any) -> Any:
    return " ".join("-" if part is None else str(part) for part in value) if isinstance(value, list) else value


class _Text:
    """A file of bytes that takes text."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        self._file.write(text.encode())


def write_parquet(rows: Iterable[Row], file: IO[bytes]) -> None:
    """The rows in columns; needs the extra `data`."""
    pa, parquet = load_pyarrow()
    kinds = {
        **dict.fromkeys(("variant", "position", "value", "played"), pa.string()),
        **dict.fromkeys(("turn", "winner"), pa.int8()),
        **dict.fromkeys(("distance", "game", "ply"), pa.int32()),
        **dict.fromkeys(("moves", "best", "move_values"), pa.list_(pa.string())),
        "move_distances": pa.list_(pa.int32()),
    }
    left = iter(rows)
    writer = None
    try:
        while block := list(islice(left, AT_A_TIME)):
            schema = pa.schema([(name, kinds[name]) for name in block[0]])
            writer = writer or parquet.ParquetWriter(file, schema)
            writer.write_table(pa.Table.from_pylist(block, schema=schema))
    finally:
        if writer:
            writer.close()


def load_pyarrow() -> tuple[Any, Any]:
    """The library that writes parquet; where it is not installed, one sentence says how to."""
    try:
        import pyarrow as pa
        from pyarrow import parquet
    except ImportError:
        raise ExportError('parquet needs pyarrow; install it with: pip install "numberline[data]"') from None
    return pa, parquet


FORMATS: dict[str, Callable[[Iterable[Row], IO[bytes]], None]] = {
    "jsonl": write_jsonl,
    "csv": write_csv,
    "parquet": write_parquet,
}
"""How rows can be written, by name."""
