"""Search for variants that meet goals: win rates are measured for all variants, the other metrics for the best ones.

Variants are ranked by fair range, then by the number of changes, then by how close the win rates at the panel skills
are to even. Skills outside the panel are held out.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from numberline.errors import BookError, NumberlineError
from numberline.game.book import Book
from numberline.lab.fingerprint import fingerprints
from numberline.lab.grid import Axis, count_changes, iter_changes
from numberline.lab.measure import DEFAULT_SKILL, NEWCOMER_SKILL, measure_in_batches, measure_many
from numberline.lab.metrics import METRICS, Measurements
from numberline.lab.sweep import run_sample
from numberline.parallel import cpu_count, map_unordered
from numberline.solver.index import DEFAULT_MEMORY_BYTES, Progress, TooManyPositions, max_positions
from numberline.solver.retrograde import warm_up_jit
from numberline.text import did_you_mean, quote

DEFAULT_MAX_CHANGES = 3
CHUNK_VARIANTS = 300
MAX_SEARCH_VARIANTS = 20_000_000
LARGE_SEARCH_VARIANTS = 60_000
SAMPLE_VARIANTS = 500
SAMPLE_CHUNK_VARIANTS = 5
MAX_SAMPLE_SECONDS = 3.0
BATCH_COST_RATIO = 0.4  # cost of a variant in a large batch relative to its cost in a sample chunk
MIN_PARALLEL_VARIANTS = 1_000
GOAL_TOLERANCE = 1e-9
FAIRNESS_METRICS = ("fair_range", "first", "newcomers")
"""Metrics for which a goal replaces the default goal for the fair range."""
_FIGURE = r"\s*(?:([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(%?))?\s*"  # number or percentage; empty for an open-ended range


# Goals


class GoalError(NumberlineError, ValueError):
    """Error for an invalid goal; the message says what would be valid."""


class Goal(NamedTuple):
    """A metric and its target range; `high` is None if there is no upper limit."""

    name: str
    low: float
    high: float | None

    def met_by(self, figure: float | None) -> bool:
        """Return whether `figure` is in the range; None (undefined) never is."""
        if figure is None or figure < self.low - GOAL_TOLERANCE:
            return False
        return self.high is None or figure <= self.high + GOAL_TOLERANCE

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.name}={self.low:g}"
        low = f"{self.low:g}" if self.low else ""
        return f"{self.name}={low}..{'' if self.high is None else f'{self.high:g}'}"


DEFAULT_GOALS = (
    Goal("endless", 0, 0),
    Goal("waiting", 0, 0),
    Goal("fair_range", 1, 9),
    Goal("length", 5, 40),
    Goal("decisions", 0.1, 1),
)


def parse_goal(text: str) -> Goal:
    """Parse a goal such as `length=10..20`, `first=45%..55%`, `length=..20`, `decisions=0.3..` or `endless=0`.

    >>> parse_goal("first=45%..55%")
    Goal(name='first', low=0.45, high=0.55)
    """
    typed, equals, values = (part.strip() for part in text.partition("="))
    name = re.sub(r"[ -]+", "_", typed.lower())
    if not equals or not values:
        raise GoalError(f"cannot parse goal {quote(text)}; use e.g. length=10..20, first=45%..55% or decisions=0.3..")
    if name not in METRICS:
        known = ", ".join(METRICS)
        raise GoalError(f"unknown metric {quote(typed)}{did_you_mean(name, METRICS)}; choose from {known}")
    low_text, dots, high_text = values.partition("..")
    figures = [re.fullmatch(_FIGURE, part) for part in (low_text, high_text if dots else low_text)]
    low, high = (float(found[1]) / (100 if found[2] else 1) if found and found[1] else None for found in figures)
    if not all(figures) or (low is None and high is None):
        raise GoalError(f"{quote(text)}: expected a range such as 10..20, ..20, 0.3.. or 45%..55%")
    highest = METRICS[name].highest
    goal = Goal(name, low or 0.0, highest if high is None else high)
    if highest is not None and goal.low > highest:
        percent = " (or 0% and 100%)" if highest == 1 else ""
        raise GoalError(f"{quote(text)}: {name} must be between 0 and {highest:g}{percent}")
    if goal.high is not None and goal.low > goal.high:
        raise GoalError(f"{quote(text)}: the range is empty, because {goal.low:g} is greater than {goal.high:g}")
    return goal


def with_default_goals(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """Return the given goals, followed by the default goals for all other metrics."""
    names = [goal.name for goal in goals]
    if twice := [name for name in names if names.count(name) > 1]:
        raise GoalError(f"goal for {twice[0]} given twice; expected one range per metric")
    replaced = {*names} if set(names).isdisjoint(FAIRNESS_METRICS) else {*names, "fair_range"}
    return (*goals, *(goal for goal in DEFAULT_GOALS if goal.name not in replaced))


def find_missed_goal(goals: Iterable[Goal], figures: Mapping[str, Any]) -> Goal | None:
    """Return the first goal that `figures` don't meet; goals for metrics not in `figures` count as met."""
    return next((goal for goal in goals if goal.name in figures and not goal.met_by(figures[goal.name])), None)


# Search

Chunk = list[tuple[str, ...]]
"""Variants to be evaluated together, each given as a set of changed settings."""


class Candidate(NamedTuple):
    """A variant that meets all goals that can be checked before a full measurement; candidates sort by rank."""

    unfair_skills: int
    changes: int
    imbalance: float
    """Mean deviation of the win rates from 50 % over the panel skills."""
    variant: str
    settings: tuple[str, ...]
    fingerprint: str


class ChunkResult(NamedTuple):
    """The candidates in a chunk, and the reasons why the other variants were dropped."""

    candidates: list[Candidate]
    refused: int
    """Number of variants that are invalid or too large."""
    missed: Counter[str]
    """Number of variants by the first goal they don't meet."""


class Hit(NamedTuple):
    """A variant that meets every goal."""

    changes: int
    measured: Measurements


class SearchResult(NamedTuple):
    """Result of a search; `tried` includes invalid variants, and `same` counts duplicates of better candidates."""

    hits: list[Hit]
    tried: int
    refused: int
    same: int
    missed: Counter[str]
    interrupted: bool


class Search(NamedTuple):
    """A search to run: the book, the values to try and the goals."""

    book: Book
    axes: Sequence[Axis]
    goals: tuple[Goal, ...]
    most_changes: int
    memory: int = DEFAULT_MEMORY_BYTES

    @property
    def size(self) -> int:
        return count_changes(self.axes, self.most_changes)

    def chunks(self) -> Iterator[Chunk]:
        remaining = iter_changes(self.axes, self.most_changes)
        while chunk := list(islice(remaining, CHUNK_VARIANTS)):
            yield chunk


def evaluate_chunk(search: Search, chunk: Chunk) -> ChunkResult:
    """Measure the win-rate curves of a chunk's variants and return those that are candidates."""
    warm_up_jit(search.size * max_positions(search.book))
    varied = [(changes, _vary_for_two(search.book, changes)) for changes in chunk]
    valid = [(changes, book) for changes, book in varied if book]
    candidates, refused, missed = list[Candidate](), len(varied) - len(valid), Counter[str]()
    books = [book for _, book in valid]
    for group, solved, figures in measure_in_batches(books, metrics=False, memory=search.memory):
        if isinstance(solved, TooManyPositions):
            refused += len(group)
            continue
        for index, measured, fingerprint in zip(group, figures, fingerprints(solved), strict=True):
            if goal := find_missed_goal(search.goals, _curve_metrics(measured)):
                missed[str(goal)] += 1
            else:
                candidates.append(_make_candidate(measured, valid[index][0], str(fingerprint)))
    return ChunkResult(candidates, refused, missed)


def _vary_for_two(book: Book, changes: Sequence[str]) -> Book | None:
    """Return the variant with the given changes; None if it is invalid or not for two players."""
    try:
        varied = book.vary(*changes)
    except BookError:
        return None
    return varied if varied.rules.players == 2 else None


def _curve_metrics(measured: Measurements) -> dict[str, Any]:
    """Return the metrics that are known from the curve and perfect play alone."""
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
    """Return the `top` variants that meet every goal, or the best found so far if the search is interrupted."""
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
        for number, result in map_unordered(partial(evaluate_chunk, search), search.chunks(), workers=workers):
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
    """Measure candidates fully, in order of rank, until `top` of them meet all goals."""
    hits: list[Hit] = []
    remaining, count = iter(ranked), 4 * top
    while len(hits) < top and (some := list(islice(remaining, count))):
        books = [search.book.vary(*candidate.settings) for candidate in some]
        for candidate, measured in zip(some, measure_many(books, memory=search.memory), strict=True):
            if goal := find_missed_goal(search.goals, measured._asdict()):
                missed[str(goal)] += 1
            else:
                hits.append(Hit(candidate.changes, measured))
        count *= 2
    return hits[:top]


def estimate_seconds(search: Search, workers: int) -> float:
    """Estimate the duration of a search from a sample of its variants."""
    every = iter_changes(search.axes, search.most_changes)
    sampled = list(islice(every, 0, None, max(1, search.size // SAMPLE_VARIANTS)))
    Random(0).shuffle(sampled)
    size = SAMPLE_CHUNK_VARIANTS
    chunks = [sampled[first : first + size] for first in range(0, len(sampled), size)]
    results, seconds = run_sample(partial(evaluate_chunk, search), chunks[0], chunks[1:], MAX_SAMPLE_SECONDS)
    variants = sum(len(chunk) for chunk, _ in zip(chunks[1:], results, strict=False))
    return seconds * search.size / max(1, variants) / workers * BATCH_COST_RATIO


def result_to_dict(search: Search, result: SearchResult, file: str = "") -> dict[str, Any]:
    """Return a search result as JSON-serializable data; `file` is the path of a custom book."""
    return {
        "book": search.book.variant,
        "goals": [str(goal) for goal in search.goals],
        "changes": {axis.name: axis.texts for axis in search.axes},
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
    """Return the shell command for playing a hit; `file` is the path of a custom book."""
    return shlex.join(["numberline", "play", (file or book.name) + hit.measured.variant.removeprefix(book.name)])
