"""The secret of a game: one rule that tells every position in which the player to move is lost.

A rule is kept only if the solution says the same of every position that can be reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from numberline.analysis.facts import WHOLE, all_positions, remembered
from numberline.analysis.laws import SHORT, Bans, Law, Nowhere, Numbers, Race, Sides
from numberline.analysis.race import all_turns_alone
from numberline.book.book import Book
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN

NEARLY = 0.9
"""A race that is right in this share of the positions is still worth saying, with the exceptions counted."""


@remembered
def law_of(solution: Solution) -> Law | None:
    """The rule that tells the lost positions of a two-player book; None where none was found that is right.

    >>> import numberline as nl
    >>> from numberline.analysis.words import Words
    >>> book = nl.book("reach-the-edge")
    >>> law = law_of(nl.solve(book))
    >>> law.in_full(Words(book)) if law else None
    'If it is your turn and you may not move by 3, you are lost; everywhere else whoever is to move wins.'
    """
    live = all_positions(solution, WHOLE)
    if not live or solution.book.rules.players > 2:
        return None
    values = {position: solution.value(position) for position in live}
    lost = {position for position, value in values.items() if value == LOSS}
    scope: dict[str, Any] = {"speaks_of": len(live), "all_else_wins": ENDLESS not in values.values()}
    if not lost:
        won = (position for position, value in values.items() if value == WIN)
        return Nowhere(**scope, only_at_once=all(solution.distance(position) == 1 for position in won))
    nearly = None
    for law in _laws(solution.book, live, lost):
        exceptions = sum(law.lost(position) != (position in lost) for position in live)
        if not exceptions:
            return replace(law, **scope)
        if isinstance(law, Race) and exceptions <= (1 - NEARLY) * len(live):
            nearly = replace(law, speaks_of=len(live), exceptions=exceptions)
    return nearly


def _laws(book: Book, live: Sequence[Position], lost: Collection[Position]) -> Iterator[Law]:
    """The rules that may tell these lost positions, the plainest first."""
    rules = book.rules
    if rules.repeat == "banned":
        yield Bans(strides=tuple(sorted({position.last for position in lost} - {0})))
    if not rules.shared:
        needs = tuple(all_turns_alone(book, live, player) for player in (1, 2))
        yield Race(needs=needs, forgets_bans=rules.repeat == "banned")
        return
    numbers = tuple(sorted({position.tokens[0] for position in lost}))
    nearest = numbers[-SHORT:] if rules.goals[0][-1] > rules.starts[0] else numbers[:SHORT]
    yield Numbers(numbers=numbers, nearest=nearest)
    for by_ban in (False, True):
        places: dict[tuple[int, int], set[int]] = {}
        for position in lost:
            places.setdefault((position.turn, position.last if by_ban else 0), set()).add(position.tokens[0])
        yield Sides(numbers={key: tuple(sorted(found)) for key, found in sorted(places.items())}, by_ban=by_ban)
