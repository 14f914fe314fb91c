"""Command `numberline solve`: text, JSON and pictures."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from numberline.errors import install_command
from support.commands import numberline


def test_winner_of_each_start_and_each_first_move_is_printed() -> None:
    out = numberline("solve", "reach-the-edge").out
    assert out.startswith(
        "Reach the Edge\n\n"
        "Player 1 starts: Player 1 wins in 11 turns, with 3.\n"
        "  1      Player 2 wins in 12 turns\n"
        "  2      Player 2 wins in 14 turns\n"
        "  3      Player 1 wins in 11 turns\n"
        "Player 2 starts: Player 2 wins in 9 turns, with 3.\n"
    )
    assert (
        "72 positions are reachable: 50 won by the player to move, 22 lost, 0 endless. "
        "The longest forced win takes 23 turns.\n"
    ) in out
    assert "Best play: 3 2 3 2 3 2 3 2 3 1 2\n" in out


def test_values_of_a_single_marker_are_drawn() -> None:
    out = numberline("solve", "number-reach(target=6)").out
    assert out.endswith(
        "Value of each place for the player whose turn it is\n"
        "                1  2  3  4  5\n"
        "either player  L4 W3 W1 L2 W1\n"
    )


def test_values_of_two_tokens_are_drawn_as_a_grid() -> None:
    out = numberline("solve", "flag-chase").out
    assert "Value on Player 1's turn: Player 1's place down, Player 2's across\n" in out
    assert "0     L2 L2 W3 W3\n" in out


def test_endless_game_is_called_endless() -> None:
    out = numberline("solve", 'number-reach(operations="+1 *2 -1")').out
    assert "Player 1 starts: with best play, the game never ends.\n" in out
    assert "…\n" in out


def test_three_players_may_have_no_forced_winner() -> None:
    out = numberline("solve", "number-reach(players=3)").out
    assert "Player 1 starts: no player can force a win.\n" in out
    assert " open. " in out


def test_counts_of_one_are_singular() -> None:
    out = numberline("solve", "number-reach(target=2)").out
    assert "Player 1 starts: Player 1 wins in 1 turn, with +1 or *2.\n" in out
    assert "The longest forced win takes 1 turn.\n" in out


def test_at_solves_a_later_position() -> None:
    out = numberline("solve", "reach-the-edge", "--at", "3 2").out
    assert "It is Player 1's turn: Player 1 wins in 9 turns, with 3.\n" in out


def test_at_rejects_an_illegal_move() -> None:
    ran = numberline("solve", "reach-the-edge", "--at", "3 3")
    refused = "you can't play 3: Player 1 just did. You can play 1 or 2."
    assert ran.err.startswith(f"Error: Invalid value for --at: {refused}")
    assert ran.code == 2


def test_json_report_has_the_same_values() -> None:
    report = json.loads(numberline("solve", "flag-chase", "--json").out)
    assert report["variant"] == "flag-chase"
    assert report["starts"][0]["best"] == ["2", "3"]
    assert report["starts"][0]["moves"]["1"] == {"winner": 2, "plies": 4}
    assert report["positions"] == {"win": 28, "loss": 10, "endless": 0}
    assert (report["longest"], report["line"]) == (3, ["2", "1", "3"])


def test_too_large_variant_names_its_size_and_the_limit() -> None:
    ran = numberline("solve", "line-runner(end=100)", "--memory", "100KB")
    assert ran.err == (
        "Error: line-runner(end=100) has 21,218 positions and would need 932.4 KiB of memory; "
        "the limit is 100.0 KiB (--memory raises it)\n"
    )
    assert ran.code == 1


def test_memory_rejects_an_invalid_size() -> None:
    ran = numberline("solve", "flag-chase", "--memory", "lots")
    assert "'lots': expected a size such as 500MB or 8GB." in ran.err
    assert ran.code == 2


def test_solve_writes_a_chart(tmp_path: Path) -> None:
    file = tmp_path / "chart.svg"
    ran = numberline("solve", "reach-the-edge", "--plot", str(file))
    assert ran.err == f"Wrote the chart to {file}.\n"
    assert ">W11<" in file.read_text()


def test_solve_rejects_other_chart_file_types() -> None:
    ran = numberline("solve", "flag-chase", "--plot", "chart.png")
    assert "chart.png: --plot writes SVG files; name it chart.svg, or use --html for a page" in ran.err
    assert ran.code == 2


def test_solve_rejects_a_chart_of_an_unsupported_variant(tmp_path: Path) -> None:
    ran = numberline("solve", "line-runner(tokens=2, end=3)", "--plot", str(tmp_path / "chart.svg"))
    assert "line-runner(end=3, tokens=2) cannot be drawn: expected one shared marker, or two players" in ran.err


def without_numba(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the command line as if numba were not installed."""
    blocked = f"import sys; sys.modules['numba'] = None; sys.argv[1:] = {arguments!r}"
    code = f"{blocked}; from numberline.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


def test_large_variant_without_numba_suggests_the_extra() -> None:
    ran = without_numba("solve", "line-runner(end=400)", "--json")
    size = "line-runner(end=400) has up to 324,818 positions"
    assert ran.stderr == f"{size}; to solve it much faster, run: {install_command('fast')}\n"
    assert json.loads(ran.stdout)["variant"] == "line-runner(end=400)"


@pytest.mark.skipif(not find_spec("numba"), reason="nothing is compiled without numba")
def test_first_large_solve_says_that_it_compiles(tmp_path: Path) -> None:
    def solve(variant: str) -> str:
        environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
        command = [sys.executable, "-m", "numberline", "solve", variant, "--json"]
        ran = subprocess.run(command, capture_output=True, text=True, check=True, env=environment, timeout=120)
        return ran.stderr

    assert "compiling the solver" not in solve("line-runner(end=400)")  # solved sooner than compiled
    assert "compiling the solver" in solve("line-runner(end=1200)")
    assert "compiling the solver" not in solve("line-runner(end=1201)")


@pytest.mark.parametrize("variant", ["line-runner", "line-runner(end=100000)"])
def test_variant_without_use_for_numba_prints_no_hint(variant: str) -> None:
    assert "to solve it much faster" not in without_numba("solve", variant).stderr


@pytest.mark.parametrize("option", ["--sweep", "--save", "--load"])
def test_removed_option_is_unknown(option: str) -> None:
    ran = numberline("solve", "line-runner", option, "x")
    assert f"No such option '{option}'" in ran.err
    assert ran.code == 2


def test_at_rejects_text_that_is_not_a_move() -> None:
    ran = numberline("solve", "number-reach", "--at", "9")
    assert "'9' can't be read as a move. You can play +1 or *2." in ran.err
    assert ran.code == 2
