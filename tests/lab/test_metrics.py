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

AMONG = "Among players who slip in 25% of their turns,"
AVERAGED = "averaged over both starting players"
FIGURES = {
    "gap": (0.07, f"{AMONG} each player wins 43 to 57% of the games, no matter who starts."),
    "fair_range": (1, "Fair at 1 of 4 slip and 3 of 5 sight skills, no matter who starts; the smaller number counts."),
    "first": (0.11, f"{AMONG} the first player wins 11 of 100 games, averaged over both starting players."),
    "side": (0.13, "Player 1 wins 13 of 100 games, averaged over both starting players: the sides are unequal."),
    "newcomers": (0.17, "Between players who look 1 turn ahead, Player 1 wins 17 of 100 games if Player 1 starts."),
    "length": (19.5, "If Player 1 starts, a game takes 19.5 turns on average; 8 of 10 games take 7 to 33 turns."),
    "choice": (0.19, "If Player 1 starts, 19 of 100 turns have more than one legal move."),
    "decisions": (0.23, "If Player 1 starts, a mistake is possible in 23 of 100 turns."),
    "good_moves": (0.29, "If Player 1 starts and a mistake is possible, 29% of the legal moves are correct."),
    "lead_changes": (1.31, "If Player 1 starts, the theoretical winner changes 1.31 times per game."),
    "felt_lead_changes": (1.33, "If Player 1 starts, the player who is likely to win changes 1.33 times per game."),
    "comeback": (0.37, "If Player 1 starts, the winner came back from a lost position in 37 of 100 games."),
    "open": (0.41, "If Player 1 starts, the lead changes for the last time after 41% of the game, on average."),
    "uncertainty": (
        0.61,
        "If Player 1 starts, the result is 61% uncertain on average; 100% would be even chances all the time.",
    ),
    "decisiveness": (
        0.67,
        "If Player 1 starts, one player's chance of winning stays above 90% for the last 67% of a game.",
    ),
    "surprise": (
        0.71,
        "If Player 1 starts, the swings in that player's chance of winning add up to 71% over a game.",
    ),
    "hidden": (0.43, "If Player 1 starts, looking 2 turns ahead is not enough in 43 of 100 decisions."),
    "dominant_step": (
        0.73,
        "If Player 1 starts, the step that is correct most often is 3: in 73 of 100 decisions.",
    ),
    "skill": (
        0.47,
        "A slip rate of 12.5% beats a slip rate of 25% in 47 of 100 games, averaged over sides and starting players.",
    ),
    "skill_ladder": (
        6,
        f"Above random play, there are 6 levels, each beating the one below by at least 60:40, {AVERAGED}.",
    ),
    "sight_needed": (5, "Looking 5 turns ahead is enough to play perfectly, whichever player starts."),
    "endless": (0.53, f"{AMONG} 53 of 100 games never end, averaged over both starting players."),
    "waiting": (
        0.59,
        "In 59 of 100 positions, neither player can force a win, whichever player starts, so both can wait forever.",
    ),
    "rules_length": (79, "The rules have 79 words."),
}
"""A different figure for every metric, and the sentence about it."""


@cache
def measured(variant: str) -> Measurements:
    return measure(variant)


def with_figures() -> Measurements:
    figures = {name: figure for name, (figure, _) in FIGURES.items()}
    fair = ("slip:25", "sight:1", "sight:2", "sight:4")
    curve = tuple(SkillPoint(skill, 0.5 if skill in fair else 0.9, 0.5) for skill in PANEL_SKILLS)
    return measured("flag-chase")._replace(**figures, curve=curve, length_low=7, length_high=33, dominant_move="3")  # type: ignore[arg-type]  # numbers


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
        f"{AMONG} the first player wins 71 of 100 games, averaged over both starting players.",
        "If Player 1 starts, a game takes 16.7 turns on average; 8 of 10 games take 9 to 31 turns.",
        "If Player 1 starts, the winner came back from a lost position in 52 of 100 games.",
        "Looking 12 turns ahead is enough to play perfectly, whichever player starts.",
        f"{AMONG} every game ends, whichever player starts.",
        "In every position, one of the players can force a win, whichever player starts.",
    ]


@pytest.mark.parametrize(
    ("name", "changes", "sentence"),
    [
        ("hidden", {"endless": 0.5}, "Undefined, because a game may never end."),
        ("hidden", {"decisions": 0.0}, "Undefined, because no move can be a mistake."),
        ("hidden", {}, "Not measured."),
        ("uncertainty", {}, "Not measured, because games are too long."),
        ("uncertainty", {"length": None}, "Not measured."),
        ("skill_ladder", {"decisions": 0.0}, "Not measured."),
    ],
)
def test_undefined_metric_says_why(name: str, changes: dict[str, float], sentence: str) -> None:
    found = measured("flag-chase")._replace(**{name: None}, **changes)  # type: ignore[arg-type]  # numbers
    assert describe_metric(name, found, nl.book("flag-chase")) == sentence
    assert format_metric(name, found) == ""


@pytest.mark.parametrize(
    ("name", "changes", "sentence"),
    [
        ("length", {"length_high": None}, "If Player 1 starts, a game takes 19.5 turns on average."),
        (
            "length",
            {"length_high": 7},
            "If Player 1 starts, a game takes 19.5 turns on average; 8 of 10 games take 7 turns.",
        ),
        ("sight_needed", {"sight_needed": 0}, "No move can be a mistake, whichever player starts."),
        ("endless", {"endless": 0.0}, f"{AMONG} every game ends, whichever player starts."),
        (
            "waiting",
            {"waiting": 0.0},
            "In every position, one of the players can force a win, whichever player starts.",
        ),
        (
            "skill_ladder",
            {"skill_ladder": 1},
            f"Above random play, there is 1 level, which beats random play by at least 60:40, {AVERAGED}.",
        ),
        (
            "skill_ladder",
            {"skill_ladder": 0},
            "No sight skill beats random play by at least 60:40, averaged over both starting players.",
        ),
        (
            "dominant_step",
            {"dominant_step": 1.0},
            "If Player 1 starts, the step that is correct most often is 3: in all decisions.",
        ),
    ],
)
def test_sentence_of_a_special_figure(name: str, changes: dict[str, float | None], sentence: str) -> None:
    found = with_figures()._replace(**changes)  # type: ignore[arg-type]  # numbers
    assert describe_metric(name, found, nl.book("flag-chase")) == sentence


def test_length_of_hopelessly_long_games_is_rounded() -> None:
    found = measured("flag-chase")._replace(length=12_576_312.8)
    sentence = "If Player 1 starts, a game takes about 1e+07 turns on average: too long to play."
    assert describe_metric("length", found, nl.book("flag-chase")) == sentence
    assert format_metric("length", found._replace(length_low=None)) == "1e+07"


@pytest.mark.parametrize("name", [name for name in METRICS if name != "rules_length"])
def test_sentence_says_which_player_starts(name: str) -> None:
    assert "start" in describe_metric(name, with_figures(), nl.book("flag-chase"))


def test_even_sides_and_other_players_change_the_sentences() -> None:
    book, found = nl.book("flag-chase"), measured("flag-chase")
    assert describe_metric("side", found, book).endswith("both starting players: both sides have equal chances.")
    mixed = found._replace(players=("sight:3", "slip:10"))
    assert describe_metric("side", mixed, book).endswith("averaged over both starting players.")
    assert describe_metric("first", mixed, book).startswith(
        "With sight:3 as player 1 against slip:10, the first player"
    )


@pytest.mark.parametrize(
    ("players", "share", "sentence"),
    [
        (("sight:2", "sight:2"), 0.004, "Among players who look 2 turns ahead, the first player wins fewer than 1 of"),
        (("level:5", "level:5"), 0.996, "Among players of level 5, the first player wins more than 99 of 100 games"),
    ],
)
def test_sentence_names_other_skills_and_rare_results(players: tuple[str, str], share: float, sentence: str) -> None:
    found = measured("flag-chase")._replace(players=players, first=share)
    assert describe_metric("first", found, nl.book("flag-chase")).startswith(sentence)


@pytest.mark.parametrize("name", METRICS)
def test_title_is_the_key_in_words(name: str) -> None:
    renamed = {"first": "first player wins", "side": "player 1 wins"}
    assert METRICS[name].title == renamed.get(name, name.replace("_", " "))
