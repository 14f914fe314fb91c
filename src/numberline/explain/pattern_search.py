"""The secret of a game: one rule that tells every position in which the player to move is lost.

A rule is kept only if the solution says the same of every position that can be reached.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from numberline.explain.losing_patterns import (
    MAX_LISTED_NUMBERS,
    BannedSteps,
    LosingNumbers,
    LosingNumbersBySide,
    LosingPattern,
    NoLosingPositions,
    RaceCount,
)
from numberline.explain.queries import MAX_ANALYSED_POSITIONS, all_positions, cached_per_solution
from numberline.explain.race import turns_to_goal_by_position
from numberline.game.book import Book
from numberline.game.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import ENDLESS, LOSS, WIN

MIN_RACE_ACCURACY = 0.9
"""A race that is right in this share of the positions is still worth saying, with the exceptions counted."""


@cached_per_solution
def find_losing_pattern(solution: Solution) -> LosingPattern | None:
    """The rule that tells the lost positions of a two-player book; None where none was found that is right.

    >>> import numberline as nl
    >>> from numberline.explain.phrases import Phrases
    >>> book = nl.book("reach-the-edge")
    >>> law = find_losing_pattern(nl.solve(book))
    >>> law.full_text(Phrases(book)) if law else None
    'If it is your turn and you may not move by 3, you are lost; everywhere else whoever is to move wins.'
    """
    live = all_positions(solution, MAX_ANALYSED_POSITIONS)
    if not live or solution.book.rules.players > 2:
        return None
    values = {position: solution.value(position) for position in live}
    lost = {position for position, value in values.items() if value == LOSS}
    scope: dict[str, Any] = {"speaks_of": len(live), "all_else_wins": ENDLESS not in values.values()}
    if not lost:
        won = (position for position, value in values.items() if value == WIN)
        return NoLosingPositions(**scope, only_immediate_wins=all(solution.distance(position) == 1 for position in won))
    nearly = None
    for law in _laws(solution.book, live, lost):
        exceptions = sum(law.is_lost(position) != (position in lost) for position in live)
        if not exceptions:
            return replace(law, **scope)
        if isinstance(law, RaceCount) and exceptions <= (1 - MIN_RACE_ACCURACY) * len(live):
            nearly = replace(law, speaks_of=len(live), exceptions=exceptions)
    return nearly


def _laws(book: Book, live: Sequence[Position], lost: Collection[Position]) -> Iterator[LosingPattern]:
    """The rules that may tell these lost positions, the plainest first."""
    rules = book.rules
    if rules.repeat == "banned":
        yield BannedSteps(strides=tuple(sorted({position.last for position in lost} - {0})))
    if not rules.shared:
        needs = tuple(turns_to_goal_by_position(book, live, player) for player in (1, 2))
        yield RaceCount(turns_needed=needs, ignores_bans=rules.repeat == "banned")
        return
    numbers = tuple(sorted({position.tokens[0] for position in lost}))
    nearest = numbers[-MAX_LISTED_NUMBERS:] if rules.goals[0][-1] > rules.starts[0] else numbers[:MAX_LISTED_NUMBERS]
    yield LosingNumbers(numbers=numbers, nearest=nearest)
    for by_ban in (False, True):
        places: dict[tuple[int, int], set[int]] = {}
        for position in lost:
            places.setdefault((position.turn, position.last if by_ban else 0), set()).add(position.tokens[0])
        yield LosingNumbersBySide(
            numbers={key: tuple(sorted(found)) for key, found in sorted(places.items())}, by_ban=by_ban
        )
