"""Maps: many variants of a book measured, in this process, in several, or on a cluster; begun once and gone on with."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from numberline.lab.metrics import METRICS
from numberline.lab.periodicity import REFUSED, Period, find_period
from numberline.lab.sweep_shards import MEASURES, ColumnDict, column_names, measure_shard, measure_to_parquet
from numberline.lab.sweep_store import MapError, SweepFolder, SweepPlan
from numberline.parallel import cpu_count, map_unordered
from numberline.solver.index import Progress, format_bytes
from numberline.text import did_you_mean, pluralize, quote

MAX_ROWS_IN_MEMORY = 1_000_000
"""A larger map is kept in a folder only, and never held in memory."""
LARGE_SWEEP_VARIANTS = 20_000
"""The size of a map with more variants is told before it is made."""
SAMPLE_INTERVAL = 100
"""One in so many variants is measured for that …"""
MAX_SAMPLE_VARIANTS = 2_000
"""… but no more than this."""
MAX_SAMPLE_SECONDS = 20.0
"""… and no longer than so many seconds."""
COMPRESSION_RATIO = 0.6
"""How much of its written length a row takes in a Parquet file."""
MAX_PATTERN_VALUES = 5_000
"""In a longer row of winners no pattern is looked for."""


class Estimate(NamedTuple):
    """How large a map will be."""

    variants: int
    seconds: float
    size: int
    """Bytes."""

    def __str__(self) -> str:
        return f"{self.variants:,} variants: about {format_duration(self.seconds)} and {format_bytes(self.size)}"


class VariantMap:
    """A map that is made: its rows, and what can be said about all of them."""

    def __init__(self, plan: SweepPlan, parts: Sequence[ColumnDict] | SweepFolder) -> None:
        self.plan = plan
        self._parts = parts
        self.settings = column_names(plan.grid.axes, plan.measures)[: len(plan.grid.axes)]
        """The names of the columns that hold the settings."""

    def parts(self, names: Sequence[str] | None = None) -> Iterator[ColumnDict]:
        """The rows in columns, a shard at a time, in the order in which they were worked out."""
        if isinstance(self._parts, SweepFolder):
            yield from self._parts.read(names)
        else:
            for part in self._parts:
                yield part if names is None else {name: part[name] for name in names}

    def rows(self) -> list[dict[str, Any]]:
        """All rows, the last setting changing fastest; `same_as` is the first variant that is the same game."""
        if self.plan.grid.size > MAX_ROWS_IN_MEMORY:
            wanted = f"expected at most {MAX_ROWS_IN_MEMORY:,}; read the parts in its folder one at a time"
            raise MapError(f"a map of {self.plan.grid.size:,} variants is too large to be held at once; {wanted}")
        found: list[dict[str, Any]] = [{}] * self.plan.grid.size
        number = 0
        for part in self.parts():
            for values in zip(*part.values(), strict=True):
                found[self.plan.grid.row_index(number)] = dict(zip(part, values, strict=True))
                number += 1
        first: dict[str, str] = {}
        return [_with_same(row, first) for row in found]

    def find_period(self, rows: Sequence[dict[str, Any]]) -> Period | None:
        """The pattern in who wins, where there is one setting and such a pattern."""
        if len(self.plan.grid.axes) > 1 or len(rows) > MAX_PATTERN_VALUES:
            return None
        [axis] = self.plan.grid.axes
        return find_period(axis.name, axis.values, [REFUSED if row["refused"] else row["winner"] for row in rows])

    def summary(self, by: str | None) -> SweepSummary:
        """What can be said about all variants together."""
        winners: Counter[int] = Counter()
        refused: Counter[str] = Counter()
        games: set[str] = set()
        figures: list[float] = []
        for part in self.parts(["refused", "fingerprint", "winner", *([by] if by else [])]):
            refused.update(reason for reason in part["refused"] if reason)
            there = [at for at, reason in enumerate(part["refused"]) if not reason]
            winners.update(part["winner"][at] for at in there)
            games.update(part["fingerprint"][at] for at in there)
            figures += [part[by][at] for at in there if part[by][at] is not None] if by else []
        return SweepSummary(winners, refused, len(games), sorted(figures))


class SweepSummary(NamedTuple):
    """All variants of a map together."""

    winners: Counter[int]
    """How many variants each player wins; 0 is nobody."""
    refused: Counter[str]
    """Why there are no such variants, and how many each reason keeps out."""
    games: int
    """How many of the variants are games of their own."""
    figures: list[float]
    """What was asked for of each variant, in order of size."""

    @property
    def variants(self) -> int:
        """How many variants there are."""
        return sum(self.winners.values())

    def sentences(self, plan: SweepPlan, by: str | None) -> list[str]:
        """What is to be said of a map."""
        book, refused = plan.book, sum(self.refused.values())
        said = [f"{pluralize(self.variants, 'variant')} of {book.title}."]
        if refused:
            more = "" if len(self.refused) == 1 else " (for one)"
            reason = self.refused.most_common(1)[0][0]
            said.append(f"{refused:,} more {'are' if refused > 1 else 'is'} no game{more}: {reason}.")
        wins = [
            f"{book.player_name(player) if player else 'nobody'} {many:,}"
            for player, many in sorted(self.winners.items(), key=lambda each: (not each[0], each[0]))
        ]
        said += [f"With perfect play {', '.join(wins)}."] if wins else []
        if by and self.figures:
            low, middle, high = (self.figures[at] for at in (0, len(self.figures) // 2, -1))
            told = ", ".join(f"{word} {format_figure(by, each)}" for word, each in (("from", low), ("middle", middle)))
            said.append(f"{METRICS[by].title}: {told}, up to {format_figure(by, high)}.".capitalize())
        return [*said, *self.duplicates_sentence()]

    def duplicates_sentence(self) -> list[str]:
        """How many variants are the same game as another one, in a sentence; nothing where none is."""
        same = self.variants - self.games
        are = "are the same game as another one" if same > 1 else "is the same game as another one"
        return [f"{same:,} of {self.variants:,} {are}."] if same else []


def run_sweep(
    plan: SweepPlan,
    *,
    out: Path | None = None,
    workers: int | str | None = None,
    progress: Progress = lambda _: None,
) -> VariantMap:
    """The map, once every variant is measured; with a folder, what is done there counts, and the rest is added."""
    if workers is None:
        workers = cpu_count() if plan.worth_parallel else 1
    if not out:
        if plan.grid.size > MAX_ROWS_IN_MEMORY:
            wanted = f"expected at most {MAX_ROWS_IN_MEMORY:,}, or a folder to keep it in (--out)"
            raise MapError(f"a map of {plan.grid.size:,} variants is too large to be held at once; {wanted}")
        found: list[ColumnDict] = [{}] * len(plan)
        shards = map(plan.shard, range(len(plan)))
        for done, (number, columns) in enumerate(map_unordered(measure_shard, shards, workers=workers), 1):
            found[number] = columns
            progress(done / len(plan))
        return VariantMap(plan, found)
    folder = SweepFolder.open_or_create(out, plan)
    missing = folder.missing()
    before = len(plan) - len(missing)
    progress(before / len(plan))
    for done, (number, content) in enumerate(
        map_unordered(measure_to_parquet, map(plan.shard, missing), workers=workers), 1
    ):
        folder.write(missing[number], content)
        progress((before + done) / len(plan))
    return VariantMap(plan, folder)


def estimate(plan: SweepPlan, workers: int = 1) -> Estimate:
    """How long a map will take, and how large it will be, from a sample of its variants."""
    sampled = min(MAX_SAMPLE_VARIANTS, max(1, plan.grid.size // SAMPLE_INTERVAL))
    each = max(1, min(plan.variants_per_shard, sampled // 8))
    firsts = list(range(0, plan.grid.size, max(each, plan.grid.size * each // sampled)))
    Random(0).shuffle(firsts)
    measure_shard(plan.shard_between(0, 1))  # what is loaded only once must not count
    began, size, count = time.perf_counter(), 0, 0
    for first in firsts:
        last = min(plan.grid.size, first + each)
        columns = measure_shard(plan.shard_between(first, last))
        size += sum(len(str(value)) for column in columns.values() for value in column)
        count += last - first
        if time.perf_counter() - began > MAX_SAMPLE_SECONDS:
            break
    share = plan.grid.size / count
    return Estimate(
        plan.grid.size, (time.perf_counter() - began) * share / workers, int(size * share * COMPRESSION_RATIO)
    )


def required_measures(by: str) -> str:
    """How much has to be measured so that this metric is known."""
    if by not in METRICS:
        raise MapError(f"{quote(by)} is no metric{did_you_mean(by, METRICS)}; expected one of {', '.join(METRICS)}")
    return MEASURES[2] if by == "fair_range" else MEASURES[1]


def format_figure(name: str, figure: float | None) -> str:
    """A figure of a metric as it is written; nothing where it is not known."""
    form = METRICS[name].format_spec
    return "" if figure is None else format(int(figure) if form == "d" else figure, form)


def sweep_to_dict(mapped: VariantMap) -> dict[str, Any]:
    """A map as plain data."""
    rows = mapped.rows()
    found = mapped.find_period(rows)
    games = {row["fingerprint"] for row in rows if not row["refused"]}
    variants = sum(not row["refused"] for row in rows)
    return {
        "book": mapped.plan.book.variant,
        "settings": {axis.name: list(axis.values) for axis in mapped.plan.grid.axes},
        "measures": mapped.plan.measures,
        "variants": variants,
        "same_as_another": variants - len(games),
        "rows": rows,
        "pattern": found._asdict() | {"winners": list(found.winners)} if found else None,
    }


def _with_same(row: dict[str, Any], first: dict[str, str]) -> dict[str, Any]:
    """The row with the first variant before it that is the same game, if there is one."""
    met = first.get(row["fingerprint"])
    if not row["refused"]:
        first.setdefault(row["fingerprint"], row["variant"])
    found: dict[str, Any] = {}
    for name, value in row.items():
        found[name] = value
        if name == "refused":
            found["same_as"] = met
    return found


def format_duration(seconds: float) -> str:
    """A time as people say it.

    >>> format_duration(40), format_duration(600), format_duration(90_000)
    ('40 seconds', '10 minutes', '25 hours')
    """
    for size, unit in ((3600 * 48, "day"), (5400, "hour"), (90, "minute")):
        if seconds >= size:
            return pluralize(round(seconds / {"day": 86400, "hour": 3600, "minute": 60}[unit]), unit)
    return pluralize(max(1, round(seconds)), "second")
