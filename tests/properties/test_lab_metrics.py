"""Metrics of the lab equal their definitions in exact fractions, without any code of the lab, solver or bots."""

from __future__ import annotations

from fractions import Fraction
from importlib.util import find_spec

import pytest
from hypothesis import HealthCheck, assume, given, settings

import numberline as nl
from numberline.lab.measure import Measurer, measure, parse_players
from numberline.lab.metrics import Measurements
from numberline.solver.solution import solve
from support.exact_metrics import ExactMetrics
from support.mixtures import book_of, mixtures
from support.variants import RULE_BOOKS

COMPILED = (False, True) if find_spec("numba") else (False,)
CHAIN_METRICS = ("choice", "surprise", "felt_lead_changes", "dominant_step")
LADDERS = ("reach-the-edge", "number-reach", "number-line-sprint", "flag-chase", "line-runner(end=12)")
LONG = 'number-reach(operations="+1 -1 -4 /2", target=34)'
ONE_SIDED = "reach-the-edge(end=4, start=3, steps=1, repeat=free)"
TURNS = 40
small_games = mixtures(60).filter(lambda text: book_of(text).rules.players == 2)
drawn = settings(suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=30)


def measured(book: nl.Book, *, compiled: bool) -> Measurements:
    solution = solve(book)
    return Measurer(solution, parse_players(None, book, solution), compiled=compiled).measure(curve=False, slow=True)[0]


def check_chain_metrics(book: nl.Book, exact: ExactMetrics) -> None:
    figures = {name: getattr(exact, name)() for name in CHAIN_METRICS}
    expected = {name: None if figure is None else float(figure) for name, figure in figures.items()}
    uncertainty, decisiveness, rest = exact.shares_of_games(TURNS)
    for compiled in COMPILED:
        found = measured(book, compiled=compiled)
        assert {name: getattr(found, name) for name in expected} == pytest.approx(expected, abs=1e-8)
        for figure, low in ((found.uncertainty, uncertainty), (found.decisiveness, decisiveness)):
            assert figure is not None
            assert low - Fraction(1, 10**8) <= figure <= low + rest + Fraction(1, 10**8)


@pytest.mark.parametrize("name", RULE_BOOKS)
def test_metrics_of_the_books_equal_their_definitions(name: str) -> None:
    book = nl.book(name)
    check_chain_metrics(book, ExactMetrics(book.rules))


@drawn
@given(text=small_games)
def test_metrics_of_any_small_variant_equal_their_definitions(text: str) -> None:
    book = book_of(text)
    exact = ExactMetrics(book.rules)
    assume(exact.always_ends)
    check_chain_metrics(book, exact)


@pytest.mark.parametrize("name", LADDERS)
def test_skill_ladder_of_the_books_equals_its_definition(name: str) -> None:
    book = nl.book(name)
    assert measure(book).skill_ladder == ExactMetrics(book.rules).skill_ladder()


@settings(drawn, max_examples=15)
@given(text=small_games)
def test_skill_ladder_of_any_small_variant_equals_its_definition(text: str) -> None:
    book = book_of(text)
    expected = ExactMetrics(book.rules).skill_ladder()
    assert [measured(book, compiled=compiled).skill_ladder for compiled in COMPILED] == [expected] * len(COMPILED)


@drawn
@given(text=small_games)
def test_endless_games_are_averaged_over_both_starts(text: str) -> None:
    book = book_of(text)
    exact = ExactMetrics(book.rules)
    one, two = (exact.wins(player, exact.moves) for player in (1, 2))
    by_start = [1 - one[state] - two[state] for state in exact.starts]
    expected = float(sum(by_start) / 2)
    for compiled in COMPILED:
        found = measured(book, compiled=compiled)
        assert found.endless == pytest.approx(expected, abs=1e-9)
        assert (found.endless == 0) == (expected == 0)
        assert (found.length is None) == (by_start[0] > 0)


# Degenerate games


@pytest.mark.parametrize("compiled", COMPILED)
def test_figures_of_very_long_games_are_exact(*, compiled: bool) -> None:
    book = nl.book(LONG)
    exact, found = ExactMetrics(book.rules), measured(book, compiled=compiled)
    assert exact.always_ends
    assert found.endless == 0
    assert found.skill == pytest.approx(float(exact.slip_score(Fraction(1, 8), Fraction(1, 4))), abs=1e-9)
    assert found.length == pytest.approx(float(exact.expected(lambda state: int(bool(exact.moves(state))))), rel=1e-9)
    assert (found.uncertainty, found.surprise, found.length_high, found.bounds) == (None, None, None, {})


@pytest.mark.parametrize("compiled", COMPILED)
def test_game_that_ends_for_one_start_only_is_half_endless(*, compiled: bool) -> None:
    found = measured(nl.book(ONE_SIDED), compiled=compiled)
    assert (found.endless, found.first, found.side, found.length) == (0.5, 0.5, 0.0, None)
