"""Print the best variants of `numberline find all` as tables for docs/lab.md, or for the books named as arguments.

This takes a few minutes. Copy the output to the page when the ranking, a default goal or a rule changes.
"""

from __future__ import annotations

import sys

import numberline as nl
from numberline.lab.grid import search_axes
from numberline.lab.metrics import Measurements, format_figure
from numberline.lab.search import DEFAULT_MAX_CHANGES, Search, parse_goals, run_search
from numberline.lab.summary import describe_fair_skills

FIGURES = ("gap", "choice", "decisions", "length")
TITLES = ("variant", "fair among", *FIGURES, "similar")


def table_row(measured: Measurements, similar: str) -> str:
    figures = (format_figure(name, getattr(measured, name)) for name in FIGURES)
    fair = describe_fair_skills(measured).removeprefix("fair among ")
    return f"| {' | '.join([f'`{measured.variant}`', fair, *figures, similar])} |\n"


def book_table(book: nl.Book) -> str:
    search = Search(book, search_axes(book), parse_goals([]), DEFAULT_MAX_CHANGES)
    hits = run_search(search).hits
    if not hits:
        return f"**{book.title}**: no variant meets the default goals.\n"
    rows = "".join(table_row(hit.measured, str(len(hit.similar))) for hit in hits)
    return f"**{book.title}**\n\n| {' | '.join(TITLES)} |\n|{' --- |' * len(TITLES)}\n{rows}"


if __name__ == "__main__":
    for number, name in enumerate(sys.argv[1:] or nl.NAMES):
        sys.stdout.write("\n" * (number > 0) + book_table(nl.book(name)))
        sys.stdout.flush()
