"""Finding variants: goals as they are written, what is tried, how it is ranked, and what is refused in a sentence."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

import numberline as nl
from numberline.errors import BookError
from numberline.lab import search as search_module
from numberline.lab.goals import Goal, GoalError, parse_goal, with_default_goals
from numberline.lab.metrics import METRICS
from numberline.lab.search import ChunkResult, Search, search
from numberline.lab.search_space import changes, count_variants, search_axes
from support.commands import numberline

EXAMPLE = Path(__file__).parents[2] / "docs" / "example-book.toml"

# Goals


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("length=10..20", Goal("length", 10, 20)),
        ("first=0.45..0.55", Goal("first", 0.45, 0.55)),
        ("first=45%..55 %", Goal("first", 0.45, 0.55)),
        ("length=..20", Goal("length", 0, 20)),
        ("length=10..", Goal("length", 10, None)),
        ("decisions=.3..", Goal("decisions", 0.3, 1)),
        ("endless=0", Goal("endless", 0, 0)),
        ("Lead changes=1..2", Goal("lead_changes", 1, 2)),
        ("fair-range = 5..9", Goal("fair_range", 5, 9)),
    ],
)
def test_a_goal_is_a_metric_and_a_range(text: str, goal: Goal) -> None:
    assert parse_goal(text) == goal


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_can_be_a_goal_and_is_written_as_it_is_read(name: str) -> None:
    goal = parse_goal(f"{name}=0.25..")
    assert parse_goal(str(goal)) == goal


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("lenght=1..2", r"'lenght' is no metric \(did you mean length\?\); expected one of fair_range, first"),
        ("length=20..10", "'length=20..10': the range is empty, as 20 is more than 10"),
        ("first=45..55", "'first=45..55': the range is empty, as first goes from 0 to 1, or in percent"),
        ("length", "'length' is no goal; write it as length=10..20"),
        ("length=", "'length=' is no goal; write it as length=10..20"),
        ("length=..", r"'length=..': expected a range such as 10..20, ..20"),
        ("length=short", "'length=short': expected a range such as 10..20"),
        ("length=-5..5", "'length=-5..5': expected a range such as 10..20"),
    ],
)
def test_what_is_no_goal_is_refused(text: str, sentence: str) -> None:
    with pytest.raises(GoalError, match=sentence):
        parse_goal(text)


def test_a_figure_that_is_not_known_meets_no_goal() -> None:
    goal = Goal("length", 0, None)
    assert goal.met_by(1e9)
    assert not goal.met_by(None)


def test_bounds_count_as_within() -> None:
    goal = Goal("first", 0.45, 0.55)
    assert [goal.met_by(figure) for figure in (0.449, 0.45, 0.55, 0.551)] == [False, True, True, False]


def test_own_goals_take_the_place_of_the_usual_ones() -> None:
    assert [str(goal) for goal in with_default_goals([])] == [
        "endless=0",
        "waiting=0",
        "fair_range=1..9",
        "length=5..40",
        "decisions=0.1..1",
    ]
    assert [str(goal) for goal in with_default_goals([parse_goal("length=..9"), parse_goal("first=0.6..0.8")])] == [
        *("length=..9", "first=0.6..0.8", "endless=0", "waiting=0", "decisions=0.1..1")
    ]


def test_a_goal_given_twice_is_refused() -> None:
    with pytest.raises(GoalError, match="length is given twice as a goal; give one range for it"):
        with_default_goals([parse_goal("length=1..2"), parse_goal("length=3..4")])


# What is tried


@pytest.mark.parametrize("name", [*nl.NAMES, EXAMPLE])
def test_every_book_has_usual_changes_and_none_is_what_it_is_already(name: str | Path) -> None:
    book = nl.book(name)
    axes = search_axes(book)
    assert {"steps", "operations"}.intersection(axis.name for axis in axes)
    assert 1_000 < count_variants(axes, 3) < search_module.LARGE_SEARCH_VARIANTS
    own = {setting.name: setting.value for setting in book.settings}
    assert [axis.name for axis in axes if own[axis.name] in axis.values] == []


@pytest.mark.parametrize("most", [0, 1, 2, 3])
def test_every_set_of_changes_is_tried_once(most: int) -> None:
    axes = search_axes(nl.book("line-runner"), ["end=21..23", "steps=1-2;1-4", "repeat"])
    tried = list(changes(axes, most))
    assert len(tried) == len(set(tried)) == count_variants(axes, most)
    assert max(map(len, tried)) == most


def test_variants_that_are_solved_together_are_tried_together() -> None:
    axes = search_axes(nl.book("line-runner"), ["end=21..23", "repeat"])
    repeats = ["repeat=banned" in settings for settings in changes(axes, 2)]
    assert sum(one != other for one, other in pairwise(repeats)) == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (["speed"], "speed: Line Runner has no such setting"),
        (["end", "end=3..5"], "end is to be changed twice; name it once"),
        (["end=20"], "end=20: 20 is what line-runner has; expected another value"),
        (["steps=1-3;fast"], "steps=fast: expected steps such as 1-3"),
        (["end=far,near"], "end=far: expected a whole number"),
    ],
)
def test_a_change_that_is_none_is_refused(change: list[str], sentence: str) -> None:
    with pytest.raises(BookError, match=sentence):
        search_axes(nl.book("line-runner"), change)


def test_a_search_that_is_too_large_is_refused_at_once_with_its_size() -> None:
    with pytest.raises(BookError, match=r"a search through [\d,]+ variants is too large; expected at most 20,000,000"):
        nl.find("number-reach", change=["target=2..20000", "start=1..5000"])
    with pytest.raises(BookError, match=r"end=1\.\.9000000 has 9,000,000 values; expected at most 100,000 for a sea"):
        nl.find("line-runner", change=["end=1..9000000"])


# What is found


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
def test_the_known_fair_variants_come_up(name: str, change: list[str], variant: str) -> None:
    found = nl.find(name, ["first=0.49..0.51"], change=change, most_changes=4, top=5)
    assert variant in [hit["variant"] for hit in found["hits"]]


def test_the_usual_changes_have_the_known_fair_variants() -> None:
    tried = {axis.name: axis.values for axis in search_axes(nl.book("line-runner"))}
    assert "23" in tried["end"]
    assert "1,2,5" in tried["steps"]
    assert ("refused" in tried["overshoot"], tried["repeat"]) == (True, ("banned",))
    assert "43" in {axis.name: axis.values for axis in search_axes(nl.book("number-reach"))}["target"]
    assert "28" in {axis.name: axis.values for axis in search_axes(nl.book("flag-chase"))}["end"]


def test_hits_are_ranked_by_fair_range_then_by_fewest_changes() -> None:
    hits = nl.find("number-reach", change=["target=30..45", "repeat", "start=2"], top=20)["hits"]
    ranks = [(-hit["fair_range"], hit["changes"]) for hit in hits]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1


def test_a_hit_meets_every_goal_and_is_what_is_measured_alone() -> None:
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
    anything = ["fair_range=0..9", "decisions=0..", "length=1.."]
    found = nl.find("flag-chase", anything, change=["end=12,18", "steps=1,3;1-2", "repeat"], top=50)
    assert found["same_as_another"] == 1
    figures = [(hit["length"], *(point["begins_1"] for point in hit["curve"])) for hit in found["hits"]]
    assert len(set(figures)) == len(figures)


def test_where_nothing_is_found_each_goal_says_how_many_it_keeps_out() -> None:
    found = nl.find("number-reach", ["length=30.."], change=["target"])
    assert found["hits"] == []
    assert sum(found["missed"].values()) == found["tried"] - found["refused"] - found["same_as_another"] == 36
    assert found["missed"]["length=30.."] > 20


def test_several_processes_find_the_same() -> None:
    asked = ["target", "repeat", "start=2..3"]
    assert nl.find("number-reach", change=asked, workers=2) == nl.find("number-reach", change=asked, workers=1)


def test_what_was_found_before_ctrl_c_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    book = nl.book("number-reach")
    asked = Search(book, search_axes(book, ["target"]), with_default_goals([]), 1)
    judge = search_module.evaluate_chunk
    monkeypatch.setattr(search_module, "CHUNK_VARIANTS", 20)
    calls = []

    def judged_once(trial: search_module.SearchChunk) -> ChunkResult:
        calls.append(trial)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return judge(trial)

    monkeypatch.setattr(search_module, "evaluate_chunk", judged_once)
    found = search(asked, workers=1)
    assert (found.interrupted, found.tried) == (True, 20)
    assert found.hits


# The command


def test_a_search_tells_each_hit_with_its_curve_and_how_to_play_it() -> None:
    out = numberline("find", "number-reach", "--change", "target=43", "--top", "1").out
    assert "1. number-reach(target=43)\n   fair at 7 of 9 skills; 1 change; with perfect play player 2 wins" in out
    assert "   who begins wins: slip 50: 50%, 25: 50%, 10: 44%, 5: 33%; sight 1: 49%" in out
    assert "   at other skills: slip 75: 50%, 15: 48%; sight 5: 48%, 8: 47%\n" in out
    assert out.endswith("   numberline play 'number-reach(target=43)'\n")


def test_a_book_of_ones_own_is_played_from_its_file() -> None:
    out = numberline("find", str(EXAMPLE), "--change", "bank=36", "--top", "1").out
    command = out.splitlines()[-1].strip()
    assert command == f"numberline play '{EXAMPLE}(bank=36)'"
    assert numberline("rules", f"{EXAMPLE}(bank=36)").code == 0


def test_a_search_in_vain_says_why() -> None:
    ran = numberline("find", "number-reach", "--change", "target=40..43", "--goal", "length=30..")
    assert "None meets every goal. length=30.. keeps out 5." in ran.out
    assert ran.code == 0


def test_a_search_for_programs_is_printed_and_written(tmp_path: Path) -> None:
    ran = numberline("find", "number-reach", "--change", "target=43", "--json", "--out", str(tmp_path / "found.json"))
    assert json.loads(ran.out) == json.loads((tmp_path / "found.json").read_text())
    assert json.loads(ran.out)["hits"][0]["play"] == "numberline play 'number-reach(target=43)'"


def test_a_large_search_says_its_size_and_waits_for_a_yes() -> None:
    ran = numberline("find", "number-reach", "--change", "target=2..300", "--change", "start=1..300")
    assert " variants: about " in ran.err
    assert "give --yes to begin it, or change fewer settings." in ran.err
    assert ran.code == 2


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent otherwise there")
@pytest.mark.soak
def test_ctrl_c_prints_what_was_found() -> None:
    command = [sys.executable, "-m", "numberline", "find", "number-reach", "--workers", "1", "--most-changes", "4"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        time.sleep(6)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert "Broken off after " in out
    assert process.returncode == 130


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--goal", "fun=1.."], "'fun' is no metric; expected one of fair_range, first"),
        (["--goal", "length=9..3"], "'length=9..3': the range is empty"),
        (["--change", "speed"], "speed: Line Runner has no such setting"),
        (["--set", "players=3"], "has 3 players; how fair it is can be said for two."),
    ],
)
def test_a_search_that_is_none_is_refused(arguments: list[str], sentence: str) -> None:
    ran = numberline("find", "line-runner", *arguments)
    assert sentence in ran.err
    assert ran.code == 2
