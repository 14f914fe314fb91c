"""The folder of a map: what it is a map of, and a file for each shard that is done; what is missing is done later."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from numberline.datasets.writers import load_pyarrow
from numberline.errors import BookError, NumberlineError
from numberline.files import TEMP_PREFIX, InvalidTextFile, check_filename, open_for_reading, read_text, write_atomic
from numberline.game.book import Book
from numberline.game.loader import builtin_text
from numberline.lab.grid import Axis, Grid
from numberline.lab.sweep_shards import ColumnDict, Shard, column_names
from numberline.solver.index import DEFAULT_MEMORY_BYTES, max_positions

FORMAT_VERSION = 1
"""Grows when the parts of a map come to hold something else."""
MAX_SHARD_VARIANTS = 1_000
"""So many variants are in a shard at the most."""
MAX_SHARD_POSITIONS = 5_000_000
"""About so many positions are in a shard at the most."""
MIN_PARALLEL_POSITIONS = 3_000_000
"""With fewer positions in all, one core is done before another one has started."""
MIN_SHARDS = 16
"""A map that is worth several cores has as many shards as this, so that all have something to do until the end."""
MAX_MANIFEST_BYTES = 10_000_000
"""Bytes; no `map.json` is longer."""


class MapError(NumberlineError):
    """A map that can't be kept or read; the text says what would do."""


class SweepPlan:
    """A map before it is made: which variants, what is measured of them, and how they are cut into shards."""

    def __init__(self, book: Book, axes: Sequence[Axis], measures: str, memory: int = DEFAULT_MEMORY_BYTES) -> None:
        self.grid = Grid(book, axes)
        self.measures = measures
        self.memory = memory

    @property
    def book(self) -> Book:
        """The book whose settings are changed."""
        return self.grid.book

    @cached_property
    def max_positions(self) -> int:
        """About how many positions the largest variant has."""
        ends = ({axis.values[0], axis.values[-1], axis.values[len(axis.values) // 2]} for axis in self.grid.axes)
        found = [1]
        for values in product(*ends):
            try:
                found.append(max_positions(self.grid.variant(values)))
            except BookError:
                continue
        return max(found)

    @cached_property
    def variants_per_shard(self) -> int:
        """How many variants are in a shard; the same whoever works and wherever, so that a map can be gone on with."""
        size = min(MAX_SHARD_VARIANTS, max(1, MAX_SHARD_POSITIONS // self.max_positions))
        if self.grid.size * self.max_positions > MIN_PARALLEL_POSITIONS:
            size = min(size, math.ceil(self.grid.size / MIN_SHARDS))
        return size

    @property
    def worth_parallel(self) -> bool:
        """Whether there is so much to do that several cores are worth it."""
        return self.grid.size * self.max_positions > MIN_PARALLEL_POSITIONS

    def __len__(self) -> int:
        return math.ceil(self.grid.size / self.variants_per_shard)

    def shard(self, number: int) -> Shard:
        """The shard of that number."""
        first = number * self.variants_per_shard
        return self.shard_between(first, min(self.grid.size, first + self.variants_per_shard))

    def shard_between(self, first: int, last: int) -> Shard:
        """The variants from one number up to another."""
        book = self.book
        whole = self.grid.size * self.max_positions
        return Shard(book.variant, book.source, self.grid.axes, first, last, self.measures, self.memory, whole)

    def manifest(self) -> dict[str, Any]:
        """What `map.json` says: all that the parts depend on."""
        book = self.book
        return {
            "format": FORMAT_VERSION,
            "book": book.variant,
            "source": book.source or builtin_text(book.name),
            "settings": [str(axis) for axis in self.grid.axes],
            "measures": self.measures,
            "variants": self.grid.size,
            "variants_a_part": self.variants_per_shard,
        }

    def part_name(self, number: int) -> str:
        """The name of a shard's file, with a hash over everything that its rows depend on."""
        shard = self.shard(number)
        told = json.dumps([self._manifest_json, shard.first, shard.last])
        return f"part-{number:05d}-{hashlib.sha256(told.encode()).hexdigest()[:12]}.parquet"

    @cached_property
    def _manifest_json(self) -> str:
        return json.dumps(self.manifest(), sort_keys=True)


class SweepFolder(NamedTuple):
    """Where a map is kept."""

    path: Path
    plan: SweepPlan

    @classmethod
    def open_or_create(cls, path: Path, plan: SweepPlan) -> SweepFolder:
        """The folder for this map: a new one, or one that was begun before; any other is refused."""
        load_pyarrow()
        check_filename(path)
        note = path / "map.json"
        if path.exists() and not path.is_dir():
            raise MapError(f"{path} is no folder; expected one for the map, new or empty")
        if note.exists():
            kept = cls._read_manifest(note)
            if {name: kept.get(name) for name in plan.manifest()} != plan.manifest():
                raise MapError(f"{path} holds another map{cls._describe_manifest(kept)}; give another folder")
        elif path.is_dir() and any(not each.name.startswith(TEMP_PREFIX) for each in path.iterdir()):
            raise MapError(f"{path} is not empty and holds no map; give another folder")
        else:
            from numberline import __version__

            path.mkdir(exist_ok=True)
            write_atomic(note, json.dumps({**plan.manifest(), "made_by": __version__}, indent=2) + "\n")
        return cls(path, plan)

    @staticmethod
    def _read_manifest(note: Path) -> dict[str, Any]:
        try:
            kept = json.loads(read_text(note, MAX_MANIFEST_BYTES))
        except (InvalidTextFile, ValueError, RecursionError):
            kept = None
        if not isinstance(kept, dict):
            raise MapError(f"{note} can't be read as what a map says about itself; give another folder")
        if type(kept.get("format")) is int and kept["format"] > FORMAT_VERSION:
            raise MapError(f"{note} comes from a newer version of Numberline; give another folder")
        return kept

    @staticmethod
    def _describe_manifest(kept: dict[str, Any]) -> str:
        """What a note says that its map is of; nothing where that makes no sense."""
        book, settings, measures = (kept.get(name) for name in ("book", "settings", "measures"))
        if not isinstance(book, str) or not isinstance(settings, list):
            return ""
        return f", of {book} over {' '.join(map(str, settings))} ({measures})"

    def missing(self) -> list[int]:
        """The numbers of the shards that are not done."""
        there = {path.name for path in self.path.glob("part-*.parquet")}
        return [number for number in range(len(self.plan)) if self.plan.part_name(number) not in there]

    def write(self, number: int, content: bytes) -> None:
        """Puts a shard's file in its place, whole."""
        write_atomic(self.path / self.plan.part_name(number), content)

    def read(self, names: Sequence[str] | None = None) -> Iterator[ColumnDict]:
        """The rows of all shards, or these columns of them, a shard at a time."""
        pa, parquet = load_pyarrow()
        for number in range(len(self.plan)):
            part, shard = self.path / self.plan.part_name(number), self.plan.shard(number)
            wanted = list(names or column_names(shard.axes, shard.measures))
            with open_for_reading(part) as file:
                try:
                    read = parquet.read_table(file, columns=wanted, page_checksum_verification=True)
                    columns: ColumnDict = read.to_pydict()
                except (pa.ArrowException, OSError, ValueError, KeyError):
                    columns = {}
            if list(columns) != wanted or len(columns[wanted[0]]) != shard.last - shard.first:
                raise MapError(f"{part} is damaged; remove it and give the same command again")
            yield columns
