"""Search for variants that meet goals: all are measured at every skill, and the best of them completely.

Variants are ranked by the fair range, then by the number of changes, then by how close they are to even over the panel
of skills. Skills outside the panel are held out.
"""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.lab.goals import Goal, find_missed_goal
from numberline.lab.grid import Axis, count_changes, iter_changes
from numberline.lab.measure import measure_batch, measure_many
from numberline.lab.metrics import Measurements
from numberline.lab.skills import DEFAULT_SKILL, NEWCOMER_SKILL
from numberline.lab.sweep import run_sample
from numberline.parallel import cpu_count, map_unordered
from numberline.solver.batch import group_into_batches, solve_batch
from numberline.solver.fingerprint import fingerprints
from numberline.solver.index import DEFAULT_MEMORY_BYTES, Progress, TooManyPositions, max_positions
from numberline.solver.retrograde import warm_up_jit

DEFAULT_MAX_CHANGES = 3
CHUNK_VARIANTS = 300
MAX_SEARCH_VARIANTS = 20_000_000
LARGE_SEARCH_VARIANTS = 60_000
SAMPLE_VARIANTS = 500
SAMPLE_CHUNK_VARIANTS = 5
MAX_SAMPLE_SECONDS = 3.0
BATCH_COST_RATIO = 0.4  # the cost of a variant in a large batch, relative to one in a sample chunk
MIN_PARALLEL_VARIANTS = 1_000


class SearchChunk(NamedTuple):
    """Variants that are tried together: a book and the changed settings of each of them."""

    book: str
    source: str | None
    setting_changes: tuple[tuple[str, ...], ...]
    goals: tuple[Goal, ...]
    memory: int
    positions: int = 0
    """The approximate size of the whole search, which decides whether the kernels are compiled."""


class Candidate(NamedTuple):
    """A variant that meets the goals known so far; candidates sort by rank."""

    unfair_skills: int
    changes: int
    imbalance: float
    """The mean distance from even over the panel."""
    variant: str
    settings: tuple[str, ...]
    fingerprint: str


class ChunkResult(NamedTuple):
    """The candidates of a chunk, and why the other variants dropped out."""

    candidates: list[Candidate]
    refused: int
    """The number of variants that are invalid or too large."""
    missed: Counter[str]
    """The number of variants by the first goal they miss."""


class Hit(NamedTuple):
    """A variant that meets every goal."""

    changes: int
    measured: Measurements


class SearchResult(NamedTuple):
    """The outcome of a search; `tried` includes invalid variants, `same` counts duplicates of better candidates."""

    hits: list[Hit]
    tried: int
    refused: int
    same: int
    missed: Counter[str]
    interrupted: bool


class Search(NamedTuple):
    """A book, the values to try, and the goals."""

    book: Book
    axes: Sequence[Axis]
    goals: tuple[Goal, ...]
    most_changes: int
    memory: int = DEFAULT_MEMORY_BYTES

    @property
    def size(self) -> int:
        return count_changes(self.axes, self.most_changes)

    def changes(self) -> Iterator[tuple[str, ...]]:
        return iter_changes(self.axes, self.most_changes)

    def chunk(self, setting_changes: Sequence[tuple[str, ...]]) -> SearchChunk:
        positions = self.size * max_positions(self.book)
        return SearchChunk(
            self.book.variant, self.book.source, tuple(setting_changes), self.goals, self.memory, positions
        )

    def chunks(self) -> Iterator[SearchChunk]:
        remaining = self.changes()
        while some := tuple(islice(remaining, CHUNK_VARIANTS)):
            yield self.chunk(some)


def evaluate_chunk(chunk: SearchChunk) -> ChunkResult:
    """Measure the curves of a chunk's variants and return the candidates."""
    warm_up_jit(chunk.positions)
    original = restore_book(chunk.book, chunk.source)
    refused, missed = 0, Counter[str]()
    books: list[Book] = []
    settings: list[tuple[str, ...]] = []
    for changes in chunk.setting_changes:
        book = _vary_for_two(original, changes)
        if book:
            books.append(book)
            settings.append(changes)
        else:
            refused += 1
    candidates: list[Candidate] = []
    for group in group_into_batches(books):
        try:
            solved = solve_batch([books[index] for index in group], memory=chunk.memory)
        except TooManyPositions:
            refused += len(group)
            continue
        rows = zip(group, measure_batch(solved, metrics=False), fingerprints(solved), strict=True)
        for index, measured, fingerprint in rows:
            if goal := find_missed_goal(chunk.goals, _curve_metrics(measured)):
                missed[str(goal)] += 1
            else:
                candidates.append(_make_candidate(measured, settings[index], str(fingerprint)))
    return ChunkResult(candidates, refused, missed)


def _vary_for_two(book: Book, changes: Sequence[str]) -> Book | None:
    """Return the changed book; None if it is invalid or not for two players."""
    try:
        varied = book.vary(*changes)
    except BookError:
        return None
    return varied if varied.rules.players == 2 else None


def _curve_metrics(measured: Measurements) -> dict[str, Any]:
    """Return the metrics that follow from the curve."""
    points = {point.skill: point for point in measured.curve}
    default, newcomer = points[DEFAULT_SKILL], points[NEWCOMER_SKILL]
    return {
        "fair_range": measured.fair_range,
        "first": (default.begins_1 + default.begins_2) / 2,
        "newcomers": newcomer.begins_1,
        "endless": default.endless,
        "sight_needed": measured.sight_needed,
        "waiting": measured.waiting,
    }


def _make_candidate(measured: Measurements, settings: tuple[str, ...], fingerprint: str) -> Candidate:
    panel = [point for point in measured.curve if point.took_part]
    shares = [share for point in panel for share in (point.begins_1, point.begins_2)]
    imbalance = sum(abs(share - 0.5) for share in shares) / len(shares)
    unfair = len(panel) - (measured.fair_range or 0)
    return Candidate(unfair, len(settings), imbalance, measured.variant, settings, fingerprint)


def run_search(
    search: Search, *, top: int = 10, workers: int | str | None = None, progress: Progress = lambda _: None
) -> SearchResult:
    """Return the best variants that meet every goal; after an interrupt, the best so far."""
    size = search.size
    if size > MAX_SEARCH_VARIANTS:
        raise BookError(f"a search through {size:,} variants is too large; expected at most {MAX_SEARCH_VARIANTS:,}")
    if workers is None:
        workers = cpu_count() if size > MIN_PARALLEL_VARIANTS else 1
    best: dict[str, Candidate] = {}
    tried = refused = candidates = 0
    missed: Counter[str] = Counter()
    interrupted = False
    try:
        for number, result in map_unordered(evaluate_chunk, search.chunks(), workers=workers):
            tried += min(CHUNK_VARIANTS, size - number * CHUNK_VARIANTS)
            refused += result.refused
            missed += result.missed
            candidates += len(result.candidates)
            for candidate in result.candidates:
                best[candidate.fingerprint] = min(best.get(candidate.fingerprint, candidate), candidate)
            progress(tried / size)
    except KeyboardInterrupt:
        interrupted = True
    hits = _find_hits(search, sorted(best.values()), top, missed)
    return SearchResult(hits, tried, refused, candidates - len(best), missed, interrupted)


def _find_hits(search: Search, ranked: Sequence[Candidate], top: int, missed: Counter[str]) -> list[Hit]:
    """Measure candidates completely, in order of rank, until enough of them meet the remaining goals."""
    hits: list[Hit] = []
    first, count = 0, 4 * top
    while first < len(ranked) and len(hits) < top:
        some = ranked[first : first + count]
        books = [search.book.vary(*candidate.settings) for candidate in some]
        for candidate, measured in zip(some, measure_many(books, memory=search.memory), strict=True):
            if goal := find_missed_goal(search.goals, measured._asdict()):
                missed[str(goal)] += 1
            else:
                hits.append(Hit(candidate.changes, measured))
        first, count = first + count, 2 * count
    return hits[:top]


def estimate_seconds(search: Search, workers: int) -> float:
    """Estimate the duration of a search from a sample."""
    sampled = list(islice(search.changes(), 0, None, max(1, search.size // SAMPLE_VARIANTS)))
    Random(0).shuffle(sampled)
    size = SAMPLE_CHUNK_VARIANTS
    chunks = [search.chunk(sampled[first : first + size]) for first in range(0, len(sampled), size)]
    results, seconds = run_sample(evaluate_chunk, chunks[0], chunks[1:], MAX_SAMPLE_SECONDS)
    variants = sum(len(chunk.setting_changes) for chunk, _ in zip(chunks[1:], results, strict=False))
    return seconds * search.size / max(1, variants) / workers * BATCH_COST_RATIO


def result_to_dict(search: Search, result: SearchResult, file: str = "") -> dict[str, Any]:
    """Return a result as plain data; `file` is the path of a custom book."""
    return {
        "book": search.book.variant,
        "goals": [str(goal) for goal in search.goals],
        "changes": {axis.name: list(axis.values) for axis in search.axes},
        "most_changes": search.most_changes,
        "tried": result.tried,
        "refused": result.refused,
        "same_as_another": result.same,
        "missed": dict(result.missed.most_common()),
        "broken_off": result.interrupted,
        "hits": [
            hit.measured.data() | {"changes": hit.changes, "play": play_command(search.book, hit, file)}
            for hit in result.hits
        ],
    }


def play_command(book: Book, hit: Hit, file: str = "") -> str:
    """Return the command that plays a hit; `file` is the path of a custom book."""
    return shlex.join(["numberline", "play", (file or book.name) + hit.measured.variant.removeprefix(book.name)])
