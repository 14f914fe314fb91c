"""The secret of a game: one rule that tells every position in which the player to move is lost.

A rule is kept only if the solution says the same of every position that can be reached.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from numberline.analysis.facts import WHOLE, all_positions, remembered
from numberline.analysis.laws import SHORT, Bans, Law, Nowhere, Numbers, Race, Sides
from numberline.analysis.race import all_turns_alone
from numberline.rules.position import Position
from numberline.solver.solution import Solution

NEARLY = 0.9
"""A race that is right in this share of the positions is still worth saying, with the exceptions counted."""


class _Facts(NamedTuple):
    """What a rule has to account for."""

    solution: Solution
    live: tuple[Position, ...]
    lost: frozenset[Position]
    all_else_wins: bool


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
    by_value: dict[str, list[Position]] = {"win": [], "loss": [], "endless": []}
    for position in live:
        by_value[solution.value(position)].append(position)
    facts = _Facts(solution, live, frozenset(by_value["loss"]), not by_value["endless"])
    if not facts.lost:
        at_once = all(solution.distance(position) == 1 for position in by_value["win"])
        return Nowhere(len(live), all_else_wins=facts.all_else_wins, only_at_once=at_once)
    for make in (_bans, _race, _numbers, _sides, _sides_and_bans):
        law = make(facts)
        if law and not _exceptions(law, facts):
            return law
    return _nearly(facts)


def _exceptions(law: Law, facts: _Facts) -> int:
    return sum(law.lost(position) != (position in facts.lost) for position in facts.live)


def _nearly(facts: _Facts) -> Law | None:
    """The race with its exceptions, where they are few."""
    race = _race(facts)
    if race is None:
        return None
    wrong = _exceptions(race, facts)
    return replace(race, exceptions=wrong, all_else_wins=False) if wrong <= (1 - NEARLY) * len(facts.live) else None


def _bans(facts: _Facts) -> Law | None:
    if facts.solution.book.rules.repeat == "free":
        return None
    strides = {position.last for position in facts.lost} - {0}
    return Bans(len(facts.live), all_else_wins=facts.all_else_wins, strides=tuple(sorted(strides)))


def _race(facts: _Facts) -> Law | None:
    book = facts.solution.book
    if book.rules.shared:
        return None
    return Race(
        len(facts.live),
        all_else_wins=facts.all_else_wins,
        needs=tuple(all_turns_alone(book, facts.live, player) for player in (1, 2)),
        forgets_bans=book.rules.repeat == "banned",
    )


def _numbers(facts: _Facts) -> Law | None:
    rules = facts.solution.book.rules
    if not rules.shared:
        return None
    numbers = tuple(sorted({position.tokens[0] for position in facts.lost}))
    nearest = numbers[-SHORT:] if rules.goals[0][-1] > rules.starts[0] else numbers[:SHORT]
    return Numbers(len(facts.live), all_else_wins=facts.all_else_wins, numbers=numbers, nearest=nearest)


def _sides(facts: _Facts, *, by_ban: bool = False) -> Law | None:
    if not facts.solution.book.rules.shared:
        return None
    places: dict[tuple[int, int], set[int]] = {}
    for position in facts.lost:
        places.setdefault((position.turn, position.last if by_ban else 0), set()).add(position.tokens[0])
    numbers = {key: tuple(sorted(found)) for key, found in sorted(places.items())}
    return Sides(len(facts.live), all_else_wins=facts.all_else_wins, numbers=numbers, by_ban=by_ban)


def _sides_and_bans(facts: _Facts) -> Law | None:
    return _sides(facts, by_ban=True)
