"""`numberline measure`: its output for one variant and for two, charts at any width, and error messages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from rich.text import Text

import numberline as nl
from numberline.cli.find import command as find_command
from numberline.cli.measure import command as measure_command
from numberline.lab.measure import measure
from numberline.lab.metrics import METRICS, Measurements, SkillPoint, better_variant
from numberline.lab.summary import compare, describe_differences, describe_fair_skills, summarize
from numberline.terminal.measurements import (
    render_balance_chart,
    render_comparison,
    render_heatmap,
    render_metrics,
)
from numberline.views.charts import HeatMap
from support.commands import numberline
from support.mixtures import book_of, mixtures

DOCS = Path(__file__).parents[2] / "docs"
SKILLS = (
    "slip:75",
    "slip:50",
    "slip:25",
    "slip:15",
    "slip:10",
    "slip:5",
    *(f"sight:{n}" for n in (1, 2, 3, 4, 5, 6, 8)),
)


def curve(shares: dict[str, float], *, other: float = 0.0, endless: float = 0.0) -> tuple[SkillPoint, ...]:
    """A curve at one half except for these skills; player 2 wins `other` more often as the first player."""
    chosen = [(skill, shares.get(skill, 0.5)) for skill in SKILLS]
    return tuple(SkillPoint(skill, share, share + other, endless, endless) for skill, share in chosen)


def measurements(points: tuple[SkillPoint, ...], **known: object) -> Measurements:
    """Measurements of a game that player 1 wins in 3 turns."""
    return Measurements("flag-chase", 1, 3, ("2", "3"), 38, curve=points)._replace(**known)  # type: ignore[arg-type]  # any of its fields


def lines(drawn: Sequence[Text]) -> list[str]:
    return [line.plain for line in drawn]


def as_ascii(drawn: Sequence[Text]) -> list[str]:
    """Return the lines as a terminal without Unicode prints them."""
    return [line.plain.encode("ascii", "numberline-ascii").decode() for line in drawn]


# One variant


def test_summary_comes_first_then_the_curve_then_every_metric() -> None:
    out = numberline("measure", "flag-chase").out
    assert out.startswith(
        "Flag Chase\n\nWith perfect play, Player 1 starts with 2 or 3 and wins in 3 turns. Among people who know the "
        "game but slip in 25% of their turns, the first player wins 86 of 100 games; among newcomers who look 1 "
        "turn ahead, 78. It isn't fair at any skill level: the first player always has the edge.\n\n"
        "How often the first player wins"
    )
    titles = [out.index(f"\n{metric.title} ") for metric in METRICS.values()]
    assert titles == sorted(titles)


def test_custom_book_is_measured() -> None:
    out = numberline("measure", str(DOCS / "example-book.toml"), "--set", "bank=10").out
    assert out.startswith("Heron Pond: ")
    assert "\nsight needed " in out


def test_game_for_three_has_perfect_play_only() -> None:
    out = numberline("measure", "number-reach(players=3)").out
    assert "With perfect play, no player can force a win.\n" in out
    assert "108 positions can be reached." in out
    assert "for two players only" in out


def test_json_is_the_plain_data() -> None:
    # Compiled and interpreted kernels round differently in the last digit.
    texts = numberline("measure", "flag-chase", "--json").out, json.dumps(measure("flag-chase").data())
    report, expected = (json.loads(text, parse_float=lambda number: round(float(number), 12)) for text in texts)
    assert report == expected


def test_metrics_are_those_of_the_named_players() -> None:
    out = numberline("measure", "flag-chase", "--players", "sight:3,slip:10").out
    assert "\nEvery metric, for sight:3 as player 1 and slip:10 as player 2:\n" in out
    first = measure("flag-chase", "sight:3,slip:10").first
    assert f"\nfirst player wins  {first:.3f} " in out


@pytest.mark.parametrize(
    ("arguments", "message", "code"),
    [
        (["flag-chase", "--players", "mcts"], "--players: 'mcts' has no known move probabilities", 2),
        (["flag-chase", "--players", "slip:1,slip:2,slip:3"], "3 skills given", 2),
        (["flag-chse"], "unknown book 'flag-chse'; did you mean flag-chase?", 2),
        (["flag-chase", "--html", "no/such/page.html"], "folder no/such does not exist; create it first", 1),
        (["flag-chase", "--plot", "chart.txt"], "chart.txt: --plot writes SVG files; name it chart.svg", 2),
        (["line-runner(end=100)", "--memory", "100KB"], "the limit is 100.0 KiB", 1),
    ],
)
def test_invalid_measure_is_rejected_with_one_line(arguments: list[str], message: str, code: int) -> None:
    ran = numberline("measure", *arguments)
    assert message in ran.err
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1)


# Summary


@pytest.mark.parametrize(
    ("points", "sentence"),
    [
        (
            curve({}),
            "It is fair (each player wins 45 to 55% of the games, no matter who starts) at every skill level",
        ),
        (curve(dict.fromkeys(SKILLS, 0.6)), "It isn't fair at any skill level: the first player always has the edge."),
        (curve(dict.fromkeys(SKILLS, 0.4)), "It isn't fair at any skill level: the second player always has the edge."),
        (
            curve(dict.fromkeys(SKILLS, 0.6) | {"slip:50": 0.5, "sight:1": 0.5, "sight:2": 0.5, "sight:3": 0.5}),
            "among people who slip in 50% of their turns or look only 1 to 3 turns ahead.",
        ),
    ],
)
def test_summary_says_for_whom_a_game_is_fair(points: tuple[SkillPoint, ...], sentence: str) -> None:
    assert sentence in summarize(measurements(points), nl.book("flag-chase"))[-1]


def test_summary_does_not_compare_newcomers_with_themselves() -> None:
    summary = " ".join(summarize(measure(nl.book("flag-chase"), "sight:1"), nl.book("flag-chase")))
    assert "slip in 25% of their turns, the first player wins 86 of 100 games; among newcomers" in summary


def test_game_that_is_fair_nowhere_names_its_fairest_skill() -> None:
    nearest = "nearest to fair among players who slip in 75% of their turns (28 to 72%)"
    assert describe_fair_skills(measure(nl.book("flag-chase"))) == nearest


def test_summary_reports_both_players_if_they_differ() -> None:
    summary = " ".join(summarize(measurements(curve({}, other=0.1)), nl.book("flag-chase")))
    assert "the first player wins 50 of 100 games as Player 1, 60 as Player 2;" in summary


def test_summary_reports_endless_games() -> None:
    summary = " ".join(summarize(measurements(curve({}, endless=0.12)), nl.book("flag-chase")))
    assert "Games that never end: 12 of 100 among the former, 12 of 100 among the latter." in summary


def test_summary_reports_endless_perfect_play() -> None:
    assert summarize(measurements((), winner=0, plies=None), nl.book("flag-chase")) == [
        "With perfect play, the game never ends."
    ]


# Balance chart


def test_dot_lies_in_the_fair_band_exactly_if_fair() -> None:
    shares = (0.0, 0.3, 0.449, 0.4501, 0.5, 0.5499, 0.551, 0.7, 1.0)
    for width in range(34, 121):
        for share in shares:
            points = [SkillPoint("slip:25", at, at) for at in (share, 0.0)]
            row, empty = (line for line in lines(render_balance_chart(points, width)) if "│" in line)
            strip = range(empty.index("░"), empty.rindex("░") + 1)
            assert (row.index("●") in strip) == (0.45 <= share <= 0.55)


def test_balance_chart_can_be_plain_ascii() -> None:
    drawn = as_ascii(render_balance_chart(curve({"slip:25": 0.7}, other=0.1, endless=0.05), 40))
    assert all(line.isascii() for line in drawn)
    assert any("72" in line and "82" in line and "~5" in line for line in drawn)


def test_share_that_would_look_fair_has_a_decimal() -> None:
    rows = lines(render_balance_chart(curve({"sight:3": 0.551, "sight:4": 0.549}), 80))
    assert any(row.lstrip().startswith("3 ") and row.endswith("55.1") for row in rows)
    assert any(row.lstrip().startswith("4 ") and row.endswith("55 fair") for row in rows)


@settings(max_examples=25, deadline=None)
@given(mixtures(largest=300).filter(lambda text: book_of(text).rules.players == 2))
def test_all_output_fits_forty_columns(text: str) -> None:
    book = book_of(text)
    measured = measure(book)
    drawn = [
        *render_balance_chart(measured.curve, 40),
        *render_metrics(measured, book, 40),
        *render_comparison(measured, measured, 40),
    ]
    assert max(map(len, lines(drawn))) <= 40


# Comparison


@pytest.mark.parametrize(
    ("name", "one", "other", "better"),
    [
        ("gap", 0.2, 0.1, "B"),
        ("choice", 0.9, 0.5, "A"),
        ("first", 0.4, 0.55, "B"),
        ("skill_ladder", 2, 5, "B"),
        ("length", 5.0, 9.0, ""),
        ("gap", 0.1001, 0.1002, ""),
        ("first", 0.4, 0.6, ""),
        ("gap", None, 0.1, ""),
    ],
)
def test_better_variant_is_nearer_to_the_aim(name: str, one: float | None, other: float | None, better: str) -> None:
    assert better_variant(name, measurements((), **{name: one}), measurements((), **{name: other})) == better


@pytest.mark.parametrize(("width", "row"), [(80, "gap  0.200  0.100  B"), (40, "A 0.200  B 0.100  B is better")])
def test_comparison_names_the_better_variant(width: int, row: str) -> None:
    one = measure("flag-chase")
    drawn = lines(render_comparison(one._replace(gap=0.2), one._replace(gap=0.1), width))
    assert row.split() in [line.split() for line in drawn]


def test_positions_are_aligned_by_distance_from_the_goal() -> None:
    out = numberline("measure", "flag-chase", "flag-chase(end=12)").out
    assert (
        "\nDifferences: end 10 becomes 12.\n"
        "A and B have 38 positions at matching distances from the goals: none changed; the" in out
    )
    assert (
        "\n                   A              B              better\nperfect play       player 1 in 3  player 1 in 3\n"
        in out
    )


@pytest.mark.parametrize(
    ("one", "other", "sentence"),
    [
        (
            "flag-chase",
            "flag-chase(stuck=loses)",
            "It is the same game: the positions of A and B correspond one to one; only names differ.",
        ),
        ("flag-chase", "flag-chase", "The settings are the same."),
        ("number-reach", "number-reach(target=43)", "18 did not change, 4 have the same winner in a different number"),
        (
            "number-reach",
            "number-reach(players=3)",
            "Positions can't be aligned: the variants have different numbers of players.",
        ),
        (
            "flag-chase",
            "flag-chase(tokens=2)",
            "Positions can't be aligned: the variants have different numbers of tokens.",
        ),
        (
            "flag-chase",
            "flag-chase(repeat=banned)",
            "Positions can't be aligned: the rules for repeating a move differ.",
        ),
        ("flag-chase", "number-line-sprint", "A is Flag Chase, B is Number Line Sprint."),
    ],
)
def test_comparison_describes_the_differences(one: str, other: str, sentence: str) -> None:
    books = [nl.book(one), nl.book(other)]
    assert sentence in " ".join(describe_differences(compare(*map(nl.solve, books)), books))


def test_variant_is_the_same_game_as_itself() -> None:
    solution = nl.solve(nl.book("reach-the-edge"))
    found = compare(solution, solution)
    assert found.same_game
    assert found.alignment
    assert found.alignment == (solution.size,) * 3


def test_comparison_as_json_has_both_variants() -> None:
    report = json.loads(numberline("measure", "flag-chase", "flag-chase(end=12)", "--json").out)
    assert [each["variant"] for each in report["variants"]] == ["flag-chase", "flag-chase(end=12)"]
    assert report["comparison"] == {
        "settings": [{"name": "end", "one": "10", "other": "12"}],
        "same_game": False,
        "common": 38,
        "same": 38,
        "same_winner": 38,
        "note": "",
    }


# Heat map


def percent(figure: float) -> str:
    return f"{100 * figure:.0f}"


def heat(rows: int, columns: int, width: int) -> list[str]:
    cells = [[(x + y) / (rows + columns) for x in range(columns)] for y in range(rows)]
    names = [f"r{n}" for n in range(1, rows + 1)], [str(n) for n in range(1, columns + 1)]
    drawn = HeatMap("r", "c", *names, cells, percent, fair=(0.45, 0.55))
    return lines(render_heatmap(drawn, "a title", width))


@pytest.mark.parametrize("width", [40, 60, 100, 200])
@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 60), (17, 23), (40, 150)])
def test_heat_map_fits_the_window_and_has_every_column(rows: int, columns: int, width: int) -> None:
    drawn = heat(rows, columns, width)
    assert max(map(len, drawn)) <= width
    fields = [line.partition(f"r{rows} ")[2] for line in drawn if line.lstrip().startswith(f"r{rows} ")]
    shades = any(shade in field for field in fields for shade in "·░▒▓█")
    assert sum(len(field) if shades else len(field.split()) for field in fields) == columns


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (4, 12)])
def test_heat_map_numbers_mark_each_fair_cell(rows: int, columns: int) -> None:
    drawn = heat(rows, columns, 100)
    shares = [[(x + y) / (rows + columns) for x in range(columns)] for y in range(rows)]
    marked = [[percent(share) + "*" * (0.45 <= share <= 0.55) for share in row] for row in shares]
    assert [line.split()[1:] for line in drawn if line.lstrip().startswith("r")] == marked
    assert "*" in "".join(marked[-1])
    assert drawn[-1] == "* fair, from 45 to 55"


def test_heat_map_shades_mark_each_fair_cell() -> None:
    drawn = heat(20, 100, 120)
    shares = [[(x + y) / 120 for x in range(100)] for y in range(20)]
    low, high = shares[0][0], shares[-1][-1]
    shades = [
        "".join(
            "=" if 0.45 <= share <= 0.55 else "·░▒▓█"[min(4, int((share - low) / (high - low) * 5))] for share in row
        )
        for row in shares
    ]
    assert [line.split()[1] for line in drawn if line.lstrip().startswith("r")] == shades
    assert "= fair, from 45 to 55" in " ".join(drawn[-2:])


def test_heat_map_shades_are_distinct_in_ascii() -> None:
    legend = as_ascii([Text(line) for line in heat(20, 100, 120)[-1:]])
    assert re.findall(r"(?:^|, )(\S) ", " ".join(legend)) == [*".:*%#", "="]


@pytest.mark.parametrize(("rows", "columns"), [(3, 3), (20, 100)])
def test_heat_map_without_fair_bounds_has_no_marks(rows: int, columns: int) -> None:
    cells = [[(x + y) / (rows + columns) for x in range(columns)] for y in range(rows)]
    names = [f"r{n}" for n in range(rows)], [str(n) for n in range(columns)]
    drawn = lines(render_heatmap(HeatMap("r", "c", *names, cells, percent), "", 120))
    assert not {"*", "="} & set("".join(drawn))
    assert "fair" not in "".join(drawn)


def test_heat_map_explains_letters_for_long_values() -> None:
    drawn = lines(render_heatmap(HeatMap("", "", ["8"], ["1, 2 and 5", "1-3"], [[0.2, "nobody"]], percent), "", 40))
    assert drawn == ["       a      b", "8     20 nobody", "a: 1, 2 and 5", "b: 1-3"]


@pytest.mark.parametrize(
    ("command", "arguments"), [(measure_command, ["flag-chase"]), (find_command, ["flag-chase", "--most-changes", "1"])]
)
def test_first_measurement_says_that_it_compiles(
    monkeypatch: pytest.MonkeyPatch, command: click.Command, arguments: list[str]
) -> None:
    monkeypatch.setattr("numberline.terminal.coach.use_jit", lambda _: True)
    said = []
    for compiled in (False, True):
        monkeypatch.setattr("numberline.terminal.coach.is_compiled", lambda _, compiled=compiled: compiled)
        ran = CliRunner().invoke(command, arguments, catch_exceptions=False)
        said.append("compiling the measurement code" in ran.stderr)
    assert said == [True, False]
