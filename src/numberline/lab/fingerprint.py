"""Fingerprints of games: equal for variants that differ only in the names of their moves and places.

Two variants are the same game if a bisimulation relates their starting positions: related positions have the same
player to move or the same winner, and their moves lead to related positions. Fingerprints are computed by colour
refinement. A colour is a hash of the player to move, the winner, the forced result and the successors' colours.
Positions from which the game always ends are coloured once, after their successors; all others are recoloured until the
number of colours stops growing.
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

GOLDEN_GAMMA = np.uint64(0x9E3779B97F4A7C15)
_MIX_STEPS = ((30, np.uint64(0xBF58476D1CE4E5B9)), (27, np.uint64(0x94D049BB133111EB)))


def fingerprint(solution: Solution) -> str:
    """Return the fingerprint of a solved book.

    >>> import numberline as nl
    >>> one, other = nl.book("number-reach(start=6, target=10)"), nl.book("number-reach(start=8, target=12)")
    >>> fingerprint(nl.solve(one)) == fingerprint(nl.solve(other))
    True
    >>> fingerprint(nl.solve(one)) == fingerprint(nl.solve(nl.book("number-reach(start=8, target=14)")))
    False
    """
    return str(fingerprints(SolvedBatch.from_solution(solution))[0])


def fingerprints(solved: SolvedBatch) -> NDArray[np.str_]:
    """Return a fingerprint of 32 hexadecimal digits for each variant, computed from its reachable positions."""
    table, rows = solved.table, np.flatnonzero(solved.reachable)
    index = np.full(table.size + 1, len(rows), np.int32)  # NO_SUCCESSOR is -1, which selects the last entry
    index[rows] = np.arange(len(rows), dtype=np.int32)
    graph = _ColouredGraph(
        owner=solved.owner[rows],
        starts=index[solved.starts],
        after=np.stack([index[column[rows]] for column in table.after]),
        colour=np.append(_first_colours(solved)[rows], np.uint64(0)),
    )
    turns = _max_turns(table)[rows]
    for level in _levels(turns):
        _recolour(graph, level)
    _refine_cyclic(graph, np.flatnonzero(turns < 0), len(solved.books))
    return np.array([f"{starts:016x}{every:016x}" for starts, every in _digests(graph).tolist()])


class _ColouredGraph(NamedTuple):
    """Graph of the reachable positions and their colours."""

    owner: IntArray
    """Variant of each position."""
    starts: IntArray
    """Starting position, by variant and first player."""
    after: IntArray
    """Index of the successor, by move and position; the number of positions if the move is illegal."""
    colour: Colours
    """Colour of each position, followed by 0, the colour that illegal moves lead to."""


def _first_colours(solved: SolvedBatch) -> Colours:
    """Return the initial colours: hashes of the player to move, the winner, the forced result and eliminations."""
    table = solved.table
    facts = [table.mover, table.winner, *solved.entries]
    if table.players > 2:  # with more than two players, eliminations are results, too
        facts.append(table.position_index.columns().out)
    colour = np.zeros(table.size, np.uint64)
    for fact in facts:
        colour = mix_bits(colour * GOLDEN_GAMMA + np.asarray(fact).astype(np.int64).view(np.uint64))
    return colour


def _max_turns(table: Table) -> IntArray:
    """Return the maximum number of turns from each position to the end of the game; -1 if it may never end.

    The numbers come from solving an artificial game in which player 2 makes every move and player 1 wins whenever the
    game ends.
    """
    cooperative = table._replace(
        players=2, mover=np.full(table.size, 2, np.int8), winner=(table.winner > 0).astype(np.int8)
    )
    return -np.asarray(solve_table(cooperative)[0]) - 1


def _levels(turns: IntArray) -> Iterator[IntArray]:
    """Yield the positions from which the game always ends, grouped by the maximum number of remaining turns."""
    order = np.argsort(turns, kind="stable")
    first = np.searchsorted(turns[order], np.arange(turns.max(initial=-1) + 2))
    for begin, end in pairwise(first.tolist()):
        yield order[begin:end]


def _recolour(graph: _ColouredGraph, rows: IntArray, rounds: int = 1) -> None:
    """Replace the colour of each position in `rows` with a hash of it and the successors' colours, `rounds` times."""
    after = graph.after[:, rows]
    for _ in range(rounds):
        successors = np.zeros(len(rows), np.uint64)
        for column in after:
            successors += graph.colour[column]
        graph.colour[rows] = mix_bits(graph.colour[rows] * GOLDEN_GAMMA + successors)


def _refine_cyclic(graph: _ColouredGraph, rows: IntArray, variants: int) -> None:
    """Recolour the positions from which play may never end.

    Each pass has twice as many rounds as the one before. A variant is finished when a pass does not increase the number
    of its colours.
    """
    classes, rounds = _classes(graph, rows, variants), 1
    while len(rows):
        _recolour(graph, rows, rounds)
        rounds, before, classes = 2 * rounds, classes, _classes(graph, rows, variants)
        rows = rows[(classes > before)[graph.owner[rows]]]


def mix_bits(colour: Colours) -> Colours:
    """Apply the SplitMix64 finalizer, which maps 0 to 0."""
    for shift, factor in _MIX_STEPS:
        colour = (colour ^ (colour >> np.uint64(shift))) * factor
    return colour ^ (colour >> np.uint64(31))


def _classes(graph: _ColouredGraph, rows: IntArray, variants: int) -> IntArray:
    """Return the number of distinct colours among `rows` for each variant."""
    owner = graph.owner[rows]
    colour = mix_bits(graph.colour[rows] + owner.astype(np.uint64) * GOLDEN_GAMMA)  # no two variants share a colour
    order = np.argsort(colour)
    owner, colour = owner[order], colour[order]
    new = np.ones(len(rows), bool)
    new[1:] = colour[1:] != colour[:-1]
    return np.bincount(owner[new], minlength=variants)


def _digests(graph: _ColouredGraph) -> Colours:
    """Return two hashes per variant: one of its starting positions' colours, and one of all its positions' colours."""
    starts = np.zeros(len(graph.starts), np.uint64)
    for column in graph.starts.T:
        starts = mix_bits(starts * GOLDEN_GAMMA + graph.colour[column])
    every = np.zeros(len(graph.starts), np.uint64)
    np.add.at(every, graph.owner, mix_bits(graph.colour[:-1]))
    return np.stack([starts, mix_bits(every)], axis=1)
