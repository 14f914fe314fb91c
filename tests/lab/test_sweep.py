"""Sweeps: axes, periods, rows, folders that resume, estimates, and the command `map`."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import numberline as nl
from numberline.errors import BookError
from numberline.lab.grid import MAX_VARIANTS, Grid, map_axis, parse_axis
from numberline.lab.metrics import METRICS
from numberline.lab.sweep import INVALID, estimate, find_period, run_sweep
from numberline.lab.sweep_store import FORMAT_VERSION, MapError, SweepPlan, measure_shard
from numberline.solver.solution import solve
from support import cluster_jobs
from support.commands import numberline

EXAMPLE = Path(__file__).parents[2] / "docs" / "example-book.toml"
LONG = ("number-reach", "target=2..900")
"""A sweep of sixteen shards."""


def rows(*settings: str, **options: object) -> list[dict[str, object]]:
    found: list[dict[str, object]] = nl.map(*settings, **options)["rows"]  # type: ignore[arg-type]  # any options
    return found


# Axes


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("target=2..4", ["2", "3", "4"]),
        ("end=10..40..15", ["10", "25", "40"]),
        ("stuck=passes,loses", ["passes", "loses"]),
        ("steps=1-3;1,2,5", ["1-3", "1,2,5"]),
        (" End = 5 , 5 ", ["5"]),
        ("start=-2..0", ["-2", "-1", "0"]),
    ],
)
def test_axis_has_a_range_or_a_list_of_values(text: str, values: list[str]) -> None:
    axis = parse_axis(text)
    assert axis.texts == values
    assert axis.name == text.partition("=")[0].strip().lower()


@pytest.mark.parametrize("text", ["target=2..6", "target=2..6..2", "steps=1-3;1,2,5"])
def test_axis_is_written_as_parsed(text: str) -> None:
    assert str(parse_axis(text)) == text


@pytest.mark.parametrize("book", nl.NAMES)
def test_axis_without_values_includes_the_books_own(book: str) -> None:
    game = nl.book(book)
    for name in game.main_settings:
        values = [game.parse_value(name, text) for text in map_axis(game, name).texts]
        own = game.setting(name).value
        assert own == "middle" or values.count(game.parse_value(name, own)) == 1
        assert len(values) > 1


def test_range_of_a_million_values_is_lazy() -> None:
    values = parse_axis("target=1..1000000").values
    assert values == range(1, 1_000_001)


def test_variants_that_differ_only_in_places_are_neighbours() -> None:
    grid = Grid(nl.book("line-runner"), [parse_axis("end=3..4"), parse_axis("steps=1-2;1-3")])
    assert [grid.values(number) for number in range(4)] == [(3, "1-2"), (4, "1-2"), (3, "1-3"), (4, "1-3")]
    assert [grid.coordinates(number) for number in range(4)] == [[0, 0], [1, 0], [0, 1], [1, 1]]


# Periods


def test_period_reaches_as_far_back_as_it_holds() -> None:
    found = find_period("end", "abcdefghij", [2, 2, 1, 1, 2, 1, 1, 2, 1, 1])
    assert found
    assert (found.since, found.period, found.winners) == ("b", 3, (2, 1, 1))


def test_two_repetitions_are_not_a_period() -> None:
    assert find_period("end", "abcd", [1, 2, 1, 2]) is None


def test_invalid_variant_ends_a_period() -> None:
    found = find_period("end", "abcdef", [1, 1, INVALID, 1, 1, 1])
    assert found
    assert found.since == "d"


# Rows


def test_row_equals_a_single_measurement() -> None:
    [row] = rows("line-runner", "end=23", measures="all")
    alone = nl.measure("line-runner(end=23)")
    for name in ("variant", "winner", "plies", "positions", "first", "length", "skill_ladder", "fair_range"):
        assert row[name] == pytest.approx(alone[name]), name
    assert row["best"] == " ".join(alone["best"])
    curve = {point["skill"]: point for point in alone["curve"]}
    assert row["sight_3_2"] == pytest.approx(curve["sight:3"]["begins_2"])


@pytest.mark.parametrize("name", ["reach-the-edge", EXAMPLE])
def test_winners_of_a_map_equal_solutions(name: str | Path) -> None:
    book = nl.book(name)
    for row in rows(book, "steps=1-2;1-3;1,4", "repeat=free,banned", measures="solution"):  # type: ignore[arg-type]  # a book
        variant = book.vary(f"steps={row['steps']}", f"repeat={row['repeat']}")
        solution = solve(variant)
        worth = solution.worth(variant.start())
        assert (row["winner"], row["plies"]) == (worth.winner, worth.plies)
        assert row["best"] == " ".join(solution.best(variant.start()))


def test_more_than_two_players_have_perfect_play_only() -> None:
    two, three = rows("number-reach", "players=2,3")
    assert (two["first"] is None, three["first"] is None, three["variant"]) == (False, True, "number-reach(players=3)")


def test_invalid_variant_has_a_reason() -> None:
    good, bad = rows("flag-chase", "flag=9..10", rejected=True)
    assert (good["refused"], bad["variant"], bad["winner"]) == ("", None, None)
    assert bad["refused"] == "flag=10: a token starts there; expected a place from 1 to 9"


@pytest.mark.parametrize("where", ["memory", "folder"])
def test_rejected_variants_are_omitted_unless_requested(where: str, tmp_path: Path) -> None:
    def flags(name: str, **options: object) -> list[object]:
        out = tmp_path / name if where == "folder" else None
        return [row["flag"] for row in rows("flag-chase", "flag=8..11", out=out, **options)]

    assert flags("valid") == [8, 9]
    assert flags("all", rejected=True) == [8, 9, 10, 11]
    assert "refused" not in rows("flag-chase", "flag=8..11")[0]


def test_map_measures_the_requested_skill() -> None:
    [row] = rows("flag-chase", "end=12", players="slip:20", measures="all")
    alone = nl.measure("flag-chase(end=12)", "slip:20")
    assert row["gap"] == pytest.approx(alone["gap"])
    assert (row["slip_20_1"], row["slip_20_2"]) == pytest.approx((alone["first"], alone["first"]))


def test_too_large_variant_has_a_reason_and_others_are_measured() -> None:
    small, large = rows("line-runner", "end=20,2000", memory=1_000_000, rejected=True)
    assert small["winner"] == 1
    assert "would need" in str(large["refused"])


def test_equal_games_name_the_first_of_them() -> None:
    found = nl.map("flag-chase", "end=4..12", "steps=1-3;1-4;1,3;1,5", "repeat=free,banned", measures="solution")
    same = {row["variant"]: row["same_as"] for row in found["rows"] if row["same_as"]}
    assert found["same_as_another"] == len(same) > 0
    assert not set(same).intersection(same.values())
    assert {row["fingerprint"] for row in found["rows"] if row["variant"] in same} <= {
        row["fingerprint"] for row in found["rows"] if row["variant"] in same.values()
    }


def test_setting_named_like_a_metric_gets_a_prefix(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(EXAMPLE.read_text().replace("bank", "length"))
    first, second = rows(str(own), "length=20,21")
    assert (first["set_length"], second["set_length"]) == (20, 21)
    assert isinstance(first["length"], float)


def test_several_processes_make_the_same_map() -> None:
    assert rows(*LONG, measures="solution", workers=2) == rows(*LONG, measures="solution", workers=1)


# Folders


def test_format_version_changes_with_the_metrics() -> None:
    first = "fair_range first side newcomers length decisions good_moves lead_changes comeback open hidden skill"
    second = (
        "gap fair_range first side newcomers length choice decisions good_moves lead_changes felt_lead_changes"
        " comeback open uncertainty decisiveness surprise hidden dominant_step skill skill_ladder"
    )
    versions = {
        1: f"{first} sight_needed endless waiting",
        2: f"{second} sight_needed endless waiting rules_length",
    }
    assert versions.get(FORMAT_VERSION) == " ".join(METRICS), "increase FORMAT_VERSION and add the metrics here"


def test_folder_stores_the_map_and_its_manifest(tmp_path: Path) -> None:
    stored = rows("flag-chase", "end=4..9", "steps=1-2;1-3", out=tmp_path / "map")
    assert stored == rows("flag-chase", "end=4..9", "steps=1-2;1-3")
    manifest = json.loads((tmp_path / "map" / "_map.json").read_text())
    assert (manifest["book"], manifest["settings"], manifest["variants"]) == (
        "flag-chase",
        ["end=4..9", "steps=1-2;1-3"],
        12,
    )
    assert len(list((tmp_path / "map").glob("part-00000-*.parquet"))) == 1


def test_folder_is_a_table_of_typed_columns(tmp_path: Path) -> None:
    pa_dataset = pytest.importorskip("pyarrow.dataset")
    rows("flag-chase", "flag=8..10", "steps=1-2;1-3", out=tmp_path / "new" / "map")
    table = pa_dataset.dataset(tmp_path / "new" / "map").to_table()
    assert table.column("flag").to_pylist() == [8, 9, 8, 9]
    assert [str(table.schema.field(name).type) for name in ("flag", "steps", "plies", "gap")] == [
        *("int32", "string", "int32", "double")
    ]
    nullable = {column["name"]: column["numpy_type"] for column in table.schema.pandas_metadata["columns"]}
    assert (nullable["flag"], nullable["winner"], "gap" in nullable) == ("Int32", "Int8", False)


def test_stored_shards_are_not_measured_again(tmp_path: Path) -> None:
    plan = SweepPlan(nl.book("number-reach"), [parse_axis(LONG[1])], "solution")
    run_sweep(plan, out=tmp_path / "map")
    parts = sorted((tmp_path / "map").glob("part-*"))
    assert len(parts) == len(plan) == 16
    before = {part: part.stat().st_mtime_ns for part in parts}
    parts[5].unlink()
    run_sweep(plan, out=tmp_path / "map")
    again = {part: part.stat().st_mtime_ns for part in parts}
    assert [part for part in parts if before[part] != again[part]] == [parts[5]]


def test_killed_map_resumes_and_equals_an_uninterrupted_one(tmp_path: Path) -> None:
    folder = tmp_path / "map"
    command = [
        sys.executable,
        "-m",
        "numberline",
        "map",
        *LONG,
        "--by",
        "winner",
        "--out",
        str(folder),
        "--workers",
        "1",
    ]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        while len(list(folder.glob("part-*"))) < 2 and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGKILL)
    done = len(list(folder.glob("part-*")))
    assert 2 <= done < 16
    assert process.returncode == -signal.SIGKILL
    resumed = rows(*LONG, out=folder, measures="solution")
    assert len(list(folder.glob("part-*"))) == 16
    assert resumed == rows(*LONG, measures="solution")


@pytest.mark.soak
@pytest.mark.parametrize("where", ["processes", "cluster"])
def test_map_loses_nothing_when_a_worker_is_killed(where: str, tmp_path: Path) -> None:
    import psutil  # type: ignore[import-untyped]  # it comes with Dask

    arguments = ("number-reach", "target=2..3000")
    folder = tmp_path / "map"
    with cluster_jobs.cluster(tmp_path) as address:
        workers = address if where == "cluster" else "2"
        command = [sys.executable, "-m", "numberline", "map", *arguments, "--out", str(folder), "--workers", workers]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while not list(folder.glob("part-*")):
                time.sleep(0.01)
            top = psutil.Process(process.pid if where == "processes" else os.getpid())
            found = [child for child in top.children(recursive=True) if _is_worker(child)]
            found[0].kill()
            assert process.wait(300) == 0
    assert rows(*arguments, out=folder) == rows(*arguments, workers=1)


def _is_worker(process: object) -> bool:
    line = " ".join(process.cmdline())  # type: ignore[attr-defined]  # psutil has no types
    return "spawn_main" in line


def test_folder_of_another_map_is_rejected_and_not_modified(tmp_path: Path) -> None:
    rows("flag-chase", "end=4..5", out=tmp_path / "map")
    before = {path.name: path.read_bytes() for path in (tmp_path / "map").iterdir()}
    ran = numberline("map", "flag-chase", "end=4..6", "--out", str(tmp_path / "map"))
    assert (ran.code, ran.out) == (1, "")
    assert "contains a different map, of flag-chase over end=4..5 (metrics); choose another directory" in ran.err
    assert {path.name: path.read_bytes() for path in (tmp_path / "map").iterdir()} == before


def test_folder_with_other_files_is_rejected(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("Dear Ann")
    with pytest.raises(MapError, match="is not empty and contains no map; choose another directory"):
        nl.map("flag-chase", "end=4..5", out=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["letter.txt"]


def test_damaged_part_is_named(tmp_path: Path) -> None:
    rows("flag-chase", "end=4..5", out=tmp_path / "map")
    [part] = (tmp_path / "map").glob("part-*")
    part.write_bytes(b"PAR1")
    with pytest.raises(MapError, match=r"parquet is damaged; delete it and run the same command again"):
        nl.map("flag-chase", "end=4..5", out=tmp_path / "map")


def test_without_pyarrow_only_folders_are_rejected(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert len(rows("flag-chase", "end=4..5")) == 2
    with pytest.raises(nl.NumberlineError, match=r"^pyarrow is not installed; run: .*\[data\]"):
        nl.map("flag-chase", "end=4..5", out=tmp_path / "map")
    assert list(tmp_path.iterdir()) == []


def test_changed_custom_book_is_another_map(tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text(EXAMPLE.read_text())
    nl.map(str(own), "bank=20..21", out=tmp_path / "map")
    own.write_text(EXAMPLE.read_text().replace("Heron", "Stork"))
    with pytest.raises(MapError, match="contains a different map"):
        nl.map(str(own), "bank=20..21", out=tmp_path / "map")


# Estimates


def test_too_many_variants_are_rejected_with_their_number() -> None:
    ran = numberline("map", "number-reach", "target=1..1000000000")
    assert ran.err.startswith(
        f"Error: a map of number-reach over target has 1,000,000,000 variants; expected at most {MAX_VARIANTS:,}"
    )
    assert ran.code == 2


def test_estimate_comes_from_a_sample() -> None:
    plan = SweepPlan(nl.book("number-reach"), [parse_axis("target=2..900"), parse_axis("start=1..3")], "solution")
    seconds, size = estimate(plan)
    assert 0 < seconds < 600
    assert 20_000 < size < 2_000_000


def test_shards_contain_every_variant_once() -> None:
    plan = SweepPlan(nl.book("number-reach"), [parse_axis("target=2..900")], "solution")
    cut = [plan.shard(number) for number in range(len(plan))]
    assert [shard.first for shard in cut[1:]] == [shard.last for shard in cut[:-1]]
    assert (cut[0].first, cut[-1].last) == (0, 899)
    assert measure_shard(cut[1])["target"] == [2 + number for number in range(cut[1].first, cut[1].last)]


# Command


def test_one_setting_is_a_table_with_a_period() -> None:
    out = numberline("map", "flag-chase", "end=2..40").out
    assert out.startswith("end  winner    turns    gap  best first moves\n2    Player 1      1  0.500  1\n")
    assert (
        "From end=2 upwards, the winners repeat every 6 values: "
        "Player 1, Player 1, Player 1, Player 1, Player 1, Player 2, and so on.\n"
    ) in out


def test_table_marks_invalid_variants_with_a_reason() -> None:
    out = numberline("map", "flag-chase", "flag=9..10").out
    assert "10    -\n" in out
    assert "-: flag=10: a token starts there; expected a place from 1 to 9\n" in out


def test_two_settings_are_a_heat_map() -> None:
    out = numberline("map", "line-runner", "end=3..4", "steps=1-2;1-3", "--by", "winner").out
    assert out == (
        "Who wins when player 1 starts, and in how many turns. Down: end; across: steps.\n"
        "     1-2    1-3\n3 1 in 3 1 in 1\n4 1 in 3 1 in 3\n"
    )


def test_more_settings_are_summed_up_and_stored(tmp_path: Path) -> None:
    arguments = ["map", "line-runner", "end=3..6", "steps=1-2;1-3", "repeat=free,banned"]
    rejected = numberline(*arguments)
    assert "a map of 3 settings can't be displayed; save it with --out DIR or --csv FILE." in rejected.err
    assert rejected.code == 2
    ran = numberline(*arguments, "--csv", str(tmp_path / "map.csv"))
    assert ran.out.startswith("16 variants of Line Runner. With perfect play, Player A wins 16. Gap: from ")
    with (tmp_path / "map.csv").open() as file:
        lines = list(csv.DictReader(file))
    assert [line["end"] for line in lines[:5]] == ["3", "3", "3", "3", "4"]


def test_json_has_the_rows_and_the_pattern() -> None:
    report = json.loads(numberline("map", "line-runner", "end=3..8", "--json").out)
    assert [row["winner"] for row in report["rows"]] == [1] * 6
    assert report["pattern"]["period"] == 1


def test_map_is_a_page_and_a_picture(tmp_path: Path) -> None:
    page, picture = tmp_path / "map.html", tmp_path / "map.svg"
    ran = numberline("map", "flag-chase", "end=8..10", "steps=1-2;1-3", "--html", str(page), "--plot", str(picture))
    assert ran.code == 0
    assert "<svg" in picture.read_text()
    assert page.read_text().count("<tr") > 6


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["target="], "'target=' does not list any values; use e.g. target=2..60, end=10..40..5"),
        (["target=5..2"], "'target=5..2' does not list any values"),
        (["target=2..x"], "'target=2..x' does not list any values"),
        (["trget=2..3"], "trget: Number Reach has no such setting; it has "),
        (["target=2..3", "target=4..5"], "target is given twice; list all its values together"),
        (["target=2..3", "--by", "fairness"], "'fairness' is not one of "),
        (
            ["target=2..3", "--by", "fair_range", "--measure", "metrics"],
            "--measure metrics does not include fair_range; use --measure all.",
        ),
        (["target=2..3", "--plot", "map.svg"], "--plot requires exactly two settings, not 1."),
        (["target=2..3", "--workers", "many"], "invalid workers value 'many'; expected a number of processes"),
        (
            ["target=2..2000000", "--json"],
            "1,999,999 variants are too many for one file (maximum 1,000,000); save them with --out DIR.",
        ),
    ],
)
def test_invalid_map_is_rejected(arguments: list[str], message: str) -> None:
    ran = numberline("map", "number-reach", *arguments)
    assert message in ran.err
    assert ran.code == 2


def test_invalid_map_is_rejected_by_the_api() -> None:
    with pytest.raises(MapError, match=r"no settings given; expected at least one such as end=8\.\.24"):
        nl.map("flag-chase")
    with pytest.raises(MapError, match="measures='much': expected one of solution, metrics, all"):
        nl.map("flag-chase", "end=4", measures="much")
    with pytest.raises(BookError, match="does not list any values"):
        nl.map("flag-chase", "end=")
