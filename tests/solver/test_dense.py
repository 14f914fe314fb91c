"""Dense tables: a sweep and a search give the same results as retrograde analysis of the whole table."""

from __future__ import annotations

import numpy as np
import pytest

import numberline as nl
from numberline.solver import dense, jit
from numberline.solver.dense import search, solve_dense, sweep, travel_ranges
from numberline.solver.index import NO_SUCCESSOR, Column, MixedRadixIndex, build_full_table
from numberline.solver.retrograde import solve_table
from support.variants import EVERY

SWEPT = [
    "line-runner(end=70)",
    "flag-chase(end=60)",
    "flag-chase(end=20, steps=2-3)",
    "number-reach(target=90)",
    "line-runner(end=9, players=3)",
    "line-runner(end=8, tokens=2)",
    "line-runner(end=30, skip=true)",
]
SEARCHED = [
    "number-line-sprint(end=31)",
    "number-line-sprint(end=60, steps=1-9)",
    "reach-the-edge(end=70)",
    "flag-chase(end=40, reverse=true)",
    "line-runner(end=12, players=3, reverse=true)",
]


def assert_same(columns: list[Column], book: nl.Book) -> None:
    expected = solve_table(build_full_table(book, MixedRadixIndex(book)))
    assert [column.dtype for column in columns] == [column.dtype for column in expected]
    assert all(np.array_equal(*pair) for pair in zip(columns, expected, strict=True))


@pytest.fixture(params=["interpreted", "compiled"])
def kernels(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the test with interpreted and with compiled kernels."""
    if request.param == "compiled":
        pytest.importorskip("numba")
    monkeypatch.setattr(dense, "load_kernel", lambda kernel, work: jit.load_kernel(kernel, work=work))
    monkeypatch.setattr(jit, "use_jit", lambda _: request.param == "compiled")


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("variant", SWEPT)
def test_sweep_gives_the_results_of_retrograde_analysis(variant: str) -> None:
    book = nl.book(variant)
    columns = sweep(book)
    assert columns
    assert_same(columns, book)


@pytest.mark.usefixtures("kernels")
@pytest.mark.parametrize("variant", SEARCHED)
def test_search_gives_the_results_of_retrograde_analysis(variant: str) -> None:
    book = nl.book(variant)
    assert sweep(book) is None
    columns = search(book, MixedRadixIndex(book))
    assert columns
    assert_same(columns, book)


@pytest.mark.parametrize("variant", EVERY)
def test_every_dense_result_is_that_of_retrograde_analysis(variant: str) -> None:
    book = nl.book(variant)
    for columns in (sweep(book), search(book, MixedRadixIndex(book)), solve_dense(book, MixedRadixIndex(book))):
        if columns:
            assert_same(columns, book)


@pytest.mark.parametrize("variant", ["line-runner(end=60)", "flag-chase(end=60)", "number-line-sprint(end=15)"])
def test_small_blocks_give_the_same_results(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dense, "BLOCK_CELLS", 100)
    book = nl.book(variant)
    columns = solve_dense(book, MixedRadixIndex(book))
    assert columns
    assert_same(columns, book)


def test_distances_beyond_16_bits_are_stored_with_32() -> None:
    book = nl.book("reach-the-edge(end=20000)")
    columns = search(book, MixedRadixIndex(book))
    assert columns
    assert columns[0].max() > 1 << 15
    assert_same(columns, book)


def test_travel_ranges_count_towards_the_goal() -> None:
    assert travel_ranges(nl.book("flag-chase")) == (range(6), range(10, 4, -1))
    assert travel_ranges(nl.book("flag-chase(reverse=true)")) is None
    assert travel_ranges(nl.book("reach-the-edge")) is None


def test_sweep_stops_if_a_move_leads_back(monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("flag-chase(end=20)")
    monkeypatch.setattr(dense, "travel_ranges", lambda book: book.token_ranges)  # player 2 moves against this order
    assert sweep(book) is None


def test_player_who_is_out_has_no_moves_in_a_table() -> None:
    book = nl.book("line-runner(end=6, players=3, overshoot=loses)")
    table = build_full_table(book, MixedRadixIndex(book))
    out = table.position_index.number(nl.Position(1, (0, 2, 3), 0, 1))
    assert [int(column[out]) for column in table.after] == [NO_SUCCESSOR] * len(table.after)
    columns = sweep(book)
    assert columns
    assert_same(columns, book)


def test_too_many_differences_rule_out_a_search() -> None:
    book = nl.book('number-reach(target=200, operations="+1 *2 -1")')
    assert sweep(book) is None
    assert search(book, MixedRadixIndex(book)) is None
    assert_same(solve_dense(book, MixedRadixIndex(book)), book)
