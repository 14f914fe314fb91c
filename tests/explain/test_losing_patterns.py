"""Losing patterns: no exception in any variant, and the textbook rule in textbook games."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import numberline as nl
from numberline.explain import claims
from numberline.explain.losing_patterns import (
    LosingDistances,
    LosingGaps,
    LosingNumbers,
    RaceCount,
    explain_pattern,
    find_losing_pattern,
)
from numberline.explain.phrases import Phrases, split_into_bands
from numberline.game.loader import book_from_toml
from properties.test_claims import false_claims, turns_alone
from support.mixtures import book_of, mixtures
from support.sentences import long_sentences
from support.variants import reachable

BRIDGE = """
title = "Bridge"
about = "Two walkers meet on a bridge. If you can't move, you lose."
[settings]
end = 12
steps = "1-2"
[rules]
line = [0, "end"]
tokens = 1
start = [0, "end"]
goal = ["end", 0]
moves = "forward"
meeting = "blocks"
stuck = "loses"
overshoot = "refused"
"""


def race_to(target: int, steps: set[int] | range, start: int = 1) -> nl.Book:
    """Return the game in which players add one of `steps` to a number until it is `target`."""
    operations = " ".join(f"+{step}" for step in sorted(steps))
    rules = "overshoot=refused, stuck=loses"
    return nl.book(f'number-reach(start={start}, target={target}, operations="{operations}", {rules})')


# No exceptions


@given(mixtures(largest=400))
def test_pattern_has_no_exception_and_its_reasons_are_true(text: str) -> None:
    book = book_of(text)
    solution = nl.solve(book)
    pattern, words = find_losing_pattern(solution), Phrases(book)
    if pattern is None:
        return
    live = [at for at in reachable(book) if book.moves(at)]
    assert [at for at in live if pattern.is_lost(at) != (solution.value(at) == "loss")] == []
    reasons = tuple(explain_pattern(solution, pattern))
    assert false_claims(solution, reasons) == []
    said = [pattern.sentence(words), pattern.full_text(words), *(reason.sentence(words) for reason in reasons)]
    assert [text for each in said for text in long_sentences(each)] == []


@given(mixtures(largest=400))
def test_places_alone_decide_a_race_with_gates(text: str) -> None:
    book = book_of(text)
    solution = nl.solve(book)
    pattern = find_losing_pattern(solution)
    if not isinstance(pattern, RaceCount) or not pattern.by_place:
        return
    live = [at for at in reachable(book) if book.moves(at)]

    @cache
    def jumps(player: int, place: int) -> int:
        there = [at for at in live if book.tokens_of(at, player) == (place,)]
        return min(turns_alone(book, at, player) or 1_000 for at in there)

    for at in live:
        (mine,), (theirs,) = (book.tokens_of(at, player) for player in (at.turn, 3 - at.turn))
        assert (jumps(at.turn, int(mine)) > jumps(3 - at.turn, int(theirs))) == (solution.value(at) == "loss")
        if len(pattern.gates) == 1:
            near = [
                book.distance_to_goal(player, int(book.tokens_of(at, player)[0])) for player in (at.turn, 3 - at.turn)
            ]
            only_other = near[0] > pattern.gates[0] >= near[1]
            assert only_other == (solution.value(at) == "loss")


# Textbook games


@given(st.sets(st.integers(1, 6), min_size=1, max_size=4), st.integers(8, 40))
def test_traps_of_a_subtraction_game(steps: set[int], target: int) -> None:
    lost = {0}
    for left in range(1, target):
        if not any(left - step in lost for step in steps):
            lost.add(left)
    solution = nl.solve(race_to(target, steps))
    pattern = find_losing_pattern(solution)
    numbers = {at.tokens[0] for at in solution.live}
    expected = {target - left for left in lost - {0}} & numbers
    assert (set(pattern.numbers) if isinstance(pattern, LosingNumbers) else set()) == expected


@given(st.integers(2, 9), st.integers(30, 60))
def test_race_to_a_number_is_won_by_making_k(most: int, target: int) -> None:
    solution = nl.solve(race_to(target, range(1, most + 1)))
    pattern = find_losing_pattern(solution)
    assert isinstance(pattern, LosingNumbers)
    assert (pattern.step, pattern.together) == (most + 1, most + 1)
    assert [target - number for number in pattern.numbers] == [*range(most + 1, target, most + 1)]


def test_take_up_to_3_is_every_fourth_number() -> None:
    solution = nl.solve(nl.book('number-reach(target=21, operations="+1 +2 +3")'))
    pattern = find_losing_pattern(solution)
    assert pattern
    words = Phrases(solution.book)
    assert pattern.sentence(words) == "Leave your opponent a trap (every fourth number): 17, 13, 9, 5, or 1."
    (reason,) = explain_pattern(solution, pattern)
    assert reason.sentence(words) == (
        "Why does it work? Your opponent's move and yours always add up to 4: if your opponent plays +1, you play +3."
    )


@pytest.mark.parametrize(
    ("steps", "period", "left"),
    [({1, 3, 4}, 7, (2, 7)), ({2, 5}, 7, (1, 4, 7)), ({1, 4}, 5, (2, 5)), ({1, 2, 4}, 3, (3,)), ({1, 3}, 2, (2,))],
)
def test_residues_of_subtraction_sets(steps: set[int], period: int, left: tuple[int, ...]) -> None:
    pattern = find_losing_pattern(nl.solve(nl.book(f'number-reach(target=60, operations="{plus(steps)}")')))
    assert isinstance(pattern, LosingNumbers)
    assert pattern.residues == (period, left)


def plus(steps: set[int]) -> str:
    return " ".join(f"+{step}" for step in sorted(steps))


@pytest.mark.parametrize(("end", "most"), [(12, 2), (16, 3), (21, 4)])
def test_two_tokens_that_meet_leave_a_gap_to_divide(end: int, most: int) -> None:
    book = book_from_toml(BRIDGE, "bridge").vary(f"end={end}", f"steps=1-{most}")
    solution = nl.solve(book)
    pattern = find_losing_pattern(solution)
    assert isinstance(pattern, LosingGaps)
    assert (pattern.step, pattern.together) == (most + 1, most + 1)
    assert pattern.sentence(Phrases(book)).startswith(f"Leave a gap you can divide by {most + 1}: {most + 1}, ")


@pytest.mark.parametrize(("steps", "left"), [("2-3", "1 or 5"), ("1,4", "2 or 5")])
def test_two_tokens_that_meet_leave_gaps_that_repeat(steps: str, left: str) -> None:
    book = book_from_toml(BRIDGE, "bridge").vary("end=20", f"steps={steps}")
    pattern = find_losing_pattern(nl.solve(book))
    assert isinstance(pattern, LosingGaps)
    assert pattern.sentence(Phrases(book)) == f"Leave a gap of {left} free positions, or 5 more than that, and so on."


def test_distance_of_traps_counts_numbers_that_never_occur() -> None:
    book = nl.book('number-reach(target=51, operations="+5")')
    pattern = find_losing_pattern(nl.solve(book))
    assert pattern
    assert pattern.sentence(Phrases(book)) == "Leave your opponent a trap (every tenth number): 41, 31, 21, 11, or 1."


def test_regular_traps_are_not_explained_by_bands() -> None:
    solution = nl.solve(nl.book('number-reach(target=25, operations="+1 +3 +5")'))
    pattern = find_losing_pattern(solution)
    assert pattern
    assert [reason.kind for reason in explain_pattern(solution, pattern)] == [claims.pattern_invariant]


def test_sides_that_mirror_count_from_their_own_goal() -> None:
    pattern = find_losing_pattern(nl.solve(nl.book("reach-the-edge(steps=2)")))
    assert isinstance(pattern, LosingDistances)
    assert pattern.numbers == (1, 3, 5, 7, 9, 11, 13)


def test_bands_change_where_doubling_ends() -> None:
    pattern = find_losing_pattern(nl.solve(nl.book("number-reach")))
    assert isinstance(pattern, LosingNumbers)
    assert [(band.numbers[0], band.numbers[-1], band.step) for band in pattern.bands] == [
        (19, 11, 2),
        (10, 6, 0),
        (5, 1, 2),
    ]


@given(st.lists(st.integers(0, 30), min_size=1, unique=True), st.sets(st.integers(0, 30)))
def test_bands_cover_the_numbers(numbers: list[int], marked: set[int]) -> None:
    bands = split_into_bands(sorted(numbers), marked)
    assert [number for band in bands for number in band.numbers] == sorted(numbers)
    assert {number for band in bands for number in band.marked} == marked & set(numbers)


def test_gates_of_the_races() -> None:
    gates = {}
    for name in ("line-runner", "flag-chase", "number-line-sprint"):
        pattern = find_losing_pattern(nl.solve(nl.book(name)))
        assert isinstance(pattern, RaceCount)
        gates[name] = pattern.gates
    assert gates == {
        "line-runner": (3, 6, 9, 12, 15, 18),
        "flag-chase": (3,),
        "number-line-sprint": (2, 4),
    }


def test_rule_with_an_exception_is_not_used() -> None:
    assert find_losing_pattern(nl.solve(nl.book("line-runner(repeat=banned)"))) is None
