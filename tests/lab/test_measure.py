"""Measurements of the five books: figures, curves, and which of them are undefined."""

from __future__ import annotations

import json
from decimal import ROUND_HALF_UP, Decimal
from functools import cache

import pytest

import numberline as nl
from numberline.lab.measure import CURVE_SKILLS, measure, measure_many, measure_solution
from numberline.lab.metrics import PANEL_SKILLS, Measurements, SkillPoint, count_fair_skills, describe_metric

BOOKS = ("reach-the-edge", "number-reach", "number-line-sprint", "flag-chase", "line-runner")
TABLE = {
    "winner": "1 2 1 1 1",
    "plies": "11 14 5 3 13",
    "first": ".714 .401 .816 .855 .867",
    "side": ".474 .500 .500 .500 .500",
    "newcomers": ".54 .47 .62 .78 .69",
    "length": "16.7 10.1 5.6 3.3 14.8",
    "length_low": "9 6 5 3 13",
    "length_high": "31 14 7 4 17",
    "choice": ".97 1.00 1.00 .99 1.00",
    "decisions": ".54 .50 .30 .57 .15",
    "good_moves": ".48 .50 .39 .56 .61",
    "lead_changes": "1.16 .64 .25 .21 .22",
    "felt_lead_changes": "1.08 .64 .25 .21 .22",
    "uncertainty": ".37 .63 .28 .22 .08",
    "decisiveness": ".28 .02 .25 .20 .82",
    "surprise": "1.03 .82 .52 .35 .46",
    "skill_ladder": "7 5 2 2 4",
    "comeback": ".52 .51 .21 .17 .17",
    "open": ".36 .35 .16 .13 .05",
    "hidden": ".93 .57 .58 .57 .98",
    "skill": ".634 .633 .554 .543 .544",
    "sight_needed": "12 12 3 3 13",
    "endless": "0 0 0 0 0",
}
"""The expected metrics: one row per metric, one column per book."""
FIRST_PLAYER_WINS = {
    "slip:50": ".60 .46 .69 .77 .78",
    "slip:25": ".69 .40 .82 .86 .87",
    "slip:10": ".81 .25 .92 .93 .94",
    "slip:5": ".89 .15 .96 .97 .97",
    "sight:1": ".54 .47 .62 .78 .69",
    "sight:3": ".55 .48 1 1 .70",
    "sight:6": ".54 .50 1 1 .71",
}
"""The expected win rates of player 1 as the first player: one column per book."""


@cache
def measured(variant: str) -> Measurements:
    return measure(variant)


def as_printed(value: float, digits: str) -> Decimal:
    """A figure as the table prints it: rounded to three places first, then to those printed."""
    places = len(digits.partition(".")[2])
    rounded = Decimal(value).quantize(Decimal("0.001"), ROUND_HALF_UP)
    return rounded.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


@pytest.mark.parametrize("metric", TABLE)
def test_metrics_of_the_five_books(metric: str) -> None:
    for book, digits in zip(BOOKS, TABLE[metric].split(), strict=True):
        assert as_printed(getattr(measured(book), metric), digits) == Decimal(digits)


@pytest.mark.parametrize("skill", FIRST_PLAYER_WINS)
def test_curves_of_the_five_books(skill: str) -> None:
    for book, digits in zip(BOOKS, FIRST_PLAYER_WINS[skill].split(), strict=True):
        [point] = [point for point in measured(book).curve if point.skill == skill]
        assert as_printed(point.wins_1, digits) == Decimal(digits)


def test_looking_twelve_turns_ahead_solves_the_short_books() -> None:
    for book, digits in zip(BOOKS, ["1", "0", "1", "1", ".78"], strict=True):
        far = measure_many([nl.book(book)], "sight:12", curve=False)[0]
        player_1_starts = (far.first or 0) + (far.side or 0) - 0.5
        assert as_printed(player_1_starts, digits) == Decimal(digits)


def test_curve_has_panel_and_held_out_skills_in_order() -> None:
    curve = measured("line-runner").curve
    assert tuple(point.skill for point in curve) == CURVE_SKILLS
    assert {point.skill for point in curve if point.in_panel} == set(PANEL_SKILLS)


def test_fair_range_is_the_smaller_count_of_fair_slips_or_sights() -> None:
    found = measured("number-reach")
    fair = [point.skill for point in found.curve if point.is_fair]
    assert fair == ["slip:75", "slip:50", "sight:1", "sight:2", "sight:3", "sight:6", "sight:8"]
    assert count_fair_skills(found.curve) == {"slip": 1, "sight": 4}
    assert found.fair_range == 1


@pytest.mark.parametrize(("shares", "fair"), [((0.45, 0.55), True), ((0.5, 0.56), False), ((0.44, 0.5), False)])
def test_fair_skill_is_fair_for_both_players(shares: tuple[float, float], *, fair: bool) -> None:
    assert SkillPoint("slip:25", *shares).is_fair == fair


def test_endless_game_counts_half_in_gap() -> None:
    point = SkillPoint("slip:25", wins_1=0.4, wins_2=0.3, endless_1=0.2, endless_2=0.3)
    assert point.shares == pytest.approx((0.5, 0.45))
    assert point.gap == pytest.approx(0.05)
    assert (point.is_fair, point.endless) == (True, 0.25)


def test_gap_considers_both_starting_players() -> None:
    found = measure("flag-chase(end=17, steps=1,3)")
    assert found.first == pytest.approx(0.5, abs=0.01)
    assert found.gap is not None
    assert found.gap > 0.15


def test_requested_skills_are_on_the_curve() -> None:
    skills = [point.skill for point in measure("flag-chase", "slip:20,sight:7").curve]
    assert (skills[2:5], skills[-3:]) == (["slip:25", "slip:20", "slip:15"], ["sight:6", "sight:7", "sight:8"])


@pytest.mark.parametrize("book", BOOKS)
def test_measurements_as_plain_data_survive_json(book: str) -> None:
    data = measured(book).data()
    assert json.loads(json.dumps(data)) == data


@pytest.mark.parametrize("book", BOOKS)
def test_lengths_cover_nearly_all_games(book: str) -> None:
    lengths = measured(book).lengths
    assert 0.999 <= sum(lengths) <= 1 + 1e-9
    assert sum(lengths[:-1]) < 0.999


def test_players_change_the_metrics_but_not_the_curve() -> None:
    found = measure("line-runner", "sight:3, slip:10")
    assert found.players == ("sight:3", "slip:10")
    assert (found.curve, found.skill, found.fair_range) == (
        measured("line-runner").curve,
        measured("line-runner").skill,
        measured("line-runner").fair_range,
    )
    assert found.side is not None
    assert found.side < 0.25


def test_stronger_player_wins_more_often_on_either_side() -> None:
    for book in BOOKS:
        strong, weak = measure(book, ("slip:5", "slip:50")).side, measure(book, ("slip:50", "slip:5")).side
        assert strong is not None
        assert weak is not None
        assert strong > 0.5 > weak


def test_game_that_may_never_end_has_no_length() -> None:
    found = measure('number-reach(operations="+1 -1 *2 /2")', "sight:3")
    assert (found.endless, found.length, found.lengths, found.decisions) == (1.0, None, (), None)
    assert describe_metric("length", found, nl.book("number-reach")) == "Undefined, because a game may never end."


def test_more_than_two_players_get_perfect_play_only() -> None:
    found = measure("line-runner(players=3)")
    assert (found.positions > 0, found.first, found.curve, found.players) == (True, None, (), ())
    assert describe_metric("first", found, nl.book(found.variant)) == "Available for two-player games only."
    assert measure_many([nl.book(found.variant)]) == [found]


def test_variants_of_several_shapes_are_returned_in_order() -> None:
    texts = ["flag-chase(end=9)", "line-runner", "number-reach(players=3)", "flag-chase(end=7)", "number-reach"]
    assert [found.variant for found in measure_many([nl.book(text) for text in texts], metrics=False)] == texts


def test_only_what_is_requested_is_measured() -> None:
    books = [nl.book("flag-chase"), nl.book("flag-chase(end=7)")]
    only_curve, only_metrics = measure_many(books, metrics=False)[0], measure_many(books, curve=False)[0]
    assert (only_curve.length, only_curve.fair_range) == (None, 0)
    assert (only_metrics.curve, only_metrics.fair_range) == ((), None)


def test_bots_without_a_skill_are_measured_per_variant() -> None:
    books = [nl.book("flag-chase"), nl.book("flag-chase(end=7)")]
    together = measure_many(books, ("perfect", "greedy"), curve=False)
    alone = [measure(book, ("perfect", "greedy")) for book in books]
    assert [found.first for found in together] == pytest.approx([found.first for found in alone])


def test_measuring_a_solution_does_not_solve_again(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = nl.solve(nl.book("flag-chase(end=11)"))
    monkeypatch.setattr("numberline.solver.solution.solve_table", None)
    monkeypatch.setattr("numberline.solver.cache.solve", None)
    assert measure_solution(solution).variant == "flag-chase(end=11)"
    assert measure_solution(solution, "perfect,greedy").players == ("perfect", "greedy")
