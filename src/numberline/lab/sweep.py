"""Sweeps, which measure every variant of a grid, in one or more processes or on a cluster, and the resulting maps."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple, TypeVar

from numberline.game.book import Book
from numberline.lab.metrics import METRICS, SLOW_METRICS, format_figure
from numberline.lab.sweep_store import (
    ColumnDict,
    MapError,
    Shard,
    SweepFolder,
    SweepPlan,
    measure_shard,
    measure_to_parquet,
)
from numberline.parallel import cpu_count, map_unordered
from numberline.solver.index import Progress
from numberline.solver.worth import ENDLESS, OPEN
from numberline.text import join_and, pluralize

MAX_ROWS_IN_MEMORY = 1_000_000
LARGE_SWEEP_VARIANTS, LARGE_SWEEP_POSITIONS = 20_000, 300_000_000
SAMPLE_INTERVAL = 100
MAX_SAMPLE_VARIANTS = 2_000
MAX_SAMPLE_SECONDS = 5.0
COMPRESSION_RATIO = 0.6  # Parquet bytes per character of row text
MAX_PERIOD_VALUES = 5_000
MIN_REPETITIONS = 3
INVALID = -1  # in a list of winners: an invalid variant, which interrupts any period

T = TypeVar("T")
R = TypeVar("R")


def run_sweep(
    plan: SweepPlan, *, out: Path | None = None, workers: int | str | None = None, progress: Progress = lambda _: None
) -> VariantMap:
    """Measure every variant of a plan, skipping shards that are already stored in the folder `out`."""
    if workers is None:
        workers = cpu_count() if plan.worth_parallel else 1
    if out is None:
        _check_fits_in_memory(plan, "use --out to store it in a directory")
    folder = SweepFolder.open_or_create(out, plan) if out else None
    missing = folder.missing() if folder else range(len(plan))
    stored, parts = len(plan) - len(missing), dict[int, Any]()
    measure: Callable[[Shard], Any] = measure_to_parquet if folder else measure_shard
    progress(stored / len(plan))
    measured = map_unordered(measure, map(plan.shard, missing), workers=workers)
    for done, (number, part) in enumerate(measured, stored + 1):
        if folder:
            folder.write(missing[number], part)
        else:
            parts[number] = part
        progress(done / len(plan))
    # Shards in memory always have all columns.
    return VariantMap(plan, folder.read if folder else lambda _=(): map(parts.__getitem__, range(len(plan))))


def _check_fits_in_memory(plan: SweepPlan, alternative: str) -> None:
    if plan.grid.size > MAX_ROWS_IN_MEMORY:
        too_large = f"a map of {plan.grid.size:,} variants does not fit in memory"
        raise MapError(f"{too_large} (the limit is {MAX_ROWS_IN_MEMORY:,}); {alternative}")


class VariantMap(NamedTuple):
    """The measured variants of a sweep."""

    plan: SweepPlan
    parts: Callable[..., Iterator[ColumnDict]]
    """Function that yields the columns of each shard, in solving order; given `names`, it may omit other columns."""

    def rows(self) -> list[dict[str, Any]]:
        """Return all rows, with the last setting changing fastest; `same_as` is the first variant of the same game."""
        _check_fits_in_memory(self.plan, "use parts() to read it shard by shard")
        rows = [
            dict(zip(part, values, strict=True)) for part in self.parts() for values in zip(*part.values(), strict=True)
        ]
        first_variants: dict[str, str] = {}
        order = sorted(range(len(rows)), key=self.plan.grid.coordinates)
        return [_with_same_as(rows[number], first_variants) for number in order]

    def listed(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Return the rows for an output file; rejected variants are included only if the plan requests them."""
        if self.plan.rejected:
            return list(rows)
        return [{name: row[name] for name in row if name != "refused"} for row in rows if not row["refused"]]

    def find_period(self, rows: Sequence[dict[str, Any]]) -> Period | None:
        """Return the period of the winners, if any; only maps over a single setting can have one."""
        if len(self.plan.grid.axes) > 1 or len(rows) > MAX_PERIOD_VALUES:
            return None
        [axis] = self.plan.grid.axes
        return find_period(axis.name, axis.texts, [INVALID if row["refused"] else row["winner"] for row in rows])

    def summary(self, metric: str | None = None) -> SweepSummary:
        """Return totals over all variants and, if `metric` is given, its sorted values."""
        winners: Counter[int] = Counter()
        refused: Counter[str] = Counter()
        games: set[str] = set()
        figures: list[float] = []
        for part in self.parts(["refused", "fingerprint", "winner", *([metric] if metric else [])]):
            refused.update(reason for reason in part["refused"] if reason)
            valid = [index for index, reason in enumerate(part["refused"]) if not reason]
            winners.update(part["winner"][index] for index in valid)
            games.update(part["fingerprint"][index] for index in valid)
            if metric:
                figures += [part[metric][index] for index in valid if part[metric][index] is not None]
        return SweepSummary(winners, refused, len(games), sorted(figures))


def _with_same_as(row: dict[str, Any], first_variants: dict[str, str]) -> dict[str, Any]:
    same_as = first_variants.get(row["fingerprint"])
    if not row["refused"]:
        first_variants.setdefault(row["fingerprint"], row["variant"])
    cells = list(row.items())
    cells.insert(list(row).index("refused") + 1, ("same_as", same_as))
    return dict(cells)


def sweep_to_dict(mapped: VariantMap) -> dict[str, Any]:
    """Return a map as JSON-serializable data."""
    rows = mapped.rows()
    period, summary = mapped.find_period(rows), mapped.summary()
    return {
        "book": mapped.plan.book.variant,
        "players": mapped.plan.players,
        "settings": {axis.name: axis.texts for axis in mapped.plan.grid.axes},
        "measures": mapped.plan.measures,
        "variants": summary.variants,
        "same_as_another": summary.variants - summary.games,
        "rows": mapped.listed(rows),
        "pattern": period._asdict() | {"winners": list(period.winners)} if period else None,
    }


class SweepSummary(NamedTuple):
    """Totals over all variants of a map."""

    winners: Counter[int]
    """Number of variants by winner; the key 0 counts variants without a forced win."""
    refused: Counter[str]
    """Number of invalid combinations by reason."""
    games: int
    """Number of distinct games."""
    figures: list[float]
    """Values of the requested metric, sorted."""

    @property
    def variants(self) -> int:
        return sum(self.winners.values())

    def sentences(self, book: Book, metric: str | None) -> list[str]:
        """Return sentences about the winners, the metric and the invalid combinations."""
        sentences = [f"{pluralize(self.variants, 'variant')} of {book.title}."]
        if refused := sum(self.refused.values()):
            reason = self.refused.most_common(1)[0][0]
            example = "" if len(self.refused) == 1 else "; for example"
            are = "combinations are" if refused > 1 else "combination is"
            sentences.append(f"{refused:,} more {are} invalid{example}: {reason}.")
        wins = [
            f"{book.player_name(player)} wins {count:,}" if player else f"no player can force a win in {count:,}"
            for player, count in sorted(self.winners.items(), key=lambda item: (not item[0], item[0]))
        ]
        sentences += [f"With perfect play, {join_and(wins)}."] if wins else []
        if metric and self.figures:
            low, median, high = (format_figure(metric, self.figures[n]) for n in (0, len(self.figures) // 2, -1))
            sentences.append(f"{METRICS[metric].title.capitalize()}: from {low} to {high}, median {median}.")
        return [*sentences, *self.duplicates_sentence()]

    def duplicates_sentence(self) -> list[str]:
        """Return a list with one sentence about variants that are the same game as another, or an empty list."""
        same = self.variants - self.games
        are = "are" if same > 1 else "is"
        return [f"{same:,} of {self.variants:,} variants {are} the same game as another variant."] if same else []


# Periods


class Period(NamedTuple):
    """A repeating pattern of winners as one setting grows, from the value `since` to the end of the map."""

    name: str
    since: str
    period: int
    winners: tuple[int, ...]
    """The winner for each value in one period, or 0 if no player can force a win."""


def find_period(name: str, values: Sequence[str], winners: Sequence[int]) -> Period | None:
    """Return the period that extends back furthest from the last value, or None if none repeats often enough."""
    lengths = {
        period: _periodic_suffix_length(winners, period) for period in range(1, len(winners) // MIN_REPETITIONS + 1)
    }
    found = [period for period, length in lengths.items() if length >= MIN_REPETITIONS * period]
    if not found:
        return None
    period = max(found, key=lambda period: (lengths[period], -period))
    first = len(winners) - lengths[period]
    return Period(name, values[first], period, tuple(winners[first : first + period]))


def _periodic_suffix_length(winners: Sequence[int], period: int) -> int:
    for length, index in enumerate(reversed(range(len(winners)))):
        later = index + period
        if winners[index] == INVALID or (later < len(winners) and winners[index] != winners[later]):
            return length
    return len(winners)


def winner_name(book: Book, winner: int) -> str:
    """Return the name of the winner, or `endless` or `open` if no player can force a win."""
    return book.player_name(winner) if winner else ENDLESS if book.rules.players == 2 else OPEN


def describe_period(book: Book, found: Period) -> str:
    """Return a sentence that describes a period."""
    names = [winner_name(book, winner) for winner in found.winners]
    since = f"From {found.name}={found.since} upwards,"
    if found.period == 1:
        return f"{since} {f'{names[0]} always wins' if found.winners[0] else f'the result is always {names[0]}'}."
    return f"{since} the winners repeat every {found.period} values: {', '.join(names)}, and so on."


# Estimates


def estimate(plan: SweepPlan, workers: int = 1) -> tuple[float, int]:
    """Estimate the duration of a sweep in seconds and the size of its files in bytes, from a sample of its variants.

    Smaller variants are measured first; the duration is assumed to grow with the number of positions.
    """
    variants = plan.grid.size
    sampled = min(MAX_SAMPLE_VARIANTS, max(1, variants // SAMPLE_INTERVAL))
    length = max(1, min(plan.variants_per_shard, sampled // 8))
    firsts = range(0, variants, max(length, variants * length // sampled))
    sizes = sorted((plan.positions(plan.grid.values(first)), first) for first in firsts)
    shards = [Shard(plan, first, min(variants, first + length)) for _, first in sizes]
    warm_up = shards[min(1, len(shards) - 1)]  # the smallest one may be too small to load all kernels
    parts, seconds = run_sample(measure_shard, warm_up._replace(last=warm_up.first + 1), shards, MAX_SAMPLE_SECONDS)
    measured = sum(len(part["variant"]) for part in parts)
    growth = mean(size for size, _ in sizes) / mean(size for size, _ in sizes[: len(parts)])
    characters = sum(len(str(value)) for part in parts for column in part.values() for value in column)
    share = variants / measured
    return seconds * share * growth / workers, int(characters * share * COMPRESSION_RATIO)


def run_sample(run: Callable[[T], R], warm_up: T, samples: Iterable[T], max_seconds: float) -> tuple[list[R], float]:
    """Run `warm_up` untimed, then samples for up to `max_seconds`; return their results and the elapsed seconds."""
    run(warm_up)
    started, results = time.perf_counter(), list[R]()
    for sample in samples:
        results.append(run(sample))
        if time.perf_counter() - started > max_seconds:
            break
    return results, time.perf_counter() - started


def format_duration(seconds: float) -> str:
    """Format a duration in the most natural unit.

    >>> format_duration(40), format_duration(600), format_duration(90_000)
    ('40 seconds', '10 minutes', '25 hours')
    """
    for minimum, unit_seconds, unit in ((3600 * 48, 86400, "day"), (5400, 3600, "hour"), (90, 60, "minute")):
        if seconds >= minimum:
            return pluralize(round(seconds / unit_seconds), unit)
    return pluralize(max(1, round(seconds)), "second")


def required_measures(metric: str) -> str:
    """Return the lowest level of `MEASURES` that includes a metric."""
    return "all" if metric in {"fair_range", *SLOW_METRICS} else "metrics"
