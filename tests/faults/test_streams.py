"""Standard streams that are closed, full or limited to ASCII give one clear message."""

from __future__ import annotations

import shlex
import subprocess
import sys

import pytest


def shell(command: str, redirected: str) -> subprocess.CompletedProcess[str]:
    """Runs a command with its streams redirected as a shell does it."""
    line = f"{shlex.quote(sys.executable)} -m numberline {command} {redirected}"
    return subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("command", ["rules flag-chase", "books", "play flag-chase", "export flag-chase", "engine"])
def test_closed_output_gives_one_message(command: str) -> None:
    ran = shell(command, "</dev/null >&-")
    assert ran.stderr == "Error: cannot print: standard output is closed\n"
    assert ran.returncode == 1


@pytest.mark.parametrize("command", ["play flag-chase", "play flag-chase --vs random"])
def test_a_closed_input_has_ended(command: str) -> None:
    ran = shell(command, "<&-")
    assert ran.stderr == "The input ended before the game did.\n"
    assert ran.returncode == 3


@pytest.mark.parametrize("command", ["puzzle flag-chase --count 1", "learn flag-chase", "engine", "books"])
def test_command_without_need_for_input_runs_without_it(command: str) -> None:
    ran = shell(command, "<&-")
    assert (ran.stderr, ran.returncode) == ("", 0)


def test_error_keeps_its_exit_code_with_stderr_closed() -> None:
    assert shell("rules chess", "2>&-").returncode == 2


def test_values_are_shown_in_ascii_if_the_terminal_needs_it() -> None:
    asked = f"printf 'values\\n' | PYTHONIOENCODING=ascii {shlex.quote(sys.executable)} -m numberline play flag-chase"
    ran = subprocess.run(["/bin/sh", "-c", asked], capture_output=True, text=True, timeout=60, check=False)
    assert "  3      W ^  wins" in ran.stdout
    assert "  1      L v  loses" in ran.stdout


def test_full_disk_behind_the_output_is_reported() -> None:
    ran = shell("books", ">/dev/full")
    assert ran.stderr == "Error: standard output: no space left on device\n"
    assert ran.returncode == 1
