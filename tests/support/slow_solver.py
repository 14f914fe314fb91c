"""A second solver, slow and obviously right: one ply at a time it looks at every position again."""

from __future__ import annotations

import numberline as nl
from support.variants import reachable

Answer = tuple[int, int]
"""Who can force a win, and in how many plies."""


def slowly_solved(book: nl.Book) -> dict[nl.Position, Answer | None]:
    """Return for each reachable position who can force a win and in how many plies; None if no player can."""
    positions = reachable(book)
    followers = {position: [book.after(position, move) for move in book.moves(position)] for position in positions}
    known: dict[nl.Position, Answer] = {}
    for position in positions:
        outcome = book.outcome(position)
        if outcome:
            known[position] = (outcome.winner, 0)
    plies = 0
    while True:
        plies += 1
        found = {}
        for position in positions:
            if position not in known:
                winners = [known[after][0] if after in known else 0 for after in followers[position]]
                if position.turn in winners:
                    found[position] = (position.turn, plies)
                elif winners[0] and len(set(winners)) == 1:
                    found[position] = (winners[0], plies)
        if not found:
            return {position: known.get(position) for position in positions}
        known.update(found)
