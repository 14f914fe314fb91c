"""What the lab finds, as plain data: dicts, lists, texts and numbers, ready for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from numberline.book.book import Book
from numberline.book.loader import book as book_of
from numberline.cluster import workers_of
from numberline.lab.axes import read_axis
from numberline.lab.finding import MOST_CHANGES, Search, result_data, search
from numberline.lab.goals import read_goal, with_usual
from numberline.lab.maps import make_map, report
from numberline.lab.measuring import measure
from numberline.lab.parts import MapError, Plan
from numberline.lab.proposals import proposals
from numberline.lab.shards import MEASURES
from numberline.rules.errors import said, text_options, whole_option
from numberline.solver.table import MEMORY, bytes_of

Named = Book | str | PathLike[str]
"""A book, or what it is called: a name, a variant, or a path."""
MOST_SETTINGS = 1_000
"""No book has more settings to change."""


def measure_variant(book: Named, players: str | Sequence[str] | None = None, *, memory: int = MEMORY) -> dict[str, Any]:
    """Everything that is known about a variant: perfect play, who wins at each skill, and every metric.

    >>> import numberline as nl
    >>> found = nl.measure("flag-chase", players="slip:10")
    >>> found["winner"], round(found["first"], 2)
    (1, 0.93)
    """
    return measure(book_of(book), players, memory=bytes_of(memory)).data()


def map_variants(
    book: Named,
    *settings: str,
    measures: str = "metrics",
    out: str | PathLike[str] | None = None,
    workers: int | str | None = None,
    memory: int = MEMORY,
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
        raise MapError(f"measures={said(measures)}: expected one of {', '.join(MEASURES)}")
    if out is not None and not isinstance(out, str | PathLike):
        raise MapError(f"out={said(out)}: expected the name of a folder")
    if not settings:
        raise MapError("no setting was given to go through; expected one such as end=8..24")
    plan = Plan(
        book_of(book),
        [read_axis(text) for text in text_options("settings", settings, "end=8..24")],
        measures,
        bytes_of(memory),
    )
    return report(make_map(plan, out=Path(out) if out else None, workers=_workers(workers)))


def find_variants(
    book: Named,
    goals: Sequence[str] = (),
    *,
    change: Sequence[str] = (),
    most_changes: int = MOST_CHANGES,
    top: int = 10,
    workers: int | str | None = None,
    memory: int = MEMORY,
) -> dict[str, Any]:
    """The variants that meet the goals, the fairest first; goals are written as `length=10..20` or `first=45%..55%`.

    `change` names the settings to change (`end`, or with its values `end=10..40`); unless it does, all that are usual.

    >>> import numberline as nl
    >>> found = nl.find("number-reach", change=["target=40..44"], top=1)
    >>> found["hits"][0]["variant"], found["hits"][0]["fair_range"]
    ('number-reach(target=43)', 7)
    """
    game = book_of(book)
    wanted = with_usual([read_goal(goal) for goal in text_options("goals", goals, "length=10..20")])
    many = whole_option("most_changes", most_changes, most=MOST_SETTINGS)
    asked = Search(game, proposals(game, text_options("change", change, "end=10..40")), wanted, many, bytes_of(memory))
    file = str(book) if isinstance(book, PathLike) else ""
    return result_data(asked, search(asked, top=whole_option("top", top), workers=_workers(workers)), file)


def _workers(workers: int | str | None) -> int | str | None:
    return None if workers is None else workers_of(workers)
