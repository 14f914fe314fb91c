"""The plan of a sweep, its shards, and the folder that stores measured shards so that a sweep can be resumed."""

from __future__ import annotations

import hashlib
import io
import json
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import compress, product
from pathlib import Path
from typing import Any, NamedTuple

from numberline.errors import BookError, NumberlineError
from numberline.files.safe_read import TEMP_PREFIX, InvalidTextFile, check_filename, open_for_reading, read_text
from numberline.files.safe_write import write_atomic
from numberline.files.tables import import_pyarrow
from numberline.game.book import Book
from numberline.game.loader import builtin_text
from numberline.lab.fingerprint import fingerprints
from numberline.lab.grid import Axis, Grid
from numberline.lab.measure import curve_skills, measure_in_batches, parse_players, skill_of
from numberline.lab.metrics import METRICS, Measurements
from numberline.solver.index import DEFAULT_MEMORY_BYTES, TooManyPositions, max_positions
from numberline.solver.retrograde import warm_up_jit

ColumnDict = dict[str, list[Any]]

FORMAT_VERSION = 2
MANIFEST_NAME = "_map.json"  # readers of Parquet folders ignore names that start with an underscore
MAX_SHARD_VARIANTS = 1_000
MAX_SHARD_POSITIONS = 5_000_000
MIN_PARALLEL_POSITIONS = 3_000_000
MIN_SHARDS = 16  # in a parallel sweep, to keep all workers busy until the end
MAX_MANIFEST_BYTES = 10_000_000

_ROW_COLUMNS = ("variant", "refused", "fingerprint")
_SOLUTION_COLUMNS = ("winner", "plies", "best", "positions")
_METRIC_COLUMNS = (*(name for name in METRICS if name != "fair_range"), "length_low", "length_high")
_MEASURED_COLUMNS = {
    "solution": _SOLUTION_COLUMNS,
    "metrics": (*_SOLUTION_COLUMNS, *_METRIC_COLUMNS),
    "all": (*_SOLUTION_COLUMNS, *_METRIC_COLUMNS, "fair_range"),
}
MEASURES = tuple(_MEASURED_COLUMNS)
"""Levels of measurement, each including the previous ones; `all` adds the curve, fair range and slow metrics."""
_INT_TYPES = {"winner": "int8", "fair_range": "int8"} | dict.fromkeys(
    ("plies", "positions", "sight_needed", "length_low", "length_high"), "int32"
)


class MapError(NumberlineError):
    """Error for a map that can't be created, stored or read; the message says what is valid."""


# Shards


class Shard(NamedTuple):
    """The variants of a sweep from `first` to `last` - 1, which one worker measures together."""

    plan: SweepPlan
    first: int
    last: int


def measure_shard(shard: Shard) -> ColumnDict:
    """Measure the variants of a shard; return their rows in order, as columns."""
    plan, names = shard.plan, shard.plan.columns
    warm_up_jit(plan.all_positions)
    rows: list[dict[str, Any]] = []
    books: list[Book] = []
    valid_rows: list[dict[str, Any]] = []
    for number in range(shard.first, shard.last):
        values = plan.grid.values(number)
        row = dict.fromkeys(names) | dict(zip(names, values, strict=False))
        rows.append(row)
        try:
            books.append(plan.grid.variant(values))
            valid_rows.append(row)
        except BookError as error:
            row["refused"] = str(error)
    for row, book, measured in zip(valid_rows, books, _measure_books(books, plan), strict=True):
        row |= {"variant": book.variant, **measured}
    return {name: [row[name] for row in rows] for name in names}


def _measure_books(books: Sequence[Book], plan: SweepPlan) -> list[dict[str, Any]]:
    """Return the measured columns of each book; if a book is too large, only `refused`, which gives the reason."""
    found: list[dict[str, Any]] = [{}] * len(books)
    everything, metrics = plan.measures == "all", plan.measures != "solution"
    for group, solved, measured in measure_in_batches(
        books, plan.players, curve=everything, metrics=metrics, slow=everything, memory=plan.memory
    ):
        if isinstance(solved, TooManyPositions):
            for index in group:
                found[index] = {"refused": str(solved)}
            continue
        for index, fingerprint, each in zip(group, fingerprints(solved), measured, strict=True):
            found[index] = {"refused": "", "fingerprint": str(fingerprint), **_to_row(each, plan)}
    return found


def _to_row(measured: Measurements, plan: SweepPlan) -> dict[str, Any]:
    row = {name: getattr(measured, name, None) for name in _MEASURED_COLUMNS[plan.measures]}
    shares = (share for point in measured.curve for share in (point.wins_1, point.wins_2))
    return row | {"best": " ".join(measured.best)} | dict(zip(plan.curve_columns, shares, strict=False))


def measure_to_parquet(shard: Shard) -> bytes:
    """Measure a shard and return the contents of a Parquet file with its rows.

    The rows include rejected variants only if the plan requests them; otherwise the metadata entry `refused` gives, for
    each variant of the shard, the reason for its rejection, or an empty string if it was measured. The metadata entry
    `pandas` gives the nullable type of each integer column.
    """
    pa, parquet = import_pyarrow()
    columns = measure_shard(shard)
    reasons = [""] * len(columns["refused"])
    if not shard.plan.rejected:
        reasons = columns.pop("refused")
        is_valid = [not reason for reason in reasons]
        columns = {name: list(compress(values, is_valid)) for name, values in columns.items()}
    types = {name: shard.plan.column_type(name) for name in columns}
    nullable = [
        {"name": name, "field_name": name, "pandas_type": kind, "numpy_type": kind.capitalize(), "metadata": None}
        for name, kind in types.items()
        if kind.startswith("int")
    ]
    metadata = {
        "refused": json.dumps(reasons),
        "pandas": json.dumps({"index_columns": [], "column_indexes": [], "columns": nullable}),
    }
    schema = pa.schema([(name, pa.type_for_alias(kind)) for name, kind in types.items()], metadata)
    file = io.BytesIO()
    parquet.write_table(pa.table(columns, schema=schema), file, compression="zstd", write_page_checksum=True)
    return file.getvalue()


# Plan and folder


class SweepPlan:
    """The variants of a sweep, the measurements to make, and the division into shards."""

    def __init__(
        self,
        book: Book,
        axes: Sequence[Axis],
        measures: str,
        memory: int = DEFAULT_MEMORY_BYTES,
        *,
        players: str | Sequence[str] | None = None,
        rejected: bool = False,
    ) -> None:
        self.grid = Grid(book, axes)
        self.book = book
        self.measures = measures
        self.memory = memory
        bots = parse_players(players, book)
        self.players = [bot.name for bot in bots]
        self.rejected = rejected
        """Whether rejected variants are listed in the output."""
        self.curve_columns = tuple(
            f"{skill.replace(':', '_')}_{player}"
            for skill in curve_skills(bot.name for bot in bots if skill_of(bot))
            for player in (1, 2)
        )

    @cached_property
    def _max_positions(self) -> int:
        """Approximate number of positions in the largest variant."""
        samples = ({axis.values[0], axis.values[-1], axis.values[len(axis.values) // 2]} for axis in self.grid.axes)
        return max(map(self.positions, product(*samples)))

    def positions(self, values: Sequence[int | str]) -> int:
        """Return the approximate number of positions in the variant with these values; 1 if it is invalid."""
        try:
            return max_positions(self.grid.variant(values))
        except BookError:
            return 1

    @property
    def setting_columns(self) -> tuple[str, ...]:
        """Column names of the settings; a setting whose name clashes with another column gets the prefix `set_`."""
        reserved = {*_ROW_COLUMNS, *_MEASURED_COLUMNS["all"], *self.curve_columns, "same_as"}
        return tuple(f"set_{axis.name}" if axis.name in reserved else axis.name for axis in self.grid.axes)

    @property
    def columns(self) -> tuple[str, ...]:
        curve = self.curve_columns if self.measures == "all" else ()
        return (*self.setting_columns, *_ROW_COLUMNS, *_MEASURED_COLUMNS[self.measures], *curve)

    def column_type(self, name: str) -> str:
        """Return the Arrow type of a column."""
        if name in self.setting_columns:
            values = self.grid.axes[self.setting_columns.index(name)].values
            return "int32" if isinstance(values[0], int) else "string"
        return _INT_TYPES.get(name, "string" if name in {*_ROW_COLUMNS, "best"} else "float64")

    @property
    def all_positions(self) -> int:
        """Approximate number of positions in all variants, which determines whether the kernels are compiled."""
        return self.grid.size * self._max_positions

    @property
    def worth_parallel(self) -> bool:
        """Whether the sweep is large enough to benefit from several processes."""
        return self.all_positions > MIN_PARALLEL_POSITIONS

    @cached_property
    def variants_per_shard(self) -> int:
        """Number of variants in a full shard.

        It doesn't depend on the machine or the number of workers, so any machine can resume a sweep.
        """
        size = min(MAX_SHARD_VARIANTS, max(1, MAX_SHARD_POSITIONS // self._max_positions))
        return min(size, math.ceil(self.grid.size / MIN_SHARDS)) if self.worth_parallel else size

    def __len__(self) -> int:
        return math.ceil(self.grid.size / self.variants_per_shard)

    def shard(self, number: int) -> Shard:
        first = number * self.variants_per_shard
        return Shard(self, first, min(self.grid.size, first + self.variants_per_shard))

    def manifest(self) -> dict[str, Any]:
        """Return the contents of the manifest: everything that the measured rows depend on."""
        book = self.book
        return {
            "format": FORMAT_VERSION,
            "book": book.variant,
            "source": book.source or builtin_text(book.name),
            "settings": [str(axis) for axis in self.grid.axes],
            "measures": self.measures,
            "players": self.players,
            "rejected": self.rejected,
            "variants": self.grid.size,
            "variants_a_part": self.variants_per_shard,
        }

    def part_name(self, number: int) -> str:
        """Return the name of a shard's file, which includes a hash of everything that its rows depend on."""
        shard = self.shard(number)
        key = json.dumps([self._manifest_json, shard.first, shard.last])
        return f"part-{number:05d}-{hashlib.sha256(key.encode()).hexdigest()[:12]}.parquet"

    @cached_property
    def _manifest_json(self) -> str:
        return json.dumps(self.manifest(), sort_keys=True)


class SweepFolder(NamedTuple):
    """The directory of a sweep, with a manifest and one Parquet file per measured shard."""

    path: Path
    plan: SweepPlan

    @classmethod
    def open_or_create(cls, path: Path, plan: SweepPlan) -> SweepFolder:
        """Open the directory of this sweep or create it; raise `MapError` if the directory contains anything else."""
        import_pyarrow()
        check_filename(path)
        manifest_path = path / MANIFEST_NAME
        if path.exists() and not path.is_dir():
            raise MapError(f"{path} is not a directory; choose a new or empty directory for the map")
        if manifest_path.exists():
            stored = cls._read_manifest(manifest_path)
            if {name: stored.get(name) for name in plan.manifest()} != plan.manifest():
                raise MapError(
                    f"{path} contains a different map{cls._describe_manifest(stored)}; choose another directory"
                )
        elif path.is_dir() and any(not each.name.startswith(TEMP_PREFIX) for each in path.iterdir()):
            raise MapError(f"{path} is not empty and contains no map; choose another directory")
        else:
            from numberline import __version__

            path.mkdir(parents=True, exist_ok=True)
            write_atomic(manifest_path, json.dumps({**plan.manifest(), "made_by": __version__}, indent=2) + "\n")
        return cls(path, plan)

    @staticmethod
    def _read_manifest(path: Path) -> dict[str, Any]:
        try:
            manifest = json.loads(read_text(path, MAX_MANIFEST_BYTES))
        except (InvalidTextFile, ValueError, RecursionError):
            manifest = None
        if not isinstance(manifest, dict):
            raise MapError(f"{path} is not a valid map manifest; choose another directory")
        if type(manifest.get("format")) is int and manifest["format"] > FORMAT_VERSION:
            raise MapError(f"{path} was written by a newer version of Numberline; choose another directory")
        return manifest

    @staticmethod
    def _describe_manifest(manifest: dict[str, Any]) -> str:
        book, settings, measures = (manifest.get(name) for name in ("book", "settings", "measures"))
        if not isinstance(book, str) or not isinstance(settings, list):
            return ""
        return f", of {book} over {' '.join(map(str, settings))} ({measures})"

    def missing(self) -> list[int]:
        """Return the numbers of the shards that have not been measured yet."""
        stored = {path.name for path in self.path.glob("part-*.parquet")}
        return [number for number in range(len(self.plan)) if self.plan.part_name(number) not in stored]

    def write(self, number: int, content: bytes) -> None:
        write_atomic(self.path / self.plan.part_name(number), content)

    def read(self, names: Sequence[str] | None = None) -> Iterator[ColumnDict]:
        """Yield the rows shard by shard, with all columns or only those in `names`."""
        pa, parquet = import_pyarrow()
        for number in range(len(self.plan)):
            path, shard = self.path / self.plan.part_name(number), self.plan.shard(number)
            wanted = list(names or self.plan.columns)
            stored = [name for name in wanted if self.plan.rejected or name != "refused"]
            with open_for_reading(path) as file:
                try:
                    # A thread that reads from a Python file while the interpreter exits would abort the process.
                    stored_file = parquet.ParquetFile(file, page_checksum_verification=True, pre_buffer=False)
                    table = stored_file.read(stored, use_threads=False)
                    reasons = json.loads(table.schema.metadata[b"refused"])
                    columns: ColumnDict = table.to_pydict()
                except (pa.ArrowException, OSError, ValueError, KeyError, TypeError):
                    columns, reasons = {}, []
            missing = len(reasons) - reasons.count("")
            if list(columns) != stored or table.num_rows + missing != shard.last - shard.first:
                raise MapError(f"{path} is damaged; delete it and run the same command again")
            yield columns if self.plan.rejected else _with_rejected(columns, reasons, shard, wanted)


def _with_rejected(columns: ColumnDict, reasons: list[str], shard: Shard, names: Sequence[str]) -> ColumnDict:
    """Return the columns `names`, adding rows for rejected variants; `reasons` has ``""`` for each valid variant."""
    settings = zip(*(shard.plan.grid.values(number) for number in range(shard.first, shard.last)), strict=True)
    full: dict[str, Iterable[Any]] = {
        "refused": reasons,
        **dict(zip(shard.plan.setting_columns, settings, strict=True)),
    }
    for name in set(columns) - set(full):
        rows = iter(columns[name])
        full[name] = [None if reason else next(rows) for reason in reasons]
    return {name: list(full[name]) for name in names}
