"""Shell completion, and suggestions for misspelt words."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import numberline as nl
from numberline.cli import COMMANDS
from support.commands import numberline

CALL = "import sys; sys.argv[0] = 'numberline'; from numberline.cli import main; main()"


def asked(shell: str, *words: str) -> list[str]:
    """Return the completions of the last of these words."""
    environment = {
        **os.environ,
        "_NUMBERLINE_COMPLETE": f"{shell}_complete",
        "COMP_WORDS": "\n".join(["numberline", *words]),
        "COMP_CWORD": words[-1] if shell == "fish" else str(len(words)),
    }
    ran = subprocess.run(
        [sys.executable, "-c", CALL], env=environment, capture_output=True, text=True, timeout=60, check=True
    )
    return ran.stdout.splitlines()


def in_bash(*words: str) -> list[str]:
    return [line.partition(",")[2] for line in asked("bash", *words) if line.startswith("plain,")]


def test_commands_are_completed() -> None:
    assert in_bash("re") == ["resume", "replay", "review"]
    assert in_bash("help", "sol") == ["solve"]


@pytest.mark.parametrize(
    "command", ["play", "rules", "check", "solve", "measure", "map", "find", "puzzle", "learn", "export"]
)
def test_books_and_files_are_completed(command: str) -> None:
    assert asked("bash", command, "") == ["file,", *(f"plain,{name}" for name in nl.NAMES)]
    assert asked("bash", command, "my-g") == ["file,my-g"]


@pytest.mark.parametrize("command", ["replay", "review"])
def test_records_are_completed_as_files(command: str) -> None:
    assert asked("bash", command, "ga") == ["file,ga"]


def test_settings_of_the_book_are_completed_with_values() -> None:
    assert in_bash("play", "flag-chase", "--set", "ov") == ["overshoot=refused", "overshoot=loses", "overshoot=counts"]
    assert in_bash("play", "flag-chase(end=20)", "--set", "e") == ["end=20"]
    assert in_bash("play", "reach-the-edge", "--set", "meet") == []
    assert in_bash("map", "number-reach", "tar") == ["target="]


def test_bots_are_completed() -> None:
    assert in_bash("play", "--vs", "p") == ["perfect"]
    assert in_bash("play", "--vs", "au") == ["auto"]
    assert in_bash("play", "--seats", "me,gr") == ["me,greedy"]
    assert in_bash("engine", "--bot", "eas") == ["easy"]
    assert in_bash("arena", "perfect", "ran") == ["random"]


def test_bash_gets_only_the_part_after_a_colon_or_equals_sign() -> None:
    assert in_bash("play", "--vs", "level", ":", "1") == ["1", "10"]
    assert in_bash("play", "--vs", "level", ":") == [str(level) for level in range(1, 11)]
    assert in_bash("play", "flag-chase", "--set", "overshoot", "=", "l") == ["loses"]
    assert in_bash("play", "--vs", "=", "perf") == ["perfect"]
    assert in_bash("play", "--vs", "=", "level", ":", "10") == ["10"]


def test_zsh_and_fish_get_the_same_completions() -> None:
    assert asked("zsh", "rules", "line") == ["file", "line", "_", "plain", "line-runner", "_"]
    assert "line-runner" in "\n".join(asked("fish", "rules", "line"))


def test_command_summaries_are_not_cut_off() -> None:
    listed = numberline("--help").out.partition("Commands:\n")[2]
    assert "..." not in listed
    assert [line.split()[0] for line in listed.splitlines()[: len(COMMANDS)]] == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_help_command_prints_the_same_as_the_option(command: str) -> None:
    assert numberline("help", command).out == numberline(command, "--help").out


def test_help_command_lists_the_commands() -> None:
    assert numberline("help").out == numberline("--help").out


@pytest.mark.parametrize("arguments", [["paly"], ["help", "paly"]])
def test_unknown_command_gets_a_suggestion(arguments: list[str]) -> None:
    ran = numberline(*arguments)
    assert ran.err.startswith("Error: No such command 'paly' (did you mean play?).")
    assert ran.code == 2


def test_unknown_setting_gets_a_suggestion() -> None:
    with pytest.raises(nl.BookError, match=r"no such setting; it has .* \(did you mean overshoot\?\)$"):
        nl.book("flag-chase(overshot=loses)")
