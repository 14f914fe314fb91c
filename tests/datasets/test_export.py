"""Datasets: every position once with its exact value, three equal formats, and complete files or none."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click
import pytest

import numberline as nl
from bots.test_external import program
from faults.test_full_disk import said_by
from numberline.cli import export
from numberline.datasets.export import COLUMN_DESCRIPTIONS, SolvedDataset, iter_rows, write_csv
from numberline.envs.text import write_prompt
from numberline.files.tables import import_pyarrow
from numberline.game.notation import parse_position
from numberline.solver.index import max_positions
from support.commands import numberline
from support.variants import EVERY, reachable

EXAMPLE = Path(__file__).parents[2] / "docs" / "example-book.toml"


def exported(*arguments: str) -> list[dict[str, Any]]:
    ran = numberline("export", *arguments)
    assert (ran.code, ran.err.startswith("Wrote ")) == (0, "--out" in arguments)
    return [json.loads(line) for line in ran.out.splitlines()]


@pytest.mark.parametrize("variant", [variant for variant in EVERY if max_positions(nl.book(variant)) < 6_000])
def test_every_live_position_is_exported_once_with_its_value(variant: str) -> None:
    book = nl.book(variant)
    solution, rows = nl.solve(book), list(SolvedDataset(book).positions())
    live = {position for position in reachable(book) if book.moves(position)}
    assert len(rows) == len(live)
    assert {parse_position(row["position"]) for row in rows} == live
    for row in rows[:: 1 + len(rows) // 300]:
        position = parse_position(row["position"])
        assert row["turn"] == position.turn
        assert row["moves"] == list(book.moves(position))
        assert (row["value"], row["distance"]) == (solution.value(position), solution.distance(position))
        assert row["best"] == list(solution.best(position))
        evaluations = solution.evaluate_moves(position)
        assert row["move_values"] == [one.value for one in evaluations]
        assert row["move_distances"] == [one.plies for one in evaluations]


@pytest.mark.parametrize("variant", ["reach-the-edge", 'number-reach(operations="+1 *2 -1")', "line-runner(end=8)"])
def test_position_has_the_value_of_its_best_move(variant: str) -> None:
    ranks = {"loss": 0, "endless": 1, "win": 2}
    for row in SolvedDataset(nl.book(variant)).positions():
        assert ranks[row["value"]] == max(ranks[value] for value in row["move_values"])
        values = dict(zip(row["moves"], zip(row["move_values"], row["move_distances"], strict=True), strict=True))
        assert {values[move] for move in row["best"]} == {(row["value"], row["distance"])}


def test_command_writes_the_rows_of_the_dataset() -> None:
    assert exported("line-runner") == list(SolvedDataset(nl.book("line-runner")).positions())


def test_settings_can_be_changed() -> None:
    assert exported("flag-chase", "--set", "end=6") == exported("flag-chase(end=6)")


def test_csv_equals_jsonl() -> None:
    plain = exported("number-reach")
    ran = numberline("export", "number-reach", "--format", "csv")
    rows = list(csv.DictReader(ran.out.splitlines()))
    assert [row["position"] for row in rows] == [row["position"] for row in plain]
    assert [row["best"].split("|") for row in rows] == [row["best"] for row in plain]
    assert [row["distance"] for row in rows] == [str(row["distance"]) for row in plain]


def test_endless_position_has_no_distance() -> None:
    ran = numberline("export", 'number-reach(operations="+1 *2 -1")', "--format", "csv")
    first = next(row for row in csv.DictReader(ran.out.splitlines()) if row["value"] == "endless")
    assert first["distance"] == ""
    assert "-" in first["move_distances"].split("|")


def test_parquet_equals_jsonl(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    for arguments in (("line-runner(end=9)",), ("flag-chase", "--games", "5")):
        out = tmp_path / "rows.parquet"
        assert exported(*arguments, "--out", str(out)) == []
        assert parquet.read_table(out).to_pylist() == exported(*arguments)


def test_csv_list_is_not_a_date_or_a_number() -> None:
    rows = list(csv.DictReader(numberline("export", "line-runner(end=9)", "--format", "csv").out.splitlines()))
    lists = {row[name] for row in rows for name in ("moves", "best", "move_values", "move_distances")}
    assert "1|2|3" in lists
    assert not any(mark in text for text in lists for mark in ", ")


@pytest.mark.parametrize("variant", ["line-runner(end=9)", "reach-the-edge", "number-reach(players=3)"])
def test_numeric_columns_equal_the_environments(variant: str) -> None:
    from numberline.envs.observation import ObservationEncoder

    book = nl.book(variant)
    solution, observer = nl.solve(book), ObservationEncoder(book)
    for row in SolvedDataset(book, numbers=True).positions():
        position = parse_position(row["position"])
        evaluations = {one.move: one for one in solution.evaluate_moves(position)}
        assert row["observation"] == observer.row(position, position.turn).tolist()
        assert row["action_mask"] == [move in evaluations for move in book.choices]
        assert row["best_actions"] == [move in evaluations and evaluations[move].best for move in book.choices]
        assert row["points"] == solution.worth(position).points
        assert row["regret"] == [evaluations[move].regret if move in evaluations else -1 for move in book.choices]


def test_prompt_is_missing_without_a_choice() -> None:
    book = nl.book("number-line-sprint(stuck=passes, steps=2)")
    rows = list(SolvedDataset(book, prompts=True).positions())
    for row in rows:
        position = parse_position(row["position"])
        prompt = write_prompt(book, position, None, "", rules=True, legal=True)
        assert row["prompt"] == (None if row["moves"] == ["pass"] else prompt)
    assert None in {row["prompt"] for row in rows}


def test_parquet_has_metadata_and_numeric_types(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "rows.parquet"
    assert exported("flag-chase", "--numbers", "--prompts", "--out", str(out)) == []
    table = parquet.read_table(out)
    metadata = {key.decode(): text.decode() for key, text in table.schema.metadata.items()}
    assert (metadata["numberline.variant"], metadata["numberline.version"]) == ("flag-chase", nl.__version__)
    assert str(table.schema.field("observation").type) == "fixed_size_list<element: int16>[3]"
    assert table.to_pylist() == exported("flag-chase", "--numbers", "--prompts")


def test_metadata_contains_a_custom_book(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    own, out = EXAMPLE, tmp_path / "rows.parquet"
    assert exported(str(own), "--out", str(out)) == []
    assert parquet.read_schema(out).metadata[b"numberline.book"] == own.read_bytes()


def test_card_documents_the_file_unless_disabled(tmp_path: Path) -> None:
    out = tmp_path / "rows.csv"
    exported("flag-chase(end=6)", "--numbers", "--out", str(out))
    card = (tmp_path / "rows.csv.md").read_text()
    names = out.read_text().splitlines()[0].split(",")
    assert [name for name in names if f"| `{name}` | {COLUMN_DESCRIPTIONS[name]} |" not in card] == []
    assert "`flag-chase(end=6)`" in card
    assert f"numberline {nl.__version__}" in card
    assert f"{len(out.read_text().splitlines()) - 1} positions" in card
    exported("flag-chase", "--games", "2", "--out", str(tmp_path / "games.jsonl"), "--no-card")
    assert not (tmp_path / "games.jsonl.md").exists()


def test_card_header_is_valid_for_any_title(tmp_path: Path) -> None:
    own, out = tmp_path / "own.toml", tmp_path / "rows: 1.jsonl"
    own.write_text(EXAMPLE.read_text().replace('"Heron Pond"', "'Ann: #1 \"x\" \\'"))
    assert said_by("export BOOK --out FILE", book=own, file=out) == ""
    head = (tmp_path / "rows: 1.jsonl.md").read_text().splitlines()
    assert json.loads(head[1].removeprefix("pretty_name: ")) == nl.book(own).title == 'Ann: #1 "x" \\'
    assert json.loads(head[4].removeprefix("  data_files: ")) == "rows: 1.jsonl"


def test_unwritable_card_fails_before_any_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "rows.csv"
    out.write_text("variant,position\n")
    (tmp_path / "rows.csv.md").mkdir()
    monkeypatch.setattr(export, "SolvedDataset", None)
    assert said_by("export flag-chase --out FILE", file=out) == f"{out}.md: is a directory"
    assert out.read_text() == "variant,position\n"
    assert {path.name for path in tmp_path.iterdir()} == {"rows.csv", "rows.csv.md"}


def test_interrupt_between_rows_and_card_leaves_no_stale_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "rows.csv"
    said_by("export flag-chase(end=6) --out FILE", file=out)
    before, replace = out.read_text(), Path.replace

    def stopped(path: Path, target: Path) -> Path:
        if target.suffix == ".md":
            raise KeyboardInterrupt
        return replace(path, target)

    monkeypatch.setattr(Path, "replace", stopped)
    with pytest.raises(click.Abort):
        said_by("export flag-chase --out FILE", file=out)
    assert out.read_text() != before
    assert [path.name for path in tmp_path.iterdir()] == ["rows.csv"]


@pytest.mark.parametrize("games", ["", "--games 3"], ids=["positions", "games"])
def test_interrupt_while_writing_keeps_old_rows_and_card(
    games: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "rows.csv"
    said_by("export flag-chase --out FILE", file=out)
    before = {path.name: path.read_text() for path in tmp_path.iterdir()}
    shares: list[float] = []

    @contextmanager
    def watched(_: str) -> Iterator[Callable[[float], None]]:
        def stop(share: float) -> None:
            shares.append(share)
            if len(shares) == (3 if games else 1):
                raise KeyboardInterrupt

        yield stop

    monkeypatch.setattr(export, "progress_bar", watched)
    with pytest.raises(click.Abort):
        said_by(f"export flag-chase {games} --out FILE", file=out)
    assert shares == ([0.0, 1 / 3, 2 / 3] if games else [0.0])
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_pipe_has_no_card(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert said_by("export flag-chase --out FILE", file=tmp_path / "pipe") == ""
        assert os.read(reader, 10) == b'{"variant"'
    finally:
        os.close(reader)
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]


def test_redirected_output_is_appended_without_a_card(tmp_path: Path) -> None:
    out = tmp_path / "all.jsonl"
    out.write_text("old\n")
    with out.open("a") as file:
        stream = f"/dev/fd/{file.fileno()}"
        assert said_by("export flag-chase --out FILE", file=Path(stream)) == ""
    assert out.read_text().startswith('old\n{"variant"')
    assert not Path(f"{stream}.md").exists()
    assert [path.name for path in tmp_path.iterdir()] == ["all.jsonl"]


def test_no_cell_is_a_formula_or_a_control_character(tmp_path: Path) -> None:
    for name, written in (
        ("-cmd|x!A0", "'-cmd|x!A0"),
        ("@SUM", "'@SUM"),
        ("+A1", "'+A1"),
        ("a\x1b[2J", "a\\u001b[2J"),
        ("a\udcff", "a\\udcff"),
    ):
        own, out = tmp_path / f"{name}.toml", io.BytesIO()
        own.write_bytes(EXAMPLE.read_bytes())
        write_csv(SolvedDataset(nl.book(own)).position_frames(), out, nl.book(own))
        rows = list(csv.DictReader(out.getvalue().decode().splitlines()))
        assert {row["variant"] for row in rows} == {written}


def test_moves_survive_csv() -> None:
    book, out = nl.book('number-reach(operations="+1 *2 -1", skip=true)'), io.BytesIO()
    dataset = SolvedDataset(book)
    write_csv(dataset.game_frames(3, "random", 1), out, book)
    rows = list(csv.DictReader(out.getvalue().decode().splitlines()))
    plain = list(iter_rows(dataset.game_frames(3, "random", 1)))
    assert [row["played"] for row in rows] == [row["played"] for row in plain]
    assert [row["moves"].split("|") for row in rows] == [row["moves"] for row in plain]
    assert {row["played"][0] for row in rows} >= {"+", "-"}


@pytest.mark.parametrize("form", ["jsonl", "csv", "parquet"])
def test_book_with_undecodable_file_name_is_exported(form: str, tmp_path: Path) -> None:
    own, out = tmp_path / "a\udcff.toml", tmp_path / f"rows.{form}"
    own.write_bytes(EXAMPLE.read_bytes())
    assert said_by("export BOOK --out FILE", book=own, file=out) == ""
    assert b"a\\" in out.read_bytes()


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_duckdb_reads_lists_as_text_or_as_lists(form: str, tmp_path: Path) -> None:
    duckdb = pytest.importorskip("duckdb", reason="only soak has duckdb")
    out = tmp_path / f"rows.{form}"
    exported("line-runner(end=9)", "--numbers", "--out", str(out))
    kinds = dict(duckdb.sql(f"select column_name, column_type from (describe from '{out}')").fetchall())  # noqa: S608
    wanted = {"csv": ("VARCHAR", "VARCHAR"), "parquet": ("VARCHAR[]", "SMALLINT[]")}[form]
    assert (kinds["moves"], kinds["observation"]) == wanted
    counted = duckdb.sql(f"select count(*) from '{out}' where value = 'win'").fetchall()  # noqa: S608
    assert counted == [(sum(row["value"] == "win" for row in exported("line-runner(end=9)")),)]


def test_polars_reads_parquet_as_written(tmp_path: Path) -> None:
    polars = pytest.importorskip("polars", reason="only soak has polars")
    out = tmp_path / "rows.parquet"
    exported("line-runner(end=9)", "--numbers", "--out", str(out))
    frame = polars.read_parquet(out)
    assert frame["observation"].to_numpy().shape == (len(frame), 3)
    assert frame["best"].to_list() == [row["best"] for row in exported("line-runner(end=9)")]


def test_games_are_reproducible_and_legal() -> None:
    arguments = ("line-runner", "--games", "4", "--bot", "level:2", "--seed", "3")
    rows = exported(*arguments)
    assert rows == exported(*arguments)
    assert rows != exported(*arguments[:-1], "4")
    for game in range(4):
        match = nl.Match(nl.book("line-runner"))
        for row in (row for row in rows if row["game"] == game):
            assert parse_position(row["position"]) == match.position
            match.play(row["played"])
            assert row["ply"] == len(match.plies)
            winner = row["winner"]
        assert match.outcome
        assert match.outcome.winner == winner


def test_external_bot_can_play_the_games(tmp_path: Path) -> None:
    rows = exported("flag-chase", "--games", "2", "--bot", program(tmp_path, "say('move ' + legal[0])"))
    assert {row["played"] for row in rows} == {"1"}


def test_file_is_written_completely_or_not_at_all(tmp_path: Path) -> None:
    out = tmp_path / "rows.jsonl"
    out.write_text('{"variant":"old"}')
    bot = program(tmp_path, "if '0,10' in line: say('move 1')\nelse: sys.exit(1)")
    ran = numberline("export", "flag-chase", "--games", "2", "--bot", bot, "--out", str(out))
    assert ran.code == 1
    assert "forfeits: it exited with code 1" in ran.err
    assert out.read_text() == '{"variant":"old"}'
    assert {path.name for path in tmp_path.iterdir()} == {"rows.jsonl", "bot.py"}
    assert numberline("export", "flag-chase", "--out", str(out)).code == 0
    assert len(out.read_text().splitlines()) == 38


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("chess",), 2, "unknown book 'chess'"),
        (
            ("flag-chase", "--format", "parquet"),
            2,
            "parquet can't be written to standard output; name a file with --out.",
        ),
        (("flag-chase", "--format", "xml"), 2, "Invalid value for '--format'"),
        (("flag-chase", "--games", "0"), 2, "Invalid value for '--games'"),
        (("flag-chase", "--games", "1", "--bot", "banana"), 2, "unknown bot 'banana'"),
        (("flag-chase", "--out", "no/such/rows.csv"), 1, "folder no/such does not exist"),
        (("line-runner(end=100000)",), 1, "--memory raises it"),
    ],
)
def test_invalid_export_is_rejected_with_one_line(arguments: tuple[str, ...], code: int, message: str) -> None:
    ran = numberline("export", *arguments)
    assert (ran.code, ran.out, ran.err.count("\n")) == (code, "", 1)
    assert message in ran.err


def test_missing_pyarrow_fails_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(nl.NumberlineError, match=r"^pyarrow is not installed; run: .*\[data\]"):
        import_pyarrow()
