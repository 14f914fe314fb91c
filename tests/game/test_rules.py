"""Every value of every rule: the tables are complete, and each value makes a difference."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

import numberline as nl
from numberline.game.legality import MEETING, OVERSHOOT
from numberline.game.move_text import MOVE_PATTERNS
from numberline.game.rules import Rules

VALUES = {
    name: get_args(hint)
    for name, hint in get_type_hints(Rules, include_extras=True).items()
    if get_origin(hint) is Literal
}
VARIANTS = ("flag-chase", "line-runner", "line-runner(tokens=2, end=8)", "reach-the-edge", "reach-the-edge(steps=2)")


@pytest.mark.parametrize(("rule", "table"), [("overshoot", OVERSHOOT), ("meeting", MEETING), ("moves", MOVE_PATTERNS)])
def test_table_of_a_rule_has_a_row_for_each_value(rule: str, table: dict[str, Any]) -> None:
    assert tuple(table) == VALUES[rule]


def behaviour(book: nl.Book, limit: int = 3_000) -> list[Any]:
    """Return the outcome and the successors of the positions reached first."""
    queue, seen = [*book.starts()], set()
    found: list[Any] = []
    while queue and len(found) < limit:
        position = queue.pop(0)
        if position not in seen:
            seen.add(position)
            outcome, successors = book.expand(position)
            found.append((position, outcome, successors))
            queue += [after for _, after in successors]
    return found


@pytest.mark.parametrize("rule", sorted(VALUES.keys() - {"moves"}))
def test_each_value_of_a_rule_plays_differently_from_the_others(rule: str) -> None:
    differing = set()
    for variant in VARIANTS:
        played = {}
        for value in VALUES[rule]:
            try:
                played[value] = behaviour(nl.book(variant).vary(f"{rule}={value}"))
            except nl.BookError:
                continue  # the rule makes no difference in this book
        differing |= {pair for pair in combinations(played, 2) if played[pair[0]] != played[pair[1]]}
    assert differing == set(combinations(VALUES[rule], 2))
