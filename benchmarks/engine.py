"""Speed of the engine: `book.after` on single positions, `book.successors_batch` on arrays of positions.

For single positions, a plain loop plays every legal move of every reachable position of a book. For arrays, blocks that
fit in the CPU cache go through the engine as when a table is built: winner, legal moves and successors. A row is the
successor of one position by one move.
"""

from __future__ import annotations

import time

import numpy as np
from rich.table import Table

import numberline as nl
from tables import show

SECONDS = 1.0
ROWS = 32_768


def pairs(book: nl.Book) -> list[tuple[nl.Position, str]]:
    """Return all pairs of a reachable position and a legal move."""
    seen = {book.start()}
    todo = list(seen)
    found: list[tuple[nl.Position, str]] = []
    while todo:
        position = todo.pop()
        for move in book.moves(position):
            found.append((position, move))
            after = book.after(position, move)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return found


def on_ints(book: nl.Book) -> float:
    """Return the number of `book.after` calls per second."""
    work = pairs(book)
    after = book.after
    calls, began = 0, time.perf_counter()
    while (taken := time.perf_counter() - began) < SECONDS:
        for position, move in work:
            after(position, move)
        calls += len(work)
    return calls / taken


def on_arrays(book: nl.Book) -> float:
    """Return the number of rows per second that `book.successors_batch` computes."""
    live = [position for position, _ in pairs(book) if position.turn == 1]
    picked = np.random.default_rng(1).integers(len(live), size=ROWS)
    tokens = tuple(np.array([live[n].tokens[k] for n in picked], np.int32) for k in range(len(live[0].tokens)))
    blocks = [nl.Position(1, tokens, last, 0) for last in {position.last for position in live}]
    rows, began = 0, time.perf_counter()
    while (taken := time.perf_counter() - began) < SECONDS:
        for block in blocks:
            _, moves = book.successors_batch(block)
            rows += ROWS * sum(1 for _ in moves)
    return rows / taken


def main() -> None:
    table = Table("book", "single positions, moves per second", "arrays, rows per second", title="Engine")
    for name in nl.NAMES:
        book = nl.book(name)
        table.add_row(name, f"{on_ints(book):,.0f}", f"{on_arrays(book):,.0f}")
    show(table)


if __name__ == "__main__":
    main()
