"""Variants to test with: a list chosen by hand, and a Hypothesis strategy that draws any."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

import numberline as nl
from numberline.game.settings import RULE_TYPES
from numberline.solver.index import max_positions

RULE_BOOKS = ("reach-the-edge", "number-reach", "number-line-sprint", "flag-chase", "line-runner")
"""The books whose figures and sentences tests know by heart; other built-in books only have to keep the laws."""

SMALL = 10_000
"""Variants with more positions than this are not drawn."""

CHOSEN = (
    "reach-the-edge(end=9, start=3)",
    "reach-the-edge(steps=1,3)",
    "reach-the-edge(steps=2)",
    "reach-the-edge(steps=2, stuck=loses)",
    "reach-the-edge(repeat=free, overshoot=counts)",
    "reach-the-edge(overshoot=loses)",
    "reach-the-edge(reverse=true, skip=true)",
    "number-reach(target=13)",
    'number-reach(operations="+1 -1 *2 /2")',
    'number-reach(operations="+2 *3", overshoot=refused, stuck=loses)',
    'number-reach(operations="+2 *2", overshoot=refused, players=3, stuck=loses)',
    "number-reach(players=3)",
    "number-reach(players=4, repeat=banned, target=12)",
    "number-reach(overshoot=counts, skip=true)",
    "number-line-sprint(end=7)",
    "number-line-sprint(stuck=passes, steps=2)",
    "number-line-sprint(steps=1,3, repeat=banned)",
    "number-line-sprint(meeting=stops, overshoot=counts)",
    "number-line-sprint(players=3, end=7)",
    "number-line-sprint(tokens=2, end=5)",
    "flag-chase(end=13, flag=4)",
    "flag-chase(reverse=true)",
    "flag-chase(skip=true, repeat=banned)",
    "flag-chase(reverse=true, skip=true, overshoot=loses)",
    "flag-chase(tokens=2, meeting=blocks, end=6)",
    "flag-chase(steps=2,3, stuck=loses)",
    "line-runner(end=9, steps=1-4)",
    "line-runner(steps=1, end=6)",
    "line-runner(tokens=2, end=5)",
    "line-runner(tokens=2, end=4, finish=one, repeat=banned)",
    "line-runner(meeting=blocks)",
    "line-runner(repeat=banned)",
    "line-runner(reverse=true, end=8)",
    "line-runner(reverse=true, meeting=blocks, skip=true, end=6)",
    "line-runner(players=3, end=6)",
    "line-runner(players=3, end=5, overshoot=loses, stuck=loses, meeting=blocks)",
    "line-runner(overshoot=refused, steps=2,3, end=10)",
)
"""Every setting of every book, and mixtures of them, on boards small enough to walk whole."""

EVERY = (*nl.NAMES, *CHOSEN)

_STEPS = ("1", "2", "1-2", "1-3", "2,3", "1,3", "1-4")
_RULES: dict[str, tuple[str, ...]] = {
    **{rule: kind.samples for rule, kind in RULE_TYPES.items() if kind.samples},
    "tokens": ("1", "2"),
    "players": ("2", "3"),
}
_OPERATIONS = ('"+1 *2"', '"+1 *2 -1"', '"+2 *3 /2"', '"+1"', '"*2 +3 -2 /3"')


@st.composite
def settings(draw: st.DrawFn, name: str) -> str:
    """The text of some variant of a book; it may be one that makes no sense."""
    book = nl.book(name)
    chosen: dict[str, Any] = {}
    for word in ("end", "target"):
        if word in book.main_settings:
            chosen[word] = draw(st.integers(2, 9))
    if draw(st.booleans()):
        strides = "operations" if book.rules.moves == "operations" else "steps"
        chosen[strides] = draw(st.sampled_from(_OPERATIONS if strides == "operations" else _STEPS))
    for rule in draw(st.sets(st.sampled_from(sorted(_RULES)), max_size=4)):
        chosen[rule] = draw(st.sampled_from(_RULES[rule]))
    return f"{name}({', '.join(f'{key}={value}' for key, value in chosen.items())})"


@st.composite
def books(draw: st.DrawFn) -> nl.Book:
    """Some variant of some book, small enough to walk whole."""
    text = draw(st.sampled_from(nl.NAMES).flatmap(settings).filter(is_small))
    return nl.book(text)


@cache
def makes_sense(text: str) -> bool:
    """Whether the project accepts the variant."""
    try:
        nl.book(text)
    except nl.BookError:
        return False
    return True


@cache
def is_small(text: str) -> bool:
    """Whether the variant is one, and can be walked whole in no time."""
    return makes_sense(text) and max_positions(nl.book(text)) <= SMALL


def reachable(book: nl.Book, most: int = 100_000) -> list[nl.Position]:
    """Return all reachable positions, for each first player, including finished games."""
    seen = {book.start(first) for first in range(1, book.rules.players + 1)}
    todo = list(seen)
    while todo and len(seen) < most:
        position = todo.pop()
        for move in book.moves(position):
            after = book.after(position, move)
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return sorted(seen)
