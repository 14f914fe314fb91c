"""A book as data: every position that can be reached, or games that were played, with the exact worth of every move."""

from __future__ import annotations

import codecs
import csv
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import IO, Any

from numberline.book.book import Book
from numberline.bots import Seats, play_out
from numberline.match import Match
from numberline.notation import write_position
from numberline.rules.errors import NumberlineError
from numberline.rules.position import Position
from numberline.solver.store import solution_of
from numberline.solver.table import MEMORY, Progress

Row = dict[str, Any]
PLIES = 500
"""A sampled game is stopped after so many plies."""


class ExportError(NumberlineError):
    """Data that can't be written; the text says what would do."""


class Answers:
    """A solved book, and the rows that can be made of it."""

    def __init__(self, book: Book, *, memory: int = MEMORY, progress: Progress = lambda _: None) -> None:
        self.book = book
        self.solution = solution_of(book, memory=memory, progress=progress)

    def positions(self, progress: Progress = lambda _: None) -> Iterator[Row]:
        """A row for each position that can be reached, whoever begins, and in which somebody has to move."""
        live = sorted(self.solution.live, key=lambda at: (at.turn, at.out, at.last, at.tokens))
        for count, position in enumerate(live):
            if count % 1000 == 0:
                progress(count / len(live))
            yield self.row(position)

    def games(self, count: int, bot: str, seed: int, plies: int = PLIES) -> Iterator[Row]:
        """A row for each ply of so many games of a bot with itself; each game's chance comes from the seed."""
        seats = Seats(self.book, [bot] * self.book.rules.players, solution=self.solution)
        try:
            for game in range(count):
                seats.new_game(f"{seed}/{game}")
                match = Match(self.book)
                if forfeit := play_out(match, seats, limit=plies):
                    raise forfeit
                winner = match.outcome.winner if match.outcome else 0
                for number, ply in enumerate(match.plies, 1):
                    yield {"game": game, "ply": number, **self.row(ply.before), "played": ply.move, "winner": winner}
        finally:
            seats.close()

    def row(self, position: Position) -> Row:
        """All that is known of one position."""
        worth, judged = self.solution.worth(position), self.solution.judged(position)
        return {
            "variant": self.book.variant,
            "position": write_position(position),
            "turn": position.turn,
            "moves": [choice.move for choice in judged],
            "value": worth.value,
            "distance": worth.plies,
            "best": [choice.move for choice in judged if choice.best],
            "move_values": [choice.value for choice in judged],
            "move_distances": [choice.plies for choice in judged],
        }


# The formats


def write_jsonl(rows: Iterable[Row], file: IO[bytes]) -> None:
    """A line of JSON for each row."""
    encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    for row in rows:
        file.write(f"{encode(row)}\n".encode())


def write_csv(rows: Iterable[Row], file: IO[bytes]) -> None:
    """A line for each row, below a line of names; lists have spaces between, and what is not known is `-` there."""
    writer = csv.writer(codecs.getwriter("utf-8")(file), lineterminator="\n")
    for number, row in enumerate(rows):
        if number == 0:
            writer.writerow(row)
        writer.writerow([_flat(value) for value in row.values()])


def _flat(value: Any) -> Any:
    return " ".join("-" if part is None else str(part) for part in value) if isinstance(value, list) else value


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
        while block := list(islice(left, 10_000)):
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
