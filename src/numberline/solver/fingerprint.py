"""Fingerprints: equal for two variants that are the same game, whatever their moves and places are called.

Two variants are the same game where their positions can be paired, the starts with the starts, so that in each pair the
same player is to move or has won, and the moves lead from pair to pair. So every position gets a colour, made from who
moves, who has won, what can be forced there, and the colours of the positions that follow. Where play can't go round,
those that follow are coloured first. Elsewhere all are coloured again and again, until that tells no more apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from numberline.solver.batch import SolvedBatch
from numberline.solver.index import Table
from numberline.solver.retrograde import solve_table
from numberline.solver.solution import Solution

IntArray = NDArray[Any]
Colours = NDArray[np.uint64]

_GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_STEPS = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))


def fingerprint(solution: Solution) -> str:
    """The fingerprint of a solved book.

    >>> import numberline as nl
    >>> one, other = nl.book("number-reach(start=6, target=10)"), nl.book("number-reach(start=8, target=12)")
    >>> fingerprint(nl.solve(one)) == fingerprint(nl.solve(other))
    True
    >>> fingerprint(nl.solve(one)) == fingerprint(nl.solve(nl.book("number-reach(start=8, target=14)")))
    False
    """
    return str(fingerprints(SolvedBatch.from_solution(solution))[0])


def fingerprints(solved: SolvedBatch) -> NDArray[np.str_]:
    """The fingerprint of each variant, 32 hexadecimal digits; worked out from the positions that can be reached."""
    table, rows = solved.table, np.flatnonzero(solved.reachable)
    index = np.full(table.size + 1, len(rows), np.int32)  # the last entry is where NONE leads to
    index[rows] = np.arange(len(rows), dtype=np.int32)
    places = _ColouredGraph(
        owner=solved.owner[rows],
        starts=index[solved.starts],
        after=np.stack([index[column[rows]] for column in table.after]),
        colour=np.append(_first_colours(solved)[rows], np.uint64(0)),
    )
    turns = _max_turns(table)[rows]
    for level in _levels(turns):
        _colour(places, level)
    _refine_cyclic(places, np.flatnonzero(turns < 0), len(solved.books))
    return np.array([f"{one:016x}{other:016x}" for one, other in _digests(places).tolist()])


class _ColouredGraph(NamedTuple):
    """The positions that can be reached."""

    owner: IntArray
    """For each position, which variant it belongs to."""
    starts: IntArray
    """For each variant, for each player who may begin: where it starts."""
    after: IntArray
    """For each move, for each position: the one after it; where it is not legal, one past the last."""
    colour: Colours
    """For each position, and one more, which is no colour."""


def _first_colours(solved: SolvedBatch) -> Colours:
    """Colours by what can be said of a position alone."""
    table = solved.table
    facts = [table.mover, table.winner, *solved.entries]
    if table.players > 2:  # who is out has lost, whoever wins
        facts.append(table.position_index.columns().out)
    colour = np.zeros(table.size, np.uint64)
    for fact in facts:
        colour = _mix(colour * _GOLDEN_GAMMA + np.asarray(fact).astype(np.int64).view(np.uint64))
    return colour


def _max_turns(table: Table) -> IntArray:
    """In how many turns a game from each position is over at the latest; -1 where it may never be.

    It is worked out as a game in which player 2 makes all moves, and player 1 wins with every ending.
    """
    nobody = table._replace(players=2, mover=np.full(table.size, 2, np.int8), winner=(table.winner > 0).astype(np.int8))
    return -np.asarray(solve_table(nobody)[0]) - 1


def _levels(turns: IntArray) -> Iterator[IntArray]:
    """The positions of which every game ends, those after which it ends soonest first, one level at a time."""
    order = np.argsort(turns, kind="stable")
    first = np.searchsorted(turns[order], np.arange(turns.max(initial=-1) + 2))
    for begin, end in pairwise(first.tolist()):
        yield order[begin:end]


def _colour(places: _ColouredGraph, some: IntArray, rounds: int = 1) -> None:
    """Gives some positions new colours, from their own and those of the positions that follow."""
    after = places.after[:, some]
    for _ in range(rounds):
        followed = np.zeros(len(some), np.uint64)
        for column in after:
            followed += places.colour[column]
        places.colour[some] = _mix(places.colour[some] * _GOLDEN_GAMMA + followed)


def _refine_cyclic(places: _ColouredGraph, some: IntArray, variants: int) -> None:
    """Colours positions from which play can go round: each variant until it has no more colours than half as often."""
    classes, rounds = _classes(places, some, variants), 1
    while len(some):
        _colour(places, some, rounds)
        rounds, before, classes = 2 * rounds, classes, _classes(places, some, variants)
        some = some[(classes > before)[places.owner[some]]]


def _mix(colour: Colours) -> Colours:
    """Other colours, as different for near ones as for far ones (the finish of SplitMix64); none stays none."""
    for shift, factor in _MIX_STEPS:
        colour = (colour ^ (colour >> np.uint64(shift))) * factor
    return colour ^ (colour >> np.uint64(31))


def _classes(places: _ColouredGraph, some: IntArray, variants: int) -> IntArray:
    """How many colours these positions of each variant have."""
    owner = places.owner[some]
    colour = _mix(places.colour[some] + owner.astype(np.uint64) * _GOLDEN_GAMMA)  # no two variants share one
    order = np.argsort(colour)
    owner, colour = owner[order], colour[order]
    new = np.ones(len(some), bool)
    new[1:] = colour[1:] != colour[:-1]
    return np.bincount(owner[new], minlength=variants)


def _digests(places: _ColouredGraph) -> Colours:
    """For each variant two numbers: from the colours of its starts, and from those of all its positions."""
    starts = np.zeros(len(places.starts), np.uint64)
    for column in places.starts.T:
        starts = _mix(starts * _GOLDEN_GAMMA + places.colour[column])
    every = np.zeros(len(places.starts), np.uint64)
    np.add.at(every, places.owner, _mix(places.colour[:-1]))
    return np.stack([starts, _mix(every)], axis=1)
