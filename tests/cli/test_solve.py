"""`numberline solve`: what it says of a variant, of a position, of many variants; pictures and files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from support.commands import numberline


def test_solve_prints_the_winner_and_values_of_first_moves() -> None:
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
        "72 positions can be reached: 50 won by the player to move, 22 lost, 0 endless. "
        "The longest forced win takes 23 turns.\n"
    ) in out
    assert "Best play: 3 2 3 2 3 2 3 2 3 1 2\n" in out


def test_solve_draws_the_value_of_each_number() -> None:
    out = numberline("solve", "number-reach(target=6)").out
    assert out.endswith(
        "What each place is worth to the player to move\n                1  2  3  4  5\nwhoever moves  L4 W3 W1 L2 W1\n"
    )


def test_solve_draws_a_grid_for_one_token_each() -> None:
    out = numberline("solve", "flag-chase").out
    assert "Player 1 to move: Player 1's place downwards, Player 2's to the right\n" in out
    assert "0     L2 L2 W3 W3\n" in out


def test_solve_reports_endless_play() -> None:
    out = numberline("solve", 'number-reach(operations="+1 *2 -1")').out
    assert "Player 1 starts: with best play the game never ends.\n" in out
    assert "…\n" in out


def test_solve_reports_open_three_player_positions() -> None:
    out = numberline("solve", "number-reach(players=3)").out
    assert "Player 1 starts: nobody can force a win.\n" in out
    assert " open. " in out


def test_solve_uses_the_singular() -> None:
    out = numberline("solve", "number-reach(target=2)").out
    assert "Player 1 starts: Player 1 wins in 1 turn, with +1 or *2.\n" in out
    assert "The longest forced win takes 1 turn.\n" in out


def test_solve_at_a_position() -> None:
    out = numberline("solve", "reach-the-edge", "--at", "3 2").out
    assert "Player 1 is to move: Player 1 wins in 9 turns, with 3.\n" in out


def test_solve_rejects_an_illegal_move_in_at() -> None:
    ran = numberline("solve", "reach-the-edge", "--at", "3 3")
    refused = "'3' is not allowed here: the player before has just chosen that. You can play 1 or 2."
    assert ran.err.startswith(f"Error: Invalid value for --at: {refused}")
    assert ran.code == 2


def test_json_report_has_the_same_content() -> None:
    report = json.loads(numberline("solve", "flag-chase", "--json").out)
    assert report["variant"] == "flag-chase"
    assert report["starts"][0]["best"] == ["2", "3"]
    assert report["starts"][0]["moves"]["1"] == {"winner": 2, "plies": 4}
    assert report["positions"] == {"win": 28, "loss": 10, "endless": 0}
    assert (report["longest"], report["line"]) == (3, ["2", "1", "3"])


def test_solve_rejects_a_variant_that_is_too_large() -> None:
    ran = numberline("solve", "line-runner(end=100)", "--memory", "100KB")
    assert ran.err == (
        "Error: line-runner(end=100) has 21,218 positions and would need 932.4 KiB of memory; "
        "the limit is 100.0 KiB (--memory raises it)\n"
    )
    assert ran.code == 1


def test_solve_rejects_an_invalid_size() -> None:
    ran = numberline("solve", "flag-chase", "--memory", "lots")
    assert "'lots': expected a size such as 500MB or 8GB." in ran.err
    assert ran.code == 2


def test_solve_writes_a_chart(tmp_path: Path) -> None:
    file = tmp_path / "chart.svg"
    ran = numberline("solve", "reach-the-edge", "--plot", str(file))
    assert ran.err == f"The chart is in {file}.\n"
    assert ">W11<" in file.read_text()


def test_solve_rejects_other_chart_file_types() -> None:
    ran = numberline("solve", "flag-chase", "--plot", "chart.png")
    assert "chart.png: --plot writes SVG files; name it chart.svg, or use --html for a page" in ran.err
    assert ran.code == 1


def test_solve_reports_a_variant_without_a_value_map(tmp_path: Path) -> None:
    ran = numberline("solve", "line-runner(tokens=2, end=3)", "--plot", str(tmp_path / "chart.svg"))
    assert "line-runner(end=3, tokens=2) has no chart: expected one marker, or two players" in ran.err


def test_a_solution_is_saved_and_read_again(tmp_path: Path) -> None:
    file = tmp_path / "solution.npz"
    saved = numberline("solve", "flag-chase", "--save", str(file))
    assert numberline("solve", "flag-chase", "--load", str(file)).out == saved.out
    ran = numberline("solve", "line-runner", "--load", str(file))
    assert f"{file} holds flag-chase, not line-runner." in ran.err
    assert ran.code == 2


def without_numba(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs the command line as if numba were not installed."""
    blocked = f"import sys; sys.modules['numba'] = None; sys.argv[1:] = {arguments!r}"
    code = f"{blocked}; from numberline.cli import main; main()"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)


def test_solve_without_numba_suggests_it_for_large_variants() -> None:
    ran = without_numba("solve", "line-runner(end=400)", "--json")
    size = "line-runner(end=400) has up to 324,818 positions"
    assert ran.stderr == f'{size}; it takes far less time after: pip install "numberline[fast]"\n'
    assert json.loads(ran.stdout)["variant"] == "line-runner(end=400)"


def test_solve_without_numba_is_silent_for_small_variants() -> None:
    assert without_numba("solve", "line-runner").stderr == ""


def test_a_sweep_is_answered_with_the_command_that_took_its_place() -> None:
    ran = numberline("solve", "line-runner", "--sweep", "end=3..4", "--sweep", "steps=1-2;1-3")
    assert "--sweep has become a command of its own: numberline map line-runner end=3..4 'steps=1-2;1-3'." in ran.err
    assert ran.code == 2


def test_solve_rejects_an_unreachable_position() -> None:
    ran = numberline("solve", "number-reach", "--at", "9")
    assert "'9' can't be read as a move. You can play +1 or *2." in ran.err
    assert ran.code == 2
