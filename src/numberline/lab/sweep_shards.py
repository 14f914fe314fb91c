"""A shard of a map: some variants, measured together. Settings go in, rows come out, and nothing else is touched.

It is a module of its own, so that a worker anywhere finds the function by its name.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from numberline.datasets.writers import load_pyarrow
from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.lab.grid import Axis, Grid
from numberline.lab.measure import Measurements, measure_batch
from numberline.lab.metrics import METRICS
from numberline.lab.skills import CURVE_SKILLS
from numberline.solver.batch import SolvedBatch, group_into_batches, solve_batch
from numberline.solver.fingerprint import fingerprints
from numberline.solver.index import DEFAULT_MEMORY_BYTES, TooManyPositions
from numberline.solver.retrograde import warm_up_jit

ColumnDict = dict[str, list[Any]]
"""Rows side by side: what they have under each name."""

MEASURES = ("solution", "metrics", "all")
"""How much is measured: perfect play; also every metric of one skill; also who wins at every skill."""
_OF_SOLUTION = ("winner", "plies", "best", "positions")
_OF_METRICS = (*(name for name in METRICS if name != "fair_range"), "length_low", "length_high")
_INT_TYPES = {"winner": "int8", "fair_range": "int8"} | dict.fromkeys(
    ("plies", "positions", "sight_needed", "length_low", "length_high"), "int32"
)


class Shard(NamedTuple):
    """The variants of a map from one number up to another, and what is to be measured of them."""

    book: str
    source: str | None
    axes: tuple[Axis, ...]
    first: int
    last: int
    measures: str = MEASURES[1]
    memory: int = DEFAULT_MEMORY_BYTES
    positions: int = 0
    """About how many positions the whole map has: the compiler is worth loading for many small shards, too."""


def measured_column_names(measures: str) -> tuple[str, ...]:
    """The names under which a row has what was measured."""
    level = MEASURES.index(measures)
    curve = (f"{skill.replace(':', '_')}_{player}" for skill in CURVE_SKILLS for player in (1, 2))
    return (
        *_OF_SOLUTION,
        *(_OF_METRICS if level >= 1 else ()),
        *(("fair_range", *curve) if level >= 2 else ()),
    )


def column_names(axes: Sequence[Axis], measures: str) -> tuple[str, ...]:
    """The names of all columns; a setting that is called like something that is measured gets `set_` before it."""
    others = ("variant", "refused", "fingerprint", *measured_column_names(measures))
    taken = {*others, *measured_column_names(MEASURES[-1]), "same_as"}
    return (*(f"set_{axis.name}" if axis.name in taken else axis.name for axis in axes), *others)


def measure_to_parquet(shard: Shard) -> bytes:
    """The rows of a shard as a Parquet file."""
    pa, parquet = load_pyarrow()
    columns = measure_shard(shard)
    texts = {*column_names(shard.axes, "solution")[: len(shard.axes)], "variant", "refused", "fingerprint", "best"}
    kinds = [(name, _INT_TYPES.get(name, "string" if name in texts else "float64")) for name in columns]
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in kinds])
    file = io.BytesIO()
    parquet.write_table(pa.table(columns, schema=schema), file, compression="zstd", write_page_checksum=True)
    return file.getvalue()


def measure_shard(shard: Shard) -> ColumnDict:
    """The rows of a shard, in order."""
    grid = Grid(restore_book(shard.book, shard.source), shard.axes)
    names = column_names(shard.axes, shard.measures)
    columns: ColumnDict = {name: [] for name in names}
    warm_up_jit(shard.positions)
    made = list(_iter_variants(grid, shard))
    books = [book for _, book in made if isinstance(book, Book)]
    measured = iter(measure_books(books, shard.measures, shard.memory))
    for values, book in made:
        row = dict.fromkeys(names)
        row.update(zip(names, values, strict=False))
        if isinstance(book, Book):
            row["variant"], found = book.variant, next(measured)
            row.update({"refused": found} if isinstance(found, str) else {"refused": "", **found})
        else:
            row["refused"] = str(book)
        for name, column in columns.items():
            column.append(row[name])
    return columns


def _iter_variants(grid: Grid, shard: Shard) -> Iterator[tuple[tuple[str, ...], Book | BookError]]:
    for number in range(shard.first, shard.last):
        values = grid.values(number)
        try:
            yield values, grid.variant(values)
        except BookError as error:
            yield values, error


def measure_books(
    books: Sequence[Book], measures: str, memory: int = DEFAULT_MEMORY_BYTES
) -> list[dict[str, Any] | str]:
    """For each book what was measured, by name; or, in a sentence, why it is too large."""
    found: list[dict[str, Any] | str] = [""] * len(books)
    for group in group_into_batches(books):
        try:
            solved = solve_batch([books[index] for index in group], memory=memory)
        except TooManyPositions as error:
            for index in group:
                found[index] = str(error)
            continue
        prints = fingerprints(solved)
        for index, fingerprint, measured in zip(group, prints, _measured(solved, measures), strict=True):
            found[index] = {"fingerprint": str(fingerprint), **to_row(measured, measures)}
    return found


def _measured(solved: SolvedBatch, measures: str) -> list[Measurements]:
    if measures == MEASURES[0] or solved.table.players > 2:
        return _perfect(solved)
    return measure_batch(solved, curve=measures == MEASURES[2])


def _perfect(solved: SolvedBatch) -> list[Measurements]:
    """Perfect play, and nothing else."""
    winner, plies, best = solved.results()
    moves = [str(move) for move in solved.table.moves]
    rows = zip(winner[:, 0].tolist(), plies[:, 0].tolist(), best[:, 0].tolist(), strict=True)
    positions = solved.position_counts().tolist()
    return [
        Measurements(
            book.variant,
            won,
            turns if won else None,
            tuple(move for move, is_best in zip(moves, choices, strict=True) if is_best),
            count,
        )
        for book, count, (won, turns, choices) in zip(solved.books, positions, rows, strict=True)
    ]


def to_row(measured: Measurements, measures: str) -> dict[str, Any]:
    """What was measured of one variant, by name."""
    row = {name: getattr(measured, name, None) for name in measured_column_names(measures)} | {
        "best": " ".join(measured.best)
    }
    for point in measured.curve if measures == MEASURES[-1] else ():
        name = point.skill.replace(":", "_")
        row |= {f"{name}_1": point.begins_1, f"{name}_2": point.begins_2}
    return row
