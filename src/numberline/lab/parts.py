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

from numberline.book.book import Book
from numberline.book.loader import SHELF
from numberline.files import BESIDE, UnreadableText, need_name, opened, read_text, write_whole
from numberline.lab.axes import Axis, Grid
from numberline.lab.formats import load_pyarrow
from numberline.lab.shards import Columns, Shard, column_names
from numberline.rules.errors import BookError, NumberlineError
from numberline.solver.table import MEMORY, most_positions

FORMAT = 1
"""Grows when the parts of a map come to hold something else."""
MOST_AT_ONCE = 1_000
"""So many variants are in a shard at the most."""
POSITIONS_AT_ONCE = 5_000_000
"""About so many positions are in a shard at the most."""
WORTH_MORE_CORES = 3_000_000
"""With fewer positions in all, one core is done before another one has started."""
FEWEST_SHARDS = 16
"""A map that is worth several cores has as many shards as this, so that all have something to do until the end."""
LARGEST_NOTE = 10_000_000
"""Bytes; no `map.json` is longer."""


class MapError(NumberlineError):
    """A map that can't be kept or read; the text says what would do."""


class Plan:
    """A map before it is made: which variants, what is measured of them, and how they are cut into shards."""

    def __init__(self, book: Book, axes: Sequence[Axis], measures: str, memory: int = MEMORY) -> None:
        self.grid = Grid(book, axes)
        self.measures = measures
        self.memory = memory

    @property
    def book(self) -> Book:
        """The book whose settings are changed."""
        return self.grid.book

    @cached_property
    def most(self) -> int:
        """About how many positions the largest variant has."""
        ends = ({axis.values[0], axis.values[-1], axis.values[len(axis.values) // 2]} for axis in self.grid.axes)
        found = [1]
        for values in product(*ends):
            try:
                found.append(most_positions(self.grid.variant(values)))
            except BookError:
                continue
        return max(found)

    @cached_property
    def at_once(self) -> int:
        """How many variants are in a shard; the same whoever works and wherever, so that a map can be gone on with."""
        size = min(MOST_AT_ONCE, max(1, POSITIONS_AT_ONCE // self.most))
        if self.grid.size * self.most > WORTH_MORE_CORES:
            size = min(size, math.ceil(self.grid.size / FEWEST_SHARDS))
        return size

    @property
    def is_work(self) -> bool:
        """Whether there is so much to do that several cores are worth it."""
        return self.grid.size * self.most > WORTH_MORE_CORES

    def __len__(self) -> int:
        return math.ceil(self.grid.size / self.at_once)

    def shard(self, number: int) -> Shard:
        """The shard of that number."""
        first = number * self.at_once
        return self.between(first, min(self.grid.size, first + self.at_once))

    def between(self, first: int, last: int) -> Shard:
        """The variants from one number up to another."""
        book = self.book
        whole = self.grid.size * self.most
        return Shard(book.variant, book.source, self.grid.axes, first, last, self.measures, self.memory, whole)

    def note(self) -> dict[str, Any]:
        """What `map.json` says: all that the parts depend on."""
        book = self.book
        return {
            "format": FORMAT,
            "book": book.variant,
            "source": book.source or (SHELF / f"{book.name}.toml").read_text(encoding="utf-8"),
            "settings": [str(axis) for axis in self.grid.axes],
            "measures": self.measures,
            "variants": self.grid.size,
            "variants_a_part": self.at_once,
        }

    def part_name(self, number: int) -> str:
        """The name of a shard's file, with a hash over everything that its rows depend on."""
        shard = self.shard(number)
        told = json.dumps([self._told, shard.first, shard.last])
        return f"part-{number:05d}-{hashlib.sha256(told.encode()).hexdigest()[:12]}.parquet"

    @cached_property
    def _told(self) -> str:
        return json.dumps(self.note(), sort_keys=True)


class Folder(NamedTuple):
    """Where a map is kept."""

    path: Path
    plan: Plan

    @classmethod
    def opened(cls, path: Path, plan: Plan) -> Folder:
        """The folder for this map: a new one, or one that was begun before; any other is refused."""
        load_pyarrow()
        need_name(path)
        note = path / "map.json"
        if path.exists() and not path.is_dir():
            raise MapError(f"{path} is no folder; expected one for the map, new or empty")
        if note.exists():
            kept = cls._kept(note)
            if {name: kept.get(name) for name in plan.note()} != plan.note():
                raise MapError(f"{path} holds another map{cls._described(kept)}; give another folder")
        elif path.is_dir() and any(not each.name.startswith(BESIDE) for each in path.iterdir()):
            raise MapError(f"{path} is not empty and holds no map; give another folder")
        else:
            from numberline import __version__

            path.mkdir(exist_ok=True)
            write_whole(note, json.dumps({**plan.note(), "made_by": __version__}, indent=2) + "\n")
        return cls(path, plan)

    @staticmethod
    def _kept(note: Path) -> dict[str, Any]:
        try:
            kept = json.loads(read_text(note, LARGEST_NOTE))
        except (UnreadableText, ValueError, RecursionError):
            kept = None
        if not isinstance(kept, dict):
            raise MapError(f"{note} can't be read as what a map says about itself; give another folder")
        if type(kept.get("format")) is int and kept["format"] > FORMAT:
            raise MapError(f"{note} comes from a newer version of Numberline; give another folder")
        return kept

    @staticmethod
    def _described(kept: dict[str, Any]) -> str:
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
        write_whole(self.path / self.plan.part_name(number), content)

    def read(self, names: Sequence[str] | None = None) -> Iterator[Columns]:
        """The rows of all shards, or these columns of them, a shard at a time."""
        pa, parquet = load_pyarrow()
        for number in range(len(self.plan)):
            part, shard = self.path / self.plan.part_name(number), self.plan.shard(number)
            wanted = list(names or column_names(shard.axes, shard.measures))
            with opened(part) as file:
                try:
                    read = parquet.read_table(file, columns=wanted, page_checksum_verification=True)
                    columns: Columns = read.to_pydict()
                except (pa.ArrowException, OSError, ValueError, KeyError):
                    columns = {}
            if list(columns) != wanted or len(columns[wanted[0]]) != shard.last - shard.first:
                raise MapError(f"{part} is damaged; remove it and give the same command again")
            yield columns
