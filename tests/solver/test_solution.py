"""Solutions: compared with a slow solver, with known results, and with themselves."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings

import numberline as nl
from numberline.game.moves import Move
from numberline.solver import jit
from numberline.solver.arrays import NOT_FORCED
from numberline.solver.index import (
    NO_SUCCESSOR,
    MixedRadixIndex,
    ReachableIndex,
    Table,
    TooManyPositions,
    build_full_table,
    build_reachable_table,
    build_table,
    format_bytes,
)
from numberline.solver.retrograde import solve_table
from numberline.solver.solution import PositionCounts, Solution
from numberline.solver.worth import Worth, rank_value
from support.slow_solver import slowly_solved
from support.variants import EVERY, books, reachable

NO_LIMIT = 1 << 40


@cache
def solved(variant: str) -> Solution:
    return nl.solve(nl.book(variant))


def on_arrays(book: nl.Book) -> Solution:
    """Return the solution by the dense table on arrays, however small the book is."""
    table = build_full_table(book, MixedRadixIndex(book))
    return Solution(book, table.position_index, solve_table(table), table)


def explored(book: nl.Book) -> Table:
    table = build_reachable_table(book, limit=NO_LIMIT)
    assert table
    return table


def compiled(book: nl.Book, monkeypatch: pytest.MonkeyPatch) -> Solution:
    """Return the solution by the compiled kernels, however small the book is."""
    monkeypatch.setattr(jit, "JIT_MIN_WORK", 0)
    return on_arrays(book)


def assert_agrees(solution: Solution) -> None:
    for position, answer in slowly_solved(solution.book).items():
        worth = solution.worth(position)
        assert (worth.winner, worth.plies) == (answer or (0, None)), (solution.book.variant, position)


def test_repr_names_the_variant_and_the_result() -> None:
    assert repr(solved("flag-chase")) == "<Solution of flag-chase: Player 1 wins in 3 turns>"
    endless = 'number-reach(operations="+1 -1 *2")'
    assert repr(solved(endless)) == f"<Solution of {nl.book(endless).variant}: endless>"


# Known results


@pytest.mark.parametrize(
    ("name", "first", "value", "plies", "best"),
    [
        ("reach-the-edge", 1, "win", 11, ("3",)),
        ("reach-the-edge", 2, "win", 9, ("3",)),
        ("number-reach", 1, "loss", 14, ("+1", "*2")),
        ("number-line-sprint", 1, "win", 5, ("L1", "L2", "R1", "R2")),
        ("flag-chase", 1, "win", 3, ("2", "3")),
        ("line-runner", 1, "win", 13, ("2", "3")),
    ],
)
def test_default_boards_have_known_solutions(
    name: str, first: int, value: str, plies: int, best: tuple[str, ...]
) -> None:
    solution, start = solved(name), nl.book(name).start(first)
    assert (solution.value(start), solution.distance(start), solution.best(start)) == (value, plies, best)


def test_subtraction_makes_number_reach_endless() -> None:
    solution = solved('number-reach(operations="+1 *2 -1")')
    assert solution.value(solution.book.start()) == "endless"
    assert solution.distance(solution.book.start()) is None


# Against a second solver


@pytest.mark.parametrize("variant", EVERY)
def test_solver_agrees_with_the_slow_one(variant: str) -> None:
    assert_agrees(solved(variant))


@pytest.mark.parametrize("variant", EVERY)
def test_solver_on_arrays_agrees_with_the_slow_one(variant: str) -> None:
    assert_agrees(on_arrays(nl.book(variant)))


@pytest.mark.parametrize("variant", EVERY[:12])
def test_compiled_solver_agrees_with_the_slow_one(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert_agrees(compiled(nl.book(variant), monkeypatch))


@settings(max_examples=60)
@given(books())
def test_solver_agrees_with_the_slow_one_on_any_variant(book: nl.Book) -> None:
    assert_agrees(nl.solve(book))
    assert_agrees(on_arrays(book))


@pytest.mark.soak
@settings(max_examples=400)
@given(books())
def test_solver_agrees_with_the_slow_one_on_many_variants(book: nl.Book) -> None:
    assert_agrees(nl.solve(book))
    assert_agrees(on_arrays(book))


# Small graphs


def graph(*edges: tuple[int, list[int]], won: dict[int, int] | None = None) -> Table:
    """Return a table with a position for each (player to move, successors); `won` has the winners."""
    most = max(len(after) for _, after in edges)
    after = [[row[n] if n < len(row) else NO_SUCCESSOR for _, row in edges] for n in range(most)]
    moves = tuple(Move(str(n), n) for n in range(most))
    winner = [(won or {}).get(n, 0) for n in range(len(edges))]
    index = ReachableIndex()
    for n in range(len(edges)):
        index.add(nl.Position(1, (n,)))
    players = max(2, *(player for player, _ in edges))
    return Table(index, players, moves, after, [player for player, _ in edges], winner)


def test_final_position_is_won_in_no_plies() -> None:
    assert solve_table(graph((1, []), (2, [0]), won={0: 2})) == [[-1, 2]]


def test_winner_takes_the_shortest_way() -> None:
    # 0 is over and won by player 1; from 3 player 1 gets there at once or by a way round.
    assert solve_table(graph((2, []), (2, [0]), (1, [1]), (1, [2, 0]), won={0: 1})) == [[-1, -2, 3, 2]]


def test_loser_takes_the_longest_way() -> None:
    # Player 2 on 3 can go to the end, or to 2, from where player 1 needs one ply more.
    assert solve_table(graph((2, []), (1, [0]), (1, [1]), (2, [1, 2]), won={0: 1}))[0][3] == -4


def test_cycle_is_endless() -> None:
    assert solve_table(graph((1, [1]), (2, [0]))) == [[0, 0]]


def test_cycle_saves_a_losing_player() -> None:
    # Player 2 on 1 may lose at once (to 2) or go back to 0; player 1 on 0 can only go to 1.
    assert solve_table(graph((1, [1]), (2, [2, 0]), (1, []), won={2: 1}))[0][:2] == [0, 0]


def test_cycle_does_not_save_if_the_opponent_can_leave_it() -> None:
    # Player 1 on 0 can leave the round by winning.
    assert solve_table(graph((1, [1, 2]), (2, [0]), (2, []), won={2: 1}))[0] == [2, -3, -1]


def test_two_moves_to_the_same_successor_count_as_two() -> None:
    assert solve_table(graph((2, [1, 1]), (1, []), won={1: 1}))[0][0] == -2


def test_one_of_three_players_can_force_a_win() -> None:
    columns = solve_table(graph((1, [1, 2]), (2, []), (3, []), won={1: 2, 2: 1}))
    assert columns == [[2, 0, -1], [0, 1, 0], [0, 0, 0]]


def test_win_that_two_others_can_prevent_is_open() -> None:
    columns = solve_table(graph((1, [1, 2]), (2, []), (3, []), won={1: 2, 2: 3}))
    assert [column[0] for column in columns] == [0, 0, 0]


def test_compiled_kernels_agree_on_a_small_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jit, "JIT_MIN_WORK", 0)
    table = graph((1, [1, 2]), (2, [0]), (2, []), won={2: 1})
    columns = Table(
        table.position_index,
        table.players,
        table.moves,
        [np.array(column, np.int32) for column in table.after],
        np.array(table.mover, np.int8),
        np.array(table.winner, np.int8),
    )
    assert solve_table(columns)[0].tolist() == [2, -3, -1]


# The solution is a fixed point


def assert_fixed_point(book: nl.Book) -> None:
    """Check that each entry follows from those of its successors, for all indices at once (two players)."""
    table = build_full_table(book, MixedRadixIndex(book))
    (column,) = solve_table(table)
    entries = column.astype(np.int64)
    live = table.winner == 0
    own = np.where(table.winner == table.mover, 1, -1)
    assert (entries[~live] == own[~live]).all()
    reached = np.array(table.after)
    legal = reached != NO_SUCCESSOR
    # A good value for the next player is bad for the mover.
    after = np.where(legal, -entries[reached], 0)
    worth = np.where(after > 0, 1_000_000 - after, np.where(after < 0, -1_000_000 - after, 0))
    best = np.where(legal, worth, -(10**9)).max(axis=0)
    expected = np.where(best > 0, 1_000_000 - best + 1, np.where(best < 0, -1_000_000 - best - 1, 0))
    assert (entries[live] == expected[live]).all()


@pytest.mark.parametrize("variant", [text for text in EVERY if nl.book(text).rules.players == 2])
def test_solution_is_a_fixed_point(variant: str) -> None:
    assert_fixed_point(nl.book(variant))


def test_solution_of_a_large_variant_is_a_fixed_point() -> None:
    assert_fixed_point(nl.book("line-runner(end=300)"))


# Queries


def test_finished_game_is_lost_in_no_plies_for_the_next_player() -> None:
    solution = solved("flag-chase")
    over = nl.Position(2, (5, 8))
    assert (solution.value(over), solution.distance(over), solution.best(over)) == ("loss", 0, ())


def test_move_is_evaluated_for_the_player_who_makes_it() -> None:
    solution = solved("flag-chase")
    judged = solution.evaluate_moves(solution.book.start())
    assert [(each.move, each.worth, each.best, each.regret, each.delay) for each in judged] == [
        ("1", Worth("loss", 4, 2), False, 2, 0),
        ("2", Worth("win", 3, 1), True, 0, 0),
        ("3", Worth("win", 3, 1), True, 0, 0),
    ]
    assert [each.after for each in judged] == [nl.Position(2, (n, 10)) for n in (1, 2, 3)]


def test_slow_win_gives_away_plies_but_no_points() -> None:
    solution = solved("line-runner")
    slow = [(each.regret, each.delay) for each in solution.evaluate_moves(nl.Position(1, (17, 3))) if not each.best]
    assert slow == [(0, 2), (0, 2)]


def test_worths_are_ordered_from_out_to_a_quick_win() -> None:
    worst_first = [
        Worth("loss", 9, 3, out=True),
        Worth("loss", 2, 2),
        Worth("loss", 8, 3),
        Worth("open"),
        Worth("win", 7, 1),
        Worth("win", 1, 1),
    ]
    shuffled = worst_first[3:] + worst_first[:3]
    assert sorted(shuffled) == worst_first
    assert max(worst_first) == Worth("win", 1, 1)


def test_equally_good_worths_with_other_winners_are_not_equal() -> None:
    one, other = Worth("loss", 4, 2), Worth("loss", 4, 3)
    assert (one < other, one > other, one <= other, one >= other, one == other) == (False, False, True, True, False)


def test_worth_of_three_players_differs_by_player() -> None:
    solution = solved("number-reach(players=3)")
    over = nl.Position(1, (20,), out=0)
    assert [solution.worth(over, player).points for player in (1, 2, 3)] == [-1, -1, 1]
    out = nl.Position(1, (1,), out=2)
    assert solution.worth(out, 2).out
    assert solution.worth(out, 2).value == "loss"


def test_every_value_has_a_letter_shape_and_points() -> None:
    signs = [(worth.letter, worth.shape, worth.points) for worth in map(Worth, ("win", "loss", "endless", "open"))]
    assert signs == [("W", "▲", 1), ("L", "▼", -1), ("=", "●", 0), ("?", "◆", 0)]


def test_best_move_of_a_lost_turn_is_pass() -> None:
    solution = solved("reach-the-edge(steps=2)")
    assert solution.best(nl.Position(2, (6,), last=2)) == ("pass",)


def test_rank_of_arrays_is_the_rank_of_worths() -> None:
    worths = [Worth("win", 1, 1), Worth("win", 7, 1), Worth("open"), Worth("loss", 8, 3), Worth("loss", 2, 2)]
    ranks = rank_value(
        np.array([worth.points for worth in worths], np.int8),
        np.array([NOT_FORCED if worth.plies is None else worth.plies for worth in worths], np.int32),
    )
    assert ranks.tolist() == [worth.rank for worth in worths]
    assert Worth("loss", 9, 3, out=True).rank < ranks.min()


@pytest.mark.parametrize("variant", EVERY)
def test_line_of_best_play_has_the_solved_distance(variant: str) -> None:
    solution = solved(variant)
    start = solution.book.start()
    if solution.worth(start).winner:
        assert len(solution.line(start)) == solution.distance(start)
    else:
        assert solution.line(start)


@pytest.mark.parametrize("variant", EVERY)
def test_best_moves_keep_the_worth_of_the_position(variant: str) -> None:
    solution = solved(variant)
    for position in reachable(solution.book):
        worth = solution.worth(position)
        for judged in solution.evaluate_moves(position):
            if judged.best and worth.winner:
                kept = judged.worth
                assert (kept.value, kept.plies, kept.winner) == (worth.value, worth.plies, worth.winner)


def test_all_moves_that_stay_endless_are_best() -> None:
    solution = solved('number-reach(operations="+1 *2 -1")')
    assert solution.best(nl.Position(1, (8,))) == ("+1", "-1", "*2")
    assert solution.value(nl.Position(1, (8,))) == "endless"


def test_counts_are_of_reachable_positions() -> None:
    assert solved("reach-the-edge").counts() == PositionCounts(win=50, loss=22, endless=0, longest=23)


@pytest.mark.parametrize("variant", EVERY)
def test_counts_do_not_depend_on_the_kind_of_table(variant: str) -> None:
    book = nl.book(variant)
    slow = [answer for position, answer in slowly_solved(book).items() if not book.outcome(position)]
    counts = solved(variant).counts()
    assert sum(counts[:3]) == len(slow)
    assert counts.endless == slow.count(None)
    assert counts.longest == max((answer[1] for answer in slow if answer), default=0)
    assert on_arrays(book).counts() == counts


def test_value_with_three_players_is_win_loss_or_open() -> None:
    solution = solved("number-reach(players=3)")
    values = {position: solution.value(position) for position in reachable(solution.book)}
    assert set(values.values()) == {"win", "loss", "open"}
    for position, value in values.items():
        forcers = [player for player in (1, 2, 3) if solution.worth(position, player).value == "win"]
        assert (value == "open") == (not forcers)
        assert (value == "win") == (forcers == [position.turn])


def test_unreachable_position_has_a_value() -> None:
    solution = solved("line-runner")
    assert solution.value(nl.Position(1, (1, 19))) == "loss"
    assert solution.value(nl.Position(1, (19, 1))) == "win"


@pytest.mark.parametrize("end", [20, 100])
def test_invalid_position_is_rejected(end: int) -> None:
    book = nl.book("line-runner").vary(f"end={end}")
    for wrong in (nl.Position(1, (500, 0)), nl.Position(3, (0, 0)), nl.Position(1, (0,)), nl.Position(1, (0, 0), 9)):
        with pytest.raises(nl.BookError, match="is not a position of line-runner"):
            nl.solve(book).value(wrong)


def test_solution_contains_reachable_positions_only() -> None:
    for solution in (solved("flag-chase"), on_arrays(nl.book("flag-chase"))):
        assert nl.Position(1, (4, 6)) in solution
        assert nl.Position(1, (4, 10)) not in solution
        assert nl.Position(1, (40, 6)) not in solution


# The table


@pytest.mark.parametrize("variant", EVERY)
def test_index_converts_both_ways(variant: str) -> None:
    book = nl.book(variant)
    box, walked = MixedRadixIndex(book), explored(book)
    assert [box.number(box.position(number)) for number in range(box.size)] == list(range(box.size))
    for position in reachable(book):
        assert box.position(box.number(position)) == position
        assert walked.position_index.position(walked.position_index.number(position)) == position


@pytest.mark.parametrize("variant", EVERY)
def test_table_has_the_moves_of_the_engine(variant: str) -> None:
    book = nl.book(variant)
    for table in (explored(book), build_full_table(book, MixedRadixIndex(book))):
        for position in reachable(book):
            number = table.position_index.number(position)
            assert table.mover[number] == position.turn
            assert table.winner[number] == book.winner(position)
            listed = {move: column[number] for move, column in zip(table.moves, table.after, strict=True)}
            found = {
                text: table.position_index.position(after) for text, after in listed.items() if after != NO_SUCCESSOR
            }
            assert found == {text: book.after(position, text) for text in book.moves(position)}


def test_variant_beyond_the_memory_limit_is_rejected() -> None:
    with pytest.raises(TooManyPositions) as caught:
        nl.solve(nl.book("line-runner(end=1000000)"))
    assert str(caught.value) == (
        "line-runner(end=1000000) has 2,000,012,000,018 positions and would need 81.9 TiB of memory; "
        "the limit is 4.0 GiB (--memory raises it)"
    )


def test_sparse_variant_is_explored() -> None:
    sparse = "line-runner(tokens=3, players=4, end=3, overshoot=loses, meeting=blocks, stuck=loses, steps=2-3)"
    assert nl.solve(nl.book(sparse)).counts() == PositionCounts(win=1780, loss=4308, endless=0, longest=3)


def test_more_than_127_moves_are_counted() -> None:
    book = nl.book("number-line-sprint(end=140, steps=1-100)")
    assert isinstance(build_table(book, memory=NO_LIMIT).position_index, MixedRadixIndex)
    assert nl.solve(book).worth(book.start()) == Worth("win", 1, 1)
    assert nl.solve(book).worth(nl.Position(1, (20, 130))).ends_game


def test_product_beyond_32_bits_is_past_the_target() -> None:
    book = nl.book('number-reach(target=3000, operations="+1 *1431656")')  # times 3,000 that is 2^32 + 704
    walked = explored(book)
    filled, plain = on_arrays(book), Solution(book, walked.position_index, solve_table(walked), walked)
    assert all(filled.worth(at) == plain.worth(at) for at in (nl.Position(1, (n,)) for n in range(1, 3000)))


def test_progress_goes_from_0_to_1() -> None:
    shares: list[float] = []
    nl.solve(nl.book("line-runner(end=150)"), progress=shares.append)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0, 1)


def test_small_books_are_explored_and_large_ones_filled() -> None:
    assert isinstance(build_table(nl.book("flag-chase"), memory=NO_LIMIT).position_index, ReachableIndex)
    assert isinstance(build_table(nl.book("line-runner(end=100)"), memory=NO_LIMIT).position_index, MixedRadixIndex)


def test_bytes_are_formatted_with_a_unit() -> None:
    assert [format_bytes(size) for size in (0, 1023, 1024, 5 << 40)] == [
        "0.0 bytes",
        "1023.0 bytes",
        "1.0 KiB",
        "5.0 TiB",
    ]


def test_best_move_avoids_elimination_with_three_players() -> None:
    solution = solved("number-reach(players=3)")
    for position in reachable(solution.book):
        if solution.value(position) != "win":
            after = {move: solution.book.after(position, move) for move in solution.book.moves(position)}
            staying = {move for move, reached in after.items() if not reached.out >> (position.turn - 1) & 1}
            if staying:
                assert set(solution.best(position)) <= staying
