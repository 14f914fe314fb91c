"""Positions to practise on: where something can go wrong, from the plain ones to the deep ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from numberline.analysis.explanation import why_move
from numberline.analysis.facts import all_positions, keeping, moves_of
from numberline.analysis.words import Words
from numberline.rules.position import Position
from numberline.solver.solution import Solution
from numberline.solver.worth import LOSS, WIN, Judged

FOLLOWED = 100
"""So many plies of best play are looked at where there are too many positions."""


class Exercise(NamedTuple):
    """A position to find the right move in."""

    position: Position
    question: str
    right: tuple[str, ...]
    """Every move that is right."""
    answer: str
    """Why the first of them is."""


def to_practise(solution: Solution) -> list[Position]:
    """The positions that are not lost but can be thrown away, those with one right move first, then by depth.

    Of a book with too many positions, only those that best play leads to.
    """
    found = []
    for number, position in enumerate(all_positions(solution) or on_the_line(solution)):
        legal = solution.judged(position)
        kept = keeping(legal)
        if kept[0].value != LOSS and len(kept) < len(legal):
            found.append((len(kept) > 1, _depth(legal), number, position))
    return [position for *_, position in sorted(found)]


def on_the_line(solution: Solution) -> list[Position]:
    """The first positions of best play, whoever begins, in order."""
    met: dict[Position, None] = {}
    for first, start in enumerate(solution.book.starts(), 1):
        at = start
        while at not in met and len(met) < first * FOLLOWED and (legal := solution.judged(at)):
            met[at] = None
            at = next(judged.after for judged in legal if judged.best)
    return list(met)


def exercise(solution: Solution, position: Position, names: Sequence[str] = (), question: str = "") -> Exercise:
    """The exercise that a position makes; the question is what to play, unless another is given."""
    words = Words(solution.book, names, you=position.turn)
    legal = solution.judged(position)
    at_once = tuple(judged for judged in legal if judged.worth.ends and judged.value == WIN)
    right = at_once or keeping(legal)
    asked = question or ("Which move wins at once?" if at_once else "What do you play?")
    name = words.names[position.turn - 1]
    return Exercise(
        position,
        f"You are {name}, and it is your turn. {words.situation(position)} {asked}",
        moves_of(right),
        why_move(solution, position, right[0].move, names).text,
    )


def _depth(legal: Sequence[Judged]) -> int:
    """How far one has to look ahead: to the win, or to the latest of the losses to be avoided."""
    return keeping(legal)[0].plies or max(judged.plies or 0 for judged in legal)
