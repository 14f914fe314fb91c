"""Exact means exact: ints and columns, walked and filled tables, one answer and arrays of them say the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import numberline as nl
from game.test_elementwise import assert_columns_agree
from numberline.solver.batch import BatchIndex, solve_batch
from numberline.solver.dense import search, sweep
from numberline.solver.index import NO_SUCCESSOR, MixedRadixIndex, Table, build_full_table, build_reachable_table
from numberline.solver.retrograde import solve_table
from numberline.solver.solution import Solution
from support.mixtures import book_of, mixtures

POSITIONS = 300
"""Variants with more positions than this are not drawn."""
LARGEST = 300_000
"""Numberings with more numbers than this are not filled."""

drawn = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])


DOWN = """
title = "Three on a line"
[rules]
line = [1, 9]
start = [6, 3, 5]
goal = [5, 1, 9]
players = 3
moves = "operations"
operations = "-1 +2 +3"
overshoot = "counts"
repeat = "banned"
meeting = "stops"
"""


def test_stopped_token_never_goes_back() -> None:
    book = book_of(DOWN)
    box = MixedRadixIndex(book)
    assert all(column.max() < box.size for column in build_full_table(book, box).after)
    assert book.after(nl.Position(3, (8, 9, 9)), "-1").tokens == (8, 9, 9)


@settings(drawn, max_examples=300)
@given(mixtures(POSITIONS))
def test_every_way_to_the_answer_gives_the_same_answer(text: str) -> None:
    assert_exact(text)


@pytest.mark.soak
@settings(drawn, max_examples=3_000)
@given(mixtures(POSITIONS))
def test_all_solvers_agree_on_many_variants(text: str) -> None:
    assert_exact(text)


def assert_exact(text: str) -> None:
    book = book_of(text)
    walked = build_reachable_table(book, limit=POSITIONS)
    assert walked
    positions = [walked.position_index.position(number) for number in range(walked.size)]
    assert_columns_agree(book, positions)
    by_walking = solution_by(book, walked)
    box = MixedRadixIndex(book)
    if box.size > LARGEST:
        assert_arrays_agree(by_walking)
        return
    filled = build_full_table(book, box)
    assert all(column.min() >= NO_SUCCESSOR and column.max() < box.size for column in filled.after)
    by_filling = solution_by(book, filled)
    assert_dense_agrees(book, by_filling)
    for position in positions:
        assert followers(walked, position) == followers(filled, position), position
        assert by_walking.worth(position) == by_filling.worth(position), position
    assert by_walking.live == by_filling.live
    assert by_walking.counts() == by_filling.counts()
    assert_arrays_agree(by_walking)
    assert_arrays_agree(by_filling)


def assert_dense_agrees(book: nl.Book, by_filling: Solution) -> None:
    """Check that a sweep, a search and a batch give the same entries at all indices, reachable or not."""
    box = MixedRadixIndex(book)
    for columns in (sweep(book), search(book, box)):
        if columns:
            for column, expected in zip(columns, by_filling.entries, strict=True):
                assert column.dtype == expected.dtype
                assert np.array_equal(column, expected)
            dense = Solution(book, box, columns)
            assert all(dense.best(position) == by_filling.best(position) for position in by_filling.live)
    batch, index = solve_batch([book, book]), BatchIndex([book, book])
    rows = np.flatnonzero(batch.owner == 1)
    assert all(rows[box.number(position)] == index.number(position, 1) for position in by_filling.live)
    for column, expected in zip(batch.entries, by_filling.entries, strict=True):
        assert np.array_equal(column[rows], expected)


def solution_by(book: nl.Book, table: Table) -> Solution:
    return Solution(book, table.position_index, solve_table(table), table)


def followers(table: Table, position: nl.Position) -> tuple[int, int, dict[str, nl.Position]]:
    """Return the player to move, the winner and the successor of each legal move from the table."""
    number = table.position_index.number(position)
    rows = {move: int(column[number]) for move, column in zip(table.moves, table.after, strict=True)}
    after: dict[str, nl.Position] = {
        move: table.position_index.position(row) for move, row in rows.items() if row != NO_SUCCESSOR
    }
    return int(table.mover[number]), int(table.winner[number]), after


def assert_arrays_agree(solution: Solution) -> None:
    """The arrays of a solution say of each position what is said when it is asked for by itself."""
    columns, book = solution.arrays, solution.book
    points = {player: columns.points(player) for player in book.players}
    assert {columns.position(int(row)) for row in columns.live.nonzero()[0]} == set(solution.live)
    for position in solution.live:
        row = columns.number(position)
        worth = solution.worth(position)
        assert (int(columns.leader[row]), int(columns.plies[row])) == (
            worth.winner,
            -1 if worth.plies is None else worth.plies,
        )
        assert [int(points[player][row]) for player in book.players] == [
            solution.worth(position, player).points for player in book.players
        ]
        for judged in solution.evaluate_moves(position):
            move = columns.moves.index(judged.move)
            found = bool(columns.best[row, move]), int(columns.regret[row, move]), int(columns.delay[row, move])
            assert found == (judged.best, judged.regret, judged.delay), (position, judged)
