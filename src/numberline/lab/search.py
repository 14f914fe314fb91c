"""Finding variants that meet goals: every one is measured at every skill, and the best of them in every way.

They are ranked by the fair range, then by how little was changed, then by how near they are to even at the skills of
the panel. Skills that are not in the panel take no part in it.
"""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from numberline.errors import BookError
from numberline.game.book import Book
from numberline.game.loader import restore_book
from numberline.lab.goals import Goal, missed
from numberline.lab.grid import Axis
from numberline.lab.measure import Measurements, measure_batch, measure_many
from numberline.lab.search_space import changes, count_variants
from numberline.parallel import cpu_count, map_unordered
from numberline.solver.batch import group_into_batches, solve_batch
from numberline.solver.fingerprint import fingerprints
from numberline.solver.index import DEFAULT_MEMORY_BYTES, Progress, TooManyPositions, max_positions
from numberline.solver.retrograde import warm_up_jit

DEFAULT_MAX_CHANGES = 3
"""So many settings are changed at once, unless more are asked for."""
CHUNK_VARIANTS = 300
"""So many variants are tried together."""
MAX_SEARCH_VARIANTS = 20_000_000
"""No search is larger."""
LARGE_SEARCH_VARIANTS = 60_000
"""A search of more variants is not begun before somebody has agreed."""
SAMPLE_VARIANTS = 500
"""So many variants are tried to see how long a search takes …"""
MAX_SAMPLE_SECONDS = 3.0
"""… unless that takes more seconds than this."""
BATCH_COST_RATIO = 0.4
"""What a variant takes among many of its shape, where it takes 1 among a few."""
MIN_PARALLEL_VARIANTS = 1_000
"""With fewer variants, one core is done before another one has started."""


class SearchChunk(NamedTuple):
    """Variants that are tried together: the book, and what is changed in each of them."""

    book: str
    source: str | None
    setting_changes: tuple[tuple[str, ...], ...]
    goals: tuple[Goal, ...]
    memory: int
    positions: int = 0
    """About how many positions the whole search has: the compiler is worth loading for many small trials, too."""


class Candidate(NamedTuple):
    """A variant that misses no goal as far as it is known; in the order in which they are ranked."""

    unfair_skills: int
    """At how many skills of the panel it is not fair."""
    changes: int
    imbalance: float
    """How far it is from even, over the skills of the panel."""
    variant: str
    settings: tuple[str, ...]
    fingerprint: str


class ChunkResult(NamedTuple):
    """What became of some variants."""

    candidates: list[Candidate]
    refused: int
    """How many the rules refuse, or are too large."""
    missed: Counter[str]
    """How many miss a goal, by the first one that they miss."""


class Hit(NamedTuple):
    """A variant that meets every goal."""

    changes: int
    imbalance: float
    measured: Measurements


class SearchResult(NamedTuple):
    """What a search has found."""

    hits: list[Hit]
    tried: int
    """How many variants were tried, with those that the rules refuse."""
    refused: int
    same: int
    """How many were the same game as a better candidate."""
    missed: Counter[str]
    interrupted: bool


class Search(NamedTuple):
    """A book, what is tried in it, and what the variants have to be."""

    book: Book
    axes: Sequence[Axis]
    goals: tuple[Goal, ...]
    most_changes: int
    memory: int = DEFAULT_MEMORY_BYTES

    @property
    def size(self) -> int:
        """How many variants there are."""
        return count_variants(self.axes, self.most_changes)

    def chunks(self) -> Iterator[SearchChunk]:
        """All that is to be tried, piece by piece."""
        left, whole = changes(self.axes, self.most_changes), self.size * max_positions(self.book)
        while some := tuple(islice(left, CHUNK_VARIANTS)):
            yield SearchChunk(self.book.variant, self.book.source, some, self.goals, self.memory, whole)


def evaluate_chunk(trial: SearchChunk) -> ChunkResult:
    """What becomes of the variants of an trial."""
    warm_up_jit(trial.positions)
    plain = restore_book(trial.book, trial.source)
    refused, kept_out = 0, Counter[str]()
    books: list[Book] = []
    settings: list[tuple[str, ...]] = []
    for changed in trial.setting_changes:
        try:
            made = plain.vary(*changed)
        except BookError:
            refused += 1
            continue
        if made.rules.players > 2:
            refused += 1
            continue
        books.append(made)
        settings.append(changed)
    found: list[Candidate] = []
    for group in group_into_batches(books):
        try:
            solved = solve_batch([books[index] for index in group], memory=trial.memory)
        except TooManyPositions:
            refused += len(group)
            continue
        measured = measure_batch(solved, metrics=False)
        prints = fingerprints(solved)
        for index, each, fingerprint in zip(group, measured, prints, strict=True):
            if goal := missed(trial.goals, _curve_metrics(each)):
                kept_out[str(goal)] += 1
            else:
                found.append(_candidate(each, settings[index], str(fingerprint)))
    return ChunkResult(found, refused, kept_out)


def _curve_metrics(measured: Measurements) -> dict[str, Any]:
    """The metrics that are known from the curve."""
    points = {point.skill: point for point in measured.curve}
    usual, newcomer = points["slip:25"], points["sight:3"]
    return {
        "fair_range": measured.fair_range,
        "first": (usual.begins_1 + usual.begins_2) / 2,
        "newcomers": newcomer.begins_1,
        "endless": usual.endless,
        "sight_needed": measured.sight_needed,
        "waiting": measured.waiting,
    }


def _candidate(measured: Measurements, settings: tuple[str, ...], fingerprint: str) -> Candidate:
    panel = [point for point in measured.curve if point.took_part]
    off = sum(abs(chance - 0.5) for point in panel for chance in (point.begins_1, point.begins_2)) / (2 * len(panel))
    unfair = len(panel) - (measured.fair_range or 0)
    return Candidate(unfair, len(settings), off, measured.variant, settings, fingerprint)


def search(
    asked: Search, *, top: int = 10, workers: int | str | None = None, progress: Progress = lambda _: None
) -> SearchResult:
    """The best variants that meet every goal; where it is broken off, the best so far."""
    size = asked.size
    if size > MAX_SEARCH_VARIANTS:
        raise BookError(f"a search through {size:,} variants is too large; expected at most {MAX_SEARCH_VARIANTS:,}")
    if workers is None:
        workers = cpu_count() if size > MIN_PARALLEL_VARIANTS else 1
    best: dict[str, Candidate] = {}
    tried = refused = candidates = 0
    kept_out: Counter[str] = Counter()
    broken_off = False
    try:
        for number, found in map_unordered(evaluate_chunk, asked.chunks(), workers=workers):
            tried += min(CHUNK_VARIANTS, size - number * CHUNK_VARIANTS)
            refused += found.refused
            kept_out += found.missed
            candidates += len(found.candidates)
            for each in found.candidates:
                best[each.fingerprint] = min(best.get(each.fingerprint, each), each)
            progress(tried / size)
    except KeyboardInterrupt:
        broken_off = True
    hits = _hits(asked, sorted(best.values()), top, kept_out)
    return SearchResult(hits, tried, refused, candidates - len(best), kept_out, broken_off)


def _hits(asked: Search, ranked: Sequence[Candidate], top: int, kept_out: Counter[str]) -> list[Hit]:
    """The first candidates that meet the other goals too, for which they are measured in every way."""
    hits: list[Hit] = []
    first, many = 0, 4 * top
    while first < len(ranked) and len(hits) < top:
        some = ranked[first : first + many]
        books = [asked.book.vary(*each.settings) for each in some]
        for each, measured in zip(some, measure_many(books, memory=asked.memory), strict=True):
            if goal := missed(asked.goals, measured._asdict()):
                kept_out[str(goal)] += 1
            else:
                hits.append(Hit(each.changes, each.imbalance, measured))
        first, many = first + many, 2 * many
    return hits[:top]


def estimate_seconds(asked: Search, workers: int) -> float:
    """About how long a search takes, from a sample of it."""
    every = max(1, asked.size // SAMPLE_VARIANTS)
    sampled = list(islice(changes(asked.axes, asked.most_changes), 0, None, every))
    Random(0).shuffle(sampled)
    some = [
        next(asked.chunks())._replace(setting_changes=tuple(sampled[at : at + 5])) for at in range(0, len(sampled), 5)
    ]
    evaluate_chunk(some[0])  # what is loaded only once must not count
    began, done = time.perf_counter(), 0
    for trial in some[1:]:
        evaluate_chunk(trial)
        done += len(trial.setting_changes)
        if time.perf_counter() - began > MAX_SAMPLE_SECONDS:
            break
    return (time.perf_counter() - began) * asked.size / max(1, done) / workers * BATCH_COST_RATIO


def result_to_dict(asked: Search, found: SearchResult, file: str = "") -> dict[str, Any]:
    """What was found, as plain data; `file` is where a book of your own is."""
    return {
        "book": asked.book.variant,
        "goals": [str(goal) for goal in asked.goals],
        "changes": {axis.name: list(axis.values) for axis in asked.axes},
        "most_changes": asked.most_changes,
        "tried": found.tried,
        "refused": found.refused,
        "same_as_another": found.same,
        "missed": dict(found.missed.most_common()),
        "broken_off": found.interrupted,
        "hits": [
            hit.measured.data() | {"changes": hit.changes, "play": play_command(asked.book, hit, file)}
            for hit in found.hits
        ],
    }


def play_command(book: Book, hit: Hit, file: str = "") -> str:
    """What to type to play it; `file` is where a book of your own is."""
    return shlex.join(["numberline", "play", (file or book.name) + hit.measured.variant.removeprefix(book.name)])
