"""Batches solve variants as each is solved alone; fingerprints are equal for the same game."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import numberline as nl
from numberline.lab.fingerprint import fingerprint, fingerprints
from numberline.solver.arrays import NOT_FORCED
from numberline.solver.batch import BatchIndex, SolvedBatch, batch_key, group_into_batches, row_count, solve_batch
from numberline.solver.index import NO_SUCCESSOR, TooManyPositions
from support.mixtures import Draw, book_of, is_a_small_game, mixtures
from support.variants import EVERY

MAX_POSITIONS = 250  # larger variants are left to the soak
MAX_ROWS_PER_POSITION = 20  # rows of a drawn variant in a shared table
MAX_ROWS = 20_000  # rows of a chosen variant in a shared table
MAX_DRAWN_VARIANTS = 6

drawn = settings(suppress_health_check=list(HealthCheck), deadline=None)


@st.composite
def related(draw: Draw, largest: int = MAX_POSITIONS) -> list[nl.Book]:
    """Draw a variant with any mixture of rules, and others that differ from it in their places."""
    text = draw(mixtures(largest).filter(lambda each: is_shared_in_time(each, largest)))
    others = [other for other in moved(text) if is_small(other, largest) and is_shared_in_time(other, largest)]
    chosen = draw(st.permutations(others))[: MAX_DRAWN_VARIANTS - 1]
    return [book_of(each) for each in (text, *chosen)]


def moved(text: str) -> list[str]:
    """Return the same rules with one place, or all places, moved a little."""
    places = r"^(?:line|start|goal) = .*$" if "\n" in text else r'(?<=[( ])(?:end|start|target|flag)="\d+"'
    said = list(re.finditer(places, text, re.MULTILINE))
    numbers = [number.span() for each in said for number in re.compile(r"-?\d+").finditer(text, *each.span())]
    one = [put(text, [span], by) for span in numbers for by in (-3, -2, -1, 1, 2, 3)]
    return one + [put(text, numbers, by) for by in (-1, 1, 3)]


def put(text: str, numbers: Sequence[tuple[int, int]], by: int) -> str:
    """Return the text with these numbers increased."""
    for begin, end in reversed(numbers):
        text = text[:begin] + str(int(text[begin:end]) + by) + text[end:]
    return text


@cache
def is_small(text: str, largest: int) -> bool:
    return is_a_small_game(text, largest)


def is_shared_in_time(text: str, largest: int) -> bool:
    return row_count(book_of(text)) <= largest * MAX_ROWS_PER_POSITION


def solved_together(books: Sequence[nl.Book]) -> list[tuple[list[int], SolvedBatch]]:
    """Solve the books in batches; a single one is paired with itself, so that every table is shared."""
    groups = [group if len(group) > 1 else group * 2 for group in group_into_batches(books)]
    return [(group, solve_batch([books[index] for index in group])) for group in groups]


def assert_solved_as_alone(books: Sequence[nl.Book]) -> None:
    for group, solved in solved_together(books):
        assert [books[index] for index in group] == list(solved.books)
        for variant in range(len(group)):
            assert_same_solution(solved, variant)


def assert_same_solution(solved: SolvedBatch, variant: int) -> None:
    table, solution = solved.table, nl.solve(solved.books[variant])
    alone, index = solution.arrays, BatchIndex(solved.books)
    rows = np.full(alone.size + 1, NO_SUCCESSOR)
    for number in np.flatnonzero(alone.reachable).tolist():
        rows[number] = index.number(alone.position(number), variant)
        assert table.position_index.position(rows[number]) == alone.position(number)
    here = rows[:-1] != NO_SUCCESSOR
    assert set(rows[:-1][here]) == set(np.flatnonzero(solved.reachable & (solved.owner == variant)))
    there = rows[:-1][here]
    assert (table.winner[there] == alone.winner[here]).all()
    assert (table.mover[there] == alone.mover[here]).all()
    for entries, expected in zip(solved.entries, solution.entries, strict=True):
        assert (entries[there] == np.asarray(expected)[here]).all()
    after = {move: rows[column[here]] for move, column in zip(alone.moves, alone.after.T, strict=True)}
    for move, column in zip(table.moves, table.after, strict=True):
        assert (column[there] == after.get(move, NO_SUCCESSOR)).all(), move
    best = dict(zip(solved.arrays.moves, solved.arrays.best[there].T, strict=True))
    for move, column in zip(alone.moves, alone.best.T, strict=True):
        assert (best[move] == column[here]).all(), move
    for field, expected in zip(fields(solved.arrays.positions), fields(alone.positions), strict=True):
        assert (field[there] == expected[here]).all()
    assert solved.position_counts()[variant] == solution.size
    assert_same_results(solved, variant, solution)


def fields(positions: nl.Position) -> list[np.ndarray]:
    """Return the fields of positions, one column each."""
    return [np.asarray(column) for column in (positions.turn, *positions.tokens, positions.last, positions.out)]


def assert_same_results(solved: SolvedBatch, variant: int, solution: nl.Solution) -> None:
    results = solved.results()
    for player, start in enumerate(solution.book.starts()):
        worth = solution.worth(start)
        plies = NOT_FORCED if worth.plies is None else worth.plies
        best = tuple(
            move for move, is_best in zip(solved.table.moves, results.best[variant, player], strict=True) if is_best
        )
        assert (results.winner[variant, player], results.plies[variant, player]) == (worth.winner, plies)
        assert best == solution.best(start)


def test_chosen_variants_are_solved_as_alone() -> None:
    assert_solved_as_alone([book for text in EVERY if row_count(book := nl.book(text)) <= MAX_ROWS])


def test_variants_with_other_blocked_places_are_not_mixed_up() -> None:
    rules = 'line = [0, 9]\nstart = 0\nmoves = "forward"\nsteps = "1-2"\nmeeting = "blocks"'
    goals = ("[9, 9]", "[9, 7]", "[8, 8]", "[9, 5]")
    assert_solved_as_alone([book_of(f'title = "Own"\n[rules]\n{rules}\ngoal = {goal}') for goal in goals])


def test_lines_longer_than_any_token_gets_are_solved() -> None:
    rules = 'start = 0\ngoal = 7\nmoves = "forward"\nsteps = "1-2"\nreverse = true'
    lines = ("[-3, 90_000]", "[-2, 90_001]", "[-2, 900_000]")
    assert_solved_as_alone([book_of(f'title = "Own"\n[rules]\n{rules}\nline = {line}') for line in lines])


@settings(drawn, max_examples=80)
@given(related())
def test_any_mixture_of_rules_is_solved_as_alone(books: list[nl.Book]) -> None:
    assert_solved_as_alone(books)


@pytest.mark.soak
@settings(drawn, max_examples=1200)
@given(related(1_500))
def test_many_mixtures_of_rules_are_solved_as_alone(books: list[nl.Book]) -> None:
    assert_solved_as_alone(books)


@settings(drawn, max_examples=20)
@given(related(), st.integers(1, 5_000))
def test_every_book_is_in_one_batch_of_limited_size(books: list[nl.Book], most: int) -> None:
    groups = list(group_into_batches(books, most))
    assert sorted(index for group in groups for index in group) == list(range(len(books)))
    for group in groups:
        assert len({batch_key(books[index]) for index in group}) == 1
        assert len(group) == 1 or sum(row_count(books[index]) for index in group) <= most


def test_batch_beyond_the_memory_limit_is_rejected() -> None:
    books = [nl.book(f"line-runner(end={end})") for end in (2_000, 2_001)]
    with pytest.raises(
        TooManyPositions, match=r"2 variants like line-runner\(end=2000\) have .* the limit is 1\.0 KiB"
    ):
        solve_batch(books, memory=1_024)


def test_jit_is_warmed_up_for_all_batches_together(monkeypatch: pytest.MonkeyPatch) -> None:
    books = [nl.book(text) for text in ("flag-chase", "flag-chase(end=12)", "line-runner")]
    asked: list[int] = []
    monkeypatch.setattr("numberline.solver.batch.warm_up_jit", asked.append)
    next(group_into_batches(books))
    assert asked == [sum(map(row_count, books))]


# Fingerprints


def same_game(books: Sequence[nl.Book]) -> dict[int, int]:
    """Return for each book the first that is the same game, computed with plain sets and no hashes."""
    graph = {
        (variant, position): [(variant, after) for _, after in book.successors(position)]
        for variant, book in enumerate(books)
        for position in walked(book)
    }
    numbers = {
        node: (book.winner(node[1]), node[1].turn, node[1].out if book.rules.players > 2 else 0)
        for node in graph
        for book in [books[node[0]]]
    }
    colour: dict[object, object] = dict(numbers)
    while True:
        seen = {
            node: (colour[node], frozenset(Counter(colour[after] for after in afters).items()))
            for node, afters in graph.items()
        }
        names = {fact: number for number, fact in enumerate(dict.fromkeys(seen.values()))}
        finer = {node: names[fact] for node, fact in seen.items()}
        if len(names) == len(set(colour.values())):
            break
        colour = dict(finer)
    whole = [
        (
            tuple(finer[variant, start] for start in book.starts()),
            frozenset(Counter(number for node, number in finer.items() if node[0] == variant).items()),
        )
        for variant, book in enumerate(books)
    ]
    return {variant: whole.index(each) for variant, each in enumerate(whole)}


def walked(book: nl.Book) -> set[nl.Position]:
    seen = set(book.starts())
    todo = list(seen)
    while todo:
        for _, after in book.successors(todo.pop()):
            if after not in seen:
                seen.add(after)
                todo.append(after)
    return seen


def assert_fingerprints_match_games(books: Sequence[nl.Book]) -> None:
    prints = {
        index: str(each)
        for group, solved in solved_together(books)
        for index, each in zip(group, fingerprints(solved), strict=True)
    }
    first = {index: min(other for other in prints if prints[other] == prints[index]) for index in prints}
    assert dict(sorted(first.items())) == same_game(books)
    assert prints[0] == fingerprint(nl.solve(books[0]))


@settings(drawn, max_examples=25)
@given(related())
def test_fingerprints_are_equal_exactly_for_the_same_game(books: list[nl.Book]) -> None:
    assert_fingerprints_match_games(books)


@pytest.mark.soak
@settings(drawn, max_examples=1_000)
@given(related(600))
def test_many_fingerprints_are_equal_exactly_for_the_same_game(books: list[nl.Book]) -> None:
    assert_fingerprints_match_games(books)


@pytest.mark.parametrize("text", EVERY)
def test_fingerprint_does_not_depend_on_the_table(text: str) -> None:
    book = nl.book(text)
    if row_count(book) <= MAX_ROWS:
        assert set(fingerprints(solve_batch([book, book]))) == {fingerprint(nl.solve(book))}


def test_mirrored_line_is_the_same_game() -> None:
    prints = [fingerprint(nl.solve(nl.book(f"number-line-sprint(end=9, start={start})"))) for start in (3, 7, 4)]
    assert prints[0] == prints[1]
    assert prints[0] != prints[2]
