"""Public functions that return measurements, maps and search results as JSON-serializable data."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from numberline.errors import int_option, string_options
from numberline.game.book import Book
from numberline.game.loader import book as load_book
from numberline.lab.grid import map_axis, search_axes
from numberline.lab.measure import measure
from numberline.lab.search import DEFAULT_MAX_CHANGES, Search, parse_goals, result_to_dict, run_search
from numberline.lab.sweep import run_sweep, sweep_to_dict
from numberline.lab.sweep_store import MEASURES, MapError, SweepPlan
from numberline.parallel import parse_workers
from numberline.solver.index import DEFAULT_MEMORY_BYTES
from numberline.text import safe_repr

BookLike = Book | str | PathLike[str]
MAX_CHANGED_SETTINGS = 1_000


def measure_variant(
    book: BookLike, players: str | Sequence[str] | None = None, *, memory: int = DEFAULT_MEMORY_BYTES
) -> dict[str, Any]:
    """Measure a variant: perfect play, win rates at every skill, and all metrics.

    >>> import numberline as nl
    >>> measured = nl.measure("flag-chase", players="slip:10")
    >>> measured["winner"], round(measured["first"], 2)
    (1, 0.93)
    """
    return measure(load_book(book), players, memory=int_option("memory", memory)).data()


def map_variants(
    book: BookLike,
    *settings: str,
    measures: str = "metrics",
    players: str | Sequence[str] | None = None,
    rejected: bool = False,
    out: str | PathLike[str] | None = None,
    workers: int | str | None = None,
    memory: int = DEFAULT_MEMORY_BYTES,
) -> dict[str, Any]:
    """Measure all combinations of the given values of one or more settings, each written like `end=8..24`.

    A setting without values, such as `end`, takes the book's own value and those that a search tries.

    `measures` is `solution` (perfect play only), `metrics` (adds most metrics, for the given `players`, by default
    `slip:25`) or `all` (adds the remaining metrics and the win rates at every skill). If `rejected` is true, variants
    that the rules reject also get rows. Results are stored in the directory `out`, if given, so that a map can be
    resumed.

    >>> import numberline as nl
    >>> variants = nl.map("flag-chase", "end=4..6")["rows"]
    >>> [(row["end"], row["winner"], round(row["first"], 2)) for row in variants]
    [(4, 1, 0.89), (5, 1, 0.87), (6, 1, 0.86)]
    """
    if not isinstance(measures, str) or measures not in MEASURES:
        raise MapError(f"measures={safe_repr(measures)}: expected one of {', '.join(MEASURES)}")
    if out is not None and not isinstance(out, str | PathLike):
        raise MapError(f"out={safe_repr(out)}: expected the path of a directory")
    if not settings:
        raise MapError("no settings given; expected at least one such as end=8..24")
    game = load_book(book)
    axes = [map_axis(game, text) for text in string_options("settings", settings, "end=8..24")]
    plan = SweepPlan(game, axes, measures, int_option("memory", memory), players=players, rejected=rejected)
    workers = None if workers is None else parse_workers(workers)
    return sweep_to_dict(run_sweep(plan, out=Path(out) if out else None, workers=workers))


def find_variants(
    book: BookLike,
    goals: Sequence[str] = (),
    *,
    change: Sequence[str] = (),
    most_changes: int = DEFAULT_MAX_CHANGES,
    players: str | Sequence[str] | None = None,
    default_goals: bool = True,
    top: int = 10,
    workers: int | str | None = None,
    memory: int = DEFAULT_MEMORY_BYTES,
) -> dict[str, Any]:
    """Find variants that meet goals such as `length=10..20` or `slip:20=45..55%`, ordered from most to least fair.

    A goal replaces the default goal for the same metric; without `default_goals`, only `goals` apply. `change` lists
    the settings to change, optionally with values (`end` or `end=10..40`); the default is all suitable settings.
    `players` gives the skills for which the metrics are measured.

    >>> import numberline as nl
    >>> [hit] = nl.find("number-reach", change=["target=40..44"], top=1)["hits"]
    >>> hit["variant"], hit["fair_range"], len(hit["similar"])
    ('number-reach(target=43)', 2, 4)
    """
    game = load_book(book)
    search = Search(
        game,
        search_axes(game, string_options("change", change, "end=10..40")),
        parse_goals(string_options("goals", goals, "length=10..20"), defaults=default_goals),
        int_option("most_changes", most_changes, maximum=MAX_CHANGED_SETTINGS),
        int_option("memory", memory),
        players,
    )
    workers = None if workers is None else parse_workers(workers)
    result = run_search(search, top=int_option("top", top), workers=workers)
    return result_to_dict(search, result, str(book) if isinstance(book, PathLike) else "")
