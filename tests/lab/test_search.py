"""Search: goals, the variants that are tried, their ranking, and error messages."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import numberline as nl
from numberline.cli.find import _print_results
from numberline.errors import BookError
from numberline.lab import search as search_module
from numberline.lab.grid import count_changes, iter_changes, parse_axis, search_axes
from numberline.lab.metrics import METRICS
from numberline.lab.search import (
    ChunkResult,
    Goal,
    GoalError,
    Search,
    SearchResult,
    parse_goal,
    parse_goals,
    run_search,
)
from support.commands import numberline

EXAMPLE = Path(__file__).parents[2] / "docs" / "example-book.toml"

# Goals


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("length=10..20", Goal("length", 10, 20)),
        ("first=0.45..0.55", Goal("first", 0.45, 0.55)),
        ("first=45%..55%", Goal("first", 0.45, 0.55)),
        ("length=..20", Goal("length", 0, 20)),
        ("length=10..", Goal("length", 10, None)),
        ("decisions=.3..", Goal("decisions", 0.3, 1)),
        ("endless=0", Goal("endless", 0, 0)),
        ("Lead changes=1..2", Goal("lead_changes", 1, 2)),
        ("fair-range = 2..4", Goal("fair_range", 2, 4)),
        ("gap=..10%", Goal("gap", 0, 0.1)),
        ("slip:20=45..55%", Goal("slip:20", 0.45, 0.55)),
        ("Sight:3=.5..", Goal("sight:3", 0.5, 1)),
    ],
)
def test_goal_is_a_metric_and_a_range(text: str, goal: Goal) -> None:
    assert parse_goal(text) == goal


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_can_be_a_goal_and_is_written_as_parsed(name: str) -> None:
    goal = parse_goal(f"{name}=0.25..")
    assert parse_goal(str(goal)) == goal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("lenght=1..2", r"unknown metric 'lenght' \(did you mean length\?\); choose from gap, fair_range, first"),
        ("length=20..10", "'length=20..10': the range is empty, because 20 is greater than 10"),
        ("first=45..55", r"'first=45..55': first must be between 0 and 1 \(or 0% and 100%\)"),
        ("length", "cannot parse goal 'length'; use e.g. length=10..20"),
        ("length=", "cannot parse goal 'length='; use e.g. length=10..20"),
        ("length=..", r"'length=..': expected a range such as 10..20, ..20"),
        ("length=short", "'length=short': expected a range such as 10..20"),
        ("length=-5..5", "'length=-5..5': expected a range such as 10..20"),
        ("first=2..", r"'first=2..': first must be between 0 and 1 \(or 0% and 100%\)"),
    ],
)
def test_invalid_goal_is_rejected(text: str, message: str) -> None:
    with pytest.raises(GoalError, match=message):
        parse_goal(text)


def test_undefined_figure_meets_no_goal() -> None:
    goal = Goal("length", 0, None)
    assert goal.met_by(1e9)
    assert not goal.met_by(None)


def test_goal_includes_its_bounds() -> None:
    goal = Goal("first", 0.45, 0.55)
    assert [goal.met_by(figure) for figure in (0.449, 0.45, 0.55, 0.551)] == [False, True, True, False]


def test_given_goals_replace_default_goals() -> None:
    assert [str(goal) for goal in parse_goals([])] == [
        "endless=0",
        "waiting=0",
        "gap=..0.1",
        "length=5..40",
        "choice=0.5..1",
        "decisions=0.25..1",
    ]
    assert [str(goal) for goal in parse_goals(["length=..9", "gap=..0.2"])] == [
        *("length=..9", "gap=..0.2", "endless=0", "waiting=0", "choice=0.5..1", "decisions=0.25..1")
    ]


def test_default_goals_can_be_dropped() -> None:
    assert parse_goals(["length=..9"], defaults=False) == (Goal("length", 0, 9),)
    found = nl.find("flag-chase", ["length=..4"], change=["end=11"], default_goals=False)
    assert [hit["variant"] for hit in found["hits"]] == ["flag-chase", "flag-chase(end=11)"]


def test_goal_given_twice_is_rejected() -> None:
    with pytest.raises(GoalError, match="the goal for length is given twice; expected one range per metric"):
        parse_goals(["length=1..2", "length=3..4"])


# Search space


@pytest.mark.parametrize("name", [*nl.NAMES, EXAMPLE])
def test_every_book_has_default_changes_without_its_own_values(name: str | Path) -> None:
    book = nl.book(name)
    axes = search_axes(book)
    assert {"steps", "operations"}.intersection(axis.name for axis in axes)
    assert 1_000 < count_changes(axes, 3) < search_module.LARGE_SEARCH_VARIANTS
    own = {setting.name: setting.value for setting in book.settings}
    assert [axis.name for axis in axes if own[axis.name] in axis.values] == []


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_every_set_of_changes_is_tried_once(most: int) -> None:
    axes = search_axes(nl.book("line-runner"), ["end=21..23", "steps=1-2;1-4", "repeat"])
    tried = list(iter_changes(axes, most))
    assert len(tried) == len(set(tried)) == count_changes(axes, most)
    assert max(map(len, tried)) == most


def test_variants_solved_together_are_neighbours() -> None:
    axes = search_axes(nl.book("line-runner"), ["end=21..23", "repeat"])
    repeats = ["repeat=banned" in settings for settings in iter_changes(axes, 2)]
    assert sum(one != other for one, other in pairwise(repeats)) == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (["speed"], "speed: Line Runner has no such setting"),
        (["end", "end=3..5"], "end is given twice; list all its values together"),
        (["end=20"], "end=20: line-runner already has 20; expected a different value"),
        (["steps=1-3;fast"], "steps=fast: expected up to 100 steps such as 1-3"),
        (["end=far,near"], "end=far: expected a whole number"),
        (["end=9..12,speed"], "'end=9..12,speed' does not list any values"),
    ],
)
def test_invalid_change_is_rejected(change: list[str], message: str) -> None:
    with pytest.raises(BookError, match=message):
        search_axes(nl.book("line-runner"), change)


def test_change_mixes_names_and_values() -> None:
    axes = search_axes(nl.book("line-runner"), ["end=21..23, steps=1-2;1-4,meeting=blocks,repeat"])
    assert [(axis.name, len(axis.values)) for axis in axes] == [("end", 3), ("steps", 2), ("meeting", 1), ("repeat", 1)]


def test_too_large_search_is_rejected_with_its_size() -> None:
    with pytest.raises(BookError, match=r"a search through [\d,]+ variants is too large; expected at most 20,000,000"):
        nl.find("number-reach", change=["target=2..20000", "start=1..5000"])
    with pytest.raises(BookError, match=r"end=1\.\.9000000 has 9,000,000 values; expected at most 100,000 for a sea"):
        nl.find("line-runner", change=["end=1..9000000"])


# Results


@pytest.mark.parametrize(
    ("name", "change", "variant"),
    [
        ("number-reach", ["target=40..44"], "number-reach(target=43)"),
        (
            "line-runner",
            ["end=22..23", "steps=1,2,5;1-4", "overshoot=refused", "repeat"],
            "line-runner(end=23, steps=1,2,5, overshoot=refused, repeat=banned)",
        ),
        ("flag-chase", ["end=27..28", "steps=1,3,5;1-4", "repeat"], "flag-chase(end=28, steps=1,3,5, repeat=banned)"),
    ],
)
def test_known_fair_variants_are_found(name: str, change: list[str], variant: str) -> None:
    found = nl.find(name, ["first=0.49..0.51"], change=change, most_changes=4, top=5)
    assert variant in [hit["variant"] for hit in found["hits"]]


def test_default_changes_include_known_fair_variants() -> None:
    tried = {axis.name: axis.values for axis in search_axes(nl.book("line-runner"))}
    assert 23 in tried["end"]
    assert "1,2,5" in tried["steps"]
    assert ("refused" in tried["overshoot"], tried["repeat"]) == (True, ("banned",))
    assert 43 in {axis.name: axis.values for axis in search_axes(nl.book("number-reach"))}["target"]
    assert 28 in {axis.name: axis.values for axis in search_axes(nl.book("flag-chase"))}["end"]


def test_hits_are_ranked_by_fair_range_then_by_fewest_changes() -> None:
    hits = nl.find("number-reach", change=["target=30..45", "repeat", "start=2"], top=20)["hits"]
    ranks = [(-hit["fair_range"], hit["changes"]) for hit in hits]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1


def test_hit_meets_every_goal_and_equals_a_single_measurement() -> None:
    [hit] = nl.find("number-reach", ["length=18..19"], change=["target"], top=1)["hits"]
    assert 18 <= hit["length"] <= 19
    assert hit["endless"] == 0
    alone = nl.measure(hit["variant"])
    assert hit["first"] == pytest.approx(alone["first"])
    assert hit["curve"] == [
        {name: pytest.approx(value) if isinstance(value, float) else value for name, value in point.items()}
        for point in alone["curve"]
    ]


def test_equal_games_are_found_once() -> None:
    anything = ["length=1.."]
    found = nl.find(
        "flag-chase", anything, change=["end=12,18", "steps=1,3;1-2", "repeat"], top=50, default_goals=False
    )
    assert found["same_as_another"] == 1
    figures = [(hit["length"], *(point["begins_1"] for point in hit["curve"])) for hit in found["hits"]]
    assert len(set(figures)) == len(figures)


def test_result_without_hits_counts_misses_per_goal() -> None:
    found = nl.find("number-reach", ["length=30.."], change=["target"])
    assert found["hits"] == []
    assert sum(found["missed"].values()) == found["tried"] - found["refused"] - found["same_as_another"] == 36
    assert found["missed"]["length=30.."] > 20


def test_result_without_hits_has_the_nearest_variants() -> None:
    found = nl.find("number-reach", ["length=19.8.."], change=["target=30..43"])
    assert [near["variant"] for near in found["nearest"]] == [f"number-reach(target={n})" for n in (43, 41, 39)]
    assert found["nearest"][0]["missed"] == ["length 19.6 misses length=19.8.. by 0.17"]


def test_variants_that_differ_in_a_number_are_one_hit() -> None:
    hit, *others = nl.find("number-reach", change=["target=41..44", "repeat"])["hits"]
    assert (hit["variant"], hit["changes"]) == ("number-reach(target=43)", 1)
    assert sorted(hit["similar"]) == [f"number-reach(target={n})" for n in (41, 42, 44)]
    assert [(other["variant"], other["similar"]) for other in others] == [("number-reach", [])]


def test_goal_for_a_skill_holds_for_both_starting_players() -> None:
    found = nl.find(
        "flag-chase",
        ["slip:20=40..60%", "endless=0"],
        change=["end=26..30", "steps=1-4;1,3,5", "repeat"],
        default_goals=False,
    )
    variants = [name for hit in found["hits"] for name in (hit["variant"], *hit["similar"])]
    assert variants
    for variant in variants:
        [point] = [point for point in nl.measure(variant, "slip:20")["curve"] if point["skill"] == "slip:20"]
        assert 0.4 <= min(point["begins_1"], point["begins_2"]) <= max(point["begins_1"], point["begins_2"]) <= 0.6


def test_players_change_the_skill_of_the_goals() -> None:
    [hit] = nl.find("flag-chase", change=["end=26", "steps=1-4", "repeat"], players="slip:20")["hits"]
    assert hit["players"] == ["slip:20", "slip:20"]
    assert hit["gap"] == pytest.approx(nl.measure(hit["variant"], "slip:20")["gap"])


@pytest.mark.parametrize(
    ("name", "change", "variant"),
    [
        ("number-line-sprint", "end=18..20,steps=1,2,4;1,2,5,repeat", "(end=19, steps=1,2,4, repeat=banned)"),
        ("reach-the-edge", "end=10..12,start=9..10,steps=2-4;1-3", "(end=11, start=10, steps=2-4)"),
        ("flag-chase", "end=27..29,steps=1,3,5;1,2,5,repeat", "(end=28, steps=1,3,5, repeat=banned)"),
    ],
)
def test_game_worth_playing_ranks_first(name: str, change: str, variant: str) -> None:
    assert nl.find(name, change=[change], top=1)["hits"][0]["variant"] == name + variant


def test_find_all_shows_the_best_of_every_book() -> None:
    out = numberline("find", "all", "--change", "repeat", "--no-default-goals", "--top", "5").out
    listed = [line.split(":")[0].split("(")[0] for line in out.splitlines() if line[:2].strip().isdigit()]
    assert sorted(name.split(". ")[1] for name in listed) == sorted(nl.NAMES)


def test_several_processes_find_the_same() -> None:
    change = ["target", "repeat", "start=2..3"]
    assert nl.find("number-reach", change=change, workers=2) == nl.find("number-reach", change=change, workers=1)


def test_interrupted_search_returns_the_best_so_far(monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("number-reach")
    search = Search(book, search_axes(book, ["target"]), parse_goals([]), 1)
    evaluate_chunk = search_module.evaluate_chunk
    monkeypatch.setattr(search_module, "CHUNK_VARIANTS", 20)
    calls = []

    def evaluate_once(search: Search, chunk: search_module.Chunk) -> ChunkResult:
        calls.append(chunk)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return evaluate_chunk(search, chunk)

    monkeypatch.setattr(search_module, "evaluate_chunk", evaluate_once)
    found = run_search(search, workers=1)
    assert (found.interrupted, found.tried) == (True, 20)
    assert found.hits


# Command


def test_search_that_tried_nothing_says_only_that(capsys: pytest.CaptureFixture[str]) -> None:
    search = Search(nl.book("flag-chase"), [parse_axis("end=8..9")], (), 1)
    _print_results([(search, SearchResult([], [], 0, 0, 0, Counter(), interrupted=True))], "", 10, is_long=False)
    assert capsys.readouterr().out == "Stopped before any variant of Flag Chase was tried.\n"


def test_command_names_the_command_to_play_the_first() -> None:
    out = numberline("find", "number-reach", "--change", "target=40..44", "--top", "2").out
    assert "\nTo play the first: numberline play 'number-reach(target=43)'\n" in out


def test_command_prints_one_line_for_each_hit() -> None:
    out = numberline("find", "number-reach", "--change", "target=40..44", "--top", "1").out
    assert (
        "\n 1. number-reach(target=43): fair among people who slip in 15 to 75% of their turns or look only 1 to 8 "
        "turns ahead; about 20 turns;"
        " but +1 is never a mistake; 4 similar variants\n"
    ) in out


def test_long_output_has_curve_and_play_command() -> None:
    out = numberline("find", "number-reach", "--change", "target=43", "--top", "1", "--long").out
    assert (
        "    fair at 2 of 4 slip and 5 of 5 sight skills; 1 change; with perfect play, player 2 wins in 42 turns\n"
        in out
    )
    assert "   first player wins: slip 50: 50%, 25: 50%, 10: 44%, 5: 33%; sight 1: 49%" in out
    assert "   at other skill levels: slip 75: 50%, 15: 48%; sight 5: 48%, 8: 47%\n" in out
    assert out.endswith("   numberline play 'number-reach(target=43)'\n")


def test_custom_book_is_played_from_its_file() -> None:
    out = numberline("find", str(EXAMPLE), "--change", "bank=36", "--long", "--no-default-goals").out
    command = out.splitlines()[-1].strip()
    assert command == f"numberline play '{EXAMPLE}(bank=36)'"
    assert numberline("rules", f"{EXAMPLE}(bank=36)").code == 0


def test_command_without_hits_says_why() -> None:
    ran = numberline("find", "number-reach", "--change", "target=40..43", "--goal", "length=30..")
    assert "No variant meets every goal. length=30.. excludes 5 variants." in ran.out
    assert ran.code == 0


def test_command_prints_and_writes_json(tmp_path: Path) -> None:
    ran = numberline("find", "number-reach", "--change", "target=43", "--json", "--out", str(tmp_path / "found.json"))
    assert json.loads(ran.out) == json.loads((tmp_path / "found.json").read_text())
    assert json.loads(ran.out)["hits"][0]["play"] == "numberline play 'number-reach(target=43)'"


def test_command_says_what_was_tried_and_for_whom() -> None:
    ran = numberline("find", "number-reach", "--change", "target=40..44", "--players", "slip:20")
    assert "Settings changed: target (40..44); up to 3 at once." in ran.out
    assert "Figures are for two players who slip in 20% of their turns." in " ".join(ran.out.split())


def test_large_search_needs_confirmation() -> None:
    ran = numberline("find", "number-reach", "--change", "target=2..300", "--change", "start=1..300")
    assert " variants: about " in ran.err
    assert "use --yes to start anyway, or choose fewer variants." in ran.err
    assert ran.code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other signals")
@pytest.mark.soak
def test_ctrl_c_prints_the_best_so_far() -> None:
    command = [sys.executable, "-m", "numberline", "find", "number-reach", "--workers", "1", "--most-changes", "4"]
    for seconds in (6, 18, 54):  # a busy machine takes longer to measure the first variants
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
            time.sleep(seconds)
            process.send_signal(signal.SIGINT)
            out, _ = process.communicate(timeout=60)
        assert process.returncode == 130
        if "before any variant" not in out:
            break
    assert "Stopped after " in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--goal", "fun=1.."], "unknown metric 'fun'; choose from gap, fair_range, first"),
        (["--goal", "length=9..3"], "'length=9..3': the range is empty"),
        (["--change", "speed"], "speed: Line Runner has no such setting"),
        (["--set", "players=3"], "has 3 players; find supports only two-player games."),
    ],
)
def test_invalid_search_is_rejected(arguments: list[str], message: str) -> None:
    ran = numberline("find", "line-runner", *arguments)
    assert message in ran.err
    assert ran.code == 2
