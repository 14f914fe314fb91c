"""Metrics: every metric has a figure and a sentence, and the sentence states that figure."""

from __future__ import annotations

from functools import cache

import pytest

import numberline as nl
from numberline.lab.measure import measure
from numberline.lab.metrics import (
    METRICS,
    PANEL_SKILLS,
    Measurements,
    SkillPoint,
    describe_metric,
    format_figure,
    format_metric,
)

FIGURES = {
    "gap": (
        0.07,
        "Among players who slip in 25 % of their turns, each player wins 43 to 57 %, whichever player starts.",
    ),
    "fair_range": (1, "Fair at 1 of 4 slips and 3 of 5 sights, whichever player starts; the smaller number counts."),
    "first": (0.11, "Among players who slip in 25 % of their turns, the first player wins 11 of 100 games."),
    "side": (0.13, "Player 1 wins 13 of 100 games, averaged over both starting players: the sides are unequal."),
    "newcomers": (0.17, "Between players who look 1 turn ahead, Player 1 starts and wins 17 of 100 games."),
    "length": (19.5, "A game takes 19.5 turns on average; 8 of 10 games take 7 to 33 turns."),
    "choice": (0.19, "If Player 1 starts, 19 of 100 turns have more than one legal move."),
    "decisions": (0.23, "In 23 of 100 turns a move can be a mistake."),
    "good_moves": (0.29, "When a mistake is possible, 29 % of the legal moves are correct."),
    "lead_changes": (1.31, "The theoretical winner changes 1.31 times per game."),
    "comeback": (0.37, "In 37 of 100 games the winner came back from a lost position."),
    "open": (0.41, "The lead changes for the last time after 41 % of the game, on average."),
    "hidden": (0.43, "In 43 of 100 decisions, looking 2 turns ahead is not enough."),
    "skill": (0.47, "A player who slips half as often as the opponent (12.5 % against 25 %) wins 47 of 100 games."),
    "sight_needed": (5, "Looking 5 turns ahead is enough to play perfectly."),
    "endless": (0.53, "Among players who slip in 25 % of their turns, 53 of 100 games never end."),
    "waiting": (0.59, "In 59 of 100 positions neither player can force a win, so both can wait forever."),
}
"""A different figure for every metric, and the sentence about it."""


@cache
def measured(variant: str) -> Measurements:
    return measure(variant)


def with_figures() -> Measurements:
    figures = {name: figure for name, (figure, _) in FIGURES.items()}
    fair = ("slip:25", "sight:1", "sight:2", "sight:4")
    curve = tuple(SkillPoint(skill, 0.5 if skill in fair else 0.9, 0.5) for skill in PANEL_SKILLS)
    return measured("flag-chase")._replace(**figures, curve=curve, length_low=7, length_high=33)  # type: ignore[arg-type]  # numbers


def test_every_metric_has_a_different_figure_here() -> None:
    assert list(FIGURES) == list(METRICS)
    assert len({figure for figure, _ in FIGURES.values()}) == len(METRICS)


@pytest.mark.parametrize("name", METRICS)
def test_sentence_states_the_figure_of_its_metric(name: str) -> None:
    assert describe_metric(name, with_figures(), nl.book("flag-chase")) == FIGURES[name][1]


@pytest.mark.parametrize("name", METRICS)
def test_table_cell_states_the_figure_of_its_metric(name: str) -> None:
    cell = format_metric(name, with_figures())
    assert cell.split()[0] == format_figure(name, FIGURES[name][0])
    assert float(cell.split()[0]) == FIGURES[name][0]


def test_metric_has_a_field_of_measurements() -> None:
    missing = set(METRICS) - set(Measurements._fields)
    assert not missing, f"add {sorted(missing)} to Measurements in lab/metrics.py, and compute it in lab/measure.py"


@pytest.mark.parametrize("book", nl.NAMES)
@pytest.mark.parametrize("name", METRICS)
def test_every_book_has_a_figure_and_a_sentence(book: str, name: str) -> None:
    assert format_metric(name, measured(book))
    sentence = describe_metric(name, measured(book), nl.book(book))
    assert sentence[0].isupper()
    assert sentence.endswith(".")


def test_sentences_about_reach_the_edge() -> None:
    book, found = nl.book("reach-the-edge"), measured("reach-the-edge")
    names = ("first", "length", "comeback", "sight_needed", "endless", "waiting")
    assert [describe_metric(name, found, book) for name in names] == [
        "Among players who slip in 25 % of their turns, the first player wins 71 of 100 games.",
        "A game takes 16.7 turns on average; 8 of 10 games take 9 to 31 turns.",
        "In 52 of 100 games the winner came back from a lost position.",
        "Looking 12 turns ahead is enough to play perfectly.",
        "Among players who slip in 25 % of their turns, every game ends.",
        "In every position one of the players can force a win.",
    ]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"endless": 0.5}, "Undefined, because a game may never end."),
        ({"decisions": 0.0}, "Undefined, because no move can be a mistake."),
        ({}, "Not measured."),
    ],
)
def test_undefined_metric_says_why(changes: dict[str, float], sentence: str) -> None:
    found = measured("flag-chase")._replace(hidden=None, **changes)  # type: ignore[arg-type]  # numbers
    assert describe_metric("hidden", found, nl.book("flag-chase")) == sentence
    assert format_metric("hidden", found) == ""


def test_even_sides_and_other_players_change_the_sentences() -> None:
    book, found = nl.book("flag-chase"), measured("flag-chase")
    assert describe_metric("side", found, book).endswith("both starting players: both sides have equal chances.")
    mixed = found._replace(players=("sight:3", "slip:10"))
    assert describe_metric("side", mixed, book).endswith("averaged over both starting players.")
    assert describe_metric("first", mixed, book).startswith(
        "With sight:3 as player 1 against slip:10, the first player"
    )
