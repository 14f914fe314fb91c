"""What the lab finds, as plain data: dicts, lists, texts and numbers, ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from numberline.errors import int_option, string_options
from numberline.game.book import Book
from numberline.game.loader import book as book_of
from numberline.lab.goals import parse_goal, with_default_goals
from numberline.lab.grid import parse_axis
from numberline.lab.measure import measure
from numberline.lab.search import DEFAULT_MAX_CHANGES, Search, result_to_dict, search
from numberline.lab.search_space import search_axes
from numberline.lab.sweep import run_sweep, sweep_to_dict
from numberline.lab.sweep_shards import MEASURES
from numberline.lab.sweep_store import MapError, SweepPlan
from numberline.parallel import parse_workers
from numberline.solver.index import DEFAULT_MEMORY_BYTES, parse_memory
from numberline.text import safe_repr

BookLike = Book | str | PathLike[str]
"""A book, or what it is called: a name, a variant, or a path."""
MAX_SETTINGS = 1_000
"""No book has more settings to change."""


def measure_variant(
    book: BookLike, players: str | Sequence[str] | None = None, *, memory: int = DEFAULT_MEMORY_BYTES
) -> dict[str, Any]:
    """Everything that is known about a variant: perfect play, who wins at each skill, and every metric.

    >>> import numberline as nl
    >>> found = nl.measure("flag-chase", players="slip:10")
    >>> found["winner"], round(found["first"], 2)
    (1, 0.93)
    """
    return measure(book_of(book), players, memory=parse_memory(memory)).data()


def map_variants(
    book: BookLike,
    *settings: str,
    measures: str = "metrics",
    out: str | PathLike[str] | None = None,
    workers: int | str | None = None,
    memory: int = DEFAULT_MEMORY_BYTES,
) -> dict[str, Any]:
    """Every variant over one or more settings, measured, as plain data; settings are written as `end=8..24`.

    `measures` is `solution` (perfect play), `metrics` (every metric at slip 25 %) or `all` (also every skill, and the
    fair range). With a folder to keep it in, a map that was broken off is gone on with.

    >>> import numberline as nl
    >>> found = nl.map("flag-chase", "end=4..6")
    >>> [(row["end"], row["winner"], round(row["first"], 2)) for row in found["rows"]]
    [('4', 1, 0.89), ('5', 1, 0.87), ('6', 1, 0.86)]
    """
    if not isinstance(measures, str) or measures not in MEASURES:
        raise MapError(f"measures={safe_repr(measures)}: expected one of {', '.join(MEASURES)}")
    if out is not None and not isinstance(out, str | PathLike):
        raise MapError(f"out={safe_repr(out)}: expected the name of a folder")
    if not settings:
        raise MapError("no setting was given to go through; expected one such as end=8..24")
    plan = SweepPlan(
        book_of(book),
        [parse_axis(text) for text in string_options("settings", settings, "end=8..24")],
        measures,
        parse_memory(memory),
    )
    return sweep_to_dict(run_sweep(plan, out=Path(out) if out else None, workers=_workers(workers)))


def find_variants(
    book: BookLike,
    goals: Sequence[str] = (),
    *,
    change: Sequence[str] = (),
    most_changes: int = DEFAULT_MAX_CHANGES,
    top: int = 10,
    workers: int | str | None = None,
    memory: int = DEFAULT_MEMORY_BYTES,
) -> dict[str, Any]:
    """The variants that meet the goals, the fairest first; goals are written as `length=10..20` or `first=45%..55%`.

    `change` names the settings to change (`end`, or with its values `end=10..40`); unless it does, all that are usual.

    >>> import numberline as nl
    >>> found = nl.find("number-reach", change=["target=40..44"], top=1)
    >>> found["hits"][0]["variant"], found["hits"][0]["fair_range"]
    ('number-reach(target=43)', 7)
    """
    game = book_of(book)
    wanted = with_default_goals([parse_goal(goal) for goal in string_options("goals", goals, "length=10..20")])
    many = int_option("most_changes", most_changes, maximum=MAX_SETTINGS)
    asked = Search(
        game, search_axes(game, string_options("change", change, "end=10..40")), wanted, many, parse_memory(memory)
    )
    file = str(book) if isinstance(book, PathLike) else ""
    return result_to_dict(asked, search(asked, top=int_option("top", top), workers=_workers(workers)), file)


def _workers(workers: int | str | None) -> int | str | None:
    return None if workers is None else parse_workers(workers)
