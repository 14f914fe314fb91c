"""Print the metrics table of the five books for docs/lab.md; copy it to the page when a figure changes."""

from __future__ import annotations

import sys

import numberline as nl
from numberline.lab.measure import measure
from numberline.lab.metrics import METRICS, format_metric


def markdown_table() -> str:
    books = [nl.book(name) for name in nl.NAMES]
    measures = [measure(book) for book in books]
    rows = [["metric", *(book.title for book in books)], ["---"] * (len(books) + 1)]
    rows.append(["perfect play", *(f"player {each.winner} in {each.plies}" for each in measures)])
    rows += [[metric.title, *(format_metric(name, each) for each in measures)] for name, metric in METRICS.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    sys.stdout.write(markdown_table())
