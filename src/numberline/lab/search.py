"""Search for variants that meet goals.

Every variant is first measured at a fixed set of skills, the skill curve. Variants that may meet all goals are ranked
by fair range (the number of fair `slip` skills or of fair `sight` skills, whichever is smaller; largest first), then by
the number of changes (fewest first), then by the mean gap (smallest first). Only `PANEL_SKILLS` count for the fair
range and the mean gap. The ranked variants are then measured in full, best first, until enough of them meet all goals.
"""

from __future__ import annotations

import math
import re
import shlex
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from heapq import nsmallest
from itertools import islice
from random import Random
from typing import Any, NamedTuple

from numberline.errors import BookError, NumberlineError
from numberline.game.book import Book
from numberline.game.loader import NAMES
from numberline.game.loader import book as load_book
from numberline.game.settings import RULE_TYPES
from numberline.lab import measure
from numberline.lab.fingerprint import fingerprints
from numberline.lab.grid import Axis, count_changes, iter_changes
from numberline.lab.metrics import METRICS, SLOW_METRICS, Measurements
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
NEAREST_MISSES, NEAREST_MEASURED = 3, 30
FULLY_MEASURED_AT_ONCE = 1_000
GOAL_TOLERANCE = 1e-9
CURVE_METRICS = ("gap", "fair_range", "first", "newcomers", "endless", "sight_needed", "waiting")
"""Metrics that are known from the curve and perfect play alone."""
_FIGURE = r"\s*(?:([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*(%?))?\s*"  # number or percentage; empty for an open-ended range


# Goals


class GoalError(NumberlineError, ValueError):
    """Error for an invalid goal; the message says what is valid."""


class Goal(NamedTuple):
    """A metric and its target range; `high` is None if there is no upper limit.

    The name can also be a skill such as `slip:20`; the range then applies to the first player's share of the wins,
    whichever player starts.
    """

    name: str
    low: float
    high: float | None

    @property
    def is_skill(self) -> bool:
        return ":" in self.name

    def figures(self, measured: Measurements) -> Sequence[float | None]:
        """Return the figures that must be in the range."""
        if self.is_skill:
            return next(point.shares for point in measured.curve if point.skill == self.name)
        return (getattr(measured, self.name),)

    def met_by(self, figure: float | None) -> bool:
        """Return whether `figure` is in the range; None (undefined) never is."""
        return self.distance(figure) <= GOAL_TOLERANCE

    def distance(self, figure: float | None) -> float:
        """Return how far `figure` is outside the range; infinite for None (undefined)."""
        high = math.inf if self.high is None else self.high
        return math.inf if figure is None else max(0.0, self.low - figure, figure - high)

    def relative_miss(self, measured: Measurements) -> float:
        """Return the distance from the range, relative to the metric's maximum or the goal's bound; at most 1."""
        scale = 1.0 if self.is_skill else METRICS[self.name].highest or max(self.low, self.high or 0.0, 1.0)
        return min(1.0, max(map(self.distance, self.figures(measured))) / scale)

    def describe_miss(self, measured: Measurements) -> str:
        """Describe a missed goal: the figure, the range, and the distance between them."""
        figure = max(self.figures(measured), key=self.distance)
        by = "" if figure is None else f" by {self.distance(figure):.2g}"
        return f"{self.name} {'(undefined)' if figure is None else f'{figure:.3g}'} misses {self}{by}"

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.name}={self.low:g}"
        low = f"{self.low:g}" if self.low else ""
        return f"{self.name}={low}..{'' if self.high is None else f'{self.high:g}'}"


def parse_goal(text: str) -> Goal:
    """Parse a goal such as `length=10..20`, `gap=..5%`, `decisions=0.3..`, `endless=0` or `slip:20=45..55%`.

    >>> parse_goal("slip:20=45..55%")
    Goal(name='slip:20', low=0.45, high=0.55)
    """
    typed, equals, values = (part.strip() for part in text.partition("="))
    name = re.sub(r"[ -]+", "_", typed.lower())
    if not equals or not values:
        raise GoalError(f"cannot parse goal {quote(text)}; use e.g. length=10..20, slip:20=45..55% or decisions=0.3..")
    if ":" in name:
        name = measure.parse_skill(typed, load_book(NAMES[0])).name
    elif name not in METRICS:
        known = ", ".join(METRICS)
        raise GoalError(f"unknown metric {quote(typed)}{did_you_mean(name, METRICS)}; choose from {known}")
    low_text, dots, high_text = values.partition("..")
    figures = [re.fullmatch(_FIGURE, part) for part in (low_text, high_text if dots else low_text)]
    percent = values.endswith("%")  # also for the lower bound, as in 45..55%
    low, high = (
        float(found[1]) / (100 if percent or found[2] else 1) if found and found[1] else None for found in figures
    )
    if not all(figures) or (low is None and high is None):
        raise GoalError(f"{quote(text)}: expected a range such as 10..20, ..20, 0.3.. or 45..55%")
    highest = 1 if ":" in name else METRICS[name].highest
    goal = Goal(name, low or 0.0, highest if high is None else high)
    if highest is not None and goal.low > highest:
        percents = f" (or 0% and {100 * highest:g}%)" if highest <= 1 else ""
        raise GoalError(f"{quote(text)}: {name} must be between 0 and {highest:g}{percents}")
    if goal.high is not None and goal.low > goal.high:
        raise GoalError(f"{quote(text)}: the range is empty, because {goal.low:g} is greater than {goal.high:g}")
    return goal


DEFAULT_GOALS = tuple(
    map(parse_goal, ("endless=0", "waiting=0", "gap=..0.1", "length=5..40", "choice=0.5..", "decisions=0.25.."))
)


def parse_goals(texts: Sequence[str], *, defaults: bool = True) -> tuple[Goal, ...]:
    """Parse goals; add the default goals for all other metrics, unless `defaults` is false."""
    goals = [parse_goal(text) for text in texts]
    names = [goal.name for goal in goals]
    if twice := [name for name in names if names.count(name) > 1]:
        raise GoalError(f"the goal for {twice[0]} is given twice; expected one range per metric")
    return (*goals, *(goal for goal in DEFAULT_GOALS if defaults and goal.name not in names))


def find_missed_goal(goals: Iterable[Goal], measured: Measurements) -> Goal | None:
    """Return the first goal that a variant doesn't meet."""
    return next((goal for goal in goals if not all(map(goal.met_by, goal.figures(measured)))), None)


# Search

Chunk = list[tuple[str, ...]]
"""Variants to be evaluated together, each given as a set of changed settings."""


class Candidate(NamedTuple):
    """A variant whose skill curve was measured; candidates sort by rank."""

    miss: float
    """Sum of the relative misses of the goals that can be checked before a full measurement; 0 if all are met."""
    negated_fair_range: int
    changes: int
    mean_gap: float
    variant: str
    settings: tuple[str, ...]
    fingerprint: str

    @property
    def idea(self) -> frozenset[str]:
        """The changed settings, without the values of places; variants with the same idea differ only in places."""
        names = (text.partition("=")[0] for text in self.settings)
        return frozenset(text if name in RULE_TYPES else name for text, name in zip(self.settings, names, strict=True))


class ChunkResult(NamedTuple):
    """The candidates in a chunk, the nearest misses, and the numbers of variants dropped for each reason."""

    candidates: list[Candidate]
    nearest: list[Candidate]
    refused: int
    """Number of variants that are invalid or too large."""
    missed: Counter[str]
    """Number of variants by the first goal they don't meet."""


class Hit(NamedTuple):
    """A variant that meets every goal, and the names of lower-ranked ones with the same idea (see `Candidate.idea`)."""

    candidate: Candidate
    measured: Measurements
    similar: list[str]


class SearchResult(NamedTuple):
    """Result of a search; `tried` includes invalid variants, and `same` counts duplicates of better candidates."""

    hits: list[Hit]
    nearest: list[Measurements]
    """The variants that come closest to the goals, if there are no hits."""
    tried: int
    refused: int
    same: int
    missed: Counter[str]
    interrupted: bool


class Search(NamedTuple):
    """A search to run: the book, the values to try, the goals and the skill of the players."""

    book: Book
    axes: Sequence[Axis]
    goals: tuple[Goal, ...]
    most_changes: int
    memory: int = DEFAULT_MEMORY_BYTES
    players: str | Sequence[str] | None = None

    @property
    def size(self) -> int:
        return count_changes(self.axes, self.most_changes)

    @property
    def skills(self) -> list[str]:
        """Skills to measure in addition to those of the curve and of the players."""
        return [goal.name for goal in self.goals if goal.is_skill]

    def chunks(self) -> Iterator[Chunk]:
        remaining = iter_changes(self.axes, self.most_changes)
        while chunk := list(islice(remaining, CHUNK_VARIANTS)):
            yield chunk

    def known_goals(self) -> list[Goal]:
        """Return the goals that can be checked before a full measurement."""
        one, two = measure.parse_players(self.players, self.book)
        is_on_curve = one.name == two.name and measure.skill_of(one)
        known = CURVE_METRICS if is_on_curve else ("fair_range", "newcomers", "sight_needed", "waiting")
        return [goal for goal in self.goals if goal.is_skill or goal.name in known]


def evaluate_chunk(search: Search, chunk: Chunk) -> ChunkResult:
    """Measure the skill curves of the variants in a chunk; return the candidates and the nearest misses."""
    warm_up_jit(search.size * max_positions(search.book))
    varied = [(changes, vary_for_two(search.book, changes)) for changes in chunk]
    valid = [(changes, book) for changes, book in varied if book]
    candidates, others = list[Candidate](), list[Candidate]()
    refused, missed, goals = len(varied) - len(valid), Counter[str](), search.known_goals()
    books = [book for _, book in valid]
    batches = measure.measure_in_batches(
        books, search.players, metrics=False, skills=search.skills, memory=search.memory
    )
    for group, solved, figures in batches:
        if isinstance(solved, TooManyPositions):
            refused += len(group)
            continue
        for index, each, fingerprint in zip(group, figures, fingerprints(solved), strict=True):
            measured = _with_curve_metrics(each)
            if goal := find_missed_goal(goals, measured):
                missed[str(goal)] += 1
            miss = sum(goal.relative_miss(measured) for goal in goals) if goal else 0.0
            (others if goal else candidates).append(_make_candidate(measured, miss, valid[index][0], str(fingerprint)))
    return ChunkResult(candidates, nsmallest(NEAREST_MEASURED, others), refused, missed)


def vary_for_two(book: Book, changes: Sequence[str]) -> Book | None:
    """Return the variant with the given changes; None if it is invalid or not for two players."""
    try:
        varied = book.vary(*changes)
    except BookError:
        return None
    return varied if varied.rules.players == 2 else None


def _with_curve_metrics(measured: Measurements) -> Measurements:
    """Return the measurements with metrics taken from the curve, assuming that both players have the same skill."""
    points = {point.skill: point for point in measured.curve}
    newcomers = points[measure.NEWCOMER_SKILL].wins_1
    point = points.get(measured.players[0])
    if point is None:
        return measured._replace(newcomers=newcomers)
    first = (point.wins_1 + point.wins_2) / 2
    return measured._replace(gap=point.gap, first=first, newcomers=newcomers, endless=point.endless)


def _make_candidate(measured: Measurements, miss: float, settings: tuple[str, ...], fingerprint: str) -> Candidate:
    gaps = [point.gap for point in measured.curve if point.in_panel]
    mean_gap = sum(gaps) / len(gaps)
    fair = measured.fair_range or 0
    return Candidate(miss, -fair, len(settings), mean_gap, measured.variant, settings, fingerprint)


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
    nearest: list[Candidate] = []
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
            nearest = nsmallest(NEAREST_MEASURED, [*nearest, *result.nearest])
            progress(tried / size)
    except KeyboardInterrupt:
        interrupted = True
    hits = _find_hits(search, sorted(best.values()), top, missed)
    near = [] if hits else _find_nearest(search, [*best.values(), *nearest])
    return SearchResult(hits, near, tried, refused, candidates - len(best), missed, interrupted)


def _measure(search: Search, candidates: Sequence[Candidate]) -> list[Measurements]:
    books = [search.book.vary(*candidate.settings) for candidate in candidates]
    slow = any(goal.name in SLOW_METRICS for goal in search.goals)
    return measure.measure_many(books, search.players, skills=search.skills, slow=slow, memory=search.memory)


def _find_hits(search: Search, ranked: Sequence[Candidate], top: int, missed: Counter[str]) -> list[Hit]:
    """Measure candidates fully, in order of rank, until variants of `top` different ideas meet all goals."""
    hits: dict[frozenset[str], Hit] = {}
    remaining = iter(ranked)
    while len(hits) < top and (some := list(islice(remaining, FULLY_MEASURED_AT_ONCE))):
        for candidate, measured in zip(some, _measure(search, some), strict=True):
            if goal := find_missed_goal(search.goals, measured):
                missed[str(goal)] += 1
            elif hit := hits.get(candidate.idea):
                hit.similar.append(measured.variant)
            else:
                hits[candidate.idea] = Hit(candidate, measured, [])
    return list(hits.values())[:top]


def _find_nearest(search: Search, candidates: Sequence[Candidate]) -> list[Measurements]:
    """Return the variants that come closest to all goals."""

    def miss(measured: Measurements) -> float:
        return sum(goal.relative_miss(measured) for goal in search.goals)

    return nsmallest(NEAREST_MISSES, _measure(search, nsmallest(NEAREST_MEASURED, candidates)), key=miss)


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
            hit.measured.data()
            | {"changes": hit.candidate.changes, "similar": hit.similar, "play": play_command(search.book, hit, file)}
            for hit in result.hits
        ],
        "nearest": [measured.data() | {"missed": describe_misses(search, measured)} for measured in result.nearest],
    }


def describe_misses(search: Search, measured: Measurements) -> list[str]:
    """Describe each goal that a variant misses."""
    return [goal.describe_miss(measured) for goal in search.goals if find_missed_goal([goal], measured)]


def play_command(book: Book, hit: Hit, file: str = "") -> str:
    """Return the shell command for playing a hit; `file` is the path of a custom book."""
    return shlex.join(["numberline", "play", (file or book.name) + hit.measured.variant.removeprefix(book.name)])
